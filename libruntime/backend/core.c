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
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <hw/ppu_config.h>
#include <hw/ppu_mmu.h>
#include <hw/ppu_save.h>
#include <hw/ppu_trace.h>
#include <ppu_core.h>
#include "backend.h"
#include "range.h"

#define BUS_BASE	0x100000000ull		/* bus address of byte 0 of the memory file */
#define BUS_SIZE	(1ull << 36)
#define BUS_USER	(1ull << 48)		/* bus address of byte 0 of the process */
#define RING_VA_STRIDE	(1ull << 25)		/* kernel VA of channel n's ring: USER_END + n * this */
#define LOCAL_DEFAULT	256u	/* grows when a kernel needs more */
#define MAX_FAULTS	64
#define POLL_NS		10000			/* device time that passes in one poll */

struct pool;

struct be_dev {
	/* A fair lock: who waits for device time gives others their turn in between. */
	pthread_mutex_t lock;
	pthread_cond_t turn;
	uint64_t next_ticket, serving;
	struct ppu_core *core;
	struct ppu_config cfg;
	uint8_t *vram;
	int memfd;
	uint8_t *sys;
	struct ppu_range vram_range, bus_range;
	uint8_t *chan_used;
	struct be_vm *vms;
	struct be_bo *users;		/* with ->user */
	uint32_t next_context;
	bool error_irq;
	uint64_t error_gen;		/* counts error interrupts */
	FILE *trace;
	struct pool *pool;
};

struct be_vm {
	struct be_dev *dev;
	struct be_vm *next;
	uint64_t root, inst;		/* VRAM addresses */
	uint64_t local_base, local_size, tokq_base, tokq_size, save_base, save_size;
	uint32_t local, context_id;
	struct ppu_fault_rec faults[MAX_FAULTS];
	unsigned num_faults;
	bool faulted;
};

struct be_bo {
	struct be_dev *dev;
	uint64_t addr, size;		/* VRAM offset, or offset in the memory file */
	enum be_place place;
	uint8_t *user;			/* pages of the process instead */
	struct be_bo *next_user;
};

struct core_chan {
	struct be_chan base;
	struct be_vm *vm;
	unsigned id;
	uint64_t ring_addr, ring_size, ring_va;
	bool stopped;
};

struct be_sem {
	struct be_dev *dev;
	const uint64_t *word;
};

static void dev_lock(struct be_dev *dev)
{
	uint64_t ticket;

	pthread_mutex_lock(&dev->lock);
	ticket = dev->next_ticket++;
	while (dev->serving != ticket)
		pthread_cond_wait(&dev->turn, &dev->lock);
	pthread_mutex_unlock(&dev->lock);
}

static void dev_unlock(struct be_dev *dev)
{
	pthread_mutex_lock(&dev->lock);
	dev->serving++;
	if (dev->next_ticket != dev->serving)
		pthread_cond_broadcast(&dev->turn);
	pthread_mutex_unlock(&dev->lock);
}

/* Let those who wait for the lock have it, in their order. */
static void dev_yield(struct be_dev *dev)
{
	bool others;

	pthread_mutex_lock(&dev->lock);
	others = dev->next_ticket - dev->serving > 1;
	pthread_mutex_unlock(&dev->lock);
	if (others) {
		dev_unlock(dev);
		dev_lock(dev);
	}
}

/* ---- registers ------------------------------------------------------------------------------ */

static void wr(struct be_dev *dev, uint64_t off, uint32_t v)
{
	ppu_core_mmio_write(dev->core, off, 4, v);
}

static uint32_t rd(struct be_dev *dev, uint64_t off)
{
	return (uint32_t)ppu_core_mmio_read(dev->core, off, 4);
}

static void wr64(struct be_dev *dev, uint64_t off_lo, uint64_t v)
{
	wr(dev, off_lo, (uint32_t)v);
	wr(dev, off_lo + 4, (uint32_t)(v >> 32));
}

static uint64_t chcfg(const struct core_chan *c, uint32_t reg)
{
	return PPU_BAR0_CHCFG + (uint64_t)c->id * PPU_CHCFG_STRIDE + reg;
}

static uint64_t userd(const struct core_chan *c, uint32_t reg)
{
	return PPU_BAR0_USERD + (uint64_t)c->id * PPU_USERD_STRIDE + reg;
}

/* ---- worker threads ------------------------------------------------------------------------- */

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	pthread_t *threads;
	unsigned num_threads;
	void (*fn)(void *arg, unsigned index);
	void *arg;
	unsigned n, next, running;
	uint64_t round;
	bool quit;
};

static void pool_take(struct pool *p)
{
	for (;;) {
		unsigned i = __atomic_fetch_add(&p->next, 1, __ATOMIC_RELAXED);

		if (i >= p->n)
			return;
		p->fn(p->arg, i);
	}
}

