/* SPDX-License-Identifier: MIT */
/*
 * Device-owned queues: set-up in the order of method 400 (WQ-27..WQ-38), what threads can and cannot reach, refresh.
 * test_devq_end.c tests how queues end.
 */
#include <inttypes.h>
#include <pthread.h>
#include <hw/ppu_counters.h>
#include <hw/ppu_tmd.h>

#include "devq.h"
#include "sysfile.h"

#define COMPUTE DRM_PPU_CHANNEL_COMPUTE
#define COPY DRM_PPU_CHANNEL_COPY
#define QUEUE DRM_PPU_CHANNEL_DEVICE_QUEUE
#define ASSIST DRM_PPU_DEVQ_AUTO_REFRESH

/* ---- arguments ---- */

#define BAD(field, value, err) do { \
	struct drm_ppu_channel_create a_ = { \
		.vm_id = c.vm, .type = QUEUE, .gpfifo_entries = 8, \
	}; \
	a_.field = value; \
	DO_ERR(c.fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a_, err); \
} while (0)

TEST(args, "CHANNEL_CREATE refuses bad arguments of a queue")
{
	int fd = open_ppu(), other = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COMPUTE, 8);
	struct chan foreign = chan_new(fd, vm_new(fd), COMPUTE, 8);
	struct drm_ppu_channel_create kernel = { .vm_id = c.vm, .gpfifo_entries = 8 };
	struct drm_ppu_channel_create a = { .vm_id = c.vm, .type = QUEUE, .gpfifo_entries = 8 };
	struct drm_ppu_submit s = { 0 };
	struct drm_ppu_channel_set_property p = { .property = DRM_PPU_CHANNEL_PROP_TIMEOUT_MS, .value = 100 };
	struct devq q;

	CHECK_EQ(get_param(fd, DRM_PPU_PARAM_HAS_DEVICE_QUEUES), 1);
	CHECK_EQ(get_param(fd, DRM_PPU_PARAM_HAS_DEVICE_QUEUE_ASSIST), 1);
	BAD(vm_id, 77, ENOENT);
	BAD(flags, DRM_PPU_CHANNEL_USER_SUBMIT, EINVAL);
	BAD(flags, 1u << 7, EINVAL);
	BAD(gpfifo_entries, 2, EINVAL);
	BAD(gpfifo_entries, 0, EINVAL);
	BAD(gpfifo_entries, ~0u, EINVAL);
	BAD(engine_mask, 1, EINVAL);
	BAD(timeout_ms, 100, EINVAL);
	BAD(priority, PPU_QUEUE_PRIO_MAX + 1, EINVAL);
	BAD(devq_initial_get, 8, EINVAL);
	BAD(devq_initial_get, ~0u, EINVAL);
	BAD(devq_flags, 2, EINVAL);
	BAD(devq_pad, 1, EINVAL);
	BAD(devq_owner, 77, ENOENT);
	BAD(devq_owner, foreign.id, EINVAL);
	BAD(group_id, 77, ENOENT);
	DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &kernel);
	BAD(devq_owner, kernel.channel_id, EINVAL);
	q = devq_new(&c, 8, 0, 0);
	BAD(devq_owner, q.id, EINVAL);
	DO_ERR(other, DRM_IOCTL_PPU_CHANNEL_CREATE, &a, ENOENT);
	/* A queue has neither a ring to submit to nor jobs. */
	s.channel_id = p.channel_id = q.id;
	DO_ERR(fd, DRM_IOCTL_PPU_SUBMIT, &s, EINVAL);
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_SET_PROPERTY, &p, EINVAL);
	CHECK(!(devq_query(&q).state & DRM_PPU_CHANNEL_STATE_USER_SUBMIT));
	CHECK_EQ(chan_query(&c).devq_soft, 0);
	CHECK_EQ(chan_query(&c).devq_shadow, 0);
}

/* ---- the state after creation ---- */

