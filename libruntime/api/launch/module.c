/* SPDX-License-Identifier: MIT */
/* Modules: from text or binary to code and variables in device memory. */
#define _GNU_SOURCE	/* asprintf */
#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ppu.h>
#include <ppu_image.h>
#include <hw/ppu_mmu.h>
#include "api/launch/module.h"
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/fault.h"
#include "api/context/init.h"
#include "api/context/limit.h"
#include "api/context/object.h"
#include "api/context/wait.h"
#include "api/launch/devcalls.h"
#include "api/launch/queue.h"
#include "api/memory/copy.h"
#include "api/memory/mem.h"
#include "check/check.h"
#include "debug/debug.h"
#include "compiler/devabi/devlib.h"
#include "compiler/obj/image.h"
#include "prof/prof.h"

static void function_release(struct rt_obj *obj)
{
	struct ppuFunction_st *f = (struct ppuFunction_st *)obj;

	rt_obj_put(&f->mod->obj);
	free(f);
}

static void module_release(struct rt_obj *obj)
{
	struct ppuModule_st *m = (struct ppuModule_st *)obj;

	ppu_image_free(m->img);
	free(m->name);
	rt_obj_put(&m->ctx->obj);
	free(m);
}

void rt_module_where(const struct ppuModule_st *m, uint32_t pc, char *buf, size_t len)
{
	const struct ppu_line *l = ppu_image_line(m->img, pc);

	*buf = 0;
	if (l)
		snprintf(buf, len, "%s:%u", m->img->files[l->file], l->line);
}

const char *rt_module_function(const struct ppuModule_st *m, uint32_t pc)
{
	const struct ppu_symbol *s = ppu_image_function(m->img, pc);

	return s ? s->name : NULL;
}

/* ---- compile -------------------------------------------------------------------------------- */

static ppuModuleKind guess(const char *text, size_t len)
{
	size_t i = 0;

	if (len >= 4 && !memcmp(text, "PPUB", 4))
		return PPU_MODULE_BINARY;
	while (i < len) {	/* skip blanks and comments */
		if (isspace((unsigned char)text[i])) {
			i++;
		} else if (i + 1 < len && text[i] == '/' && text[i + 1] == '/') {
			while (i < len && text[i] != '\n')
				i++;
		} else if (i + 1 < len && text[i] == '/' && text[i + 1] == '*') {
			i += 2;
			while (i + 1 < len && !(text[i] == '*' && text[i + 1] == '/'))
				i++;
			i += 2;
		} else {
			break;
		}
	}
	if (i + 8 <= len && !memcmp(text + i, ".version", 8))
		return PPU_MODULE_PTX;
	return PPU_MODULE_ASSEMBLY;
}

static ppuResult compile(const void *data, size_t bytes, const ppuModuleOptions *o, const char *name,
			 struct ppu_image **img)
{
	struct ppu_ptx_options px = { .max_regs = o->max_regs, .no_yield = o->no_yield, .debug = dbg_on() };
	ppuModuleKind kind = o->kind;
	ppuResult res = PPU_SUCCESS;
	struct ppu_log log;
	bool binary;
	int rc;

	ppu_log_init(&log);
	if (kind == PPU_MODULE_AUTO)
		kind = guess(data, bytes);
	binary = kind == PPU_MODULE_BINARY;
	*img = NULL;
	if (o->kind == PPU_MODULE_AUTO && !binary && bytes > 16 && memchr(data, 0, 16)) {
		ppu_log_free(&log);
		return rt_fail(PPU_ERROR_INVALID_IMAGE, "%s is neither PTX nor PPU assembly nor an image of ppu-as or "
			       "ppu-cc", name);
	}
	if (kind == PPU_MODULE_PTX)
		rc = ppu_ptx_compile(data, bytes, name, &px, img, &log);
	else if (binary)
		rc = ppu_image_read(data, bytes, img, &log);
	else
		rc = ppu_assemble(data, bytes, name, img, &log);
	if (!rc)
		rc = ppu_image_finish(*img, &ppu_device_library, &log);
	if (o->log && o->log_bytes)
		snprintf(o->log, o->log_bytes, "%s", log.text ? log.text : "");
	if (rc) {
		if (*img)
			ppu_image_free(*img);
		*img = NULL;
		res = rc == -ENOMEM ? PPU_ERROR_OUT_OF_HOST_MEMORY :
		      binary ? PPU_ERROR_INVALID_IMAGE : PPU_ERROR_COMPILE;
		rt_fail(res, "%s", log.text && *log.text ? log.text : ppuGetErrorString(res));
	}
	ppu_log_free(&log);
	return res;
}

