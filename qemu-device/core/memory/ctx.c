/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contexts: validated copies of instance blocks, found by the block's physical address. */
#include <inttypes.h>
#include <string.h>
#include <hw/ppu_regs.h>
#include "core/base/alloc.h"
#include "core/base/guest_error.h"
#include "core/base/io.h"
#include "core/memory/ctx.h"
#include "core/memory/refmap.h"

#define HASH_SIZE 256
#define MAX_CONTEXTS 8192		/* bounds the memory a guest can make the device use */

struct ppu_ctxs {
	struct ppu_ctx *hash[HASH_SIZE];
	uint32_t n;
	struct ppu_owner *owners;	/* that have a number */
	uint64_t refused;		/* inst | 2: the last LOAD of an unknown context failed */
};

static struct ppu_ctx **bucket(struct ppu_core *core, uint64_t inst)
{
	return &core->ctxs->hash[ppu_hash64(inst) % HASH_SIZE];
}

struct ppu_ctx *ppu_ctx_find(struct ppu_core *core, uint64_t inst)
{
	struct ppu_ctx *c = *bucket(core, inst);

	while (c && c->inst != inst)
		c = c->next;
	return c;
}

static bool area_ok(const struct ppu_core *core, uint64_t base, uint64_t size)
{
	if (!size)
		return !base;
	return base % 16 == 0 && base < core->cfg.vram && size <= core->cfg.vram - base;
}

static const char *check(const struct ppu_core *core, const struct ppu_inst_block *b)
{
	if (b->magic != PPU_INST_MAGIC)
		return "bad magic";
	if (b->version != PPU_INST_VERSION)
		return "unknown version";
	if (b->flags)
		return "flags set";
	for (size_t i = 0; i < sizeof(b->reserved) / sizeof(b->reserved[0]); i++)
		if (b->reserved[i])
			return "reserved words set";
	if (b->pt_root & (PPU_PAGE_SIZE - 2))
		return "page table root is not aligned";
	if (!(b->pt_root & PPU_APERTURE_MASK) && b->pt_root >= core->cfg.vram)
		return "page table root is outside VRAM";
	if (b->max_depth < 1 || b->max_depth > PPU_MAX_DEPTH)
		return "impossible nesting depth";
	if (b->prio_ceiling && b->prio_ceiling >= core->cfg.device_priorities)
		return "priority ceiling above the device's priorities";
	if (b->local_per_thread % 16)
		return "local memory per thread is not a multiple of 16";
	if (!area_ok(core, b->local_base, b->local_size) ||
	    !area_ok(core, b->tokq_base, b->tokq_size) ||
	    !area_ok(core, b->save_base, b->save_size))
		return "an area is not aligned to 16 bytes or is outside VRAM";
	return NULL;
}

/* Do both blocks name the same areas?  A context with tasks must keep its areas, because warps have
 * pointers into them. */
static bool same_areas(const struct ppu_inst_block *a, const struct ppu_inst_block *b)
{
	return a->local_base == b->local_base && a->local_size == b->local_size &&
	       a->local_per_thread == b->local_per_thread && a->tokq_base == b->tokq_base &&
	       a->tokq_size == b->tokq_size && a->save_base == b->save_base &&
	       a->save_size == b->save_size && a->max_depth == b->max_depth;
}

/* ---- owners ------------------------------------------------------------------------------------------ */

static void put_owner(struct ppu_core *core, struct ppu_owner *o)
{
	struct ppu_owner **p = &core->ctxs->owners;

	if (--o->num_ctxs)
		return;
	while (*p && *p != o)
		p = &(*p)->next;
	if (*p)
		*p = o->next;
	ppu_owner_parts_free(o);
	ppu_free(o);
}

/* The owner with this number, which gets one context more.  NULL: out of memory. */
static struct ppu_owner *get_owner(struct ppu_core *core, uint64_t id)
{
	struct ppu_owner *o = id ? core->ctxs->owners : NULL;

	while (o && o->id != id)
		o = o->next;
	if (!o) {
		o = ppu_alloc(1, sizeof(*o));
		if (!o)
			return NULL;
		o->id = id;
		if (id) {
			o->next = core->ctxs->owners;
			core->ctxs->owners = o;
		}
	}
	o->num_ctxs++;
	if (ppu_owner_parts_grow(o))
		return o;
	put_owner(core, o);
	return NULL;
}

/* ---- contexts ---------------------------------------------------------------------------------------- */

void ppu_ctx_free(struct ppu_core *core, struct ppu_ctx *c)
{
	ppu_ctx_parts_free(c);
	if (c->owner)
		put_owner(core, c->owner);
	ppu_free(c);
}

/* NULL: out of memory. */
static struct ppu_ctx *new_ctx(struct ppu_core *core, uint64_t inst, uint64_t owner)
{
	struct ppu_ctx *c = ppu_alloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->inst = inst;
	c->owner = get_owner(core, owner);
	if (c->owner && ppu_ctx_parts_create(core, c))
		return c;
	ppu_ctx_free(core, c);
	return NULL;
}

