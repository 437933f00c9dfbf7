/* SPDX-License-Identifier: MIT */
/* The CUDA Driver API: registered and managed memory, pools, mappings, streams that wait for words. */
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <unistd.h>
#include "cuda_test.h"

/* A page of a file system whose pages the kernel driver does not pin.  Only the guest's root may mount it. */
static unsigned int *page_of_a_file(void)
{
	char dir[] = "/tmp/ppu-XXXXXX", path[sizeof(dir) + 2];
	void *p;
	int fd;

	ck_assert(mkdtemp(dir) && !mount("none", dir, "ramfs", 0, NULL));
	snprintf(path, sizeof(path), "%s/f", dir);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	ck_assert(fd >= 0 && !ftruncate(fd, 4096));
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne(p, MAP_FAILED);
	ck_assert(!close(fd) && !umount2(dir, MNT_DETACH) && !rmdir(dir));
	return p;
}

/* What the driver cannot pin is registered for copies only; a request for more is refused. */
static void registered_for_copies(void)
{
	unsigned int *file = page_of_a_file();
	CUdeviceptr p;

	IS(CUDA_ERROR_NOT_SUPPORTED, cuMemHostRegister(file, 4096, CU_MEMHOSTREGISTER_DEVICEMAP));
	OK(cuMemHostRegister(file, 4096, CU_MEMHOSTREGISTER_PORTABLE));
	IS(CUDA_ERROR_NOT_SUPPORTED, cuMemHostGetDevicePointer(&p, file, 0));
	p = one_word(9);
	OK(cuMemcpyDtoH(file, p, 4));
	ck_assert_uint_eq(file[0], 9);
	OK(cuMemHostUnregister(file));
}

/* The program's own memory, at its own address for both sides. */
START_TEST(registered_memory)
{
	static unsigned int own[3000], more[4096];
	unsigned int flags, type;
	CUdeviceptr p;
	int mapped;

	begin(small_ptx);
	OK(cuDeviceGetAttribute(&mapped, CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 0));
	ck_assert_int_eq(mapped, 1);
	if (strcmp(getenv("PPU_BACKEND"), "core"))
		registered_for_copies();
	own[5] = 41;
	OK(cuMemHostRegister(own, sizeof(own), CU_MEMHOSTREGISTER_DEVICEMAP));
	IS(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister(own, 64, 0));
	OK(cuMemHostGetFlags(&flags, own));
	ck_assert_uint_eq(flags, CU_MEMHOSTREGISTER_DEVICEMAP);
	OK(cuMemHostGetDevicePointer(&p, own + 5, 0));
	ck_assert_uint_eq(p, (uintptr_t)&own[5]);
	OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
	ck_assert_uint_eq(type, CU_MEMORYTYPE_HOST);
	run(function("add_one"), p, 0, 0);
	OK(cuStreamSynchronize(0));
	ck_assert_uint_eq(own[5], 42);
	IS(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(more));
	BAD(cuMemHostRegister(NULL, 4, 0));
	BAD(cuMemHostRegister(more, 0, 0));
	BAD(cuMemHostRegister(more, 4, 0x40));
	IS(CUDA_ERROR_NOT_SUPPORTED, cuMemHostRegister(more, 4, CU_MEMHOSTREGISTER_IOMEMORY));
	OK(cuMemAlloc(&p, 4096));
	BAD(cuMemHostRegister((void *)(uintptr_t)p, 4096, 0));	/* not the program's */
	OK(cuMemHostUnregister(own));
	IS(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(own));
	BAD(cuMemHostGetDevicePointer(&p, own, 0));
	OK(cuMemHostRegister(own, sizeof(own), 0));
	OK(cuCtxDestroy(ctx));			/* and with it what was registered */
	begin(small_ptx);
	OK(cuMemHostRegister(own, sizeof(own), 0));
}
END_TEST

START_TEST(managed_memory)
{
	CUmemLocation device = { CU_MEM_LOCATION_TYPE_DEVICE, 0 };
	CUmem_range_attribute what[] = { CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION };
	int is, list[2], mostly, where;
	void *values[] = { &mostly, &where };
	size_t sizes[] = { sizeof(int), sizeof(int) };
	unsigned int *m;
	CUdeviceptr p;

	begin(small_ptx);
	OK(cuDeviceGetAttribute(&is, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 0));
	ck_assert_int_eq(is, 1);
	OK(cuMemAllocManaged(&p, 4096, CU_MEM_ATTACH_GLOBAL));
	m = (unsigned int *)(uintptr_t)p;
	m[1] = 20;
	run(function("scale"), p + 4, 2, 0);
	OK(cuStreamSynchronize(0));
	ck_assert_uint_eq(m[1], 40);
	OK(cuPointerGetAttribute(&is, CU_POINTER_ATTRIBUTE_IS_MANAGED, p + 8));
	ck_assert_int_eq(is, 1);
	OK(cuMemAdvise_v2(p, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, device));
	OK(cuMemAdvise_v2(p, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, device));
	OK(cuMemAdvise(p, 4096, CU_MEM_ADVISE_SET_ACCESSED_BY, CU_DEVICE_CPU));
	OK(cuMemRangeGetAttributes(values, sizes, what, 2, p, 4096));
	ck_assert_int_eq(mostly, 1);
	ck_assert_int_eq(where, 0);
	OK(cuMemRangeGetAttribute(list, sizeof(list), CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p, 4096));
	ck_assert(list[0] == CU_DEVICE_CPU && list[1] == CU_DEVICE_INVALID);
	OK(cuMemPrefetchAsync_v2(p, 4096, device, 0, 0));
	OK(cuMemRangeGetAttribute(&where, 4, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, p, 4096));
	ck_assert_int_eq(where, 0);
	OK(cuStreamAttachMemAsync(0, p, 0, CU_MEM_ATTACH_GLOBAL));
	BAD(cuMemPrefetchAsync_v2(p, 4097, device, 0, 0));
	BAD(cuMemAdvise_v2(p, 4096, (CUmem_advise)44, device));
	BAD(cuMemAdvise_v2((uintptr_t)&is, 4, CU_MEM_ADVISE_SET_READ_MOSTLY, device));
	IS(CUDA_ERROR_INVALID_DEVICE, cuMemPrefetchAsync(p, 4096, 7, 0));
	BAD(cuMemAllocManaged(&p, 0, CU_MEM_ATTACH_GLOBAL));
	BAD(cuMemAllocManaged(&p, 4, 8));
	OK(cuMemFree(p));
	BAD(cuMemFree(p));
}
END_TEST

