/* SPDX-License-Identifier: MIT */
/*
 * Hostile tasks: programs of any instructions, task descriptors and queues of which any field may be wrong and may
 * change while the task runs, instance blocks, and what the device itself keeps in VRAM: local memory, token queues and
 * saved CTAs. Contexts are stopped, evicted, saved and restored meanwhile. No task may crash or hang the device or use
 * ever more memory, and after a reset the device is idle.
 *
 * The first byte chooses a machine, the second which contexts have a watchdog; the rest is a list of actions.
 */
#include <hw/ppu_isa_check.h>
#include <ppu_image.h>
#include "../unit/lib/bench.c"
#include "refresh.h"
#include "insn_random.h"

enum { MACHINES = 7, TRANSLATES = 5, CTXS = 2, SLOTS = 4, CODE_MAX = 512 };
enum { QUEUE_AT = 2048, QUEUE_ENTRY = 64, QUEUE_ENTRIES = 4 };

#define COMMON "vram=16M channels=8 copy-engines=1 watches=8 task-records=16 task-slots=4 gpcs=2 sms-per-gpc=1 " \
	"warps-per-sm=4 ctas-per-sm=2 regs-per-sm=16384 shared-per-sm=8192 shared-per-cta=4096 window-ns=1000 " \
	"timeslice=5000 task-slice-ns=5000 "

static const char *const machines[MACHINES] = {
	COMMON "engine=1 token-queue-entries=16",
	COMMON "engine=1 token-queue-entries=16 store-delay-ns=500 store-reorder=1 cache-model=1",
	COMMON "engine=1 token-queue-entries=4 token-queue-driver=1 branch-first=1 yield-random=30000",
	COMMON "engine=1 token-queue-entries=16 preempt-level=0 task-policy=1 task-slice-ns=0 device-priorities=0",
	COMMON "engine=1 token-queue-entries=4 x-fault-irq-lose=3 x-fault-irq-spurious=2 x-fault-irq-race=1 "
		"x-fault-ce-reorder=2 x-fault-dma-fail=3 x-fault-irq-delay-ns=700 x-fault-ce-late-ns=900",
	COMMON "engine=2 token-queue-entries=16",
	COMMON "engine=1 token-queue-entries=16 task-slots=1 warps-per-sm=3 ctas-per-sm=1",
};

struct context {
	struct bench_ctx *c;
	struct bench_chan *ch[2];
	uint64_t data, sys, ro, code[SLOTS], tmd[SLOTS];
	struct ppu_tmd *t[SLOTS];		/* all looked up once: later the root may be anything */
	struct ppu_insn *insn[SLOTS];
	uint64_t *words;			/* data */
	struct ppu_gpfifo_entry *ring[2];
	uint32_t *block[2];
	uint64_t block_va[2];
};

static struct machine {
	struct bench *b;
	struct context x[CTXS];
	uint8_t *image;			/* VRAM after the set-up, as far as it is used */
	uint64_t used;
} machine[MACHINES], *m;

static uint64_t traced;

static void on_trace(void *opaque, const struct ppu_trace_rec *rec)
{
	(void)opaque;
	traced += rec->event;
}

/* ---- set-up ---- */

static void make_context(struct context *x)
{
	static const uint32_t cls[2] = { PPU_CLASS_COMPUTE, PPU_CLASS_DEVQ };

	x->c = bench_ctx_make(m->b);
	x->data = bench_alloc(x->c, IRND_DATA, BENCH_VRAM);
	x->words = bench_ptr(x->c, x->data);
	x->sys = bench_alloc(x->c, 8192, BENCH_SCATTER);
	x->ro = bench_alloc(x->c, 4096, BENCH_VRAM | PPU_PTE_READONLY | PPU_PTE_NOEXEC);
	for (unsigned i = 0; i < SLOTS; i++) {
		x->code[i] = bench_alloc(x->c, CODE_MAX * sizeof(struct ppu_insn), BENCH_VRAM);
		x->tmd[i] = bench_alloc(x->c, 4096, BENCH_VRAM);
		x->insn[i] = bench_ptr(x->c, x->code[i]);
		x->t[i] = bench_ptr(x->c, x->tmd[i]);
	}
	for (unsigned i = 0; i < 2; i++) {
		x->ch[i] = bench_chan_make(x->c, cls[i], 8);
		x->ring[i] = bench_ptr(x->c, x->ch[i]->ring);
		x->block_va[i] = bench_alloc(x->c, 4096, BENCH_VRAM);
		x->block[i] = bench_ptr(x->c, x->block_va[i]);
	}
}

