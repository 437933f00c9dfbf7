/* SPDX-License-Identifier: MIT */
/*
 * Backend `core`: the device core in this process, with this file in the driver's role.
 *
 * It does what the kernel driver does, in the same layouts (include/hw): page tables and instance
 * blocks in VRAM, rings in "system memory" behind bus addresses, channels through BAR0.  System
 * memory is one sparse memory file: a bus address is an offset in it, a buffer can be mapped at any
 * address of the process.
 *
 * Device time stands still except while someone waits (or polls): a program with one thread gets the
 * same trace each time.  One lock serialises all use of the core.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <hw/ppu_save.h>
#include <hw/ppu_trace.h>
#include "backend/plugin.h"
#include "core.h"
#include "record.h"

#define MAX_DEVICES	8
#define POLL_NS		10000			/* device time that passes in one poll */

struct be_sem {
	struct be_dev *dev;
	const uint64_t *word;
};

void ppu_bc_lock_idle(struct be_dev *dev)
{
	uint64_t ticket;

	pthread_mutex_lock(&dev->lock);
	ticket = dev->next_ticket++;
	while (dev->serving != ticket)
		pthread_cond_wait(&dev->turn, &dev->lock);
	pthread_mutex_unlock(&dev->lock);
}

void ppu_bc_lock(struct be_dev *dev)
{
	ppu_bc_lock_idle(dev);
	dev->acts++;
}

void ppu_bc_unlock(struct be_dev *dev)
{
	pthread_mutex_lock(&dev->lock);
	dev->serving++;
	if (dev->next_ticket != dev->serving)
		pthread_cond_broadcast(&dev->turn);
	pthread_mutex_unlock(&dev->lock);
}

/* Gives the lock to the threads that wait for it, in their order. */
static void dev_yield(struct be_dev *dev)
{
	bool others;

	pthread_mutex_lock(&dev->lock);
	others = dev->next_ticket - dev->serving > 1;
	pthread_mutex_unlock(&dev->lock);
	if (others) {
		ppu_bc_unlock(dev);
		ppu_bc_lock_idle(dev);
	}
}

/* ---- ports ---------------------------------------------------------------------------------- */

static void *port_map(void *opaque, uint64_t bus, uint64_t *len, bool write)
{
	struct be_dev *dev = opaque;
	uint64_t off = bus - BUS_BASE;

	for (struct be_bo *bo = bus >= BUS_USER ? dev->users : NULL; bo; bo = bo->next_user) {
		uint8_t *p = (uint8_t *)(uintptr_t)(bus - BUS_USER);

		if (p < bo->user || p >= bo->user + bo->size)
			continue;
		if (*len > (uint64_t)(bo->user + bo->size - p))
			*len = (uint64_t)(bo->user + bo->size - p);
		return p;
	}
	if (bus < BUS_BASE || off >= BUS_SIZE)
		return NULL;
	if (*len > BUS_SIZE - off)
		*len = BUS_SIZE - off;
	return dev->sys + off;
}

static void pool_run(void *opaque, void (*fn)(void *arg, unsigned worker), void *arg)
{
	struct be_dev *dev = opaque;

	ppu_workers_run(dev->pool, fn, arg);
}

static void port_irq(void *opaque, unsigned vector)
{
	struct be_dev *dev = opaque;

	if (vector == PPU_VEC_ERROR) {
		dev->error_irq = true;
		dev->error_gen++;
	} else if (vector == PPU_VEC_CHANNEL) {
		dev->channel_irq = true;
	}
}

static void port_trace(void *opaque, const struct ppu_trace_rec *rec)
{
	struct be_dev *dev = opaque;

	if (ppu_bc_record_traced(dev))
		fwrite(rec, sizeof(*rec), 1, dev->trace);
}

static void port_guest_error(void *opaque, const char *sentence)
{
	if (getenv("PPU_VERBOSE"))
		fprintf(stderr, "ppu core: %s\n", sentence);
}

/* ---- the bus of the driver core ------------------------------------------------------------- */

static uint32_t bus_rd(void *dev, uint32_t reg)
{
	return rd(dev, reg);
}

static void bus_wr(void *dev, uint32_t reg, uint32_t val)
{
	wr(dev, reg, val);
}

