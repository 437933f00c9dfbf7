/* SPDX-License-Identifier: MIT */
/*
 * The host's half of the device-side library (libruntime/compiler/devlib): the ring of printf and assert, the
 * heap of malloc, and their limits.  State is made when the first module that needs it is loaded.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ppu.h>
#include <ppu_image.h>
#include "api/launch/devcalls.h"
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/wait.h"
#include "api/launch/cdp.h"
#include "api/launch/module.h"
#include "api/memory/copy.h"
#include "api/memory/mem.h"
#include "compiler/devabi/devlib.h"

#define PRINT_DEFAULT	(1ull << 20)
#define PRINT_LEAST	4096ull
#define PRINT_MOST	(1ull << 28)
#define HEAP_DEFAULT	(8ull << 20)
#define HEAP_LEAST	4096ull
#define BYTES_PER_ENTRY	64u	/* of the ring: the smallest record */
#define ASSERT_FUNCTION	"__assertfail"

struct rt_devlib {
	pthread_mutex_t bind_lock;	/* outside ctx->lock: making the states */
	uint64_t print_bytes, heap_bytes;	/* limits */
	struct ppu_print_state *print;	/* pinned: its address is the same for both sides */
	uint64_t print_ring;		/* data and entries */
	uint64_t printed;		/* number of the next entry to print */
	uint64_t heap;
	char assertion[512];		/* the last one that failed */
};

ppuResult rt_devlib_new(struct ppuCtx_st *ctx)
{
	ctx->devlib = calloc(1, sizeof(*ctx->devlib));
	if (!ctx->devlib)
		return rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
	pthread_mutex_init(&ctx->devlib->bind_lock, NULL);
	ctx->devlib->print_bytes = PRINT_DEFAULT;
	ctx->devlib->heap_bytes = HEAP_DEFAULT;
	return PPU_SUCCESS;
}

void rt_devlib_free(struct ppuCtx_st *ctx)
{
	if (!ctx->devlib)
		return;
	pthread_mutex_destroy(&ctx->devlib->bind_lock);
	free(ctx->devlib);
}

/* ---- states ---------------------------------------------------------------------------------- */

/* Locked.  Replaces the ring by one of the size of the limit. */
static ppuResult print_ring(struct ppuCtx_st *ctx)
{
	struct rt_devlib *d = ctx->devlib;
	uint32_t entries = (uint32_t)(d->print_bytes / BYTES_PER_ENTRY);
	uint64_t va, entry_bytes = entries * sizeof(struct ppu_print_entry);
	ppuResult res = rt_alloc(ctx, RT_HEAP_HOST, d->print_bytes + entry_bytes, 0, RT_MEMORY_MODULE, &va);

	if (res)
		return res;
	memset((void *)(uintptr_t)va, 0, d->print_bytes + entry_bytes);
	if (d->print_ring)
		rt_free(ctx, d->print_ring);
	d->print_ring = va;
	d->printed = 0;
	*d->print = (struct ppu_print_state){
		.data = va, .entries = va + d->print_bytes,
		.data_bytes = (uint32_t)d->print_bytes, .num_entries = entries,
	};
	return PPU_SUCCESS;
}

static ppuResult make_print(struct ppuCtx_st *ctx)
{
	struct rt_devlib *d = ctx->devlib;
	uint64_t va;
	ppuResult res;

	if (d->print)
		return PPU_SUCCESS;
	res = rt_enter(ctx);
	if (res)
		return res;
	res = rt_alloc(ctx, RT_HEAP_HOST, sizeof(*d->print), 0, RT_MEMORY_MODULE, &va);
	if (!res) {
		d->print = (struct ppu_print_state *)(uintptr_t)va;
		res = print_ring(ctx);
		if (res) {
			rt_free(ctx, va);
			d->print = NULL;
		}
	}
	rt_leave(ctx);
	return res;
}

