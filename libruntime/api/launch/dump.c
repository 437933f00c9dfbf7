/* SPDX-License-Identifier: MIT */
/* What the engine of the device inside this process does: statistics, translations, and their code as text. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ppu.h>
#include <ppu_image.h>
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/init.h"
#include "api/context/wait.h"
#include "api/launch/module.h"

static ppuResult no_engine(void)
{
	return rt_fail(PPU_ERROR_NOT_SUPPORTED, "only the device in this process (backend core) shows its engine");
}

static ppuResult device(ppuDevice n, struct rt_device **d)
{
	ppuResult res = rt_device(n, d);

	return res || (*d)->be->engine_stats ? res : no_engine();
}

ppuResult ppuDeviceGetEngineStatName(ppuDevice number, int index, const char **name)
{
	struct rt_device *d;
	ppuResult res = rt_device(number, &d);

	if (res)
		return res;
	if (!name || index < 0 || !ppu_be_engine_stat_name((unsigned)index))
		return rt_error(PPU_ERROR_INVALID_VALUE);
	*name = ppu_be_engine_stat_name((unsigned)index);
	return PPU_SUCCESS;
}

ppuResult ppuDeviceGetEngineStats(ppuDevice number, uint64_t *values, int count)
{
	struct rt_device *d;
	ppuResult res = device(number, &d);

	if (res)
		return res;
	if (!values || count < 0 || (count && !ppu_be_engine_stat_name((unsigned)count - 1)))
		return rt_error(PPU_ERROR_INVALID_VALUE);
	return rt_errno(d->be->engine_stats(d->dev, (unsigned)count, values), "reading statistics");
}

ppuResult ppuDeviceGetTranslation(ppuDevice number, uint64_t after, ppuTranslation *t)
{
	struct rt_device *d;
	ppuResult res = device(number, &d);

	if (res)
		return res;
	if (!t)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	return d->be->translation(d->dev, after, t) ? rt_error(PPU_ERROR_NOT_FOUND) : PPU_SUCCESS;
}

/* ---- code ------------------------------------------------------------------------------------- */

struct dump {
	const struct ppuModule_st *mod;
	void (*line)(void *arg, const char *text);
	void *arg;
	char where[512];		/* that was shown last */
};

static void say_device(struct dump *d, const struct be_code *c)
{
	char insn[400], text[512], where[sizeof(d->where)];

	rt_module_where(d->mod, c->pc, where, sizeof(where));
	if (*where && strcmp(where, d->where)) {
		strcpy(d->where, where);
		d->line(d->arg, where);
	}
	ppu_disasm_insn(c->insn, c->pc, insn, sizeof(insn));
	snprintf(text, sizeof(text), "%6u  %s", c->pc, insn);
	d->line(d->arg, text);
}

static void say_host(struct dump *d, const struct be_code *c)
{
	char hex[3 * 15 + 1] = "", text[320];

	for (unsigned i = 0; i < c->len && i < 15; i++)
		sprintf(hex + 3 * i, "%02x ", c->bytes[i]);
	snprintf(text, sizeof(text), "\t%" PRIx64 "  %-33s %s", c->address, hex, c->text);
	d->line(d->arg, text);
}

static void say(void *arg, const struct be_code *c)
{
	struct dump *d = arg;
	char text[320];
	const char *fn;

	switch (c->kind) {
	case BE_CODE_COMMON:
		d->line(d->arg, "     -");
		break;
	case BE_CODE_BLOCK:
		fn = rt_module_function(d->mod, c->pc);
		snprintf(text, sizeof(text), "block %u, %s lanes, of %s:", c->pc, c->masked ? "some" : "all",
			 fn ? fn : "no function");
		d->line(d->arg, text);
		*d->where = 0;
		break;
	case BE_CODE_DEVICE:
		say_device(d, c);
		break;
	case BE_CODE_HOST:
		say_host(d, c);
		break;
	}
}

static ppuResult dump_one(struct dump *d, const struct rt_device *dev, const ppuTranslation *t)
{
	const char *fn = t->entry == UINT32_MAX ? "all entries" : rt_module_function(d->mod, t->entry);
	char text[400];

	snprintf(text, sizeof(text), "translation %" PRIu64 ", %s: %u of %u instructions, %u of them inlined in %u segments, "
		 "%u bytes of host code", t->number, fn ? fn : "no function", t->instructions,
		 t->code_instructions, t->inlined, t->segments, t->code_bytes);
	d->line(d->arg, text);
	return rt_errno(dev->be->dump_code(dev->dev, t->number, say, d), "showing code");
}

/* Kernels that use other numbers of registers have translations of their own. */
static ppuResult dump_all(struct dump *d, const struct rt_device *dev)
{
	ppuTranslation t = { 0 };
	ppuResult res = PPU_SUCCESS;
	bool any = false;

	while (!res && !dev->be->translation(dev->dev, t.number, &t)) {
		if (t.code_address != d->mod->code_va)
			continue;
		res = dump_one(d, dev, &t);
		any = true;
	}
	return any ? res : rt_fail(PPU_ERROR_NOT_FOUND,
				   "%s is not host code: it was interpreted (property engine), or nothing of it was launched",
				   d->mod->name);
}

ppuResult ppuModuleDumpCode(ppuModule handle, void (*line)(void *arg, const char *text), void *arg)
{
	struct dump d = { .line = line, .arg = arg };
	struct ppuModule_st *m;
	ppuResult res;

	if (!line)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	m = rt_obj_get(handle, RT_MODULE);
	if (!m)
		return rt_error(PPU_ERROR_INVALID_HANDLE);
	d.mod = m;
	res = rt_enter(m->ctx);
	if (!res) {
		if (!m->ctx->be->dump_code)
			res = no_engine();
		else
			res = dump_all(&d, m->ctx->device);
		rt_leave(m->ctx);
	}
	rt_obj_put(&m->obj);
	return res;
}
