/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "rt_spy.h"
#include "ppu_queue.h"

static struct rt_spy *the_spy;

/* ---- blocks --------------------------------------------------------------------------------- */

static int timeline(const struct ppuCtx_st *ctx, uint64_t va)
{
	for (unsigned i = 0; i < ctx->num_chan; i++)
		if (rt_slot_va(ctx->chan[i]->word) == va)
			return (int)i;
	return -1;
}

static int semaphore(const struct ppuCtx_st *ctx, uint64_t va)
{
	for (unsigned n = 1; n <= RT_MAX_COPY; n++)
		if (ctx->copy.level[n].sem_va == va)
			return (int)n;
	return -1;
}

/* Commands that concern a device-owned queue; false: the command is not one of them. */
static bool queue_word(const struct ppuCtx_st *ctx, const uint32_t *w, uint64_t va, char *to, size_t len)
{
	uint64_t value = PPU_CMD_SIZE(*w) >= 5 ? w[3] | (uint64_t)w[4] << 32 : 0;
	unsigned op = PPU_CMD_OP(*w), n = 0;

	for (const struct rt_queue *q = ctx->queues; q; q = q->next, n++) {
		if (op == PPU_CMD_QUEUE_REFRESH && w[1] == q->be.chan->hw_channel)
			snprintf(to, len, "refresh(Q%u)", n);
		else if (op == PPU_CMD_SEM_RELEASE && va == q->be.x_va)
			snprintf(to, len, "X=%llu", (unsigned long long)value);
		else if (op == PPU_CMD_SEM_ACQUIRE && va == q->be.y_va)
			snprintf(to, len, "Y==%llu%s", (unsigned long long)value, PPU_CMD_FLAGS(*w) ? "?" : "");
		else if (op == PPU_CMD_SEM_RELEASE && va - q->mem < sizeof(struct ppu_queue))
			snprintf(to, len, "told(%llu)=0x%llx", (unsigned long long)(va - q->mem), (unsigned long long)value);
		else if (op == PPU_CMD_SEM_RELEASE && va > q->mem && va - q->mem < 512)
			snprintf(to, len, "state(%llu)=%llu", (unsigned long long)(va - q->mem - 256), (unsigned long long)value);
		else
			continue;
		return true;
	}
	return false;
}

static void word(const struct ppuCtx_st *ctx, unsigned own, const uint32_t *w, char *to, size_t len)
{
	uint64_t va = PPU_CMD_SIZE(*w) >= 3 ? w[1] | (uint64_t)w[2] << 32 : 0;
	int chan = timeline(ctx, va), sem = semaphore(ctx, va);
	uint32_t flags = PPU_CMD_FLAGS(*w);

	if (queue_word(ctx, w, va, to, len))
		return;
	switch (PPU_CMD_OP(*w)) {
	case PPU_CMD_SEM_ACQUIRE:
		if (chan >= 0 && flags == PPU_CMDF_SEM_OP(PPU_SEM_OP_GE)) {
			snprintf(to, len, "wait(C%d)", chan);
			return;
		}
		if (sem >= 0 && (flags & PPU_CMDF_SEM_OP_MASK) == PPU_SEM_OP_ZERO && !(flags & PPU_CMDF_SEM_32)) {
			snprintf(to, len, "%s(S%d)", flags & PPU_CMDF_SEM_GATE ? "gate" : "acquire", sem);
			return;
		}
		break;
	case PPU_CMD_SEM_INC:
	case PPU_CMD_SEM_DEC:
		if (sem < 0 || flags)
			break;
		snprintf(to, len, "%s(S%d)", PPU_CMD_OP(*w) == PPU_CMD_SEM_INC ? "inc" : "dec", sem);
		return;
	case PPU_CMD_SEM_RELEASE:
		if (chan < 0 || (unsigned)chan != own)
			break;
		snprintf(to, len, "done");
		return;
#define SIMPLE(op, text) case PPU_CMD_##op: snprintf(to, len, text); return
	SIMPLE(COPY, "copy");
	SIMPLE(COPY_2D, "copy2d");
	SIMPLE(FILL, "fill");
	SIMPLE(FILL_2D, "fill2d");
	SIMPLE(LAUNCH, "launch");
	SIMPLE(WFI, "wfi");
	SIMPLE(TIMESTAMP, "stamp");
#undef SIMPLE
	}
	snprintf(to, len, "?%u(0x%llx)", PPU_CMD_OP(*w), (unsigned long long)va);
}

static void note(struct rt_spy *spy, const struct rt_chan *c, uint32_t entry)
{
	volatile struct ppu_gpfifo_entry *e = &c->be->ring[entry];
	const uint32_t *w = (const uint32_t *)(uintptr_t)e->va, *end = w + e->length;
	struct rt_spied *b;
	size_t at = 0;

	if (spy->num == spy->cap) {
		spy->cap = spy->cap ? 2 * spy->cap : 64;
		spy->block = realloc(spy->block, spy->cap * sizeof(*spy->block));
		ck_assert_ptr_nonnull(spy->block);
	}
	b = &spy->block[spy->num++];
	b->chan = c->index;
	b->entry = entry;
	b->va = e->va;
	/* WQ-21: an entry points to a non-empty block. */
	ck_assert(e->va && e->length && !e->flags);
	for (; w < end; w += PPU_CMD_SIZE(*w)) {
		ck_assert_uint_gt(PPU_CMD_SIZE(*w), 0);
		if (at)
			b->text[at++] = ' ';
		word(spy->ctx, c->index, w, b->text + at, sizeof(b->text) - at);
		at += strlen(b->text + at);
		ck_assert_uint_lt(at, sizeof(b->text) - 32);
	}
	ck_assert_ptr_eq(w, end);
}