static u64 bus_mem_rd(void *dev, u64 addr)
{
	return *(const uint64_t *)(((struct be_dev *)dev)->vram + addr);
}

static void bus_mem_wr(void *dev, u64 addr, u64 val)
{
	/* Page tables and instance blocks: the device reads neither before a TLB invalidation or a command. */
	*(uint64_t *)(((struct be_dev *)dev)->vram + addr) = val;
}

/* Nothing to do: the device looks at memory only while this thread lets it run. */
static void bus_mem_order(void *dev)
{
}

const struct ppu_bus ppu_bc_bus = {
	.rd = bus_rd, .wr = bus_wr, .mem_rd = bus_mem_rd, .mem_wr = bus_mem_wr, .mem_order = bus_mem_order,
};

/* ---- interrupts ----------------------------------------------------------------------------- */

/* The driver's handler for vector CHANNEL: rings that are low are refreshed (WQ-59). */
static void serve_ring_low(struct be_dev *dev)
{
	if (!dev->channel_irq)
		return;
	dev->channel_irq = false;
	dev->acts++;
	wr(dev, PPU_REG_INTR_STATUS, PPU_INTR_RINGLOW);
	for (uint32_t i = 0; i < (dev->cfg.channels + 31) / 32; i++) {
		uint32_t bits = rd(dev, PPU_REG_RINGLOW_PENDING + 4 * i);

		if (!bits)
			continue;
		wr(dev, PPU_REG_RINGLOW_PENDING + 4 * i, bits);
		for (unsigned b = 0; b < 32; b++)
			/* The bit may have been set for the channel that had this number before. */
			if (bits & 1u << b && dev->chans[i * 32 + b])
				ppu_devq_refresh(&ppu_bc_bus, dev, i * 32 + b);
	}
}

void ppu_bc_run_to(struct be_dev *dev, uint64_t time)
{
	if (dev->record)
		ppu_bc_record_run(dev, time);
	else
		ppu_core_run(dev->core, time);
	serve_ring_low(dev);
}

static void serve_record(struct be_dev *dev, const struct ppu_fault_rec *rec)
{
	for (struct be_vm *vm = dev->vms; vm; vm = vm->next) {
		if ((vm->inst | PPU_APERTURE_VRAM) != rec->inst)
			continue;
		if (vm->num_faults < MAX_FAULTS)
			vm->faults[vm->num_faults++] = *rec;
		if (ppu_err_ends_context(rec->code))
			vm->faulted = true;
	}
}

/* The device has stopped a channel.  The fault record of the stop may be lost: the ring of records is
 * short. */
static void serve_stopped(struct be_dev *dev, unsigned id)
{
	struct core_chan *c = dev->chans[id];

	if (c && ppu_err_ends_context(rd(dev, chcfg(c, PPU_REG_CH_ERROR))))
		c->vm->faulted = true;
}

/* The driver's interrupt handler for vector ERROR: fault records go to their VMs. */
void ppu_bc_serve_errors(struct be_dev *dev)
{
	struct ppu_fault_rec rec;

	if (!dev->error_irq)
		return;
	dev->error_irq = false;
	dev->acts++;
	wr(dev, PPU_REG_INTR_STATUS, PPU_INTR_CHERR | PPU_INTR_FAULT);
	while (ppu_fault_next(&ppu_bc_bus, dev, &rec))
		serve_record(dev, &rec);
	for (uint32_t i = 0; i < (dev->cfg.channels + 31) / 32; i++) {
		uint32_t bits = rd(dev, PPU_REG_CHERR_PENDING + 4 * i);

		if (bits)
			wr(dev, PPU_REG_CHERR_PENDING + 4 * i, bits);
		for (unsigned b = 0; b < 32; b++)
			if (bits & 1u << b)
				serve_stopped(dev, i * 32 + b);
	}
}

/* ---- device --------------------------------------------------------------------------------- */

static int core_count(const ppuInitOptions *opt, char **err)
{
	const char *n = getenv("PPU_DEVICES");
	char *end = NULL;
	long v = n && *n ? strtol(n, &end, 10) : 1;

	*err = NULL;
	if (v >= 1 && v <= MAX_DEVICES && (!end || !*end))
		return (int)v;
	if (asprintf(err, "PPU_DEVICES=%s: the process can have 1 to %d devices inside", n, MAX_DEVICES) < 0)
		*err = NULL;
	return -EINVAL;
}

