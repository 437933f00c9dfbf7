/* SPDX-License-Identifier: MIT */
/*
 * Linking kernels when a program runs: libnvJitLink.  Inputs are PTX, PPU images, fat binaries, and objects and
 * archives with fat binaries in them; the result is a PPU image, which cuModuleLoadData() takes.
 *
 * Every function returns 0 or an error, and may be called from any thread; one handle is for one thread at a time.
 */
#ifndef PPU_NVJITLINK_H
#define PPU_NVJITLINK_H
#define nvJitLink_INCLUDED	/* programs ask for this name */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NVJITLINK_RESULTS(R) \
R(SUCCESS, 0) \
R(ERROR_UNRECOGNIZED_OPTION, 1) \
R(ERROR_MISSING_ARCH, 2) \
R(ERROR_INVALID_INPUT, 3) \
R(ERROR_PTX_COMPILE, 4) \
R(ERROR_NVVM_COMPILE, 5) \
R(ERROR_INTERNAL, 6) \
R(ERROR_THREADPOOL, 7) \
R(ERROR_UNRECOGNIZED_INPUT, 8) \
R(ERROR_FINALIZE, 9)

typedef enum {
#define NVJITLINK_ENUM_(name, number) NVJITLINK_##name = (number),
	NVJITLINK_RESULTS(NVJITLINK_ENUM_)
#undef NVJITLINK_ENUM_
} nvJitLinkResult;

typedef enum {
	NVJITLINK_INPUT_NONE = 0,
	NVJITLINK_INPUT_CUBIN = 1,	/* a PPU image */
	NVJITLINK_INPUT_PTX = 2,
	NVJITLINK_INPUT_LTOIR = 3,	/* refused */
	NVJITLINK_INPUT_FATBIN = 4,
	NVJITLINK_INPUT_OBJECT = 5,
	NVJITLINK_INPUT_LIBRARY = 6,
	NVJITLINK_INPUT_INDEX = 7,	/* refused */
	NVJITLINK_INPUT_ANY = 10,	/* the data say what they are */
} nvJitLinkInputType;

typedef struct nvJitLink *nvJitLinkHandle;

/* The functions, with their arguments: F(name without nvJitLink, arguments). */
#define NVJITLINK_CALLS(F) \
F(Create, (nvJitLinkHandle *handle, uint32_t num, const char **options)) \
F(Destroy, (nvJitLinkHandle *handle)) \
F(AddData, (nvJitLinkHandle handle, nvJitLinkInputType type, const void *data, size_t bytes, const char *name)) \
F(AddFile, (nvJitLinkHandle handle, nvJitLinkInputType type, const char *path)) \
F(Complete, (nvJitLinkHandle handle)) \
F(GetLinkedCubinSize, (nvJitLinkHandle handle, size_t *bytes)) \
F(GetLinkedCubin, (nvJitLinkHandle handle, void *cubin)) \
F(GetLinkedPtxSize, (nvJitLinkHandle handle, size_t *bytes)) \
F(GetLinkedPtx, (nvJitLinkHandle handle, char *ptx)) \
F(GetErrorLogSize, (nvJitLinkHandle handle, size_t *bytes)) \
F(GetErrorLog, (nvJitLinkHandle handle, char *log)) \
F(GetInfoLogSize, (nvJitLinkHandle handle, size_t *bytes)) \
F(GetInfoLog, (nvJitLinkHandle handle, char *log)) \
F(Version, (unsigned int *major, unsigned int *minor))

#define NVJITLINK_DECLARE_(name, args) nvJitLinkResult nvJitLink##name args;
NVJITLINK_CALLS(NVJITLINK_DECLARE_)
#undef NVJITLINK_DECLARE_

#ifdef __cplusplus
}
#endif

#endif