static struct ppu_task_queue *queue_of(const struct context *x, unsigned slot)
{
	return (struct ppu_task_queue *)((uint8_t *)x->t[slot] + QUEUE_AT);
}

/* Good tasks in all slots, for launches before the input has written one: alone, in an order, fed by a queue. */
static void make_tasks(const struct context *x)
{
	static const uint64_t order[SLOTS] = { PPU_ORDER_NONE, 7, PPU_ORDER_TAIL, PPU_ORDER_NONE };
	static const char text[] = ".kernel k\nnanosleep 500\nexit\n";
	struct ppu_image *img;
	struct ppu_log log;

	ppu_log_init(&log);
	if (ppu_assemble(text, sizeof(text) - 1, "fuzz", &img, &log))
		abort();
	for (unsigned i = 0; i < SLOTS; i++) {
		*x->t[i] = (struct ppu_tmd){
			.magic = PPU_TMD_MAGIC, .version = PPU_TMD_VERSION, .size = PPU_TMD_SIZE, .regs_per_thread = 32,
			.code_va = x->code[i], .code_insns = img->num_insns, .grid = { 1, 1, 1 }, .block = { 8, 1, 1 },
			.order = order[i], .after = i == 2 ? 7 : 0, .param_va = x->tmd[i] + 1024,
		};
		memcpy(x->insn[i], img->code, img->num_insns * sizeof(*img->code));
	}
	x->t[3]->kind = PPU_TMD_QUEUE;
	x->t[3]->queue_va = x->tmd[3] + QUEUE_AT;
	x->t[3]->queue_capacity = QUEUE_ENTRIES;
	x->t[3]->queue_entry_bytes = QUEUE_ENTRY;
	queue_of(x, 3)->put = 2;
	ppu_image_free(img);
	ppu_log_free(&log);
}

static void make_machine(unsigned kind)
{
	m = &machine[kind];
	if (m->b)
		return;
	m->b = bench_new(machines[kind]);
	m->b->ports.trace = on_trace;
	m->b->ports.vram_told = kind == TRANSLATES;	/* each action tells */
	bench_new_core(m->b);
	for (unsigned i = 0; i < CTXS; i++) {
		make_context(&m->x[i]);
		make_tasks(&m->x[i]);
	}
	m->used = m->b->vram_next;
	m->image = malloc(m->used);
	memcpy(m->image, m->b->vram, m->used);
	refresh_keep(m->b->vram, m->b->cfg.vram);
}

static void start_channel(struct bench_chan *ch)
{
	bench_chan_setup(ch);
	bench_chan_enable(ch);
	ch->put = 0;
}

static void start(unsigned how)
{
	refresh_back(m->b->vram, m->b->cfg.vram);
	refresh_zero(m->b->ram, 1 << 20);
	bench_set(m->b, PPU_REG_RESET, 1);
	ppu_core_vram_changed(m->b->core);
	bench_set(m->b, PPU_REG_INTR_ENABLE, ~0u);
	ppu_core_invalidate_maps(m->b->core);
	for (unsigned i = 0; i < CTXS; i++) {
		struct ppu_inst_block *blk = (struct ppu_inst_block *)(m->b->vram + m->x[i].c->inst);

		if (how >> i & 1)
			blk->watchdog_ns = 20000;
		bench_ctx_cmd(m->x[i].c, PPU_CTX_CMD_LOAD);
		for (unsigned k = 0; k < 2; k++)
			start_channel(m->x[i].ch[k]);
	}
}

