/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lab 13: the core's unit host/ce.c (see there), with the student's engines in it.  Addresses are translated here, and what
 * a copy is to others is told here: traces, counters, waiters, faults, whose channel it is.
 */
#include <string.h>
#include "core/base/alloc.h"
#include "core/base/event.h"
#include "core/base/trace.h"
#include "core/host/ce.h"
#include "core/host/chan.h"
#include "core/host/hostsched.h"
#include "core/memory/ctx.h"
#include "core/memory/mem.h"
#include "core/memory/mmu.h"
#include "core/memory/sem.h"
#include "engine.h"
#include "labends.h"
#include "machine.h"
#include "wire.h"

struct slot {
	struct ppu_event event;
	struct ppu_ctx *ctx;			/* NULL: free */
	struct ppu_copy c;
	uint64_t start;
	int err;				/* of the last access that failed */
	uint64_t bad_va;
	bool bad_write;
};

struct ppu_ces {
	struct slot v[ENGINES];
};

static struct ppu_core *the_core;
static uint64_t written_now;

static struct slot *slot_of(unsigned engine, const char *function)
{
	if (engine >= the_core->cfg.copy_engines)
		end_wrong("%s: there is no engine %u", function, engine);
	return &the_core->ces->v[engine];
}

static struct slot *working(unsigned engine, const char *function)
{
	struct slot *s = slot_of(engine, function);

	if (!s->ctx)
		end_wrong("%s: engine %u has no copy", function, engine);
	return s;
}

/* ---- what the engines call ------------------------------------------------------------------------ */

uint64_t dev_now(void)
{
	return the_core->now;
}

uint64_t dev_setup_ns(void)
{
	return (uint64_t)the_core->cfg.cost_cmd_ns + the_core->cfg.cost_ce_setup_ns;
}

uint64_t dev_mbps(void)
{
	return the_core->cfg.cost_ce_mbps;
}

void dev_at(unsigned engine, uint64_t ns)
{
	struct slot *s = working(engine, "dev_at()");

	if (ns < the_core->now)
		end_wrong("dev_at(): %llu ns is over, it is %llu", (unsigned long long)ns, (unsigned long long)the_core->now);
	ppu_event_cancel(the_core, &s->event);
	ppu_event_schedule(the_core, &s->event, ns);
}

static void check_length(uint64_t n, const char *function)
{
	if (n > CHUNK_BYTES)
		end_wrong("%s: %llu bytes are more than a chunk", function, (unsigned long long)n);
}

/* How many of n bytes from va on are in one place; 0: the first of them cannot be accessed, which is remembered. */
static uint64_t reach(struct slot *s, uint64_t va, uint64_t n, unsigned access, struct ppu_xlat *x)
{
	int err = ppu_mmu_lookup(the_core, s->ctx, va, access, PPU_XL_NULL, x);

	if (err) {
		s->err = err;
		s->bad_va = va;
		s->bad_write = access == PPU_ACC_WRITE;
		return 0;
	}
	return x->len < n ? x->len : n;
}

uint64_t dev_reach(unsigned engine, uint64_t va, uint64_t n, bool write)
{
	struct slot *s = working(engine, write ? "dev_write()" : "dev_read()");
	struct ppu_xlat x;
	uint64_t done = 0;

	while (done < n && !ppu_mmu_lookup(the_core, s->ctx, va + done, write ? PPU_ACC_WRITE : PPU_ACC_READ, PPU_XL_NULL, &x))
		done += x.len < n - done ? x.len : n - done;
	return done;
}

uint64_t dev_read(unsigned engine, uint64_t va, void *buf, uint64_t n)
{
	struct slot *s = working(engine, "dev_read()");
	uint64_t done = 0, part;
	struct ppu_xlat x;

	check_length(n, "dev_read()");
	for (; done < n && (part = reach(s, va + done, n - done, PPU_ACC_READ, &x)); done += part)
		memcpy((uint8_t *)buf + done, x.host, part);
	return done;
}

uint64_t dev_write(unsigned engine, uint64_t va, const void *buf, uint64_t n)
{
	struct slot *s = working(engine, "dev_write()");
	uint64_t done = 0, part;
	struct ppu_xlat x;

	check_length(n, "dev_write()");
	for (; done < n && (part = reach(s, va + done, n - done, PPU_ACC_WRITE, &x)); done += part) {
		memcpy(x.host, (const uint8_t *)buf + done, part);
		if (!(x.pte & PPU_PTE_NULL)) {
			ppu_mem_dirty(the_core, x.phys, part);
			ppu_sem_written(the_core, x.phys, part, PPU_TRW_CE, engine);
		}
		written_now += part;
		the_core->ctr[PPU_CTR_CE_BYTES] += part;
	}
	if (written_now > written_at_once)
		written_at_once = written_now;
	return done;
}

