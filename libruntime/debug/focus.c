/* SPDX-License-Identifier: MIT */
/* Which thread is looked at, and what there is on the device. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "debug/state.h"

#define MOST_SMS	1024u
#define MOST_CTAS	64u

/* ---- where --------------------------------------------------------------------------------------------------- */

bool dbg_look(uint32_t sm, uint32_t slot, struct dbg_warp *w)
{
	if (!dbg.ops->look_warp(dbg.dev, sm, slot, &w->w) || !dbg.ops->look_cta(dbg.dev, sm, w->w.cta, &w->c))
		return false;
	w->sm = sm;
	w->slot = slot;
	w->code = dbg_code_of(w->c.seen.task.inst, w->c.seen.task.id);
	return true;
}

bool dbg_each_cta(bool (*fn)(uint32_t sm, uint32_t slot, const struct ppu_look_cta *c, void *arg), void *arg)
{
	struct ppu_look_cta c;

	for (uint32_t sm = 0; sm < MOST_SMS; sm++)
		for (uint32_t slot = 0; slot < MOST_CTAS; slot++)
			if (dbg.ops->look_cta(dbg.dev, sm, slot, &c) && fn(sm, slot, &c, arg))
				return true;
	return false;
}

void dbg_focus_on(uint32_t sm, uint32_t slot, uint32_t lane)
{
	struct dbg_warp w;

	dbg.focus.is = dbg_look(sm, slot, &w);
	if (!dbg.focus.is)
		return;
	dbg.focus = (struct dbg_focus){
		.is = true, .sm = sm, .slot = slot, .lane = lane, .serial = w.c.seen.task.serial, .cta = w.c.seen.index,
		.warp = w.w.index,
	};
}

static bool find_focus(uint32_t sm, uint32_t slot, const struct ppu_look_cta *c, void *arg)
{
	if (c->seen.task.serial != dbg.focus.serial || c->seen.index != dbg.focus.cta || dbg.focus.warp >= c->seen.warps)
		return false;
	dbg.focus.sm = sm;
	dbg.focus.slot = c->warp[dbg.focus.warp];
	return true;
}

static bool still_there(struct dbg_warp *w)
{
	return dbg_look(dbg.focus.sm, dbg.focus.slot, w) && w->c.seen.task.serial == dbg.focus.serial &&
	       w->c.seen.index == dbg.focus.cta && w->w.index == dbg.focus.warp;
}

/* A finding is about an instruction that is done, mostly. */
static void where_it_was_found(struct dbg_warp *w)
{
	const struct dbg_found *f = &dbg.stop.found;

	if (dbg.stop.at.kind == DBG_IN_CHECK && f->focus.is && f->focus.serial == dbg.focus.serial && f->focus.cta == dbg.focus.cta &&
	    f->focus.warp == dbg.focus.warp)
		w->w.addr[f->focus.lane] = f->pc;
}

bool dbg_focused(struct dbg_warp *w)
{
	if (!dbg.focus.is || !(still_there(w) || (dbg_each_cta(find_focus, NULL) && still_there(w))))
		return false;
	where_it_was_found(w);
	return true;
}

bool dbg_is_focus(const struct ppu_seen_insn *i)
{
	return dbg.focus.is && i->warp == dbg.focus.warp && i->cta == dbg.focus.cta && i->serial == dbg.focus.serial;
}

unsigned dbg_depth(const struct ppu_look_warp *w, uint32_t lane)
{
	unsigned depth = 0;

	for (uint32_t i = 0; i < w->tokens && i < PPU_LOOK_TOKENS; i++)
		depth += PPU_TOK_TYPE(w->token[i]) == PPU_REASON_CALL && (PPU_TOK_MASK(w->token[i]) >> lane & 1);
	return depth;
}

void dbg_thread_of(const struct dbg_warp *w, uint32_t lane, uint32_t *xyz)
{
	const uint32_t *block = w->c.seen.task.block;
	uint32_t t = w->w.index * DBG_LANES + lane;

	xyz[0] = t % block[0];
	xyz[1] = t / block[0] % block[1];
	xyz[2] = t / block[0] / block[1];
}

const char *dbg_thread_text(const struct dbg_warp *w, uint32_t lane, char *buf, size_t len)
{
	uint32_t t[3];
	const uint32_t *b = w->c.seen.id;

	dbg_thread_of(w, lane, t);
	snprintf(buf, len, "kernel %u, block (%u,%u,%u), thread (%u,%u,%u)", (uint32_t)w->c.seen.task.id, b[0], b[1], b[2], t[0],
		 t[1], t[2]);
	return buf;
}

