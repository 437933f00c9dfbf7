/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Host instructions into a buffer. */
#ifdef PPU_TRANSLATE
#include <string.h>
#include "core/base/alloc.h"
#include "core/sm/translate/emit.h"

/* ---- buffers ---- */

void ppu_emit_init(struct ppu_emit *e, uint32_t max_bytes, struct ppu_emit_with *with)
{
	memset(e, 0, sizeof(*e));
	e->max = max_bytes;
	e->with = with;
	e->evex = with && with->evex;
	e->encoder = with ? with->encoder : NULL;
	if (!e->encoder)
		e->encoder = e->own = ppu_alloc(1, sizeof(*e->own));
	if (e->encoder)
		e->encoder->evex = e->evex;
	else
		e->failed = true;
}

void ppu_emit_free(struct ppu_emit *e)
{
	ppu_free(e->code);
	ppu_free(e->pool);
	ppu_free(e->label);
	ppu_free(e->fixup);
	ppu_free(e->own);
	e->own = e->encoder = NULL;
	e->code = e->pool = NULL;
	e->label = NULL;
	e->fixup = NULL;
}

/* Room for `more` more elements in an array. */
static bool room(struct ppu_emit *e, void **array, uint32_t *cap, uint32_t len, uint32_t more, size_t size)
{
	uint32_t n = *cap ? *cap : 256;
	void *p;

	if (e->failed || len + more <= *cap)
		return !e->failed;
	while (n < len + more)
		n *= 2;
	p = ppu_realloc(*array, n * size);
	if (!p) {
		e->failed = true;
		return false;
	}
	*array = p;
	*cap = n;
	return true;
}

/* ---- instructions ---- */

/* Room for the longest instruction. */
static bool more_code(struct ppu_emit *e)
{
	if (e->len + 16 > e->max)
		e->failed = true;
	return room(e, (void **)&e->code, &e->cap, e->len, 16, 1);
}

/* len: 0 if there is no such instruction. */
static void appended(struct ppu_emit *e, unsigned len)
{
	if (!len)
		e->failed = true;
	e->len += len;
}

/* The operand for the width that the code is for. */
static struct ppu_opn of_width(const struct ppu_emit *e, const struct ppu_opn *o)
{
	uint8_t kind = o->kind, bytes = o->bytes;

	switch (kind) {
	case PPU_O_YMM:
		kind = e->wide ? PPU_O_ZMM : PPU_O_YMM;
		break;
	case PPU_O_HALF:
		kind = e->wide ? PPU_O_YMM : PPU_O_XMM;
		break;
	case PPU_O_VSIB:
		kind = e->wide ? PPU_O_VSIB_Z : PPU_O_VSIB;
		break;
	default:
		break;
	}
	if (bytes == PPU_VEC)
		bytes = e->wide ? 64 : 32;
	if (bytes == PPU_HALF)
		bytes = e->wide ? 32 : 16;
	return (struct ppu_opn){ kind, o->reg, bytes, o->value };
}

static void ops(struct ppu_emit *e, ZydisMnemonic mn, const struct ppu_opn *with, unsigned n, bool zeroing)
{
	struct ppu_opn o[PPU_OPNS];
	unsigned i;

	if (!more_code(e))
		return;
	for (i = 0; i < n; i++)
		o[i] = of_width(e, &with[i]);
	appended(e, ppu_encode(e->encoder, mn, o, n, zeroing, e->code + e->len));
}

void ppu_emit_ops(struct ppu_emit *e, ZydisMnemonic mn, const struct ppu_opn *o, unsigned n)
{
	ops(e, mn, o, n, false);
}

void ppu_emit_zeroing(struct ppu_emit *e, ZydisMnemonic mn, const struct ppu_opn *o, unsigned n)
{
	ops(e, mn, o, n, true);
}

/* ---- marks ---- */

