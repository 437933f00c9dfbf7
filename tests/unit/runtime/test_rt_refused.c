/* SPDX-License-Identifier: MIT */
/*
 * What the runtime refuses, and what it says then: each call at both sides of its limits, the whole sentence with its
 * numbers.  (Refusals of priorities: test_rt_prio.c; of programs: test_ptx_refused.c.)
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ppu.h>
#include "hw/ppu_mmu.h"
#include "rt_ok.h"
#include "run_suite.h"

/* The call fails with this error and this sentence. */
#define REFUSED(want, call, ...) do { \
	char says_[400]; \
	snprintf(says_, sizeof(says_), __VA_ARGS__); \
	FAILS(want, call); \
	ck_assert_msg(!strcmp(ppuGetLastErrorDetail(), says_), "%s: \"%s\" instead of \"%s\"", #call, \
		      ppuGetLastErrorDetail(), says_); \
} while (0)

static const char ptx[] =
	".version 6.3\n.target sm_60\n.address_size 64\n.visible .global .b32 v;\n"
	".visible .entry plain(){\n.shared .b8 s[256];\n.reg .b64 %l<2>;\nmov.u64 %l1, s;\nst.shared.u32 [s], 1;\nret;\n}\n"
	".visible .entry two(.param .b32 a, .param .b64 b)\n{\nret;\n}\n"
	".visible .entry needs().reqntid 4,2\n{\nret;\n}\n.visible .entry cube().reqntid 8\n{\nret;\n}\n"
	".visible .entry most() .maxntid 96\n{\nret;\n}\n";

static ppuModule mod;
static ppuDeviceProp prop;

static ppuFunction fn(const char *name)
{
	ppuFunction f;

	OK(ppuModuleGetFunction(&f, mod, name));
	return f;
}

static void start(const char *props)
{
	ppuInitOptions o = { .backend = "core", .props = props };

	OK(ppuInit(&o));
	OK(ppuDeviceGetProperties(&prop, 0));
	OK(ppuModuleLoadData(&mod, ptx, 0, &(ppuModuleOptions){ .name = "r.ptx" }));
}

static ppuResult go(const char *name, ppuDim3 grid, ppuDim3 block, size_t dynamic)
{
	return ppuLaunchKernel(fn(name), grid, block, dynamic, NULL, NULL, NULL, 0);
}

#define DIM(x, y, z) ppuDim(x, y, z)

