/* SPDX-License-Identifier: MIT */
/*
 * One script of operations for both drivers, with the expected answers: tests/unit/runtime/test_driver_script.c runs it
 * in this process, tests/system/driver_script.c in the guest, through the ioctls.
 *
 * Operations go by the runtime's table of a backend (libruntime/backend/backend.h).  What is in VRAM is
 * seen as the device sees it: the instance block, the page tables of the user range, the object of a
 * device-owned queue, and what copies read and write.
 *
 * Numbers are hexadecimal; M and K are units.
 *
 *   vm LOCAL DEPTH           limit local|depth|pending VALUE
 *   bo N SIZE                an object of VRAM
 *   bind N VA SIZE FLAGS     FLAGS: rw, ro, nx
 *   unbind VA SIZE
 *   chan N copy|compute ENTRIES          devq N ENTRIES GET OWNER
 *   fill N VA VALUE          by a copy channel: eight bytes
 *   read N VA                and back
 *   launch N exit|trap|nothing           a task of one warp; nothing: whose code is not there
 *   work N                   nothing, and its end, by who watches the whole VM
 *   never N                  a wait of the same kind for what never comes
 *   gone N                   a channel
 *   state N                  of a channel
 *   look                     instance block, page tables
 *   end                      channels, VM
 */
#ifndef DRIVER_SCRIPT_H
#define DRIVER_SCRIPT_H

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <backend/backend.h>
#include <hw/ppu_isa.h>
#include <hw/ppu_mmu.h>