static void *pool_thread(void *arg)
{
	struct pool *p = arg;
	uint64_t seen = 0;

	pthread_mutex_lock(&p->lock);
	for (;;) {
		while (p->round == seen && !p->quit)
			pthread_cond_wait(&p->work, &p->lock);
		if (p->quit)
			break;
		seen = p->round;
		pthread_mutex_unlock(&p->lock);
		pool_take(p);
		pthread_mutex_lock(&p->lock);
		if (--p->running == 0)
			pthread_cond_signal(&p->done);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static void pool_run(void *opaque, void (*fn)(void *arg, unsigned index), void *arg, unsigned n)
{
	struct be_dev *dev = opaque;
	struct pool *p = dev->pool;

	if (n == 1) {
		fn(arg, 0);
		return;
	}
	pthread_mutex_lock(&p->lock);
	p->fn = fn;
	p->arg = arg;
	p->n = n;
	__atomic_store_n(&p->next, 0, __ATOMIC_RELAXED);
	p->running = p->num_threads;
	p->round++;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
	pool_take(p);
	pthread_mutex_lock(&p->lock);
	while (p->running)
		pthread_cond_wait(&p->done, &p->lock);
	pthread_mutex_unlock(&p->lock);
}

static struct pool *pool_new(unsigned workers)
{
	struct pool *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_cond_init(&p->done, NULL);
	p->threads = calloc(workers, sizeof(*p->threads));
	/* The caller of run_jobs works too. */
	while (p->threads && p->num_threads + 1 < workers) {
		if (pthread_create(&p->threads[p->num_threads], NULL, pool_thread, p))
			break;
		p->num_threads++;
	}
	return p;
}

static void pool_free(struct pool *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->quit = true;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->num_threads; i++)
		pthread_join(p->threads[i], NULL);
	free(p->threads);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->work);
	pthread_cond_destroy(&p->done);
	free(p);
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

static void port_irq(void *opaque, unsigned vector)
{
	struct be_dev *dev = opaque;

	if (vector == PPU_VEC_ERROR) {
		dev->error_irq = true;
		dev->error_gen++;
	}
}

static void port_trace(void *opaque, const struct ppu_trace_rec *rec)
{
	struct be_dev *dev = opaque;

	fwrite(rec, sizeof(*rec), 1, dev->trace);
}

static void port_guest_error(void *opaque, const char *sentence)
{
	if (getenv("PPU_VERBOSE"))
		fprintf(stderr, "ppu core: %s\n", sentence);
}

/* The driver's interrupt handler for vector ERROR: fault records go to their VMs. */
static void serve_errors(struct be_dev *dev)
{
	uint32_t get, put;

	if (!dev->error_irq)
		return;
	dev->error_irq = false;
	wr(dev, PPU_REG_INTR_STATUS, PPU_INTR_CHERR | PPU_INTR_FAULT);
	get = rd(dev, PPU_REG_FAULT_GET);
	put = rd(dev, PPU_REG_FAULT_PUT);
	while (get != put) {
		union {
			struct ppu_fault_rec rec;
			uint32_t w[PPU_FAULT_REC_WORDS];
		} u;

		wr(dev, PPU_REG_FAULT_SEL, 0);
		for (int i = 0; i < PPU_FAULT_REC_WORDS; i++)
			u.w[i] = rd(dev, PPU_REG_FAULT_DATA);
		get = (get + 1) % PPU_FAULT_RING;
		wr(dev, PPU_REG_FAULT_GET, get);
		for (struct be_vm *vm = dev->vms; vm; vm = vm->next) {
			if ((vm->inst | PPU_APERTURE_VRAM) != u.rec.inst)
				continue;
			if (vm->num_faults < MAX_FAULTS)
				vm->faults[vm->num_faults++] = u.rec;
			if (u.rec.unit == PPU_UNIT_SM || u.rec.code >= PPU_ERR_MMU_UNMAPPED)
				vm->faulted = true;
		}
		put = rd(dev, PPU_REG_FAULT_PUT);
	}
	for (uint32_t i = 0; i < (dev->cfg.channels + 31) / 32; i++) {
		uint32_t bits = rd(dev, PPU_REG_CHERR_PENDING + 4 * i);

		if (bits)
			wr(dev, PPU_REG_CHERR_PENDING + 4 * i, bits);
	}
}

/* ---- device --------------------------------------------------------------------------------- */

static int core_count(const ppuInitOptions *opt)
{
	return 1;
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
	if (dev->core)
		ppu_core_destroy(dev->core);
	pool_free(dev->pool);
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
	free(dev->chan_used);
	pthread_mutex_destroy(&dev->lock);
	pthread_cond_destroy(&dev->turn);
	free(dev);
}

static int trace_start(struct be_dev *dev, const char *path, char **err)
{
	const struct ppu_config *c = &dev->cfg;
	struct ppu_trace_header h = {
		.magic = PPU_TRACE_MAGIC, .version = PPU_TRACE_VERSION,
		.record_bytes = sizeof(struct ppu_trace_rec),
		.channels = c->channels, .copy_engines = c->copy_engines, .gpcs = c->gpcs,
		.sms_per_gpc = c->sms_per_gpc, .warps_per_sm = c->warps_per_sm,
		.task_slots = c->task_slots, .device_priorities = c->device_priorities,
	};

	dev->trace = fopen(path, "wbe");
	if (!dev->trace || fwrite(&h, sizeof(h), 1, dev->trace) != 1) {
		if (asprintf(err, "cannot write the trace %s: %s", path, strerror(errno)) < 0)
			*err = NULL;
		return -EINVAL;
	}
	return 0;
}

static int core_open(const ppuInitOptions *opt, unsigned index, struct be_dev **out, char **err)
{
	struct be_dev *dev = calloc(1, sizeof(*dev));
	struct ppu_ports ports = {
		.opaque = dev, .map = port_map, .raise_irq = port_irq, .guest_error = port_guest_error,
	};
	uint64_t page;
	int rc;

	*err = NULL;
	if (!dev)
		return -ENOMEM;
	pthread_mutex_init(&dev->lock, NULL);
	pthread_cond_init(&dev->turn, NULL);
	dev->memfd = -1;
	ppu_config_init(&dev->cfg);
	rc = apply_props(&dev->cfg, opt->props, err);
	if (rc || ppu_config_check(&dev->cfg, err)) {
		rc = -EINVAL;
		goto fail;
	}
	if (opt->trace && *opt->trace) {
		rc = trace_start(dev, opt->trace, err);
		if (rc)
			goto fail;
		ports.trace = port_trace;
	}
	rc = -ENOMEM;
	if (dev->cfg.workers > 1) {
		dev->pool = pool_new(dev->cfg.workers);
		if (!dev->pool)
			goto fail;
		ports.run_jobs = pool_run;
	}
	dev->vram = mmap(NULL, dev->cfg.vram, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	dev->memfd = memfd_create("ppu-system-memory", MFD_CLOEXEC);
	if (dev->vram == MAP_FAILED || dev->memfd < 0 || ftruncate(dev->memfd, BUS_SIZE))
		goto fail;
	dev->sys = mmap(NULL, BUS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
			dev->memfd, 0);
	dev->chan_used = calloc(dev->cfg.channels, 1);
	if (dev->sys == MAP_FAILED || !dev->chan_used ||
	    ppu_range_init(&dev->vram_range, 0, dev->cfg.vram) ||
	    ppu_range_init(&dev->bus_range, 0, BUS_SIZE) ||
	    ppu_range_alloc(&dev->vram_range, PPU_PAGE_SIZE, PPU_PAGE_SIZE, &page))
		goto fail;	/* page 0 of VRAM is never given out: address 0 means "none" */
	madvise(dev->vram, dev->cfg.vram, MADV_DONTDUMP);
	madvise(dev->sys, BUS_SIZE, MADV_DONTDUMP);
	dev->core = ppu_core_create(&dev->cfg, &ports, dev->vram, err);
	if (!dev->core) {
		rc = -EINVAL;
		goto fail;
	}
	wr(dev, PPU_REG_INTR_ENABLE, PPU_INTR_CHERR | PPU_INTR_FAULT);
	*out = dev;
	return 0;
fail:
	core_close(dev);
	return rc;
}

static int core_props(struct be_dev *dev, ppuDeviceProp *p)
{
	dev_lock(dev);
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
	dev_unlock(dev);
	return 0;
}

static int core_time(struct be_dev *dev, uint64_t *ns)
{
	dev_lock(dev);
	*ns = ppu_core_time(dev->core);
	dev_unlock(dev);
	return 0;
}

const char *ppu_be_counter_name(unsigned n)
{
	static const char *const names[] = {
#define C(name, text, doc) text,
		PPU_COUNTERS(C)
#undef C
	};

	return n < PPU_CTR_COUNT ? names[n] : NULL;
}

uint64_t ppu_be_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static int core_counters(struct be_dev *dev, unsigned n, uint64_t *values)
{
	dev_lock(dev);
	for (unsigned i = 0; i < n; i++)
		values[i] = ppu_core_counter(dev->core, i);
	dev_unlock(dev);
	return 0;
}

static int core_mem_info(struct be_dev *dev, uint64_t *avail, uint64_t *total)
{
	dev_lock(dev);
	*avail = dev->vram_range.avail;
	*total = dev->cfg.vram;
	dev_unlock(dev);
	return 0;
}

/* ---- memory --------------------------------------------------------------------------------- */

static int vram_alloc(struct be_dev *dev, uint64_t size, uint64_t *addr)
{
	uint64_t align = size >= PPU_LARGE_SIZE ? PPU_LARGE_SIZE : PPU_PAGE_SIZE;

	if (ppu_range_alloc(&dev->vram_range, size, align, addr))
		return -ENOSPC;
	/* Fresh pages read as zero, whatever was there. */
	if (size >= PPU_LARGE_SIZE)
		madvise(dev->vram + *addr, size, MADV_DONTNEED);
	else
		memset(dev->vram + *addr, 0, size);
	return 0;
}

static void vram_free(struct be_dev *dev, uint64_t addr, uint64_t size)
{
	if (size)
		ppu_range_free(&dev->vram_range, addr, size);
}

static int bus_alloc(struct be_dev *dev, uint64_t size, uint64_t *off)
{
	uint64_t align = size >= PPU_LARGE_SIZE ? PPU_LARGE_SIZE : PPU_PAGE_SIZE;

	return ppu_range_alloc(&dev->bus_range, size, align, off);
}

static void bus_free(struct be_dev *dev, uint64_t off, uint64_t size)
{
	/* Give the pages back; they read as zero next time. */
	if (fallocate(dev->memfd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)off, (off_t)size))
		memset(dev->sys + off, 0, size);
	ppu_range_free(&dev->bus_range, off, size);
}

static uint64_t page_round(uint64_t size)
{
	return (size + PPU_PAGE_SIZE - 1) & ~(PPU_PAGE_SIZE - 1);
}

static int core_bo_alloc(struct be_vm *vm, uint64_t size, enum be_place place, struct be_bo **out)
{
	struct be_dev *dev = vm->dev;
	struct be_bo *bo;
	int rc;

	if (!size || size > BUS_SIZE)
		return size ? -ENOSPC : -EINVAL;
	bo = calloc(1, sizeof(*bo));
	if (!bo)
		return -ENOMEM;
	bo->dev = dev;
	bo->place = place;
	bo->size = page_round(size);
	dev_lock(dev);
	rc = place == BE_VRAM ? vram_alloc(dev, bo->size, &bo->addr) :
				bus_alloc(dev, bo->size, &bo->addr);
	dev_unlock(dev);
	if (rc) {
		free(bo);
		return rc;
	}
	*out = bo;
	return 0;
}

static int core_bo_user(struct be_vm *vm, void *pages, uint64_t size, struct be_bo **out)
{
	struct be_bo *bo = calloc(1, sizeof(*bo));

	if (!bo)
		return -ENOMEM;
	bo->dev = vm->dev;
	bo->place = BE_SYSTEM;
	bo->size = size;
	bo->user = pages;
	dev_lock(vm->dev);
	bo->next_user = vm->dev->users;
	vm->dev->users = bo;
	dev_unlock(vm->dev);
	*out = bo;
	return 0;
}

static void forget_user(struct be_bo *bo)
{
	struct be_bo **p = &bo->dev->users;

	while (*p != bo)
		p = &(*p)->next_user;
	*p = bo->next_user;
	ppu_core_invalidate_maps(bo->dev->core);
}

static void core_bo_free(struct be_bo *bo)
{
	dev_lock(bo->dev);
	if (bo->user)
		forget_user(bo);
	else if (bo->place == BE_VRAM)
		vram_free(bo->dev, bo->addr, bo->size);
	else
		bus_free(bo->dev, bo->addr, bo->size);
	dev_unlock(bo->dev);
	free(bo);
}

static int core_bo_map(struct be_bo *bo, void *at, void **ptr)
{
	void *p;

	if (bo->place == BE_VRAM)
		return -EOPNOTSUPP;
	p = mmap(at, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0),
		 bo->dev->memfd, (off_t)bo->addr);
	if (p == MAP_FAILED)
		return -errno;
	*ptr = p;
	return 0;
}

