/* SPDX-License-Identifier: MIT */
/* What a device is: facts that do not change. */
#include <stdio.h>
#include <string.h>

#include "nvml/device.h"

/* Checks handle and result, before anything is asked. */
#define CHECK(device, p) do { \
	nvmlReturn_t c_ = nvml_check(device); \
	if (c_) \
		return c_; \
	if (!(p)) \
		return NVML_ERROR_INVALID_ARGUMENT; \
} while (0)

static nvmlReturn_t attribute(nvmlDevice_t device, CUdevice_attribute which, int *value)
{
	return nvml_result(cuDeviceGetAttribute(value, which, device->index));
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int *index)
{
	CHECK(device, index);
	*index = (unsigned)device->index;
	return NVML_SUCCESS;
}

/* Programs make "/dev/...%u" of it.  There are no such files here, so it is the index. */
NVML_EXPORT nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned int *minor)
{
	return nvmlDeviceGetIndex(device, minor);
}

static nvmlReturn_t fit(char *to, unsigned int length, const char *text)
{
	if (strlen(text) >= length)
		return NVML_ERROR_INSUFFICIENT_SIZE;
	strcpy(to, text);
	return NVML_SUCCESS;
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length)
{
	char text[NVML_DEVICE_NAME_V2_BUFFER_SIZE];
	nvmlReturn_t r;

	CHECK(device, name);
	r = nvml_result(cuDeviceGetName(text, sizeof(text), device->index));
	return r ? r : fit(name, length, text);
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length)
{
	char text[NVML_DEVICE_UUID_BUFFER_SIZE] = "GPU";
	nvmlReturn_t r;
	CUuuid u;

	CHECK(device, uuid);
	r = nvml_result(cuDeviceGetUuid(&u, device->index));
	if (r)
		return r;
	for (unsigned i = 0; i < sizeof(u.bytes); i++)
		sprintf(text + strlen(text), "%s%02x", i == 0 || i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			(unsigned)(unsigned char)u.bytes[i]);
	return fit(uuid, length, text);
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
	struct cu_usage usage;
	nvmlReturn_t r;
	char id[16];

	CHECK(device, pci);
	memset(pci, 0, sizeof(*pci));
	r = nvml_result(ppu_cuda_usage(device->index, &usage));
	if (!r)
		r = nvml_result(cuDeviceGetPCIBusId(id, sizeof(id), device->index));
	if (r)
		return r;
	if (sscanf(id, "%x:%x:%x", &pci->domain, &pci->bus, &pci->device) != 3)
		return NVML_ERROR_UNKNOWN;
	snprintf(pci->busIdLegacy, sizeof(pci->busIdLegacy), "%s", id);
	snprintf(pci->busId, sizeof(pci->busId), "%08X:%02X:%02X.0", pci->domain, pci->bus, pci->device);
	pci->pciDeviceId = usage.pci_device << 16 | usage.pci_vendor;
	return NVML_SUCCESS;
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor)
{
	nvmlReturn_t r;

	CHECK(device, major && minor);
	r = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, major);
	return r ? r : attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, minor);
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetNumGpuCores(nvmlDevice_t device, unsigned int *cores)
{
	struct cu_usage usage;
	nvmlReturn_t r;

	CHECK(device, cores);
	r = nvml_result(ppu_cuda_usage(device->index, &usage));
	if (!r)
		*cores = usage.sms * usage.cores_per_sm;
	return r;
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetMultiGpuBoard(nvmlDevice_t device, unsigned int *multi)
{
	CHECK(device, multi);
	*multi = 0;
	return NVML_SUCCESS;
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t *mode)
{
	CHECK(device, mode);
	*mode = NVML_FEATURE_ENABLED;	/* the driver keeps the device ready whether it is open or not */
	return NVML_SUCCESS;
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device, nvmlComputeMode_t *mode)
{
	CHECK(device, mode);
	*mode = NVML_COMPUTEMODE_DEFAULT;
	return NVML_SUCCESS;
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetPerformanceState(nvmlDevice_t device, nvmlPstates_t *state)
{
	CHECK(device, state);
	*state = NVML_PSTATE_0;		/* there is one clock */
	return NVML_SUCCESS;
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int *mhz)
{
	nvmlReturn_t r;
	int khz;

	CHECK(device, mhz);
	switch (type) {
	case NVML_CLOCK_GRAPHICS:
	case NVML_CLOCK_SM:
		r = attribute(device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, &khz);
		break;
	case NVML_CLOCK_MEM:
		r = attribute(device, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, &khz);
		break;
	case NVML_CLOCK_VIDEO:
		return NVML_ERROR_NOT_SUPPORTED;
	default:
		return NVML_ERROR_INVALID_ARGUMENT;
	}
	if (!r)
		*mhz = (unsigned)khz / 1000;
	return r;
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int *mhz)
{
	return nvmlDeviceGetClockInfo(device, type, mhz);
}

/* ---- what an emulated device does not have ------------------------------------------------------ */

static nvmlReturn_t absent(nvmlDevice_t device)
{
	nvmlReturn_t r = nvml_check(device);

	return r ? r : NVML_ERROR_NOT_SUPPORTED;
}

#define ABSENT(name, ...) \
NVML_EXPORT nvmlReturn_t name(nvmlDevice_t device, __VA_ARGS__) \
{ \
	return absent(device); \
}
ABSENT(nvmlDeviceGetTemperature, nvmlTemperatureSensors_t sensor, unsigned int *celsius)
ABSENT(nvmlDeviceGetFanSpeed, unsigned int *percent)
ABSENT(nvmlDeviceGetPowerUsage, unsigned int *milliwatts)
ABSENT(nvmlDeviceGetEnforcedPowerLimit, unsigned int *milliwatts)
ABSENT(nvmlDeviceGetPowerManagementLimit, unsigned int *milliwatts)
ABSENT(nvmlDeviceGetTotalEnergyConsumption, unsigned long long *millijoules)
ABSENT(nvmlDeviceGetEncoderUtilization, unsigned int *percent, unsigned int *us)
ABSENT(nvmlDeviceGetDecoderUtilization, unsigned int *percent, unsigned int *us)
ABSENT(nvmlDeviceGetSerial, char *serial, unsigned int length)
ABSENT(nvmlDeviceGetVbiosVersion, char *version, unsigned int length)
ABSENT(nvmlDeviceGetMigMode, unsigned int *current, unsigned int *pending)
ABSENT(nvmlDeviceGetCurrPcieLinkGeneration, unsigned int *generation)
ABSENT(nvmlDeviceGetCurrPcieLinkWidth, unsigned int *width)