TEST(initial_state, "WQ-23, WQ-24, WQ-27, WQ-28, WQ-30..WQ-34: what a new queue holds, for many counts and GP_GETs")
{
	static const uint32_t counts[] = { 3, 6, 8, 13, 100, 4096 };
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COMPUTE, 8);

	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		uint32_t n = counts[i], gets[] = { 0, n / 2 + 1, n - 1 };

		for (unsigned g = 0; g < 3; g++) {
			uint32_t get = gets[g], put = get ? get - 1 : n - 1;
			struct devq q = devq_new(&c, n, 0, get);
			const struct drm_ppu_channel_create *a = &q.args;
			const struct ppu_gpfifo_entry *e = (void *)(q.cpu + 16ull * get);
			const uint32_t *block;
			struct drm_ppu_channel_query s;

			CHECK_EQ(a->userd_offset, 0);
			CHECK_EQ(a->devq_ring_va, a->ring_va);
			CHECK(a->ring_va >= PPU_VA_USER_END);
			/* the host interface stands at the Acquire of X */
			WAIT_FOR((s = devq_query(&q)).state & DRM_PPU_CHANNEL_STATE_SEM_BLOCKED, 20000);
			CHECK_EQ(s.blocked_va, a->devq_x_va);
			CHECK_EQ(s.gp_get, get);
			CHECK_EQ(s.gp_put, put);
			CHECK_EQ(s.devq_get, get);
			CHECK_EQ(s.devq_soft, get + 1);
			CHECK_EQ(s.devq_shadow, (uint64_t)get + n - 1);
			CHECK_EQ(s.devq_x, 0);
			CHECK_EQ(s.devq_y, 0);
			CHECK_EQ(s.devq_shadow % n, put);
			CHECK_EQ(*devq_word(&q, a->devq_soft_va), get + 1);
			CHECK_EQ(*devq_word(&q, a->devq_shadow_va), (uint64_t)get + n - 1);
			CHECK_EQ(*devq_word(&q, a->devq_x_va), 0);
			CHECK_EQ(*devq_word(&q, a->devq_y_va), 0);
			/* one command: Acquire X == 1 */
			CHECK_EQ(e->length, PPU_CMD_SIZE_SEM_ACQUIRE);
			block = (void *)devq_word(&q, e->va);
			CHECK_EQ(block[0], PPU_CMD_HDR(PPU_CMD_SEM_ACQUIRE, 5, PPU_SEM_OP_EQ));
			CHECK_EQ(block[1] | (uint64_t)block[2] << 32, a->devq_x_va);
			CHECK_EQ(block[3] | (uint64_t)block[4] << 32, 1);
			/*
			 * X and Y are not among the elements; all elements are inside the object; all other memory is
			 * zero
			 */
			CHECK(a->devq_x_va + 16 <= a->devq_sem_va || a->devq_x_va >= a->devq_sem_va + 8ull * n);
			CHECK(a->devq_y_va + 16 <= a->devq_sem_va || a->devq_y_va >= a->devq_sem_va + 8ull * n);
			CHECK(a->devq_x_va != a->devq_y_va);
			for (uint32_t k = 0; k < n; k++) {
				CHECK_EQ(*devq_word(&q, a->devq_sem_va + 8ull * k), 0);
				if (k != get)
					CHECK_EQ(*devq_word(&q, a->devq_ring_va + 16ull * k) |
						 *devq_word(&q, a->devq_ring_va + 16ull * k + 8), 0);
			}
			devq_free(&q);
		}
	}
}

TEST(start_disabled, "WQ-38: an open ring is not looked at before the channel is enabled, whoever refreshes it")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COMPUTE, 8), r = chan_new(fd, c.vm, COMPUTE, 8);
	const struct drm_ppu_channel_create a = { .flags = DRM_PPU_CHANNEL_START_DISABLED };
	struct devq q = devq_new_args(&c, 8, &a);
	struct drm_ppu_channel_set_property on = { q.id, DRM_PPU_CHANNEL_PROP_ENABLED, 1 };
	struct cmds b = chan_block(&r);

	CHECK_EQ(devq_query(&q).gp_put, 7);
	cmd_refresh(&b, q.hw);
	chan_submit(&r, &b);
	WAIT_FOR(chan_query(&r).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
	CHECK_EQ(chan_query(&r).error, PPU_ERR_BAD_QUEUE);
	/* when another channel's work is done, the device had time to do something wrong */
	b = chan_block(&c);
	cmd_release(&b, chan_sem_va(&c, 0), 1);
	chan_submit(&c, &b);
	chan_wait_idle(&c);
	CHECK_EQ(devq_query(&q).state & (DRM_PPU_CHANNEL_STATE_ENABLED |
					 DRM_PPU_CHANNEL_STATE_SEM_BLOCKED), 0);
	CHECK_EQ(devq_query(&q).devq_get, 0);
	DO(fd, DRM_IOCTL_PPU_CHANNEL_SET_PROPERTY, &on);
	WAIT_FOR(devq_query(&q).state & DRM_PPU_CHANNEL_STATE_SEM_BLOCKED, 20000);
	devq_launch(&q, 2, true, chan_sem_va(&c, 1));
	chan_doorbell(&c);
	chan_wait_idle(&c);
	CHECK_EQ(*chan_sem(&c, 1), 2);
}

/* WQ-38: the driver's set-up stands still after each step, and ends there or goes on. */

struct maker {
	struct chan *c;
	struct drm_ppu_channel_create out;
	int err;
};

static void *make_queue(void *arg)
{
	struct maker *m = arg;
	const struct drm_ppu_channel_create a = { .devq_initial_get = 5 };

	m->err = devq_try(m->c, 8, &a, &m->out);
	return NULL;
}

