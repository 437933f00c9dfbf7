/* SPDX-License-Identifier: MIT */
/* The limits of one process, and that a process cannot disturb others much. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

#include "fence.h"
#include "harness.h"
#include "sysfile.h"

#define COPY DRM_PPU_CHANNEL_COPY
#define NUM_RES (DRM_PPU_RES_VRAM + 1)

static struct drm_ppu_limit limit_of(int fd, uint32_t res)
{
	struct drm_ppu_limit l[NUM_RES];
	struct drm_ppu_query q = {
		.type = DRM_PPU_QUERY_LIMITS, .size = sizeof(l), .ptr = (uintptr_t)l,
	};

	DO(fd, DRM_IOCTL_PPU_QUERY, &q);
	CHECK_EQ(q.size, sizeof(l));
	return l[res];
}

/* ---- making one of each ---- */

static int make_vm(int fd)
{
	struct drm_ppu_vm_create a = { 0 };

	return try_ioctl(fd, DRM_IOCTL_PPU_VM_CREATE, &a);
}

static uint32_t some_vm;

static int make_channel(int fd)
{
	struct drm_ppu_channel_create a = {
		.vm_id = some_vm, .type = COPY, .flags = DRM_PPU_CHANNEL_USER_SUBMIT,
		.gpfifo_entries = 8,
	};

	return try_ioctl(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a);
}

static int make_kernel_channel(int fd)
{
	struct drm_ppu_channel_create a = { .vm_id = some_vm, .type = COPY, .gpfifo_entries = 8 };

	return try_ioctl(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a);
}

static int make_group(int fd)
{
	struct drm_ppu_group_create a = { 0 };

	return try_ioctl(fd, DRM_IOCTL_PPU_GROUP_CREATE, &a);
}

static int make_sem(int fd)
{
	struct drm_ppu_sem_create a = { 0 };

	return try_ioctl(fd, DRM_IOCTL_PPU_SEM_CREATE, &a);
}

static int make_event(int fd)
{
	struct drm_ppu_event_register a = {
		.type = DRM_PPU_EVENT_DEVICE_RESET, .eventfd = eventfd(0, 0),
	};
	int err = try_ioctl(fd, DRM_IOCTL_PPU_EVENT_REGISTER, &a);

	close(a.eventfd);
	return err;
}

static int make_vram(int fd)
{
	struct drm_ppu_gem_create a = { .size = 1 << 20, .placement = DRM_PPU_PLACEMENT_VRAM };

	return try_ioctl(fd, DRM_IOCTL_PPU_GEM_CREATE, &a);
}

static int make_system(int fd)
{
	struct drm_ppu_gem_create a = { .size = 1 << 20 };

	return try_ioctl(fd, DRM_IOCTL_PPU_GEM_CREATE, &a);
}

static const struct {
	const char *param;
	uint32_t res;
	int (*make)(int fd);
	uint64_t unit;		/* of the parameter */
	uint64_t each;		/* what one object costs */
} kinds[] = {
	{ "max_vms", DRM_PPU_RES_VMS, make_vm, 1, 1 },
	{ "max_channels", DRM_PPU_RES_CHANNELS, make_channel, 1, 1 },
	{ "max_kernel_channels", DRM_PPU_RES_KERNEL_CHANNELS, make_kernel_channel, 1, 1 },
	{ "max_groups", DRM_PPU_RES_GROUPS, make_group, 1, 1 },
	{ "max_sems", DRM_PPU_RES_SEMS, make_sem, 1, 1 },
	{ "max_events", DRM_PPU_RES_EVENTS, make_event, 1, 1 },
	{ "max_vram_mb", DRM_PPU_RES_VRAM, make_vram, 1 << 20, 1 << 20 },
	{ "max_system_mb", DRM_PPU_RES_SYSTEM, make_system, 1 << 20, 1 << 20 },
};

static void one_of(void *arg)
{
	int (*make)(int) = *(int (**)(int))arg;
	int fd = open_ppu();

	some_vm = vm_new(fd);
	CHECK_EQ(make(fd), 0);
}