void dev_fault(unsigned engine, uint64_t va, bool write)
{
	struct slot *s = working(engine, "dev_fault()");
	struct ppu_fault_rec rec = {
		.va = va, .access = write ? PPU_ACC_WRITE : PPU_ACC_READ, .unit = PPU_UNIT_CE,
		.unit_index = (uint16_t)engine, .pc = ~0u, .lane = PPU_FAULT_NO_LANE,
		.code = s->err == PPU_ERR_SM_DMA ? PPU_ERR_DMA_FAULT : PPU_ERR_COPY_FAULT,
	};

	if (!s->err)
		end_wrong("dev_fault(): no access of engine %u has failed", engine);
	if (va != s->bad_va || write != s->bad_write)
		end_wrong("dev_fault() says a %s of %llx; what failed is a %s of %llx", write ? "write" : "read",
			  (unsigned long long)va, s->bad_write ? "write" : "read", (unsigned long long)s->bad_va);
	ppu_chan_fault(the_core, s->c.chid, &rec);
	if (s->ctx)
		end_wrong("engine %u is not free after a fault", engine);
}

static void stop(struct slot *s)
{
	ppu_event_cancel(the_core, &s->event);
	the_core->ctr[PPU_CTR_CE_BUSY_NS] += the_core->now - s->start;
	s->ctx = NULL;
}

void dev_done(unsigned engine, uint64_t bytes)
{
	struct slot *s = working(engine, "dev_done()");
	unsigned chid = s->c.chid;

	if (engine_busy(engine))
		end_wrong("dev_done(): engine %u says that it is busy", engine);
	PPU_TRACE(the_core, CE_DONE, engine, chid, s->c.id, bytes, 0);
	the_core->ctr[PPU_CTR_CE_COPIES]++;
	stop(s);
	ppu_host_copy_done(the_core, chid);
}

/* ---- what the host interface calls ------------------------------------------------------------------- */

static void on_event(struct ppu_core *core, void *arg)
{
	written_now = 0;
	engine_event((unsigned)((struct slot *)arg - core->ces->v));
}

int ppu_ce_free(struct ppu_core *core, uint32_t mask)
{
	for (unsigned i = 0; i < core->cfg.copy_engines; i++)
		if (!ppu_ce_busy(core, i) && (!mask || (mask & 1u << i)))
			return (int)i;
	return -1;
}

bool ppu_ce_busy(const struct ppu_core *core, unsigned engine)
{
	if (engine_busy(engine) != (core->ces->v[engine].ctx != NULL))
		end_wrong("engine_busy(%u) says %s, and the engine has %s copy", engine, engine_busy(engine) ? "yes" : "no",
			  core->ces->v[engine].ctx ? "a" : "no");
	return engine_busy(engine);
}

void ppu_ce_start(struct ppu_core *core, unsigned engine, struct ppu_ctx *ctx, const struct ppu_copy *copy)
{
	struct slot *s = &core->ces->v[engine];
	struct ce_copy c = {
		.op = copy->op, .elem_bytes = 1u << copy->elem_log2, .src = copy->src, .dst = copy->dst,
		.src_pitch = copy->src_pitch, .dst_pitch = copy->dst_pitch, .width = copy->width, .rows = copy->rows,
		.value = copy->value,
	};

	s->ctx = ctx;
	s->c = *copy;
	s->start = core->now;
	s->err = 0;
	PPU_TRACE(core, CE_START, engine, copy->chid, copy->id, copy->width * copy->rows, copy->dst);
	written_now = 0;
	engine_start(engine, &c);
	if (s->ctx && !engine_busy(engine))
		end_wrong("engine_busy(%u) says no after engine_start()", engine);
}

void ppu_ce_abort(struct ppu_core *core, unsigned chid)
{
	for (unsigned i = 0; i < core->cfg.copy_engines; i++) {
		struct slot *s = &core->ces->v[i];

		if (!s->ctx || s->c.chid != chid)
			continue;
		PPU_TRACE(core, CE_ABORT, i, chid, s->c.id, 0, 0);
		engine_stop(i);
		if (engine_busy(i))
			end_wrong("engine_busy(%u) says yes after engine_stop()", i);
		stop(s);
	}
}

int ppu_ces_create(struct ppu_core *core)
{
	the_core = core;
	core->ces = ppu_alloc(1, sizeof(*core->ces));
	if (!core->ces || core->cfg.copy_engines > ENGINES || !ppu_events_reserve(core, ENGINES))
		return -1;
	for (unsigned i = 0; i < ENGINES; i++)
		ppu_event_init(&core->ces->v[i].event, PPU_EVP_CE, on_event, &core->ces->v[i]);
	engine_reset();
	return 0;
}

void ppu_ces_destroy(struct ppu_core *core)
{
	ppu_free(core->ces);
	core->ces = NULL;
}

void ppu_ces_reset(struct ppu_core *core)
{
	for (unsigned i = 0; i < core->cfg.copy_engines; i++) {
		ppu_event_cancel(core, &core->ces->v[i].event);
		core->ces->v[i].ctx = NULL;
	}
	engine_reset();
}

/* The state of a device in this lab is never saved. */
void ppu_copy_io(struct ppu_io *io, struct ppu_copy *c)
{
	(void)c;
	ppu_io_fail(io, "lab 13 saves no state");
}

void ppu_ces_io(struct ppu_core *core, struct ppu_io *io)
{
	(void)core;
	ppu_io_fail(io, "lab 13 saves no state");
}