static int apply_props(struct ppu_config *cfg, const char *props, char **err)
{
	char *copy, *save = NULL;
	int rc = 0;

	if (!props)
		return 0;
	copy = strdup(props);
	if (!copy)
		return -ENOMEM;
	for (char *t = strtok_r(copy, " ,\t\n", &save); t && !rc; t = strtok_r(NULL, " ,\t\n", &save)) {
		char *eq = strchr(t, '=');

		if (!eq) {
			if (asprintf(err, "property \"%s\" has no value (name=value)", t) < 0)
				*err = NULL;
			rc = -EINVAL;
			break;
		}
		*eq = 0;
		if (ppu_config_set(cfg, t, eq + 1, err))
			rc = -EINVAL;
	}
	free(copy);
	return rc;
}

static void core_close(struct be_dev *dev)
{
	ppu_bc_record_free(dev);
	if (dev->core)
		ppu_core_destroy(dev->core);
	ppu_workers_free(dev->pool);
	if (dev->trace && fclose(dev->trace))
		fprintf(stderr, "ppu: writing the trace failed: %s\n", strerror(errno));
	if (dev->vram && dev->vram != MAP_FAILED)
		munmap(dev->vram, dev->cfg.vram);
	if (dev->sys && dev->sys != MAP_FAILED)
		munmap(dev->sys, BUS_SIZE);
	if (dev->memfd >= 0)
		close(dev->memfd);
	ppu_range_fini(&dev->vram_range);
	ppu_range_fini(&dev->bus_range);
	free(dev->chans);
	pthread_mutex_destroy(&dev->lock);
	pthread_cond_destroy(&dev->turn);
	free(dev);
}

/* Further devices of the process write files of their own: FILE.1, FILE.2, ... */
static int trace_start(struct be_dev *dev, const char *file, unsigned index, char **err)
{
	char path[4096];
	const struct ppu_config *c = &dev->cfg;
	struct ppu_trace_header h = {
		.magic = PPU_TRACE_MAGIC, .version = PPU_TRACE_VERSION,
		.record_bytes = sizeof(struct ppu_trace_rec),
		.channels = c->channels, .copy_engines = c->copy_engines, .gpcs = c->gpcs,
		.sms_per_gpc = c->sms_per_gpc, .warps_per_sm = c->warps_per_sm,
		.task_slots = c->task_slots, .device_priorities = c->device_priorities,
		.priority_order = c->priority_order,
	};

	snprintf(path, sizeof(path), index ? "%s.%u" : "%s", file, index);
	dev->trace = fopen(path, "wbe");
	if (!dev->trace || fwrite(&h, sizeof(h), 1, dev->trace) != 1) {
		if (asprintf(err, "cannot write the trace %s: %s", path, strerror(errno)) < 0)
			*err = NULL;
		return -EINVAL;
	}
	return 0;
}