/* ---- programs ---- */

static uint64_t number64(struct irnd *r)
{
	uint64_t high = irnd(r, 0xffffffff);

	return high << 32 | irnd(r, 0xffffffff);
}

/* An address that is often a good one. */
static uint64_t address(struct irnd *r, const struct context *x)
{
	unsigned slot = irnd(r, SLOTS);

	switch (irnd(r, 9)) {
	case 0: return x->tmd[slot];
	case 1: return x->tmd[slot] + QUEUE_AT;
	case 2: return x->code[slot] + 16 * irnd(r, 64);
	case 3: return x->sys + irnd(r, 8192);
	case 4: return x->ro + irnd(r, 4096);
	case 5: return x->data + IRND_DATA - irnd(r, 64);
	case 6: return number64(r) >> irnd(r, 64);
	default: return x->data + 8 * irnd(r, 512);
	}
}

/* An instruction that needs a pair of registers with an address in it. */
static const uint8_t with_address[] = {
	PPU_OP_TLAUNCH, PPU_OP_TLAUNCH, PPU_OP_LD, PPU_OP_ST, PPU_OP_ATOM, PPU_OP_TEX, PPU_OP_CALX, PPU_OP_BRX,
};

static uint32_t use_address(struct irnd *r, const struct context *x, struct ppu_insn *code)
{
	unsigned op = with_address[irnd(r, sizeof(with_address))];

	if (!irnd_insn(r, PPU_OP_MOVI64, &code[0]) || !irnd_insn(r, op, &code[1]))
		return 0;
	PPU_SET(&code[0], GP, PPU_PT);
	PPU_SET(&code[0], GN, 0);
	PPU_SET(&code[0], D, 2);
	code[0].hi = address(r, x);
	PPU_SET(&code[1], A, 2);
	return 2;
}

/* Branches, calls and tokens, with targets that are often in the program. */
static uint32_t control(struct irnd *r, struct ppu_insn *code, uint32_t limit)
{
	static const uint8_t ops[] = {
		PPU_OP_BRA, PPU_OP_JMP, PPU_OP_SSY, PPU_OP_SYNC, PPU_OP_PBRK, PPU_OP_BRK, PPU_OP_PCNT, PPU_OP_CONT,
		PPU_OP_PEXIT, PPU_OP_CAL, PPU_OP_RET, PPU_OP_LONGJMP, PPU_OP_PUSH, PPU_OP_DISABLE, PPU_OP_YIELD,
		PPU_OP_BAR, PPU_OP_WARPSYNC, PPU_OP_EXIT, PPU_OP_NANOSLEEP, PPU_OP_TSYNC, PPU_OP_TRAP,
	};
	unsigned op = ops[irnd(r, sizeof(ops))];

	if (!irnd_insn(r, op, code))
		return 0;
	if (PPU_FMT_HAS(ppu_fmt_fields(ppu_isa_info(op)->fmt), IMM) && irnd(r, 8))
		PPU_SET(code, IMM, irnd(r, limit));
	return 1;
}

static uint32_t some_insns(struct irnd *r, const struct context *x, struct ppu_insn *code, uint32_t limit)
{
	unsigned op = irnd(r, 0x78);

	switch (irnd(r, 6)) {
	case 0:
		return use_address(r, x, code);
	case 1:
	case 2:
		return control(r, code, limit);
	case 3:
		return irnd_raw(r, code);
	default:
		return ppu_isa_info(op)->fmt != PPU_FMT_COUNT && irnd_insn(r, op, code);
	}
}

/*
 * Programs whose threads get along: they launch, wait, meet at barriers, call, diverge, and use memory of all kinds. In
 * programs of any instructions most warps soon fault. $n a number below 16, $t a label, $r a reason, $p a parameter that
 * is an address, $z a length of time.
 */