/* ---- page tables ---------------------------------------------------------------------------- */

static uint64_t *pt(struct be_dev *dev, uint64_t table)
{
	return (uint64_t *)(dev->vram + (table & PPU_PTE_ADDR));
}

static bool is_table(uint64_t e, int level)
{
	return (e & PPU_PTE_VALID) && level > 0 && !(e & PPU_PTE_LARGE);
}

static void pt_free(struct be_dev *dev, uint64_t table, int level)
{
	for (int i = 0; i < PPU_PT_ENTRIES; i++)
		if (is_table(pt(dev, table)[i], level))
			pt_free(dev, pt(dev, table)[i] & PPU_PTE_ADDR, level - 1);
	vram_free(dev, table, PPU_PAGE_SIZE);
}

/* The entry for va at `level`, making the tables above it when `make`; NULL: none (or no memory). */
static uint64_t *pt_entry(struct be_vm *vm, uint64_t va, int level, bool make)
{
	struct be_dev *dev = vm->dev;
	uint64_t table = vm->root;

	for (int l = PPU_PT_LEVELS - 1; ; l--) {
		uint64_t *e = &pt(dev, table)[(va >> PPU_PT_SHIFT(l)) & (PPU_PT_ENTRIES - 1)];
		uint64_t next;

		if (l == level)
			return e;
		if (!(*e & PPU_PTE_VALID)) {
			if (!make || vram_alloc(dev, PPU_PAGE_SIZE, &next))
				return NULL;
			*e = next | PPU_PTE_VALID;
		} else if (l == 1 && (*e & PPU_PTE_LARGE)) {
			/* Split a large page into small ones. */
			uint64_t leaf = *e & ~PPU_PTE_LARGE;

			if (vram_alloc(dev, PPU_PAGE_SIZE, &next))
				return NULL;
			for (uint64_t i = 0; i < PPU_PT_ENTRIES; i++)
				pt(dev, next)[i] = leaf + i * PPU_PAGE_SIZE;
			*e = next | PPU_PTE_VALID;
		}
		table = *e & PPU_PTE_ADDR;
	}
}