static uint64_t counter_of(int fd, unsigned which)
{
	uint64_t all[PPU_CTR_COUNT];
	struct drm_ppu_query q = {
		.type = DRM_PPU_QUERY_COUNTERS, .size = sizeof(all), .ptr = (uintptr_t)all,
	};

	DO(fd, DRM_IOCTL_PPU_QUERY, &q);
	return all[which];
}

/* What the device has of the queue whose set-up stands; chid ~0: none stands. */
struct standing {
	unsigned chid, get, put, status;
};

static struct standing standing(void)
{
	struct standing s = { .chid = ~0u };
	char *text = debugfs_text("devq_stand");

	sscanf(text, "chid %u get %u put %u status %x", &s.chid, &s.get, &s.put, &s.status);
	free(text);
	return s;
}

/* Channel r asks for a refresh of the queue, and c does some work: the device had time, and a reason to look. */
static void prod(struct chan *c, struct chan *r, unsigned chid)
{
	struct cmds b = chan_block(r);

	cmd_refresh(&b, chid);
	chan_submit(r, &b);
	WAIT_FOR(chan_query(r).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
	CHECK_EQ(chan_query(r).error, PPU_ERR_BAD_QUEUE);
	b = chan_block(c);
	cmd_sem(&b, PPU_CMD_SEM_INC, 0, chan_sem_va(c, 0), 0);
	chan_submit(c, &b);
	chan_wait_idle(c);
}

static void stand_after(struct chan *c, unsigned step, bool fail)
{
	const unsigned get = 5, open = step >= 410 ? 4 : get;
	struct chan r = chan_new(c->fd, c->vm, COMPUTE, 8);
	uint64_t entries = counter_of(c->fd, PPU_CTR_ENTRIES), vram = get_param(c->fd, DRM_PPU_PARAM_VRAM_AVAIL);
	struct maker m = { .c = c };
	struct standing s;
	char text[16];
	pthread_t t;

	snprintf(text, sizeof(text), "%u", step);
	debugfs_write("devq_stand", text);
	CHECK(!pthread_create(&t, NULL, make_queue, &m));
	WAIT_FOR((s = standing()).chid != ~0u, 20000);
	prod(c, &r, s.chid);
	s = standing();
	CHECK_EQ(s.get, get);
	CHECK_EQ(s.put, open);		/* closed until the entry at GP_GET is there */
	CHECK_EQ(s.status & (PPU_CHS_ENABLED | PPU_CHS_FAULTED | PPU_CHS_SEM_BLOCKED), 0);
	CHECK_EQ(counter_of(c->fd, PPU_CTR_ENTRIES), entries + 2);	/* those of prod() */
	debugfs_write("devq_stand", fail ? "1" : "0");
	pthread_join(t, NULL);
	CHECK_EQ(m.err, fail ? EIO : 0);
	if (!fail) {
		struct drm_ppu_channel_query q = { .channel_id = m.out.channel_id };
		struct drm_ppu_channel_destroy d = { .channel_id = m.out.channel_id };

		/* One entry is fetched: the one that waits for X. */
		WAIT_FOR(!try_ioctl(c->fd, DRM_IOCTL_PPU_CHANNEL_QUERY, &q) &&
			 q.state & DRM_PPU_CHANNEL_STATE_SEM_BLOCKED, 20000);
		CHECK_EQ(q.blocked_va, m.out.devq_x_va);
		CHECK_EQ(q.gp_get, get);
		CHECK_EQ(counter_of(c->fd, PPU_CTR_ENTRIES), entries + 3);
		DO(c->fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, &d);
	}
	/* Nothing is left of it. */
	WAIT_FOR(get_param(c->fd, DRM_PPU_PARAM_VRAM_AVAIL) == vram, 20000);
	chan_free(&r);
}

TEST_T(faults_between_steps, 120,
       "WQ-38: a set-up that stands or fails after any step shows the device no entry that is not written")
{
	static const unsigned steps[] = { 405, 406, 408, 410, 412 };
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COMPUTE, 8);
	struct devq q = devq_new(&c, 8, 0, 0);

	devq_free(&q);			/* page tables that stay are there */
	for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		stand_after(&c, steps[i], true);
		stand_after(&c, steps[i], false);
	}
	q = devq_new(&c, 8, 0, 0);
	devq_launch(&q, 2, true, chan_sem_va(&c, 1));
	chan_doorbell(&c);
	chan_wait_idle(&c);
	CHECK_EQ(*chan_sem(&c, 1), 2);
}

/* ---- work ---- */

static void work_block(struct devq *q, struct cmds *b, uint64_t va, uint64_t value)
{
	*b = devq_block(q);
	cmd_release(b, va, value);
	devq_block_end(q, b);
}

static void wait_block(struct devq *q, struct cmds *b, uint64_t counter)
{
	*b = devq_block(q);
	cmd_acquire(b, PPU_SEM_OP_EQ, q->args.devq_sem_va + counter % q->count * 8,
		    counter / q->count + 1);
	devq_block_end(q, b);
}