static const char *const lines[] = {
	"ld.param.u64 rd4, [$p]\ntlaunch r6, rd4", "@p2 tlaunch r6, rd4", "tsync r7", "tsync r7", "bar.sync $n",
	"bar.sync 0", "bar.popc r7, $n, p1", "bar.arrive $n, 64", "nanosleep $z", "nanosleep $z", "yield",
	"push.r$r $t", "push.r$r $t", "disable.r$r $t", "@p1 disable.r$r $t", "ssy $t", "@p1 sync $t", "sync $t",
	"pbrk $t", "@p1 brk $t", "pcnt $t", "@p2 cont $t", "setp.lt.u32 p1, r2, $n", "setp.gt.u32 p2, r3, $n",
	"@p1 bra $t", "@p2 bra $t", "bra $t", "@p2 exit", "@p1 exit", "trap", "@p1 cal r14, $t", "cal r14, $t",
	"ret r14", "longjmp $t", "push.longjmp $t", "add.u32 r3, r3, $n", "xor.u32 r3, r3, r2",
	"ld.param.u64 rd8, [$p]", "ld.param.u64 rd8, [0]", "st.global.u32 [rd8+$n], r3", "st.global.u64 [rd8], rd4",
	"ld.global.u32 r3, [rd8+$n]", "atom.global.add.u32 r3, [rd8], r2", "atom.global.cas.u32 r3, [rd8], r2, r3",
	"atom.global.max.u64 rd10, [rd8], rd4", "atom.shared.add.u32 r3, [r9], r2", "st.shared.u32 [r9], r3",
	"ld.shared.u32 r3, [r9]", "st.local.u32 [r9], r3", "ld.local.u32 r3, [r9]", "membar.sc.sys",
	"membar.acq_rel.gpu", "warpsync 0xffffffff", "vote.ballot r7, r19, p1", "redux.add.u32 r7, r2, r19",
	"and.u32 r12, r2, 3\nadd.u32 r12, r12, $n\n@p1 brx r12",
};

static size_t write_line(struct irnd *r, char *to, size_t room, unsigned label, unsigned labels)
{
	const char *from = lines[irnd(r, sizeof(lines) / sizeof(lines[0]))];
	size_t n = (size_t)snprintf(to, room, "L%u: ", label);

	for (; *from; from++) {
		if (*from != '$') {
			to[n++] = *from;
			continue;
		}
		switch (*++from) {
		case 'n': n += (size_t)sprintf(to + n, "%u", irnd(r, 16)); break;
		case 'r': n += (size_t)sprintf(to + n, "%u", 9 + irnd(r, 4)); break;
		case 't': n += (size_t)sprintf(to + n, "L%u", irnd(r, labels)); break;
		case 'p': n += (size_t)sprintf(to + n, "%u", 8 * irnd(r, 8)); break;
		default: n += (size_t)sprintf(to + n, "%u", 1u << irnd(r, 16)); break;
		}
	}
	to[n++] = '\n';
	return n;
}

static uint32_t write_text(struct irnd *r, struct ppu_insn *code)
{
	static char text[64 * 128];
	unsigned labels = 1 + irnd(r, 40);
	struct ppu_image *img;
	struct ppu_log log;
	uint32_t n = 0;
	size_t len = (size_t)sprintf(text, ".kernel k\ns2r r2, %%tid.x\nmov.u32 r19, -1\nmov.u32 r9, 16\n"
				     "ld.param.u64 rd8, [0]\n");

	for (unsigned i = 0; i < labels; i++)
		len += write_line(r, text + len, sizeof(text) - len, i, labels);
	len += (size_t)sprintf(text + len, "exit\n");
	ppu_log_init(&log);
	if (ppu_assemble(text, len, "fuzz", &img, &log)) {
		fputs(log.text, stderr);
		abort();
	}
	if (img->num_insns <= CODE_MAX) {
		n = img->num_insns;
		memcpy(code, img->code, n * sizeof(*code));
	}
	ppu_image_free(img);
	ppu_log_free(&log);
	return n;
}

