/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rt_scene.h"

int scene_stream_priority(const struct scene *sc, unsigned rank)
{
	int level = (int)rank - 1;

	return sc->convention & 1 ? level : -level;
}

int scene_internal_priority(const struct scene *sc, unsigned rank)
{
	return (int)(sc->convention & 2 ? sc->ranks + 1 - rank : rank);
}

unsigned scene_add(struct scene *sc, unsigned rank)
{
	unsigned i = sc->num++;
	ppuStreamCopyInfo info;

	OK(ppuStreamCreate(&sc->s[i], PPU_STREAM_NON_BLOCKING, scene_stream_priority(sc, rank)));
	OK(ppuStreamGetCopyInfo(sc->s[i], &info));
	ck_assert_int_eq(info.priority, scene_internal_priority(sc, rank));
	sc->hw[i] = info.hw_channel;
	return i;
}

void scene_new(struct scene *sc, const char *props, const char *perchan, unsigned convention,
		      const char *more)
{
	ppuInitOptions o = { .backend = "core", .props = props };
	char streams[32], copies[512];
	size_t at;

	memset(sc, 0, sizeof(*sc));
	sc->ranks = (unsigned)strlen(perchan);
	sc->convention = convention;
	rt_trace_name(sc->trace, sizeof(sc->trace));
	snprintf(streams, sizeof(streams), "0:%d", scene_stream_priority(sc, sc->ranks));
	at = (size_t)snprintf(copies, sizeof(copies), "order=%s memory=%s %s map=", convention & 2 ? "down" : "up",
			      convention & 4 ? "system" : "vram", more);
	for (unsigned r = 1; r <= sc->ranks; r++)
		for (int k = perchan[r - 1] - '0'; k; k--)
			at += (size_t)snprintf(copies + at, sizeof(copies) - at, "%d:", scene_internal_priority(sc, r));
	copies[at - 1] = 0;
	o.trace = sc->trace;
	o.stream_priorities = streams;
	o.copy_priorities = copies;
	OK(ppuInit(&o));
	OK(ppuMalloc((void **)&sc->dev, 2 * MB));
	OK(ppuMallocHost((void **)&sc->pinned, 2 * MB));
	sc->num = 1;
	for (unsigned r = 1; r <= sc->ranks; r++) {
		if (perchan[r - 1] == '0')
			sc->num++;
		else
			scene_add(sc, r);
		if (r > 1 && !strstr(more, "mode=off"))
			OK(ppuCtxGetCopySemaphore(scene_internal_priority(sc, r), &sc->sem[r], NULL));
	}
}

struct rt_trace scene_end(struct scene *sc)
{
	OK(ppuShutdown());
	return rt_trace_take(sc->trace);
}

uint64_t scene_sem(const struct scene *sc, unsigned rank)
{
	uint64_t v;

	OK(ppuCtxGetCopySemaphore(scene_internal_priority(sc, rank), NULL, &v));
	return v;
}

void scene_copy(struct scene *sc, unsigned stream, size_t bytes)
{
	OK(ppuMemcpyAsync(sc->dev, sc->pinned, bytes, sc->s[stream]));
}

/* ---- what the trace says -------------------------------------------------------------------- */

static int stream_of(const struct scene *sc, unsigned hw)
{
	for (unsigned i = 1; i < sc->num; i++)
		if (sc->s[i] && sc->hw[i] == hw)
			return (int)i;
	return -1;
}

unsigned scene_rank_of_sem(const struct scene *sc, uint64_t addr)
{
	for (unsigned r = 2; r <= sc->ranks; r++)
		if ((uintptr_t)sc->sem[r] == addr)
			return r;
	return 0;
}

const char *scene_completion(const struct scene *sc, const struct rt_trace *t)
{
	static char text[32768];
	unsigned count[MAX_STREAMS] = { 0 };
	size_t at = 0;

	text[0] = 0;
	for (size_t i = 0; i < t->num; i++) {
		int s = t->rec[i].event == PPU_TR_CE_DONE ? stream_of(sc, t->rec[i].a) : -1;

		if (s > 0)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%d.%u", at ? " " : "", s, count[s]++);
	}
	return text;
}