/* ---- the backend's calls -------------------------------------------------------------------- */

static const struct rt_chan *find(const struct rt_spy *spy, const struct be_chan *be)
{
	for (unsigned i = 0; i < spy->ctx->num_chan; i++)
		if (spy->ctx->chan[i]->be == be)
			return spy->ctx->chan[i];
	ck_abort_msg("a submission in a channel that does not exist");
}

/*
 * With `late`: as on a machine where the release of an entry is seen before GP_GET moves past it.  The first readings after
 * a movement give the entry in front.
 */
static uint32_t spy_get(struct be_chan *be)
{
	uint32_t now = the_spy->below->chan_get(be);
	unsigned i;

	if (!the_spy->late)	/* then it may be the channel of a queue, too */
		return now;
	i = find(the_spy, be)->index;
	if (now == the_spy->get[i])
		return now;
	if (the_spy->readings[i]++ < 3)
		return now ? now - 1 : be->entries - 1;
	the_spy->readings[i] = 0;
	the_spy->get[i] = now;
	return now;
}

/* Called with the context's lock held. */
static void spy_put(struct be_chan *be, uint32_t put)
{
	const struct rt_chan *c = find(the_spy, be);

	for (uint32_t e = the_spy->put[c->index]; e != put; e = (e + 1) % be->entries)
		note(the_spy, c, e);
	the_spy->put[c->index] = put;
	/* WQ-7: PUT never reaches GET from behind. */
	ck_assert_uint_lt(put, be->entries);
	ck_assert_uint_ne(put, spy_get(be));
	the_spy->below->chan_put(be, put);
}

static void spy_kick(struct be_chan *be)
{
	__atomic_add_fetch(&the_spy->kicks, 1, __ATOMIC_RELAXED);
	the_spy->below->chan_kick(be);
}

static int spy_create(struct be_vm *vm, unsigned cls, uint32_t entries, unsigned prio, struct be_chan **out)
{
	the_spy->queue_prios |= 1u << prio;
	return the_spy->below->chan_create(vm, cls, entries, prio, out);
}

void rt_spy_start(struct rt_spy *spy)
{
	memset(spy, 0, sizeof(*spy));
	OK(ppuCtxGetCurrent(&spy->ctx));
	ck_assert_uint_eq(spy->ctx->num_chan, 0);
	spy->below = spy->ctx->be;
	spy->ops = *spy->below;
	spy->ops.chan_put = spy_put;
	spy->ops.chan_get = spy_get;
	spy->ops.chan_kick = spy_kick;
	spy->ops.chan_create = spy_create;
	the_spy = spy;
	spy->ctx->be = &spy->ops;
}

void rt_spy_stop(struct rt_spy *spy)
{
	free(spy->block);
	spy->block = NULL;
	the_spy = NULL;
}

const char *rt_spy_last_copy(struct rt_spy *spy, ppuStream stream)
{
	ppuStreamCopyInfo info;

	OK(ppuStreamGetCopyInfo(stream, &info));
	for (unsigned i = spy->num; i--; )
		if (spy->ctx->chan[spy->block[i].chan]->be->hw_channel == info.hw_channel)
			return spy->block[i].text;
	ck_abort_msg("nothing was submitted in the stream's copy channel");
}

/* ---- traces, time --------------------------------------------------------------------------- */

void rt_trace_name(char *path, size_t len)
{
	int fd;

	snprintf(path, len, "/tmp/ppu-rt-XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
}

struct rt_trace rt_trace_take(const char *path)
{
	struct ppu_trace_header h;
	struct rt_trace t = { 0 };
	FILE *f = fopen(path, "rb");
	long size;

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fseek(f, 0, SEEK_END), 0);
	size = ftell(f);
	rewind(f);
	ck_assert_uint_eq(fread(&h, sizeof(h), 1, f), 1);
	ck_assert_uint_eq(h.magic, PPU_TRACE_MAGIC);
	ck_assert_uint_eq(h.record_bytes, sizeof(*t.rec));
	t.num = ((size_t)size - sizeof(h)) / sizeof(*t.rec);
	t.rec = malloc(t.num * sizeof(*t.rec) + 1);
	ck_assert_uint_eq(fread(t.rec, sizeof(*t.rec), t.num, f), t.num);
	fclose(f);
	unlink(path);
	for (size_t i = 0; h.priority_order && i < t.num; i++)
		if ((t.rec[i].event >= PPU_TR_TASK_ACCEPT && t.rec[i].event <= PPU_TR_TASK_DONE) ||
		    t.rec[i].event == PPU_TR_TASK_CEILING)
			t.rec[i].a = rt_turn_of(t.rec[i].a, h.device_priorities);
	return t;
}

void rt_trace_free(struct rt_trace *t)
{
	free(t->rec);
}

void rt_pass(uint64_t ns)
{
	struct be_limits lim = rt_no_limit;
	struct ppuCtx_st *ctx;
	struct rt_need need;
	uint64_t now;
	ppuResult res;

	OK(ppuCtxGetCurrent(&ctx));
	OK(ppuDeviceGetTime(0, &now));
	lim.device_ns = now + ns;
	OK(rt_enter(ctx));
	rt_everything(ctx, &need);
	res = rt_wait(ctx, &need, &lim);
	rt_leave(ctx);
	ck_assert(res == PPU_SUCCESS || res == PPU_ERROR_TIMEOUT);
}