/* ---- load ----------------------------------------------------------------------------------- */

static uint64_t symbol_value(const struct ppuModule_st *m, const struct ppu_symbol *s, bool absolute)
{
	switch (s->kind) {
	case PPU_SYM_GLOBAL:
	case PPU_SYM_CONST:
		return m->data_va + s->value;
	case PPU_SYM_SHARED:
		return absolute ? PPU_VA_SHARED_BASE + s->value : s->value;
	default:
		return s->value;	/* code pointers are image-relative */
	}
}

static ppuResult relocate(const struct ppuModule_st *m, struct ppu_insn *code, uint8_t *data)
{
	const struct ppu_image *img = m->img;

	for (uint32_t i = 0; i < img->num_relocs; i++) {
		const struct ppu_reloc *r = &img->relocs[i];
		const struct ppu_symbol *s = r->symbol < img->num_symbols ? &img->symbols[r->symbol] : NULL;
		bool in_code = r->kind != PPU_REL_DATA_ABS64 && r->kind != PPU_REL_DATA_PC64;
		uint64_t v;

		if (!s || s->kind == PPU_SYM_UNDEF ||
		    (in_code ? r->where >= img->num_insns : r->where > img->data_bytes ||
		     img->data_bytes - r->where < 8))
			return rt_fail(PPU_ERROR_INVALID_IMAGE, "relocation %u is out of place", i);
		v = symbol_value(m, s, r->kind == PPU_REL_CODE_ABS64 || r->kind == PPU_REL_DATA_ABS64) +
		    (uint64_t)r->addend;
		switch (r->kind) {
		case PPU_REL_CODE_ABS64:
		case PPU_REL_CODE_PC64:
			code[r->where].hi = v;
			break;
		case PPU_REL_CODE_PC:
		case PPU_REL_CODE_SHARED:
			PPU_SET(&code[r->where], IMM, v);
			break;
		case PPU_REL_DATA_ABS64:
		case PPU_REL_DATA_PC64:
			memcpy(data + r->where, &v, 8);
			break;
		default:
			return rt_fail(PPU_ERROR_INVALID_IMAGE, "relocation %u is of an unknown kind", i);
		}
	}
	return PPU_SUCCESS;
}

static ppuResult upload(struct ppuCtx_st *ctx, uint64_t va, const void *bytes, uint64_t n)
{
	struct rt_rect r = { va, (uintptr_t)bytes, n, n, n, 1 };

	return rt_copy(ctx->load_stream, &r, true);
}

/* Variables that the host uses by their address as well (.attribute(.managed)) have to lie in its memory. */
static enum rt_heap data_heap(const struct ppu_image *img)
{
	for (uint32_t i = 0; i < img->num_symbols; i++)
		if (img->symbols[i].flags & PPU_SYMF_MANAGED)
			return RT_HEAP_HOST;
	return RT_HEAP_DATA;
}