START_TEST(launches)
{
	const uint32_t *g, *b;
	uint32_t x = 0, threads;
	uint64_t y = 0;
	void *params[] = { &x, &y };
	uint8_t packed[24] = { 0 };
	ppuEvent e, f, untimed;
	ppuFunction two;
	ppuFunctionAttributes a;
	size_t room;

	start("gpcs=1 sms-per-gpc=1");
	g = prop.max_grid;
	b = prop.max_block;
	threads = prop.max_threads_per_block;
	for (unsigned i = 0; i < 3; i++)
		for (unsigned k = 0; k < 2; k++) {
			uint32_t d[3] = { 1, 1, 1 };

			d[i] = k ? g[i] + 1 : 0;
			if (k && !d[i])
				continue;
			REFUSED(PPU_ERROR_INVALID_CONFIGURATION, go("plain", DIM(d[0], d[1], d[2]), DIM(1, 1, 1), 0),
				"grid %u,%u,%u is impossible: 1 to %u,%u,%u", d[0], d[1], d[2], g[0], g[1], g[2]);
			d[i] = k ? b[i] + 1 : 0;
			REFUSED(PPU_ERROR_INVALID_CONFIGURATION, go("plain", DIM(1, 1, 1), DIM(d[0], d[1], d[2]), 0),
				"block %u,%u,%u is impossible: 1 to %u,%u,%u, in all up to %u threads", d[0], d[1], d[2], b[0],
				b[1], b[2], threads);
			d[i] = b[i];
			if (k)
				OK(go("plain", DIM(1, 1, 1), DIM(d[0], d[1], d[2]), 0));
		}
	ck_assert_uint_eq(b[0], threads);
	REFUSED(PPU_ERROR_INVALID_CONFIGURATION, go("plain", DIM(1, 1, 1), DIM(threads / 2 + 1, 2, 1), 0),
		"block %u,2,1 is impossible: 1 to %u,%u,%u, in all up to %u threads", threads / 2 + 1, b[0], b[1], b[2], threads);
	OK(go("plain", DIM(1, 1, 1), DIM(threads / 2, 2, 1), 0));
	REFUSED(PPU_ERROR_INVALID_CONFIGURATION, go("needs", DIM(1, 1, 1), DIM(4, 3, 1), 0),
		"kernel needs wants blocks of 4,2,1");
	REFUSED(PPU_ERROR_INVALID_CONFIGURATION, go("needs", DIM(1, 1, 1), DIM(3, 2, 1), 0),
		"kernel needs wants blocks of 4,2,1");
	REFUSED(PPU_ERROR_INVALID_CONFIGURATION, go("needs", DIM(1, 1, 1), DIM(4, 2, 2), 0),
		"kernel needs wants blocks of 4,2,1");
	REFUSED(PPU_ERROR_INVALID_CONFIGURATION, go("cube", DIM(1, 1, 1), DIM(8, 2, 1), 0),
		"kernel cube wants blocks of 8,1,1");
	OK(go("needs", DIM(1, 1, 1), DIM(4, 2, 1), 0));
	OK(go("cube", DIM(1, 1, 1), DIM(8, 1, 1), 0));
	REFUSED(PPU_ERROR_INVALID_CONFIGURATION, go("most", DIM(1, 1, 1), DIM(97, 1, 1), 0),
		"kernel most allows 96 threads a block");
	OK(go("most", DIM(1, 1, 1), DIM(32, 3, 1), 0));
	OK(ppuFunctionGetAttributes(&a, fn("plain")));
	room = prop.shared_per_block - a.shared_bytes;
	ck_assert_uint_eq(a.shared_bytes, 256);
	ck_assert_uint_eq(a.max_dynamic_shared, room);
	OK(go("plain", DIM(1, 1, 1), DIM(1, 1, 1), room));
	REFUSED(PPU_ERROR_INVALID_CONFIGURATION, go("plain", DIM(1, 1, 1), DIM(1, 1, 1), room + 1),
		"kernel plain: 256 + %zu bytes of shared memory, a block can have %u", room + 1, prop.shared_per_block);

	/* parameters */
	two = fn("two");
	OK(ppuLaunchKernel(two, DIM(1, 1, 1), DIM(1, 1, 1), 0, NULL, params, NULL, 0));
	OK(ppuLaunchKernel(two, DIM(1, 1, 1), DIM(1, 1, 1), 0, NULL, NULL, packed, 16));
	OK(ppuLaunchKernel(two, DIM(1, 1, 1), DIM(1, 1, 1), 0, NULL, NULL, packed, 4));
	for (unsigned i = 0; i < 4; i++)
		REFUSED(PPU_ERROR_INVALID_VALUE,
			ppuLaunchKernel(two, DIM(1, 1, 1), DIM(1, 1, 1), 0, NULL, i == 1 ? params : NULL,
					i == 1 || i == 2 ? packed : NULL, i == 2 ? 17 : i == 3 ? 8 : i == 1 ? 16 : 0),
			"kernel two wants 2 parameters, 16 bytes");
	REFUSED(PPU_ERROR_INVALID_HANDLE, ppuLaunchKernel((ppuFunction)mod, DIM(1, 1, 1), DIM(1, 1, 1), 0, NULL, NULL, NULL, 0),
		"%p is no function", (void *)mod);
	REFUSED(PPU_ERROR_INVALID_HANDLE, ppuLaunchKernel(two, DIM(1, 1, 1), DIM(1, 1, 1), 0, (ppuStream)mod, params, NULL, 0),
		"%p is no stream", (void *)mod);
	OK(ppuEventCreate(&e, 0));
	OK(ppuEventCreate(&f, 0));
	OK(ppuEventCreate(&untimed, PPU_EVENT_DISABLE_TIMING));
	REFUSED(PPU_ERROR_INVALID_VALUE,
		ppuLaunchKernelTimed(two, DIM(1, 1, 1), DIM(1, 1, 1), 0, NULL, params, NULL, 0, e, e),
		"two different events with timing are needed");
	REFUSED(PPU_ERROR_INVALID_VALUE,
		ppuLaunchKernelTimed(two, DIM(1, 1, 1), DIM(1, 1, 1), 0, NULL, params, NULL, 0, e, untimed),
		"two different events with timing are needed");
	REFUSED(PPU_ERROR_INVALID_VALUE,
		ppuLaunchKernelTimed(two, DIM(1, 1, 1), DIM(1, 1, 1), 0, NULL, params, NULL, 0, untimed, e),
		"two different events with timing are needed");
	OK(ppuLaunchKernelTimed(two, DIM(1, 1, 1), DIM(1, 1, 1), 0, NULL, params, NULL, 0, e, f));
	OK(ppuCtxSynchronize());
	OK(ppuShutdown());
}
END_TEST