TEST_T(each, 120, "every limit: reached by all files of a process together; ENOSPC; not for others")
{
	for (unsigned k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		int fd = open_ppu(), other = open_ppu(), err = 0;
		uint64_t used, value = modparam(kinds[k].param);
		unsigned n = 0;

		printf("# %s\n", kinds[k].param);
		some_vm = vm_new(fd);
		used = limit_of(fd, kinds[k].res).used;
		/* room for six more */
		modparam_set(kinds[k].param, (used + kinds[k].unit - 1) / kinds[k].unit + 6);
		CHECK_EQ(limit_of(other, kinds[k].res).limit,
			 ((used + kinds[k].unit - 1) / kinds[k].unit + 6) * kinds[k].unit);
		for (; n < 20 && !err; n++) {
			err = kinds[k].make(fd);
			if (!err)
				CHECK_EQ(limit_of(other, kinds[k].res).used,
					 used + (n + 1) * kinds[k].each);
		}
		CHECK_EQ(err, ENOSPC);
		CHECK_EQ(n, 7);
		if (kinds[k].make != make_channel && kinds[k].make != make_kernel_channel)
			CHECK_EQ(kinds[k].make(other), ENOSPC);
		/* a refusal costs nothing */
		CHECK_EQ(limit_of(fd, kinds[k].res).used, used + 6 * kinds[k].each);
		CHECK_EQ(signal_of(one_of, (void *)&kinds[k].make), 0);
		/* and everything is given back */
		close(fd);
		WAIT_FOR(!limit_of(other, kinds[k].res).used, 20000);
		some_vm = vm_new(other);
		CHECK_EQ(kinds[k].make(other), 0);
		modparam_set(kinds[k].param, value);
		close(other);
	}
}

TEST(accounts, "the account of a process is empty when it has given everything back")
{
	int fd = open_ppu();

	for (unsigned round = 0; round < 3; round++) {
		uint32_t vm = vm_new(fd);
		struct drm_ppu_vm_destroy d = { .vm_id = vm };
		struct chan c = chan_new(fd, vm, DRM_PPU_CHANNEL_COMPUTE, 8);
		struct bo bo = bo_new(fd, 3 << 20, DRM_PPU_PLACEMENT_VRAM);
		struct drm_ppu_sem_create s = { .bo_handle = bo.handle };
		struct drm_ppu_sem_destroy sd;

		vm_map(fd, vm, &bo, 0x7654321000ull);
		DO(fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
		sd = (struct drm_ppu_sem_destroy){ .sem_id = s.sem_id };
		CHECK(limit_of(fd, DRM_PPU_RES_VRAM).used > 3 << 20);	/* areas, page tables */
		CHECK(limit_of(fd, DRM_PPU_RES_SYSTEM).used >= c.blocks.size + c.sems.size);
		CHECK_EQ(limit_of(fd, DRM_PPU_RES_VMS).used, 1);
		DO(fd, DRM_IOCTL_PPU_SEM_DESTROY, &sd);
		chan_free(&c);
		bo_free(&bo);
		DO(fd, DRM_IOCTL_PPU_VM_DESTROY, &d);
		for (uint32_t r = 0; r < NUM_RES; r++)
			WAIT_FOR(!limit_of(fd, r).used, 20000);
	}
}

TEST(areas_limited, "areas of VMs and page tables count as VRAM of the process")
{
	int fd = open_ppu();
	uint64_t value = modparam("max_vram_mb"), avail = get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL);
	struct drm_ppu_vm_create v = { .local_per_thread = 512 << 10 };
	struct drm_ppu_channel_create a = {
		.type = DRM_PPU_CHANNEL_COMPUTE, .flags = DRM_PPU_CHANNEL_USER_SUBMIT,
		.gpfifo_entries = 8,
	};

	modparam_set("max_vram_mb", 1);
	v.local_per_thread = 8192;
	DO(fd, DRM_IOCTL_PPU_VM_CREATE, &v);
	a.vm_id = v.vm_id;
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a, ENOSPC);
	modparam_set("max_vram_mb", value);
	close(fd);
	fd = open_ppu();
	WAIT_FOR(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL) == avail, 20000);
}

