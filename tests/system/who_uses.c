/* SPDX-License-Identifier: MIT */
/*
 * Who uses the device, through the driver: a second process holds memory and runs kernels and copies, and this one finds
 * it by libnvidia-ml, ppu-smi and ppu-top.  A stranger finds nothing of it.
 */
#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include <cuda/cuda.h>
#include <cuda/nvml.h>
#include "check.h"

#define BYTES	(40u << 20)
#define MIB	(1ull << 20)
#define NOBODY	65534
#define PATIENCE_MS	20000

/* Two seconds of device time, which cost the host next to nothing: a share of the time that no load of the host hides. */
static const char ptx[] =
	".version 6.3\n.target sm_70\n.address_size 64\n"
	".visible .entry work()\n{\n.reg .b32 %r<2>; .reg .pred %p;\n"
	"mov.u32 %r1, 2000;\nL: nanosleep.u32 1000000; sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra L; ret;\n}\n";

#define GOOD(call) do { \
	nvmlReturn_t g_ = (call); \
	if (g_) { \
		printf("# %s:%d: %s: %s\n", __func__, __LINE__, #call, nvmlErrorString(g_)); \
		exit(1); \
	} \
} while (0)
#define CUDA(call) do { \
	CUresult c_ = (call); \
	if (c_) { \
		printf("# %s:%d: %s: %d\n", __func__, __LINE__, #call, c_); \
		exit(1); \
	} \
} while (0)

static int said[2], word[2];	/* pipes: the user says how far it is; what it shall do */

/* Holds memory and works each time it is told to, and ends when nobody is left to tell it. */
static void user(void)
{
	CUcontext ctx;
	CUfunction f;
	CUdeviceptr p;
	CUmodule m;
	char c;

	close(word[1]);
	close(said[0]);
	CHECK(read(word[0], &c, 1) == 1);
	CUDA(cuInit(0));
	CUDA(cuCtxCreate(&ctx, 0, 0));
	CUDA(cuModuleLoadData(&m, ptx));
	CUDA(cuModuleGetFunction(&f, m, "work"));
	CUDA(cuMemAlloc(&p, BYTES));
	do {
		CUDA(cuMemsetD32Async(p, 7, BYTES / 4, 0));
		CUDA(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, NULL, NULL));
		CUDA(cuCtxSynchronize());
		CHECK(write(said[1], "x", 1) == 1);
	} while (read(word[0], &c, 1) == 1);
	exit(0);
}

/* The user, which waits for its first word.  To be made before this process opens the device: a child would share it. */
static pid_t make_user(void)
{
	pid_t pid;

	CHECK(!pipe(said) && !pipe(word));
	pid = fork();
	if (!pid)
		user();
	close(said[1]);
	close(word[0]);
	return pid;
}

static void work(void)
{
	char c;

	CHECK(write(word[1], "x", 1) == 1);
	CHECK(read(said[0], &c, 1) == 1);
}

static void end(pid_t pid)
{
	int status;

	close(word[1]);
	CHECK(waitpid(pid, &status, 0) == pid && !status);
}

/* Its memory as libnvidia-ml sees it, in bytes; 0: it is not there. */
static unsigned long long held_by(nvmlDevice_t dev, pid_t pid)
{
	nvmlProcessInfo_t infos[64];
	unsigned int n = 64;

	GOOD(nvmlDeviceGetComputeRunningProcesses_v3(dev, &n, infos));
	for (unsigned i = 0; i < n; i++)
		if (infos[i].pid == (unsigned)pid)
			return infos[i].usedGpuMemory;
	return 0;
}

