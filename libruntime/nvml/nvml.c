/* SPDX-License-Identifier: MIT */
/* libnvidia-ml: begin and end, the system, and which devices there are. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "ppu_version.h"
#include "nvml/device.h"

/* Guards all of this, and the samples of the devices. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct nvmlDevice_st devices[NVML_DEVICES];
static unsigned users;		/* calls of nvmlInit() without their nvmlShutdown() */
static unsigned count;

void nvml_lock(void)
{
	pthread_mutex_lock(&lock);
}

void nvml_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

nvmlReturn_t nvml_result(CUresult r)
{
	switch (r) {
	case CUDA_SUCCESS: return NVML_SUCCESS;
	case CUDA_ERROR_INVALID_VALUE: return NVML_ERROR_INVALID_ARGUMENT;
	case CUDA_ERROR_OUT_OF_MEMORY: return NVML_ERROR_MEMORY;
	case CUDA_ERROR_NO_DEVICE: return NVML_ERROR_DRIVER_NOT_LOADED;
	case CUDA_ERROR_INVALID_DEVICE: return NVML_ERROR_NOT_FOUND;
	case CUDA_ERROR_NOT_SUPPORTED: return NVML_ERROR_NOT_SUPPORTED;
	default: return NVML_ERROR_UNKNOWN;
	}
}

static bool started(void)
{
	return __atomic_load_n(&users, __ATOMIC_ACQUIRE);
}

nvmlReturn_t nvml_check(nvmlDevice_t device)
{
	if (!started())
		return NVML_ERROR_UNINITIALIZED;
	if (device < devices || device >= devices + count)
		return NVML_ERROR_INVALID_ARGUMENT;
	return NVML_SUCCESS;
}

/* ---- begin and end ------------------------------------------------------------------------------ */

static nvmlReturn_t start(unsigned flags)
{
	CUresult r = cuInit(0);
	int n = 0;

	if (!r)
		r = cuDeviceGetCount(&n);
	if (r == CUDA_ERROR_NO_DEVICE && (flags & NVML_INIT_FLAG_NO_GPUS))
		r = CUDA_SUCCESS;
	if (r)
		return nvml_result(r);
	count = n > NVML_DEVICES ? NVML_DEVICES : (unsigned)n;
	for (unsigned i = 0; i < count; i++) {
		devices[i].index = (int)i;
		/* Without a first sample the first question would have nothing to compare with. */
		if (nvml_sample(&devices[i], &devices[i].rates) || nvml_sample(&devices[i], &devices[i].processes))
			return NVML_ERROR_UNKNOWN;
	}
	return NVML_SUCCESS;
}

static void forget(void)
{
	for (unsigned i = 0; i < count; i++) {
		nvml_sample_free(&devices[i].rates);
		nvml_sample_free(&devices[i].processes);
	}
	count = 0;
}

NVML_EXPORT nvmlReturn_t nvmlInitWithFlags(unsigned int flags)
{
	nvmlReturn_t r = NVML_SUCCESS;

	if (flags & ~(unsigned)(NVML_INIT_FLAG_NO_GPUS | NVML_INIT_FLAG_NO_ATTACH))
		return NVML_ERROR_INVALID_ARGUMENT;
	nvml_lock();
	if (!users)
		r = start(flags);
	if (r)
		forget();
	else
		__atomic_add_fetch(&users, 1, __ATOMIC_RELEASE);
	nvml_unlock();
	return r;
}

NVML_EXPORT nvmlReturn_t nvmlInit_v2(void)
{
	return nvmlInitWithFlags(0);
}

NVML_EXPORT nvmlReturn_t nvmlInit(void)
{
	return nvmlInitWithFlags(0);
}

NVML_EXPORT nvmlReturn_t nvmlShutdown(void)
{
	nvmlReturn_t r = NVML_SUCCESS;

	nvml_lock();
	if (!users)
		r = NVML_ERROR_UNINITIALIZED;
	else if (!__atomic_sub_fetch(&users, 1, __ATOMIC_RELEASE))
		forget();
	nvml_unlock();
	return r;
}