static void tlb_invalidate(struct be_vm *vm)
{
	wr64(vm->dev, PPU_REG_TLB_INV_INST_LO, vm->inst | PPU_APERTURE_VRAM);
	wr(vm->dev, PPU_REG_TLB_INV, 1);
}

/* phys: address in its aperture; flags: leaf flags besides VALID and LARGE; UNMAP: ~0. */
static int pt_map(struct be_vm *vm, uint64_t va, uint64_t size, uint64_t phys, uint64_t flags)
{
	bool unmap = flags == ~0ull;
	int rc = 0;

	while (size) {
		uint64_t step = PPU_PAGE_SIZE, *e;
		int level = 0;

		if (!(va & (PPU_LARGE_SIZE - 1)) && size >= PPU_LARGE_SIZE &&
		    (unmap || !(phys & (PPU_LARGE_SIZE - 1)))) {
			step = PPU_LARGE_SIZE;
			level = 1;
		}
		e = pt_entry(vm, va, level, !unmap);
		if (!e && !unmap) {
			rc = -ENOSPC;
			break;
		}
		if (e) {
			if (level && is_table(*e, 1))
				vram_free(vm->dev, *e & PPU_PTE_ADDR, PPU_PAGE_SIZE);
			*e = unmap ? 0 : phys | flags | PPU_PTE_VALID | (level ? PPU_PTE_LARGE : 0);
		}
		va += step;
		phys += step;
		size -= step;
	}
	tlb_invalidate(vm);
	return rc;
}

