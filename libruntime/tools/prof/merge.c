/* SPDX-License-Identifier: MIT */
/* A module that was loaded several times, by contexts or again and again, is told as one. */
#include <stdlib.h>
#include <string.h>
#include "tools/prof/data.h"
#include "tools/wrap/wrap.h"

static bool same_code(const struct module *a, const struct module *b)
{
	if (a->num_code != b->num_code || a->num_functions != b->num_functions || a->num_files != b->num_files)
		return false;
	for (uint32_t i = 0; i < a->num_files; i++)
		if (a->file[i] != b->file[i])
			return false;
	for (uint32_t i = 0; i < a->num_functions; i++)
		if (a->function[i].pc != b->function[i].pc || strcmp(a->function[i].name, b->function[i].name) != 0)
			return false;
	for (uint32_t i = 0; i < a->num_code; i++)
		if (a->code[i].file != b->code[i].file || a->code[i].line != b->code[i].line ||
		    strcmp(a->code[i].text, b->code[i].text) != 0)
			return false;
	return true;
}

/* Both are in order of their instructions. */
static void merge_kernel(struct kernel *to, const struct kernel *from)
{
	struct insn *v = NULL;
	uint32_t n = 0, i = 0, k = 0;

	while (i < to->num_insns || k < from->num_insns) {
		uint32_t a = i < to->num_insns ? to->insn[i].pc : UINT32_MAX,
			b = k < from->num_insns ? from->insn[k].pc : UINT32_MAX;
		struct insn *in = GROW(v, n);

		*in = a <= b ? to->insn[i] : from->insn[k];
		if (a == b) {
			add_counts(&in->c, &from->insn[k].c);
			prof_merge_strides(&in->c.more, &from->insn[k].c.more);
		}
		i += a <= b;
		k += b <= a;
	}
	free(to->insn);
	to->insn = v;
	to->num_insns = n;
}

void merge_modules(struct data *d)
{
	uint32_t *of = wrap_need(malloc((d->num_kernels + 1) * sizeof(*of))), n = 0, i, k;

	for (i = 0; i < d->num_kernels; i++) {
		struct kernel *from = &d->kernel[i];

		for (k = 0; k < from->module && !same_code(&d->module[k], &d->module[from->module]); k++)
			;
		from->module = k;
		for (k = 0; k < n && (d->kernel[k].module != from->module || d->kernel[k].pc != from->pc); k++)
			;
		of[i] = k;
		if (k < n)
			merge_kernel(&d->kernel[k], from);
		else
			d->kernel[n++] = *from;
	}
	d->num_kernels = n;
	for (i = 0; i < d->num_launches; i++)
		if (!d->launch[i].unknown)
			d->launch[i].kernel = of[d->launch[i].kernel];
	free(of);
}