static const struct {
	const char *cmd, *answer;
} script[] = {
	/* limits, when a context is made and later */
	{ "vm 0 1", "EINVAL" },
	{ "vm 80001 1", "EINVAL" },
	{ "vm 10 0", "EINVAL" },
	{ "vm 10 41", "EINVAL" },
	{ "vm 64 4", "ok" },
	{ "look", "depth 4 pending 0 ceiling 11 local 112 watchdog 0 areas none; tables 0 0 0 1" },
	{ "limit local 0", "EINVAL" },
	{ "limit local 80001", "EINVAL" },
	{ "limit local ffffffff", "EINVAL" },
	{ "limit depth 0", "EINVAL" },
	{ "limit depth 41", "EINVAL" },
	{ "limit depth 40", "ok" },
	{ "limit local 80000", "ok" },
	{ "limit pending 9", "ok" },
	{ "look", "depth 64 pending 9 ceiling 11 local 524288 watchdog 0 areas none; tables 0 0 0 1" },
	{ "limit local 11", "ok" },
	{ "limit depth 1", "ok" },
	{ "look", "depth 1 pending 9 ceiling 11 local 32 watchdog 0 areas none; tables 0 0 0 1" },

	/* mappings */
	{ "bo 0 4M", "ok" },
	{ "bo 1 2M", "ok" },
	{ "bo 2 8K", "ok" },
	{ "bind 0 40000800 1000 rw", "EINVAL" },
	{ "bind 0 40000000 0 rw", "EINVAL" },
	{ "bind 0 40000000 401000 rw", "EINVAL" },
	{ "bind 0 f000 1000 rw", "EINVAL" },
	{ "bind 0 7ffffffff000 2000 rw", "EINVAL" },
	{ "bind 0 800000000000 1000 rw", "EINVAL" },
	{ "unbind 40000800 1000", "EINVAL" },
	{ "unbind f000 1000", "EINVAL" },
	{ "unbind 800000000000 1000", "EINVAL" },
	{ "unbind 40000000 0", "EINVAL" },
	{ "unbind 40000000 1000", "ok" },
	{ "look", "depth 1 pending 9 ceiling 11 local 32 watchdog 0 areas none; tables 0 0 0 1" },
	{ "bind 0 40000000 4M rw", "ok" },
	{ "look", "...; 000040000000-0000403fffff large; tables 0 1 1 1" },
	{ "unbind 40001000 1000", "ok" },
	{ "look", "...; 000040000000-000040000fff; 000040002000-0000401fffff; 000040200000-0000403fffff large; "
		  "tables 1 1 1 1" },
	/* other memory, and flags, in the middle of a large page */
	{ "bind 2 40300000 2000 ro", "ok" },
	{ "bind 1 40001000 1000 nx", "ok" },
	{ "look", "...; 000040000000-000040000fff; 000040001000-000040001fff nx; 000040002000-0000402fffff; "
		  "000040300000-000040301fff ro; 000040302000-0000403fffff; tables 2 1 1 1" },
	/* the same memory again, far away: at a large page's start, and beside it */
	{ "bind 1 7fffffe00000 2M rw", "ok" },
	{ "bind 0 8000201000 4M rw", "ok" },
	{ "look", "...; 000040000000-000040000fff; 000040001000-000040001fff nx; 000040002000-0000402fffff; "
		  "000040300000-000040301fff ro; 000040302000-0000403fffff; 008000201000-008000600fff; "
		  "7fffffe00000-7fffffffffff large; tables 5 3 3 1" },
	/* holes do not matter; empty tables go */
	{ "unbind 40000000 8000000000", "ok" },
	{ "look", "...; 7fffffe00000-7fffffffffff large; tables 0 1 1 1" },
	{ "bind 0 40000000 4M rw", "ok" },
	{ "bind 0 80000000 4M rw", "ok" },
	{ "bind 2 c0000000 2000 ro", "ok" },

	/* reads and writes of the device through these mappings */
	{ "chan 0 copy 2", "EINVAL" },
	{ "chan 0 copy ffffffff", "EINVAL" },
	{ "chan 0 copy 8", "ok" },
	{ "fill 0 40000008 1111", "ok" },
	{ "fill 0 80200000 2222", "ok" },
	{ "read 0 80000008", "ok 1111" },
	{ "read 0 40200000", "ok 2222" },
	{ "unbind 40000000 1000", "ok" },
	{ "bind 1 40000000 1000 rw", "ok" },
	{ "read 0 40000008", "ok 0" },
	{ "fill 0 40000008 3333", "ok" },
	{ "read 0 7fffffe00008", "ok 3333" },
	{ "read 0 80000008", "ok 1111" },
	{ "read 0 c0000000", "ok 0" },
	{ "look", "depth 1 pending 9 ceiling 11 local 32 watchdog 0 areas none; ..." },
	/* an error of a channel does not affect other channels */
	{ "chan 1 copy 8", "ok" },
	{ "fill 0 c0000000 1", "EIO" },
	{ "state 0", "error 13" },
	{ "state 1", "error 0" },
	{ "read 1 80000008", "ok 1111" },
	{ "chan 2 copy 8", "ok" },
	{ "read 2 90000000", "EIO" },
	{ "state 2", "error 13" },

	/* areas */
	{ "chan 3 compute 8", "ok" },
	{ "look", "depth 1 pending 9 ceiling 11 local 32 watchdog 0 areas local tokq save; ..." },
	{ "limit local 30", "ok" },
	{ "limit depth 3", "ok" },
	{ "look", "depth 3 pending 9 ceiling 11 local 48 watchdog 0 areas local tokq save; ..." },

	/* device-owned queues */
	{ "devq 4 2 0 3", "EINVAL" },
	{ "devq 4 8 8 3", "EINVAL" },
	{ "devq 4 ffffffff 0 3", "EINVAL" },
	{ "devq 4 8 0 3", "ok get 0 soft 1 shadow 7 x 0 y 0 entry start 5 start acquire x eq 1 others 0" },
	{ "devq 5 d 5 3", "ok get 5 soft 6 shadow 17 x 0 y 0 entry start 5 start acquire x eq 1 others 0" },

	/* code that cannot be fetched: the launching channel ends, and the driver gives the context up */
	{ "chan 6 compute 8", "ok" },
	{ "launch 6 nothing", "EIO" },
	{ "state 6", "error 32" },
	{ "state 3", "error 0" },
	{ "state 1", "error 0" },
	{ "state 4", "error 0" },
	{ "state 0", "error 13" },
	{ "chan 7 copy 8", "EIO" },
	{ "bind 2 d0000000 2000 rw", "EIO" },
	{ "limit local 10", "EIO" },
	{ "end", "ok" },

	/* a fault ends all of the context, for ever */
	{ "vm 10 2", "ok" },
	{ "bo 2 8K", "ok" },
	{ "bo 0 4M", "ok" },
	{ "bind 0 80000000 4M rw", "ok" },
	{ "chan 0 copy 8", "ok" },
	{ "chan 1 copy 8", "ok" },
	{ "fill 0 1000000000 1", "EIO" },
	{ "chan 3 compute 8", "ok" },
	{ "devq 4 8 0 3", "ok get 0 ..." },
	{ "chan 6 compute 8", "ok" },
	{ "launch 3 exit", "ok" },
	{ "launch 6 trap", "EIO" },
	{ "state 6", "error 46" },
	{ "state 3", "error 46" },
	{ "state 1", "error 46" },
	{ "state 4", "error 46" },
	{ "state 0", "error 13" },
	{ "chan 7 copy 8", "EIO" },
	{ "chan 7 compute 8", "EIO" },
	{ "devq 7 8 0 3", "EIO" },
	{ "bind 2 d0000000 2000 rw", "EIO" },
	{ "limit local 10", "EIO" },
	{ "unbind 80000000 4M", "ok" },
	{ "end", "ok" },

	/* who waits for a channel, and watches its VM, hears of the error of another one, until that is gone */
	{ "vm 10 2", "ok" },
	{ "chan 0 copy 8", "ok" },
	{ "chan 1 copy 8", "ok" },
	{ "chan 2 copy 8", "ok" },
	{ "work 1", "ok" },
	{ "fill 0 1000000000 1", "EIO" },
	{ "never 1", "EIO" },
	{ "fill 1 10001c00 7", "ok" },
	{ "fill 2 1000000000 1", "EIO" },
	{ "gone 0", "ok" },
	{ "never 1", "EIO" },
	{ "gone 2", "ok" },
	{ "work 1", "ok" },
	{ "end", "ok" },
};

