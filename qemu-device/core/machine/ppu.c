/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The core as a whole: create, destroy, reset, and the loop that processes events. */
#include <string.h>
#include "core/base/alloc.h"
#include "core/base/trace.h"
#include "core/machine/units.h"
#include "core/sm/mem/storebuf.h"

struct ppu_core *ppu_core_create(const struct ppu_config *cfg, const struct ppu_ports *ports,
				 void *vram, char **err)
{
	struct ppu_core *core;

	if (ppu_config_check(cfg, err))
		return NULL;
	if (!vram || (uintptr_t)vram % PPU_PAGE_SIZE) {
		*err = ppu_sentence("the memory given as VRAM is not aligned to 4096 bytes");
		return NULL;
	}
	core = ppu_alloc(1, sizeof(*core));
	if (!core) {
		*err = ppu_sentence("out of memory");
		return NULL;
	}
	core->cfg = *cfg;
	core->ports = *ports;
	core->vram = vram;
	core->num_sms = cfg->gpcs * cfg->sms_per_gpc;
#define U(name) \
	if (ppu_##name##_create(core)) { \
		*err = ppu_sentence("out of memory: " #name); \
		ppu_core_destroy(core); \
		return NULL; \
	}
	PPU_UNITS(U)
#undef U
	ppu_core_reset(core);
	return core;
}

/* Units are destroyed in reverse order.  Each destroy function accepts a unit that was never created. */
void ppu_core_destroy(struct ppu_core *core)
{
	static void (*const destroy[])(struct ppu_core *) = {
#define U(name) ppu_##name##_destroy,
		PPU_UNITS(U)
#undef U
	};

	if (!core)
		return;
	/* Take all events out of the list first, because the units free their events in any order. */
	if (core->events)
		ppu_events_reset(core);
	for (size_t i = sizeof(destroy) / sizeof(destroy[0]); i-- > 0;)
		destroy[i](core);
	ppu_free(core);
}

/* A reset does not change device time: whoever drives the core may rely on time that never runs backwards. */
void ppu_core_reset(struct ppu_core *core)
{
	static void (*const reset[])(struct ppu_core *) = {
#define U(name) ppu_##name##_reset,
		PPU_UNITS(U)
#undef U
	};

	/* Reverse order: a unit is reset before the units that it uses, which stand before it in the list,
	 * so it may still call them. */
	for (size_t i = sizeof(reset) / sizeof(reset[0]); i-- > 0;)
		reset[i](core);
	memset(core->ctr, 0, sizeof(core->ctr));
	core->xlat_gen++;
	ppu_mem_code_changed(core);
	PPU_TRACE(core, RESET, 0, 0, 0, 0, 0);
}

const struct ppu_config *ppu_core_config(const struct ppu_core *core)
{
	return &core->cfg;
}

uint64_t ppu_core_time(const struct ppu_core *core)
{
	return core->now;
}

uint64_t ppu_core_next_event(const struct ppu_core *core)
{
	const struct ppu_event *ev = ppu_event_first(core);

	return ev ? ev->when : PPU_TIME_NEVER;
}

/* True when everything up to `until` was done, false when a stop was asked for. */
static bool run_events(struct ppu_core *core, uint64_t until)
{
	struct ppu_event *ev;

	while ((ev = ppu_event_first(core)) && ev->when <= until) {
		if (__atomic_load_n(&core->stop_requested, __ATOMIC_RELAXED) &&
		    __atomic_exchange_n(&core->stop_requested, 0, __ATOMIC_ACQUIRE))
			return false;
		ppu_event_cancel(core, ev);
		if (ev->when > core->now)
			core->now = ev->when;
		ev->fn(core, ev->arg);
	}
	/* The function returns now, which is all that a stop asks for.  So the stop request is served. */
	__atomic_store_n(&core->stop_requested, 0, __ATOMIC_RELAXED);
	return true;
}

uint64_t ppu_core_run(struct ppu_core *core, uint64_t until)
{
	if (run_events(core, until) && until != PPU_TIME_NEVER && until > core->now)
		core->now = until;
	return core->now;
}

bool ppu_core_run_idle(struct ppu_core *core, uint64_t limit)
{
	return run_events(core, limit) && !ppu_event_first(core);
}

void ppu_core_request_stop(struct ppu_core *core)
{
	__atomic_store_n(&core->stop_requested, 1, __ATOMIC_RELEASE);
}

void ppu_core_invalidate_maps(struct ppu_core *core)
{
	ppu_storebuf_settle_all(core);
	ppu_mem_forget_maps(core);
	core->xlat_gen++;
	ppu_mem_code_changed(core);
}

void ppu_core_vram_changed(struct ppu_core *core)
{
	ppu_mem_code_changed(core);
}

uint64_t ppu_core_counter(const struct ppu_core *core, enum ppu_counter c)
{
	return c < PPU_CTR_COUNT ? core->ctr[c] : 0;
}