/* ---- changing it ------------------------------------------------------------------------------------------------ */

struct wanted {
	uint32_t kernel, block[3], thread[3], warp, lane;
	bool has_kernel, has_block, has_thread, has_warp, has_lane;
	uint32_t sm, slot;
	bool same_cta;
};

/* "(1,2,3)", "1,2" or "1". */
static const char *numbers(const char *p, uint32_t *v, unsigned n)
{
	bool paren = *(p += strspn(p, " \t")) == '(';

	p += paren;
	for (unsigned i = 0; i < n; i++) {
		char *end;

		v[i] = (uint32_t)strtoul(p, &end, 0);
		if (end == p)
			return NULL;
		p = end + strspn(end, " \t");
		if (*p != ',')
			break;
		p++;
	}
	return paren ? (*p == ')' ? p + 1 : NULL) : p;
}

static bool parse(const char *p, struct wanted *w)
{
	static const char *const names[] = { "kernel", "block", "thread", "warp", "lane" };
	uint32_t *const values[] = { &w->kernel, w->block, w->thread, &w->warp, &w->lane };
	bool *const has[] = { &w->has_kernel, &w->has_block, &w->has_thread, &w->has_warp, &w->has_lane };

	while (*(p += strspn(p, " \t"))) {
		unsigned i;
		size_t n = 0;

		for (i = 0; i < 5; i++) {
			n = strlen(names[i]);
			if (!strncmp(p, names[i], n) && !isalpha((unsigned char)p[n]))
				break;
		}
		p = i < 5 ? numbers(p + n, values[i], i == 1 || i == 2 ? 3 : 1) : NULL;
		if (!p)
			return false;
		*has[i] = true;
	}
	return true;
}

static bool fits(uint32_t sm, uint32_t slot, const struct ppu_look_cta *c, void *arg)
{
	struct wanted *w = arg;
	const uint32_t *d = c->seen.task.block, *t = w->thread;

	if (w->same_cta && (c->seen.task.serial != dbg.focus.serial || c->seen.index != dbg.focus.cta))
		return false;
	if ((w->has_kernel && w->kernel != (uint32_t)c->seen.task.id) ||
	    (w->has_block && memcmp(w->block, c->seen.id, sizeof(w->block)) != 0) ||
	    (!w->has_kernel && dbg.focus.is && c->seen.task.serial != dbg.focus.serial))
		return false;
	if (w->has_thread) {
		uint32_t n = t[0] + d[0] * (t[1] + d[1] * t[2]);

		if (t[0] >= d[0] || t[1] >= d[1] || t[2] >= d[2])
			return false;
		w->warp = n / DBG_LANES;
		w->lane = n % DBG_LANES;
	}
	if (w->warp >= c->seen.warps || w->lane >= DBG_LANES)
		return false;
	w->sm = sm;
	w->slot = c->warp[w->warp];
	return true;
}

void dbg_cmd_focus(const char *args)
{
	struct wanted want = { 0 };
	struct dbg_warp now;

	if (!*args) {
		dbg_show_place();
		return;
	}
	if (!parse(args, &want)) {
		dbg_say("focus [kernel N] [block (X,Y,Z)] [thread (X,Y,Z)] [warp N] [lane N]");
		return;
	}
	want.same_cta = !want.has_kernel && !want.has_block && dbg_focused(&now);
	if (want.same_cta && !want.has_warp)
		want.warp = dbg.focus.warp;
	if (want.same_cta && !want.has_lane && !want.has_warp)
		want.lane = dbg.focus.lane;
	if (!dbg_each_cta(fits, &want)) {
		dbg_say("There is no such thread on the device now: \"info blocks\" says which blocks are.");
		return;
	}
	dbg_focus_on(want.sm, want.slot, want.lane);
	dbg_show_place();
}

/* ---- lists ----------------------------------------------------------------------------------------------------- */

struct kernels {
	uint64_t serial[64];
	unsigned n;
};

static unsigned resident;

static bool count_cta(uint32_t sm, uint32_t slot, const struct ppu_look_cta *c, void *arg)
{
	resident += c->seen.task.serial == *(const uint64_t *)arg;
	return false;
}

