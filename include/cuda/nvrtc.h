/* SPDX-License-Identifier: MIT */
/*
 * Compiling CUDA C++ when a program runs: libnvrtc.  clang does the work, so it must be installed.
 *
 * Every function returns 0 or an error, and may be called from any thread; one program is for one thread at a time.
 */
#ifndef PPU_NVRTC_H
#define PPU_NVRTC_H
#define __NVRTC_H__	/* programs ask for this name */

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NVRTC_RESULTS(R) \
R(SUCCESS, 0) \
R(ERROR_OUT_OF_MEMORY, 1) \
R(ERROR_PROGRAM_CREATION_FAILURE, 2) \
R(ERROR_INVALID_INPUT, 3) \
R(ERROR_INVALID_PROGRAM, 4) \
R(ERROR_INVALID_OPTION, 5) \
R(ERROR_COMPILATION, 6) \
R(ERROR_BUILTIN_OPERATION_FAILURE, 7) \
R(ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION, 8) \
R(ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION, 9) \
R(ERROR_NAME_EXPRESSION_NOT_VALID, 10) \
R(ERROR_INTERNAL_ERROR, 11)

typedef enum {
#define NVRTC_ENUM_(name, number) NVRTC_##name = (number),
	NVRTC_RESULTS(NVRTC_ENUM_)
#undef NVRTC_ENUM_
} nvrtcResult;

typedef struct _nvrtcProgram *nvrtcProgram;

const char *nvrtcGetErrorString(nvrtcResult result);
nvrtcResult nvrtcVersion(int *major, int *minor);
/* The compute capabilities, 10 * major + minor, that a kernel can be compiled for: those up to the device's. */
nvrtcResult nvrtcGetNumSupportedArchs(int *num);
nvrtcResult nvrtcGetSupportedArchs(int *archs);

/* `names` are what #include calls the headers whose texts `headers` has; a name may have directories. */
nvrtcResult nvrtcCreateProgram(nvrtcProgram *prog, const char *src, const char *name, int num_headers,
			       const char *const *headers, const char *const *names);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *prog);
/* Before compiling: a kernel, or the address of a variable, of which the name in the PTX is wanted. */
nvrtcResult nvrtcAddNameExpression(nvrtcProgram prog, const char *expression);
nvrtcResult nvrtcCompileProgram(nvrtcProgram prog, int num_options, const char *const *options);

/* Sizes are with the NUL at the end.  The texts live as long as the program is not compiled again or destroyed. */
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram prog, size_t *bytes);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram prog, char *log);
nvrtcResult nvrtcGetLoweredName(nvrtcProgram prog, const char *expression, const char **lowered);
nvrtcResult nvrtcGetPTXSize(nvrtcProgram prog, size_t *bytes);
nvrtcResult nvrtcGetPTX(nvrtcProgram prog, char *ptx);
/* A PPU image for cuModuleLoadData(), if the architecture was given as sm_NN; else there is none, of size 0. */
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram prog, size_t *bytes);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram prog, char *cubin);

/* There are no such outputs: the sizes are 0. */
nvrtcResult nvrtcGetNVVMSize(nvrtcProgram prog, size_t *bytes);
nvrtcResult nvrtcGetNVVM(nvrtcProgram prog, char *nvvm);
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram prog, size_t *bytes);
nvrtcResult nvrtcGetLTOIR(nvrtcProgram prog, char *ir);
nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram prog, size_t *bytes);
nvrtcResult nvrtcGetOptiXIR(nvrtcProgram prog, char *ir);

#ifdef __cplusplus
}
#endif

#endif