static ppuResult place(struct ppuModule_st *m)
{
	struct ppu_image *img = m->img;
	struct ppuCtx_st *ctx = m->ctx;
	uint64_t code_bytes = (uint64_t)img->num_insns * sizeof(struct ppu_insn);
	struct ppu_insn *code = NULL;
	uint8_t *data = NULL;
	ppuResult res = rt_enter(ctx);

	if (res)
		return res;
	if (code_bytes)
		res = rt_alloc(ctx, RT_HEAP_CODE, code_bytes, 0, RT_MEMORY_MODULE, &m->code_va);
	if (!res && img->data_bytes)
		res = rt_alloc(ctx, data_heap(img), img->data_bytes, img->data_align, RT_MEMORY_MODULE,
			       &m->data_va);
	rt_leave(ctx);
	if (res)
		return res;
	if (ctx->check && m->data_va)
		chk_variables(ctx->check, img, m->data_va);
	if (dbg_on())
		dbg_module(ctx->be->vm_inst(ctx->vm), img, m->data_va);
	code = malloc(code_bytes + 1);
	data = malloc(img->data_bytes + 1);
	if (!code || !data) {
		res = rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
	} else {
		if (code_bytes)
			memcpy(code, img->code, code_bytes);
		if (img->data_bytes)
			memcpy(data, img->data, img->data_bytes);
		res = relocate(m, code, data);
		if (!res)
			res = rt_devlib_bind(m, data);
		if (!res)
			res = rt_queue_bind(m, data);
		if (!res && code_bytes)
			res = upload(ctx, m->code_va, code, code_bytes);
		if (!res && img->data_bytes)
			res = upload(ctx, m->data_va, data, img->data_bytes);
	}
	free(code);
	free(data);
	return res;
}

void rt_module_unload(struct ppuModule_st *m)
{
	struct ppuCtx_st *ctx = m->ctx;
	struct ppuFunction_st *f;

	for (struct ppuModule_st **p = &ctx->modules; *p; p = &(*p)->next) {
		if (*p == m) {
			*p = m->next;
			break;
		}
	}
	while ((f = m->funcs)) {
		m->funcs = f->next;
		ctx->funcs[f->number - 1] = NULL;
		if (ctx->check)
			chk_kernel(ctx->check, f->number, NULL, NULL);
		if (ctx->prof)
			prof_kernel(ctx->prof, f->number, NULL, NULL);
		if (dbg_on())
			dbg_kernel(ctx->be->vm_inst(ctx->vm), f->number, NULL, NULL);
		if (rt_obj_withdraw(&f->obj))
			rt_obj_put(&f->obj);
	}
	if (dbg_on())
		dbg_module_gone(m->img);
	if (m->code_va)
		rt_free(ctx, m->code_va);
	if (m->data_va && ctx->check)
		chk_variables_gone(ctx->check, m->img, m->data_va);
	if (m->data_va)
		rt_free(ctx, m->data_va);
	if (m->kernels_va)
		rt_free(ctx, m->kernels_va);
	if (m->cdp_va)
		rt_free(ctx, m->cdp_va);
	m->code_va = m->data_va = m->kernels_va = m->cdp_va = 0;
}

ppuResult ppuModuleLoadData(ppuModule *out, const void *data, size_t bytes,
			    const ppuModuleOptions *options)
{
	ppuModuleOptions none = { .kind = PPU_MODULE_AUTO };
	struct ppuModule_st *m;
	struct ppuCtx_st *ctx;
	ppuResult res;

	if (!options)
		options = &none;
	if (!out || !data || options->kind > PPU_MODULE_ASSEMBLY)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	if (!bytes)
		bytes = strlen(data);
	res = rt_current(&ctx);
	if (res)
		return res;
	m = calloc(1, sizeof(*m));
	if (!m) {
		rt_obj_put(&ctx->obj);
		return rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
	}
	rt_obj_init(&m->obj, RT_MODULE, module_release);
	m->ctx = ctx;		/* keeps the reference */
	m->name = strdup(options->name ? options->name : "module");
	res = compile(data, bytes, options, m->name ? m->name : "module", &m->img);
	if (!res)
		res = place(m);
	if (!res)
		res = rt_enter(ctx);
	if (!res) {
		rt_local_expect(m);
		m->next = ctx->modules;
		ctx->modules = m;
		rt_obj_publish(&m->obj);
		rt_leave(ctx);
		*out = m;
		return PPU_SUCCESS;
	}
	pthread_mutex_lock(&ctx->lock);
	if (!ctx->dead)
		rt_module_unload(m);
	pthread_mutex_unlock(&ctx->lock);
	rt_obj_put(&m->obj);
	return res;
}