static uint32_t write_program(struct irnd *r, const struct context *x, struct ppu_insn *to)
{
	static struct ppu_insn code[CODE_MAX];
	uint32_t n = 0, limit;

	memset(code, 0, sizeof(code));
	if (irnd(r, 2)) {
		n = write_text(r, code);
	} else if (irnd(r, 2)) {
		n = irnd_program(r, code);
		for (uint32_t k = irnd(r, 8); k; k--)
			some_insns(r, x, &code[irnd(r, n)], n);
	} else {
		limit = 2 + irnd(r, 40);
		for (uint32_t tries = 0; tries < 60 && n < limit; tries++)
			n += some_insns(r, x, &code[n], limit);
		if (irnd(r, 4) && irnd_insn(r, PPU_OP_EXIT, &code[n]))
			n++;
	}
	memcpy(to, code, sizeof(code));
	return n;
}

/* ---- tasks ---- */

static void change_bytes(struct irnd *r, void *p, uint32_t size)
{
	uint8_t *at = (uint8_t *)p + irnd(r, size);

	for (unsigned n = 1 + irnd(r, 4); n && at < (uint8_t *)p + size; n--)
		*at++ = (uint8_t)irnd(r, 256);
}

static void write_queue(struct irnd *r, const struct context *x, unsigned slot, struct ppu_tmd *t)
{
	struct ppu_task_queue *q = queue_of(x, slot);

	t->kind = PPU_TMD_QUEUE;
	t->queue_va = x->tmd[slot] + QUEUE_AT;
	t->queue_capacity = QUEUE_ENTRIES;
	t->queue_entry_bytes = QUEUE_ENTRY;
	if (!irnd(r, 3)) {
		/* behind the TMD, where the parameters are then not */
		t->flags |= PPU_TMDF_QUEUE_INLINE;
		t->queue_va = 0;
		q = (struct ppu_task_queue *)((uint8_t *)x->t[slot] + PPU_TMD_SIZE);
	}
	q->get = 0;
	q->put = irnd(r, 5) | (irnd(r, 2) ? PPU_TASKQ_CLOSED : 0);
}

/* Addresses: of data, of the tasks, of a queue, of the other kinds of memory. */
static void write_params(const struct context *x, unsigned slot)
{
	uint64_t v[8] = { x->data, x->tmd[0], x->tmd[1], x->tmd[2], x->tmd[3], x->sys, x->tmd[slot] + QUEUE_AT,
			  x->data + IRND_DATA - 64 };

	memcpy((uint8_t *)x->t[slot] + 1024, v, sizeof(v));
}

static void write_task(struct irnd *r, const struct context *x, unsigned slot, uint32_t insns)
{
	struct ppu_tmd t = {
		.magic = PPU_TMD_MAGIC, .version = PPU_TMD_VERSION, .size = PPU_TMD_SIZE, .id = slot,
		.regs_per_thread = IRND_REGS, .code_va = x->code[slot], .code_insns = insns,
		.grid = { 1 + irnd(r, 6), 1 + irnd(r, 2), 1 }, .block = { irnd(r, 2) ? 1 : 1 + irnd(r, 96), 1, 1 },
		.shared_bytes = irnd(r, 2) ? IRND_SHARED : 0, .num_barriers = irnd(r, 4) ? 16 : irnd(r, 4),
		.local_per_thread = irnd(r, 2) ? 0 : 64, .param_va = x->tmd[slot] + 1024, .param_bytes = 64,
		.done_va = irnd(r, 2) ? 0 : address(r, x), .done_value = 1,
	};

	if (irnd(r, 2)) {
		t.flags |= PPU_TMDF_PRIO_VALID | (irnd(r, 2) ? PPU_TMDF_ADD_HEAD : 0);
		t.priority = (uint8_t)irnd(r, 13);
	}
	if (!irnd(r, 3))
		write_queue(r, x, slot, &t);
	if (!irnd(r, 3)) {
		t.order = irnd(r, 6);
		t.after = irnd(r, 3) ? 0 : irnd(r, 6);
	}
	if (!irnd(r, 4))
		change_bytes(r, &t, sizeof(t));
	*x->t[slot] = t;
	write_params(x, slot);
}