static int core_bind(struct be_vm *vm, struct be_bo *bo, uint64_t va, uint64_t size, unsigned flags)
{
	uint64_t phys = bo->user ? BUS_USER + (uintptr_t)bo->user :
			bo->place == BE_VRAM ? bo->addr : bo->addr + BUS_BASE;
	uint64_t pte = bo->place == BE_VRAM ? 0 : PPU_PTE_SYS;
	int rc;

	size = page_round(size);
	if ((va | phys) & (PPU_PAGE_SIZE - 1) || !size || size > bo->size ||
	    va < PPU_VA_USER_START || va > PPU_VA_USER_END - size)
		return -EINVAL;
	if (flags & BE_BIND_READONLY)
		pte |= PPU_PTE_READONLY;
	if (flags & BE_BIND_NOEXEC)
		pte |= PPU_PTE_NOEXEC;
	dev_lock(vm->dev);
	rc = pt_map(vm, va, size, phys, pte);
	if (rc)
		pt_map(vm, va, size, 0, ~0ull);
	dev_unlock(vm->dev);
	return rc;
}

static int core_unbind(struct be_vm *vm, uint64_t va, uint64_t size)
{
	dev_lock(vm->dev);
	pt_map(vm, va, page_round(size), 0, ~0ull);
	dev_unlock(vm->dev);
	return 0;
}

/* ---- contexts ------------------------------------------------------------------------------- */

static void ctx_cmd(struct be_vm *vm, uint32_t cmd)
{
	wr64(vm->dev, PPU_REG_CTX_INST_LO, vm->inst | PPU_APERTURE_VRAM);
	wr(vm->dev, PPU_REG_CTX_CMD, cmd);
}

static uint32_t ctx_status(struct be_vm *vm)
{
	wr64(vm->dev, PPU_REG_CTX_INST_LO, vm->inst | PPU_APERTURE_VRAM);
	return rd(vm->dev, PPU_REG_CTX_STATUS);
}

static int inst_write(struct be_vm *vm)
{
	struct be_dev *dev = vm->dev;
	struct ppu_inst_block *blk = (struct ppu_inst_block *)(dev->vram + vm->inst);

	memset(blk, 0, sizeof(*blk));
	blk->magic = PPU_INST_MAGIC;
	blk->version = PPU_INST_VERSION;
	blk->pt_root = vm->root | PPU_APERTURE_VRAM;
	blk->context_id = vm->context_id;
	blk->max_depth = 1;
	blk->prio_ceiling = dev->cfg.device_priorities ? dev->cfg.device_priorities - 1 : 0;
	blk->local_base = vm->local_base;
	blk->local_size = vm->local_size;
	blk->tokq_base = vm->tokq_base;
	blk->tokq_size = vm->tokq_size;
	blk->save_base = vm->save_base;
	blk->save_size = vm->save_size;
	blk->local_per_thread = vm->local;
	ctx_cmd(vm, PPU_CTX_CMD_LOAD);
	return ctx_status(vm) & PPU_CTX_BAD ? -EINVAL : 0;
}

