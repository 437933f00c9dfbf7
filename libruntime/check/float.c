/* SPDX-License-Identifier: MIT */
/*
 * floatcheck: where numbers go wrong.  An instruction is told if it makes a NaN of operands that are none, an infinity of
 * finite ones, or a subnormal number of normal ones: not the many that go on with it.  Finite sums are told if they are much
 * smaller than what was added.
 *
 * A compiler may compute what a program does not choose: `x != 0 ? 1 / x : 0` without a branch.  What only a choice reads waits
 * for it, and is looked at for the lanes that take it.
 *
 * A mathematical function of the device's library is one instruction here: what it makes on its way does not matter, if its
 * result is right.
 *
 * What a thread loads is nobody's here.  To tell it when it is asked for, a lane is noted once it has made or told a NaN:
 * the first NaN among operands of any other lane came from outside.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hw/ppu_isa_check.h>
#include "check/cta.h"
#include "check/float.h"
#include "compiler/obj/image.h"

#define LANES	PPU_OBSERVE_LANES

bool chk_float_loaded;
unsigned chk_float_bits;

/*
 * Functions of the library, for double (__nv_NAME) and float (__nv_NAMEf), whose result is all that is looked at, and how many
 * numbers they take.  0: nor is the result, which is in memory or an integer, or they take more than we look at.  The others
 * (sqrt, fma) are as good as their instructions.
 */
#define FUNCTIONS(F) \
	F(acos, 1) F(acosh, 1) F(asin, 1) F(asinh, 1) F(atan, 1) F(atanh, 1) F(atan2, 2) F(cbrt, 1) F(cos, 1) F(cosh, 1) F(cospi, 1) \
	F(erf, 1) F(erfc, 1) F(erfcinv, 1) F(erfcx, 1) F(erfinv, 1) F(exp, 1) F(exp10, 1) F(exp2, 1) F(expm1, 1) F(fmod, 2) \
	F(frexp, 1) F(hypot, 2) F(ilogb, 0) F(lgamma, 1) F(log, 1) F(log10, 1) F(log1p, 1) F(log2, 1) F(logb, 1) F(modf, 1) \
	F(norm, 0) F(norm3d, 3) F(norm4d, 0) F(normcdf, 1) F(normcdfinv, 1) F(pow, 2) F(powi, 1) F(rcbrt, 1) F(remainder, 2) \
	F(remquo, 2) F(rhypot, 2) F(rnorm, 0) F(rnorm3d, 3) F(rnorm4d, 0) F(round, 1) F(sin, 1) F(sincos, 0) F(sincospi, 0) \
	F(sinh, 1) F(sinpi, 1) F(tan, 1) F(tanh, 1) F(tgamma, 1)
static const struct function {
	const char *name;
	unsigned numbers;
} functions[] = {
#define F(name, numbers) { #name, numbers },
	FUNCTIONS(F)
#undef F
};

#define GIVEN	6			/* registers of three doubles */

struct call {				/* of a lane, in a function of the library */
	const struct function *of;	/* NULL: one whose instructions are looked at */
	uint32_t type, pc, back;
	uint32_t given[GIVEN];
};

struct waiting {			/* for a choice */
	struct waiting *next;
	struct ppu_seen_float f;
	uint32_t row[4][2][LANES];	/* operands, result */
};

struct warp {
	struct waiting *first;		/* the oldest */
	unsigned waiting;
	uint32_t known;			/* lanes that had a NaN */
	uint32_t inside;		/* lanes in a function of the library */
	struct call call[LANES];
};

struct cta {
	struct chk_cta is;
	struct warp warp[];
};

static void end(struct chk_cta *is)
{
	struct cta *c = (struct cta *)is;

	for (uint32_t i = 0; i < c->is.warps; i++)
		for (struct waiting *w = c->warp[i].first, *next; w; w = next) {
			next = w->next;
			free(w);
		}
	free(c);
}

static struct chk_ctas ctas = { .drop = end };

static struct cta *cta_of(const struct ppu_seen_cta *s)
{
	return chk_cta_of(&ctas, s, sizeof(struct cta) + s->warps * sizeof(struct warp));
}

void chk_float_cta_end(const struct ppu_seen_cta *c)
{
	chk_cta_end(&ctas, c);
}

void chk_float_task_end(const struct ppu_seen_task *t)
{
	chk_cta_end_all(&ctas, t);
}

/* ---- numbers ----------------------------------------------------------------------------------- */

