/* SPDX-License-Identifier: MIT */
/* Errors: turns the Driver API's codes into the Runtime API's, and keeps each thread's last error. */
#include "cudart.h"

#define EXPORT __attribute__((visibility("default")))

static __thread cudaError_t last;
static __thread unsigned int last_life;	/* the value of `life` at that time */
static unsigned int life;		/* number of calls of cudaDeviceReset */

/* Most codes have the same number in both APIs. */
cudaError_t crt_error(CUresult res)
{
	switch (res) {
	case CUDA_ERROR_INVALID_SOURCE:
		return cudaErrorInvalidPtx;
	case CUDA_ERROR_INVALID_CONTEXT:
		return cudaErrorDeviceUninitialized;
	default:
		return (cudaError_t)res;
	}
}

/* Is the error a kernel's fault, which breaks the context until cudaDeviceReset? */
static bool sticks(cudaError_t err)
{
	switch (err) {
	case cudaErrorIllegalAddress:
	case cudaErrorLaunchTimeout:
	case cudaErrorAssert:
	case cudaErrorHardwareStackError:
	case cudaErrorIllegalInstruction:
	case cudaErrorMisalignedAddress:
	case cudaErrorInvalidAddressSpace:
	case cudaErrorInvalidPc:
	case cudaErrorLaunchFailure:
	case cudaErrorLaunchMaxDepthExceeded:
		return true;
	default:
		return false;
	}
}

static void forget_old(void)
{
	if (sticks(last) && last_life != __atomic_load_n(&life, __ATOMIC_RELAXED))
		last = cudaSuccess;
}

cudaError_t crt_finish(cudaError_t err)
{
	forget_old();
	if (err) {
		last = err;
		last_life = __atomic_load_n(&life, __ATOMIC_RELAXED);
	}
	return err;
}

void crt_errors_forget(void)
{
	__atomic_add_fetch(&life, 1, __ATOMIC_RELAXED);
	forget_old();
}

EXPORT cudaError_t cudaPeekAtLastError(void)
{
	forget_old();
	return last;
}

EXPORT cudaError_t cudaGetLastError(void)
{
	cudaError_t err = cudaPeekAtLastError();

	if (!sticks(err))
		last = cudaSuccess;
	return err;
}

static const struct {
	cudaError_t code;
	const char *name, *text;
} errors[] = {
#define E(name, code, text) { name, #name, text },
	CUDART_ERRORS(E)
#undef E
};

const char *crt_error_name(cudaError_t err)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (errors[i].code == err)
			return errors[i].name;
	return NULL;
}

EXPORT const char *cudaGetErrorName(cudaError_t error)
{
	const char *name = crt_error_name(error);

	return name ? name : "unrecognized error code";
}

EXPORT const char *cudaGetErrorString(cudaError_t error)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (errors[i].code == error)
			return errors[i].text;
	return "unrecognized error code";
}