START_TEST(of_another_context)
{
	ppuCtx first, second;
	ppuStream s;
	ppuEvent e, f;
	uint64_t ns;
	void *p;

	start("gpcs=1");
	OK(ppuCtxGetCurrent(&first));
	OK(ppuStreamCreate(&s, 0, 0));
	OK(ppuEventCreate(&e, 0));
	OK(ppuMalloc(&p, 4096));
	OK(ppuCtxCreate(&second, 0, 0));
	OK(ppuEventCreate(&f, 0));
	REFUSED(PPU_ERROR_INVALID_CONTEXT, go("plain", DIM(1, 1, 1), DIM(1, 1, 1), 0),
		"function, stream and events are of different contexts");
	REFUSED(PPU_ERROR_INVALID_CONTEXT, ppuEventRecord(f, s), "event and stream are of different contexts");
	REFUSED(PPU_ERROR_INVALID_CONTEXT, ppuEventRecord(e, NULL), "event and stream are of different contexts");
	REFUSED(PPU_ERROR_INVALID_CONTEXT,
		ppuLaunchKernelTimed(fn("plain"), DIM(1, 1, 1), DIM(1, 1, 1), 0, s, NULL, NULL, 0, e, f),
		"function, stream and events are of different contexts");
	REFUSED(PPU_ERROR_INVALID_CONTEXT,
		ppuLaunchKernelTimed(fn("plain"), DIM(1, 1, 1), DIM(1, 1, 1), 0, s, NULL, NULL, 0, f, e),
		"function, stream and events are of different contexts");
	REFUSED(PPU_ERROR_INVALID_ADDRESS, ppuMemset(p, 0, 1, 16),
		"%p + 16 is not inside one allocation of this context", p);
	REFUSED(PPU_ERROR_INVALID_ADDRESS, ppuFree(p), "%p is not the start of such an allocation", p);
	REFUSED(PPU_ERROR_INVALID_VALUE, ppuEventGetTime(f, &ns), "the event was never recorded");
	OK(ppuEventRecord(f, NULL));
	OK(ppuEventSynchronize(f));
	OK(ppuEventGetTime(f, &ns));
	OK(ppuEventDestroy(f));
	OK(ppuEventCreate(&f, PPU_EVENT_DISABLE_TIMING));
	REFUSED(PPU_ERROR_NOT_SUPPORTED, ppuEventGetTime(f, &ns), "the event was made without timing");
	OK(ppuCtxDestroy(second));
	OK(ppuCtxSetCurrent(first));
	OK(ppuFree(p));
	OK(ppuShutdown());
}
END_TEST

