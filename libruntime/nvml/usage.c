/* SPDX-License-Identifier: MIT */
/*
 * What a device does: memory, rates, processes.
 *
 * With the driver, the clients' engine times say it, as far as the caller may read them.  The device inside the process
 * has one user, and its counters say it.  A rate is of device time: what happened since the last question, divided by
 * the device time that passed meanwhile.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvml/device.h"

/* ---- samples ------------------------------------------------------------------------------------ */

/* Who only looks on, as this library does, is no user. */
static bool uses(const struct usage_client *c)
{
	return c->vram_total || c->compute_ns || c->copy_ns || c->queue_ns;
}

static nvmlReturn_t of_driver(struct nvml_sample *s)
{
	int n = usage_clients("/proc", s->usage.pdev, &s->list);

	if (n < 0)
		return NVML_ERROR_OPERATING_SYSTEM;
	for (int i = 0; i < n; i++)
		if (uses(&s->list[i]))
			s->list[s->n++] = s->list[i];
	return NVML_SUCCESS;
}

/* Busy times are sums over units: their mean is comparable with device time. */
static nvmlReturn_t of_process(struct nvml_sample *s)
{
	const struct cu_usage *u = &s->usage;
	struct usage_client me = {
		.pid = getpid(),
		.compute_ns = u->sm_busy_ns / (u->sms ? u->sms : 1),
		.copy_ns = u->copy_busy_ns / (u->copy_engines ? u->copy_engines : 1),
		.vram = u->vram_total - u->vram_free,
		.vram_total = u->vram_total - u->vram_free,
	};

	s->list = malloc(sizeof(me));
	if (!s->list)
		return NVML_ERROR_MEMORY;
	*s->list = me;
	s->n = uses(&me);
	return NVML_SUCCESS;
}

nvmlReturn_t nvml_sample(nvmlDevice_t device, struct nvml_sample *s)
{
	nvmlReturn_t r;

	memset(s, 0, sizeof(*s));
	r = nvml_result(ppu_cuda_usage(device->index, &s->usage));
	if (r)
		return r;
	return s->usage.pdev[0] ? of_driver(s) : of_process(s);
}

void nvml_sample_free(struct nvml_sample *s)
{
	free(s->list);
	memset(s, 0, sizeof(*s));
}

/*
 * The next process of a sample from file *i on, its files added up, as far as they did something since `old` (NULL: as they
 * are).  False: there is none.
 */
static bool next_process(const struct nvml_sample *s, const struct nvml_sample *old, unsigned *i, struct usage_client *sum)
{
	if (*i >= s->n)
		return false;
	memset(sum, 0, sizeof(*sum));
	sum->pid = s->list[*i].pid;
	for (; *i < s->n && s->list[*i].pid == sum->pid; ++*i) {
		struct usage_client c = old ? usage_since(&s->list[*i], old->list, old->n) : s->list[*i];

		sum->vram += c.vram;
		sum->compute_ns += c.compute_ns + c.queue_ns;
		sum->copy_ns += c.copy_ns;
	}
	return true;
}

/* ---- memory and rates --------------------------------------------------------------------------- */

NVML_EXPORT nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory)
{
	nvmlReturn_t r = nvml_check(device);
	struct cu_usage u;

	if (!r && !memory)
		r = NVML_ERROR_INVALID_ARGUMENT;
	if (!r)
		r = nvml_result(ppu_cuda_usage(device->index, &u));
	if (!r)
		*memory = (nvmlMemory_t){ u.vram_total, u.vram_free, u.vram_total - u.vram_free };
	return r;
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory)
{
	nvmlReturn_t r;
	nvmlMemory_t m;

	if (memory && memory->version != nvmlMemory_v2)
		return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
	r = nvmlDeviceGetMemoryInfo(device, memory ? &m : NULL);
	if (!r) {
		memory->total = m.total;
		memory->reserved = 0;
		memory->free = m.free;
		memory->used = m.used;
	}
	return r;
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *rates)
{
	uint64_t compute = 0, copy = 0, time;
	struct nvml_sample now;
	struct usage_client p;
	nvmlReturn_t r;

	nvml_lock();		/* nobody shuts the library down meanwhile */
	r = nvml_check(device);
	if (!r && !rates)
		r = NVML_ERROR_INVALID_ARGUMENT;
	if (!r)
		r = nvml_sample(device, &now);
	if (!r) {
		time = usage_more(now.usage.device_ns, device->rates.usage.device_ns);
		for (unsigned i = 0; next_process(&now, &device->rates, &i, &p);) {
			compute += p.compute_ns;
			copy += p.copy_ns;
		}
		rates->gpu = usage_percent(compute, time);
		rates->memory = usage_percent(copy, time);
		nvml_sample_free(&device->rates);
		device->rates = now;
	}
	nvml_unlock();
	return r;
}

