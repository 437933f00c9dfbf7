/* SPDX-License-Identifier: MIT */
/* libnvidia-ml: what it says of the device that libcuda uses in the same process. */
#include <unistd.h>

#include <hw/ppu_regs.h>
#include "cuda_test.h"
#include "cuda/nvml.h"

#define GIVES(want, call) do { \
	nvmlReturn_t g_ = (call); \
	ck_assert_msg(g_ == (want), "%s: %s (%d)", #call, nvmlErrorString(g_), (int)g_); \
} while (0)
#define GOOD(call) GIVES(NVML_SUCCESS, call)

static nvmlDevice_t dev;

static void open_nvml(void)
{
	GOOD(nvmlInit_v2());
	GOOD(nvmlDeviceGetHandleByIndex_v2(0, &dev));
}

static const char long_ptx[] = PTX_HEAD
	".visible .entry work(.param .u32 n)\n{\n.reg .b32 %r<3>; .reg .pred %p;\n"
	"ld.param.u32 %r1, [n];\nL: sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra L; ret;\n}\n";

/* Both SMs of the machine busy for a while. */
static void work(unsigned int n)
{
	void *params[] = { &n };

	OK(cuLaunchKernel(function("work"), 4, 1, 1, 256, 1, 1, 0, 0, params, NULL));
	OK(cuCtxSynchronize());
}

START_TEST(begin_and_end)
{
	unsigned int n;
	char text[8];

	GIVES(NVML_ERROR_UNINITIALIZED, nvmlDeviceGetCount_v2(&n));
	GIVES(NVML_ERROR_UNINITIALIZED, nvmlSystemGetDriverVersion(text, sizeof(text)));
	GIVES(NVML_ERROR_UNINITIALIZED, nvmlShutdown());
	GIVES(NVML_ERROR_INVALID_ARGUMENT, nvmlInitWithFlags(4));
	open_nvml();
	GOOD(nvmlInit());			/* counted */
	GOOD(nvmlShutdown());
	GOOD(nvmlDeviceGetIndex(dev, &n));
	ck_assert_uint_eq(n, 0);
	GOOD(nvmlShutdown());
	GIVES(NVML_ERROR_UNINITIALIZED, nvmlDeviceGetIndex(dev, &n));
	GIVES(NVML_ERROR_UNINITIALIZED, nvmlShutdown());
	open_nvml();
	GOOD(nvmlDeviceGetIndex(dev, &n));
	ck_assert_str_eq(nvmlErrorString(NVML_ERROR_NOT_SUPPORTED), "The device does not have this");
	ck_assert_str_eq(nvmlErrorString((nvmlReturn_t)77), "An error that this library does not know");
}
END_TEST

