/* SPDX-License-Identifier: MIT */
/*
 * PPUB images: reading, writing.  The file format is described in Documentation/hw/isa.md; all
 * numbers little-endian, all offsets from the start of the file.
 *
 * The reader takes hostile input: every count is bounded by the bytes that are there, every index
 * and offset is checked, and an image that was accepted can be linked, disassembled, written and
 * loaded without further checks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_isa_check.h>
#include <hw/ppu_tmd.h>
#include "compiler/obj/image.h"

#define HEADER_BYTES	32
#define SECTION_BYTES	24
#define SYMBOL_BYTES	96
#define PARAM_BYTES	12
#define RELOC_BYTES	24
#define LINE_BYTES	16
#define INFO_BYTES	24

struct ppu_image *ppu_image_new(void)
{
	struct ppu_image *img = calloc(1, sizeof(*img));

	if (img)
		img->data_align = 1;
	return img;
}

const struct ppu_symbol *ppu_image_function(const struct ppu_image *img, uint32_t pc)
{
	uint32_t i;

	for (i = 0; i < img->num_symbols; i++) {
		const struct ppu_symbol *s = &img->symbols[i];

		if (ppu_is_code(s->kind) && pc >= s->value && pc - s->value < s->num_insns)
			return s;
	}
	return NULL;
}

const struct ppu_line *ppu_image_line(const struct ppu_image *img, uint32_t pc)
{
	const struct ppu_line *best = NULL;
	uint32_t i;

	for (i = 0; i < img->num_lines; i++) {
		const struct ppu_line *l = &img->lines[i];

		if (l->pc <= pc && (!best || l->pc >= best->pc))
			best = l;
	}
	return best && best->line && best->file < img->num_files ? best : NULL;
}

unsigned ppu_debug_letters(uint64_t number, char *name)
{
	unsigned n = 0;

	for (int shift = 56; shift >= 0; shift -= 8)
		if (number >> shift & 0xff)
			name[n++] = (char)(number >> shift);
	name[n] = 0;
	return n;
}

static void free_debug(struct ppu_debug *d)
{
	if (!d)
		return;
	for (uint32_t i = 0; i < PPU_DEBUG_SECTIONS; i++)
		free(d->section[i]);
	for (uint32_t i = 0; i < d->num_homes; i++)
		free(d->homes[i].name);
	for (uint32_t i = 0; i < d->num_names; i++)
		free(d->names[i]);
	free(d->marks);
	free(d->homes);
	free(d->names);
	free(d);
}

void ppu_image_free(struct ppu_image *img)
{
	uint32_t i;

	if (!img)
		return;
	for (i = 0; i < img->num_symbols; i++) {
		free(img->symbols[i].name);
		free(img->symbols[i].params);
	}
	for (i = 0; i < img->num_files; i++)
		free(img->files[i]);
	free(img->code);
	free(img->data);
	free(img->symbols);
	free(img->relocs);
	free(img->lines);
	free(img->files);
	free_debug(img->debug);
	free(img);
}

int ppu_grow_(void **array, uint32_t *n, size_t size)
{
	void *v = *array;

	/* the room is doubled when *n reaches a power of two */
	if (!(*n & (*n - 1))) {
		v = realloc(v, (*n ? (size_t)*n * 2 : 1) * size);
		if (!v)
			return -ENOMEM;
		*array = v;
	}
	memset((char *)v + *n * size, 0, size);
	(*n)++;
	return 0;
}

int ppu_has_target(const struct ppu_insn *in)
{
	switch (ppu_isa_info(PPU_GET(in, OP))->fmt) {
	case PPU_FMT_BR:
	case PPU_FMT_PUSHL:
	case PPU_FMT_DISL:
	case PPU_FMT_CALL:
		return 1;
	}
	return 0;
}

struct ppu_symbol *ppu_image_find(const struct ppu_image *img, const char *name)
{
	struct ppu_symbol *undef = NULL;
	uint32_t i;