static ppuResult make_heap(struct ppuCtx_st *ctx)
{
	struct rt_devlib *d = ctx->devlib;
	struct ppu_heap_state first = { .top = (sizeof(first) + 255) & ~255ull, .end = d->heap_bytes };
	struct rt_rect r = { 0, (uintptr_t)&first, sizeof(first), sizeof(first), sizeof(first), 1 };
	uint64_t va;
	ppuResult res;

	if (d->heap)
		return PPU_SUCCESS;
	res = rt_enter(ctx);
	if (res)
		return res;
	res = rt_alloc(ctx, RT_HEAP_DATA, d->heap_bytes, 256, RT_MEMORY_MODULE, &va);
	rt_leave(ctx);
	if (res)
		return res;
	r.dst = va;
	res = rt_copy(ctx->load_stream, &r, true);
	if (!res)
		d->heap = va;
	return res;
}

/* Sets the variable of the library that points to a state, in the module's data. */
static void point(const struct ppu_image *img, uint8_t *data, const char *name, uint64_t va)
{
	const struct ppu_symbol *s = ppu_image_find(img, name);

	if (s && s->kind == PPU_SYM_GLOBAL && s->size >= sizeof(va) && s->value <= img->data_bytes &&
	    img->data_bytes - s->value >= sizeof(va))
		memcpy(data + s->value, &va, sizeof(va));
}

ppuResult rt_devlib_bind(struct ppuModule_st *m, uint8_t *data)
{
	struct rt_devlib *d = m->ctx->devlib;
	bool print = ppu_image_find(m->img, PPU_PRINT_SYMBOL), heap = ppu_image_find(m->img, PPU_HEAP_SYMBOL);
	bool launch = ppu_image_find(m->img, PPU_CDP_SYMBOL);
	ppuResult res = PPU_SUCCESS;

	if (!print && !heap && !launch)
		return PPU_SUCCESS;
	pthread_mutex_lock(&d->bind_lock);
	if (print)
		res = make_print(m->ctx);
	if (!res && heap)
		res = make_heap(m->ctx);
	if (!res && launch)
		res = rt_cdp_bind(m);
	pthread_mutex_unlock(&d->bind_lock);
	if (res)
		return res;
	point(m->img, data, PPU_PRINT_SYMBOL, (uintptr_t)d->print);
	point(m->img, data, PPU_HEAP_SYMBOL, d->heap);
	point(m->img, data, PPU_CDP_SYMBOL, m->cdp_va);
	return PPU_SUCCESS;
}

/* ---- printing --------------------------------------------------------------------------------- */

struct reader {		/* a record, copied out of the ring */
	const uint8_t *args, *args_end;
	const char *strings, *strings_end;
	uint32_t at;
};

static uint64_t take(struct reader *r, unsigned bytes)
{
	uint64_t v = 0;

	r->at = (r->at + bytes - 1) / bytes * bytes;
	if ((uint64_t)(r->args_end - r->args) >= (uint64_t)r->at + bytes)
		memcpy(&v, r->args + r->at, bytes);
	r->at += bytes;
	return v;
}

static const char *take_string(struct reader *r)
{
	const char *s = r->strings;
	size_t n = strnlen(s, (size_t)(r->strings_end - s));

	if (s + n == r->strings_end)
		return "";
	r->strings += n + 1;
	return s;
}

/* One conversion with its flags as the C library knows them; widths from arguments put in. */
static void print_one(FILE *out, const struct ppu_conversion *c, struct reader *r)
{
	char spec[96];
	size_t n = 0;
	const char *p;
	uint64_t v;
	double d;

	for (p = c->start; p < c->end - 1 && n < 64; p++) {
		if (*p == '*')
			n += (size_t)snprintf(spec + n, 16, "%d", (int)(uint32_t)take(r, 4));
		else if (!strchr("lhjztLq", *p))
			spec[n++] = *p;
	}
	v = take(r, c->bytes);
	switch (c->letter) {
	case 'd': case 'i': case 'u': case 'o': case 'x': case 'X':
		/* char and short were promoted: print what is left of them */
		for (p = c->start; p < c->end && n < sizeof(spec) - 4; p++)
			if (*p == 'h' || (*p == 'l' && c->bytes == 8 && (n < 2 || spec[n - 2] != 'l' || spec[n - 1] != 'l')))
				spec[n++] = *p;
		if (c->bytes == 8)
			while (n < 2 || spec[n - 1] != 'l' || spec[n - 2] != 'l')
				spec[n++] = 'l';
		snprintf(spec + n, 4, "%c", c->letter);
		if (c->bytes == 8)
			fprintf(out, spec, (long long)v);
		else
			fprintf(out, spec, (int)(uint32_t)v);
		break;
	case 'c':
		snprintf(spec + n, 4, "c");
		fprintf(out, spec, (int)(uint32_t)v);
		break;
	case 's':
		snprintf(spec + n, 4, "s");
		fprintf(out, spec, take_string(r));
		break;
	case 'p':
		fprintf(out, "0x%llx", (unsigned long long)v);
		break;
	case 'n':
		break;
	default:
		memcpy(&d, &v, sizeof(d));
		snprintf(spec + n, 4, "%c", c->letter);
		fprintf(out, spec, d);
	}
}

