/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Properties by name: defaults, parsing, and the checks that need more than one of them. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/alloc.h"
#include "core/ppu_core.h"

enum prop_type { T_u32, T_named, T_u64, T_size };

static const struct prop {
	const char *name;
	enum prop_type type;
	size_t offset;
	uint64_t def, min, max;
} props[] = {
#define P(c, name, type, def, min, max, doc) \
	{ name, T_##type, offsetof(struct ppu_config, c), def, min, max },
	PPU_PROPS(P)
#undef P
};
#define NUM_PROPS (sizeof(props) / sizeof(props[0]))

static __attribute__((format(printf, 2, 3))) int fail(char **err, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return -1;
	va_start(ap, fmt);
	*err = ppu_vsentence(fmt, ap);
	va_end(ap);
	return -1;
}

static bool is_u32(const struct prop *p)
{
	return p->type == T_u32 || p->type == T_named;
}

static uint64_t get(const struct ppu_config *cfg, const struct prop *p)
{
	const void *at = (const char *)cfg + p->offset;
	uint32_t v32;
	uint64_t v64;

	if (is_u32(p)) {
		memcpy(&v32, at, sizeof(v32));
		return v32;
	}
	memcpy(&v64, at, sizeof(v64));
	return v64;
}

static void set(struct ppu_config *cfg, const struct prop *p, uint64_t v)
{
	void *at = (char *)cfg + p->offset;
	uint32_t v32 = (uint32_t)v;

	if (is_u32(p))
		memcpy(at, &v32, sizeof(v32));
	else
		memcpy(at, &v, sizeof(v));
}

void ppu_config_init(struct ppu_config *cfg)
{
	memset(cfg, 0, sizeof(*cfg));
	for (size_t i = 0; i < NUM_PROPS; i++)
		set(cfg, &props[i], props[i].def);
}

/* Values that have names.  Such a value need not be in the property's range. */
static const struct { const char *property, *text; uint32_t value; } names[] = {
	{ "engine", "auto", 0 }, { "engine", "interpret", 1 }, { "engine", "translate", 2 },
	{ "workers", "auto", PPU_WORKERS_AUTO },
};

static bool named(const struct prop *p, const char *text, uint64_t *v)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i].property, p->name) || strcmp(names[i].text, text))
			continue;
		*v = names[i].value;
		return true;
	}
	return false;
}

/* Decimal or 0x hexadecimal; K, M, G, T (powers of 1024) for sizes. */
static bool parse(const char *text, enum prop_type type, uint64_t *v)
{
	char *end;
	unsigned shift = 0;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*v = strtoull(text, &end, text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10);
	if (errno || end == text)
		return false;
	if (type == T_size && *end) {
		switch (toupper((unsigned char)*end++)) {
		case 'K': shift = 10; break;
		case 'M': shift = 20; break;
		case 'G': shift = 30; break;
		case 'T': shift = 40; break;
		default: return false;
		}
	}
	if (*end || (*v << shift) >> shift != *v)
		return false;
	*v <<= shift;
	return true;
}

/* Properties that may change or go have x- before the name; without it they were known before, and still are. */
static bool same_name(const char *property, const char *name)
{
	return !strcmp(property, name) || (!strncmp(property, "x-", 2) && !strcmp(property + 2, name));
}

static int no_value(const struct prop *p, const char *name, const char *text, char **err)
{
	char also[80] = "";
	size_t len = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i].property, p->name) && len < sizeof(also))
			len += (size_t)snprintf(also + len, sizeof(also) - len, "%s%s", len ? " or " : "", names[i].text);
	if (len)
		return fail(err, "property %s: '%s' is not a number, nor %s", name, text, also);
	return fail(err, "property %s: '%s' is not a%s", name, text,
		    p->type == T_size ? " size (a number, or a number with K, M or G)" : " number");
}

int ppu_config_set(struct ppu_config *cfg, const char *name, const char *text, char **err)
{
	for (size_t i = 0; i < NUM_PROPS; i++) {
		const struct prop *p = &props[i];
		uint64_t v;

		if (!same_name(p->name, name))
			continue;
		if (named(p, text, &v)) {
			set(cfg, p, v);
			return 0;
		}
		if (!parse(text, p->type, &v))
			return no_value(p, name, text, err);
		if (v < p->min || v > p->max)
			return fail(err, "property %s: %s is outside %llu to %llu", name, text,
				    (unsigned long long)p->min, (unsigned long long)p->max);
		set(cfg, p, v);
		return 0;
	}
	return fail(err, "there is no property called '%s'", name);
}

static const struct prop *prop_at(size_t offset)
{
	const struct prop *p = props;

	while (p->offset != offset)
		p++;
	return p;
}

void ppu_config_workers(struct ppu_config *cfg, unsigned cpus)
{
	uint64_t most = prop_at(offsetof(struct ppu_config, workers))->max, sms = (uint64_t)cfg->gpcs * cfg->sms_per_gpc;

	if (cfg->workers != PPU_WORKERS_AUTO)
		return;
	if (most > sms)
		most = sms;
	cfg->workers = most > cpus ? cpus : (uint32_t)most;
}

/* ns: what window-ns may be, its parts may be, too. */
static uint64_t least_window(void)
{
	return prop_at(offsetof(struct ppu_config, window_ns))->min;
}

int ppu_config_check(const struct ppu_config *cfg, char **err)
{
	for (size_t i = 0; i < NUM_PROPS; i++) {
		uint64_t v = get(cfg, &props[i]);

		if (v < props[i].min || v > props[i].max)
			return fail(err, "property %s: %llu is outside %llu to %llu", props[i].name,
				    (unsigned long long)v, (unsigned long long)props[i].min,
				    (unsigned long long)props[i].max);
	}
	if (cfg->vram % (1u << 20))
		return fail(err, "property vram: %llu is not a multiple of 1 MiB",
			    (unsigned long long)cfg->vram);
	if (cfg->shared_per_cta > cfg->shared_per_sm)
		return fail(err, "property shared-per-cta (%u) is larger than shared-per-sm (%u)",
			    cfg->shared_per_cta, cfg->shared_per_sm);
	if (cfg->window_ns >> cfg->window_halvings < least_window() || cfg->window_ns & ((1u << cfg->window_halvings) - 1))
		return fail(err, "property window-halvings: %llu ns cannot be cut in half %u times: all parts must be whole"
			    " and have at least %llu ns", (unsigned long long)cfg->window_ns, cfg->window_halvings,
			    (unsigned long long)least_window());
	if (cfg->cache_line & (cfg->cache_line - 1))
		return fail(err, "property cache-line: %u is not a power of two", cfg->cache_line);
#define WHOLE(c, name, ways) \
	if (cfg->c % ((uint64_t)cfg->cache_line * (ways))) \
		return fail(err, "property %s: %llu is not a multiple of %u lines of %u bytes", name, \
			    (unsigned long long)cfg->c, ways, cfg->cache_line)
	WHOLE(l1_bytes, "l1-bytes", cfg->l1_ways);
	WHOLE(l1i_bytes, "l1-insn-bytes", 4);
	WHOLE(l1c_bytes, "l1-const-bytes", 4);
	WHOLE(l15_bytes, "l15-bytes", 4);
	WHOLE(l2_slice_bytes, "l2-slice-bytes", cfg->l2_ways);
#undef WHOLE
	if (cfg->task_slots > cfg->task_records)
		return fail(err, "property task-slots (%u) is larger than task-records (%u)",
			    cfg->task_slots, cfg->task_records);
	return 0;
}