static void vm_free(struct be_vm *vm)
{
	struct be_dev *dev = vm->dev;

	vram_free(dev, vm->local_base, vm->local_size);
	vram_free(dev, vm->tokq_base, vm->tokq_size);
	vram_free(dev, vm->save_base, vm->save_size);
	if (vm->root)
		pt_free(dev, vm->root, PPU_PT_LEVELS - 1);
	if (vm->inst)
		vram_free(dev, vm->inst, PPU_INST_SIZE);
	free(vm);
}

static uint64_t local_area(struct be_dev *dev, uint32_t bytes)
{
	return page_round(PPU_LOCAL_AREA_BYTES(dev->cfg.gpcs * dev->cfg.sms_per_gpc,
					       dev->cfg.warps_per_sm, bytes));
}

static int core_vm_create(struct be_dev *dev, struct be_vm **out)
{
	uint32_t sms = dev->cfg.gpcs * dev->cfg.sms_per_gpc;
	struct be_vm *vm = calloc(1, sizeof(*vm));
	int rc = -ENOSPC;

	if (!vm)
		return -ENOMEM;
	vm->dev = dev;
	vm->local = LOCAL_DEFAULT;
	dev_lock(dev);
	vm->context_id = ++dev->next_context;
	vm->local_size = local_area(dev, vm->local);
	/* A device with little memory gets little local memory. */
	while (vm->local > 16 && vm->local_size > dev->cfg.vram / 4) {
		vm->local /= 2;
		vm->local_size = local_area(dev, vm->local);
	}
	vm->tokq_size = page_round(PPU_TOKQ_AREA_BYTES(sms, dev->cfg.warps_per_sm, dev->cfg.tokq_entries));
	vm->save_size = page_round(PPU_SAVE_AREA_BYTES(sms, rd(dev, PPU_REG_CAP_SAVE_BYTES_PER_SM), 1,
						       vm->local));
	if (vram_alloc(dev, PPU_INST_SIZE, &vm->inst) || vram_alloc(dev, PPU_PAGE_SIZE, &vm->root))
		goto fail;
	if (vram_alloc(dev, vm->tokq_size, &vm->tokq_base)) {
		vm->tokq_size = vm->local_size = vm->save_size = 0;
		goto fail;
	}
	if (vram_alloc(dev, vm->local_size, &vm->local_base)) {
		vm->local_size = vm->save_size = 0;
		goto fail;
	}
	/* Without a save area tasks are not preempted; a small device may do without. */
	if (vm->save_size && (vm->save_size > dev->cfg.vram / 4 ||
			      vram_alloc(dev, vm->save_size, &vm->save_base)))
		vm->save_base = vm->save_size = 0;
	rc = inst_write(vm);
	if (rc)
		goto fail;
	vm->next = dev->vms;
	dev->vms = vm;
	dev_unlock(dev);
	*out = vm;
	return 0;
fail:
	if (!vm->inst || !vm->root)
		vm->local_size = vm->tokq_size = vm->save_size = 0;
	vm_free(vm);
	dev_unlock(dev);
	return rc;
}

static void core_vm_destroy(struct be_vm *vm)
{
	struct be_dev *dev = vm->dev;

	dev_lock(dev);
	ctx_cmd(vm, PPU_CTX_CMD_STOP);
	ctx_cmd(vm, PPU_CTX_CMD_FORGET);
	serve_errors(dev);
	for (struct be_vm **p = &dev->vms; *p; p = &(*p)->next) {
		if (*p == vm) {
			*p = vm->next;
			break;
		}
	}
	vm_free(vm);
	dev_unlock(dev);
}

static uint32_t core_vm_local(struct be_vm *vm)
{
	return vm->local;
}

static int core_vm_set_local(struct be_vm *vm, uint32_t bytes)
{
	struct be_dev *dev = vm->dev;
	uint64_t base = 0, size, old_base, old_size;
	uint32_t old = vm->local;
	int rc = 0;

	if (bytes > (1u << 24))
		return -EINVAL;
	bytes = (bytes + 15) & ~15u;
	size = local_area(dev, bytes);
	dev_lock(dev);
	if (ctx_status(vm) & PPU_CTX_BUSY) {
		rc = -EBUSY;
	} else if (size && vram_alloc(dev, size, &base)) {
		rc = -ENOSPC;
	} else {
		old_base = vm->local_base;
		old_size = vm->local_size;
		vm->local = bytes;
		vm->local_base = base;
		vm->local_size = size;
		rc = inst_write(vm);
		if (rc) {
			vm->local = old;
			vm->local_base = old_base;
			vm->local_size = old_size;
			vram_free(dev, base, size);
			inst_write(vm);
		} else {
			vram_free(dev, old_base, old_size);
		}
	}
	dev_unlock(dev);
	return rc;
}