START_TEST(memory)
{
	static char mine[8192];
	ppuPointerAttributes attr;
	size_t bytes;
	char *p, *q, *h;
	ppuMem m, other;
	void *r;

	start("gpcs=1");
	OK(ppuMalloc((void **)&p, 8192));
	OK(ppuMallocHost((void **)&h, 8192));
	REFUSED(PPU_ERROR_INVALID_ADDRESS, ppuMemset(p + 4096, 0, 1, 4097),
		"%p + 4097 is not inside one allocation of this context", (void *)(p + 4096));
	OK(ppuMemset(p + 4096, 0, 1, 4096));
	REFUSED(PPU_ERROR_INVALID_ADDRESS, ppuMemset(mine, 0, 1, 16),
		"%p is neither device nor pinned memory", (void *)mine);
	REFUSED(PPU_ERROR_INVALID_ADDRESS, ppuFree(p + 256),
		"%p is not the start of such an allocation", (void *)(p + 256));
	REFUSED(PPU_ERROR_INVALID_ADDRESS, ppuFree(h), "%p is not the start of such an allocation", (void *)h);
	REFUSED(PPU_ERROR_INVALID_ADDRESS, ppuFreeHost(p), "%p is not the start of such an allocation", (void *)p);
	REFUSED(PPU_ERROR_INVALID_ADDRESS, ppuFree(mine), "%p is not the start of such an allocation", (void *)mine);
	OK(ppuPointerGetAttributes(&attr, p + 8191));
	ck_assert_ptr_eq(attr.base, p);
	REFUSED(PPU_ERROR_INVALID_ADDRESS, ppuPointerGetAttributes(&attr, p + (64 << 20)),
		"%p is in no allocation of this context", (void *)(p + (64 << 20)));

	/* registered memory */
	REFUSED(PPU_ERROR_INVALID_ADDRESS, ppuHostRegister(p, 16, 0), "%p + 16 is not ordinary memory", (void *)p);
	REFUSED(PPU_ERROR_INVALID_ADDRESS, ppuHostRegister((void *)(uintptr_t)(PPU_VA_USER_START - 1), 16, 0),
		"%p + 16 is not ordinary memory", (void *)(uintptr_t)(PPU_VA_USER_START - 1));
	REFUSED(PPU_ERROR_INVALID_ADDRESS, ppuHostRegister(mine, PPU_VA_USER_END, 0), "%p + %zu is not ordinary memory",
		(void *)mine, (size_t)PPU_VA_USER_END);
	OK(ppuHostRegister(mine, 4096, 0));
	REFUSED(PPU_ERROR_INVALID_ADDRESS, ppuHostUnregister(mine + 1),
		"%p is not the start of registered memory", (void *)(mine + 1));
	REFUSED(PPU_ERROR_INVALID_ADDRESS, ppuHostUnregister(h), "%p is not the start of registered memory", (void *)h);
	OK(ppuHostUnregister(mine));
	REFUSED(PPU_ERROR_INVALID_ADDRESS, ppuHostUnregister(mine),
		"%p is not the start of registered memory", (void *)mine);

	/* addresses and pieces of memory */
	OK(ppuAddressReserve(&r, 1 << 21, 0));
	REFUSED(PPU_ERROR_INVALID_ADDRESS, ppuAddressFree(r, 1 << 20), "%p + %d is no reserved range", r, 1 << 20);
	REFUSED(PPU_ERROR_INVALID_ADDRESS, ppuAddressFree((char *)r + 4096, 1 << 21), "%p + %d is no reserved range",
		(void *)((char *)r + 4096), 1 << 21);
	OK(ppuMemCreate(&m, 65536));
	OK(ppuMemCreate(&other, 65536));
	OK(ppuMemMap(r, 65536, m, 0));
	REFUSED(PPU_ERROR_INVALID_ADDRESS, ppuMemUnmap(r, other), "%p is not the start of a mapping of this memory", r);
	REFUSED(PPU_ERROR_INVALID_ADDRESS, ppuMemUnmap((char *)r + 4096, m),
		"%p is not the start of a mapping of this memory",
		(void *)((char *)r + 4096));
	REFUSED(PPU_ERROR_INVALID_HANDLE, ppuMemUnmap(r, (ppuMem)mod), "%p is no piece of memory", (void *)mod);
	REFUSED(PPU_ERROR_INVALID_HANDLE, ppuMemRelease((ppuMem)mod), "%p is no piece of memory", (void *)mod);
	REFUSED(PPU_ERROR_INVALID_ADDRESS, ppuFree(r), "%p is not the start of such an allocation", r);
	OK(ppuMemUnmap(r, m));
	OK(ppuMemRelease(m));
	OK(ppuMemRelease(other));
	OK(ppuAddressFree(r, 1 << 21));
	REFUSED(PPU_ERROR_INVALID_ADDRESS, ppuAddressFree(r, 1 << 21), "%p + %d is no reserved range", r, 1 << 21);
	REFUSED(PPU_ERROR_OUT_OF_RESOURCES, ppuAddressReserve(&r, (size_t)1 << 60, 0),
		"no %zu addresses in a row are left",
		(size_t)1 << 60);
	FAILS(PPU_ERROR_INVALID_VALUE, ppuAddressReserve(&r, 1 << 21, 12288));

	REFUSED(PPU_ERROR_NOT_FOUND, ppuModuleGetGlobal(&r, &bytes, mod, "w"), "r.ptx has no variable \"w\"");
	REFUSED(PPU_ERROR_NOT_FOUND, ppuModuleGetGlobal(&r, &bytes, mod, "plain"), "r.ptx has no variable \"plain\"");
	OK(ppuModuleGetGlobal((void **)&q, &bytes, mod, "v"));
	ck_assert_uint_eq(bytes, 4);
	OK(ppuFree(p));
	OK(ppuFreeHost(h));
	OK(ppuShutdown());
}
END_TEST

