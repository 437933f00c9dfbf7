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

/* Adds the files of one process up; the clients are sorted by process. */
static nvmlReturn_t by_process(struct nvml_sample *s, const struct usage_client *list, unsigned n)
{
	struct nvml_process *p;

	s->list = calloc(n ? n : 1, sizeof(*s->list));
	if (!s->list)
		return NVML_ERROR_MEMORY;
	for (unsigned i = 0; i < n; i++) {
		/* Who only looks on, as this library does, is no user. */
		if (!list[i].vram_total && !list[i].compute_ns && !list[i].copy_ns && !list[i].queue_ns)
			continue;
		p = s->n ? &s->list[s->n - 1] : NULL;
		if (!p || p->pid != (unsigned)list[i].pid) {
			p = &s->list[s->n++];
			p->pid = (unsigned)list[i].pid;
		}
		p->vram += list[i].vram;
		p->compute_ns += list[i].compute_ns + list[i].queue_ns;
		p->copy_ns += list[i].copy_ns;
	}
	return NVML_SUCCESS;
}

static nvmlReturn_t of_driver(struct nvml_sample *s)
{
	struct usage_client *list;
	int n = usage_clients("/proc", s->usage.pdev, &list);
	nvmlReturn_t r;

	if (n < 0)
		return NVML_ERROR_OPERATING_SYSTEM;
	r = by_process(s, list, (unsigned)n);
	free(list);
	return r;
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

	return by_process(s, &me, 1);
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

static const struct nvml_process *find(const struct nvml_sample *s, unsigned pid)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->list[i].pid == pid)
			return &s->list[i];
	return NULL;
}

/* A process that closes a file takes its time along: never less than nothing. */
static uint64_t more(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

/* What process `p` did since the sample `old`. */
static struct nvml_process since(const struct nvml_process *p, const struct nvml_sample *old)
{
	const struct nvml_process *was = find(old, p->pid);
	struct nvml_process d = *p;

	if (was) {
		d.compute_ns = more(p->compute_ns, was->compute_ns);
		d.copy_ns = more(p->copy_ns, was->copy_ns);
	}
	return d;
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
	nvmlReturn_t r = nvml_check(device);
	uint64_t compute = 0, copy = 0, time;
	struct nvml_sample now;

	if (!r && !rates)
		r = NVML_ERROR_INVALID_ARGUMENT;
	if (r)
		return r;
	nvml_lock();
	r = nvml_sample(device, &now);
	if (!r) {
		time = more(now.usage.device_ns, device->rates.usage.device_ns);
		for (unsigned i = 0; i < now.n; i++) {
			struct nvml_process d = since(&now.list[i], &device->rates);

			compute += d.compute_ns;
			copy += d.copy_ns;
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
	*count = s.n;
	if (s.n > room)
		r = NVML_ERROR_INSUFFICIENT_SIZE;
	for (unsigned i = 0; !r && i < s.n; i++) {
		nvmlProcessInfo_t info = {
			.pid = s.list[i].pid, .usedGpuMemory = s.list[i].vram,
			.gpuInstanceId = ~0u, .computeInstanceId = ~0u,
		};

		memcpy((char *)infos + i * size, &info, size);
	}
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
	uint64_t time = more(now->usage.device_ns, old->usage.device_ns);
	unsigned room = *count;

	*count = 0;
	for (unsigned i = 0; i < now->n; i++) {
		struct nvml_process d = since(&now->list[i], old);

		if (!d.compute_ns && !d.copy_ns)
			continue;
		if (*count < room)
			samples[*count] = (nvmlProcessUtilizationSample_t){
				.pid = d.pid, .timeStamp = now->usage.device_ns / 1000,
				.smUtil = usage_percent(d.compute_ns, time), .memUtil = usage_percent(d.copy_ns, time),
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
	nvmlReturn_t r = nvml_check(device);
	struct nvml_sample now;

	if (!r && (!count || (*count && !samples)))
		r = NVML_ERROR_INVALID_ARGUMENT;
	if (r)
		return r;
	nvml_lock();
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