void ppu_ctx_load(struct ppu_core *core, uint64_t inst)
{
	struct ppu_phys p = { inst & ~PPU_APERTURE_MASK, inst & PPU_APERTURE_MASK };
	struct ppu_ctx *c = ppu_ctx_find(core, inst), *new = NULL, **b;
	struct ppu_inst_block blk;
	const char *why = NULL;

	_Static_assert(sizeof(blk) == PPU_INST_SIZE, "an instance block is one page");
	if (inst & (PPU_PAGE_SIZE - 2))
		why = "address is not aligned";
	else if (ppu_mem_read(core, p, &blk, sizeof(blk)))
		why = "memory cannot be reached";
	else
		why = check(core, &blk);
	if (!why && c && c->num_tasks && !same_areas(&c->blk, &blk))
		why = "areas changed while there are tasks";
	if (!why && c && c->blk.owner != blk.owner)
		why = "the owner changed";
	if (!why && !c && core->ctxs->n >= MAX_CONTEXTS)
		why = "too many contexts";
	if (!why && !c) {
		new = new_ctx(core, inst, blk.owner);
		if (!new)
			why = "the host has no memory left";
	}
	if (why) {
		ppu_guest_error(core, "instance block at 0x%llx refused: %s",
				(unsigned long long)inst, why);
		if (c)
			c->bad_load = true;
		else
			core->ctxs->refused = inst | 2;
		return;
	}
	ppu_ctx_forgive(core, inst);
	if (new) {
		c = new;
		b = bucket(core, inst);
		c->next = *b;
		*b = c;
		core->ctxs->n++;
	}
	c->blk = blk;
	c->bad_load = c->faulted = c->stopped = c->too_deep = false;
	core->xlat_gen++;
	ppu_mem_code_changed(core);
	ppu_sem_remap(core, c);
}

bool ppu_ctx_refused(const struct ppu_core *core, uint64_t inst)
{
	return core->ctxs->refused == (inst | 2);
}

void ppu_ctx_forgive(struct ppu_core *core, uint64_t inst)
{
	if (core->ctxs->refused == (inst | 2))
		core->ctxs->refused = 0;
}

void ppu_ctx_unlink(struct ppu_core *core, struct ppu_ctx *c)
{
	struct ppu_ctx **b = bucket(core, c->inst);

	while (*b != c)
		b = &(*b)->next;
	*b = c->next;
	core->ctxs->n--;
	core->xlat_gen++;
	ppu_mem_code_changed(core);
}

void ppu_io_ctx(struct ppu_core *core, struct ppu_io *io, struct ppu_ctx **c)
{
	uint64_t inst = *c ? (*c)->inst : UINT64_MAX;

	ppu_io_u64(io, &inst);
	if (!io->loading)
		return;
	*c = NULL;
	if (inst == UINT64_MAX || io->failed)
		return;
	*c = ppu_ctx_find(core, inst);
	if (!*c)
		ppu_io_fail(io, "context 0x%" PRIx64 " does not exist", inst);
}

int ppu_ctxs_create(struct ppu_core *core)
{
	core->ctxs = ppu_alloc(1, sizeof(*core->ctxs));
	return core->ctxs ? 0 : -1;
}

static void clear(struct ppu_core *core)
{
	for (unsigned i = 0; i < HASH_SIZE; i++) {
		struct ppu_ctx *c = core->ctxs->hash[i], *next;

		for (; c; c = next) {
			next = c->next;
			ppu_ctx_free(core, c);
		}
		core->ctxs->hash[i] = NULL;
	}
	core->ctxs->n = 0;
	core->ctxs->refused = 0;
}

void ppu_ctxs_destroy(struct ppu_core *core)
{
	if (core->ctxs)
		clear(core);
	ppu_free(core->ctxs);
	core->ctxs = NULL;
}

/* Everything that points to a context has been reset before (ppu.c resets users first). */
void ppu_ctxs_reset(struct ppu_core *core)
{
	clear(core);
}

static void io_own(struct ppu_io *io, struct ppu_ctx *c)
{
	ppu_io_u64(io, &c->inst);
	ppu_io_bool(io, &c->faulted);
	ppu_io_bool(io, &c->stopped);
	ppu_io_bool(io, &c->bad_load);
	if (io->version >= 12)
		ppu_io_bool(io, &c->too_deep);
	ppu_io_bytes(io, &c->blk, sizeof(c->blk));
}

static void load_ctx(struct ppu_core *core, struct ppu_io *io)
{
	struct ppu_ctx was = { .inst = 0 }, *c, **b;

	io_own(io, &was);
	if (io->failed || (was.inst & (PPU_PAGE_SIZE - 2)) || check(core, &was.blk) || ppu_ctx_find(core, was.inst)) {
		ppu_io_fail(io, "bad instance block");
		return;
	}
	c = new_ctx(core, was.inst, was.blk.owner);
	if (!c) {
		ppu_io_fail(io, "out of memory");
		return;
	}
	c->faulted = was.faulted;
	c->stopped = was.stopped;
	c->bad_load = was.bad_load;
	c->too_deep = was.too_deep;
	c->blk = was.blk;
	ppu_ctx_parts_io(core, io, c);
	/* Append the context to its chain, so that saving again gives the same bytes. */
	b = bucket(core, c->inst);
	while (*b)
		b = &(*b)->next;
	*b = c;
	core->ctxs->n++;
}

/*
 * The block is saved as the device knows it (memory may have changed since LOAD).  Counts are not saved: tmu.c
 * counts num_tasks, chan.c counts num_channels, and num_ready and the waiters follow from the channels.  Each
 * unit counts again as it loads.
 */
void ppu_ctxs_io(struct ppu_core *core, struct ppu_io *io)
{
	struct ppu_ctxs *s = core->ctxs;
	uint32_t n = s->n;

	ppu_io_u32(io, &n);
	ppu_io_u64(io, &s->refused);
	if (!io->loading) {
		for (unsigned i = 0; i < HASH_SIZE; i++) {
			for (struct ppu_ctx *c = s->hash[i]; c; c = c->next) {
				io_own(io, c);
				ppu_ctx_parts_io(core, io, c);
			}
		}
		return;
	}
	if (n > MAX_CONTEXTS) {
		ppu_io_fail(io, "too many contexts");
		return;
	}
	while (n-- && !io->failed)
		load_ctx(core, io);
}