static void submit(const struct context *x, unsigned k, const uint32_t *w, uint32_t n)
{
	struct bench_chan *ch = x->ch[k];

	memcpy(x->block[k], w, n * 4);
	x->ring[k][ch->put] = (struct ppu_gpfifo_entry){ x->block_va[k], n, 0 };
	ch->put = (ch->put + 1) % ch->entries;
	bench_doorbell(ch, ch->put);
}

static void launch(struct irnd *r, const struct context *x, unsigned first)
{
	uint32_t w[16], n = 0;
	unsigned k = irnd(r, 2);

	for (unsigned i = 0; i < 1 + irnd(r, 3); i++) {
		uint64_t va = x->tmd[(first + i) % SLOTS];

		w[n++] = PPU_CMD_HDR(PPU_CMD_LAUNCH, PPU_CMD_SIZE_LAUNCH, 0);
		w[n++] = (uint32_t)va;
		w[n++] = (uint32_t)(va >> 32);
	}
	if (!irnd(r, 3))
		w[n++] = PPU_CMD_HDR(PPU_CMD_WFI, PPU_CMD_SIZE_WFI, 0);
	submit(x, k, w, n);
}

/* ---- what happens meanwhile ---- */

/* A context whose areas are damaged goes on with what it finds there. */
static void change_area(struct irnd *r, const struct context *x)
{
	const struct ppu_inst_block *blk = (struct ppu_inst_block *)(m->image + x->c->inst);
	uint64_t base[] = { blk->local_base, blk->tokq_base, blk->save_base };
	uint64_t size[] = { blk->local_size, blk->tokq_size, blk->save_size };
	unsigned k = irnd(r, 3);
	uint64_t at = size[k] ? irnd(r, (uint32_t)(irnd(r, 3) ? (size[k] < 2048 ? size[k] : 2048) : size[k])) & ~7u : 0;
	uint64_t v = number64(r);

	if (!size[k] || base[k] + at + 8 > m->used)
		return;
	memcpy(m->b->vram + base[k] + at, &v, 8);
}

/* The same core goes on from a state that was saved, and perhaps damaged. A new one would forget what it has mapped. */
static void save_and_load(struct irnd *r)
{
	bool damage = irnd(r, 2);
	uint8_t *bytes = NULL;
	size_t len = 0;
	char *err = NULL;

	if (ppu_core_save(m->b->core, &bytes, &len))
		abort();
	if (damage)
		for (unsigned n = 1 + irnd(r, 3); n; n--)
			bytes[irnd(r, 2) ? irnd(r, (uint32_t)len) : len - 1 - irnd(r, (uint32_t)len / 2)] =
				(uint8_t)irnd(r, 256);
	if (damage && !irnd(r, 4))
		len = irnd(r, (uint32_t)len);
	if (ppu_core_load(m->b->core, bytes, len, &err)) {
		if (!damage || !err)
			abort();
		free(err);
	}
	free(bytes);
}

static void exception(struct irnd *r)
{
	bench_reg(m->b, PPU_REG_SM_EXC_CAUSE);
	if (irnd(r, 2))
		bench_set(m->b, PPU_REG_SM_EXC_HEAD, irnd(r, 8) ? irnd(r, 8) : irnd(r, 0xffffffff));
	if (irnd(r, 2))
		bench_set(m->b, PPU_REG_SM_EXC_TAIL, irnd(r, 8) ? irnd(r, 8) : irnd(r, 0xffffffff));
	bench_set(m->b, PPU_REG_SM_EXC_DONE, 1 + irnd(r, 2));
}

