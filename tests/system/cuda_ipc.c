/* SPDX-License-Identifier: MIT */
/*
 * Memory and events of several processes: the first process gives handles of an allocation, an event, a piece of cuMemCreate()
 * and a pool through a pipe (and a socket) to one that it has nothing else in common with, and to one of another user, who
 * gets nothing.  Through the driver, and as a unit test with a device in each process.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cuda/cuda.h>

#define BYTES	(1u << 20)
#define PIECE	(2u << 20)

static const char ptx[] =
	".version 6.3\n.target sm_60\n.address_size 64\n"
	".visible .entry add_one(.param .u64 p)\n{\n.reg .b64 %rd<2>; .reg .b32 %r<3>;\n"
	"ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; st.global.u32 [%rd1], %r2; ret;\n}\n";

static const char *who = "first";

#define MUST(want, call) do { \
	CUresult r_ = (call); \
	if (r_ != (want)) { \
		fprintf(stderr, "# %s: line %d: %s: %d instead of %d\n", who, __LINE__, #call, r_, (want)); \
		_exit(1); \
	} \
} while (0)
#define OK(call) MUST(CUDA_SUCCESS, call)
#define SAME(a, b) do { \
	unsigned long long a_ = (a), b_ = (b); \
	if (a_ != b_) { \
		fprintf(stderr, "# %s: line %d: %s is %llu, not %llu\n", who, __LINE__, #a, a_, b_); \
		_exit(1); \
	} \
} while (0)

struct message {
	CUipcMemHandle memory, inside;
	CUipcEventHandle event;
};

static CUfunction begin(void)
{
	CUfunction f;
	CUcontext c;
	CUmodule m;

	OK(cuInit(0));
	OK(cuCtxCreate(&c, 0, 0));
	OK(cuModuleLoadData(&m, ptx));
	OK(cuModuleGetFunction(&f, m, "add_one"));
	return f;
}

static void add_one(CUfunction f, CUdeviceptr p, CUstream s)
{
	void *params[] = { &p };

	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, params, NULL));
}

static unsigned int word_at(CUdeviceptr p)
{
	unsigned int v;

	OK(cuMemcpyDtoH(&v, p, 4));
	return v;
}

static void send_file(int s, int fd)
{
	char room[CMSG_SPACE(sizeof(int))] = { 0 }, byte = 1;
	struct iovec v = { &byte, 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	SAME(sendmsg(s, &m, 0), 1);
}

static int receive_file(int s)
{
	char room[CMSG_SPACE(sizeof(int))], byte;
	struct iovec v = { &byte, 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room) };
	int fd;

	SAME(recvmsg(s, &m, 0), 1);
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
	return fd;
}

static CUdeviceptr map_piece(CUmemGenericAllocationHandle h)
{
	CUmemAccessDesc access = { { CU_MEM_LOCATION_TYPE_DEVICE, 0 }, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
	CUdeviceptr p;

	OK(cuMemAddressReserve(&p, PIECE, 0, 0, 0));
	OK(cuMemMap(p, PIECE, 0, h, 0));
	OK(cuMemSetAccess(p, PIECE, &access, 1));
	return p;
}

/* ---- a pool ----------------------------------------------------------------------------------- */

#define POOL_BYTES	4096u