ppuResult ppuModuleLoad(ppuModule *out, const char *path, const ppuModuleOptions *options)
{
	ppuModuleOptions o = { .kind = PPU_MODULE_AUTO };
	const char *dot;
	char *data = NULL;
	size_t len = 0, cap = 0, n;
	ppuResult res;
	FILE *f;

	if (!out || !path)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	if (options)
		o = *options;
	f = fopen(path, "rbe");
	if (!f)
		return rt_fail(PPU_ERROR_FILE, "%s: %s", path, strerror(errno));
	do {
		if (cap - len < 65536) {
			char *bigger = realloc(data, cap = cap * 2 + 131072);

			if (!bigger) {
				free(data);
				fclose(f);
				return rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
			}
			data = bigger;
		}
		n = fread(data + len, 1, cap - len - 1, f);
		len += n;
	} while (n);
	if (ferror(f)) {
		res = rt_fail(PPU_ERROR_FILE, "%s: %s", path, strerror(errno));
	} else {
		data[len] = 0;
		dot = strrchr(path, '.');
		if (o.kind == PPU_MODULE_AUTO && dot)
			o.kind = !strcmp(dot, ".ptx") ? PPU_MODULE_PTX :
				 !strcmp(dot, ".ppub") ? PPU_MODULE_BINARY :
				 !strcmp(dot, ".ppus") ? PPU_MODULE_ASSEMBLY : PPU_MODULE_AUTO;
		if (!o.name)
			o.name = path;
		if (!len)
			res = rt_fail(PPU_ERROR_INVALID_IMAGE, "%s is empty", path);
		else if (o.kind == PPU_MODULE_AUTO && dot && !strcmp(dot, ".cu"))
			res = rt_fail(PPU_ERROR_INVALID_IMAGE, "%s is CUDA C++: make PTX of it first, with ppu-nvcc "
				      "-ptx or clang", path);
		else
			res = ppuModuleLoadData(out, data, len, &o);
	}
	fclose(f);
	free(data);
	return res;
}

ppuResult ppuModuleUnload(ppuModule handle)
{
	struct ppuModule_st *m = rt_obj_get(handle, RT_MODULE);
	struct ppuCtx_st *ctx;
	ppuResult res = PPU_SUCCESS;

	if (!m)
		return rt_error(PPU_ERROR_INVALID_HANDLE);
	ctx = m->ctx;
	rt_obj_ref(&ctx->obj);
	pthread_mutex_lock(&ctx->lock);
	if (rt_obj_withdraw(&m->obj)) {
		res = ctx->broken ? rt_check(ctx) : rt_wait_all(ctx);
		if (!ctx->dead)
			rt_module_unload(m);
		rt_obj_put(&m->obj);
	}
	pthread_mutex_unlock(&ctx->lock);
	rt_obj_put(&m->obj);
	rt_obj_put(&ctx->obj);
	return res;
}

/* ---- what is in a module -------------------------------------------------------------------- */

static ppuResult function_new(struct ppuModule_st *m, const struct ppu_symbol *sym,
			      struct ppuFunction_st **out)
{
	struct ppuCtx_st *ctx = m->ctx;
	struct ppuFunction_st *f;
	uint32_t n;

	for (n = 0; n < ctx->num_funcs && ctx->funcs[n]; n++)
		;
	if (n == ctx->cap_funcs) {
		uint32_t cap = ctx->cap_funcs ? 2 * ctx->cap_funcs : 32;
		struct ppuFunction_st **v = realloc(ctx->funcs, cap * sizeof(*v));

		if (!v)
			return rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
		ctx->funcs = v;
		ctx->cap_funcs = cap;
	}
	f = calloc(1, sizeof(*f));
	if (!f)
		return rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
	rt_obj_init(&f->obj, RT_FUNCTION, function_release);
	rt_obj_ref(&m->obj);
	f->mod = m;
	f->sym = sym;
	f->number = n + 1;
	f->next = m->funcs;
	m->funcs = f;
	ctx->funcs[n] = f;
	if (n == ctx->num_funcs)
		ctx->num_funcs++;
	if (ctx->check)
		chk_kernel(ctx->check, f->number, m->img, sym->name);
	if (ctx->prof)
		prof_kernel(ctx->prof, f->number, m->img, sym);
	if (dbg_on())
		dbg_kernel(ctx->be->vm_inst(ctx->vm), f->number, m->img, sym->name);
	rt_obj_publish(&f->obj);
	*out = f;
	return PPU_SUCCESS;
}