/* A number of any type: its value, and whether it is subnormal in its type. */
struct number {
	double value;
	bool tiny;
};

static struct number half_number(uint32_t v, unsigned exponent_bits, unsigned fraction_bits)
{
	uint32_t e = v >> fraction_bits & ((1u << exponent_bits) - 1), f = v & ((1u << fraction_bits) - 1);
	int bias = (1 << (exponent_bits - 1)) - 1;
	struct number n = { .tiny = !e && f };

	if (e == (1u << exponent_bits) - 1)
		n.value = f ? NAN : INFINITY;
	else
		n.value = ldexp(f + (e ? 1u << fraction_bits : 0), (int)(e ? e : 1) - bias - (int)fraction_bits);
	if (v >> 15 & 1)
		n.value = -n.value;
	return n;
}

static struct number number_of(unsigned type, const uint32_t (*row)[PPU_OBSERVE_LANES], uint32_t lane, unsigned half)
{
	uint64_t wide = ppu_type_bits(type) == 64 ? row[0][lane] | (uint64_t)row[1][lane] << 32 : 0;
	uint32_t v = row[0][lane] >> 16 * half;
	struct number n = { 0 };
	float f;

	switch (type) {
	case PPU_T_F64:
		memcpy(&n.value, &wide, sizeof(n.value));
		n.tiny = fpclassify(n.value) == FP_SUBNORMAL;
		return n;
	case PPU_T_F32:
		memcpy(&f, &row[0][lane], sizeof(f));
		n.value = (double)f;
		n.tiny = fpclassify(f) == FP_SUBNORMAL;
		return n;
	case PPU_T_F16: case PPU_T_F16X2:
		return half_number(v & 0xffff, 5, 10);
	case PPU_T_BF16: case PPU_T_BF16X2:
		return half_number(v & 0xffff, 8, 7);
	case PPU_T_U64:
		n.value = (double)wide;
		return n;
	case PPU_T_S64:
		n.value = (double)(int64_t)wide;
		return n;
	case PPU_T_S8:
		n.value = (int8_t)v;
		return n;
	case PPU_T_S16:
		n.value = (int16_t)v;
		return n;
	case PPU_T_S32:
		n.value = (int32_t)row[0][lane];
		return n;
	default:
		n.value = row[0][lane];
		return n;
	}
}

static bool is_pair(unsigned type)
{
	return type == PPU_T_F16X2 || type == PPU_T_BF16X2;
}

/* One result of a lane, and what it was made of. */
struct result {
	uint32_t lane;
	struct number number, operand[3];
	unsigned n;
	bool any_nan, any_inf, any_tiny;
};

static void take(const struct ppu_seen_float *f, uint32_t lane, unsigned half, struct result *r)
{
	*r = (struct result){ .lane = lane, .number = number_of(f->type, f->result, lane, half), .n = f->operands };
	for (unsigned i = 0; i < f->operands; i++) {
		struct number *o = &r->operand[i];

		*o = number_of(f->from, f->operand[i], lane, half);
		r->any_nan |= isnan(o->value) != 0;
		r->any_inf |= isinf(o->value) != 0;
		r->any_tiny |= o->tiny;
	}
	if (f->op != PPU_OP_CVT2)
		return;
	/* Of two numbers the first becomes the upper half, the second the lower one. */
	r->operand[0] = r->operand[half ? 0 : 1];
	r->n = 1;
	r->any_nan = isnan(r->operand[0].value) != 0;
	r->any_inf = isinf(r->operand[0].value) != 0;
	r->any_tiny = r->operand[0].tiny;
}

/* How much smaller the sum is than the larger of what was added, in bits; of products, of what they are at least. */
static int lost_bits(const struct ppu_seen_float *f, const struct result *r)
{
	const struct number *o = r->operand;
	int a, b;

	if (!isfinite(r->number.value) || r->number.value == 0 || r->any_nan || r->any_inf)
		return 0;
	if (f->op == PPU_OP_FMA) {
		a = o[0].value == 0 || o[1].value == 0 ? INT32_MIN / 2 : ilogb(o[0].value) + ilogb(o[1].value);
		b = o[2].value == 0 ? INT32_MIN / 2 : ilogb(o[2].value);
	} else {
		a = o[0].value == 0 ? INT32_MIN / 2 : ilogb(o[0].value);
		b = o[1].value == 0 ? INT32_MIN / 2 : ilogb(o[1].value);
	}
	return (a > b ? a : b) - ilogb(r->number.value);
}