void ppu_emit_mark(struct ppu_emit *e, uint32_t pc)
{
	struct ppu_emit_with *w = e->with;

	if (!w || !w->marking || !room(e, (void **)&w->mark, &w->mark_cap, w->marks, 1, sizeof(*w->mark)))
		return;
	w->mark[w->marks++] = (struct ppu_mark){ e->len, pc };
}

/* ---- labels ---- */

uint32_t ppu_emit_label(struct ppu_emit *e)
{
	if (!room(e, (void **)&e->label, &e->label_cap, e->labels, 1, sizeof(*e->label)))
		return 0;
	e->label[e->labels].at = -1;
	return e->labels++;
}

void ppu_emit_bind(struct ppu_emit *e, uint32_t label)
{
	/* Every few instructions, so nobody who cancels waits for long. */
	if (e->with && e->with->cancel && __atomic_load_n(e->with->cancel, __ATOMIC_RELAXED))
		e->failed = true;
	if (!e->failed)
		e->label[label].at = (int32_t)e->len;
}

void ppu_emit_jump(struct ppu_emit *e, ZydisMnemonic mn, uint32_t label)
{
	if (!more_code(e))
		return;
	appended(e, ppu_encode_jump(e->encoder, mn, e->code + e->len));
	if (!room(e, (void **)&e->fixup, &e->fixup_cap, e->fixups, 1, sizeof(*e->fixup)))
		return;
	e->fixup[e->fixups].at = e->len;
	e->fixup[e->fixups++].label = label;
}

bool ppu_emit_used(const struct ppu_emit *e, uint32_t label)
{
	uint32_t i;

	for (i = 0; i < e->fixups; i++)
		if (e->fixup[i].label == label)
			return true;
	return false;
}

bool ppu_emit_finish(struct ppu_emit *e)
{
	uint32_t i;

	for (i = 0; i < e->fixups && !e->failed; i++) {
		const struct ppu_fixup *f = &e->fixup[i];
		int32_t to = e->label[f->label].at, dist = to - (int32_t)f->at;

		if (to < 0)
			e->failed = true;
		else
			memcpy(e->code + f->at - 4, &dist, 4);
	}
	return !e->failed;
}

/* ---- the pool ---- */

uint32_t ppu_emit_note(struct ppu_emit *e)
{
	return 8 * e->notes++;
}

uint32_t ppu_emit_pool(struct ppu_emit *e, const void *data, uint32_t bytes)
{
	uint32_t at, align = bytes % 32 ? 8 : bytes % 64 ? 32 : 64;

	if (!room(e, (void **)&e->pool, &e->pool_cap, e->pool_len, bytes + 64, 1))
		return 0;
	at = (e->pool_len + align - 1) / align * align;
	memset(e->pool + e->pool_len, 0, at - e->pool_len);
	memcpy(e->pool + at, data, bytes);
	e->pool_len = at + bytes;
	return at;
}

uint32_t ppu_emit_vector(struct ppu_emit *e, const uint32_t *word)
{
	return ppu_emit_pool(e, word, e->evex ? 64 : 32);
}

uint32_t ppu_emit_splat64(struct ppu_emit *e, uint64_t v)
{
	uint32_t h = (uint32_t)((v * 0x9e3779b97f4a7c15ull) >> 54), i, words[16], at, bytes = e->evex ? 64 : 32;

	for (i = 0; i < 16; i++)
		words[i] = (uint32_t)(i & 1 ? v >> 32 : v);
	if (e->constant[h] && !memcmp(e->pool + (size_t)(e->constant[h] - 1u) * 32, words, bytes))
		return (e->constant[h] - 1u) * 32;
	at = ppu_emit_vector(e, words);
	if (at / 32 < 65535)
		e->constant[h] = (uint16_t)(at / 32 + 1);
	return at;
}

uint32_t ppu_emit_splat(struct ppu_emit *e, uint32_t v)
{
	return ppu_emit_splat64(e, (uint64_t)v << 32 | v);
}
#endif
