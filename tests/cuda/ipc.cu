/* SPDX-License-Identifier: MIT */
/* Memory, events and pools of another process. */
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstring>
#include "test.h"

__global__ void add(int *p, int v) { p[threadIdx.x] += v; }

struct message {
	cudaIpcMemHandle_t memory;
	cudaIpcEventHandle_t event;
};

/* ---- pools: the file goes through a socket ------------------------------------------------------ */

static void send_file(int s, int fd)
{
	char room[CMSG_SPACE(sizeof(int))] = { 0 }, byte = 1;
	iovec v = { &byte, 1 };
	msghdr m = {};

	m.msg_iov = &v;
	m.msg_iovlen = 1;
	m.msg_control = room;
	m.msg_controllen = sizeof(room);
	cmsghdr *c = CMSG_FIRSTHDR(&m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	CHECK(sendmsg(s, &m, 0) == 1);
}

static int receive_file(int s)
{
	char room[CMSG_SPACE(sizeof(int))], byte;
	iovec v = { &byte, 1 };
	msghdr m = {};
	int fd;

	m.msg_iov = &v;
	m.msg_iovlen = 1;
	m.msg_control = room;
	m.msg_controllen = sizeof(room);
	CHECK(recvmsg(s, &m, 0) == 1);
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
	return fd;
}

static void pool_given(int s)
{
	cudaMemPoolProps props = {};
	cudaMemPoolPtrExportData data;
	cudaMemPool_t pool;
	int fd, host[32], *p;
	char byte;

	props.allocType = cudaMemAllocationTypePinned;
	props.handleTypes = cudaMemHandleTypePosixFileDescriptor;
	props.location.type = cudaMemLocationTypeDevice;
	OK(cudaMemPoolCreate(&pool, &props));
	OK(cudaMallocAsync(&p, sizeof(host), pool, 0));	/* another name of cudaMallocFromPoolAsync in C++ */
	OK(cudaMemsetAsync(p, 0, sizeof(host), 0));
	OK(cudaStreamSynchronize(0));
	OK(cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 0));
	OK(cudaMemPoolExportPointer(&data, p));
	send_file(s, fd);
	close(fd);
	CHECK(write(s, &data, sizeof(data)) == sizeof(data) && read(s, &byte, 1) == 1);
	OK(cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost));
	for (int i = 0; i < 32; i++)
		CHECK(host[i] == 7);
	OK(cudaFreeAsync(p, 0));
	OK(cudaMemPoolDestroy(pool));
}

static void pool_taken(int s)
{
	cudaMemPoolPtrExportData data;
	cudaMemPool_t pool;
	int fd = receive_file(s), *p, *q;

	OK(cudaMemPoolImportFromShareableHandle(&pool, (void *)(long)fd, cudaMemHandleTypePosixFileDescriptor, 0));
	close(fd);
	CHECK(cudaMallocFromPoolAsync(&q, 64, pool, 0) == cudaErrorInvalidValue);
	CHECK(read(s, &data, sizeof(data)) == sizeof(data));
	CHECK(cudaMemPoolImportPointer(NULL, pool, &data) == cudaErrorInvalidValue);
	OK(cudaMemPoolImportPointer((void **)&p, pool, &data));
	add<<<1, 32>>>(p, 7);
	OK(cudaFreeAsync(p, 0));
	OK(cudaStreamSynchronize(0));
	OK(cudaMemPoolDestroy(pool));
	CHECK(write(s, "x", 1) == 1);
}

/* ---- memory and events ---------------------------------------------------------------------------- */

static void child(int from, int to, int s)
{
	cudaEvent_t e;
	message m;
	int *p;

	CHECK(read(from, &m, sizeof(m)) == sizeof(m));
	OK(cudaIpcOpenMemHandle((void **)&p, m.memory, cudaIpcMemLazyEnablePeerAccess));
	OK(cudaIpcOpenEventHandle(&e, m.event));
	OK(cudaStreamWaitEvent(0, e, 0));
	add<<<1, 32>>>(p, 5);
	OK(cudaEventRecord(e, 0));
	CHECK(write(to, "x", 1) == 1);
	OK(cudaDeviceSynchronize());
	OK(cudaEventDestroy(e));
	OK(cudaIpcCloseMemHandle(p));
	CHECK(cudaIpcCloseMemHandle(p) == cudaErrorInvalidValue);
	pool_taken(s);
	exit(0);
}

int main()
{
	int there[2], back[2], pair[2], status, host[32], supported, *p;
	cudaEvent_t e;
	message m;
	char byte;
	pid_t pid;

	CHECK(!pipe(there) && !pipe(back) && !socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	pid = fork();			/* before anything of CUDA */
	if (!pid) {
		close(there[1]);
		close(pair[0]);
		child(there[0], back[1], pair[1]);
	}
	close(there[0]);
	close(pair[1]);
	OK(cudaMalloc(&p, sizeof(host)));
	OK(cudaMemset(p, 0, sizeof(host)));
	OK(cudaDeviceGetAttribute(&supported, cudaDevAttrIpcEventSupport, 0));
	CHECK(supported == 1);
	OK(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolSupportedHandleTypes, 0));
	CHECK(supported == cudaMemHandleTypePosixFileDescriptor);
	OK(cudaIpcGetMemHandle(&m.memory, p));
	OK(cudaEventCreateWithFlags(&e, cudaEventInterprocess | cudaEventDisableTiming));
	OK(cudaIpcGetEventHandle(&m.event, e));
	add<<<1, 32>>>(p, 3);
	OK(cudaEventRecord(e, 0));
	CHECK(write(there[1], &m, sizeof(m)) == sizeof(m));
	CHECK(read(back[0], &byte, 1) == 1);
	OK(cudaEventSynchronize(e));
	OK(cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost));
	for (int i = 0; i < 32; i++)
		CHECK(host[i] == 8);
	pool_given(pair[0]);
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	return 0;
}