static bool may_cancel(const struct ppu_seen_float *f)
{
	return chk_float_bits && (f->op == PPU_OP_ADD || f->op == PPU_OP_SUB || f->op == PPU_OP_FMA);
}

static enum chk_kind kind_of(const struct ppu_seen_float *f, const struct result *r)
{
	double v = r->number.value;

	if (isnan(v))
		return r->any_nan ? CHK_NAN_LOADED : CHK_NAN;
	if (isinf(v))
		return r->any_nan || r->any_inf ? CHK_NOTHING : CHK_INFINITY;
	if (r->number.tiny)
		return r->any_tiny ? CHK_NOTHING : CHK_SUBNORMAL;
	return may_cancel(f) && lost_bits(f, r) >= (int)chk_float_bits ? CHK_CANCELLATION : CHK_NOTHING;
}

/* ---- what is told ------------------------------------------------------------------------------ */

static const char *op_name(unsigned op)
{
	switch (op) {
	case PPU_OP_ADD:	return "addition";
	case PPU_OP_SUB:	return "subtraction";
	case PPU_OP_MUL:	return "multiplication";
	case PPU_OP_FMA:	return "multiplication and addition";
	case PPU_OP_DIV:	return "division";
	case PPU_OP_RCP:	return "reciprocal";
	case PPU_OP_SQRT:	return "square root";
	case PPU_OP_RSQRT:	return "reciprocal square root";
	case PPU_OP_SIN:	return "sine";
	case PPU_OP_COS:	return "cosine";
	case PPU_OP_EX2:	return "power of 2";
	case PPU_OP_LG2:	return "logarithm";
	case PPU_OP_TANH:	return "hyperbolic tangent";
	default:		return "conversion";
	}
}

static const char *type_name(unsigned type)
{
#define T(name, code, bits, suffix) [PPU_T_##name] = (suffix),
	static const char *const names[PPU_T_COUNT] = { PPU_TYPES(T) };
#undef T

	return names[type];
}

static int digits(unsigned type)
{
	return type == PPU_T_F64 || type == PPU_T_U64 || type == PPU_T_S64 ? 17 : PPU_TS_H >> type & 1 ? 5 : 9;
}

/* One sign for all NaNs: which one the C library prints is not ours. */
static int say_number(char *buf, size_t len, double v, unsigned type)
{
	return isnan(v) ? snprintf(buf, len, "NaN") : snprintf(buf, len, "%.*g", digits(type), v);
}

/* name: of a function; NULL: an instruction. */
static void sentence(const struct ppu_seen_float *f, const char *name, const struct result *r, enum chk_kind kind, char *buf,
		     size_t len)
{
	size_t n = (size_t)snprintf(buf, len, "%s of %s", name ? name : op_name(f->op), type_name(f->from));

	if (f->op == PPU_OP_CVT || f->op == PPU_OP_CVT2)
		n += (size_t)snprintf(buf + n, len - n, " to %s", type_name(f->type));
	if (kind == CHK_CANCELLATION)
		n += (size_t)snprintf(buf + n, len - n, " loses %d bits:", lost_bits(f, r));
	n += (size_t)snprintf(buf + n, len - n, " gives ");
	n += (size_t)say_number(buf + n, len - n, r->number.value, f->type);
	/* A compiler leaves out a function's argument if it is the same in all calls, and then the others move up. */
	for (unsigned i = 0; i < r->n && !(name && r->n > 1); i++) {
		n += (size_t)snprintf(buf + n, len - n, "%s", !i ? " from " : i + 1 == r->n ? " and " : ", ");
		n += (size_t)say_number(buf + n, len - n, r->operand[i].value, f->from);
	}
	if (kind == CHK_NAN_LOADED)
		snprintf(buf + n, len - n, "; this thread has computed no NaN before");
}

static void tell(struct chk_ctx *c, const struct ppu_seen_float *f, const char *name, uint32_t lanes,
		 const struct result *first, enum chk_kind kind)
{
	struct chk_finding d = { .kind = kind, .by_line = true };
	struct chk_place place;

	sentence(f, name, first, kind, d.what, sizeof(d.what));
	chk_place_of(c, &f->at, lanes, &place);
	d.place = &place;
	chk_report(&d);
}

/* Of these lanes those that have not had a NaN yet. */
static uint32_t new_nans(const struct ppu_seen_float *f, uint32_t lanes)
{
	struct cta *cta = chk_float_loaded ? cta_of(f->at.cta) : NULL;
	uint32_t *known = cta ? &cta->warp[f->at.warp].known : NULL, fresh = known ? lanes & ~*known : 0;

	if (known)
		*known |= lanes;
	return fresh;
}

