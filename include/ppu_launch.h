/* SPDX-License-Identifier: MIT */
/*
 * Kernels that launch kernels, for CUDA C++ that clang compiles: clang's <<< >>> works on the host only.
 *
 *	#include <ppu_launch.h>
 *
 *	__global__ void child(float *x, int n);
 *
 *	__global__ void parent(float *x, int n)
 *	{
 *		int error = PPU_LAUNCH(child, 4, 128, 0, PPU_STREAM_FIRE_AND_FORGET, x, n);
 *		...
 *
 * Grid and block are numbers, dim3s, or { x, y, z } as ppuDim(x, y, z).  Arguments are converted as in a call.
 * The functions below return CUDA's error numbers (cudaError_t).  See Documentation/runtime/dynamic-parallelism.md.
 */
#ifndef PPU_LAUNCH_H
#define PPU_LAUNCH_H

#if !defined(__CUDA__) || !defined(__cplusplus)
#error "ppu_launch.h is for device code in CUDA C++"
#endif

#define PPU_LAUNCH_DEV	__attribute__((device))
#define PPU_LAUNCH_FN	static inline __attribute__((device, always_inline))

typedef unsigned long long ppuDeviceStream;
typedef unsigned long long ppuDeviceEvent;

#define PPU_STREAM_BLOCK		0ull	/* launches of the launching block run one after the other */
#define PPU_STREAM_TAIL			3ull	/* after the launching grid and all that it launched */
#define PPU_STREAM_FIRE_AND_FORGET	4ull	/* at once */

/* cudaError_t of launches. */
#define PPU_LAUNCH_ERROR_CONFIGURATION	9
#define PPU_LAUNCH_ERROR_DEPTH		65	/* the launching grid is at the greatest nesting depth */
#define PPU_LAUNCH_ERROR_PENDING	69	/* too many launches are not complete */
#define PPU_LAUNCH_ERROR_RESOURCES	701

