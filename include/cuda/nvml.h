/* SPDX-License-Identifier: MIT */
/*
 * Asking what the devices are and what they do: libnvidia-ml.so.1.  Names, types and numbers are those that programs
 * know; Documentation/runtime/nvml.md says what each answer means here.
 *
 * Every function returns 0 or an error, and may be called from any thread between nvmlInit() and nvmlShutdown().
 */
#ifndef PPU_NVML_H
#define PPU_NVML_H
#define __nvml_nvml_h__		/* programs ask for this name */

#ifdef __cplusplus
extern "C" {
#endif

#define NVML_API_VERSION	12

/* (name, number, sentence) */
#define NVML_RESULTS(R) \
R(SUCCESS, 0, "Success") \
R(ERROR_UNINITIALIZED, 1, "nvmlInit() was not called") \
R(ERROR_INVALID_ARGUMENT, 2, "An argument is not valid") \
R(ERROR_NOT_SUPPORTED, 3, "The device does not have this") \
R(ERROR_NO_PERMISSION, 4, "This user may not ask for it") \
R(ERROR_ALREADY_INITIALIZED, 5, "Already initialized") \
R(ERROR_NOT_FOUND, 6, "There is none of that name") \
R(ERROR_INSUFFICIENT_SIZE, 7, "The caller's buffer is too small") \
R(ERROR_INSUFFICIENT_POWER, 8, "No power") \
R(ERROR_DRIVER_NOT_LOADED, 9, "There is no device: is the driver (ppu.ko) loaded?") \
R(ERROR_TIMEOUT, 10, "Timeout") \
R(ERROR_IRQ_ISSUE, 11, "Interrupts do not work") \
R(ERROR_LIBRARY_NOT_FOUND, 12, "A library is missing") \
R(ERROR_FUNCTION_NOT_FOUND, 13, "This library has no such function") \
R(ERROR_CORRUPTED_INFOROM, 14, "Corrupted") \
R(ERROR_GPU_IS_LOST, 15, "The device was removed") \
R(ERROR_RESET_REQUIRED, 16, "The device must be reset") \
R(ERROR_OPERATING_SYSTEM, 17, "The operating system refused it") \
R(ERROR_LIB_RM_VERSION_MISMATCH, 18, "Library and driver do not belong together") \
R(ERROR_IN_USE, 19, "The device is in use") \
R(ERROR_MEMORY, 20, "Out of memory") \
R(ERROR_NO_DATA, 21, "No data") \
R(ERROR_ARGUMENT_VERSION_MISMATCH, 25, "The struct has an unknown version") \
R(ERROR_UNKNOWN, 999, "An unknown error")

typedef enum nvmlReturn_enum {
#define NVML_ENUM_(name, number, sentence) NVML_##name = (number),
	NVML_RESULTS(NVML_ENUM_)
#undef NVML_ENUM_
} nvmlReturn_t;

typedef struct nvmlDevice_st *nvmlDevice_t;

#define NVML_DEVICE_NAME_BUFFER_SIZE		64
#define NVML_DEVICE_NAME_V2_BUFFER_SIZE		96
#define NVML_DEVICE_UUID_BUFFER_SIZE		80
#define NVML_DEVICE_UUID_V2_BUFFER_SIZE		96
#define NVML_DEVICE_PCI_BUS_ID_BUFFER_SIZE	32
#define NVML_DEVICE_PCI_BUS_ID_BUFFER_V2_SIZE	16
#define NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE	80
#define NVML_SYSTEM_NVML_VERSION_BUFFER_SIZE	80

#define NVML_VALUE_NOT_AVAILABLE_ulonglong	(~0ull)
#define NVML_INIT_FLAG_NO_GPUS			1	/* no device is no error */
#define NVML_INIT_FLAG_NO_ATTACH		2

#define NVML_CUDA_DRIVER_VERSION_MAJOR(v)	((v) / 1000)
#define NVML_CUDA_DRIVER_VERSION_MINOR(v)	(((v) % 1000) / 10)

typedef struct nvmlPciInfo_st {
	char busIdLegacy[NVML_DEVICE_PCI_BUS_ID_BUFFER_V2_SIZE];
	unsigned int domain, bus, device;
	unsigned int pciDeviceId;		/* device << 16 | vendor */
	unsigned int pciSubSystemId;
	char busId[NVML_DEVICE_PCI_BUS_ID_BUFFER_SIZE];
} nvmlPciInfo_t;

typedef struct nvmlMemory_st {
	unsigned long long total, free, used;	/* bytes */
} nvmlMemory_t;

typedef struct nvmlMemory_v2_st {
	unsigned int version;			/* nvmlMemory_v2 */
	unsigned long long total, reserved, free, used;
} nvmlMemory_v2_t;
#define nvmlMemory_v2	((unsigned int)(sizeof(nvmlMemory_v2_t) | 2u << 24))

typedef struct nvmlUtilization_st {
	unsigned int gpu, memory;		/* percent */
} nvmlUtilization_t;

typedef struct nvmlProcessInfo_v1_st {
	unsigned int pid;
	unsigned long long usedGpuMemory;	/* bytes */
} nvmlProcessInfo_v1_t;

typedef struct nvmlProcessInfo_st {
	unsigned int pid;
	unsigned long long usedGpuMemory;
	unsigned int gpuInstanceId, computeInstanceId;	/* always ~0: there are no partitions of a device */
} nvmlProcessInfo_t, nvmlProcessInfo_v2_t;

typedef struct nvmlProcessUtilizationSample_st {
	unsigned int pid;
	unsigned long long timeStamp;		/* device time in us */
	unsigned int smUtil, memUtil, encUtil, decUtil;
} nvmlProcessUtilizationSample_t;

typedef enum nvmlClockType_enum {
	NVML_CLOCK_GRAPHICS, NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_CLOCK_VIDEO
} nvmlClockType_t;

typedef enum nvmlTemperatureSensors_enum { NVML_TEMPERATURE_GPU } nvmlTemperatureSensors_t;
typedef enum nvmlEnableState_enum { NVML_FEATURE_DISABLED, NVML_FEATURE_ENABLED } nvmlEnableState_t;
typedef enum nvmlComputeMode_enum { NVML_COMPUTEMODE_DEFAULT } nvmlComputeMode_t;
typedef enum nvmlPstates_enum { NVML_PSTATE_0 = 0, NVML_PSTATE_UNKNOWN = 32 } nvmlPstates_t;

nvmlReturn_t nvmlInit(void);
nvmlReturn_t nvmlInit_v2(void);
nvmlReturn_t nvmlInitWithFlags(unsigned int flags);
nvmlReturn_t nvmlShutdown(void);
const char *nvmlErrorString(nvmlReturn_t result);

nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned int length);
nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned int length);
nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *version);
nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version);
nvmlReturn_t nvmlSystemGetProcessName(unsigned int pid, char *name, unsigned int length);

