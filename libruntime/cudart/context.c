/* SPDX-License-Identifier: MIT */
/*
 * The device of a thread.  The device's primary context is retained at first use, once for the process.  It
 * becomes the thread's current context, unless the program has made another one current with the Driver API.
 */
#include <pthread.h>
#include "cudart.h"

#define MAX_DEVICES 32

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUcontext primary[MAX_DEVICES];	/* each retained once, by this library */
static __thread int device;		/* the thread's device, as set by cudaSetDevice */

cudaError_t crt_init(void)
{
	CUresult r = cuInit(0);

	return r == CUDA_SUCCESS ? cudaSuccess : crt_error(r);
}

static cudaError_t retain(int d, CUcontext *ctx)
{
	CUresult r = CUDA_SUCCESS;

	if (d < 0 || d >= MAX_DEVICES)
		return cudaErrorInvalidDevice;
	pthread_mutex_lock(&lock);
	if (!primary[d]) {
		CUdevice dev;

		r = cuDeviceGet(&dev, d);
		if (!r)
			r = cuDevicePrimaryCtxRetain(&primary[d], dev);
	}
	*ctx = primary[d];
	pthread_mutex_unlock(&lock);
	return crt_error(r);
}

static cudaError_t bind(int d)
{
	CUcontext ctx;
	cudaError_t e = retain(d, &ctx);

	return e ? e : crt_error(cuCtxSetCurrent(ctx));
}

cudaError_t crt_enter(void)
{
	cudaError_t e = crt_init();
	CUcontext ctx;

	if (e)
		return e;
	e = crt_error(cuCtxGetCurrent(&ctx));
	return e || ctx ? e : bind(device);
}

cudaError_t crt_context(CUcontext *ctx, unsigned long long *id)
{
	cudaError_t e = crt_enter();

	if (!e)
		e = crt_error(cuCtxGetCurrent(ctx));
	return e ? e : crt_error(cuCtxGetId(*ctx, id));
}

cudaError_t i_cudaSetDevice(int dev)
{
	cudaError_t e = crt_init();

	if (!e)
		e = bind(dev);
	if (!e)
		device = dev;
	return e;
}

cudaError_t i_cudaInitDevice(int dev, unsigned int device_flags, unsigned int flags)
{
	cudaError_t e = crt_init();
	CUcontext ctx;

	if (e)
		return e;
	if (flags & ~(unsigned int)cudaInitDeviceFlagsAreValid)
		return cudaErrorInvalidValue;
	if (flags)
		e = crt_error(cuDevicePrimaryCtxSetFlags_v2(dev, device_flags));
	return e ? e : retain(dev, &ctx);
}

cudaError_t i_cudaGetDevice(int *dev)
{
	cudaError_t e = crt_init();
	CUcontext ctx;

	if (e)
		return e;
	if (!dev)
		return cudaErrorInvalidValue;
	*dev = device;
	/* If the program has made a context of its own current, its device is the thread's device. */
	e = crt_error(cuCtxGetCurrent(&ctx));
	return e || !ctx || ctx == primary[device] ? e : crt_error(cuCtxGetDevice(dev));
}

cudaError_t i_cudaSetValidDevices(int *devices, int count)
{
	int n;
	cudaError_t e = i_cudaGetDeviceCount(&n);

	if (e)
		return e;
	if (count < 0 || (count && !devices))
		return cudaErrorInvalidValue;
	for (int i = 0; i < count; i++)
		if (devices[i] < 0 || devices[i] >= n)
			return cudaErrorInvalidDevice;
	return cudaSuccess;
}

cudaError_t i_cudaChooseDevice(int *dev, const struct cudaDeviceProp *prop)
{
	int n;
	cudaError_t e = i_cudaGetDeviceCount(&n);

	if (e)
		return e;
	if (!dev || !prop)
		return cudaErrorInvalidValue;
	*dev = 0;		/* all devices are alike */
	return cudaSuccess;
}

cudaError_t i_cudaSetDeviceFlags(unsigned int flags)
{
	cudaError_t e = crt_init();

	if (e)
		return e;
	/* Every context can map host memory.  The Driver API does not know this flag for a primary context. */
	return crt_error(cuDevicePrimaryCtxSetFlags_v2(device, flags & ~(unsigned int)cudaDeviceMapHost));
}

cudaError_t i_cudaGetDeviceFlags(unsigned int *flags)
{
	cudaError_t e = crt_init();
	int active;

	if (e)
		return e;
	if (!flags)
		return cudaErrorInvalidValue;
	e = crt_error(cuDevicePrimaryCtxGetState(device, flags, &active));
	if (!e)
		*flags |= cudaDeviceMapHost;
	return e;
}

/* Ends all objects of the device's primary context, which then starts anew. */
cudaError_t i_cudaDeviceReset(void)
{
	cudaError_t e = crt_init();

	if (!e)
		e = crt_error(cuDevicePrimaryCtxReset_v2(device));
	if (!e)
		crt_errors_forget();
	return e;
}

cudaError_t i_cudaThreadExit(void)
{
	return i_cudaDeviceReset();
}

cudaError_t i_cudaDeviceSynchronize(void)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuCtxSynchronize());
}

cudaError_t i_cudaThreadSynchronize(void)
{
	return i_cudaDeviceSynchronize();
}