struct ppuDim {
	unsigned x, y, z;
	PPU_LAUNCH_DEV constexpr ppuDim(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
	template <typename D, unsigned = sizeof(((D *)nullptr)->z)>
	PPU_LAUNCH_DEV constexpr ppuDim(const D &d) : x(d.x), y(d.y), z(d.z) {}
};

/* Grid and block as the device library takes them: an argument of this type is three words. */
struct ppuDimWords {
	unsigned x, y, z;
};

extern "C" {
PPU_LAUNCH_DEV void *__cudaCDP2GetParameterBufferV2(const void *kernel, ppuDimWords grid, ppuDimWords block,
						    unsigned shared);
PPU_LAUNCH_DEV int __cudaCDP2LaunchDeviceV2(void *buffer, unsigned long long stream);
PPU_LAUNCH_DEV int __cudaCDP2DeviceSynchronize(void);
PPU_LAUNCH_DEV int __cudaCDP2GetLastError(void);
PPU_LAUNCH_DEV int __cudaCDP2PeekAtLastError(void);
PPU_LAUNCH_DEV const char *__cudaCDP2GetErrorString(int error);
PPU_LAUNCH_DEV int __cudaCDP2StreamCreateWithFlags(unsigned long long *stream, unsigned flags);
PPU_LAUNCH_DEV int __cudaCDP2StreamDestroy(unsigned long long stream);
PPU_LAUNCH_DEV int __cudaCDP2StreamWaitEvent(unsigned long long stream, unsigned long long event, unsigned flags);
PPU_LAUNCH_DEV int __cudaCDP2EventCreateWithFlags(unsigned long long *event, unsigned flags);
PPU_LAUNCH_DEV int __cudaCDP2EventRecord(unsigned long long event, unsigned long long stream);
PPU_LAUNCH_DEV int __cudaCDP2EventDestroy(unsigned long long event);
PPU_LAUNCH_DEV int __cudaCDP2MemcpyAsync(void *dst, const void *src, unsigned long long bytes, unsigned kind,
					 unsigned long long stream);
PPU_LAUNCH_DEV int __cudaCDP2MemsetAsync(void *dst, int value, unsigned long long bytes, unsigned long long stream);
}

/* Waits for what the threads of this block have launched, but not for their tail launches. */
/*
 * The level of the running grid, from 1, and the deepest that may run.  A launch by a grid of the deepest level fails with
 * PPU_LAUNCH_ERROR_DEPTH, and the host's next synchronisation with PPU_ERROR_LAUNCH_DEPTH: a recursion that may come so
 * far asks first.
 */
PPU_LAUNCH_FN unsigned ppuDeviceDepth(void)
{
	unsigned v;

	__asm__("mov.u32 %0, %%depth;" : "=r"(v));
	return v;
}
PPU_LAUNCH_FN unsigned ppuDeviceMaxDepth(void)
{
	unsigned v;

	__asm__("mov.u32 %0, %%max_depth;" : "=r"(v));
	return v;
}

PPU_LAUNCH_FN int ppuDeviceSynchronize(void) { return __cudaCDP2DeviceSynchronize(); }
/* The last error of this thread. ppuDeviceGetLastError() forgets it. */
PPU_LAUNCH_FN int ppuDeviceGetLastError(void) { return __cudaCDP2GetLastError(); }
PPU_LAUNCH_FN int ppuDevicePeekAtLastError(void) { return __cudaCDP2PeekAtLastError(); }
PPU_LAUNCH_FN const char *ppuDeviceGetErrorString(int error) { return __cudaCDP2GetErrorString(error); }

/* Streams and events of the grid: any of its threads may use them. */
PPU_LAUNCH_FN int ppuDeviceStreamCreate(ppuDeviceStream *stream) { return __cudaCDP2StreamCreateWithFlags(stream, 1); }
PPU_LAUNCH_FN int ppuDeviceStreamDestroy(ppuDeviceStream stream) { return __cudaCDP2StreamDestroy(stream); }
PPU_LAUNCH_FN int ppuDeviceEventCreate(ppuDeviceEvent *event) { return __cudaCDP2EventCreateWithFlags(event, 2); }
PPU_LAUNCH_FN int ppuDeviceEventDestroy(ppuDeviceEvent event) { return __cudaCDP2EventDestroy(event); }
PPU_LAUNCH_FN int ppuDeviceEventRecord(ppuDeviceEvent event, ppuDeviceStream stream)
{
	return __cudaCDP2EventRecord(event, stream);
}
PPU_LAUNCH_FN int ppuDeviceStreamWaitEvent(ppuDeviceStream stream, ppuDeviceEvent event)
{
	return __cudaCDP2StreamWaitEvent(stream, event, 0);
}

/* Copies and fills in a stream, each as a launch of its own. */
PPU_LAUNCH_FN int ppuDeviceMemcpyAsync(void *dst, const void *src, unsigned long long bytes, ppuDeviceStream stream)
{
	return __cudaCDP2MemcpyAsync(dst, src, bytes, 4, stream);
}
PPU_LAUNCH_FN int ppuDeviceMemsetAsync(void *dst, int value, unsigned long long bytes, ppuDeviceStream stream)
{
	return __cudaCDP2MemsetAsync(dst, value, bytes, stream);
}

/* ---- how a launch is made ------------------------------------------------------------------------- */

/* A copy at a place that is given, without <new>: what is const in an argument cannot be assigned. */
template <typename P> struct ppu_placed {
	P value;

	PPU_LAUNCH_DEV ppu_placed(const P &p) : value(p) {}
	static PPU_LAUNCH_DEV void *operator new(decltype(sizeof(0)), void *at) { return at; }
};

/* Puts each argument at the next multiple of its alignment, where the kernel expects its parameters. */
PPU_LAUNCH_FN void ppu_put_arguments(char *, unsigned long long) {}
template <typename P, typename... R>
PPU_LAUNCH_FN void ppu_put_arguments(char *to, unsigned long long at, const P &p, const R &... rest)
{
	at = (at + alignof(P) - 1) / alignof(P) * alignof(P);
	new ((void *)(to + at)) ppu_placed<P>(p);
	ppu_put_arguments(to, at + sizeof(P), rest...);
}

/* clang does not let device code name a kernel, but a constant may. */
template <typename F, F kernel> struct ppu_kernel_address {
	static PPU_LAUNCH_DEV const void *const value;
};
template <typename F, F kernel>
PPU_LAUNCH_DEV const void *const ppu_kernel_address<F, kernel>::value = (const void *)kernel;

template <typename F, F kernel> struct ppu_launcher;
template <typename... P, void (*kernel)(P...)> struct ppu_launcher<void (*)(P...), kernel> {
	static __attribute__((device, always_inline)) int launch(ppuDim grid, ppuDim block, unsigned shared,
								 ppuDeviceStream stream, P... args)
	{
		void *buffer = __cudaCDP2GetParameterBufferV2(ppu_kernel_address<void (*)(P...), kernel>::value,
							      ppuDimWords{ grid.x, grid.y, grid.z },
							      ppuDimWords{ block.x, block.y, block.z }, shared);

		if (!buffer)
			return __cudaCDP2PeekAtLastError();
		ppu_put_arguments((char *)buffer, 0, args...);
		return __cudaCDP2LaunchDeviceV2(buffer, stream);
	}
};

/* PPU_LAUNCH(kernel, grid, block, bytes of dynamic shared memory, stream, arguments...) */
#define PPU_LAUNCH(kernel, ...) (ppu_launcher<decltype(&kernel), kernel>::launch(__VA_ARGS__))

#endif
