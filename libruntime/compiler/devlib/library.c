/* SPDX-License-Identifier: MIT */
/*
 * The device-side library: PTX made of libruntime/compiler/devlib/NAME.cu when the project is built, and kept
 * here as text.  A module is compiled and linked when an image needs a function of it: the linker asks through
 * ppu_device_library.
 */
#include <string.h>
#include "compiler/devabi/devlib.h"
#include "compiler/devlib/library.h"

#define PPU_QUEUE_EXIT	"__ppu_queue_exit"	/* queue.cu */

/* Functions of CUDA's device runtime: today's name and the older one.  Functions that take a stream have a third. */
#define CDP(name)	"__cudaCDP2" name, "cuda" name
#define CDPS(name)	CDP(name), "__cudaCDP2" name "_ptsz"

/* The library's modules: name, and the functions that the module defines. */
#define MODULES(M) \
M(print, "vprintf", "__assertfail") \
M(heap, "malloc", "free") \
M(memory, "memcpy", "memmove", "memset", "memcmp", "strlen") \
M(texture, "__ppu_tex_float", "__ppu_tex_int", "__ppu_tex_cube", "__ppu_tex_gather", "__ppu_tex_gather_cube", "__ppu_surface") \
M(rare, "__ppu_video", "__ppu_fns", "cudaGraphSetConditional") \
M(async, "__ppu_mbarrier_init", "__ppu_mbarrier_arrive", "__ppu_mbarrier_test", "__ppu_copy16", "__ppu_multicast16") \
M(tensor, "__ppu_tensor", "__ppu_tensor_replace", "__ppu_reduce_bulk") \
M(queue, PPU_QUEUE_EXIT, "ppuQueueGet", "ppuQueueFinish", "ppuQueueInsert", "ppuQueueLaunch", "ppuQueueLaunchWait", \
  "ppuQueueCopy", "ppuQueueFill", "ppuQueueRelease", "ppuQueueAcquire", "ppuGroupBegin", "ppuGroupBeginWait", \
  "ppuGroupNext", "ppuGroupLaunch", "ppuGroupCopy", "ppuGroupCopy2D", "ppuGroupFill", "ppuGroupRelease", \
  "ppuGroupAcquire", "ppuGroupAdd", "ppuGroupWaitIdle", "ppuGroupTimestamp", "ppuGroupEnd")

#define LAUNCH_MODULES(M) \
M(launch, CDP("GetParameterBufferV2"), CDPS("LaunchDeviceV2"), CDP("GetParameterBuffer"), CDPS("LaunchDevice"), \
  CDP("DeviceSynchronize"), CDP("GetLastError"), CDP("PeekAtLastError"), CDP("StreamCreateWithFlags"), \
  CDP("StreamDestroy"), CDPS("StreamWaitEvent"), CDP("EventCreateWithFlags"), CDP("EventDestroy"), CDPS("EventRecord"), \
  CDPS("EventRecordWithFlags"), "__ppu_cdp_error", PPU_THREAD_SLOT, "__ppu_cdp_kernel", "__ppu_cdp_context", "__ppu_cdp_start") \
M(graph, CDPS("GraphLaunch"), CDP("GetCurrentGraphExec"), CDP("GraphKernelNodeSetParam"), \
	CDP("GraphKernelNodeSetEnabled"), CDP("GraphKernelNodeSetGridDim"), CDP("GraphKernelNodeUpdatesApply")) \
M(launch_copy, CDPS("MemcpyAsync"), CDPS("Memcpy2DAsync"), CDPS("Memcpy3DAsync"), CDPS("MemsetAsync"), \
  CDPS("Memset2DAsync"), CDPS("Memset3DAsync")) \
M(launch_info, CDP("GetErrorName"), CDP("GetErrorString"), CDP("GetDeviceCount"), CDP("GetDevice"), \
  CDP("DeviceGetAttribute"), CDP("DeviceGetLimit"), CDP("DeviceGetCacheConfig"), CDP("DeviceGetSharedMemConfig"), \
  CDP("RuntimeGetVersion"), CDP("FuncGetAttributes"), CDP("Malloc"), CDP("Free"))

#define M(name, ...) \
__asm__(".section .rodata\n" \
	".global ppu_devlib_" #name "\n.hidden ppu_devlib_" #name "\n" \
	"ppu_devlib_" #name ":\n.incbin \"" PPU_DEVLIB_DIR "/" #name ".ptx\"\n.byte 0\n" \
	".previous\n"); \
extern const char ppu_devlib_##name[] __attribute__((visibility("hidden")));
MODULES(M)
LAUNCH_MODULES(M)
#undef M

static const struct {
	const char *file, *text;
	const char *defines[48];
} modules[] = {
#define M(name, ...) { "device library " #name, ppu_devlib_##name, { __VA_ARGS__ } },
	MODULES(M)
	LAUNCH_MODULES(M)
#undef M
};
#define NUM_MODULES	(unsigned)(sizeof(modules) / sizeof(modules[0]))

static unsigned find(const char *name)
{
	unsigned i, k;

	for (i = 0; i < NUM_MODULES; i++)
		for (k = 0; modules[i].defines[k]; k++)
			if (!strcmp(modules[i].defines[k], name))
				return i;
	return NUM_MODULES;
}

const char *ppu_library_function(unsigned index)
{
	unsigned i, k;

	for (i = 0; i < NUM_MODULES; i++)
		for (k = 0; modules[i].defines[k]; k++)
			if (!index--)
				return modules[i].defines[k];
	return NULL;
}

const char *ppu_library_text(const char *function)
{
	unsigned which = find(function);

	return which < NUM_MODULES ? modules[which].text : NULL;
}

static int is_queue(const char *name)
{
	unsigned which = find(name);

	return which < NUM_MODULES && modules[which].text == ppu_devlib_queue && strcmp(name, PPU_QUEUE_EXIT) != 0;
}

static int image(unsigned module, struct ppu_image **img, struct ppu_log *log)
{
	const char *text = modules[module].text;

	return ppu_ptx_compile(text, strlen(text), modules[module].file, NULL, img, log);
}

const struct ppu_library ppu_device_library = {
	.num_modules = NUM_MODULES,
	.find = find,
	.image = image,
	.is_queue = is_queue,
	.queue_exit = PPU_QUEUE_EXIT,
	.thread_slot = PPU_THREAD_SLOT,
	.thread_slot_bytes = PPU_THREAD_SLOT_BYTES,
};