NVML_EXPORT const char *nvmlErrorString(nvmlReturn_t result)
{
	switch (result) {
#define SENTENCE(name, number, sentence) case NVML_##name: return sentence;
	NVML_RESULTS(SENTENCE)
#undef SENTENCE
	}
	return "An error that this library does not know";
}

/* ---- the system --------------------------------------------------------------------------------- */

static nvmlReturn_t give(char *to, unsigned int length, const char *text)
{
	if (!started())
		return NVML_ERROR_UNINITIALIZED;
	if (!to)
		return NVML_ERROR_INVALID_ARGUMENT;
	if (strlen(text) >= length)
		return NVML_ERROR_INSUFFICIENT_SIZE;
	strcpy(to, text);
	return NVML_SUCCESS;
}

NVML_EXPORT nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned int length)
{
	return give(version, length, PPU_VERSION_STRING);
}

NVML_EXPORT nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned int length)
{
	return give(version, length, PPU_VERSION_STRING);
}

/* Asks libcuda; works before nvmlInit(), as programs expect. */
NVML_EXPORT nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version)
{
	return version ? nvml_result(cuDriverGetVersion(version)) : NVML_ERROR_INVALID_ARGUMENT;
}

NVML_EXPORT nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *version)
{
	return nvmlSystemGetCudaDriverVersion_v2(version);
}

NVML_EXPORT nvmlReturn_t nvmlSystemGetProcessName(unsigned int pid, char *name, unsigned int length)
{
	char path[64], exe[4096];
	ssize_t n;

	if (!started())
		return NVML_ERROR_UNINITIALIZED;
	if (!name || !length)
		return NVML_ERROR_INVALID_ARGUMENT;
	snprintf(path, sizeof(path), "/proc/%u", pid);
	if (access(path, F_OK))
		return NVML_ERROR_NOT_FOUND;
	snprintf(path, sizeof(path), "/proc/%u/exe", pid);
	n = readlink(path, exe, sizeof(exe) - 1);
	if (n < 0)
		return NVML_ERROR_NO_PERMISSION;
	exe[n] = '\0';
	snprintf(name, length, "%s", exe);	/* a longer name is cut, as programs expect */
	return NVML_SUCCESS;
}

/* ---- which devices ------------------------------------------------------------------------------ */

NVML_EXPORT nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *n)
{
	if (!started())
		return NVML_ERROR_UNINITIALIZED;
	if (!n)
		return NVML_ERROR_INVALID_ARGUMENT;
	*n = count;
	return NVML_SUCCESS;
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetCount(unsigned int *n)
{
	return nvmlDeviceGetCount_v2(n);
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device)
{
	if (!started())
		return NVML_ERROR_UNINITIALIZED;
	if (!device || index >= count)
		return NVML_ERROR_INVALID_ARGUMENT;
	*device = &devices[index];
	return NVML_SUCCESS;
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned int index, nvmlDevice_t *device)
{
	return nvmlDeviceGetHandleByIndex_v2(index, device);
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device)
{
	char text[NVML_DEVICE_UUID_V2_BUFFER_SIZE];

	if (!started())
		return NVML_ERROR_UNINITIALIZED;
	if (!uuid || !device)
		return NVML_ERROR_INVALID_ARGUMENT;
	for (unsigned i = 0; i < count; i++)
		if (!nvmlDeviceGetUUID(&devices[i], text, sizeof(text)) && !strcasecmp(text, uuid)) {
			*device = &devices[i];
			return NVML_SUCCESS;
		}
	return NVML_ERROR_NOT_FOUND;
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *id, nvmlDevice_t *device)
{
	CUresult r;
	int d;

	if (!started())
		return NVML_ERROR_UNINITIALIZED;
	if (!id || !device)
		return NVML_ERROR_INVALID_ARGUMENT;
	r = cuDeviceGetByPCIBusId(&d, id);
	if (r)
		return nvml_result(r);
	return nvmlDeviceGetHandleByIndex_v2((unsigned)d, device);
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char *id, nvmlDevice_t *device)
{
	return nvmlDeviceGetHandleByPciBusId_v2(id, device);
}