START_TEST(textures)
{
	ppuTextureDesc good = { .width = 64, .height = 8, .depth = 2, .format = PPU_TEXTURE_F32, .channels = 2 }, d;
	static const char channels[] = "a texture has 1, 2 or 4 channels of a known format; only 8- and 16-bit integers can be read "
				       "normalized";
	static const char linear[] = "a linear filter needs floating point results: f16, f32, or a normalized read";
	static char mine[1 << 14];
	ppuTexture t;
	char *p;

#define TEX(want, change, ...) do { \
	d = good; \
	change; \
	REFUSED(want, ppuTextureCreate(&t, &d), __VA_ARGS__); \
} while (0)
#define TEX_OK(change) do { \
	d = good; \
	change; \
	OK(ppuTextureCreate(&t, &d)); \
	OK(ppuTextureDestroy(t)); \
} while (0)
	start("gpcs=1");
	OK(ppuMalloc((void **)&p, 64 * 8 * 8 * 2));
	good.data = p;
	TEX_OK();
	TEX(PPU_ERROR_INVALID_VALUE, d.channels = 0, "%s", channels);
	TEX(PPU_ERROR_INVALID_VALUE, d.channels = 3, "%s", channels);
	TEX(PPU_ERROR_INVALID_VALUE, d.channels = 5, "%s", channels);
	TEX(PPU_ERROR_INVALID_VALUE, d.format = PPU_TEXTURE_F32 + 1, "%s", channels);
	TEX(PPU_ERROR_INVALID_VALUE, d.filter = PPU_TEXTURE_LINEAR + 1, "%s", channels);
	TEX(PPU_ERROR_INVALID_VALUE, d.format = PPU_TEXTURE_U32; d.normalized_read = 1, "%s", channels);
	TEX(PPU_ERROR_INVALID_VALUE, d.normalized_read = 1, "%s", channels);
	TEX_OK(d.format = PPU_TEXTURE_S16; d.normalized_read = 1; d.filter = PPU_TEXTURE_LINEAR);
	TEX_OK(d.filter = PPU_TEXTURE_LINEAR);
	TEX_OK(d.format = PPU_TEXTURE_F16; d.filter = PPU_TEXTURE_LINEAR; d.channels = 4);
	TEX(PPU_ERROR_INVALID_VALUE, d.format = PPU_TEXTURE_S32; d.filter = PPU_TEXTURE_LINEAR, "%s", linear);
	TEX(PPU_ERROR_INVALID_VALUE, d.format = PPU_TEXTURE_S16; d.filter = PPU_TEXTURE_LINEAR, "%s", linear);
	for (unsigned i = 0; i < 3; i++) {
		TEX(PPU_ERROR_INVALID_VALUE, d.address[i] = PPU_TEXTURE_BORDER + 1, "address mode 4 is unknown");
		TEX_OK(d.address[i] = PPU_TEXTURE_BORDER);
	}
	TEX(PPU_ERROR_INVALID_VALUE, d.width = 0, "a texture of 0x8x2 is impossible");
	TEX(PPU_ERROR_INVALID_VALUE, d.width = 0xffffffff, "a texture of 4294967295x8x2 is impossible");
	TEX(PPU_ERROR_INVALID_VALUE, d.height = 1u << 30, "a texture of 64x%ux2 is impossible", 1u << 30);
	TEX(PPU_ERROR_INVALID_VALUE, d.depth = 1u << 30, "a texture of 64x8x%u is impossible", 1u << 30);
	TEX_OK(d.height = d.depth = 0);
	TEX(PPU_ERROR_INVALID_VALUE, d.pitch = 508,
		"rows of 512 bytes do not fit a pitch of 508 and slices of %u", 508 * 8);
	TEX(PPU_ERROR_INVALID_VALUE, d.pitch = 514,
		"rows of 512 bytes do not fit a pitch of 514 and slices of %u", 514 * 8);
	TEX(PPU_ERROR_INVALID_VALUE, d.slice_pitch = 512 * 8 - 4,
		"rows of 512 bytes do not fit a pitch of 512 and slices of 4092");
	TEX(PPU_ERROR_INVALID_VALUE, d.slice_pitch = 512 * 8 + 2,
		"rows of 512 bytes do not fit a pitch of 512 and slices of 4098");
	TEX(PPU_ERROR_INVALID_VALUE, d.slice_pitch = (1ull << 40) + 4,
	    "rows of 512 bytes do not fit a pitch of 512 and slices of %llu", (1ull << 40) + 4);
	TEX_OK(d.height = 7; d.slice_pitch = 512 * 7);
	TEX_OK(d.height = 7; d.width = 32; d.pitch = 512; d.slice_pitch = 512 * 6 + 256);	/* the last row is no longer */
	TEX(PPU_ERROR_INVALID_ADDRESS, d.data = mine, "a texture lies in device memory or pinned host memory");
	TEX(PPU_ERROR_INVALID_VALUE, d.data = p + 2; d.height = 4, "the texture's data is not aligned to its channels");
	TEX_OK(d.data = p + 4; d.height = 4);
	TEX(PPU_ERROR_INVALID_ADDRESS, d.data = p + 4,
		"%p + 8192 is not inside one allocation of this context", (void *)(p + 4));
	OK(ppuTextureCreate(&t, &good));
	REFUSED(PPU_ERROR_INVALID_HANDLE, ppuTextureDestroy(t + 1),
		"0x%llx is no texture of this context", (unsigned long long)t + 1);
	REFUSED(PPU_ERROR_INVALID_HANDLE, ppuTextureDestroy((uintptr_t)p), "0x%llx is no texture of this context",
		(unsigned long long)(uintptr_t)p);
	OK(ppuTextureDestroy(t));
	REFUSED(PPU_ERROR_INVALID_HANDLE, ppuTextureDestroy(t),
		"0x%llx is no texture of this context", (unsigned long long)t);
	OK(ppuFree(p));
	OK(ppuShutdown());
}
END_TEST