static void look(struct irnd *r)
{
	bench_set(m->b, PPU_REG_TASK_SEL, irnd(r, 20));
	for (unsigned off = PPU_REG_TASK_SEL; off < PPU_REG_TASK_SEL + 0x80; off += 4)
		bench_reg(m->b, off);
	bench_set(m->b, PPU_REG_DBG_SEL, irnd(r, 4) ? irnd(r, 80) : PPU_DBG_ENGINE + irnd(r, 40));
	bench_reg(m->b, PPU_REG_DBG_DATA_LO);
	bench_set(m->b, PPU_REG_INTR_STATUS, ~0u);
}

static void context_changes(struct irnd *r, struct context *x)
{
	struct ppu_inst_block *blk = (struct ppu_inst_block *)(m->b->vram + x->c->inst);

	switch (irnd(r, 6)) {
	case 0:
		change_bytes(r, blk, 96);
		break;
	case 1:
		blk->watchdog_ns = irnd(r, 20000);
		break;
	case 2:
		blk->max_depth = 1 + irnd(r, 5);
		blk->max_pending = irnd(r, 5);
		break;
	case 3:
		bench_ctx_cmd(x->c, PPU_CTX_CMD_STOP);
		break;
	case 4:
		bench_ctx_cmd(x->c, PPU_CTX_CMD_FORGET);
		break;
	default:
		bench_chan_set(x->ch[irnd(r, 2)], PPU_REG_CH_CMD, 1 + irnd(r, 5));
	}
	if (irnd(r, 3))
		bench_ctx_cmd(x->c, PPU_CTX_CMD_LOAD);
	for (unsigned k = 0; k < 2; k++)
		if (irnd(r, 2))
			start_channel(x->ch[k]);
}

static void queue_moves(struct irnd *r, const struct context *x, unsigned slot)
{
	struct ppu_task_queue *q = queue_of(x, slot);

	switch (irnd(r, 4)) {
	case 0: q->put = number64(r); break;
	case 1: q->get = number64(r) >> irnd(r, 64); break;
	case 2: q->put |= PPU_TASKQ_CLOSED; break;
	default: q->put++;
	}
	bench_kick(x->ch[0]);
}

static void action(struct irnd *r)
{
	struct context *x = &m->x[irnd(r, CTXS)];
	unsigned slot = irnd(r, SLOTS);
	uint64_t v;

	switch (irnd(r, 14)) {
	case 0: case 1: case 2: case 3:
		write_task(r, x, slot, write_program(r, x, x->insn[slot]));
		launch(r, x, slot);
		break;
	case 4:
		change_bytes(r, x->t[slot], sizeof(struct ppu_tmd));
		break;
	case 5:
		change_bytes(r, x->insn[slot], 4096);
		break;
	case 6:
		context_changes(r, x);
		break;
	case 7:
		queue_moves(r, x, slot);
		break;
	case 8:
		change_area(r, x);
		break;
	case 9:
		save_and_load(r);
		break;
	case 10:
		exception(r);
		break;
	case 11:
		look(r);
		break;
	case 12:
		v = address(r, x);
		x->words[irnd(r, 512)] = v;
		break;
	default:
		launch(r, x, slot);
	}
	ppu_core_vram_changed(m->b->core);
	ppu_core_run(m->b->core, ppu_core_time(m->b->core) + (irnd(r, 4) ? irnd(r, 4096) : irnd(r, 40000)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct irnd r = { .state = 0x9e3779b97f4a7c15ull, .p = data + 2, .left = size > 2 ? size - 2 : 0 };

	if (size < 8)
		return -1;
	make_machine(data[0] % MACHINES);
	start(data[1]);
	for (unsigned i = 0; i < 100 && r.left; i++)
		action(&r);
	ppu_core_run(m->b->core, ppu_core_time(m->b->core) + 20000);
	bench_set(m->b, PPU_REG_RESET, 1);
	if (ppu_core_next_event(m->b->core) != PPU_TIME_NEVER)
		abort();
	return 0;
}