static void pool_given(int s)
{
	CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .handleTypes = CU_MEM_HANDLE_TYPE_WIN32,
				 .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
	CUmemPoolPtrExportData data, again;
	CUmemoryPool pool, plain;
	CUdeviceptr p, other;
	int fd, types;
	char byte;

	OK(cuDeviceGetAttribute(&types, CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES, 0));
	SAME(types, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
	MUST(CUDA_ERROR_NOT_SUPPORTED, cuMemPoolCreate(&pool, &props));
	props.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
	OK(cuMemPoolCreate(&pool, &props));
	OK(cuMemAllocFromPoolAsync(&p, POOL_BYTES, pool, NULL));
	OK(cuMemAllocAsync(&other, POOL_BYTES, NULL));
	OK(cuMemsetD32(p, 5, POOL_BYTES / 4));
	OK(cuDeviceGetDefaultMemPool(&plain, 0));
	MUST(CUDA_ERROR_INVALID_VALUE, cuMemPoolExportPointer(&data, p));	/* its pool is not shared yet */
	MUST(CUDA_ERROR_INVALID_VALUE, cuMemPoolExportToShareableHandle(&fd, plain, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	MUST(CUDA_ERROR_INVALID_VALUE, cuMemPoolExportToShareableHandle(&fd, pool, CU_MEM_HANDLE_TYPE_WIN32, 0));
	MUST(CUDA_ERROR_INVALID_VALUE, cuMemPoolExportToShareableHandle(&fd, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 1));
	OK(cuMemPoolExportToShareableHandle(&fd, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	send_file(s, fd);
	close(fd);
	MUST(CUDA_ERROR_INVALID_VALUE, cuMemPoolExportPointer(&data, other));
	MUST(CUDA_ERROR_INVALID_VALUE, cuMemPoolExportPointer(&data, p + 4));
	OK(cuMemPoolExportPointer(&data, p));
	MUST(CUDA_ERROR_INVALID_VALUE, cuMemPoolExportPointer(NULL, p));	/* and the handle stays what it is */
	OK(cuMemPoolExportPointer(&again, p));
	SAME(memcmp(&data, &again, sizeof(data)), 0);
	SAME(write(s, &data, sizeof(data)), sizeof(data));
	SAME(read(s, &byte, 1), 1);
	SAME(word_at(p), 6);
	SAME(word_at(p + POOL_BYTES - 4), 77);
	/* The pool gives it back: the handle is one of nothing. */
	OK(cuMemFreeAsync(p, NULL));
	OK(cuCtxSynchronize());
	OK(cuMemFreeAsync(other, NULL));
	OK(cuMemPoolDestroy(pool));
	SAME(write(s, "p", 1), 1);
}

static void pool_taken(int s, CUfunction f)
{
	CUmemPoolPtrExportData data, wrong;
	CUmemoryPool pool, of;
	cuuint64_t bytes;
	CUdeviceptr p, q;
	char byte, says[16];
	int fd, other, pair[2];

	SAME(pipe(pair), 0);
	MUST(CUDA_ERROR_INVALID_VALUE, cuMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)pair[0],
									  CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	fd = receive_file(s);
	/* what can be cut short is no such file, whatever it says */
	other = memfd_create("other", 0);
	SAME(pread(fd, says, sizeof(says), 0), sizeof(says));
	SAME(pwrite(other, says, sizeof(says), 0), sizeof(says));
	MUST(CUDA_ERROR_INVALID_VALUE, cuMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)other,
									  CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	MUST(CUDA_ERROR_INVALID_VALUE, cuMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_WIN32, 0));
	OK(cuMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	close(fd);
	/* Nothing is allocated from a pool of another process. */
	MUST(CUDA_ERROR_INVALID_VALUE, cuMemAllocFromPoolAsync(&q, 64, pool, NULL));
	MUST(CUDA_ERROR_INVALID_VALUE, cuDeviceSetMemPool(0, pool));
	SAME(read(s, &data, sizeof(data)), sizeof(data));
	wrong = data;
	wrong.reserved[56] ^= 1;		/* of another pool */
	MUST(CUDA_ERROR_INVALID_VALUE, cuMemPoolImportPointer(&p, pool, &wrong));
	OK(cuDeviceGetDefaultMemPool(&of, 0));
	MUST(CUDA_ERROR_INVALID_VALUE, cuMemPoolImportPointer(&p, of, &data));
	OK(cuMemPoolImportPointer(&p, pool, &data));
	MUST(CUDA_ERROR_INVALID_VALUE, cuMemPoolExportPointer(&wrong, p));
	OK(cuMemPoolImportPointer(&q, pool, &data));
	OK(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p));
	SAME(of == pool, 1);
	OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &bytes));
	SAME(bytes, 2 * POOL_BYTES);
	SAME(word_at(p), 5);
	add_one(f, p, NULL);
	OK(cuMemsetD32(q + POOL_BYTES - 4, 77, 1));
	SAME(word_at(p + POOL_BYTES - 4), 77);
	OK(cuMemFree(q));
	OK(cuMemFreeAsync(p, NULL));
	OK(cuCtxSynchronize());
	OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &bytes));
	SAME(bytes, 0);
	MUST(CUDA_ERROR_INVALID_VALUE, cuMemFree(p));
	SAME(write(s, "p", 1), 1);
	SAME(read(s, &byte, 1), 1);
	MUST(CUDA_ERROR_INVALID_HANDLE, cuMemPoolImportPointer(&p, pool, &data));
	OK(cuMemPoolDestroy(pool));
}