static uint64_t pool_value(CUmemoryPool pool, CUmemPool_attribute a)
{
	uint64_t v;

	OK(cuMemPoolGetAttribute(pool, a, &v));
	return v;
}

/* Memory that is freed in a stream is reused in that stream; a pool keeps as much free memory as its threshold says. */
START_TEST(pools)
{
	CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
	CUmemAccessDesc access = { { CU_MEM_LOCATION_TYPE_DEVICE, 0 }, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
	CUmemoryPool pool, other, of;
	uint64_t all = UINT64_MAX;
	CUdeviceptr p, q;
	CUstream s;

	begin(small_ptx);
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuDeviceGetDefaultMemPool(&pool, 0));
	OK(cuDeviceGetMemPool(&other, 0));
	ck_assert_ptr_eq(pool, other);
	OK(cuMemAllocAsync(&p, 1000, s));
	run(function("store"), p, 8, s);
	ck_assert_uint_eq(pool_value(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 1024);
	OK(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p + 8));
	ck_assert_ptr_eq(of, pool);
	OK(cuMemFreeAsync(p, s));
	BAD(cuMemFreeAsync((uintptr_t)&all, s));
	OK(cuMemAllocAsync(&q, 1000, s));
	ck_assert_uint_eq(p, q);
	OK(cuMemFreeAsync(q, s));
	OK(cuCtxSynchronize());			/* threshold 0: nothing is kept */
	ck_assert_uint_eq(pool_value(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0);
	ck_assert_uint_eq(pool_value(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH), 1024);
	OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &all));
	OK(cuMemAllocAsync(&p, 4096, s));
	OK(cuMemFree(p));			/* this way, too */
	OK(cuCtxSynchronize());
	ck_assert_uint_eq(pool_value(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 4096);
	OK(cuMemPoolTrimTo(pool, 0));
	ck_assert_uint_eq(pool_value(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0);
	BAD(cuMemPoolDestroy(pool));		/* the default one */
	/* one of our own, limited */
	props.maxSize = 1 << 20;
	OK(cuMemPoolCreate(&other, &props));
	OK(cuMemPoolSetAccess(other, &access, 1));
	OK(cuDeviceSetMemPool(0, other));
	OK(cuMemAllocAsync(&p, 512 << 10, s));
	OK(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p));
	ck_assert_ptr_eq(of, other);
	IS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocFromPoolAsync(&q, 768 << 10, other, s));
	OK(cuMemAllocFromPoolAsync(&q, 768 << 10, pool, s));
	OK(cuMemPoolDestroy(other));
	BAD(cuMemPoolDestroy(other));
	BAD(cuMemAllocFromPoolAsync(&q, 4, other, s));
	OK(cuMemFreeAsync(p, s));		/* its memory stays until it is freed */
	OK(cuDeviceGetMemPool(&of, 0));
	ck_assert_ptr_eq(of, pool);
	props.allocType = CU_MEM_ALLOCATION_TYPE_INVALID;
	BAD(cuMemPoolCreate(&other, &props));
	BAD(cuMemAllocAsync(&p, 0, s));
	BAD(cuMemPoolGetAttribute(pool, (CUmemPool_attribute)99, &all));
}
END_TEST

/* In another stream a block is free only when the first stream has reached the point where it is freed. */
START_TEST(pools_and_order)
{
	CUdeviceptr p, q, gate;
	CUstream s, t;
	void *word;

	begin(small_ptx);
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
	OK(cuMemHostAlloc(&word, 4, 0));
	gate = (uintptr_t)word;
	OK(cuMemAllocAsync(&p, 4096, s));
	OK(cuStreamWaitValue32(s, gate, 1, CU_STREAM_WAIT_VALUE_EQ));
	run(function("store"), p, 5, s);
	OK(cuMemFreeAsync(p, s));
	OK(cuMemAllocAsync(&q, 4096, t));
	ck_assert_uint_ne(p, q);		/* still held by the closed gate */
	__atomic_store_n((unsigned int *)word, 1, __ATOMIC_SEQ_CST);
	OK(cuStreamSynchronize(s));
	OK(cuMemFreeAsync(q, t));
	OK(cuStreamSynchronize(t));
}
END_TEST

/* Whichever streams had a block before: the stream in which it was freed last may have it at once, and no other one. */
START_TEST(pools_and_streams)
{
	CUstream s, t, u[4];
	CUdeviceptr p, q[4];
	unsigned int *word;
	CUdeviceptr gate;

	begin(small_ptx);
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
	OK(cuMemHostAlloc((void **)&word, 4, 0));
	gate = (uintptr_t)word;
	*word = 0;
	OK(cuMemAllocAsync(&p, 4096, t));
	OK(cuMemFreeAsync(p, t));
	OK(cuMemAllocAsync(&q[0], 4096, s));	/* perhaps the same one */
	OK(cuStreamWaitValue32(s, gate, 1, CU_STREAM_WAIT_VALUE_EQ));
	run(function("store"), q[0], 5, s);
	p = q[0];
	OK(cuMemFreeAsync(p, s));
	u[0] = t;
	u[1] = CU_STREAM_LEGACY;
	u[2] = CU_STREAM_PER_THREAD;
	u[3] = 0;
	for (int i = 0; i < 4; i++) {
		OK(cuMemAllocAsync(&q[i], 4096, u[i]));
		ck_assert_uint_ne(p, q[i]);
	}
	OK(cuMemAllocAsync(&q[0], 4096, s));
	ck_assert_uint_eq(p, q[0]);
	__atomic_store_n(word, 1, __ATOMIC_SEQ_CST);
	OK(cuCtxSynchronize());
}
END_TEST