static void print_text(FILE *out, const char *format, struct reader *r)
{
	struct ppu_conversion c;
	const char *p;

	for (p = format; ppu_next_conversion(p, &c); p = c.end) {
		fwrite(p, 1, (size_t)(c.start - p), out);
		if (c.letter)
			print_one(out, &c, r);
		else if (c.end - c.start == 2 && c.start[1] == '%')
			fputc('%', out);
		else
			fwrite(c.start, 1, (size_t)(c.end - c.start), out);
	}
	fputs(p, out);
}

/* rec: a whole record of `bytes` bytes, with 8 zero bytes behind it. */
static void print_record(struct rt_devlib *d, FILE *out, FILE *err, const uint8_t *rec, uint32_t bytes)
{
	struct ppu_print_record h;
	uint64_t fmt, args, strings;
	struct reader r = { 0 };

	memcpy(&h, rec, sizeof(h));
	fmt = sizeof(h);
	args = fmt + (((uint64_t)h.format_bytes + 7) & ~7ull);
	strings = args + (((uint64_t)h.arg_bytes + 7) & ~7ull);
	if (!h.format_bytes || strings + h.string_bytes > bytes || rec[fmt + h.format_bytes - 1])
		return;		/* not written by the library */
	r.args = rec + args;
	r.args_end = r.args + h.arg_bytes;
	r.strings = (const char *)rec + strings;
	r.strings_end = r.strings + h.string_bytes;
	if (h.kind == PPU_PRINT_TEXT) {
		print_text(out, (const char *)rec + fmt, &r);
	} else if (h.kind == PPU_PRINT_ASSERT) {
		const char *message = take_string(&r), *file = take_string(&r), *function = take_string(&r);

		snprintf(d->assertion, sizeof(d->assertion),
			 "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.", file, h.line,
			 function, h.block[0], h.block[1], h.block[2], h.thread[0], h.thread[1], h.thread[2], message);
		fprintf(err, "%s\n", d->assertion);
	}
}

/* Copy record n out of the ring; 0: it was overwritten, -1: it is not complete yet. */
static int fetch(const struct rt_devlib *d, uint64_t n, uint64_t total, uint8_t **rec, uint32_t *bytes)
{
	const struct ppu_print_state *s = d->print;
	const struct ppu_print_entry *e = (const struct ppu_print_entry *)(uintptr_t)(d->print_ring + d->print_bytes);
	const uint8_t *data = (const uint8_t *)(uintptr_t)d->print_ring;
	uint64_t mask = d->print_bytes - 1, start, i;

	e += n % (d->print_bytes / BYTES_PER_ENTRY);
	if (__atomic_load_n(&e->ready, __ATOMIC_ACQUIRE) != (uint32_t)n + 1)
		return total - n >= d->print_bytes / BYTES_PER_ENTRY ? 0 : -1;
	start = e->start;
	*bytes = e->bytes;
	if (*bytes < sizeof(struct ppu_print_record) || *bytes > d->print_bytes)
		return 0;
	*rec = calloc(1, (size_t)*bytes + 8);
	for (i = 0; *rec && i < *bytes; i++)
		(*rec)[i] = data[(start + i) & mask];
	/* overwritten before or meanwhile? */
	if (*rec && start + d->print_bytes >= __atomic_load_n(&s->next_byte, __ATOMIC_ACQUIRE))
		return 1;
	free(*rec);
	return 0;
}