/* VRAM at a multiple of a large page, so that large pages of the host can lie behind it.  MAP_FAILED: no memory. */
static uint8_t *map_vram(uint64_t bytes)
{
	uint8_t *p = mmap(NULL, bytes + PPU_LARGE_SIZE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint64_t before;

	if (p == MAP_FAILED)
		return p;
	before = -(uintptr_t)p % PPU_LARGE_SIZE;
	if (before)
		munmap(p, before);
	munmap(p + before + bytes, PPU_LARGE_SIZE - before);
	return p + before;
}

/* Once in a process, however many devices it opens. */
static void say_engine(const struct ppu_config *cfg)
{
	static bool said;
	const char *note = ppu_config_engine_note(cfg);

	if (note && !__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
		fprintf(stderr, "ppu: engine=translate: %s, so programs are interpreted\n", note);
}

static int core_open(const ppuInitOptions *opt, unsigned index, struct be_dev **out, char **err)
{
	struct be_dev *dev = calloc(1, sizeof(*dev));
	struct ppu_ports ports = {
		.opaque = dev, .map = port_map, .raise_irq = port_irq, .guest_error = port_guest_error, .vram_told = true,
	};
	uint64_t page;
	int rc;

	*err = NULL;
	if (!dev)
		return -ENOMEM;
	ppu_bc_background(&ports);
	dev->recorded = ppu_bc_record_wanted();
	if (dev->recorded)
		ppu_bc_record_ports(&ports);
	pthread_mutex_init(&dev->lock, NULL);
	pthread_cond_init(&dev->turn, NULL);
	dev->memfd = -1;
	ppu_config_init(&dev->cfg);
	dev->cfg.vram = VRAM_SIZE;
	rc = apply_props(&dev->cfg, opt->props, err);
	ppu_config_workers(&dev->cfg, ppu_workers_cpus());
	if (!rc && ppu_config_check(&dev->cfg, err))
		rc = -EINVAL;
	if (rc)
		goto fail;
	if (opt->trace && *opt->trace) {
		rc = trace_start(dev, opt->trace, index, err);
		if (rc)
			goto fail;
		ports.trace = port_trace;
	}
	rc = -ENOMEM;
	if (dev->cfg.workers > 1) {
		dev->pool = ppu_workers_new(dev->cfg.workers);
		if (!dev->pool)
			goto fail;
		ports.run_workers = pool_run;
	}
	dev->vram = map_vram(dev->cfg.vram);
	if (dev->vram == MAP_FAILED) {
		if (asprintf(err, "no address space for %" PRIu64 " MiB of VRAM (%s): allow the process more (ulimit -v) or set "
			     "PPU_PROPS=vram=256M", dev->cfg.vram >> 20, strerror(errno)) < 0)
			*err = NULL;
		goto fail;
	}
	dev->memfd = memfd_create("ppu-system-memory", MFD_CLOEXEC);
	if (dev->memfd < 0 || ftruncate(dev->memfd, BUS_SIZE))
		goto fail;
	dev->sys = mmap(NULL, BUS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
			dev->memfd, 0);
	dev->chans = calloc(dev->cfg.channels, sizeof(*dev->chans));
	if (dev->sys == MAP_FAILED || !dev->chans ||
	    ppu_range_init(&dev->vram_range, 0, dev->cfg.vram) ||
	    ppu_range_init(&dev->bus_range, 0, BUS_SIZE) ||
	    ppu_range_alloc(&dev->vram_range, PPU_PAGE_SIZE, PPU_PAGE_SIZE, &page))
		goto fail;	/* page 0 of VRAM is never given out: address 0 means "none" */
	madvise(dev->vram, dev->cfg.vram, MADV_DONTDUMP);
	madvise(dev->sys, BUS_SIZE, MADV_DONTDUMP);
	dev->core = ppu_core_create(&dev->cfg, &ports, dev->vram, err);
	if (!dev->core)
		goto fail;	/* for want of memory: the configuration is right */
	say_engine(&dev->cfg);
	wr(dev, PPU_REG_INTR_ENABLE, PPU_INTR_CHERR | PPU_INTR_FAULT | PPU_INTR_RINGLOW);
	*out = dev;
	return 0;
fail:
	core_close(dev);
	return rc;
}

static int core_props(struct be_dev *dev, ppuDeviceProp *p)
{
	ppu_bc_lock(dev);
	snprintf(p->location, sizeof(p->location), "in process");
	p->hw_version = rd(dev, PPU_REG_VERSION);
	p->gpcs = rd(dev, PPU_REG_CAP_GPCS);
	p->sms = p->gpcs * rd(dev, PPU_REG_CAP_SMS_PER_GPC);
	p->warps_per_sm = rd(dev, PPU_REG_CAP_WARPS_PER_SM);
	p->ctas_per_sm = rd(dev, PPU_REG_CAP_CTAS_PER_SM);
	p->warp_size = rd(dev, PPU_REG_CAP_WARP_SIZE);
	p->copy_engines = rd(dev, PPU_REG_CAP_COPY_ENGINES);
	p->channels = rd(dev, PPU_REG_CAP_CHANNELS);
	p->device_priorities = rd(dev, PPU_REG_CAP_DEVICE_PRIORITIES);
	p->task_slots = rd(dev, PPU_REG_CAP_TASK_SLOTS);
	p->token_queue_entries = rd(dev, PPU_REG_CAP_TOKENQ_ENTRIES);
	p->vram_bytes = dev->cfg.vram;
	p->shared_per_sm = rd(dev, PPU_REG_CAP_SHARED_PER_SM);
	p->shared_per_block = rd(dev, PPU_REG_CAP_SHARED_PER_CTA);
	p->regs_per_sm = rd(dev, PPU_REG_CAP_REGS_PER_SM);
	p->clock_khz = rd(dev, PPU_REG_CAP_SM_CLOCK_KHZ);
	p->ring_max = rd(dev, PPU_REG_CAP_RING_MAX);
	p->cores_per_sm = rd(dev, PPU_REG_CAP_CORES_PER_SM);
	p->dp_units_per_sm = rd(dev, PPU_REG_CAP_DP_UNITS_PER_SM);
	p->sfus_per_sm = rd(dev, PPU_REG_CAP_SFUS_PER_SM);
	p->lsus_per_sm = rd(dev, PPU_REG_CAP_LSUS_PER_SM);
	p->tex_per_sm = rd(dev, PPU_REG_CAP_TEX_PER_SM);
	p->partitions = rd(dev, PPU_REG_CAP_PARTITIONS);
	p->va_bits = rd(dev, PPU_REG_CAP_VA_BITS);
	p->features = rd(dev, PPU_REG_CAP_FEATURES);
	p->timeslice_ns = rd(dev, PPU_REG_CAP_TIMESLICE_NS);
	p->pci_vendor = PPU_PCI_VENDOR_ID;
	p->pci_device = PPU_PCI_DEVICE_ID;
	ppu_bc_unlock(dev);
	return 0;
}

static int core_time(struct be_dev *dev, uint64_t *ns)
{
	ppu_bc_lock_idle(dev);
	*ns = ppu_core_time(dev->core);
	ppu_bc_unlock(dev);
	return 0;
}

static int core_counters(struct be_dev *dev, unsigned n, uint64_t *values)
{
	ppu_bc_lock_idle(dev);
	for (unsigned i = 0; i < n; i++)
		values[i] = ppu_core_counter(dev->core, i);
	ppu_bc_unlock(dev);
	return 0;
}

static int core_mem_info(struct be_dev *dev, uint64_t *avail, uint64_t *total)
{
	ppu_bc_lock_idle(dev);
	*avail = dev->vram_range.avail;
	*total = dev->cfg.vram;
	ppu_bc_unlock(dev);
	return 0;
}

/* ---- waiting -------------------------------------------------------------------------------- */

static int core_sem_create(struct be_vm *vm, struct be_bo *bo, uint64_t off, struct be_sem **out)
{
	struct be_sem *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->dev = vm->dev;
	s->word = (const uint64_t *)((bo->place == BE_VRAM ? vm->dev->vram : vm->dev->sys) + bo->addr + off);
	*out = s;
	return 0;
}

static void core_sem_destroy(struct be_sem *s)
{
	free(s);
}

static int core_sem_read(struct be_sem *s, uint64_t *value)
{
	ppu_bc_lock_idle(s->dev);
	*value = __atomic_load_n(s->word, __ATOMIC_ACQUIRE);
	ppu_bc_unlock(s->dev);
	return 0;
}

/* Is a channel of this VM in error?  (Those that were stopped are not in the table.) */
static bool any_error(const struct be_vm *vm)
{
	const struct be_dev *dev = vm->dev;

	for (unsigned i = 0; i < dev->cfg.channels; i++)
		if (dev->chans[i] && dev->chans[i]->vm == vm && ppu_bc_chan_error(dev->chans[i]))
			return true;
	return false;
}

static int core_sem_wait(struct be_sem *sem, const volatile uint64_t *word, uint64_t value,
			 const struct be_limits *lim, struct be_chan *base, enum be_watch watch)
{
	struct be_dev *dev = sem->dev;
	struct core_chan *c = (struct core_chan *)base;
	uint64_t seen, next;
	unsigned steps = 0;
	int rc;

	ppu_bc_lock_idle(dev);
	ppu_bc_record_enter(dev);
	seen = dev->error_gen - 1;
again:
	for (;;) {
		if (__atomic_load_n(word, __ATOMIC_ACQUIRE) >= value) {
			rc = 0;
			break;
		}
		if (dev->error_gen != seen) {
			ppu_bc_serve_errors(dev);
			seen = dev->error_gen;
			if (c->vm->faulted || ppu_bc_chan_error(c) || (watch == BE_WATCH_VM && any_error(c->vm))) {
				rc = -EIO;
				break;
			}
		}
		next = ppu_core_next_event(dev->core);
		if (next == PPU_TIME_NEVER) {
			rc = -EDEADLK;
			break;
		}
		if (next > lim->device_ns) {
			if (ppu_core_time(dev->core) < lim->device_ns)
				ppu_bc_run_to(dev, lim->device_ns);
			rc = -ETIME;
			break;
		}
		if (lim->host_ns != UINT64_MAX && !(steps++ & 15) && ppu_be_now() >= lim->host_ns) {
			rc = -ETIME;
			break;
		}
		ppu_bc_run_to(dev, next);
		dev_yield(dev);
	}
	if (dev->record && ppu_bc_record_leave(dev))
		goto again;
	ppu_bc_unlock(dev);
	return rc;
}

static bool core_poll(struct be_dev *dev)
{
	uint64_t next;

	ppu_bc_lock_idle(dev);
	ppu_bc_record_enter(dev);
	next = ppu_core_next_event(dev->core);
	if (next != PPU_TIME_NEVER) {
		uint64_t until = ppu_core_time(dev->core) + POLL_NS;

		ppu_bc_run_to(dev, next > until ? next : until);
		ppu_bc_serve_errors(dev);
		if (dev->record)
			ppu_bc_record_leave(dev);
	}
	ppu_bc_unlock(dev);
	return next != PPU_TIME_NEVER;
}

static int core_observe(struct be_dev *dev, const struct ppu_observer *o)
{
	ppu_bc_lock(dev);
	dev->observer = o;
	ppu_bc_record_observe(dev);
	ppu_bc_unlock(dev);
	return 0;
}

static uint64_t core_vm_inst(const struct be_vm *vm)
{
	return vm->inst | PPU_APERTURE_VRAM;
}

static uint64_t core_peek(struct be_dev *dev, uint64_t inst, uint64_t va, void *buf, uint64_t len)
{
	const struct ppu_look_place at = { .inst = inst, .addr = va, .space = PPU_SPACE_GLOBAL };
	uint64_t n;

	ppu_bc_lock(dev);
	n = ppu_core_look_memory(dev->core, &at, buf, len);
	ppu_bc_unlock(dev);
	return n;
}

const struct be_ops ppu_be_core = {
	.name = "core", .count = core_count, .open = core_open, .close = core_close,
	.props = core_props, .time = core_time, .counters = core_counters, .engine_stats = ppu_bc_engine_stats,
	.translation = ppu_bc_translation, .dump_code = ppu_bc_dump_code,
	.debug = &ppu_bc_debug_ops, .observe = core_observe, .vm_inst = core_vm_inst, .peek = core_peek, .mem_info = core_mem_info,
	.vm_create = ppu_bc_vm_create, .vm_destroy = ppu_bc_vm_destroy, .vm_limit = ppu_bc_vm_limit,
	.vm_set_limit = ppu_bc_vm_set_limit, .vm_faults = ppu_bc_vm_faults,
	.vm_tasks = ppu_bc_vm_tasks,
	.bo_alloc = ppu_bc_bo_alloc, .bo_user = ppu_bc_bo_user, .bo_free = ppu_bc_bo_free, .bo_peer = ppu_bc_bo_peer,
	.bo_export = ppu_bc_bo_export, .bo_import = ppu_bc_bo_import, .bo_map = ppu_bc_bo_map,
	.bind = ppu_bc_bind, .unbind = ppu_bc_unbind,
	.chan_create = ppu_bc_chan_create, .chan_stop = ppu_bc_chan_stop, .chan_free = ppu_bc_chan_free,
	.chan_get = ppu_bc_chan_get, .chan_put = ppu_bc_chan_put, .chan_kick = ppu_bc_chan_kick,
	.chan_state = ppu_bc_chan_state, .devq_create = ppu_bc_devq_create,
	.sem_create = core_sem_create, .sem_destroy = core_sem_destroy, .sem_read = core_sem_read,
	.sem_wait = core_sem_wait,
	.poll = core_poll,
};

/* What the runtime looks up in libppu-core.so. */
__attribute__((visibility("default"))) const struct be_plugin ppu_core_plugin = { BE_ABI, &ppu_be_core };