static void *uses_the_pool(void *arg)
{
	unsigned int mark = (unsigned int)(uintptr_t)arg, seen[2];
	CUdeviceptr p, q;
	CUstream s;

	OK(cuCtxSetCurrent(ctx));
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	for (unsigned int i = 0; i < 10; i++) {
		OK(cuMemAllocAsync(&p, 1024, s));
		OK(cuMemAllocAsync(&q, 1024, s));
		run(function("store"), p, mark + i, s);
		run(function("store"), q, mark - i, s);
		OK(cuMemcpyDtoHAsync(&seen[0], p, 4, s));
		OK(cuMemcpyDtoHAsync(&seen[1], q, 4, s));
		OK(cuMemFreeAsync(p, s));
		OK(cuMemFreeAsync(q, s));
		OK(cuStreamSynchronize(s));
		ck_assert(seen[0] == mark + i && seen[1] == mark - i);
	}
	return NULL;
}

/* One pool, two threads: no thread gets memory that the other one has. */
START_TEST(pools_in_two_threads)
{
	pthread_t t[2];

	begin(small_ptx);
	for (uintptr_t i = 0; i < 2; i++)
		ck_assert_int_eq(pthread_create(&t[i], NULL, uses_the_pool, (void *)(1000 * (i + 1))), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}
END_TEST

/* Two pieces of memory side by side, one of them mapped twice. */
START_TEST(mappings)
{
	CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED,
				     .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } }, seen;
	CUmemAccessDesc access = { { CU_MEM_LOCATION_TYPE_DEVICE, 0 }, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
	CUmemGenericAllocationHandle a, b, again;
	unsigned int in[8], out[8];
	unsigned long long flags;
	CUdeviceptr at;
	size_t unit;

	begin(small_ptx);
	OK(cuMemGetAllocationGranularity(&unit, &prop, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
	OK(cuMemAddressReserve(&at, 3 * unit, 0, 0, 0));
	ck_assert_uint_eq(at % unit, 0);
	BAD(cuMemAddressReserve(&at, 100, 0, 0, 0));
	OK(cuMemCreate(&a, unit, &prop, 0));
	OK(cuMemCreate(&b, unit, &prop, 0));
	BAD(cuMemCreate(&again, 100, &prop, 0));
	OK(cuMemMap(at, unit, 0, a, 0));
	OK(cuMemMap(at + unit, unit, 0, b, 0));
	OK(cuMemMap(at + 2 * unit, unit, 0, a, 0));		/* a second time */
	BAD(cuMemMap(at, unit, 0, b, 0));
	BAD(cuMemMap(at + 3 * unit, unit, 0, b, 0));		/* not reserved */
	BAD(cuMemSetAccess(at, unit / 2, &access, 1));
	OK(cuMemGetAccess(&flags, &access.location, at));
	ck_assert_uint_eq(flags, CU_MEM_ACCESS_FLAGS_PROT_NONE);
	BAD(cuMemcpyHtoD(at, in, 4));				/* no access yet */
	OK(cuMemSetAccess(at, 3 * unit, &access, 1));
	OK(cuMemGetAccess(&flags, &access.location, at + unit));
	ck_assert_uint_eq(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	for (unsigned int i = 0; i < 8; i++)
		in[i] = i + 1;
	OK(cuMemcpyHtoD(at + unit - 16, in, sizeof(in)));	/* over the border */
	OK(cuMemcpyDtoH(out, at + unit - 16, sizeof(out)));
	ck_assert_mem_eq(in, out, sizeof(in));
	OK(cuMemcpyDtoH(out, at + 3 * unit - 16, 16));
	ck_assert_mem_eq(in, out, 16);				/* the same memory */
	run(function("scale"), at + 3 * unit - 4, 10, 0);
	ck_assert_uint_eq(word_at(at + unit - 4), 40);
	BAD(cuMemcpyDtoH(out, at + 3 * unit - 4, 8));		/* past the end */
	BAD(cuMemFree(at));
	OK(cuMemGetAllocationPropertiesFromHandle(&seen, a));
	ck_assert_int_eq(seen.location.type, CU_MEM_LOCATION_TYPE_DEVICE);
	OK(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)(at + unit)));
	ck_assert(again == b);
	OK(cuMemRelease(again));
	OK(cuMemRelease(a));
	OK(cuMemRelease(b));
	BAD(cuMemRelease(b));
	ck_assert_uint_eq(word_at(at + unit), 5);		/* mapped memory stays */
	BAD(cuMemAddressFree(at, 3 * unit));
	BAD(cuMemUnmap(at, unit / 2));
	OK(cuMemUnmap(at, 3 * unit));
	BAD(cuMemUnmap(at, unit));
	BAD(cuMemcpyDtoH(out, at, 4));
	OK(cuMemAddressFree(at, 3 * unit));
	BAD(cuMemAddressFree(at, 3 * unit));
	prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
	OK(cuMemCreate(&a, unit, &prop, 0));
	OK(cuMemRelease(a));
	prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_WIN32;
	IS(CUDA_ERROR_NOT_SUPPORTED, cuMemCreate(&a, unit, &prop, 0));
}
END_TEST

/* Each mapping is by itself, whatever lies beside it, in whatever order they are made; what is refused at an edge. */
START_TEST(mappings_side_by_side)
{
	CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED,
				     .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
	CUmemAccessDesc access = { { CU_MEM_LOCATION_TYPE_DEVICE, 0 }, CU_MEM_ACCESS_FLAGS_PROT_READWRITE }, wrong;
	static const unsigned int order[] = { 2, 0, 3, 1 };
	CUmemGenericAllocationHandle one, two;
	unsigned long long flags;
	CUdeviceptr at, other;
	size_t unit;

	begin(small_ptx);
	OK(cuMemGetAllocationGranularity(&unit, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	OK(cuMemAddressReserve(&at, 4 * unit, unit, 0, 0));
	BAD(cuMemAddressReserve(NULL, unit, 0, 0, 0));
	BAD(cuMemAddressReserve(&other, 0, 0, 0, 0));
	BAD(cuMemAddressReserve(&other, unit, 3 * unit, 0, 0));
	BAD(cuMemAddressReserve(&other, unit, 0, 0, 1));
	OK(cuMemAddressReserve(&other, unit, 2 * unit, 0, 0));
	ck_assert_uint_eq(other % (2 * unit), 0);
	OK(cuMemCreate(&one, unit, &prop, 0));
	OK(cuMemCreate(&two, 2 * unit, &prop, 0));
	for (unsigned int i = 0; i < 4; i++) {
		CUdeviceptr va = at + order[i] * unit;

		OK(cuMemMap(va, unit, 0, one, 0));
		OK(cuMemSetAccess(va, unit, &access, 1));
		BAD(cuMemMap(va, unit, 0, one, 0));
	}
	BAD(cuMemSetAccess(at, 5 * unit, &access, 1));
	BAD(cuMemSetAccess(at, 0, &access, 1));
	BAD(cuMemSetAccess(at, unit, &access, 2));
	BAD(cuMemSetAccess(at, unit, NULL, 1));
	wrong = access;
	wrong.location.type = CU_MEM_LOCATION_TYPE_HOST;
	BAD(cuMemSetAccess(at, unit, &wrong, 1));
	wrong = access;
	wrong.flags = 2;
	BAD(cuMemSetAccess(at, unit, &wrong, 1));
	wrong = access;
	wrong.location.id = 1;
	IS(CUDA_ERROR_INVALID_DEVICE, cuMemSetAccess(at, unit, &wrong, 1));
	BAD(cuMemGetAccess(NULL, &access.location, at));
	BAD(cuMemGetAccess(&flags, NULL, at));
	BAD(cuMemGetAccess(&flags, &access.location, at + 4 * unit));
	OK(cuMemGetAccess(&flags, &wrong.location, at));
	ck_assert_uint_eq(flags, 0);
	/* out of the middle, and two in its place do not fit */
	OK(cuMemUnmap(at + unit, unit));
	BAD(cuMemUnmap(at, 2 * unit));
	BAD(cuMemGetAccess(&flags, &access.location, at + unit));
	BAD(cuMemMap(at + unit, 2 * unit, 0, two, 0));
	OK(cuMemUnmap(at + 2 * unit, unit));
	OK(cuMemMap(at + unit, 2 * unit, 0, two, 0));
	BAD(cuMemSetAccess(at + unit, unit, &access, 1));	/* half of a mapping */
	BAD(cuMemSetAccess(at + 2 * unit, unit, &access, 1));
	access.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
	OK(cuMemSetAccess(at + unit, 2 * unit, &access, 1));
	for (unsigned int i = 0; i < 4; i++) {
		OK(cuMemGetAccess(&flags, &access.location, at + (i + 1) * unit - 1));
		ck_assert_uint_eq(flags, i == 1 || i == 2 ? CU_MEM_ACCESS_FLAGS_PROT_READ : CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	}
	set_word(at, 41);
	ck_assert_uint_eq(word_at(at + 3 * unit), 41);		/* the same memory */
	/* what does not fit: more than the memory, an offset, an odd address, the end of the range, a wrong handle */
	OK(cuMemUnmap(at + unit, 2 * unit));
	BAD(cuMemMap(at + unit, 2 * unit, 0, one, 0));
	BAD(cuMemMap(at + unit, unit, unit, two, 0));
	BAD(cuMemMap(at + unit + 100, unit, 0, two, 0));
	BAD(cuMemMap(at + unit, 0, 0, two, 0));
	BAD(cuMemMap(at + unit, unit, 0, two, 1));
	BAD(cuMemMap(at + unit, unit, 0, (CUmemGenericAllocationHandle)12345, 0));
	OK(cuMemUnmap(at + 3 * unit, unit));
	BAD(cuMemMap(at + 3 * unit, 2 * unit, 0, two, 0));
	BAD(cuMemMap(at - unit, unit, 0, two, 0));
	OK(cuMemMap(at + 2 * unit, 2 * unit, 0, two, 0));
	BAD(cuMemAddressFree(at, 4 * unit));
	BAD(cuMemUnmap(at, 4 * unit));
	BAD(cuMemUnmap(at, 0));
	OK(cuMemUnmap(at, unit));
	BAD(cuMemAddressFree(at, 4 * unit));
	OK(cuMemUnmap(at + 2 * unit, 2 * unit));
	BAD(cuMemAddressFree(at, 3 * unit));
	BAD(cuMemAddressFree(at + unit, 3 * unit));
	OK(cuMemAddressFree(other, unit));
	OK(cuMemAddressFree(at, 4 * unit));
	OK(cuMemRelease(one));
	OK(cuMemRelease(two));
}
END_TEST

/* A store to memory that may only be read breaks the context; so does one where nothing is mapped. */
static void fault(CUmemAccess_flags how)
{
	CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
	CUmemAccessDesc access = { { CU_MEM_LOCATION_TYPE_DEVICE, 0 }, how };
	CUmemGenericAllocationHandle a;
	CUdeviceptr at;
	size_t unit;

	begin(small_ptx);
	OK(cuMemGetAllocationGranularity(&unit, &prop, 0));
	OK(cuMemAddressReserve(&at, unit, 0, 0, 0));
	OK(cuMemCreate(&a, unit, &prop, 0));
	OK(cuMemMap(at, unit, 0, a, 0));
	OK(cuMemSetAccess(at, unit, &access, 1));
	run(function("store"), at, 1, 0);
	IS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
	IS(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemAlloc(&at, 4));
	OK(cuCtxDestroy(ctx));
	begin(small_ptx);
	ck_assert_uint_eq(word_at(one_word(3)), 3);
}

START_TEST(read_only_mappings)
{
	fault(CU_MEM_ACCESS_FLAGS_PROT_READ);
}
END_TEST

START_TEST(mappings_without_access)
{
	fault(CU_MEM_ACCESS_FLAGS_PROT_NONE);
}
END_TEST

struct opener {
	volatile unsigned int *gate;
	volatile unsigned long long *wide;	/* of 64 bits, then */
	unsigned long long value;
};

static void *open_gate(void *arg)
{
	struct opener *o = arg;

	if (o->wide)
		__atomic_store_n(o->wide, o->value, __ATOMIC_SEQ_CST);
	else
		__atomic_store_n(o->gate, (unsigned int)o->value, __ATOMIC_SEQ_CST);
	return NULL;
}

/* What was put behind a wait comes when the CPU, in another thread, has written the word, and not before. */
static void opened(struct opener *o, CUstream s)
{
	CUdeviceptr p = one_word(1);
	pthread_t t;

	run(function("add_one"), p, 0, s);
	for (int i = 0; i < 20; i++)	/* each lets the device work a little */
		IS(CUDA_ERROR_NOT_READY, cuStreamQuery(s));
	ck_assert_int_eq(pthread_create(&t, NULL, open_gate, o), 0);
	OK(cuStreamSynchronize(s));
	pthread_join(t, NULL);
	ck_assert_uint_eq(word_at(p), 2);
}

/* The words beside it, with all bits or with none, mean nothing to a wait. */
static void gate(unsigned int before, unsigned int now, unsigned int value, unsigned int flags)
{
	static const unsigned int beside[] = { 0, ~0u };
	unsigned int *word;
	CUstream s;

	OK(cuMemHostAlloc((void **)&word, 16, 0));
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	for (unsigned i = 0; i < 4; i++) {
		struct opener o = { .gate = word + 1 + i % 2, .value = now };

		word[0] = word[1] = word[2] = word[3] = beside[i / 2];
		*o.gate = before;
		OK(cuStreamWaitValue32(s, (uintptr_t)o.gate, value, flags));
		opened(&o, s);
		for (unsigned k = 0; k < 4; k++)
			ck_assert_uint_eq(word[k], k == 1 + i % 2 ? now : beside[i / 2]);
	}
}

static void wide_gate(unsigned long long before, unsigned long long now, unsigned long long value, unsigned int flags)
{
	unsigned long long *word;
	struct opener o = { .value = now };
	CUstream s;

	OK(cuMemHostAlloc((void **)&word, 8, 0));
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	*word = before;
	o.wide = word;
	OK(cuStreamWaitValue64(s, (uintptr_t)word, value, flags));
	opened(&o, s);
}

START_TEST(waiting_for_words)
{
	unsigned long long *wide;
	CUdeviceptr p, q;
	CUstream s;

	begin(small_ptx);
	gate(4, 5, 5, CU_STREAM_WAIT_VALUE_EQ);
	gate(4, 6, 5, CU_STREAM_WAIT_VALUE_GEQ);
	gate(0xfffffff0, 3, 2, CU_STREAM_WAIT_VALUE_GEQ);	/* counts in a circle */
	gate(8, 6, 2, CU_STREAM_WAIT_VALUE_AND);
	gate(0xfffffff0, 0xffffff0f, 0xf, CU_STREAM_WAIT_VALUE_NOR);
	/* 64 bits: each half counts */
	wide_gate(5, 1ull << 40 | 5, 1ull << 40 | 5, CU_STREAM_WAIT_VALUE_EQ);
	wide_gate(1ull << 40, 1ull << 40 | 5, 1ull << 40 | 5, CU_STREAM_WAIT_VALUE_EQ);
	wide_gate(9, 1ull << 40, 1ull << 40, CU_STREAM_WAIT_VALUE_GEQ);
	wide_gate(1ull << 40, 2 + (1ull << 40), 1 + (1ull << 40), CU_STREAM_WAIT_VALUE_GEQ);
	wide_gate(~0ull - 15, 3, 2, CU_STREAM_WAIT_VALUE_GEQ);
	wide_gate(~0u, 1ull << 35, 1ull << 35, CU_STREAM_WAIT_VALUE_AND);
	wide_gate(~0ull << 32, 1, 1, CU_STREAM_WAIT_VALUE_AND);
	wide_gate(~0ull << 32, ~0ull << 33, 0xffffffff, CU_STREAM_WAIT_VALUE_NOR);
	/* words that streams write */
	OK(cuMemHostAlloc((void **)&wide, 8, 0));
	p = one_word(0);
	q = one_word(1);
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuStreamWriteValue64(s, (uintptr_t)wide, 1ull << 40, 0));
	OK(cuStreamWaitValue64(s, (uintptr_t)wide, 1ull << 40, CU_STREAM_WAIT_VALUE_EQ));
	OK(cuStreamWriteValue32(s, p, 77, 0));
	OK(cuStreamWaitValue32(s, p, 77, CU_STREAM_WAIT_VALUE_EQ));
	run(function("add_one"), q, 0, s);
	OK(cuStreamSynchronize(s));
	ck_assert(*wide == 1ull << 40);
	ck_assert_uint_eq(word_at(p), 77);
	ck_assert_uint_eq(word_at(q), 2);
	BAD(cuStreamWaitValue32(s, p + 2, 1, 0));
	BAD(cuStreamWaitValue32(s, p, 1, 9));
	BAD(cuStreamWriteValue32(s, (uintptr_t)&s, 1, 0));
	IS(CUDA_ERROR_INVALID_HANDLE, cuStreamWaitValue32((CUstream)&s, p, 1, 0));
}
END_TEST

START_TEST(batches_of_words)
{
	CUstreamBatchMemOpParams ops[3] = { { 0 } };
	CUDA_BATCH_MEM_OP_NODE_PARAMS many = { .count = 3, .paramArray = ops };
	CUgraphNode node;
	CUgraph graph;
	CUdeviceptr p;
	CUstream s;

	begin(small_ptx);
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuMemAlloc(&p, 16));
	ops[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
	ops[0].writeValue.address = p;
	ops[0].writeValue.value = 5;
	ops[1].memoryBarrier.operation = CU_STREAM_MEM_OP_BARRIER;
	ops[2].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
	ops[2].waitValue.address = p;
	ops[2].waitValue.value = 5;
	ops[2].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
	OK(cuStreamBatchMemOp(s, 3, ops, 0));
	run(function("scale"), p, 3, s);
	OK(cuStreamSynchronize(s));
	ck_assert_uint_eq(word_at(p), 15);
	BAD(cuStreamBatchMemOp(s, 0, ops, 0));
	BAD(cuStreamBatchMemOp(s, 257, ops, 0));
	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &many));
	many.count = 257;		/* nothing behind them is read */
	BAD(cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &many));
	many.count = ~0u;
	BAD(cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &many));
	OK(cuGraphDestroy(graph));
	BAD(cuStreamBatchMemOp(s, 1, NULL, 0));
	ops[0].operation = (CUstreamBatchMemOpType)99;
	BAD(cuStreamBatchMemOp(s, 1, ops, 0));
	ops[0].operation = CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES;
	IS(CUDA_ERROR_NOT_SUPPORTED, cuStreamBatchMemOp(s, 1, ops, 0));
}
END_TEST