static void look(struct chk_ctx *c, const struct ppu_seen_float *f, const char *name)
{
	for (unsigned half = 0; half <= is_pair(f->type); half++) {
		uint32_t lanes[CHK_NUM_KINDS] = { 0 };
		struct result first[CHK_NUM_KINDS], r;

		FOR_LANES(l, f->lanes) {
			enum chk_kind kind;

			take(f, l, half, &r);
			kind = kind_of(f, &r);
			if (kind == CHK_NAN_LOADED && !new_nans(f, 1u << l))
				kind = CHK_NOTHING;
			else if (kind == CHK_NAN)
				new_nans(f, 1u << l);
			if (!lanes[kind])
				first[kind] = r;
			lanes[kind] |= 1u << l;
		}
		for (enum chk_kind kind = CHK_NOTHING + 1; kind < CHK_NUM_KINDS; kind++)
			if (lanes[kind])
				tell(c, f, name, lanes[kind], &first[kind], kind);
	}
}

/* Lanes in a function of the library that came from one place: they are told there. */
static uint32_t called_together(const struct warp *w, uint32_t lanes)
{
	const struct call *first = &w->call[__builtin_ctz(lanes)];
	uint32_t same = 0;

	FOR_LANES(l, lanes)
		same |= w->call[l].pc == first->pc && w->call[l].of == first->of ? 1u << l : 0;
	return same;
}

static void look_at_all(struct chk_ctx *c, const struct ppu_seen_float *f)
{
	const struct cta *cta = chk_cta_find(&ctas, f->at.cta);
	const struct warp *w = cta ? &cta->warp[f->at.warp] : NULL;
	uint32_t inside = w ? f->lanes & w->inside : 0, lanes;
	struct ppu_seen_float some = *f;

	some.lanes &= ~inside;
	if (some.lanes)
		look(c, &some, NULL);
	for (; inside; inside &= ~lanes) {
		lanes = called_together(w, inside);
		some.lanes = lanes;
		some.at.pc = w->call[__builtin_ctz(lanes)].pc;
		if (!w->call[__builtin_ctz(lanes)].of)
			look(c, &some, NULL);
	}
}

/* ---- choices ----------------------------------------------------------------------------------- */

/* All that one choice can be made of is less far before it; more would be one that never comes. */
#define MOST_WAITING	1024

static bool defer(const struct ppu_seen_float *f)
{
	struct cta *cta = cta_of(f->at.cta);
	struct warp *warp = cta ? &cta->warp[f->at.warp] : NULL;
	struct waiting *w = warp && warp->waiting < MOST_WAITING ? calloc(1, sizeof(*w)) : NULL, **last;

	if (!w)
		return false;
	warp->waiting++;
	last = &warp->first;
	w->f = *f;
	for (unsigned i = 0; i < f->operands; i++) {
		memcpy(w->row[i], f->operand[i], (ppu_type_bits(f->from) == 64 ? 2 : 1) * sizeof(w->row[i][0]));
		w->f.operand[i] = (const uint32_t (*)[LANES])w->row[i];
	}
	memcpy(w->row[3], f->result, (ppu_type_bits(f->type) == 64 ? 2 : 1) * sizeof(w->row[3][0]));
	w->f.result = (const uint32_t (*)[LANES])w->row[3];
	while (*last)
		last = &(*last)->next;
	*last = w;
	return true;
}

void chk_float_arithmetic(struct chk_ctx *c, const struct ppu_seen_float *f)
{
	if (f->choice == PPU_SEEN_NO_CHOICE || !defer(f))
		look_at_all(c, f);
}

void chk_float_choose(struct chk_ctx *c, const struct ppu_seen_warp *at, uint32_t first, uint32_t second)
{
	struct cta *cta = chk_cta_find(&ctas, at->cta);
	struct waiting **p = cta ? &cta->warp[at->warp].first : NULL, *w;

	while (p && (w = *p)) {
		if (w->f.choice != at->pc) {
			p = &w->next;
			continue;
		}
		*p = w->next;
		cta->warp[at->warp].waiting--;
		w->f.at.cta = at->cta;
		w->f.lanes &= w->f.second ? second : first;
		if (w->f.lanes)
			look_at_all(c, &w->f);
		free(w);
	}
}

/* ---- functions --------------------------------------------------------------------------------- */