START_TEST(queues)
{
	ppuQueueOptions o = { .entries = 8, .block_bytes = 512 };
	ppuQueueInfo info;
	uint32_t most;
	ppuStream s;

#define QUEUE(change, ...) do { \
	ppuQueueOptions was_ = o; \
	change; \
	REFUSED(PPU_ERROR_INVALID_VALUE, ppuStreamSetQueue(s, &o), __VA_ARGS__); \
	o = was_; \
} while (0)
	start("gpcs=1 ring-max=1024");
	most = prop.ring_max;
	OK(ppuStreamCreate(&s, 0, 0));
	REFUSED(PPU_ERROR_NOT_FOUND, ppuStreamGetQueue(s, &info),
		"the stream has no device-owned queue: it launched no kernel that needs one");
	QUEUE(o.entries = 2, "a device-owned queue has 3 to %u entries, not 2", most);
	QUEUE(o.entries = most + 1, "a device-owned queue has 3 to %u entries, not %u", most, most + 1);
	QUEUE(o.block_bytes = 256, "command memory of an entry has 512 to 65536 bytes, not 256");
	QUEUE(o.block_bytes = 65537, "command memory of an entry has 512 to 65536 bytes, not 65792");
	QUEUE(o.initial_get = 8, "a queue of 8 entries cannot begin with entry 8");
	QUEUE(o.flags = 0x33, "flags 0x30 are none of a queue's (PPU_STREAM_QUEUE_*)");
	for (unsigned i = 0; i < 4; i++)
		QUEUE(o.reserved[i] = 1, "reserved[%u] of the queue's options is not 0", i);
	o = (ppuQueueOptions){ .entries = 3, .block_bytes = 512, .initial_get = 2 };
	OK(ppuStreamSetQueue(s, &o));
	OK(ppuStreamGetQueue(s, &info));
	ck_assert_uint_eq(info.entries, 3);
	ck_assert_uint_eq(info.block_bytes, 512);
	ck_assert_uint_eq(info.get, 2);
	o = (ppuQueueOptions){ .entries = most, .block_bytes = 65536 };
	OK(ppuStreamSetQueue(s, &o));
	OK(ppuStreamGetQueue(s, &info));
	ck_assert_uint_eq(info.entries, most);
	ck_assert_uint_eq(info.block_bytes, 65536);
	OK(ppuStreamSetQueue(s, NULL));
	OK(ppuStreamGetQueue(s, &info));
	ck_assert_uint_eq(info.entries, 1024);
	ck_assert_uint_eq(info.block_bytes, 1024);
	OK(ppuShutdown());
}
END_TEST

static void inside(void *arg)
{
	ppuResult *r = arg;

	*r = ppuCtxSynchronize();
	ck_assert_str_eq(ppuGetLastErrorDetail(), "a host function must not wait for work or end a context");
}

