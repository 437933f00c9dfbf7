/* SPDX-License-Identifier: MIT */
/* What is known of code: images, kernels, lines, names, and where a module's variables are. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/obj/image.h"
#include "debug/state.h"

struct kernel {
	uint64_t inst;
	uint32_t number;
	struct dbg_code code;
};

struct module {
	uint64_t inst, data_va;
	const struct ppu_image *img;
};

/* Programs load modules in any of their threads. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kernel *kernels;
static struct module *modules;
static uint32_t num_kernels, num_modules;

void dbg_kernel(uint64_t inst, uint32_t number, const struct ppu_image *img, const char *name)
{
	uint32_t i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < num_kernels && (kernels[i].inst != inst || kernels[i].number != number); i++)
		;
	if (i < num_kernels || !PPU_GROW(kernels, num_kernels))
		kernels[i] = (struct kernel){ inst, number, { img, name } };
	pthread_mutex_unlock(&lock);
}

void dbg_module(uint64_t inst, const struct ppu_image *img, uint64_t data_va)
{
	pthread_mutex_lock(&lock);
	if (!PPU_GROW(modules, num_modules))
		modules[num_modules - 1] = (struct module){ inst, data_va, img };
	pthread_mutex_unlock(&lock);
	dbg_image_came(img);
}

void dbg_module_gone(const struct ppu_image *img)
{
	dbg_image_went(img);
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < num_modules; i++)
		if (modules[i].img == img) {
			modules[i] = modules[--num_modules];
			break;
		}
	pthread_mutex_unlock(&lock);
}

struct dbg_code dbg_code_of(uint64_t inst, uint64_t task_id)
{
	static uint32_t last;
	struct dbg_code found = { NULL, NULL };
	uint32_t number = (uint32_t)(task_id >> 32);

	pthread_mutex_lock(&lock);
	if (last >= num_kernels || kernels[last].inst != inst || kernels[last].number != number)
		for (last = 0; last < num_kernels && (kernels[last].inst != inst || kernels[last].number != number); last++)
			;
	if (last < num_kernels)
		found = kernels[last].code;
	pthread_mutex_unlock(&lock);
	return found;
}

/* Files of the system and of the compiler are of no interest: what they hold belongs to the line that uses it. */
static bool is_systems(const char *file)
{
	const char *slash = strrchr(file, '/');

	return !strncmp(file, "/usr/", 5) || !strncmp(slash ? slash + 1 : file, "__clang_", 8);
}

/* The line of an instruction, or the nearest one before it in its function that is the program's own, or else behind it. */
struct dbg_line dbg_line_of(const struct ppu_image *img, uint32_t pc)
{
	const struct ppu_line *l = img ? ppu_image_line(img, pc) : NULL, *own = l, *end = img ? img->lines + img->num_lines : NULL;
	const struct ppu_symbol *s;

	if (l && is_systems(img->files[l->file])) {
		s = ppu_image_function(img, pc);
		while (s && own > img->lines && own->pc > s->value && is_systems(img->files[own->file]))
			own--;
		if (own->pc < (s ? s->value : 0) || is_systems(img->files[own->file]))
			for (own = l; s && own < end && is_systems(img->files[own->file]); own++)
				;
		l = s && own < end && own->pc >= s->value && own->pc < s->value + s->num_insns ? own : l;
	}
	return l ? (struct dbg_line){ img->files[l->file], l->line } : (struct dbg_line){ NULL, 0 };
}

bool dbg_same_line(const struct dbg_line *a, const struct dbg_line *b)
{
	return a->line == b->line && (a->file == b->file || (a->file && b->file && !strcmp(a->file, b->file)));
}

void dbg_each_image(void (*fn)(const struct ppu_image *img, void *arg), void *arg)
{
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < num_modules; i++)
		fn(modules[i].img, arg);
	pthread_mutex_unlock(&lock);
}

/* ---- names ------------------------------------------------------------------------------------------------- */

const char *dbg_demangled(const char *name, char *buf, size_t len)
{
	static char *(*demangle)(const char *, char *, size_t *, int *);
	static bool asked;
	char *text = NULL;
	int status = -1;

	if (!asked)
		*(void **)(void *)&demangle = dlsym(RTLD_DEFAULT, "__cxa_demangle");
	asked = true;
	if (demangle && !strncmp(name, "_Z", 2))
		text = demangle(name, NULL, NULL, &status);
	snprintf(buf, len, "%s", text && !status ? text : name);
	free(text);
	return buf;
}