/* The CPU makes the stores of a thread; without the last store, the release, if that is to come later. */
static void cpu_stores(struct devq *q, const struct store *s, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		__sync_synchronize();
		*devq_word(q, s[i].va) = s[i].value;
	}
	__sync_synchronize();
	q->c->userd[PPU_REG_USERD_KICK / 4] = 1;
}

static bool blocked_at(struct devq *q, uint32_t get, uint64_t va)
{
	struct drm_ppu_channel_query s = devq_query(q);

	return s.state & DRM_PPU_CHANNEL_STATE_SEM_BLOCKED && s.gp_get == get && s.blocked_va == va;
}

TEST(two_channels_step_by_step,
     "WQ-72, WQ-36, WQ-37, WQ-48, WQ-50, WQ-51: the scenario of figure 6A-6F, count 8, step by step")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COMPUTE, 8);
	struct devq q = devq_new(&c, 8, 0, 0);
	uint64_t out[] = { chan_sem_va(&c, 1), chan_sem_va(&c, 2) };
	struct store s1[DEVQ_MAX_STORES], s2[DEVQ_MAX_STORES], s3[DEVQ_MAX_STORES];
	struct cmds b[2], x;
	unsigned n1, n2, n3;

	/* C: the command c0 stands for the launching kernel; it ends when the test allows it */
	q.launches = 1;
	x = chan_block(&c);
	cmd_acquire(&x, PPU_SEM_OP_EQ, chan_sem_va(&c, 0), 1);
	chan_commit(&c, &x);
	x = chan_block(&c);
	cmd_wfi(&x);
	chan_commit(&c, &x);
	x = chan_block(&c);
	cmd_release(&x, q.args.devq_x_va, 1);
	chan_commit(&c, &x);
	x = chan_block(&c);
	cmd_acquire(&x, PPU_SEM_OP_EQ, q.args.devq_y_va, 1);
	chan_submit(&c, &x);
	WAIT_FOR(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_SEM_BLOCKED, 20000);
	/* 6B: thread 1, then thread 2, which does not release A yet */
	work_block(&q, &b[0], out[0], 11);
	wait_block(&q, &b[1], 2);
	n1 = devq_insert(&q, b, 2, s1);
	cpu_stores(&q, s1, n1);
	CHECK_EQ(devq_query(&q).devq_soft, 3);
	work_block(&q, &b[0], out[1], 22);
	wait_block(&q, &b[1], 4);
	n2 = devq_insert(&q, b, 2, s2);
	cpu_stores(&q, s2, n2 - 1);
	CHECK_EQ(devq_query(&q).devq_soft, 5);
	/* element 0, not X: P is still blocked */
	CHECK_EQ(*devq_word(&q, q.args.devq_sem_va), 1);
	CHECK_EQ(devq_query(&q).devq_x, 0);
	WAIT_FOR(blocked_at(&q, 0, q.args.devq_x_va), 20000);
	CHECK_EQ(*chan_sem(&c, 1), 0);
	/* 6C, 6D: the kernel is done; P runs PBS-1 and stands on A */
	*chan_sem(&c, 0) = 1;
	c.userd[PPU_REG_USERD_KICK / 4] = 1;
	WAIT_FOR(blocked_at(&q, 2, q.args.devq_sem_va + 8 * 2), 20000);
	CHECK_EQ(devq_query(&q).devq_x, 1);
	CHECK_EQ(*chan_sem(&c, 1), 11);
	CHECK_EQ(*chan_sem(&c, 2), 0);
	WAIT_FOR(chan_get(&c) == 3 && chan_query(&c).blocked_va == q.args.devq_y_va, 20000);
	/* A is released: PBS-2 runs, P stands on B */
	cpu_stores(&q, &s2[n2 - 1], 1);
	WAIT_FOR(blocked_at(&q, 4, q.args.devq_sem_va + 8 * 4), 20000);
	CHECK_EQ(*chan_sem(&c, 2), 22);
	CHECK_EQ(chan_get(&c), 3);
	/* 6E, 6F: the end in entry 5 alone; Y; P stands on X == 2 */
	n3 = devq_insert_end(&q, s3);
	CHECK_EQ(n3, 4);
	cpu_stores(&q, s3, n3);
	chan_wait_idle(&c);
	CHECK_EQ(chan_get(&c), 4);
	WAIT_FOR(blocked_at(&q, 5, q.args.devq_x_va), 20000);
	CHECK_EQ(devq_query(&q).devq_y, 1);
	CHECK_EQ(devq_query(&q).devq_soft, 6);
	/* refresh: PUT 4, shadow 12; then the second launch: entries 6, 7, and around the end */
	x = chan_block(&c);
	cmd_refresh(&x, q.hw);
	chan_submit(&c, &x);
	chan_wait_idle(&c);
	CHECK_EQ(devq_query(&q).gp_put, 4);
	CHECK_EQ(devq_query(&q).devq_shadow, 12);
	devq_launch(&q, 2, false, chan_sem_va(&c, 3));
	chan_doorbell(&c);
	chan_wait_idle(&c);
	CHECK_EQ(*chan_sem(&c, 3), 2);
	CHECK_EQ(devq_query(&q).devq_y, 2);
}