static bool list_kernel(uint32_t sm, uint32_t slot, const struct ppu_look_cta *c, void *arg)
{
	struct dbg_code code = dbg_code_of(c->seen.task.inst, c->seen.task.id);
	const uint32_t *g = c->seen.task.grid, *b = c->seen.task.block;
	uint64_t serial = c->seen.task.serial;
	struct kernels *k = arg;
	char name[512];

	for (unsigned i = 0; i < k->n; i++)
		if (k->serial[i] == serial)
			return false;
	if (k->n == 64)
		return true;
	k->serial[k->n++] = serial;
	resident = 0;
	dbg_each_cta(count_cta, &serial);
	dbg_say("%c kernel %u: %s, grid (%u,%u,%u), block (%u,%u,%u), %u block%s on SMs%s",
		dbg.focus.is && dbg.focus.serial == serial ? '*' : ' ', (uint32_t)c->seen.task.id,
		code.kernel ? dbg_demangled(code.kernel, name, sizeof(name)) : "?", g[0], g[1], g[2], b[0], b[1], b[2], resident,
		resident == 1 ? "" : "s", c->seen.task.depth > 1 ? ", launched by a kernel" : "");
	return false;
}

void dbg_info_kernels(const char *args)
{
	struct kernels k = { .n = 0 };

	dbg_each_cta(list_kernel, &k);
	if (!k.n)
		dbg_say("No kernel has a block on an SM.");
}

static bool list_cta(uint32_t sm, uint32_t slot, const struct ppu_look_cta *c, void *arg)
{
	const uint32_t *b = c->seen.id;

	dbg_say("%c block (%u,%u,%u) of kernel %u: SM %u, %u warp%s, %u bytes shared%s",
		dbg.focus.is && dbg.focus.serial == c->seen.task.serial && dbg.focus.cta == c->seen.index ? '*' : ' ', b[0], b[1], b[2],
		(uint32_t)c->seen.task.id, sm, c->seen.warps, c->seen.warps == 1 ? "" : "s", c->shared_bytes,
		c->faulted ? ", has a fault" : "");
	++*(unsigned *)arg;
	return false;
}

void dbg_info_blocks(const char *args)
{
	unsigned n = 0;

	dbg_each_cta(list_cta, &n);
	if (!n)
		dbg_say("No block is on an SM.");
}

static const char *const states[] = {
#define S(name, number, words) [number] = (words),
	PPU_LOOK_STATES(S)
#undef S
};

void dbg_info_warps(const char *args)
{
	struct dbg_warp f, w;
	char place[512];

	if (!dbg_focused(&f)) {
		dbg_say("No thread is in focus.");
		return;
	}
	for (uint32_t i = 0; i < f.c.seen.warps; i++) {
		if (!dbg_look(f.sm, f.c.warp[i], &w))
			continue;
		if (!w.w.live)
			dbg_say("%c warp %u: has ended", i == dbg.focus.warp ? '*' : ' ', i);
		else
			dbg_say("%c warp %u: active 0x%08x, live 0x%08x, %s, %s", i == dbg.focus.warp ? '*' : ' ', i, w.w.active, w.w.live,
				states[w.w.state <= PPU_LOOK_HALTED ? w.w.state : 0],
				dbg_place_text(w.code.img, w.w.active ? w.w.pc : w.w.addr[__builtin_ctz(w.w.live)], place, sizeof(place)));
	}
}

/* ---- why lanes wait -------------------------------------------------------------------------------------------- */

/* Reasons as sentences: name and what such lanes wait for. */
static const char *const reasons[16] = {
	[PPU_REASON_NONE] = "waits for no reason",
	[PPU_REASON_SYNC] = "has come to where the lanes of its branch meet again, and waits for the others there",
	[PPU_REASON_DIV] = "took the other side of a branch, and waits for its turn",
	[PPU_REASON_CALL] = "has returned from a function, and waits for the others that were called with it",
	[PPU_REASON_YIELD] = "lets others go first, or waits for them at an instruction that needs them",
	[PPU_REASON_BRK] = "has left a loop, and waits for the others in it",
	[PPU_REASON_CONT] = "is at the end of a round of a loop, and waits for the others in it",
	[PPU_REASON_EXIT] = "has ended",
	[PPU_REASON_LONGJMP] = "has left a function by a long jump, and waits for the others",
};

static const char *reason(const struct ppu_look_warp *w, uint32_t lane)
{
	const char *words = reasons[w->reason[lane] & 15];

	if (!(w->exist >> lane & 1))
		return "does not exist";
	if (!(w->live >> lane & 1))
		return "has ended";
	if (w->active >> lane & 1)
		return "executes";
	if (w->bar_wait >> lane & 1)
		return "has arrived at a barrier of the block, and waits for the others";
	if (w->sync_wait >> lane & 1)
		return "has arrived at a barrier of the warp, and waits for the lanes of its mask";
	if (w->parked >> lane & 1)
		return "waits at an instruction that it cannot complete without other lanes";
	return words ? words : "waits for a reason of the program's own";
}

