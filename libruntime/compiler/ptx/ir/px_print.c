/* SPDX-License-Identifier: MIT */
/* The IR as text. */
#include <inttypes.h>
#include "compiler/ptx/ir/px_object.h"
#include "compiler/ptx/ir/px_print.h"

static const char *const type_name[PPU_T_COUNT] = {
#define T(name, code, bits, suffix) [code] = suffix,
	PPU_TYPES(T)
#undef T
};
static const char *const space_name[PPU_SPACE_COUNT] = {
#define S(name, code, text) [code] = text,
	PPU_SPACES(S)
#undef S
};
static const char *const cmp_name[PPU_CMP_COUNT] = {
#define C(name, code, text) [code] = text,
	PPU_CMPS(C)
#undef C
};

static void print_val(FILE *o, const struct px_func *f, px_val v)
{
	const struct px_value *x = px_value(f, v);

	if (x->fixed >= 0)
		fprintf(o, "R%d", x->fixed);
	else
		fprintf(o, "%c%u", x->width ? 'v' : 'p', v);
	if (x->width > 1)
		fprintf(o, ":%u", x->width);
	if (x->fixed < 0 && x->reg >= 0)
		fprintf(o, "=%c%d", x->width ? 'R' : 'P', x->reg);
}

static void print_pred(FILE *o, const struct px_func *f, struct px_predref p)
{
	if (p.neg)
		fputc('!', o);
	if (p.v)
		print_val(o, f, p.v);
	else
		fputs("PT", o);
}

static void print_opnd(FILE *o, const struct px_func *f, const struct px_opnd *s)
{
	if (s->kind == PO_IMM) {
		fprintf(o, "#%" PRId64, s->imm);
	} else if (s->kind == PO_NONE) {
		fputs("RZ", o);
	} else {
		print_val(o, f, s->v);
		if (s->sub)
			fprintf(o, ".%u", s->sub);
	}
}

static void print_list(FILE *o, const struct px_func *f, const px_val *v, unsigned n)
{
	unsigned k;

	fputc('{', o);
	for (k = 0; k < n; k++) {
		if (k)
			fputs(", ", o);
		if (v[k])
			print_val(o, f, v[k]);
		else
			fputs("RZ", o);
	}
	fputc('}', o);
}

static void print_name(FILE *o, const struct px_insn *in)
{
	fputs(px_op_name(in->op), o);
	switch (in->op) {
	case PPU_OP_SETP:
	case PPU_OP_SET:
		fprintf(o, ".%s", cmp_name[in->m % PPU_CMP_COUNT]);
		break;
	case PPU_OP_LD:
	case PPU_OP_ST:
	case PPU_OP_ATOM:
		fprintf(o, ".%s", space_name[in->m % PPU_SPACE_COUNT]);
		break;
	default:
		if (in->m)
			fprintf(o, ".m%u", in->m);
	}
	if (in->t)
		fprintf(o, ".%s", type_name[in->t & 15]);
	if (in->op == PPU_OP_CVT)
		fprintf(o, ".%s", type_name[in->u & 15]);
	if (in->rnd)
		fprintf(o, ".r%u", in->rnd);
	if (in->ftz)
		fputs(".ftz", o);
	if (in->sat)
		fputs(".sat", o);
}

static void print_insn(FILE *o, const struct px_func *f, const struct px_insn *in)
{
	const char *sep = " ";
	unsigned k, last = 0;

	fputs("\t", o);
	if (in->guard.v) {
		fputc('@', o);
		print_pred(o, f, in->guard);
		fputc(' ', o);
	}
	print_name(o, in);
#define SEP()	(fputs(sep, o), sep = ", ")
	if (in->nxd)
		SEP(), print_list(o, f, in->xd, in->nxd);
	if (in->d)
		SEP(), print_val(o, f, in->d);
	if (in->pd || in->pe) {
		SEP();
		print_pred(o, f, (struct px_predref){ in->pd, false });
		if (in->pe) {
			fputc('|', o);
			print_val(o, f, in->pe);
		}
	}
	for (k = 0; k < 4; k++)
		if (in->s[k].kind != PO_NONE)
			last = k + 1;
	for (k = 0; k < last; k++)
		SEP(), print_opnd(o, f, &in->s[k]);
	if (in->ps.v || in->ps.neg)
		SEP(), print_pred(o, f, in->ps);
	if (in->pq.v || in->pq.neg)
		SEP(), print_pred(o, f, in->pq);
	if (in->nxs)
		SEP(), print_list(o, f, in->xs, in->nxs);
	if (in->ref == REF_SYM)
		SEP(), fprintf(o, "%s", f->px->obj->syms[in->sym].name);
	if (in->ref == REF_SLOT)
		SEP(), fprintf(o, "slot%u", in->sym);
	if (in->off)
		fprintf(o, " %+" PRId64, in->off);
	if (in->target)
		SEP(), fprintf(o, "B%u", in->target->id);
#undef SEP
	fputc('\n', o);
}

static void print_block(FILE *o, const struct px_func *f, const struct px_block *b)
{
	unsigned k;

	fprintf(o, "B%u:", b->id);
	if (b->label)
		fprintf(o, " // %s", b->label->s);
	if (b->loop)
		fprintf(o, "%s loop %u%s%s", b->label ? "," : " //", b->loop->depth,
			b->loop->header == b ? " header" : "",
			b->loop->header == b && b->loop->bounded ? " bounded" : "");
	fputc('\n', o);
	PX_FOR_INSNS(b, in)
		print_insn(o, f, in);
	if (!b->succ[0])
		return;
	fputs("\t->", o);
	for (k = 0; k < 2; k++)
		if (b->succ[k])
			fprintf(o, " %s%sB%u", b->edge[k] ? px_op_name(b->edge[k]) : "",
				b->edge[k] ? " " : "", b->succ[k]->id);
	if (b->divergent)
		fputs(" divergent", o);
	fputc('\n', o);
}

void px_print_func(FILE *o, const struct px_func *f, const char *after)
{
	fprintf(o, "// %s after %s\n", f->name->s, after);
	PX_FOR_BLOCKS(f, b)
		print_block(o, f, b);
	fputc('\n', o);
}