TEST(two_queues, "WQ-12, WQ-70: two queues of two processes' VMs and two of one VM, used again and again")
{
	int fd[2] = { open_ppu(), open_ppu() };
	struct chan c[3];
	struct devq q[3];

	c[0] = chan_new(fd[0], vm_new(fd[0]), COMPUTE, 64);
	c[1] = chan_new(fd[0], c[0].vm, COMPUTE, 64);
	c[2] = chan_new(fd[1], vm_new(fd[1]), COMPUTE, 64);
	for (unsigned i = 0; i < 3; i++)
		q[i] = devq_new(&c[i], 6 + i, i == 1 ? ASSIST : 0, i);
	for (unsigned round = 1; round <= 5; round++) {
		for (unsigned i = 0; i < 3; i++) {
			for (unsigned k = 0; k < 10; k++)
				devq_launch(&q[i], 1, true, chan_sem_va(&c[i], 0));
			chan_doorbell(&c[i]);
		}
		for (unsigned i = 0; i < 3; i++) {
			chan_wait_idle(&c[i]);
			CHECK_EQ(*chan_sem(&c[i], 0), 10 * round);
			CHECK_EQ(devq_query(&q[i]).devq_y, 10 * round);
		}
	}
}

/* ---- refresh ---- */

TEST(hundred_queued, "WQ-59: 100 launches of 5 entries on a ring of 8, all queued before the first one runs")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COMPUTE, 256);
	struct devq q = devq_new(&c, 8, 0, 0);
	struct cmds b = chan_block(&c);

	cmd_acquire(&b, PPU_SEM_OP_EQ, chan_sem_va(&c, 0), 1);
	chan_commit(&c, &b);
	for (unsigned i = 0; i < 100; i++)
		devq_launch(&q, 2, true, chan_sem_va(&c, 1));
	chan_doorbell(&c);
	WAIT_FOR(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_SEM_BLOCKED, 20000);
	CHECK_EQ(devq_query(&q).devq_soft, 1);
	*chan_sem(&c, 0) = 1;
	c.userd[PPU_REG_USERD_KICK / 4] = 1;
	WAIT_FOR(chan_get(&c) == c.put, 60000);
	CHECK_EQ(*chan_sem(&c, 1), 200);
	CHECK_EQ(devq_query(&q).devq_soft, 501);
	CHECK_EQ(devq_query(&q).devq_get, 500);
	CHECK_EQ(devq_query(&q).devq_y, 100);
	CHECK(devq_query(&q).devq_shadow <= 507);
}

static uint64_t queue_refreshes(const struct devq *q)
{
	char *text = debugfs_text("queues"), *line = text;
	uint64_t found = ~0ull;

	CHECK(text);
	while ((line = strchr(line, '\n'))) {
		unsigned chid, context, entries, put;
		uint64_t get, soft, shadow, x, y, refreshes;
		char how[16];

		if (sscanf(++line, "%u %u %u %15s %" SCNu64 " %u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
			   &chid, &context, &entries, how, &get, &put, &soft, &shadow, &x, &y,
			   &refreshes) != 11 || chid != q->hw)
			continue;
		CHECK_EQ(entries, q->count);
		CHECK(!strcmp(how, q->args.devq_flags & ASSIST ? "device" : "irq"));
		CHECK_EQ(get, devq_query(q).devq_get);
		CHECK_EQ(put, devq_query(q).gp_put);
		CHECK_EQ(soft, devq_query(q).devq_soft);
		CHECK_EQ(shadow, devq_query(q).devq_shadow);
		CHECK_EQ(x, devq_query(q).devq_x);
		CHECK_EQ(y, devq_query(q).devq_y);
		found = refreshes;
	}
	free(text);
	CHECK(found != ~0ull);
	return found;
}

static uint64_t interrupts(int fd)
{
	return counter_of(fd, PPU_CTR_IRQS);
}

/* 100 launches without the command. */
static void launches(struct chan *c, struct devq *q)
{
	for (unsigned i = 0; i < 100; i++)
		devq_launch(q, 2, false, chan_sem_va(c, 1));
	chan_doorbell(c);
	WAIT_FOR(chan_get(c) == c->put || c->userd[PPU_REG_USERD_ERROR / 4], 60000);
	CHECK_EQ(c->userd[PPU_REG_USERD_ERROR / 4], 0);
	CHECK_EQ(*chan_sem(c, 1), 200);
}