enum { SLOTS = 8 };
#define S_CODE_VA	0x10000000ull		/* a page of commands and data for each channel */
#define S_DATA		2048u			/* offset of data */

struct s_chan {
	struct be_chan *c;
	struct be_bo *bo;
	struct be_sem *sem;
	uint64_t va;
	uint32_t *words;		/* commands, and at S_DATA the word that is waited for, and what is read */
	uint32_t used, put, launches;
	unsigned cls;
};

struct s_state {
	const struct be_ops *be;
	struct be_dev *dev;
	struct be_vm *vm;
	struct be_bo *bo[SLOTS];
	struct s_chan chan[SLOTS];
	bool one_channel;	/* the driver watches only the channel that is waited for (uAPI 1.0) */
	/* Appends the result of a look to `to`, in the form of debugfs page_tables. */
	void (*look)(struct s_state *s, char *to, size_t room);
};

static inline const char *s_result(int rc)
{
	switch (-rc) {
	case 0: return "ok";
	case EINVAL: return "EINVAL";
	case EIO: return "EIO";
	case ENOSPC: return "ENOSPC";
	case EBUSY: return "EBUSY";
	case ENOENT: return "ENOENT";
	case EOPNOTSUPP: return "EOPNOTSUPP";
	case EAGAIN: return "EAGAIN";
	}
	return "another error";
}

static inline uint64_t s_number(const char *text)
{
	char *unit;
	uint64_t v = strtoull(text, &unit, 16);

	return *unit == 'M' ? v << 20 : *unit == 'K' ? v << 10 : v;
}

static inline volatile uint64_t *s_word(struct s_chan *c, unsigned i)
{
	return (volatile uint64_t *)((char *)c->words + S_DATA) + 2 * i;
}

static inline uint64_t s_word_va(struct s_chan *c, unsigned i)
{
	return c->va + S_DATA + 16 * i;
}

static inline int s_chan(struct s_state *s, unsigned n, const char *cls, uint32_t entries)
{
	struct s_chan *c = &s->chan[n];
	void *map;
	int rc;

	c->cls = *cls == 'd' ? PPU_CLASS_DEVQ : cls[2] == 'p' ? PPU_CLASS_COPY : PPU_CLASS_COMPUTE;
	rc = s->be->chan_create(s->vm, c->cls, entries, 0, &c->c);
	if (rc)
		return rc;
	c->va = S_CODE_VA + n * PPU_PAGE_SIZE;
	if (s->be->bo_alloc(s->vm, PPU_PAGE_SIZE, BE_SYSTEM, &c->bo) || s->be->bo_map(c->bo, NULL, &map) ||
	    s->be->bind(s->vm, c->bo, c->va, PPU_PAGE_SIZE, 0) || s->be->sem_create(s->vm, c->bo, S_DATA, &c->sem))
		return -ENOENT;
	c->words = map;
	return 0;
}

