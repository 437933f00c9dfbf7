/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Properties and counters in a saved state: lists that grow (state_config.h). */
#include <inttypes.h>
#include <string.h>
#include "core/base/io.h"
#include "core/core.h"
#include "core/machine/state_config.h"

#define MOST_ENTRIES 4096	/* of a list in a state that we load */
#define NAME_BYTES 64

struct entry {
	char name[NAME_BYTES];
	uint64_t value;
	bool is_default;
};

/* How the device runs on the host, and what is written down about it: no state depends on these. */
static bool may_differ(const char *name)
{
	return !strcmp(name, "engine") || !strcmp(name, "x-engine-without") || !strcmp(name, "workers") || !strcmp(name, "trace-classes");
}

static const struct {
	const char *name;
	uint64_t def;
} props[] = {
#define P(c, name, type, def, min, max, doc) { name, def },
	PPU_PROPS(P)
#undef P
};
#define NUM_PROPS (sizeof(props) / sizeof(props[0]))

static uint64_t value(const struct ppu_core *core, unsigned i)
{
	const uint64_t values[] = {
#define P(c, name, type, def, min, max, doc) core->cfg.c,
		PPU_PROPS(P)
#undef P
	};
	return values[i];
}

static void entry_io(struct ppu_io *io, struct entry *e)
{
	uint8_t len = (uint8_t)strlen(e->name);

	ppu_io_u8(io, &len);
	if (len >= NAME_BYTES) {
		ppu_io_fail(io, "the name of a property is too long");
		len = 0;
	}
	ppu_io_bytes(io, e->name, len);
	e->name[len] = 0;
	ppu_io_u64(io, &e->value);
	ppu_io_bool(io, &e->is_default);
}

static void save(struct ppu_core *core, struct ppu_io *io)
{
	for (unsigned i = 0; i < NUM_PROPS; i++) {
		struct entry e = { .value = value(core, i), .is_default = value(core, i) == props[i].def };

		memcpy(e.name, props[i].name, strlen(props[i].name) + 1);
		entry_io(io, &e);
	}
}

/* One property that was read; known[i]: the stream has property i. */
static void load_one(struct ppu_core *core, struct ppu_io *io, const struct entry *e, bool *known)
{
	for (unsigned i = 0; i < NUM_PROPS; i++) {
		if (strcmp(e->name, props[i].name))
			continue;
		known[i] = true;
		if (e->value != value(core, i) && !may_differ(e->name))
			ppu_io_fail(io, "property %s was %" PRIu64 " when the state was saved", e->name, e->value);
		return;
	}
	if (!e->is_default)
		ppu_io_fail(io, "property %s, which this device does not know, was %" PRIu64, e->name, e->value);
}

static void load(struct ppu_core *core, struct ppu_io *io, uint32_t count)
{
	bool known[NUM_PROPS] = { false };

	while (count-- && !io->failed) {
		struct entry e = { .value = 0 };

		entry_io(io, &e);
		if (!io->failed)
			load_one(core, io, &e, known);
	}
	for (unsigned i = 0; i < NUM_PROPS; i++)
		if (!known[i] && value(core, i) != props[i].def && !may_differ(props[i].name))
			ppu_io_fail(io, "property %s is set, and the device that saved the state did not know it",
				    props[i].name);
}

/*
 * Before NAMES, the values of all properties in the order of the list, up to LAST_UNNAMED.  To still read that, new
 * properties come after it.
 */
#define NAMES 11
#define LAST_UNNAMED "x-fault-dma-fail"

static void load_unnamed(struct ppu_core *core, struct ppu_io *io)
{
	bool known[NUM_PROPS] = { false };

	for (unsigned i = 0; i < NUM_PROPS && !io->failed; i++) {
		struct entry e = { .value = 0 };

		if (!strcmp(props[i].name, "engine"))
			continue;
		memcpy(e.name, props[i].name, strlen(props[i].name) + 1);
		ppu_io_u64(io, &e.value);
		load_one(core, io, &e, known);
		if (!strcmp(props[i].name, LAST_UNNAMED))
			break;
	}
}

void ppu_state_properties(struct ppu_core *core, struct ppu_io *io)
{
	uint32_t count = NUM_PROPS;

	if (io->version < NAMES) {
		load_unnamed(core, io);
		return;
	}
	ppu_io_u32(io, &count);
	if (count > MOST_ENTRIES)
		ppu_io_fail(io, "too many properties");
	if (io->failed)
		return;
	if (io->loading)
		load(core, io, count);
	else
		save(core, io);
}

void ppu_state_counters(struct ppu_core *core, struct ppu_io *io)
{
	uint32_t count = PPU_CTR_COUNT;

	ppu_io_u32(io, &count);
	if (count > MOST_ENTRIES)
		ppu_io_fail(io, "too many counters");
	for (uint32_t i = 0; i < count && !io->failed; i++) {
		uint64_t v = i < PPU_CTR_COUNT ? core->ctr[i] : 0;

		if (io->any_time && i == PPU_CTR_TLB_MISSES)	/* as in sm_io.c */
			v = 0;
		ppu_io_u64(io, &v);
		if (io->loading && i < PPU_CTR_COUNT)
			core->ctr[i] = v;
	}
}