START_TEST(facts)
{
	char text[NVML_DEVICE_UUID_BUFFER_SIZE], same[64];
	unsigned int n, mhz;
	int major, minor, v, khz;
	nvmlDevice_t again;
	nvmlPciInfo_t pci;

	open_nvml();
	OK(cuInit(0));
	GOOD(nvmlDeviceGetCount_v2(&n));
	OK(cuDeviceGetCount(&v));
	ck_assert_int_eq((int)n, v);
	GIVES(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetHandleByIndex_v2(n, &again));
	GOOD(nvmlDeviceGetName(dev, text, sizeof(text)));
	OK(cuDeviceGetName(same, sizeof(same), 0));
	ck_assert_str_eq(text, same);
	GIVES(NVML_ERROR_INSUFFICIENT_SIZE, nvmlDeviceGetName(dev, text, (unsigned)strlen(same)));
	GOOD(nvmlDeviceGetName(dev, text, (unsigned)strlen(same) + 1));

	GOOD(nvmlDeviceGetUUID(dev, text, sizeof(text)));
	ck_assert_uint_eq(strlen(text), 40);
	ck_assert_msg(!strncmp(text, "GPU-", 4) && text[12] == '-' && text[27] == '-', "%s", text);
	GOOD(nvmlDeviceGetHandleByUUID(text, &again));
	ck_assert_ptr_eq(again, dev);
	text[5] ^= 1;
	GIVES(NVML_ERROR_NOT_FOUND, nvmlDeviceGetHandleByUUID(text, &again));

	GOOD(nvmlDeviceGetPciInfo_v3(dev, &pci));
	ck_assert_uint_eq(pci.pciDeviceId, (uint32_t)PPU_PCI_DEVICE_ID << 16 | PPU_PCI_VENDOR_ID);
	OK(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID, 0));
	ck_assert_uint_eq((uint32_t)v, pci.pciDeviceId);
	ck_assert_uint_eq(strlen(pci.busId), 16);
	ck_assert_str_eq(pci.busId + 4, pci.busIdLegacy);
	again = NULL;
	GOOD(nvmlDeviceGetHandleByPciBusId_v2(pci.busId, &again));
	ck_assert_ptr_eq(again, dev);
	GIVES(NVML_ERROR_NOT_FOUND, nvmlDeviceGetHandleByPciBusId_v2("00000000:7F:1F.0", &again));
	GIVES(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetHandleByPciBusId_v2("nonsense", &again));

	GOOD(nvmlDeviceGetCudaComputeCapability(dev, &major, &minor));
	OK(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
	ck_assert_int_eq(major, v);
	GOOD(nvmlDeviceGetClockInfo(dev, NVML_CLOCK_SM, &mhz));
	OK(cuDeviceGetAttribute(&khz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 0));
	ck_assert_uint_eq(mhz, (unsigned)khz / 1000);
	GIVES(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetClockInfo(dev, NVML_CLOCK_VIDEO, &mhz));
	GIVES(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetClockInfo(dev, (nvmlClockType_t)9, &mhz));
	OK(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
	GOOD(nvmlDeviceGetNumGpuCores(dev, &n));
	ck_assert_uint_eq(n % (unsigned)v, 0);
	ck_assert_uint_ge(n, (unsigned)v * 32);
	GIVES(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetNumGpuCores((nvmlDevice_t)text, &n));
	GIVES(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetNumGpuCores(dev, NULL));
	GIVES(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetPowerUsage(dev, &n));
	GIVES(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetTemperature(dev, NVML_TEMPERATURE_GPU, &n));
}
END_TEST

START_TEST(system_facts)
{
	char text[256], exe[256];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	int v, w;

	GOOD(nvmlSystemGetCudaDriverVersion_v2(&v));	/* before nvmlInit(), too */
	OK(cuDriverGetVersion(&w));
	ck_assert_int_eq(v, w);
	open_nvml();
	GOOD(nvmlSystemGetDriverVersion(text, sizeof(text)));
	ck_assert_uint_ge(strlen(text), 5);
	GIVES(NVML_ERROR_INSUFFICIENT_SIZE, nvmlSystemGetNVMLVersion(text, 2));
	GOOD(nvmlSystemGetProcessName((unsigned)getpid(), text, sizeof(text)));
	ck_assert_int_gt(len, 0);
	exe[len] = '\0';
	ck_assert_str_eq(text, exe);
	GIVES(NVML_ERROR_NOT_FOUND, nvmlSystemGetProcessName(0x7fffffff, text, sizeof(text)));
}
END_TEST

/* What this process allocates is what has become used, and is the process's. */
START_TEST(memory)
{
	nvmlProcessInfo_t infos[64] = { 0 }, *me = NULL;
	unsigned int count = 64, none = 0;
	nvmlMemory_v2_t second = { 0 };
	nvmlMemory_t before, after;
	const size_t bytes = 24 << 20;
	CUdeviceptr p;

	open_nvml();
	begin(long_ptx);
	GOOD(nvmlDeviceGetMemoryInfo(dev, &before));
	ck_assert_uint_eq(before.total, before.free + before.used);
	OK(cuMemAlloc(&p, bytes));
	GOOD(nvmlDeviceGetMemoryInfo(dev, &after));
	ck_assert_uint_eq(after.total, before.total);
	ck_assert_uint_ge(after.used - before.used, bytes);
	ck_assert_uint_le(after.used - before.used, bytes + (4 << 20));
	GIVES(NVML_ERROR_ARGUMENT_VERSION_MISMATCH, nvmlDeviceGetMemoryInfo_v2(dev, &second));
	second.version = nvmlMemory_v2;
	GOOD(nvmlDeviceGetMemoryInfo_v2(dev, &second));
	ck_assert_uint_eq(second.used, after.used);
	GIVES(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetMemoryInfo_v2(dev, NULL));

	GIVES(NVML_ERROR_INSUFFICIENT_SIZE, nvmlDeviceGetComputeRunningProcesses_v3(dev, &none, NULL));
	ck_assert_uint_ge(none, 1);
	GOOD(nvmlDeviceGetComputeRunningProcesses_v3(dev, &count, infos));
	ck_assert_uint_eq(count, none);
	for (unsigned i = 0; i < count; i++)
		if (infos[i].pid == (unsigned)getpid())
			me = &infos[i];
	ck_assert_ptr_nonnull(me);
	ck_assert_uint_ge(me->usedGpuMemory, bytes);
	ck_assert_uint_le(me->usedGpuMemory, after.used);
	GOOD(nvmlDeviceGetGraphicsRunningProcesses_v3(dev, &count, infos));
	ck_assert_uint_eq(count, 0);
}
END_TEST

/* The first version of the struct is shorter: nothing is written past its end. */
START_TEST(first_struct)
{
	nvmlProcessInfo_v1_t infos[65];
	unsigned int count = 64;

	open_nvml();
	begin(long_ptx);
	work(1);
	memset(infos, 0x5a, sizeof(infos));
	GOOD(nvmlDeviceGetComputeRunningProcesses(dev, &count, infos));
	ck_assert_uint_ge(count, 1);
	ck_assert_uint_eq(infos[count].pid, 0x5a5a5a5a);
}
END_TEST

START_TEST(rates)
{
	nvmlProcessUtilizationSample_t samples[64];
	unsigned int count = 0;
	nvmlUtilization_t u;

	open_nvml();
	begin(long_ptx);
	GOOD(nvmlDeviceGetUtilizationRates(dev, &u));
	work(3000000);
	GOOD(nvmlDeviceGetUtilizationRates(dev, &u));
	ck_assert_uint_ge(u.gpu, 50);		/* nearly all of the time; what begins and ends a launch is not */
	ck_assert_uint_le(u.gpu, 100);
	ck_assert_uint_le(u.memory, 5);

	GIVES(NVML_ERROR_INSUFFICIENT_SIZE, nvmlDeviceGetProcessUtilization(dev, samples, &count, 0));
	ck_assert_uint_eq(count, 1);
	GOOD(nvmlDeviceGetProcessUtilization(dev, samples, &count, 0));
	ck_assert_uint_eq(samples[0].pid, (unsigned)getpid());
	ck_assert_uint_ge(samples[0].smUtil, 50);
	ck_assert_uint_eq(samples[0].encUtil, 0);
	/* Nothing since. */
	count = 64;
	GIVES(NVML_ERROR_NOT_FOUND, nvmlDeviceGetProcessUtilization(dev, samples, &count, 0));
	ck_assert_uint_eq(count, 0);
}
END_TEST

/* Copies are the other rate. */
START_TEST(copy_rate)
{
	static char bytes[8 << 20];
	nvmlUtilization_t u;
	CUdeviceptr p;

	open_nvml();
	begin(long_ptx);
	OK(cuMemAlloc(&p, sizeof(bytes)));
	GOOD(nvmlDeviceGetUtilizationRates(dev, &u));
	for (int i = 0; i < 8; i++)
		OK(cuMemcpyHtoD(p, bytes, sizeof(bytes)));
	GOOD(nvmlDeviceGetUtilizationRates(dev, &u));
	ck_assert_uint_ge(u.memory, 20);
	ck_assert_uint_le(u.gpu, 5);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		begin_and_end, facts, system_facts, memory, first_struct, rates, copy_rate,
	};

	return RUN_ALL("nvml", tests);
}