/* A graph is launched only if its words are memory of ours, and aligned. */
START_TEST(words_of_a_graph)
{
	CUstreamBatchMemOpParams op = { .operation = CU_STREAM_MEM_OP_WAIT_VALUE_32 };
	CUDA_BATCH_MEM_OP_NODE_PARAMS one = { .count = 1, .paramArray = &op };
	CUdeviceptr p, bad[3];
	CUgraphExec exec;
	CUgraphNode node;
	CUgraph graph;

	begin(small_ptx);
	p = one_word(7);
	bad[0] = 8;
	bad[1] = p + 2;
	bad[2] = p + (1ull << 38);
	op.waitValue.value = 7;
	for (int i = 0; i < 3; i++) {
		op.waitValue.address = bad[i];
		OK(cuGraphCreate(&graph, 0));
		OK(cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &one));
		OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
		BAD(cuGraphLaunch(exec, 0));
		OK(cuCtxSynchronize());
		OK(cuGraphExecDestroy(exec));
		OK(cuGraphDestroy(graph));
	}
	ck_assert_uint_eq(word_at(p), 7);
}
END_TEST

#define MUCH (8u << 20)		/* memory of an address range of its own */

/*
 * Memory ends with its context.  What the next context gets at the same address is what that context asked for, and is
 * freed as such.
 */