/* ---- interrupts ---- */

static uint64_t channel_interrupts(void)
{
	char *text = file_text("/proc/interrupts"), *line, *save = NULL;
	uint64_t sum = 0;

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *p = strchr(line, ':'), *end;

		if (!p || !strstr(line, "ppu-channel"))
			continue;
		for (p++;; p = end) {
			uint64_t n = strtoull(p, &end, 10);

			if (end == p)
				break;
			sum += n;
		}
	}
	free(text);
	return sum;
}

static uint64_t held_back(void)
{
	char *text = debugfs_text("irqs"), *line = strchr(text, '\n');
	unsigned long long total, held, sum = 0;
	unsigned vec;

	while (line && sscanf(line, " %u %llu %llu", &vec, &total, &held) == 3) {
		sum += held;
		line = strchr(line + 1, '\n');
	}
	free(text);
	return sum;
}

/* Fills the ring with blocks of nothing but INTR. */
static void storm(struct chan *c)
{
	while (!chan_full(c)) {
		struct cmds b = chan_block(c);

		for (unsigned i = 0; i < CHAN_BLOCK_WORDS / PPU_CMD_SIZE_INTR; i++)
			cmd_intr(&b, i);
		chan_commit(c, &b);
		chan_doorbell(c);
	}
}

TEST_T(intr_storm, 120, "a storm of INTR commands interrupts no more often than irq_rate, and loses nothing")
{
	enum { RATE = 250, BURST = 32 };
	int fd = open_ppu(), e = eventfd(0, EFD_NONBLOCK);
	uint32_t vm = vm_new(fd);
	struct chan c = chan_new(fd, vm, COPY, 64), other = chan_new(fd, vm, COPY, 8);
	struct drm_ppu_event_register r = {
		.type = DRM_PPU_EVENT_CHANNEL_INTR, .object_id = other.id, .eventfd = e,
	};
	uint64_t start, irqs, held, ms, n;
	unsigned intrs = 0;

	modparam_set("irq_rate", RATE);
	DO(fd, DRM_IOCTL_PPU_EVENT_REGISTER, &r);
	held = held_back();
	irqs = channel_interrupts();
	start = now_ns();
	do {
		storm(&c);
		CHECK(now_ns() - start < 60000 * MS * time_scale());
	} while (now_ns() - start < 1000 * MS || held_back() - held < 20);
	/* each time, another channel's interrupt arrives in the middle of the storm */
	for (; intrs < 20; intrs++) {
		struct cmds b = chan_block(&other);
		struct pollfd p = { .fd = e, .events = POLLIN };

		cmd_intr(&b, intrs);
		chan_submit(&other, &b);
		storm(&c);
		CHECK(poll(&p, 1, PATIENCE(20000)) == 1);
		CHECK(read(e, &n, 8) == 8);
		storm(&c);
	}
	irqs = channel_interrupts() - irqs;
	ms = (now_ns() - start) / MS;
	printf("# %llu interrupts in %llu ms\n", (unsigned long long)irqs, (unsigned long long)ms);
	/* the first ones at once, then at the rate */
	CHECK(irqs <= (ms + 1) * RATE / 1000 + BURST + 1);
	chan_wait_idle(&c);
}