/* Is there a function of the library?  *of: NULL, or it is one of the table. */
static bool is_library(const struct chk_ctx *c, const struct ppu_seen_cta *cta, uint32_t pc, const struct function **of,
		       uint32_t *type)
{
	static const char prefix[] = "__nv_";
	uint32_t number = (uint32_t)(cta->task.id >> 32);
	const struct ppu_image *img = number < c->num_kernels ? c->kernels[number].img : NULL;
	const struct ppu_symbol *s = img ? ppu_image_function(img, pc) : NULL;
	const char *name = s && s->name && !strncmp(s->name, prefix, sizeof(prefix) - 1) ? s->name + sizeof(prefix) - 1 : NULL;

	*of = NULL;
	for (unsigned i = 0; name && i < sizeof(functions) / sizeof(functions[0]); i++) {
		size_t n = strlen(functions[i].name);

		if (strncmp(name, functions[i].name, n) != 0 || (name[n] && strcmp(name + n, "f") != 0))
			continue;
		*type = name[n] ? PPU_T_F32 : PPU_T_F64;
		*of = &functions[i];
	}
	return name;
}

static void enter(struct chk_ctx *c, const struct ppu_seen_call *s, uint32_t lanes)
{
	const struct function *of;
	uint32_t type = PPU_T_NONE;
	struct cta *cta = is_library(c, s->at.cta, s->to[__builtin_ctz(lanes)], &of, &type) ? cta_of(s->at.cta) : NULL;
	struct warp *w = cta ? &cta->warp[s->at.warp] : NULL;

	if (!w)
		return;
	FOR_LANES(l, lanes) {
		struct call *call = &w->call[l];

		*call = (struct call){ .of = of, .type = type, .pc = s->at.pc, .back = s->at.pc + 1 };
		for (unsigned i = 0; i < GIVEN && PPU_ABI_FIRST_ARG + i < s->regs; i++)
			call->given[i] = s->reg[PPU_ABI_FIRST_ARG + i][l];
		w->inside |= 1u << l;
	}
}

/* The lanes that have called from one place, and the result: like an instruction. */
static void leave(struct chk_ctx *c, const struct ppu_seen_call *s, const struct warp *w, uint32_t lanes)
{
	const struct call *call = &w->call[__builtin_ctz(lanes)];
	unsigned words = call->type == PPU_T_F64 ? 2 : 1;
	uint32_t given[GIVEN][LANES] = { { 0 } };
	struct ppu_seen_float f = {
		.at = s->at, .op = PPU_OP_NOP, .type = call->type, .from = call->type, .lanes = lanes,
		.operands = call->of->numbers, .result = s->reg + PPU_ABI_FIRST_ARG,
	};

	f.at.pc = call->pc;
	FOR_LANES(l, lanes)
		for (unsigned i = 0; i < GIVEN; i++)
			given[i][l] = w->call[l].given[i];
	for (unsigned i = 0; i < f.operands; i++)
		f.operand[i] = (const uint32_t (*)[LANES])&given[i * words];
	look(c, &f, call->of->name);
}

static void come_back(struct chk_ctx *c, const struct ppu_seen_call *s)
{
	struct cta *cta = chk_cta_find(&ctas, s->at.cta);
	struct warp *w = cta ? &cta->warp[s->at.warp] : NULL;
	uint32_t todo = 0, same;

	FOR_LANES(l, w ? s->lanes & w->inside : 0)
		todo |= s->to[l] == w->call[l].back ? 1u << l : 0;
	for (; todo; todo &= ~same) {
		same = called_together(w, todo);
		w->inside &= ~same;
		if (w->call[__builtin_ctz(same)].of && w->call[__builtin_ctz(same)].of->numbers && s->regs > PPU_ABI_FIRST_ARG + 1)
			leave(c, s, w, same);
	}
}

void chk_float_call(struct chk_ctx *c, const struct ppu_seen_call *s)
{
	const struct cta *cta = chk_cta_find(&ctas, s->at.cta);
	uint32_t left = s->lanes;

	if (s->returns) {
		come_back(c, s);
		return;
	}
	if (cta)
		left &= ~cta->warp[s->at.warp].inside;
	while (left) {			/* by what they call */
		uint32_t first = (uint32_t)__builtin_ctz(left), same = 0;

		FOR_LANES(l, left)
			same |= s->to[l] == s->to[first] ? 1u << l : 0;
		left &= ~same;
		enter(c, s, same);
	}
}