void rt_devlib_flush(struct ppuCtx_st *ctx)
{
	struct rt_devlib *d = ctx->devlib;
	char *text[2] = { NULL, NULL };
	size_t len[2] = { 0, 0 };
	uint64_t total, most;
	FILE *f[2];

	if (!d || !d->print)
		return;
	total = __atomic_load_n(&d->print->next_entry, __ATOMIC_ACQUIRE);
	if (total == d->printed)
		return;
	f[0] = open_memstream(&text[0], &len[0]);
	f[1] = open_memstream(&text[1], &len[1]);
	most = d->print_bytes / BYTES_PER_ENTRY;
	if (total - d->printed > most)
		d->printed = total - most;
	for (; f[0] && f[1] && d->printed < total; d->printed++) {
		uint8_t *rec = NULL;
		uint32_t bytes;
		int got = fetch(d, d->printed, total, &rec, &bytes);

		if (got < 0 && !ctx->broken)
			break;	/* its thread has not finished it; later ones wait for their turn */
		if (got > 0) {
			print_record(d, f[0], f[1], rec, bytes);
			free(rec);
		}
	}
	if (f[0])
		fclose(f[0]);
	if (f[1])
		fclose(f[1]);
	rt_leave(ctx);	/* writing may block */
	if (len[0]) {
		fwrite(text[0], 1, len[0], stdout);
		fflush(stdout);
	}
	if (len[1])
		fwrite(text[1], 1, len[1], stderr);
	pthread_mutex_lock(&ctx->lock);
	free(text[0]);
	free(text[1]);
}

bool rt_devlib_is_assert(const struct ppuModule_st *m, uint32_t pc)
{
	const struct ppu_symbol *s = ppu_image_find(m->img, ASSERT_FUNCTION);

	return s && s->kind == PPU_SYM_FUNC && pc >= s->value && pc - s->value < s->num_insns;
}

const char *rt_devlib_assertion(const struct ppuCtx_st *ctx)
{
	return ctx->devlib->assertion;
}

/* ---- limits ----------------------------------------------------------------------------------- */

ppuResult rt_devlib_get_limit(struct ppuCtx_st *ctx, ppuLimit limit, uint64_t *value)
{
	*value = limit == PPU_LIMIT_PRINTF_BYTES ? ctx->devlib->print_bytes : ctx->devlib->heap_bytes;
	return PPU_SUCCESS;
}

static ppuResult set_print(struct ppuCtx_st *ctx, uint64_t value)
{
	struct rt_devlib *d = ctx->devlib;
	uint64_t bytes = PRINT_LEAST, before = d->print_bytes;
	ppuResult res;

	if (value > PRINT_MOST)
		return rt_fail(PPU_ERROR_INVALID_VALUE, "the buffer of printf has at most %llu bytes", PRINT_MOST);
	while (bytes < value)
		bytes *= 2;
	res = rt_wait_all(ctx);		/* prints what is in the old one */
	if (res || bytes == before)
		return res;
	d->print_bytes = bytes;
	if (d->print)
		res = print_ring(ctx);
	if (res)
		d->print_bytes = before;
	return res;
}

ppuResult rt_devlib_set_limit(struct ppuCtx_st *ctx, ppuLimit limit, uint64_t value)
{
	struct rt_devlib *d = ctx->devlib;

	if (limit == PPU_LIMIT_PRINTF_BYTES)
		return set_print(ctx, value);
	if (value == d->heap_bytes)
		return PPU_SUCCESS;
	if (d->heap)
		return rt_fail(PPU_ERROR_INVALID_VALUE,
			       "the heap of malloc is in use; set its size before a module that calls malloc is loaded");
	d->heap_bytes = value < HEAP_LEAST ? HEAP_LEAST : (value + 255) & ~255ull;
	return PPU_SUCCESS;
}