/* ---- processes ---------------------------------------------------------------------------------- */

/* The array's elements differ by version; the first members are the same. */
static nvmlReturn_t processes(nvmlDevice_t device, unsigned int *count, void *infos, size_t size)
{
	nvmlReturn_t r = nvml_check(device);
	struct usage_client p;
	struct nvml_sample s;
	unsigned room;

	if (!r && (!count || (*count && !infos)))
		r = NVML_ERROR_INVALID_ARGUMENT;
	if (r)
		return r;
	room = *count;
	r = nvml_sample(device, &s);
	if (r)
		return r;
	*count = 0;
	for (unsigned i = 0; next_process(&s, NULL, &i, &p); ++*count) {
		nvmlProcessInfo_t info = {
			.pid = (unsigned)p.pid, .usedGpuMemory = p.vram, .gpuInstanceId = ~0u, .computeInstanceId = ~0u,
		};

		if (*count < room)
			memcpy((char *)infos + *count * size, &info, size);
	}
	if (*count > room)
		r = NVML_ERROR_INSUFFICIENT_SIZE;
	nvml_sample_free(&s);
	return r;
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t device, unsigned int *count,
							      nvmlProcessInfo_v1_t *infos)
{
	return processes(device, count, infos, sizeof(*infos));
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v2(nvmlDevice_t device, unsigned int *count,
								 nvmlProcessInfo_v2_t *infos)
{
	return processes(device, count, infos, sizeof(*infos));
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned int *count,
								 nvmlProcessInfo_t *infos)
{
	return processes(device, count, infos, sizeof(*infos));
}

/* There is no graphics. */
static nvmlReturn_t nobody(nvmlDevice_t device, unsigned int *count)
{
	nvmlReturn_t r = nvml_check(device);

	if (!r && !count)
		r = NVML_ERROR_INVALID_ARGUMENT;
	if (!r)
		*count = 0;
	return r;
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses(nvmlDevice_t device, unsigned int *count,
							       nvmlProcessInfo_v1_t *infos)
{
	return nobody(device, count);
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v2(nvmlDevice_t device, unsigned int *count,
								  nvmlProcessInfo_v2_t *infos)
{
	return nobody(device, count);
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t device, unsigned int *count,
								  nvmlProcessInfo_t *infos)
{
	return nobody(device, count);
}

static nvmlReturn_t give_samples(const struct nvml_sample *now, const struct nvml_sample *old,
				 nvmlProcessUtilizationSample_t *samples, unsigned int *count)
{
	uint64_t time = usage_more(now->usage.device_ns, old->usage.device_ns);
	unsigned room = *count;
	struct usage_client p;

	*count = 0;
	for (unsigned i = 0; next_process(now, old, &i, &p);) {
		if (!p.compute_ns && !p.copy_ns)
			continue;
		if (*count < room)
			samples[*count] = (nvmlProcessUtilizationSample_t){
				.pid = (unsigned)p.pid, .timeStamp = now->usage.device_ns / 1000,
				.smUtil = usage_percent(p.compute_ns, time), .memUtil = usage_percent(p.copy_ns, time),
			};
		++*count;
	}
	return *count > room ? NVML_ERROR_INSUFFICIENT_SIZE : *count ? NVML_SUCCESS : NVML_ERROR_NOT_FOUND;
}

/*
 * There is one sample of each process, made now.  `since` before the last question means the time from there on; with 0
 * or a time before it that is the same.
 */
NVML_EXPORT nvmlReturn_t nvmlDeviceGetProcessUtilization(nvmlDevice_t device, nvmlProcessUtilizationSample_t *samples,
							 unsigned int *count, unsigned long long since_us)
{
	struct nvml_sample now;
	nvmlReturn_t r;

	nvml_lock();
	r = nvml_check(device);
	if (!r && (!count || (*count && !samples)))
		r = NVML_ERROR_INVALID_ARGUMENT;
	if (r) {
		nvml_unlock();
		return r;
	}
	r = nvml_sample(device, &now);
	if (!r && since_us && now.usage.device_ns / 1000 <= since_us) {
		*count = 0;
		r = NVML_ERROR_NOT_FOUND;	/* nothing is newer */
		nvml_sample_free(&now);
	} else if (!r) {
		r = give_samples(&now, &device->processes, samples, count);
		if (r == NVML_ERROR_INSUFFICIENT_SIZE) {	/* the caller asks again */
			nvml_sample_free(&now);
		} else {
			nvml_sample_free(&device->processes);
			device->processes = now;
		}
	}
	nvml_unlock();
	return r;
}