/* What the text is called whose name ends with its length and itself: _ZZ5mixedPiE4sums is a variable sums of mixed(). */
static bool ends_with(const char *symbol, const char *text)
{
	char end[280];
	size_t n = (size_t)snprintf(end, sizeof(end), "%zu%s", strlen(text), text), m = strlen(symbol);

	return n < sizeof(end) && m > n && !strcmp(symbol + m - n, end) && symbol[m - n - 1] == 'E';
}

/* _ZN1a1bE... names b in a: the last name of the path, for programs without the C++ library. */
static bool is_mangled(const char *symbol, const char *text)
{
	size_t n = strlen(text);
	const char *s = symbol;

	if (strncmp(s, "_Z", 2) != 0)
		return false;
	for (s += 2; *s == 'N' || *s == 'K'; s++)
		;
	for (;;) {
		char *end;
		unsigned long len = strtoul(s, &end, 10);

		if (end == s || len > strlen(end))
			return false;
		if (len == n && !strncmp(end, text, n))
			return true;
		s = end + len;
	}
}

bool dbg_is_name(const char *symbol, const char *text)
{
	char buf[1024];
	const char *paren, *own = strstr(symbol, "$_Z");	/* of a function: FUNCTION$NAME */
	size_t n = strlen(text);

	if (own)
		symbol = own + 1;
	if (!strcmp(symbol, text) || is_mangled(symbol, text) || ends_with(symbol, text))
		return true;
	dbg_demangled(symbol, buf, sizeof(buf));
	paren = strchr(buf, '(');
	return !strcmp(buf, text) || (paren && (size_t)(paren - buf) == n && !strncmp(buf, text, n));
}

bool dbg_is_file(const char *file, const char *text)
{
	size_t n = strlen(file), m = strlen(text);

	return n >= m && !strcmp(file + n - m, text) && (n == m || file[n - m - 1] == '/' || *text == '/');
}

const char *dbg_function_text(const struct ppu_image *img, uint32_t pc, char *buf, size_t len)
{
	const struct ppu_symbol *s = img ? ppu_image_function(img, pc) : NULL;

	if (!s)
		return snprintf(buf, len, "?"), buf;
	return dbg_demangled(s->name, buf, len);
}

static bool variable_of(const struct ppu_image *img, const char *name, bool shared, const struct ppu_symbol **found)
{
	for (uint32_t i = 0; img && i < img->num_symbols; i++) {
		const struct ppu_symbol *s = &img->symbols[i];

		if ((shared ? s->kind == PPU_SYM_SHARED : s->kind == PPU_SYM_GLOBAL || s->kind == PPU_SYM_CONST) &&
		    dbg_is_name(s->name, name)) {
			*found = s;
			return true;
		}
	}
	return false;
}

bool dbg_symbol(uint64_t inst, const struct ppu_image *img, const char *name, uint32_t *space, uint64_t *addr, uint64_t *bytes)
{
	const struct ppu_symbol *s;
	bool found = false;

	if (variable_of(img, name, true, &s)) {
		*space = PPU_SPACE_SHARED;
		*addr = s->value;
		*bytes = s->size;
		return true;
	}
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < num_modules && !found; i++) {
		if ((inst && modules[i].inst != inst) || !variable_of(modules[i].img, name, false, &s))
			continue;
		found = true;
		*space = PPU_SPACE_GLOBAL;
		*addr = modules[i].data_va + s->value;
		*bytes = s->size;
	}
	pthread_mutex_unlock(&lock);
	return found;
}

const char *dbg_source(const char *file, uint32_t line, char *buf, size_t len)
{
	FILE *f = fopen(file, "re");
	char *text = NULL;
	size_t cap = 0;
	ssize_t n = 0;

	if (!f)
		return NULL;
	while (line-- && (n = getline(&text, &cap, f)) >= 0)
		;
	if (n > 0) {
		text[strcspn(text, "\n")] = 0;
		snprintf(buf, len, "%s", text);
	}
	free(text);
	fclose(f);
	return n > 0 ? buf : NULL;
}