static inline void s_cmd(struct s_chan *c, unsigned op, unsigned size, unsigned flags, const uint64_t *arg)
{
	c->words[c->used++] = PPU_CMD_HDR(op, size, flags);
	for (unsigned i = 0; i + 1 < size; i += 2, arg++) {
		c->words[c->used++] = (uint32_t)*arg;
		c->words[c->used++] = (uint32_t)(*arg >> 32);
	}
}

/* Waits until the last command has signalled its end, or one more after it. */
static inline int s_wait(struct s_state *s, struct s_chan *c, enum be_watch watch, unsigned more)
{
	const struct be_limits lim = { .device_ns = UINT64_MAX, .host_ns = ppu_be_now() + 60000000000ull };
	struct be_chan_state st;
	int rc = s->be->sem_wait(c->sem, s_word(c, 0), c->launches + more, &lim, c->c, watch);

	if (rc != -EAGAIN || !s->one_channel)
		return rc;
	for (unsigned i = 0; i < SLOTS; i++)
		if (s->chan[i].c && (s->be->chan_state(s->chan[i].c, &st) || st.error))
			return -EIO;
	return rc;
}

/* Submits the commands since `first`, and one that signals their end; waits for that. */
static inline int s_submit(struct s_state *s, struct s_chan *c, uint32_t first, enum be_watch watch)
{
	const uint64_t done[] = { s_word_va(c, 0), ++c->launches };

	s_cmd(c, PPU_CMD_WFI, 1, 0, NULL);
	s_cmd(c, PPU_CMD_SEM_RELEASE, PPU_CMD_SIZE_SEM_RELEASE, 0, done);
	c->c->ring[c->put].va = c->va + 4 * first;
	c->c->ring[c->put].length = c->used - first;
	c->c->ring[c->put].flags = 0;
	c->put = (c->put + 1) % c->c->entries;
	s->be->chan_put(c->c, c->put);
	return s_wait(s, c, watch, 0);
}

static inline int s_fill(struct s_state *s, struct s_chan *c, uint64_t va, uint64_t value)
{
	const uint64_t arg[] = { va, value, 1 };
	uint32_t first = c->used;

	s_cmd(c, PPU_CMD_FILL, PPU_CMD_SIZE_FILL, PPU_CMDF_FILL_SIZE(3), arg);
	return s_submit(s, c, first, BE_WATCH_CHAN);
}

static inline int s_read(struct s_state *s, struct s_chan *c, uint64_t va, uint64_t *value)
{
	const uint64_t arg[] = { va, s_word_va(c, 1), 8 };
	uint32_t first = c->used;
	int rc;

	s_cmd(c, PPU_CMD_COPY, PPU_CMD_SIZE_COPY, 0, arg);
	rc = s_submit(s, c, first, BE_WATCH_CHAN);
	*value = *s_word(c, 1);
	return rc;
}

static inline int s_launch(struct s_state *s, struct s_chan *c, const char *what)
{
	const uint64_t guard = 15ull << 8, preds = 15ull << 32 | 15ull << 36 | 15ull << 40, arg = c->va + 1024;
	uint32_t first = c->used;

	*(struct ppu_insn *)((char *)c->words + 1024 + PPU_TMD_SIZE) = (struct ppu_insn){
		(*what == 't' ? PPU_OP_TRAP : PPU_OP_EXIT) | guard, preds,
	};
	*(struct ppu_tmd *)((char *)c->words + 1024) = (struct ppu_tmd){
		.magic = PPU_TMD_MAGIC, .version = PPU_TMD_VERSION, .size = PPU_TMD_SIZE, .regs_per_thread = 8,
		.code_va = *what == 'n' ? 0x7000000000ull : arg + PPU_TMD_SIZE, .code_insns = 1,
		.grid = { 1, 1, 1 }, .block = { 32, 1, 1 },
	};
	s_cmd(c, PPU_CMD_LAUNCH, PPU_CMD_SIZE_LAUNCH, 0, &arg);
	return s_submit(s, c, first, BE_WATCH_CHAN);
}

