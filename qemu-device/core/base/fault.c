/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fault ring: one slot stays empty, so that GET == PUT means nothing to read.  When it is full a
 * new fault is counted (FAULT_TOTAL, FAULT_LOST) and not kept: the first ones tell the story.
 */
#include <string.h>
#include <hw/ppu_regs.h>
#include "core/base/alloc.h"
#include "core/base/fault.h"
#include "core/base/guest_error.h"
#include "core/base/intr.h"
#include "core/base/io.h"
#include "core/base/trace.h"

struct ppu_faults {
	struct ppu_fault_rec ring[PPU_FAULT_RING];
	uint32_t get, put, total, lost, sel;
};

_Static_assert(sizeof(struct ppu_fault_rec) == PPU_FAULT_REC_WORDS * 4, "fault record layout");

const char *ppu_err_text(unsigned err)
{
	switch (err) {
#define E(name, code, scope, text) case code: return text;
	PPU_ERRS(E)
#undef E
	}
	return "unknown error";
}

const char *ppu_err_name(unsigned err)
{
	switch (err) {
#define E(name, code, scope, text) case code: return #name;
	PPU_ERRS(E)
#undef E
	}
	return "UNKNOWN";
}

void ppu_fault_record(struct ppu_core *core, struct ppu_fault_rec *rec)
{
	struct ppu_faults *f = core->faults;

	rec->time_ns = core->now;
	rec->seq = f->total++;
	PPU_TRACE(core, FAULT, rec->unit, rec->code, rec->va, rec->channel, rec->pc);
	if ((f->put + 1) % PPU_FAULT_RING == f->get) {
		f->lost++;
	} else {
		f->ring[f->put] = *rec;
		f->put = (f->put + 1) % PPU_FAULT_RING;
	}
	ppu_intr_raise(core, PPU_INTR_FAULT);
}

uint32_t ppu_fault_read(struct ppu_core *core, unsigned reg)
{
	struct ppu_faults *f = core->faults;
	uint32_t v = 0;

	switch (reg) {
	case PPU_REG_FAULT_GET:
		return f->get;
	case PPU_REG_FAULT_PUT:
		return f->put;
	case PPU_REG_FAULT_TOTAL:
		return f->total;
	case PPU_REG_FAULT_LOST:
		return f->lost;
	case PPU_REG_FAULT_SEL:
		return f->sel;
	case PPU_REG_FAULT_DATA:
		if (f->get != f->put && f->sel < PPU_FAULT_REC_WORDS)
			memcpy(&v, (const char *)&f->ring[f->get] + f->sel * 4, sizeof(v));
		f->sel++;
		return v;
	}
	return 0;
}

void ppu_fault_write(struct ppu_core *core, unsigned reg, uint32_t val)
{
	struct ppu_faults *f = core->faults;

	switch (reg) {
	case PPU_REG_FAULT_GET:
		val %= PPU_FAULT_RING;
		if ((val - f->get) % PPU_FAULT_RING > (f->put - f->get) % PPU_FAULT_RING)
			ppu_guest_error(core, "FAULT_GET: %u is not between GET and PUT", val);
		else
			f->get = val;
		break;
	case PPU_REG_FAULT_SEL:
		f->sel = val;
		break;
	}
}

int ppu_faults_create(struct ppu_core *core)
{
	core->faults = ppu_alloc(1, sizeof(*core->faults));
	return core->faults ? 0 : -1;
}

void ppu_faults_destroy(struct ppu_core *core)
{
	ppu_free(core->faults);
	core->faults = NULL;
}

void ppu_faults_reset(struct ppu_core *core)
{
	memset(core->faults, 0, sizeof(*core->faults));
}

void ppu_faults_io(struct ppu_core *core, struct ppu_io *io)
{
	struct ppu_faults *f = core->faults;

	ppu_io_bytes(io, f->ring, sizeof(f->ring));
	ppu_io_u32(io, &f->get);
	ppu_io_u32(io, &f->put);
	ppu_io_u32(io, &f->total);
	ppu_io_u32(io, &f->lost);
	ppu_io_u32(io, &f->sel);
	if (f->get >= PPU_FAULT_RING || f->put >= PPU_FAULT_RING)
		ppu_io_fail(io, "fault ring index out of range");
}