TEST(ring_low_interrupt_refreshes, "WQ-59: without the command the interrupt refreshes; debugfs shows all counters")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COMPUTE, 256);
	struct devq q = devq_new(&c, 8, 0, 0);

	CHECK_EQ(queue_refreshes(&q), 0);
	launches(&c, &q);
	/* GP_GET moved by 500: at least once for each lap, at most once for each half */
	WAIT_FOR(devq_query(&q).devq_get - (devq_query(&q).devq_shadow - 7) < 4, 20000);
	CHECK(queue_refreshes(&q) >= 500 / 8);
	CHECK(queue_refreshes(&q) <= 500 / 4);
	CHECK(devq_query(&q).devq_shadow <= 507);
}

TEST(device_assist_refreshes, "WQ-59: with the device's assist GP_PUT and shadow follow, and nobody is interrupted")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COMPUTE, 256);
	struct devq q = devq_new(&c, 8, ASSIST, 0);
	uint64_t before = interrupts(fd);

	launches(&c, &q);
	CHECK_EQ(interrupts(fd), before);
	CHECK_EQ(devq_query(&q).devq_get, 500);
	CHECK_EQ(devq_query(&q).devq_shadow, 507);
	CHECK_EQ(devq_query(&q).gp_put, 500 % 8 - 1);
	CHECK_EQ(queue_refreshes(&q), 0);
}

TEST(refresh_both, "the command and the interrupt refresh at the same time, and nothing goes backwards")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COMPUTE, 256), r = chan_new(fd, c.vm, COMPUTE, 64);
	struct devq q = devq_new(&c, 8, 0, 0);
	uint64_t last = 7;

	for (unsigned i = 0; i < 60; i++)
		devq_launch(&q, 2, i & 1, chan_sem_va(&c, 1));
	chan_doorbell(&c);
	do {
		uint64_t shadow;
		struct cmds b = chan_block(&r);

		for (unsigned i = 0; i < 50; i++)
			cmd_refresh(&b, q.hw);
		chan_submit(&r, &b);
		shadow = devq_query(&q).devq_shadow;
		CHECK(shadow >= last && shadow <= devq_query(&q).devq_get + 7);
		last = shadow;
		CHECK_EQ(devq_query(&q).error, 0);
	} while (chan_get(&c) != c.put);
	chan_wait_idle(&r);
	CHECK_EQ(*chan_sem(&c, 1), 120);
}

/* ---- threads ---- */

#define CODE_VA 0x30000000ull
#define LOG_VA 0x38000000ull

#define I_MOVI64_RD2(v)	0x00001fffffe04f02ull, (v)
#define I_MOVI64_RD4(v)	0x00001fffffe08f02ull, (v)
#define I_MOVI64_RD14(v) 0x00001fffffe1cf02ull, (v)
#define I_LD32_RD2	0x0800bfffe0408f48ull, 0x00000fff00000000ull	/* ld.global.u32 r4, [rd2] */
#define I_ST64_RD2_RD4	0x0800ffe0805fef49ull, 0x00000fff00000000ull	/* st.global.u64 [rd2], rd4 */
#define I_ST64_RD12_RD8	0x0800ffe1019fef49ull, 0x00000fff00000000ull	/* st.global.u64 [rd12], rd8 */
#define I_ATOM_ADD	0x0800ffe080410f4aull, 0x0d000fff00000000ull	/* atom.global.add.acq_rel.gpu.u64 rd8, [rd2], rd4 */
#define I_MEMBAR	0x00001fffffffef4bull, 0x0d000fff00000000ull	/* membar.acq_rel.gpu */
#define I_TID_R10	0x00001fffffe14f03ull, 0x00000fff00000000ull	/* s2r r10, %tid.x */
#define I_CTAID_R11	0x00001fffffe16f03ull, 0x00000fff00000006ull	/* s2r r11, %ctaid.x */
#define I_MAD_R10	0x0000a15fe1614f0aull, 0x00002fff00000020ull	/* mad.u32 r10, r11, 32, r10 */
#define I_MULW_RD12	0x0000bfffe1418f09ull, 0x00002fff00000008ull	/* mulw.u32 rd12, r10, 8 */
#define I_ADD_RD12_RD14	0x0000ffe1c1818f05ull, 0x00000fff00000000ull	/* add.u64 rd12, rd12, rd14 */
#define I_EXIT		0x00001fffffffef5bull, 0x00000fff00000000ull

static struct bo map_page(struct chan *c, uint64_t va, uint64_t size)
{
	struct bo bo = bo_new(c->fd, size, DRM_PPU_PLACEMENT_SYSTEM);

	vm_map(c->fd, c->vm, &bo, va);
	return bo;
}

/* Puts a program and its TMD into the page; returns the TMD's address. */
static uint64_t program(struct bo *code, const uint64_t *words, unsigned insns, uint32_t ctas,
			uint32_t threads)
{
	struct ppu_tmd *t = (struct ppu_tmd *)((char *)code->map + code->size - PPU_TMD_SIZE);

	CHECK(insns * 16 <= code->size - PPU_TMD_SIZE);
	memcpy(code->map, words, insns * 16);
	*t = (struct ppu_tmd){
		.magic = PPU_TMD_MAGIC, .version = PPU_TMD_VERSION, .size = PPU_TMD_SIZE,
		.kind = PPU_TMD_GRID, .regs_per_thread = 16, .code_va = code->va,
		.code_insns = insns, .grid = { ctas, 1, 1 }, .block = { threads, 1, 1 },
	};
	return code->va + code->size - PPU_TMD_SIZE;
}