START_TEST(options)
{
	static const char tasks[] = "is not understood (depth=1..64 policy=bottom|top|bottom-merge-low default=0..255)";
	static const char copies[] = "is not understood (mode=on|off|inc-first internal=1..64 order=up|down channels=1..64 "
				     "map=1:2:... memory=vram|system)";
	static const char *const bad_tasks[][2] = {
		{ "depth=0", "depth=" }, { "depth=256", "depth=" }, { "depth=x", "depth=" }, { "depth=3x", "depth=" },
		{ "policy=none", "policy=" }, { "default=256", "default=" }, { "depth", "depth=" }, { "frob=1", "frob=" },
	};
	static const char *const bad_copies[][2] = {
		{ "mode=x", "mode=" }, { "internal=0", "internal=" }, { "internal=65", "internal=" }, { "order=x", "order=" },
		{ "channels=0", "channels=" }, { "channels=65", "channels=" }, { "memory=x", "memory=" }, { "map=0", "map=" },
		{ "map=x", "map=" }, { "frob", "frob=" },
	};
	static const char *const bad_streams[] = { "1", "1:", "x:y", "1:2:3", "1:1000000000" };
	ppuInitOptions o = { .backend = "core" };
	ppuResult r = PPU_SUCCESS;
	int least, greatest;
	uint64_t v;

	for (unsigned i = 0; i < sizeof(bad_tasks) / sizeof(bad_tasks[0]); i++) {
		const char *value = strchr(bad_tasks[i][0], '=');

		o.task_priorities = bad_tasks[i][0];
		REFUSED(PPU_ERROR_CONFIGURATION, ppuInit(&o),
			"task priorities: \"%s%s\" %s", bad_tasks[i][1], value ? value + 1 : "",
			tasks);
	}
	o.task_priorities = NULL;
	for (unsigned i = 0; i < sizeof(bad_copies) / sizeof(bad_copies[0]); i++) {
		const char *value = strchr(bad_copies[i][0], '=');

		o.copy_priorities = bad_copies[i][0];
		REFUSED(PPU_ERROR_CONFIGURATION, ppuInit(&o), "copy priorities: \"%s%s\" %s", bad_copies[i][1],
			value ? value + 1 : "", copies);
	}
	o.copy_priorities = "internal=2 map=1:2:3";
	REFUSED(PPU_ERROR_CONFIGURATION, ppuInit(&o), "copy priorities: channel 2 has priority 3 of 2 in the map");
	o.copy_priorities = NULL;
	for (unsigned i = 0; i < sizeof(bad_streams) / sizeof(bad_streams[0]); i++) {
		o.stream_priorities = bad_streams[i];
		FAILS(PPU_ERROR_CONFIGURATION, ppuInit(&o));
		ck_assert_msg(strstr(ppuGetLastErrorDetail(), "write least:greatest, numbers up to ") != NULL, "%s",
			      ppuGetLastErrorDetail());
	}
	o = (ppuInitOptions){ .backend = "frob" };
	REFUSED(PPU_ERROR_CONFIGURATION, ppuInit(&o), "there is no backend \"frob\" (drm, core, auto)");

	start("gpcs=1");
	REFUSED(PPU_ERROR_NOT_FOUND, ppuDeviceGetCounter(0, "frob", &v), "there is no counter \"frob\"");
	OK(ppuStreamGetPriorityRange(&least, &greatest));
	REFUSED(PPU_ERROR_INVALID_VALUE, ppuCtxGetCopySemaphore(0, NULL, &v), "internal priorities are 1 to 6, not 0");
	REFUSED(PPU_ERROR_INVALID_VALUE, ppuCtxGetCopySemaphore(7, NULL, &v), "internal priorities are 1 to 6, not 7");
	OK(ppuLaunchHostFunc(NULL, inside, &r));
	OK(ppuCtxSynchronize());
	ck_assert_int_eq(r, PPU_ERROR_NOT_SUPPORTED);
	OK(ppuShutdown());
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { launches, of_another_context, memory, textures, queues, options };
	Suite *s = suite_create("rt_refused");
	TCase *t = tcase_create("rt_refused");

	tcase_set_timeout(t, 60);
	for (unsigned i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		tcase_add_test(t, tests[i]);
	suite_add_tcase(s, t);
	return run_suite(s);
}