static int core_vm_faults(struct be_vm *vm, struct ppu_fault_rec *recs, unsigned *n)
{
	int faulted;

	dev_lock(vm->dev);
	serve_errors(vm->dev);
	if (*n > vm->num_faults)
		*n = vm->num_faults;
	memcpy(recs, vm->faults, *n * sizeof(*recs));
	faulted = vm->faulted;
	dev_unlock(vm->dev);
	return faulted;
}

/* ---- channels ------------------------------------------------------------------------------- */

static int core_chan_create(struct be_vm *vm, unsigned cls, uint32_t entries, unsigned prio,
			    struct be_chan **out)
{
	struct be_dev *dev = vm->dev;
	struct core_chan *c;
	int rc = -ENOSPC;

	if (entries < 3 || entries > dev->cfg.ring_max)
		return -EINVAL;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->vm = vm;
	dev_lock(dev);
	while (c->id < dev->cfg.channels && dev->chan_used[c->id])
		c->id++;
	c->ring_size = page_round((uint64_t)entries * sizeof(struct ppu_gpfifo_entry));
	if (c->id == dev->cfg.channels || bus_alloc(dev, c->ring_size, &c->ring_addr))
		goto fail;
	c->ring_va = PPU_VA_USER_END + c->id * RING_VA_STRIDE;
	rc = pt_map(vm, c->ring_va, c->ring_size, c->ring_addr + BUS_BASE,
		    PPU_PTE_SYS | PPU_PTE_PRIV | PPU_PTE_NOEXEC);
	if (rc)
		goto fail_ring;
	wr64(dev, chcfg(c, PPU_REG_CH_INST_LO), vm->inst | PPU_APERTURE_VRAM);
	wr64(dev, chcfg(c, PPU_REG_CH_RING_LO), c->ring_va);
	wr(dev, chcfg(c, PPU_REG_CH_RING_ENTRIES), entries);
	wr(dev, chcfg(c, PPU_REG_CH_CLASS), cls);
	wr(dev, chcfg(c, PPU_REG_CH_PRIORITY), prio);
	wr(dev, chcfg(c, PPU_REG_CH_TIMESLICE_NS), 0);
	wr(dev, chcfg(c, PPU_REG_CH_ENGINE_MASK), 0);
	wr(dev, chcfg(c, PPU_REG_CH_FLAGS), 0);
	wr(dev, chcfg(c, PPU_REG_CH_GET), 0);
	wr(dev, chcfg(c, PPU_REG_CH_PUT), 0);
	wr(dev, chcfg(c, PPU_REG_CH_CMD), PPU_CH_CMD_ENABLE);
	if (!(rd(dev, chcfg(c, PPU_REG_CH_STATUS)) & PPU_CHS_ENABLED)) {
		wr(dev, chcfg(c, PPU_REG_CH_CMD), PPU_CH_CMD_RESET);
		rc = vm->faulted ? -EIO : -EINVAL;
		goto fail_ring;
	}
	dev->chan_used[c->id] = 1;
	c->base.ring = (volatile struct ppu_gpfifo_entry *)(dev->sys + c->ring_addr);
	c->base.entries = entries;
	c->base.hw_channel = c->id;
	dev_unlock(dev);
	*out = &c->base;
	return 0;
fail_ring:
	pt_map(vm, c->ring_va, c->ring_size, 0, ~0ull);
	bus_free(dev, c->ring_addr, c->ring_size);
fail:
	dev_unlock(dev);
	free(c);
	return rc;
}

static void core_chan_stop(struct be_chan *base)
{
	struct core_chan *c = (struct core_chan *)base;
	struct be_dev *dev = c->vm->dev;

	dev_lock(dev);
	if (!c->stopped) {
		c->stopped = true;
		wr(dev, chcfg(c, PPU_REG_CH_CMD), PPU_CH_CMD_STOP);
		/* Copies stop between chunks: bounded device time. */
		while (!(rd(dev, chcfg(c, PPU_REG_CH_STATUS)) & PPU_CHS_STOPPED)) {
			uint64_t next = ppu_core_next_event(dev->core);

			if (next == PPU_TIME_NEVER)
				break;
			ppu_core_run(dev->core, next);
		}
		wr(dev, chcfg(c, PPU_REG_CH_CMD), PPU_CH_CMD_RESET);
		pt_map(c->vm, c->ring_va, c->ring_size, 0, ~0ull);
		bus_free(dev, c->ring_addr, c->ring_size);
		dev->chan_used[c->id] = 0;
		dev->error_gen++;
		serve_errors(dev);
	}
	dev_unlock(dev);
}

