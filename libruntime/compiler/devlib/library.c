/* SPDX-License-Identifier: MIT */
/*
 * The device-side library: PTX made of libruntime/compiler/devlib/NAME.cu when the project is built, and kept
 * here as text.  A module is compiled and linked when an image needs a function of it.
 */
#include <stdbool.h>
#include <string.h>
#include "compiler/obj/image.h"
#include "compiler/devabi/devlib.h"

/* Functions of CUDA's device runtime: today's name and the older one; those of streams have a third. */
#define CDP(name)	"__cudaCDP2" name, "cuda" name
#define CDPS(name)	CDP(name), "__cudaCDP2" name "_ptsz"

/* Its modules: name, and the functions it defines. */
#define MODULES(M) \
M(print, "vprintf", "__assertfail") \
M(heap, "malloc", "free") \
M(memory, "memcpy", "memmove", "memset", "memcmp", "strlen") \
M(texture, "__ppu_tex_float", "__ppu_tex_int", "__ppu_surface") \
M(rare, "__ppu_video", "__ppu_fns") \
M(async, "__ppu_mbarrier_init", "__ppu_mbarrier_arrive", "__ppu_mbarrier_test", "__ppu_copy16") \
M(queue, PPU_QUEUE_EXIT, "ppuQueueGet", "ppuQueueFinish", "ppuQueueInsert", "ppuQueueLaunch", "ppuQueueLaunchWait", \
  "ppuQueueCopy", "ppuQueueFill", "ppuQueueRelease", "ppuQueueAcquire", "ppuGroupBegin", "ppuGroupBeginWait", \
  "ppuGroupNext", "ppuGroupLaunch", "ppuGroupCopy", "ppuGroupCopy2D", "ppuGroupFill", "ppuGroupRelease", \
  "ppuGroupAcquire", "ppuGroupAdd", "ppuGroupWaitIdle", "ppuGroupTimestamp", "ppuGroupEnd")

#define LAUNCH_MODULES(M) \
M(launch, CDP("GetParameterBufferV2"), CDPS("LaunchDeviceV2"), CDP("GetParameterBuffer"), CDPS("LaunchDevice"), \
  CDP("DeviceSynchronize"), CDP("GetLastError"), CDP("PeekAtLastError"), CDP("StreamCreateWithFlags"), \
  CDP("StreamDestroy"), CDPS("StreamWaitEvent"), CDP("EventCreateWithFlags"), CDP("EventDestroy"), CDPS("EventRecord"), \
  CDPS("EventRecordWithFlags"), "__ppu_cdp_error", PPU_THREAD_SLOT, "__ppu_cdp_kernel", "__ppu_cdp_context") \
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
#define NUM_MODULES	(sizeof(modules) / sizeof(modules[0]))

/* Which module defines a name; NUM_MODULES: none. */
static size_t find(const char *name)
{
	size_t i, k;

	for (i = 0; i < NUM_MODULES; i++)
		for (k = 0; modules[i].defines[k]; k++)
			if (!strcmp(modules[i].defines[k], name))
				return i;
	return NUM_MODULES;
}

const char *ppu_library_function(unsigned index)
{
	size_t i, k;

	for (i = 0; i < NUM_MODULES; i++)
		for (k = 0; modules[i].defines[k]; k++)
			if (!index--)
				return modules[i].defines[k];
	return NULL;
}

int ppu_library_is_queue(const char *name)
{
	size_t which = find(name);

	return which < NUM_MODULES && modules[which].text == ppu_devlib_queue && strcmp(name, PPU_QUEUE_EXIT) != 0;
}

static int add(struct ppu_image *img, size_t which, struct ppu_log *log)
{
	struct ppu_image *lib;
	int err;

	err = ppu_ptx_compile(modules[which].text, strlen(modules[which].text), modules[which].file, NULL,
			      &lib, log);
	if (err)
		return err;
	err = ppu_image_link(img, lib, log);
	ppu_image_free(lib);
	return err;
}

int ppu_image_link_library(struct ppu_image *img, struct ppu_log *log)
{
	bool done[NUM_MODULES] = { false };
	size_t which;
	uint32_t i;
	int err;

	for (i = 0; i < img->num_symbols; i++) {	/* grows on the way: modules may need modules */
		if (img->symbols[i].kind != PPU_SYM_UNDEF)
			continue;
		which = find(img->symbols[i].name);
		if (which == NUM_MODULES || done[which])
			continue;
		done[which] = true;
		err = add(img, which, log);
		if (err)
			return err;
	}
	return 0;
}