#define PROGRAM(code, ctas, threads, ...) \
	program(code, (const uint64_t[]){ __VA_ARGS__ }, \
		sizeof((const uint64_t[]){ __VA_ARGS__ }) / 16, ctas, threads)

static void launch(struct chan *c, uint64_t tmd)
{
	struct cmds b = chan_block(c);

	cmd_launch(&b, tmd);
	cmd_wfi(&b);
	chan_submit(c, &b);
}

TEST(fetch_add, "WQ-35: 1024 threads add 1 to soft GP_PUT: what they get are 1024 numbers in a row")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COMPUTE, 8);
	struct devq q = devq_new(&c, 8, 0, 0);
	struct bo code = map_page(&c, CODE_VA, 4096), out = map_page(&c, LOG_VA, 8192);
	uint8_t seen[1024] = { 0 };

	launch(&c, PROGRAM(&code, 32, 32, I_MOVI64_RD2(q.args.devq_soft_va), I_MOVI64_RD4(1), I_ATOM_ADD,
			   I_TID_R10, I_CTAID_R11, I_MAD_R10, I_MULW_RD12, I_MOVI64_RD14(LOG_VA),
			   I_ADD_RD12_RD14, I_ST64_RD12_RD8, I_EXIT));
	chan_wait_idle(&c);
	for (unsigned i = 0; i < 1024; i++) {
		uint64_t v = ((uint64_t *)out.map)[i];

		CHECK(v >= 1 && v <= 1024 && !seen[v - 1]);
		seen[v - 1] = 1;
	}
	CHECK_EQ(devq_query(&q).devq_soft, 1025);
}

/* The stores as a program of one thread, with a fence before the last, the release. */
static uint64_t thread_stores(struct bo *code, const struct store *s, unsigned n)
{
	uint64_t words[2 * (3 * DEVQ_MAX_STORES + 2)];
	unsigned k = 0;

	for (unsigned i = 0; i < n; i++) {
		const uint64_t insns[] = {
			I_MOVI64_RD2(s[i].va), I_MOVI64_RD4(s[i].value), I_MEMBAR, I_ST64_RD2_RD4,
		};
		bool fence = i + 1 == n;

		memcpy(&words[k], insns, 32);
		k += 4;
		if (fence) {
			memcpy(&words[k], &insns[4], 16);
			k += 2;
		}
		memcpy(&words[k], &insns[6], 16);
		k += 2;
	}
	memcpy(&words[k], (const uint64_t[]){ I_EXIT }, 16);
	return program(code, words, k / 2 + 1, 1, 1);
}

TEST(threads_fill_without_cpu,
     "WQ-17, WQ-36, WQ-37, WQ-52: a kernel fills the queue and ends it; no CPU, no interrupt has a part in it")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COMPUTE, 8);
	struct devq q = devq_new(&c, 8, ASSIST, 0);
	struct bo code = map_page(&c, CODE_VA, 8192);
	uint64_t before;

	for (unsigned n = 1; n <= 10; n++) {
		struct store s[DEVQ_MAX_STORES];
		struct cmds b[2], x = chan_block(&c);
		unsigned k;

		q.launches = n;
		work_block(&q, &b[0], chan_sem_va(&c, 0), 100 + n);
		wait_block(&q, &b[1], q.soft + 1);
		k = devq_insert(&q, b, 2, s);
		k += devq_insert_end(&q, s + k);
		cmd_launch(&x, thread_stores(&code, s, k));
		cmd_wfi(&x);
		cmd_release(&x, q.args.devq_x_va, n);
		cmd_acquire(&x, PPU_SEM_OP_EQ, q.args.devq_y_va, n);
		before = interrupts(fd);
		chan_submit(&c, &x);
		chan_wait_idle(&c);
		CHECK_EQ(interrupts(fd), before);
		CHECK_EQ(*chan_sem(&c, 0), 100 + n);
		CHECK_EQ(devq_query(&q).devq_soft, 3 * n + 1);
		CHECK_EQ(devq_query(&q).devq_y, n);
	}
}

/* ---- what nobody can reach ---- */