static ppuResult get_function(struct ppuModule_st *m, const struct ppu_symbol *sym, struct ppuFunction_st **out)
{
	for (struct ppuFunction_st *f = m->funcs; f; f = f->next) {
		if (f->sym == sym) {
			*out = f;
			return PPU_SUCCESS;
		}
	}
	return function_new(m, sym, out);
}

ppuResult rt_module_number(struct ppuModule_st *m, const struct ppu_symbol *sym, uint32_t *number)
{
	struct ppuFunction_st *f;
	ppuResult res = get_function(m, sym, &f);

	if (!res)
		*number = f->number;
	return res;
}

ppuResult ppuModuleGetFunction(ppuFunction *out, ppuModule handle, const char *name)
{
	struct ppuModule_st *m;
	const struct ppu_symbol *sym;
	ppuResult res;

	if (!out || !name)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	m = rt_obj_get(handle, RT_MODULE);
	if (!m)
		return rt_error(PPU_ERROR_INVALID_HANDLE);
	res = rt_enter(m->ctx);
	if (!res) {
		sym = ppu_image_find(m->img, name);
		if (!sym || sym->kind != PPU_SYM_KERNEL)
			res = rt_fail(PPU_ERROR_NOT_FOUND, "%s has no kernel \"%s\"", m->name, name);
		else
			res = get_function(m, sym, out);
		rt_leave(m->ctx);
	}
	rt_obj_put(&m->obj);
	return res;
}

/* Compilers of C++ give a static variable of the file `name` the name _ZL4name. */
static const struct ppu_symbol *find_static(const struct ppu_image *img, const char *name)
{
	const struct ppu_symbol *sym;
	char *mangled;

	if (asprintf(&mangled, "_ZL%zu%s", strlen(name), name) < 0)
		return NULL;
	sym = ppu_image_find(img, mangled);
	free(mangled);
	return sym;
}

ppuResult ppuModuleGetGlobal(void **ptr, size_t *bytes, ppuModule handle, const char *name)
{
	struct ppuModule_st *m;
	const struct ppu_symbol *sym;
	ppuResult res = PPU_SUCCESS;

	if (!name)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	m = rt_obj_get(handle, RT_MODULE);
	if (!m)
		return rt_error(PPU_ERROR_INVALID_HANDLE);
	sym = ppu_image_find(m->img, name);
	if (!sym)
		sym = find_static(m->img, name);
	if (!sym || (sym->kind != PPU_SYM_GLOBAL && sym->kind != PPU_SYM_CONST)) {
		res = rt_fail(PPU_ERROR_NOT_FOUND, "%s has no variable \"%s\"", m->name, name);
	} else {
		if (ptr)
			*ptr = (void *)(uintptr_t)(m->data_va + sym->value);
		if (bytes)
			*bytes = sym->size;
	}
	rt_obj_put(&m->obj);
	return res;
}

ppuResult ppuModuleGetFunctionName(ppuModule handle, unsigned index, const char **name)
{
	struct ppuModule_st *m;
	ppuResult res;

	if (!name)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	m = rt_obj_get(handle, RT_MODULE);
	if (!m)
		return rt_error(PPU_ERROR_INVALID_HANDLE);
	res = rt_error(PPU_ERROR_INVALID_VALUE);
	for (uint32_t i = 0; i < m->img->num_symbols; i++) {
		if (m->img->symbols[i].kind == PPU_SYM_KERNEL &&
		    strncmp(m->img->symbols[i].name, PPU_LIBRARY_PREFIX, strlen(PPU_LIBRARY_PREFIX)) != 0 && !index--) {
			*name = m->img->symbols[i].name;
			res = PPU_SUCCESS;
			break;
		}
	}
	rt_obj_put(&m->obj);
	return res;
}