static void by_library(void)
{
	nvmlProcessUtilizationSample_t samples[64];
	nvmlMemory_t before, during, after;
	nvmlUtilization_t rates;
	unsigned int n = 64;
	nvmlDevice_t dev;
	bool seen = false;
	pid_t pid = make_user();

	GOOD(nvmlInit_v2());
	GOOD(nvmlDeviceGetHandleByIndex_v2(0, &dev));
	GOOD(nvmlDeviceGetMemoryInfo(dev, &before));
	CHECK(!held_by(dev, getpid()));		/* it looks on only */
	work();
	GOOD(nvmlDeviceGetMemoryInfo(dev, &during));
	CHECK(held_by(dev, pid) >= BYTES && held_by(dev, pid) <= during.used);
	GOOD(nvmlDeviceGetUtilizationRates(dev, &rates));
	GOOD(nvmlDeviceGetProcessUtilization(dev, samples, &n, 0));
	work();
	GOOD(nvmlDeviceGetUtilizationRates(dev, &rates));
	CHECK(rates.gpu > 0 && rates.gpu <= 100 && rates.memory <= 100);
	n = 64;
	GOOD(nvmlDeviceGetProcessUtilization(dev, samples, &n, 0));
	for (unsigned i = 0; i < n; i++)
		seen |= samples[i].pid == (unsigned)pid && samples[i].smUtil > 0;
	CHECK(seen);
	end(pid);
	CHECK(!held_by(dev, pid));
	/* Workers of the kernel give memory back late, also that of the program before this one. */
	for (unsigned ms = 0; ms < PATIENCE_MS; ms += 10) {
		GOOD(nvmlDeviceGetMemoryInfo(dev, &after));
		if (after.used <= before.used && after.used + BYTES <= during.used)
			break;
		usleep(10000);
	}
	CHECK(after.used <= before.used && after.used + BYTES <= during.used);
	n = 64;
	CHECK(nvmlDeviceGetProcessUtilization(dev, samples, &n, 0) == NVML_ERROR_NOT_FOUND);
}

/* What a command prints, without its first `skip` lines. */
static const char *output(const char *command, int skip)
{
	static char text[8192];
	FILE *f = popen(command, "r");
	size_t n;
	char *s = text;

	CHECK(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	if (pclose(f)) {
		printf("# %s fails:\n# %s\n", command, text);
		exit(1);
	}
	while (skip-- && strchr(s, '\n'))
		s = strchr(s, '\n') + 1;
	return s;
}

static void by_tools(void)
{
	unsigned int pid, mib, first = 0;
	char line[256], wanted[64];
	const char *s;
	pid_t user = make_user();

	work();
	s = output("/ppu/bin/ppu-smi --query-compute-apps=pid,used_memory,name --format=csv,noheader,nounits", 0);
	CHECK(sscanf(s, "%u, %u, %255s", &pid, &mib, line) == 3);
	CHECK(pid == (unsigned)user && mib >= BYTES / MIB && strstr(line, "who_uses"));
	snprintf(wanted, sizeof(wanted), "%u", (unsigned)user);
	CHECK(strstr(output("/ppu/bin/ppu-smi", 0), wanted));
	CHECK(strstr(output("/ppu/bin/ppu-smi -L", 0), "GPU 0: PPU"));
	/* The device's place is the PCI one. */
	s = output("/ppu/bin/ppu-smi --query-gpu=pci.bus_id,memory.used --format=csv,noheader,nounits", 0);
	CHECK(!strncmp(s, "00000000:", 9) && sscanf(s + 17, "%u", &mib) == 1 && mib >= BYTES / MIB);

	s = output("/ppu/bin/ppu-top -b -n 1 -d 0.1", 0);
	CHECK(sscanf(s, "0 PPU (15 SMs) 0000:%*s  device time %*s s  VRAM %u of", &first) == 1 && first >= BYTES / MIB);
	s = output("/ppu/bin/ppu-top -b -n 1 -d 0.1", 2);
	CHECK(sscanf(s, " %u who_uses %*u%% %*u%% %*u%% %uMiB", &pid, &mib) == 2);
	CHECK(pid == (unsigned)user && mib >= BYTES / MIB);
	end(user);
	CHECK(!*output("/ppu/bin/ppu-smi --query-compute-apps=pid --format=csv,noheader", 0));
}

/* Another user sees the device and its memory, and no process of ours. */
static void by_a_stranger(void)
{
	pid_t pid = make_user(), stranger;
	nvmlDevice_t dev;
	nvmlMemory_t m;
	int status;

	work();
	stranger = fork();
	if (!stranger) {
		CHECK(!setgid(NOBODY) && !setuid(NOBODY));
		GOOD(nvmlInit_v2());
		GOOD(nvmlDeviceGetHandleByIndex_v2(0, &dev));
		GOOD(nvmlDeviceGetMemoryInfo(dev, &m));
		CHECK(m.used >= BYTES);
		CHECK(!held_by(dev, pid));
		exit(0);
	}
	CHECK(waitpid(stranger, &status, 0) == stranger && !status);
	end(pid);
}

int main(void)
{
	static const struct system_test tests[] = {
		{ "libnvidia-ml finds the process that uses the device", by_library },
		{ "so do ppu-smi and ppu-top", by_tools },
		{ "another user sees nothing of it", by_a_stranger },
	};

	signal(SIGPIPE, SIG_IGN);
	return run_each(tests, sizeof(tests) / sizeof(*tests));
}