TEST(pointers_out_of_reach,
     "WQ-11: soft and shadow are the threads', GP_GET and GP_PUT of the queue are out of reach for threads, "
     "commands and the CPU")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COMPUTE, 8);
	struct devq q = devq_new(&c, 8, 0, 0);
	uint64_t page = PPU_BAR0_USERD + q.hw * (uint64_t)PPU_USERD_STRIDE, bus = bar0();
	uint64_t chcfg = PPU_BAR0_CHCFG + q.hw * (uint64_t)PPU_CHCFG_STRIDE + PPU_REG_CH_GET;
	uint64_t ways[] = {
		page + PPU_REG_USERD_GP_GET, bus + page + PPU_REG_USERD_GP_GET, chcfg, bus + chcfg,
		/* just outside the object, on both sides */
		q.args.ring_va - 8, q.args.ring_va + ((q.args.ring_size + 4095) & ~4095ull),
	};
	struct bo code = map_page(&c, CODE_VA, 4096);
	struct bo out = map_page(&c, LOG_VA, 4096);
	struct drm_ppu_gem_info info;

	/* threads read and write the counters (and put back what was there) */
	launch(&c, PROGRAM(&code, 1, 1, I_MOVI64_RD2(q.args.devq_shadow_va), I_LD32_RD2,
			   I_MOVI64_RD2(LOG_VA), I_ST64_RD2_RD4, I_MOVI64_RD2(q.args.devq_soft_va),
			   I_MOVI64_RD4(1), I_ST64_RD2_RD4, I_EXIT));
	chan_wait_idle(&c);
	CHECK_EQ((uint32_t)((uint64_t *)out.map)[0], 7);
	/* stores and loads of threads, fills, and releases, to the addresses of GP_GET and GP_PUT */
	for (unsigned w = 0; w < sizeof(ways) / sizeof(ways[0]); w++) {
		for (unsigned how = 0; how < 4; how++) {
			/* the threads run in a VM of their own, since their fault stops the whole VM */
			uint32_t vm = how < 2 ? vm_new(fd) : c.vm;
			struct chan t = chan_new(fd, vm, how == 2 ? COPY : COMPUTE, 8);
			struct drm_ppu_vm_destroy d = { .vm_id = vm };
			uint64_t va = ways[w] & ~7ull;
			struct devq own;
			struct bo k;
			struct cmds b;

			if (how < 2) {
				own = devq_new(&t, 8, 0, 0);
				k = map_page(&t, CODE_VA, 4096);
				launch(&t, how ? PROGRAM(&k, 1, 1, I_MOVI64_RD2(va), I_MOVI64_RD4(5),
							 I_ST64_RD2_RD4, I_EXIT) :
						 PROGRAM(&k, 1, 1, I_MOVI64_RD2(va), I_LD32_RD2, I_EXIT));
			} else {
				b = chan_block(&t);
				if (how == 2)
					cmd_fill(&b, 3, va, 5, 1);
				else
					cmd_release(&b, va, 5);
				chan_submit(&t, &b);
			}
			WAIT_FOR(chan_query(&t).state & (DRM_PPU_CHANNEL_STATE_FAULTED |
							 DRM_PPU_CHANNEL_STATE_INNOCENT), 20000);
			CHECK_EQ(chan_get(&t), 0);
			if (how < 2) {
				CHECK_EQ(devq_query(&own).gp_put, 7);
				devq_free(&own);
				bo_free(&k);
			}
			chan_free(&t);
			if (how < 2)
				DO(fd, DRM_IOCTL_PPU_VM_DESTROY, &d);
		}
	}
	/* no handle of this file is the page or the ring, and nothing of it can be bound or unbound */
	for (uint32_t h = 1; h < 200; h++) {
		info = (struct drm_ppu_gem_info){ .handle = h };
		if (!try_ioctl(fd, DRM_IOCTL_PPU_GEM_INFO, &info))
			CHECK(info.size != q.args.ring_size || info.placement == DRM_PPU_PLACEMENT_SYSTEM);
	}
	CHECK_EQ(vm_try_op(fd, c.vm, DRM_PPU_VM_BIND_OP_MAP, out.handle, 0, q.args.ring_va, 4096, 0),
		 EINVAL);
	CHECK_EQ(vm_try_op(fd, c.vm, DRM_PPU_VM_BIND_OP_UNMAP, 0, 0, q.args.ring_va, 4096, 0), EINVAL);
	/* a channel of another VM cannot refresh it */
	{
		struct chan f = chan_new(fd, vm_new(fd), COMPUTE, 8);
		struct cmds b = chan_block(&f);

		cmd_refresh(&b, q.hw);
		chan_submit(&f, &b);
		WAIT_FOR(chan_query(&f).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
		CHECK_EQ(chan_query(&f).error, PPU_ERR_BAD_QUEUE);
	}
	/* unchanged, and alive */
	CHECK_EQ(devq_query(&q).devq_get, 0);
	CHECK_EQ(devq_query(&q).gp_put, 7);
	CHECK_EQ(devq_query(&q).devq_shadow, 7);
	devq_launch(&q, 2, true, chan_sem_va(&c, 1));
	chan_doorbell(&c);
	chan_wait_idle(&c);
	CHECK_EQ(*chan_sem(&c, 1), 2);
}

HARNESS_MAIN
