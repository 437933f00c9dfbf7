/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/core.h"
#include "device_pair.h"

char dpair_why[200];
uint64_t dpair_stops, dpair_loads, dpair_translated;

static bool differ(const char *what, uint64_t a, uint64_t b)
{
	if (a == b)
		return false;
	snprintf(dpair_why, sizeof(dpair_why), "%s: %llu and %llu", what, (unsigned long long)a, (unsigned long long)b);
	return true;
}

static bool bytes_differ(const char *what, const uint8_t *a, const uint8_t *b, size_t n)
{
	size_t i = 0;

	if (!memcmp(a, b, n))
		return false;
	while (a[i] == b[i])
		i++;
	snprintf(dpair_why, sizeof(dpair_why), "%s differ at byte 0x%zx: %02x and %02x", what, i, a[i], b[i]);
	return true;
}

/* A new core begins to count again. */
static void count_translations(struct bench *const b[2])
{
	ck_assert_uint_eq(ppu_core_engine_stat(b[0]->core, PPU_ENG_TRANSLATIONS), 0);
	dpair_translated += ppu_core_engine_stat(b[1]->core, PPU_ENG_TRANSLATIONS);
}

bool dpair_states(struct bench *const b[2], bool load)
{
	uint8_t *state[2];
	size_t bytes[2];
	bool ok;

	for (unsigned k = 0; k < 2; k++) {
		struct ppu_config *cfg = &b[k]->core->cfg;
		uint32_t engine = cfg->engine, workers = cfg->workers;

		/* A state names the properties. */
		cfg->engine = cfg->workers = 0;
		ck_assert_int_eq(ppu_core_save(b[k]->core, &state[k], &bytes[k]), 0);
		cfg->engine = engine;
		cfg->workers = workers;
	}
	ok = !differ("bytes of states", bytes[0], bytes[1]) && !bytes_differ("states", state[0], state[1], bytes[0]);
	dpair_stops++;
	dpair_loads += load;
	if (ok && load)
		count_translations(b);
	for (unsigned k = 0; ok && load && k < 2; k++) {
		char *err = NULL;

		bench_new_core(b[k]);
		b[k]->num_trace--;
		if (ppu_core_load(b[k]->core, state[!k], bytes[!k], &err))
			ck_abort_msg("load: %s", err);
	}
	free(state[0]);
	free(state[1]);
	return ok;
}

static bool same_channels(const struct bench *a, const struct bench *b)
{
	const struct bench_ctx *c = a->ctxs, *d = b->ctxs;

	for (; c && d; c = c->next, d = d->next) {
		struct bench_chan *x = c->chans, *y = d->chans;

		for (; x && y; x = x->next, y = y->next)
			if (differ("error of a channel", bench_chan_reg(x, PPU_REG_CH_ERROR), bench_chan_reg(y, PPU_REG_CH_ERROR)))
				return false;
	}
	return true;
}

bool dpair_same(struct bench *const b[2])
{
	struct bench *x = b[0], *y = b[1];

	if (differ("device time", ppu_core_time(x->core), ppu_core_time(y->core)) || !same_channels(x, y) ||
	    differ("dirty bytes", x->vram_dirty, y->vram_dirty) || differ("dirty bytes of system memory", x->ram_dirty, y->ram_dirty) ||
	    differ("trace records", x->num_trace, y->num_trace))
		return false;
	for (unsigned i = 0; i < PPU_CTR_COUNT; i++)
		if (differ("a counter", bench_ctr(x, i), bench_ctr(y, i)))
			return false;
	return !bytes_differ("traces", (uint8_t *)x->trace, (uint8_t *)y->trace, x->num_trace * sizeof(*x->trace)) &&
	       !bytes_differ("VRAM", x->vram, y->vram, x->vram_next) && !bytes_differ("system memory", x->ram, y->ram, x->ram_next);
}

void dpair_free(struct bench *const b[2])
{
	count_translations(b);
	bench_free(b[0]);
	bench_free(b[1]);
}