static bool same_lane(const struct ppu_look_warp *w, uint32_t a, uint32_t b)
{
	return reason(w, a) == reason(w, b) && (!(w->live >> a & 1) || w->addr[a] == w->addr[b]);
}

void dbg_info_lanes(const char *args)
{
	uint32_t left = ~0u, lanes, t[3];
	struct dbg_warp f;
	char place[512];

	if (!dbg_focused(&f)) {
		dbg_say("No thread is in focus.");
		return;
	}
	while (left) {
		uint32_t i = (uint32_t)__builtin_ctz(left);

		lanes = 0;
		for (uint32_t k = i; k < DBG_LANES; k++)
			lanes |= (left >> k & 1) && same_lane(&f.w, i, k) ? 1u << k : 0;
		left &= ~lanes;
		dbg_thread_of(&f, i, t);
		dbg_say("%c lanes 0x%08x, from thread (%u,%u,%u) on: %s%s%s", lanes >> dbg.focus.lane & 1 ? '*' : ' ', lanes, t[0], t[1],
			t[2], reason(&f.w, i), f.w.live >> i & 1 ? ", " : "",
			f.w.live >> i & 1 ? dbg_place_text(f.code.img, f.w.addr[i], place, sizeof(place)) : "");
	}
}

/* What a token will do when it comes to the front. */
static const char *const tokens[16] = {
	[PPU_REASON_SYNC] = "lanes that meet behind a branch go on",
	[PPU_REASON_DIV] = "the other side of a branch begins",
	[PPU_REASON_CALL] = "lanes that a call has parted return",
	[PPU_REASON_YIELD] = "lanes that let others go first go on",
	[PPU_REASON_BRK] = "lanes that have left a loop go on behind it",
	[PPU_REASON_CONT] = "the next round of a loop begins",
	[PPU_REASON_EXIT] = "lanes that are about to end go on",
	[PPU_REASON_LONGJMP] = "lanes that have left by a long jump go on",
};

void dbg_info_tokens(const char *args)
{
	struct dbg_warp f;
	char place[512];

	if (!dbg_focused(&f)) {
		dbg_say("No thread is in focus.");
		return;
	}
	if (!f.w.tokens)
		dbg_say("The divergence queue of warp %u is empty: nobody waits for another turn.", f.w.index);
	for (uint32_t i = 0; i < f.w.tokens && i < PPU_LOOK_TOKENS; i++) {
		uint64_t t = f.w.token[i];
		const char *words = tokens[PPU_TOK_TYPE(t)];
		uint32_t waiting = 0;

		FOR_LANES(l, PPU_TOK_MASK(t) & f.w.live & ~f.w.active)
			waiting |= f.w.reason[l] == PPU_TOK_TYPE(t) && f.w.addr[l] == PPU_TOK_ADDR(t) ? 1u << l : 0;
		dbg_say("%2u  lanes 0x%08x, of which 0x%08x wait for it: %s at %s", i, PPU_TOK_MASK(t), waiting,
			words ? words : "lanes that wait for a reason of the program's own go on",
			dbg_place_text(f.code.img, PPU_TOK_ADDR(t), place, sizeof(place)));
	}
	if (f.w.tokens > PPU_LOOK_TOKENS)
		dbg_say("    and %u more", f.w.tokens - PPU_LOOK_TOKENS);
}

void dbg_info_barriers(const char *args)
{
	struct dbg_warp f;
	unsigned n = 0;

	if (!dbg_focused(&f)) {
		dbg_say("No thread is in focus.");
		return;
	}
	for (unsigned b = 0; b < 16; b++) {
		unsigned arrived = 0;

		if (!f.c.bar[b].busy)
			continue;
		n++;
		for (uint32_t i = 0; i < f.c.seen.warps; i++)
			arrived += (unsigned)__builtin_popcount(f.c.bar[b].arrived[i]);
		dbg_say("barrier %u of %s: %u thread%s arrived", b, f.c.bar[b].count ? "some threads" : "all threads", arrived,
			arrived == 1 ? " has" : "s have");
		for (uint32_t i = 0; i < f.c.seen.warps; i++)
			if (f.c.bar[b].arrived[i])
				dbg_say("    of warp %u: lanes 0x%08x", i, f.c.bar[b].arrived[i]);
	}
	if (!n)
		dbg_say("Nobody waits at a barrier of the block.");
}