static void core_chan_free(struct be_chan *base)
{
	core_chan_stop(base);
	free(base);
}

static uint32_t core_chan_get(struct be_chan *base)
{
	struct core_chan *c = (struct core_chan *)base;

	return ppu_core_userd_peek(c->vm->dev->core, userd(c, PPU_REG_USERD_GP_GET));
}

static void core_chan_put(struct be_chan *base, uint32_t put)
{
	struct core_chan *c = (struct core_chan *)base;

	dev_lock(c->vm->dev);
	wr(c->vm->dev, userd(c, PPU_REG_USERD_GP_PUT), put);
	dev_unlock(c->vm->dev);
}

static void core_chan_kick(struct be_chan *base)
{
	struct core_chan *c = (struct core_chan *)base;

	dev_lock(c->vm->dev);
	wr(c->vm->dev, userd(c, PPU_REG_USERD_KICK), 1);
	dev_unlock(c->vm->dev);
}

static uint32_t chan_error(struct core_chan *c)
{
	if (c->stopped)
		return PPU_ERR_CTX_STOPPED;
	return ppu_core_userd_peek(c->vm->dev->core, userd(c, PPU_REG_USERD_ERROR));
}

static int core_chan_state(struct be_chan *base, struct be_chan_state *st)
{
	struct core_chan *c = (struct core_chan *)base;
	struct be_dev *dev = c->vm->dev;

	memset(st, 0, sizeof(*st));
	dev_lock(dev);
	if (!c->stopped) {
		st->error = rd(dev, chcfg(c, PPU_REG_CH_ERROR));
		st->get = rd(dev, chcfg(c, PPU_REG_CH_ERROR_INFO));
		st->va = rd(dev, chcfg(c, PPU_REG_CH_ERROR_VA_LO));
		st->va |= (uint64_t)rd(dev, chcfg(c, PPU_REG_CH_ERROR_VA_HI)) << 32;
	}
	dev_unlock(dev);
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
	dev_lock(s->dev);
	*value = __atomic_load_n(s->word, __ATOMIC_ACQUIRE);
	dev_unlock(s->dev);
	return 0;
}

static int core_sem_wait(struct be_sem *sem, const volatile uint64_t *word, uint64_t value,
			 const struct be_limits *lim, struct be_chan *base)
{
	struct be_dev *dev = sem->dev;
	struct core_chan *c = (struct core_chan *)base;
	uint64_t seen, next;
	unsigned steps = 0;
	int rc;

	dev_lock(dev);
	seen = dev->error_gen - 1;
	for (;;) {
		if (__atomic_load_n(word, __ATOMIC_ACQUIRE) >= value) {
			rc = 0;
			break;
		}
		if (dev->error_gen != seen) {
			serve_errors(dev);
			seen = dev->error_gen;
			if (c->vm->faulted || chan_error(c)) {
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
				ppu_core_run(dev->core, lim->device_ns);
			rc = -ETIME;
			break;
		}
		if (lim->host_ns != UINT64_MAX && !(steps++ & 15) && ppu_be_now() >= lim->host_ns) {
			rc = -ETIME;
			break;
		}
		ppu_core_run(dev->core, next);
		dev_yield(dev);
	}
	dev_unlock(dev);
	return rc;
}

static void core_poll(struct be_dev *dev)
{
	uint64_t next;

	dev_lock(dev);
	next = ppu_core_next_event(dev->core);
	if (next != PPU_TIME_NEVER) {
		uint64_t until = ppu_core_time(dev->core) + POLL_NS;

		ppu_core_run(dev->core, next > until ? next : until);
		serve_errors(dev);
	}
	dev_unlock(dev);
}

const struct be_ops ppu_be_core = {
	.name = "core", .count = core_count, .open = core_open, .close = core_close,
	.props = core_props, .time = core_time, .counters = core_counters, .mem_info = core_mem_info,
	.vm_create = core_vm_create, .vm_destroy = core_vm_destroy, .vm_local = core_vm_local,
	.vm_set_local = core_vm_set_local, .vm_faults = core_vm_faults,
	.bo_alloc = core_bo_alloc, .bo_user = core_bo_user, .bo_free = core_bo_free, .bo_map = core_bo_map,
	.bind = core_bind, .unbind = core_unbind,
	.chan_create = core_chan_create, .chan_stop = core_chan_stop, .chan_free = core_chan_free,
	.chan_get = core_chan_get, .chan_put = core_chan_put, .chan_kick = core_chan_kick,
	.chan_state = core_chan_state,
	.sem_create = core_sem_create, .sem_destroy = core_sem_destroy, .sem_read = core_sem_read,
	.sem_wait = core_sem_wait,
	.poll = core_poll,
};