/* Does the block at the start wait for X == 1, and nothing else? */
static inline bool s_start_ok(const struct be_devq *q, uint64_t start)
{
	const uint32_t *w = (const uint32_t *)((const char *)q->cpu + start);

	return w[0] == PPU_CMD_HDR(PPU_CMD_SEM_ACQUIRE, PPU_CMD_SIZE_SEM_ACQUIRE, PPU_SEM_OP_EQ) &&
	       (w[1] | (uint64_t)w[2] << 32) == q->x_va && (w[3] | (uint64_t)w[4] << 32) == PPU_DEVQ_FIRST_X;
}

static inline void s_devq_text(const struct be_devq *q, uint32_t entries, uint32_t get, char *to, size_t room)
{
#define Q_WORD(va) (*(volatile uint64_t *)((char *)q->cpu + ((va) - q->ring_va)))
	struct ppu_devq_layout l = ppu_devq_layout(entries);
	const volatile struct ppu_gpfifo_entry *e = q->chan->ring;
	uint64_t others = 0;

	for (uint32_t i = 0; i < entries; i++) {
		others |= Q_WORD(q->sem_va + 8 * i);
		if (i != get)
			others |= e[i].va | e[i].length | e[i].flags;
	}
	snprintf(to, room, "ok get %" PRIx32 " soft %" PRIu64 " shadow %" PRIu64 " x %" PRIu64 " y %" PRIu64
		 " entry %s %" PRIu32 " start %s others %" PRIu64, get, Q_WORD(q->soft_va), Q_WORD(q->shadow_va),
		 Q_WORD(q->x_va), Q_WORD(q->y_va), e[get].va == q->ring_va + l.start ? "start" : "elsewhere",
		 e[get].length, s_start_ok(q, l.start) ? "acquire x eq 1" : "something else", others);
}

static inline int s_devq(struct s_state *s, unsigned n, uint32_t entries, uint32_t get, unsigned owner, char *to,
			 size_t room)
{
	const struct be_devq_args args = { .entries = entries, .initial_get = get, .owner = s->chan[owner].c };
	struct be_devq q;
	int rc = s->be->devq_create(s->vm, &args, &q);

	if (rc)
		return rc;
	s->chan[n].c = q.chan;
	s_devq_text(&q, entries, get, to, room);
	return 0;
}

static inline int s_vm(struct s_state *s, uint64_t local, uint64_t depth)
{
	const uint32_t limits[BE_VM_LIMITS] = { [BE_VM_LOCAL] = (uint32_t)local, [BE_VM_DEPTH] = (uint32_t)depth };

	return s->be->vm_create(s->dev, limits, &s->vm);
}

static inline void s_end(struct s_state *s)
{
	for (unsigned i = SLOTS; i--;) {
		struct s_chan *c = &s->chan[i];

		if (c->c)
			s->be->chan_free(c->c);
		if (!c->bo)
			continue;
		s->be->sem_destroy(c->sem);
		munmap(c->words, PPU_PAGE_SIZE);
		s->be->unbind(s->vm, c->va, PPU_PAGE_SIZE);
		s->be->bo_free(c->bo);
	}
	s->be->unbind(s->vm, PPU_VA_USER_START, PPU_VA_USER_END - PPU_VA_USER_START);
	for (unsigned i = 0; i < SLOTS; i++)
		if (s->bo[i])
			s->be->bo_free(s->bo[i]);
	s->be->vm_destroy(s->vm);
	memset(s->bo, 0, sizeof(s->bo));
	memset(s->chan, 0, sizeof(s->chan));
}

