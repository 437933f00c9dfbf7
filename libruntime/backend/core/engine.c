/* SPDX-License-Identifier: MIT */
/* Backend core: what the device has made host code of, for tools. */
#include <errno.h>

#include "core.h"

int ppu_bc_engine_stats(struct be_dev *dev, unsigned n, uint64_t *values)
{
	ppu_bc_lock(dev);
	for (unsigned i = 0; i < n; i++)
		values[i] = i < PPU_ENG_COUNT ? ppu_core_engine_stat(dev->core, i) : ppu_core_engine_ns(dev->core);
	ppu_bc_unlock(dev);
	return 0;
}

int ppu_bc_translation(struct be_dev *dev, uint64_t after, ppuTranslation *t)
{
	struct ppu_translation r;
	bool found;

	ppu_bc_lock(dev);
	found = ppu_core_translation(dev->core, after, &r);
	ppu_bc_unlock(dev);
	if (!found)
		return -ENOENT;
	*t = (ppuTranslation){
		.number = r.number, .code_address = r.code_va, .code_instructions = r.code_insns, .entry = r.entry,
		.instructions = r.insns, .inlined = r.inlined, .segments = r.segments, .code_bytes = r.code_bytes,
		.memory_bytes = r.memory_bytes, .host_ns = r.host_ns,
	};
	return 0;
}

struct sayer {
	void (*say)(void *arg, const struct be_code *c);
	void *arg;
};

static void pass_on(const struct ppu_code_line *l)
{
	static const int kinds[] = {
		[PPU_CODE_COMMON] = BE_CODE_COMMON, [PPU_CODE_BLOCK] = BE_CODE_BLOCK,
		[PPU_CODE_DEVICE] = BE_CODE_DEVICE, [PPU_CODE_HOST] = BE_CODE_HOST,
	};
	const struct sayer *s = l->arg;
	struct be_code c = {
		.kind = kinds[l->kind], .pc = l->pc, .masked = l->masked, .len = l->len, .insn = l->insn,
		.address = l->address, .bytes = l->bytes, .text = l->text,
	};

	s->say(s->arg, &c);
}

int ppu_bc_dump_code(struct be_dev *dev, uint64_t number, void (*say)(void *arg, const struct be_code *c), void *arg)
{
	struct sayer s = { say, arg };
	int rc;

	ppu_bc_lock(dev);
	rc = ppu_core_dump_code(dev->core, number, pass_on, &s);
	ppu_bc_unlock(dev);
	return rc ? -ENOENT : 0;
}