START_TEST(memory_of_a_context_that_ended)
{
	size_t before, after, total;
	CUdeviceptr managed, pooled, p;
	unsigned int flags, type;
	CUmemoryPool of;
	void *host, *again;
	int is;

	begin(small_ptx);
	OK(cuMemAllocManaged(&managed, MUCH, CU_MEM_ATTACH_GLOBAL));
	OK(cuMemAdvise(managed, MUCH, CU_MEM_ADVISE_SET_ACCESSED_BY, 0));
	OK(cuCtxDestroy(ctx));
	BAD(cuMemRangeGetAttribute(&is, sizeof(is), CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, managed, MUCH));
	begin(small_ptx);
	OK(cuMemAlloc(&p, MUCH));
	ck_assert_uint_eq(p, managed);
	OK(cuPointerGetAttribute(&is, CU_POINTER_ATTRIBUTE_IS_MANAGED, p));
	ck_assert_int_eq(is, 0);
	OK(cuMemFree(p));
	OK(cuMemAllocAsync(&pooled, MUCH, 0));
	OK(cuCtxDestroy(ctx));

	begin(small_ptx);
	OK(cuMemGetInfo(&before, &total));
	OK(cuMemAlloc(&p, MUCH));
	ck_assert_uint_eq(p, pooled);
	OK(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p));
	ck_assert_ptr_null(of);
	OK(cuMemFree(p));
	OK(cuMemGetInfo(&after, &total));
	ck_assert_uint_eq(after, before);
	OK(cuMemHostAlloc(&host, MUCH, CU_MEMHOSTALLOC_PORTABLE));
	OK(cuCtxDestroy(ctx));

	begin(small_ptx);
	BAD(cuMemHostGetFlags(&flags, host));
	OK(cuMemHostAlloc(&again, MUCH, 0));
	ck_assert_ptr_eq(again, host);
	OK(cuMemHostGetFlags(&flags, again));
	ck_assert_uint_eq(flags, CU_MEMHOSTALLOC_DEVICEMAP);
	OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (uintptr_t)again));
	ck_assert_uint_eq(type, CU_MEMORYTYPE_HOST);
	OK(cuMemFreeHost(again));
	BAD(cuMemFreeHost(again));
}
END_TEST