const char *scene_values(const struct scene *sc, const struct rt_trace *t, unsigned rank)
{
	static char text[8192];
	size_t at = (size_t)snprintf(text, sizeof(text), "0");

	for (size_t i = 0; i < t->num; i++)
		if (t->rec[i].event == PPU_TR_SEM_WRITE && scene_rank_of_sem(sc, t->rec[i].b) == rank)
			at += (size_t)snprintf(text + at, sizeof(text) - at, " %llu", (unsigned long long)t->rec[i].d);
	return text;
}

size_t scene_count(const struct rt_trace *t, unsigned event)
{
	size_t n = 0;

	for (size_t i = 0; i < t->num; i++)
		n += t->rec[i].event == event;
	return n;
}

const char *scene_decisions(const struct scene *sc, const struct rt_trace *t)
{
	static char text[16384];
	unsigned starts[MAX_STREAMS] = { 0 }, dones[MAX_STREAMS] = { 0 };
	size_t at = 0;

	text[0] = 0;
	for (size_t i = 0; i < t->num; i++) {
		const struct ppu_trace_rec *r = &t->rec[i];
		bool ce = r->event == PPU_TR_CE_START || r->event == PPU_TR_CE_DONE;
		int s = stream_of(sc, ce ? r->a : r->unit);
		char w[64] = "";

		if (s < 0)
			continue;
		switch (r->event) {
		case PPU_TR_SEM_WRITE:
			if (scene_rank_of_sem(sc, r->b))
				snprintf(w, sizeof(w), "%d:S%u=%llu", s, scene_rank_of_sem(sc, r->b), (unsigned long long)r->d);
			break;
		case PPU_TR_CE_START:
			snprintf(w, sizeof(w), "start(%d.%u)", s, starts[s]++);
			break;
		case PPU_TR_CE_DONE:
			snprintf(w, sizeof(w), "done(%d.%u)", s, dones[s]++);
			break;
		case PPU_TR_SLICE_EXPIRE:
			snprintf(w, sizeof(w), "%d:expire", s);
			break;
		case PPU_TR_BLOCK:
		case PPU_TR_UNBLOCK:
			if (r->a == PPU_TRB_ACQUIRE || r->a == PPU_TRB_GATE)
				snprintf(w, sizeof(w), "%d:%s(S%u)", s, r->event == PPU_TR_UNBLOCK ? "go" :
					 r->a == PPU_TRB_GATE ? "gate" : "block", scene_rank_of_sem(sc, r->b));
			break;
		}
		if (*w)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", at ? " " : "", w);
	}
	return text;
}

void scene_check_no_gap(const struct scene *sc, const struct rt_trace *t, unsigned stream, unsigned rank)
{
	size_t dec = 0, pairs = 0;

	for (size_t i = 0; i < t->num; i++) {
		const struct ppu_trace_rec *r = &t->rec[i];

		if (r->event != PPU_TR_SEM_WRITE || scene_rank_of_sem(sc, r->b) != rank || r->unit != sc->hw[stream])
			continue;
		if (r->d == 0) {
			dec = i;
		} else if (dec) {
			for (size_t k = dec; k <= i; k++)
				ck_assert_uint_eq(t->rec[k].unit, sc->hw[stream]);
			pairs++;
			dec = 0;
		}
	}
	ck_assert_uint_ge(pairs, 1);
}

static const char spin[] =
	".kernel spin\n"
	".param n u32\n"
	"ld.param.u32 r4, [n]\n"
	"top: sub.u32 r4, r4, 1\n"
	"setp.ne.u32 p0, r4, rz\n"
	"@p0 bra top\n"
	"exit\n"
	/* x[i] = x[i] * 3 + 1, one block of 64 */
	".kernel step\n"
	".param p u64\n"
	"s2r r4, %tid.x\n"
	"ld.param.u64 rd8, [p]\n"
	"madw.u32 rd8, r4, 4, rd8\n"
	"ld.global.u32 r10, [rd8]\n"
	"mov.u32 r11, 3 ; mov.u32 r12, 1\n"
	"mad.u32 r10, r10, r11, r12\n"
	"st.global.u32 [rd8], r10\n"
	"exit\n";

void scene_launch(const char *name, ppuStream s, void *arg)
{
	static ppuModule mod;
	ppuFunction f;

	if (!name) {
		OK(ppuModuleLoadData(&mod, spin, 0, NULL));
		return;
	}
	OK(ppuModuleGetFunction(&f, mod, name));
	OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(64, 1, 1), 0, s, (void *[]){ arg }, NULL, 0));
}