static inline void s_answer(struct s_state *s, const char *cmd, char *to, size_t room)
{
	char w[6][24] = { "" };
	struct be_chan_state st;
	uint64_t a[6], v;
	unsigned n;
	int rc = -ENOENT;

	sscanf(cmd, "%23s %23s %23s %23s %23s %23s", w[0], w[1], w[2], w[3], w[4], w[5]);
	for (unsigned i = 0; i < 6; i++)
		a[i] = s_number(w[i]);
	n = (unsigned)a[1] % SLOTS;
	*to = 0;
	if (!strcmp(w[0], "vm")) {
		rc = s_vm(s, a[1], a[2]);
	} else if (!strcmp(w[0], "limit")) {
		rc = s->be->vm_set_limit(s->vm, *w[1] == 'l' ? BE_VM_LOCAL : *w[1] == 'd' ? BE_VM_DEPTH : BE_VM_PENDING,
					 (uint32_t)a[2]);
	} else if (!strcmp(w[0], "bo")) {
		rc = s->be->bo_alloc(s->vm, a[2], BE_VRAM, &s->bo[n]);
	} else if (!strcmp(w[0], "bind")) {
		rc = s->be->bind(s->vm, s->bo[n], a[2], a[3], *w[4] == 'n' ? BE_BIND_NOEXEC :
				 w[4][1] == 'o' ? BE_BIND_READONLY : 0);
	} else if (!strcmp(w[0], "unbind")) {
		rc = s->be->unbind(s->vm, a[1], a[2]);
	} else if (!strcmp(w[0], "chan")) {
		rc = s_chan(s, n, w[2], (uint32_t)a[3]);
	} else if (!strcmp(w[0], "devq")) {
		rc = s_devq(s, n, (uint32_t)a[2], (uint32_t)a[3], (unsigned)a[4] % SLOTS, to, room);
	} else if (!strcmp(w[0], "fill")) {
		rc = s_fill(s, &s->chan[n], a[2], a[3]);
	} else if (!strcmp(w[0], "read")) {
		rc = s_read(s, &s->chan[n], a[2], &v);
		if (!rc)
			snprintf(to, room, "ok %" PRIx64, v);
	} else if (!strcmp(w[0], "launch")) {
		rc = s_launch(s, &s->chan[n], w[2]);
	} else if (!strcmp(w[0], "work")) {
		rc = s_submit(s, &s->chan[n], s->chan[n].used, BE_WATCH_VM);
	} else if (!strcmp(w[0], "never")) {
		rc = s_wait(s, &s->chan[n], BE_WATCH_VM, 1);
	} else if (!strcmp(w[0], "gone")) {
		s->be->chan_free(s->chan[n].c);
		s->chan[n].c = NULL;
		rc = 0;
	} else if (!strcmp(w[0], "state")) {
		rc = s->be->chan_state(s->chan[n].c, &st);
		snprintf(to, room, "error %" PRIu32, st.error);
	} else if (!strcmp(w[0], "look")) {
		s->look(s, to, room);
		rc = 0;
	} else if (!strcmp(w[0], "end")) {
		s_end(s);
		rc = 0;
	}
	if (rc || !*to)
		snprintf(to, room, "%s", s_result(rc));
}

/* "..." in an expected answer stands for any text. */
static inline bool s_matches(const char *got, const char *want)
{
	const char *dots = strstr(want, "...");
	size_t head = dots ? (size_t)(dots - want) : 0, tail = dots ? strlen(dots + 3) : 0;

	if (!dots)
		return !strcmp(got, want);
	return strlen(got) >= head + tail && !strncmp(got, want, head) &&
	       !strcmp(got + strlen(got) - tail, dots + 3);
}

/* The lines of one context, "context N: ..." and runs and tables, to one line: without N and kernel-owned runs. */
static inline void s_look_line(const char *line, char *to, size_t room)
{
	uint64_t va;

	line += strspn(line, " ");
	if (!strncmp(line, "context ", 8))
		line = strchr(line, ':') + 2;
	else if (strncmp(line, "tables", 6) && sscanf(line, "%" SCNx64 "-", &va) == 1 && va >= PPU_VA_USER_END)
		return;
	snprintf(to + strlen(to), room - strlen(to), "%s%.*s", *to ? "; " : "", (int)strcspn(line, "\n"), line);
}

/* Runs the script; returns the number of wrong answers, and prints them on stderr. */
static inline unsigned s_run(struct s_state *s)
{
	static char got[4096];
	unsigned bad = 0;

	for (unsigned i = 0; i < sizeof(script) / sizeof(script[0]); i++) {
		s_answer(s, script[i].cmd, got, sizeof(got));
		if (s_matches(got, script[i].answer))
			continue;
		fprintf(stderr, "%s\n  is answered  %s\n  instead of   %s\n", script[i].cmd, got, script[i].answer);
		bad++;
	}
	return bad;
}

#endif