/*
 * Addresses are unique in the process, so memory is freed and described with any context current, and with none.  The
 * current context stays what it is.
 */
static void from_elsewhere(bool none)
{
	CUdeviceptr managed, pooled, plain, base;
	CUcontext first, second, now;
	size_t before, after, bytes, total;
	CUmemoryPool of;
	void *host;
	int is;

	begin(small_ptx);
	first = ctx;
	OK(cuMemGetInfo(&before, &total));
	OK(cuMemAlloc(&plain, MUCH));
	OK(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
	OK(cuMemAllocAsync(&pooled, 4096, 0));
	OK(cuMemHostAlloc(&host, 4096, 0));
	begin(small_ptx);
	second = ctx;
	if (none) {
		OK(cuCtxPopCurrent(NULL));
		OK(cuCtxPopCurrent(NULL));
		IS(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&base, 4096));
		IS(CUDA_ERROR_INVALID_CONTEXT, cuMemFree(12345));
	}
	OK(cuPointerGetAttribute(&now, CU_POINTER_ATTRIBUTE_CONTEXT, plain));
	ck_assert_ptr_eq(now, first);
	OK(cuPointerGetAttribute(&is, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed));
	ck_assert_int_eq(is, 1);
	OK(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, pooled));
	ck_assert_ptr_nonnull(of);
	OK(cuMemGetAddressRange(&base, &bytes, plain + 100));
	ck_assert_uint_eq(base, plain);
	ck_assert_uint_eq(bytes, MUCH);
	OK(cuMemFree(plain));
	OK(cuMemFree(managed));
	OK(cuMemFree(pooled));
	OK(cuMemFreeHost(host));
	IS(none ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE, cuMemFree(plain));
	OK(cuCtxGetCurrent(&now));
	ck_assert_ptr_eq(now, none ? NULL : second);
	/* the next call is made in the current context again */
	OK(cuCtxSetCurrent(second));
	OK(cuMemAlloc(&plain, MUCH));
	OK(cuPointerGetAttribute(&now, CU_POINTER_ATTRIBUTE_CONTEXT, plain));
	ck_assert_ptr_eq(now, second);
	/* memory of a context that has ended is nobody's */
	OK(cuCtxSetCurrent(first));
	OK(cuCtxDestroy(second));
	BAD(cuMemFree(plain));
	OK(cuMemGetInfo(&after, &total));
	ck_assert_uint_ge(after + (4 << 20), before);
	OK(cuCtxDestroy(first));
}
START_TEST(memory_of_another_context) { from_elsewhere(false); } END_TEST
START_TEST(memory_without_a_context) { from_elsewhere(true); } END_TEST