TEST_T(sem_storm, 120, "a storm of releases of a watched word wakes its waiter and nobody else")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct chan c = chan_new(fd, vm, COPY, 64);
	struct drm_ppu_sem_create s = {
		.bo_handle = c.sems.handle, .flags = DRM_PPU_SEM_ADOPT,
	};
	struct drm_ppu_sem_cond k;
	struct drm_ppu_sem_wait w = {
		.conds = DRM_PPU_ARRAY(1, &k), .timeout_ns = INT64_MAX, .channel_id = c.id,
	};
	uint64_t before = 0, total = 0;
	char *text;

	text = debugfs_text("irqs");
	CHECK(sscanf(strstr(text, "\n     2"), " %*u %llu", (unsigned long long *)&before) == 1);
	free(text);

	DO(fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
	for (unsigned round = 1; round <= 20; round++) {
		for (unsigned i = 0; i < 40; i++) {
			struct cmds b = chan_block(&c);

			for (unsigned j = 0; j < 40; j++)
				cmd_sem(&b, PPU_CMD_SEM_INC, 0, chan_sem_va(&c, 0), 0);
			chan_submit(&c, &b);
		}
		k = (struct drm_ppu_sem_cond){ s.sem_id, DRM_PPU_SEM_OP_GE, round * 1600 };
		DO(fd, DRM_IOCTL_PPU_SEM_WAIT, &w);
		CHECK_EQ(*chan_sem(&c, 0), round * 1600);
	}
	/* vector 2 interrupts at most once for each wait, not for each release */
	text = debugfs_text("irqs");
	CHECK(sscanf(strstr(text, "\n     2"), " %*u %llu", (unsigned long long *)&total) == 1);
	free(text);
	CHECK(total - before <= 20);
}

/* ---- killing ---- */

static void blocked_child(int to)
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, 8);
	struct drm_ppu_sem_create s = {
		.bo_handle = c.sems.handle, .flags = DRM_PPU_SEM_ADOPT,
	};
	struct drm_ppu_sem_cond k;
	struct drm_ppu_sem_wait w = {
		.conds = DRM_PPU_ARRAY(1, &k), .timeout_ns = INT64_MAX, .channel_id = c.id,
	};
	struct cmds b = chan_block(&c);
	uint64_t told[2] = { c.hw, chan_sem_va(&c, 3) };

	cmd_acquire(&b, PPU_SEM_OP_EQ, chan_sem_va(&c, 3), 12345);
	cmd_release(&b, chan_sem_va(&c, 0), 1);
	chan_submit(&c, &b);
	DO(fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
	k = (struct drm_ppu_sem_cond){ s.sem_id, DRM_PPU_SEM_OP_EQ, 1 };
	WAIT_FOR(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_SEM_BLOCKED, 20000);
	CHECK(write(to, told, sizeof(told)) == sizeof(told));
	try_ioctl(fd, DRM_IOCTL_PPU_SEM_WAIT, &w);
	_exit(0);
}

TEST_T(kill_acquire, 120, "WQ-14: an acquire that can never pass: its process can be killed, the log names the channel")
{
	int fd = open_ppu(), log = kmsg_open();
	uint64_t before = get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL);
	bool found = false;

	/* the log is rate-limited: other tests may have used it up */
	for (unsigned i = 0; i < 20 && !found; i++) {
		char channel[32], va[32], pid_text[32];
		const char *const parts[] = { "waits for the semaphore", channel, va, pid_text, NULL };
		uint64_t told[2];
		int p[2], status;
		pid_t pid;

		CHECK(!pipe(p));
		pid = fork();
		if (!pid)
			blocked_child(p[1]);
		CHECK(read(p[0], told, sizeof(told)) == sizeof(told));
		sleep_ms(20);
		kill(pid, SIGKILL);
		CHECK(waitpid(pid, &status, 0) == pid);
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		WAIT_FOR(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL) == before, 20000);
		snprintf(channel, sizeof(channel), "channel %llu of", (unsigned long long)told[0]);
		snprintf(va, sizeof(va), "%#llx,", (unsigned long long)told[1]);
		snprintf(pid_text, sizeof(pid_text), "[%d]", (int)pid);
		found = kmsg_find(log, 500, parts);
		if (!found)
			sleep_ms(500);
		close(p[0]);
		close(p[1]);
	}
	CHECK(found);
}

HARNESS_MAIN