nvmlReturn_t nvmlDeviceGetCount(unsigned int *count);
nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *count);
nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned int index, nvmlDevice_t *device);
nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device);
nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device);
nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char *id, nvmlDevice_t *device);
nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *id, nvmlDevice_t *device);

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int *index);
nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned int *minor);
nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length);
nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length);
nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci);
nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor);
nvmlReturn_t nvmlDeviceGetNumGpuCores(nvmlDevice_t device, unsigned int *cores);
nvmlReturn_t nvmlDeviceGetMultiGpuBoard(nvmlDevice_t device, unsigned int *multi);
nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t *mode);
nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device, nvmlComputeMode_t *mode);
nvmlReturn_t nvmlDeviceGetPerformanceState(nvmlDevice_t device, nvmlPstates_t *state);
nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int *mhz);
nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int *mhz);

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory);
nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory);
nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *rates);

/* *count in: room of the array; out: how many there are.  INSUFFICIENT_SIZE when there are more. */
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_v1_t *infos);
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v2(nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_v2_t *infos);
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_t *infos);
nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses(nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_v1_t *infos);
nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v2(nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_v2_t *infos);
nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_t *infos);
/* One sample for each process that used the device after device time `since` (us), 0: all. */
nvmlReturn_t nvmlDeviceGetProcessUtilization(nvmlDevice_t device, nvmlProcessUtilizationSample_t *samples,
					     unsigned int *count, unsigned long long since);

/* What an emulated device does not have: NVML_ERROR_NOT_SUPPORTED. */
nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, nvmlTemperatureSensors_t sensor, unsigned int *celsius);
nvmlReturn_t nvmlDeviceGetFanSpeed(nvmlDevice_t device, unsigned int *percent);
nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned int *milliwatts);
nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned int *milliwatts);
nvmlReturn_t nvmlDeviceGetPowerManagementLimit(nvmlDevice_t device, unsigned int *milliwatts);
nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device, unsigned long long *millijoules);
nvmlReturn_t nvmlDeviceGetEncoderUtilization(nvmlDevice_t device, unsigned int *percent, unsigned int *us);
nvmlReturn_t nvmlDeviceGetDecoderUtilization(nvmlDevice_t device, unsigned int *percent, unsigned int *us);
nvmlReturn_t nvmlDeviceGetSerial(nvmlDevice_t device, char *serial, unsigned int length);
nvmlReturn_t nvmlDeviceGetVbiosVersion(nvmlDevice_t device, char *version, unsigned int length);
nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned int *current, unsigned int *pending);
nvmlReturn_t nvmlDeviceGetCurrPcieLinkGeneration(nvmlDevice_t device, unsigned int *generation);
nvmlReturn_t nvmlDeviceGetCurrPcieLinkWidth(nvmlDevice_t device, unsigned int *width);

#ifdef __cplusplus
}
#endif
#endif