/* Bytes of arrays and memory, from and to everywhere, at once and in a stream; peers, of which there is one. */
START_TEST(copies_of_arrays)
{
	CUDA_ARRAY_DESCRIPTOR d = { .Width = 64, .Height = 1, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1 };
	unsigned char in[64], out[64];
	CUDA_MEMCPY3D_PEER peer = { .srcMemoryType = CU_MEMORYTYPE_DEVICE, .dstMemoryType = CU_MEMORYTYPE_DEVICE,
				    .WidthInBytes = 8, .Height = 3, .Depth = 1, .srcPitch = 16, .dstPitch = 16 };
	CUDA_MEMCPY2D rows = { .srcMemoryType = CU_MEMORYTYPE_DEVICE, .dstMemoryType = CU_MEMORYTYPE_HOST, .srcPitch = 16,
			       .dstPitch = 5, .WidthInBytes = 5, .Height = 3, .srcXInBytes = 1 };
	size_t left, total;
	CUarray a, b;
	CUdeviceptr p, q;
	CUstream s;

	begin(small_ptx);
	for (int i = 0; i < 64; i++)
		in[i] = (unsigned char)(i * 5 + 1);
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuArrayCreate_v2(&a, &d));
	OK(cuArrayCreate_v2(&b, &d));
	OK(cuMemAlloc_v2(&p, 64));
	OK(cuMemAlloc_v2(&q, 64));
	OK(cuMemsetD8_v2(q, 0, 64));
	OK(cuMemcpyHtoA_v2(a, 0, in, 64));
	OK(cuMemcpyAtoD_v2(p, a, 8, 32));
	OK(cuMemcpyDtoA_v2(a, 0, p, 16));
	OK(cuMemcpyAtoA_v2(b, 4, a, 2, 20));
	OK(cuMemcpyAtoH_v2(out, b, 4, 20));
	for (int i = 0; i < 20; i++)
		ck_assert_uint_eq(out[i], in[i + 2 < 16 ? i + 2 + 8 : i + 2]);
	OK(cuMemcpyHtoAAsync_v2(b, 1, in, 63, s));
	OK(cuMemcpyAtoHAsync_v2(out, b, 3, 60, s));
	OK(cuStreamSynchronize(s));
	ck_assert_mem_eq(out, in + 2, 60);

	OK(cuMemcpyHtoD_v2(p, in, 64));
	OK(cuMemcpyPeerAsync(q, ctx, p, ctx, 10, s));
	OK(cuMemcpyDtoHAsync_v2(out, q, 16, s));
	OK(cuStreamSynchronize(s));
	ck_assert_mem_eq(out, in, 10);
	ck_assert_uint_eq(out[10], 0);
	peer.srcDevice = p;
	peer.dstDevice = q;
	peer.srcContext = peer.dstContext = ctx;
	OK(cuMemcpy3DPeer(&peer));
	OK(cuMemcpyDtoH_v2(out, q, 48));
	for (int y = 0; y < 3; y++)
		ck_assert_mem_eq(out + 16 * y, in + 16 * y, 8);
	ck_assert_uint_eq(out[16 + 9], 0);
	peer.WidthInBytes = 12;
	OK(cuMemcpy3DPeerAsync(&peer, s));
	OK(cuStreamSynchronize(s));
	OK(cuMemcpyDtoH_v2(out, q, 48));
	ck_assert_mem_eq(out + 16, in + 16, 12);
	BAD(cuMemcpy3DPeer(NULL));
	rows.srcDevice = p;
	rows.dstHost = out;
	OK(cuMemcpy2DUnaligned_v2(&rows));
	for (int y = 0; y < 3; y++)
		ck_assert_mem_eq(out + 5 * y, in + 16 * y + 1, 5);
	memset(out, 0, sizeof(out));
	OK(cuMemcpy2DAsync_v2(&rows, s));
	OK(cuStreamSynchronize(s));
	ck_assert_mem_eq(out + 5, in + 17, 5);
	/* the memory of an array is the device's again: all of these together are more than it has */
	d.Width = 16384;
	d.Height = 1024;
	OK(cuMemGetInfo_v2(&left, &total));
	for (size_t i = 0; i <= total / (16 << 20); i++) {
		OK(cuArrayDestroy(a));
		OK(cuArrayCreate_v2(&a, &d));
	}
	OK(cuMemGetInfo_v2(&left, &total));
	ck_assert_uint_ge(left, total / 2);
}
END_TEST