	for (i = 0; i < img->num_symbols; i++) {
		struct ppu_symbol *s = &img->symbols[i];

		if (strcmp(s->name, name))
			continue;
		if (s->kind != PPU_SYM_UNDEF)
			return s;
		undef = s;
	}
	return undef;
}

/* ---- bytes ---- */

struct out {
	uint8_t *v;
	size_t len, cap;
	int failed;
};

static void put(struct out *o, const void *p, size_t n)
{
	if (o->failed)
		return;
	if (o->cap - o->len < n) {
		size_t cap = (o->len + n) * 2 + 256;
		uint8_t *v = realloc(o->v, cap);

		if (!v) {
			o->failed = 1;
			return;
		}
		o->v = v;
		o->cap = cap;
	}
	if (n)
		memcpy(o->v + o->len, p, n);
	o->len += n;
}

static void put_n(struct out *o, uint64_t v, unsigned bytes)
{
	uint8_t b[8];
	unsigned i;

	for (i = 0; i < bytes; i++)
		b[i] = (uint8_t)(v >> 8 * i);
	put(o, b, bytes);
}

#define put32(o, v) put_n(o, v, 4)
#define put64(o, v) put_n(o, v, 8)

static void set_n(uint8_t *p, uint64_t v, unsigned bytes)
{
	unsigned i;

	for (i = 0; i < bytes; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static uint64_t get_n(const uint8_t *p, unsigned bytes)
{
	uint64_t v = 0;
	unsigned i;

	for (i = 0; i < bytes; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

#define get32(p) ((uint32_t)get_n(p, 4))
#define get64(p) get_n(p, 8)

/* ---- writing ---- */

/* Adds a string to the string section and returns its offset.  Nearly all names differ, so none are shared. */
static uint32_t add_string(struct out *strings, const char *s)
{
	uint32_t at = (uint32_t)strings->len;

	put(strings, s, strlen(s) + 1);
	return at;
}

int ppu_image_write(const struct ppu_image *img, uint8_t **bytes, size_t *len)
{
	struct out sec[PPUB_SEC_COUNT], o = { 0 };
	uint64_t data_len = img->data_bytes;
	uint32_t i, j, num_params = 0;
	int failed = 0;
	uint8_t *sizes;

	memset(sec, 0, sizeof(sec));
	while (data_len && !img->data[data_len - 1])
		data_len--;		/* the rest is zero */
	put64(&sec[PPUB_SEC_INFO], img->data_bytes);
	put64(&sec[PPUB_SEC_INFO], img->data_align);
	put32(&sec[PPUB_SEC_INFO], img->shared_module_bytes);
	put32(&sec[PPUB_SEC_INFO], 0);
	for (i = 0; i < img->num_insns; i++) {
		put64(&sec[PPUB_SEC_CODE], img->code[i].lo);
		put64(&sec[PPUB_SEC_CODE], img->code[i].hi);
	}
	put(&sec[PPUB_SEC_DATA], img->data, data_len);
	for (i = 0; i < img->num_symbols; i++) {
		const struct ppu_symbol *s = &img->symbols[i];
		struct out *y = &sec[PPUB_SEC_SYMBOLS];

		put32(y, add_string(&sec[PPUB_SEC_STRINGS], s->name));
		put32(y, s->kind);
		put32(y, s->flags);
		put32(y, s->align);
		put64(y, s->value);
		put64(y, s->size);
		put32(y, s->num_insns);
		put32(y, s->regs);
		put32(y, s->frame_bytes);
		put32(y, s->local_bytes);
		put32(y, s->shared_bytes);
		put32(y, s->barriers);
		put32(y, s->max_threads);
		for (j = 0; j < 3; j++)
			put32(y, s->reqntid[j]);
		put32(y, s->param_bytes);
		put32(y, num_params);
		put32(y, s->num_params);
		put32(y, s->recursive);
		put32(y, s->shared_fixed);
		put32(y, s->cluster);
		for (j = 0; j < s->num_params; j++) {
			put32(&sec[PPUB_SEC_PARAMS], s->params[j].offset);
			put32(&sec[PPUB_SEC_PARAMS], s->params[j].size);
			put32(&sec[PPUB_SEC_PARAMS], s->params[j].align);
		}
		num_params += s->num_params;
	}
	for (i = 0; i < img->num_relocs; i++) {
		put32(&sec[PPUB_SEC_RELOCS], img->relocs[i].kind);
		put32(&sec[PPUB_SEC_RELOCS], img->relocs[i].symbol);
		put64(&sec[PPUB_SEC_RELOCS], img->relocs[i].where);
		put64(&sec[PPUB_SEC_RELOCS], (uint64_t)img->relocs[i].addend);
	}
	for (i = 0; i < img->num_lines; i++) {
		put32(&sec[PPUB_SEC_LINES], img->lines[i].pc);
		put32(&sec[PPUB_SEC_LINES], img->lines[i].file);
		put32(&sec[PPUB_SEC_LINES], img->lines[i].line);
		put32(&sec[PPUB_SEC_LINES], img->lines[i].column);
	}
	for (i = 0; i < img->num_files; i++)
		put32(&sec[PPUB_SEC_FILES], add_string(&sec[PPUB_SEC_STRINGS], img->files[i]));

	put32(&o, PPUB_MAGIC);
	put32(&o, PPUB_VERSION);
	put64(&o, 0);			/* length of the file, below */
	put32(&o, PPUB_SEC_COUNT);
	put32(&o, SECTION_BYTES);
	put64(&o, 0);
	for (i = 0; i < PPUB_SEC_COUNT * SECTION_BYTES / 8; i++)
		put64(&o, 0);
	for (i = 0; i < PPUB_SEC_COUNT; i++) {
		while (o.len % 16 && !o.failed)
			put_n(&o, 0, 1);
		if (o.failed)
			break;
		sizes = o.v + HEADER_BYTES + i * SECTION_BYTES;
		set_n(sizes, i, 4);
		set_n(sizes + 8, o.len, 8);
		set_n(sizes + 16, sec[i].len, 8);
		put(&o, sec[i].v, sec[i].len);
		failed |= sec[i].failed;
	}
	for (i = 0; i < PPUB_SEC_COUNT; i++)
		free(sec[i].v);
	if (failed || o.failed) {
		free(o.v);
		return -ENOMEM;
	}
	set_n(o.v + 8, o.len, 8);
	*bytes = o.v;
	*len = o.len;
	return 0;
}

/* ---- reading ---- */

struct in {
	const uint8_t *v;
	size_t n;
};

static int bad(struct ppu_log *log, const char *what)
{
	if (log) {
		ppu_log_printf(log, "error: not a usable PPUB image: %s\n", what);
		log->errors++;
	}
	return -EINVAL;
}

/* A string of the string section, copied; NULL: not terminated, or no memory. */
static char *get_string(const struct in *strings, uint32_t at)
{
	if (at >= strings->n || !memchr(strings->v + at, 0, strings->n - at))
		return NULL;
	return strdup((const char *)strings->v + at);
}

static int pow2(uint64_t v)
{
	return v && !(v & (v - 1));
}

static void *array(size_t n, size_t size)
{
	return calloc(n ? n : 1, size);
}

const char *ppu_symbol_check(const struct ppu_image *img, const struct ppu_symbol *s)
{
	uint32_t j, top;

	if (!s->name[0])
		return "a symbol without a name";
	if (s->kind > PPU_SYM_SHARED)
		return "unknown kind of symbol";
	if (s->flags & ~(PPU_SYMF_GLOBAL | PPU_SYMF_WEAK | PPU_SYMF_MANAGED | PPU_SYMF_QUEUE |
			 PPU_SYMF_MOVABLE))
		return "unknown flags of a symbol";
	if (s->align && !pow2(s->align))
		return "alignment of a symbol is not a power of two";
	switch (s->kind) {
	case PPU_SYM_KERNEL:
	case PPU_SYM_FUNC:
		if (!s->num_insns || s->value >= img->num_insns ||
		    s->num_insns > img->num_insns - s->value)
			return "a function is outside the code";
		if (s->regs > PPU_NUM_REGS || s->barriers > 16 || s->max_threads > 1024 ||
		    s->recursive > 1)
			return "a function has impossible properties";
		if (s->shared_fixed > PPU_IMAGE_SHARED_MAX)
			return "a function has too much shared memory";
		if (s->param_bytes > PPU_IMAGE_PARAM_MAX)
			return "a function has too many parameters";
		for (j = 0; j < s->num_params; j++)
			if (s->params[j].size > s->param_bytes ||
			    s->params[j].offset > s->param_bytes - s->params[j].size ||
			    !pow2(s->params[j].align))
				return "a parameter is outside parameter memory";
		break;
	case PPU_SYM_GLOBAL:
	case PPU_SYM_CONST:
		if (s->size > img->data_bytes || s->value > img->data_bytes - s->size)
			return "a variable is outside the data";
		break;
	case PPU_SYM_SHARED:
		top = s->flags & PPU_SYMF_MOVABLE ? PPU_IMAGE_SHARED_MAX : img->shared_module_bytes;
		if (s->size > top || s->value > top - s->size)
			return "a shared variable is outside the module's shared memory";
		break;
	}
	return NULL;
}

const char *ppu_reloc_check(const struct ppu_image *img, const struct ppu_reloc *r)
{
	const struct ppu_insn *in;
	unsigned kind;
	int movi;

	if (r->symbol >= img->num_symbols)
		return "a relocation names no symbol";
	kind = img->symbols[r->symbol].kind;
	switch (r->kind) {
	case PPU_REL_DATA_ABS64:
	case PPU_REL_DATA_PC64:
		if (img->data_bytes < 8 || r->where > img->data_bytes - 8)
			return "a relocation is outside the data";
		break;
	case PPU_REL_CODE_ABS64:
	case PPU_REL_CODE_PC:
	case PPU_REL_CODE_PC64:
	case PPU_REL_CODE_SHARED:
		if (r->where >= img->num_insns)
			return "a relocation is outside the code";
		in = &img->code[r->where];
		movi = PPU_GET(in, OP) == PPU_OP_MOVI64;
		if (movi != (r->kind == PPU_REL_CODE_ABS64 || r->kind == PPU_REL_CODE_PC64))
			return "a relocation does not fit its instruction";
		break;
	default:
		return "unknown kind of relocation";
	}
	switch (r->kind) {
	case PPU_REL_CODE_ABS64:
	case PPU_REL_DATA_ABS64:
		if (kind != PPU_SYM_UNDEF && kind != PPU_SYM_GLOBAL && kind != PPU_SYM_CONST)
			return "a relocation wants the address of something that is no variable";
		break;
	case PPU_REL_CODE_SHARED:
		if (kind != PPU_SYM_UNDEF && kind != PPU_SYM_SHARED)
			return "a relocation wants the offset of something that is not shared";
		break;
	default:
		if (kind != PPU_SYM_UNDEF && kind != PPU_SYM_KERNEL && kind != PPU_SYM_FUNC)
			return "a relocation wants the code of something that is no function";
	}
	return NULL;
}

static int cluster_ok(const struct ppu_symbol *s)
{
	uint32_t dims = PPU_SYM_CLUSTER_DIMS(s->cluster);

	return PPU_SYM_CLUSTER_MOST_OF(s->cluster) <= PPU_CLUSTER_MAX && (!s->cluster || s->kind == PPU_SYM_KERNEL) &&
	       (!dims || (PPU_CLUSTER_CTAS(dims) > 0 && PPU_CLUSTER_CTAS(dims) <= PPU_CLUSTER_MAX));
}

static const char *parse(struct ppu_image *img, const struct in *sec)
{
	const struct in *strings = &sec[PPUB_SEC_STRINGS];
	const uint8_t *p;
	const char *why;
	uint32_t i, j, num_params;

	if (sec[PPUB_SEC_INFO].n != INFO_BYTES)
		return "bad information section";
	p = sec[PPUB_SEC_INFO].v;
	img->data_bytes = get64(p);
	img->data_align = get64(p + 8);
	img->shared_module_bytes = get32(p + 16);
	if (get32(p + 20))
		return "reserved field is not zero";
	if (img->data_bytes > PPU_IMAGE_DATA_MAX || sec[PPUB_SEC_DATA].n > img->data_bytes)
		return "too much data";
	if (!pow2(img->data_align) || img->data_align > PPU_IMAGE_ALIGN_MAX)
		return "bad alignment of the data";
	if (img->shared_module_bytes > PPU_IMAGE_SHARED_MAX)
		return "too much shared memory";

	if (sec[PPUB_SEC_CODE].n % PPU_INSN_BYTES ||
	    sec[PPUB_SEC_CODE].n / PPU_INSN_BYTES > PPU_PC_MAX + 1u)
		return "bad length of the code";
	img->num_insns = (uint32_t)(sec[PPUB_SEC_CODE].n / PPU_INSN_BYTES);
	img->code = array(img->num_insns, sizeof(*img->code));
	img->data = array(img->data_bytes, 1);
	if (!img->code || !img->data)
		return "out of memory";
	for (i = 0, p = sec[PPUB_SEC_CODE].v; i < img->num_insns; i++, p += PPU_INSN_BYTES) {
		img->code[i].lo = get64(p);
		img->code[i].hi = get64(p + 8);
	}
	if (sec[PPUB_SEC_DATA].n)
		memcpy(img->data, sec[PPUB_SEC_DATA].v, sec[PPUB_SEC_DATA].n);

	if (sec[PPUB_SEC_PARAMS].n % PARAM_BYTES)
		return "bad length of the parameter table";
	num_params = (uint32_t)(sec[PPUB_SEC_PARAMS].n / PARAM_BYTES);
	if (sec[PPUB_SEC_SYMBOLS].n % SYMBOL_BYTES)
		return "bad length of the symbol table";
	j = (uint32_t)(sec[PPUB_SEC_SYMBOLS].n / SYMBOL_BYTES);
	img->symbols = array(j, sizeof(*img->symbols));
	if (!img->symbols)
		return "out of memory";
	for (i = 0, p = sec[PPUB_SEC_SYMBOLS].v; i < j; i++, p += SYMBOL_BYTES) {
		struct ppu_symbol *s = &img->symbols[i];
		uint32_t k, first = get32(p + 76), n = get32(p + 80);

		s->name = get_string(strings, get32(p));
		if (!s->name)
			return "bad name of a symbol";
		img->num_symbols++;
		s->kind = get32(p + 4);
		s->flags = get32(p + 8);
		s->align = get32(p + 12);
		s->value = get64(p + 16);
		s->size = get64(p + 24);
		s->num_insns = get32(p + 32);
		s->regs = get32(p + 36);
		s->frame_bytes = get32(p + 40);
		s->local_bytes = get32(p + 44);
		s->shared_bytes = get32(p + 48);
		s->barriers = get32(p + 52);
		s->max_threads = get32(p + 56);
		for (k = 0; k < 3; k++)
			s->reqntid[k] = get32(p + 60 + 4 * k);
		s->param_bytes = get32(p + 72);
		s->recursive = get32(p + 84);
		s->shared_fixed = get32(p + 88);
		s->cluster = get32(p + 92);
		if (!cluster_ok(s))
			return "impossible cluster of a kernel";
		if (n > num_params || first > num_params - n || n > PPU_IMAGE_PARAM_MAX)
			return "bad parameters of a symbol";
		if (n) {
			const uint8_t *q = sec[PPUB_SEC_PARAMS].v + (size_t)first * PARAM_BYTES;

			s->params = array(n, sizeof(*s->params));
			if (!s->params)
				return "out of memory";
			s->num_params = n;
			for (k = 0; k < n; k++, q += PARAM_BYTES) {
				s->params[k].offset = get32(q);
				s->params[k].size = get32(q + 4);
				s->params[k].align = get32(q + 8);
			}
		}
		why = ppu_symbol_check(img, s);
		if (why)
			return why;
	}

	if (sec[PPUB_SEC_RELOCS].n % RELOC_BYTES)
		return "bad length of the relocation table";
	img->num_relocs = (uint32_t)(sec[PPUB_SEC_RELOCS].n / RELOC_BYTES);
	img->relocs = array(img->num_relocs, sizeof(*img->relocs));
	if (!img->relocs) {
		img->num_relocs = 0;
		return "out of memory";
	}
	for (i = 0, p = sec[PPUB_SEC_RELOCS].v; i < img->num_relocs; i++, p += RELOC_BYTES) {
		img->relocs[i].kind = get32(p);
		img->relocs[i].symbol = get32(p + 4);
		img->relocs[i].where = get64(p + 8);
		img->relocs[i].addend = (int64_t)get64(p + 16);
		why = ppu_reloc_check(img, &img->relocs[i]);
		if (why)
			return why;
	}

	if (sec[PPUB_SEC_FILES].n % 4)
		return "bad length of the file table";
	j = (uint32_t)(sec[PPUB_SEC_FILES].n / 4);
	img->files = array(j, sizeof(*img->files));
	if (!img->files)
		return "out of memory";
	for (i = 0; i < j; i++) {
		img->files[i] = get_string(strings, get32(sec[PPUB_SEC_FILES].v + 4 * i));
		if (!img->files[i])
			return "bad name of a source file";
		img->num_files++;
	}
	if (sec[PPUB_SEC_LINES].n % LINE_BYTES)
		return "bad length of the line table";
	img->num_lines = (uint32_t)(sec[PPUB_SEC_LINES].n / LINE_BYTES);
	img->lines = array(img->num_lines, sizeof(*img->lines));
	if (!img->lines) {
		img->num_lines = 0;
		return "out of memory";
	}
	for (i = 0, p = sec[PPUB_SEC_LINES].v; i < img->num_lines; i++, p += LINE_BYTES) {
		img->lines[i].pc = get32(p);
		img->lines[i].file = get32(p + 4);
		img->lines[i].line = get32(p + 8);
		img->lines[i].column = get32(p + 12);
		if (img->lines[i].file >= img->num_files || img->lines[i].pc >= img->num_insns ||
		    (i && img->lines[i].pc < img->lines[i - 1].pc))
			return "bad line table";
	}
	return NULL;
}

int ppu_image_read(const uint8_t *bytes, size_t len, struct ppu_image **out, struct ppu_log *log)
{
	struct in sec[PPUB_SEC_COUNT];
	struct ppu_image *img;
	const char *why;
	uint32_t i;

	*out = NULL;
	if (len < HEADER_BYTES || get32(bytes) != PPUB_MAGIC)
		return bad(log, "no PPUB header");
	if (get32(bytes + 4) != PPUB_VERSION)
		return bad(log, "unknown version");
	if (get64(bytes + 8) != len)
		return bad(log, "the file is cut off or has something appended");
	if (get32(bytes + 16) != PPUB_SEC_COUNT || get32(bytes + 20) != SECTION_BYTES ||
	    get64(bytes + 24) || len < HEADER_BYTES + PPUB_SEC_COUNT * SECTION_BYTES)
		return bad(log, "bad header");
	for (i = 0; i < PPUB_SEC_COUNT; i++) {
		const uint8_t *p = bytes + HEADER_BYTES + i * SECTION_BYTES;
		uint64_t off = get64(p + 8), size = get64(p + 16);

		if (get32(p) != i || get32(p + 4))
			return bad(log, "bad section table");
		if (size > len || off > len - size)
			return bad(log, "a section is outside the file");
		sec[i].v = bytes + off;
		sec[i].n = (size_t)size;
	}
	img = ppu_image_new();
	if (!img)
		return -ENOMEM;
	why = parse(img, sec);
	if (why) {
		ppu_image_free(img);
		return bad(log, why);
	}
	*out = img;
	return 0;
}
