/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Save and restore: one walk over all units, the same code in both directions.
 *
 * Layout: magic, version, configuration (must be equal), time, counters, then a tagged section for
 * each unit in the order of PPU_UNITS.  Little-endian.  Indices are checked by the unit that owns
 * them; what can be derived is not in the stream.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/event.h"
#include "core/ppu_int.h"

#define STATE_MAGIC 0x5453555050ull	/* "PPUST" */
#define STATE_VERSION 8

void ppu_io_fail(struct ppu_io *io, const char *fmt, ...)
{
	va_list ap;

	if (io->failed)
		return;
	io->failed = true;
	va_start(ap, fmt);
	vsnprintf(io->why, sizeof(io->why), fmt, ap);
	va_end(ap);
}

void ppu_io_bytes(struct ppu_io *io, void *p, size_t n)
{
	if (!n)
		return;
	if (io->failed) {
		if (io->loading && n)
			memset(p, 0, n);
		return;
	}
	if (io->loading) {
		if (n > io->len - io->pos) {
			ppu_io_fail(io, "the saved state is cut short");
			memset(p, 0, n);
			return;
		}
		if (n)
			memcpy(p, io->buf + io->pos, n);
		io->pos += n;
		return;
	}
	if (n > io->cap - io->pos) {
		size_t cap = (io->cap + n) * 2;
		uint8_t *buf = realloc(io->buf, cap);

		if (!buf) {
			ppu_io_fail(io, "out of memory");
			return;
		}
		io->buf = buf;
		io->cap = cap;
	}
	memcpy(io->buf + io->pos, p, n);
	io->pos += n;
	io->len = io->pos;
}

void ppu_io_u8(struct ppu_io *io, uint8_t *v)
{
	ppu_io_bytes(io, v, 1);
}

#define IO_INT(bits) \
void ppu_io_u##bits(struct ppu_io *io, uint##bits##_t *v) \
{ \
	uint8_t b[bits / 8]; \
	for (unsigned i = 0; i < bits / 8; i++) \
		b[i] = (uint8_t)(*v >> (8 * i)); \
	ppu_io_bytes(io, b, sizeof(b)); \
	if (!io->loading) \
		return; \
	*v = 0; \
	for (unsigned i = 0; i < bits / 8; i++) \
		*v = (uint##bits##_t)(*v | (uint##bits##_t)b[i] << (8 * i)); \
}
IO_INT(16)
IO_INT(32)
IO_INT(64)

void ppu_io_bool(struct ppu_io *io, bool *v)
{
	uint8_t b = *v;

	ppu_io_u8(io, &b);
	if (b > 1)
		ppu_io_fail(io, "a flag is neither 0 nor 1");
	*v = b == 1;
}

void ppu_io_section(struct ppu_io *io, const char tag[4])
{
	char t[4];

	memcpy(t, tag, 4);
	ppu_io_bytes(io, t, 4);
	if (io->loading && memcmp(t, tag, 4))
		ppu_io_fail(io, "section %.4s expected", tag);
}

void ppu_io_event(struct ppu_core *core, struct ppu_io *io, struct ppu_event *ev)
{
	bool pending = ppu_event_pending(ev);
	uint64_t when = ev->when, seq = ev->seq;

	ppu_io_bool(io, &pending);
	if (!pending)
		return;
	ppu_io_u64(io, &when);
	ppu_io_u64(io, &seq);
	if (!io->loading || io->failed)
		return;
	if (when < core->now || when >> 63 || seq >= core->events->next_seq || ppu_event_pending(ev)) {
		ppu_io_fail(io, "an event lies in the past");
		return;
	}
	ev->when = when;
	ev->seq = seq;
	ppu_event_insert(core, ev);
}

void ppu_io_task(struct ppu_core *core, struct ppu_io *io, struct ppu_task **t)
{
	uint32_t i = *t ? (*t)->index : UINT32_MAX;

	ppu_io_u32(io, &i);
	if (!io->loading)
		return;
	*t = NULL;
	if (i == UINT32_MAX || io->failed)
		return;
	if (i < core->cfg.task_records)
		*t = ppu_tmu_task(core, i);
	if (!*t)
		ppu_io_fail(io, "task %u does not exist", i);
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

static void walk(struct ppu_core *core, struct ppu_io *io)
{
	uint64_t magic = STATE_MAGIC;
	uint32_t version = STATE_VERSION, counters = PPU_CTR_COUNT;

	ppu_io_u64(io, &magic);
	ppu_io_u32(io, &version);
	if (magic != STATE_MAGIC)
		ppu_io_fail(io, "this is not the state of a PPU");
	if (version != STATE_VERSION)
		ppu_io_fail(io, "state version %u is not known", version);
#define P(c, name, type, def, min, max, doc) { \
		uint64_t v = core->cfg.c; \
		ppu_io_u64(io, &v); \
		if (v != core->cfg.c) \
			ppu_io_fail(io, "property " name " was %" PRIu64 " when the state was saved", v); \
	}
	PPU_PROPS(P)
#undef P
	ppu_io_u64(io, &core->now);
	if (core->now >> 62)		/* sums of times do not overflow */
		ppu_io_fail(io, "device time is too late");
	ppu_io_u32(io, &counters);
	if (counters != PPU_CTR_COUNT)
		ppu_io_fail(io, "other counters");
	for (unsigned i = 0; i < PPU_CTR_COUNT; i++)
		ppu_io_u64(io, &core->ctr[i]);
#define U(name) if (!io->failed) { \
		ppu_io_section(io, (#name "    ")); \
		ppu_##name##_io(core, io); \
	}
	PPU_UNITS(U)
#undef U
	ppu_io_section(io, "end.");
}

int ppu_core_save(struct ppu_core *core, uint8_t **bytes, size_t *len)
{
	struct ppu_io io = { .loading = false };

	walk(core, &io);
	if (io.failed) {
		free(io.buf);
		return -1;
	}
	*bytes = io.buf;
	*len = io.len;
	return 0;
}

int ppu_core_load(struct ppu_core *core, const uint8_t *bytes, size_t len, char **err)
{
	struct ppu_io io = { .loading = true, .buf = (uint8_t *)(uintptr_t)bytes, .len = len };
	void (*trace)(void *, const struct ppu_trace_rec *) = core->ports.trace;
	void (*irq)(void *, unsigned) = core->ports.raise_irq;

	/* What was traced and sent before stays in the past. */
	core->ports.trace = NULL;
	core->ports.raise_irq = NULL;
	ppu_core_reset(core);
	walk(core, &io);
	if (!io.failed && io.pos != io.len)
		ppu_io_fail(&io, "bytes follow the saved state");
	if (io.failed) {
		ppu_core_reset(core);
		core->now = 0;
		if (err)
			*err = strdup(io.why);
	}
	core->ports.trace = trace;
	core->ports.raise_irq = irq;
	return io.failed ? -1 : 0;
}