/* What is known of an address, of the device's memory and of the program's. */
START_TEST(attributes_of_addresses)
{
	static const CUpointer_attribute zero[] = {
		CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, CU_POINTER_ATTRIBUTE_IS_MANAGED,
		CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE,
	};
	unsigned long long id, other;
	CUdeviceptr p, q, at;
	size_t bytes;
	int v, mine;

	begin(small_ptx);
	OK(cuMemAlloc_v2(&p, 8192));
	OK(cuMemAlloc_v2(&q, 64));
	for (unsigned i = 0; i < sizeof(zero) / sizeof(zero[0]); i++) {
		v = 7;
		OK(cuPointerGetAttribute(&v, zero[i], p));
		ck_assert_int_eq(v, 0);
	}
	OK(cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, p));
	ck_assert_int_eq(v, 1);
	OK(cuPointerGetAttribute(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID, p + 5));
	OK(cuPointerGetAttribute(&other, CU_POINTER_ATTRIBUTE_BUFFER_ID, p));
	ck_assert_uint_eq(id, other);
	OK(cuPointerGetAttribute(&other, CU_POINTER_ATTRIBUTE_BUFFER_ID, q));
	ck_assert_uint_ne(id, other);
	OK(cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_MAPPED, p));
	ck_assert_int_eq(v, 1);
	OK(cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, p));
	ck_assert_int_eq(v, 3);
	OK(cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p));
	ck_assert_int_eq(v, 0);
	OK(cuPointerGetAttribute(&id, CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, p));
	ck_assert_uint_eq(id, 0);
	OK(cuPointerGetAttribute(&at, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, p + 100));
	ck_assert_uint_eq(at, p);
	OK(cuPointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, p + 100));
	ck_assert_uint_ge(bytes, 8192);
	IS(CUDA_ERROR_NOT_SUPPORTED, cuPointerGetAttribute(&id, CU_POINTER_ATTRIBUTE_P2P_TOKENS, p));
	BAD(cuPointerGetAttribute(&id, (CUpointer_attribute)99, p));
	BAD(cuPointerGetAttribute(NULL, CU_POINTER_ATTRIBUTE_MAPPED, p));
	BAD(cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_MAPPED, (uintptr_t)&mine));
	OK(cuPointerGetAttributes(1, (CUpointer_attribute[]){ CU_POINTER_ATTRIBUTE_MAPPED }, (void *[]){ &v }, (uintptr_t)&mine));
	ck_assert_int_eq(v, 0);
	v = 1;
	OK(cuPointerSetAttribute(&v, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
	BAD(cuPointerSetAttribute(NULL, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
	BAD(cuPointerSetAttribute(&v, CU_POINTER_ATTRIBUTE_MAPPED, p));
	BAD(cuPointerSetAttribute(&v, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, (uintptr_t)&mine));
}
END_TEST

/* Each attribute of a pool is kept for itself; high marks fall to the values of now. */
START_TEST(attributes_of_pools)
{
	CUmemLocation here = { CU_MEM_LOCATION_TYPE_DEVICE, 0 };
	CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = here };
	static const CUmemPool_attribute reuse[] = {
		CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC,
		CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
	};
	CUmemAccess_flags access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
	uint64_t v, high;
	CUmemoryPool pool;
	CUdeviceptr p;
	int on;

	begin(small_ptx);
	OK(cuMemPoolCreate(&pool, &props));
	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < 3; k++) {
			on = k == i ? 5 : 0;
			OK(cuMemPoolSetAttribute(pool, reuse[k], &on));
		}
		for (int k = 0; k < 3; k++) {
			OK(cuMemPoolGetAttribute(pool, reuse[k], &on));
			ck_assert_int_eq(on, k == i);
		}
	}
	v = 1 << 30;
	OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &v));
	OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &v));
	ck_assert_uint_eq(v, 1 << 30);
	OK(cuMemAllocFromPoolAsync(&p, 4096, pool, 0));
	OK(cuMemFreeAsync(p, 0));
	OK(cuStreamSynchronize(0));
	OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &high));
	ck_assert_uint_ge(high, 4096);
	OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &v));
	ck_assert_uint_eq(v, 0);
	BAD(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &v));
	BAD(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &high));
	OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &v));
	OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &high));
	ck_assert_uint_eq(high, 0);
	OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &high));
	ck_assert_uint_ge(high, 4096);		/* the pool has kept it */
	BAD(cuMemPoolGetAttribute(pool, (CUmemPool_attribute)99, &v));
	BAD(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, NULL));
	OK(cuMemPoolGetAccess(&access, pool, &here));
	ck_assert_int_eq(access, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	BAD(cuMemPoolGetAccess(NULL, pool, &here));
	BAD(cuMemPoolGetAccess(&access, pool, NULL));
	OK(cuMemPoolDestroy(pool));
	BAD(cuMemPoolGetAccess(&access, pool, &here));
}
END_TEST

int main(void)
{
	const TTest *tests[] = { registered_memory, managed_memory, pools, pools_and_order, pools_and_streams,
				 pools_in_two_threads, mappings, mappings_side_by_side, read_only_mappings,
				 mappings_without_access, waiting_for_words, batches_of_words,
				 memory_of_a_context_that_ended, memory_of_another_context, memory_without_a_context,
				 words_of_a_graph, copies_of_arrays, attributes_of_addresses, attributes_of_pools };

	return RUN_ALL("memory", tests);
}