/* ---- the second process ---------------------------------------------------------------------- */

static void second(int s)
{
	CUmemGenericAllocationHandle h;
	CUdeviceptr p, q, again, piece;
	struct message m;
	CUstream stream;
	CUfunction f;
	CUevent e;
	int fd;

	who = "second";
	f = begin();
	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	SAME(read(s, &m, sizeof(m)), sizeof(m));
	OK(cuIpcOpenMemHandle(&p, m.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
	OK(cuIpcOpenMemHandle(&again, m.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
	SAME(p, again);
	OK(cuIpcOpenMemHandle(&q, m.inside, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
	OK(cuIpcOpenEventHandle(&e, m.event));
	MUST(CUDA_ERROR_INVALID_VALUE, cuIpcOpenMemHandle(&again, m.memory, 8));
	memset(&m.memory, 0, sizeof(m.memory));
	MUST(CUDA_ERROR_INVALID_VALUE, cuIpcOpenMemHandle(&again, m.memory, 1));
	m.event.reserved[20] ^= 1;
	MUST(CUDA_ERROR_INVALID_HANDLE, cuIpcOpenEventHandle(&e, m.event));
	/* The first process has recorded the event behind work that it lets go on only now. */
	MUST(CUDA_ERROR_NOT_READY, cuEventQuery(e));
	OK(cuStreamWaitEvent(stream, e, 0));
	add_one(f, p, stream);
	SAME(write(s, "a", 1), 1);
	OK(cuStreamSynchronize(stream));
	OK(cuEventSynchronize(e));
	OK(cuEventQuery(e));
	SAME(word_at(p), 43);
	SAME(word_at(q), 7);
	OK(cuMemsetD32(q, 8, 1));
	/* the other way: this process records */
	add_one(f, p, stream);
	OK(cuEventRecord(e, stream));
	SAME(write(s, "b", 1), 1);
	/* a piece */
	fd = receive_file(s);
	OK(cuMemImportFromShareableHandle(&h, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
	close(fd);
	piece = map_piece(h);
	SAME(word_at(piece + PIECE - 4), 99);
	OK(cuMemsetD32(piece, 55, 1));
	SAME(write(s, "c", 1), 1);
	OK(cuMemUnmap(piece, PIECE));
	OK(cuMemRelease(h));
	pool_taken(s, f);
	OK(cuIpcCloseMemHandle(p));
	SAME(word_at(p), 44);		/* it was opened twice */
	OK(cuIpcCloseMemHandle(p));
	MUST(CUDA_ERROR_INVALID_VALUE, cuIpcCloseMemHandle(p));
	OK(cuIpcCloseMemHandle(q));
	OK(cuEventDestroy(e));
	/* The memory is freed: its handle is one of nothing. */
	SAME(read(s, &m, sizeof(m)), sizeof(m));
	MUST(CUDA_ERROR_INVALID_HANDLE, cuIpcOpenMemHandle(&p, m.memory, 1));
	_exit(0);
}

/* ---- another user ---------------------------------------------------------------------------- */

static void stranger(int s)
{
	struct message m;
	CUdeviceptr p;

	who = "stranger";
	if (geteuid())
		_exit(0);		/* who is not root cannot become another user */
	begin();
	if (setresuid(65534, 65534, 65534))
		_exit(1);
	SAME(read(s, &m, sizeof(m)), sizeof(m));
	MUST(CUDA_ERROR_INVALID_HANDLE, cuIpcOpenMemHandle(&p, m.memory, 1));
	_exit(0);
}

static int start(void (*fn)(int s), int *s, pid_t *pid)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return 1;
	*pid = fork();
	if (!*pid) {
		close(pair[0]);
		fn(pair[1]);
	}
	close(pair[1]);
	*s = pair[0];
	return *pid < 0;
}

/* ---- the first one --------------------------------------------------------------------------- */

/* The last record counts, even if an earlier one, of another stream, is done after it; and there may be many. */
static void records(CUevent e, unsigned int *gate)
{
	CUstream late, soon;

	*gate = 0;
	OK(cuStreamCreate(&late, CU_STREAM_NON_BLOCKING));
	OK(cuStreamCreate(&soon, CU_STREAM_NON_BLOCKING));
	OK(cuStreamWaitValue32(late, (uintptr_t)gate, 1, CU_STREAM_WAIT_VALUE_EQ));
	OK(cuEventRecord(e, late));
	MUST(CUDA_ERROR_NOT_READY, cuEventQuery(e));
	OK(cuEventRecord(e, soon));
	OK(cuEventSynchronize(e));
	*(volatile unsigned int *)gate = 1;
	OK(cuStreamSynchronize(late));
	OK(cuEventQuery(e));
	for (int i = 0; i < 200; i++)
		OK(cuEventRecord(e, i & 1 ? late : soon));
	OK(cuEventSynchronize(e));
	OK(cuStreamWaitEvent(late, e, 0));
	OK(cuStreamSynchronize(late));
	OK(cuStreamDestroy(late));
	OK(cuStreamDestroy(soon));
}

static void first(int s, int t)
{
	CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED,
				     .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
				     .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
	CUmemGenericAllocationHandle h;
	CUdeviceptr p, q, piece, own;
	struct message m, n;
	unsigned int *gate;
	CUstream stream;
	CUevent e, plain;
	int fd, can;
	char byte;

	begin();
	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK(cuMemAlloc(&p, BYTES));
	OK(cuMemAlloc(&q, 256));
	OK(cuMemsetD32(q, 7, 1));
	OK(cuMemHostAlloc((void **)&gate, 4, 0));
	*gate = 0;
	OK(cuEventCreate(&e, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
	OK(cuEventCreate(&plain, CU_EVENT_DISABLE_TIMING));
	OK(cuIpcGetMemHandle(&m.memory, p));
	OK(cuIpcGetMemHandle(&n.memory, p + 1000));
	SAME(memcmp(&m.memory, &n.memory, sizeof(m.memory)), 0);
	OK(cuIpcGetMemHandle(&m.inside, q));
	OK(cuIpcGetEventHandle(&m.event, e));
	MUST(CUDA_ERROR_INVALID_VALUE, cuIpcGetEventHandle(&m.event, plain));
	MUST(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(&m.memory, (uintptr_t)gate));
	MUST(CUDA_ERROR_INVALID_CONTEXT, cuIpcOpenMemHandle(&own, m.memory, 1));
	OK(cuMemAllocAsync(&own, 256, stream));
	MUST(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(&n.memory, own));
	OK(cuPointerGetAttribute(&can, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, own));
	SAME(can, 0);
	OK(cuPointerGetAttribute(&can, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, p));
	SAME(can, 1);
	OK(cuMemFreeAsync(own, stream));
	OK(cuEventQuery(e));			/* never recorded */
	OK(cuStreamWaitValue32(stream, (uintptr_t)gate, 1, CU_STREAM_WAIT_VALUE_EQ));
	OK(cuMemsetD32Async(p, 42, 1, stream));
	OK(cuEventRecord(e, stream));
	SAME(write(t, &m, sizeof(m)), sizeof(m));
	SAME(write(s, &m, sizeof(m)), sizeof(m));
	SAME(read(s, &byte, 1), 1);
	*(volatile unsigned int *)gate = 1;	/* the second process waits for what comes behind */
	SAME(read(s, &byte, 1), 1);
	OK(cuStreamWaitEvent(stream, e, 0));
	OK(cuStreamSynchronize(stream));
	SAME(word_at(p), 44);
	SAME(word_at(q), 8);
	records(e, gate);
	OK(cuMemCreate(&h, PIECE, &prop, 0));
	piece = map_piece(h);
	OK(cuMemsetD32(piece + PIECE - 4, 99, 1));
	MUST(CUDA_ERROR_NOT_SUPPORTED, cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_FABRIC, 0));
	OK(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	send_file(s, fd);
	close(fd);
	SAME(read(s, &byte, 1), 1);
	SAME(word_at(piece), 55);
	pool_given(s);
	OK(cuMemFree(p));
	SAME(write(s, &m, sizeof(m)), sizeof(m));
}

int main(void)
{
	pid_t pid[2];
	int s, t, status, bad = 0;

	if (start(second, &s, &pid[0]) || start(stranger, &t, &pid[1]))
		return 1;
	first(s, t);
	for (int i = 0; i < 2; i++)
		bad |= waitpid(pid[i], &status, 0) < 0 || status;
	printf("%sok - memory, events and files between processes, and not for another user\n", bad ? "not " : "");
	return bad;
}
