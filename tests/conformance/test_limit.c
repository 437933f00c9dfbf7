/* SPDX-License-Identifier: MIT */
/* The limits of processes and users, and that a process cannot disturb others much. */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "fence.h"
#include "harness.h"
#include "sysfile.h"

#define COPY DRM_PPU_CHANNEL_COPY
#define NUM_RES (DRM_PPU_RES_ENTRIES + 1)

static struct drm_ppu_limit ask_limit(int fd, uint32_t type, uint32_t res)
{
	struct drm_ppu_limit l[NUM_RES];
	struct drm_ppu_query q = {
		.type = type, .size = sizeof(l), .ptr = (uintptr_t)l, .stride = sizeof(l[0]),
	};

	DO(fd, DRM_IOCTL_PPU_QUERY, &q);
	CHECK_EQ(q.size, sizeof(l));
	return l[res];
}

static struct drm_ppu_limit limit_of(int fd, uint32_t res)
{
	return ask_limit(fd, DRM_PPU_QUERY_LIMITS, res);
}

/* Of the processes of the user together. */
static struct drm_ppu_limit limit_of_user(int fd, uint32_t res)
{
	return ask_limit(fd, DRM_PPU_QUERY_USER_LIMITS, res);
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

TEST(mappings, "mappings are limited, and given back; a bind that is done counts those that it made")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd), n = 0;
	struct bo bo = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	uint64_t used = limit_of(fd, DRM_PPU_RES_MAPPINGS).used, value = modparam("max_mappings");
	int err = 0;

	modparam_set("max_mappings", used + 10);
	for (; n < 20 && !err; n++) {
		CHECK_EQ(limit_of(fd, DRM_PPU_RES_MAPPINGS).used, used + n);
		err = vm_try_op(fd, vm, DRM_PPU_VM_BIND_OP_MAP, bo.handle, 0, 0x10000000 + n * 0x10000ull, 4096, 0);
	}
	CHECK_EQ(err, ENOSPC);
	CHECK_EQ(n, 10);
	CHECK_EQ(limit_of(fd, DRM_PPU_RES_MAPPINGS).used, used + 9);
	/* UNMAP needs room for two, too, and gives all of it back. */
	modparam_set("max_mappings", used + 11);
	CHECK(!vm_try_op(fd, vm, DRM_PPU_VM_BIND_OP_UNMAP, 0, 0, 0x10000000, 0x1000000, 0));
	CHECK_EQ(limit_of(fd, DRM_PPU_RES_MAPPINGS).used, used);
	modparam_set("max_mappings", value);
}

/* ---- the memory cgroup ---- */

#define CGROUP "/tmp/ppu-cgroup"

/* This process gets into a group of its own, whose memory the kernel counts. */
static void own_cgroup(void)
{
	mkdir(CGROUP, 0755);
	if (access(CGROUP "/cgroup.procs", F_OK) && mount("none", CGROUP, "cgroup2", 0, NULL))
		FAIL("cgroup2: %s", strerror(errno));
	file_write(CGROUP "/cgroup.subtree_control", "+memory");
	mkdir(CGROUP "/own", 0755);
	file_write(CGROUP "/own/cgroup.procs", "0");
}

static uint64_t cgroup_memory(void)
{
	char *text = file_text(CGROUP "/own/memory.current");
	uint64_t bytes;

	CHECK(text);
	bytes = strtoull(text, NULL, 10);
	free(text);
	return bytes;
}

#define GROUP_OBJECT (16u << 20)
#define GROUP_MAPS 8192

TEST(cgroup, "objects, and the driver's own memory for mappings, are charged to the memory cgroup of who makes them")
{
	/* The kernel charges in advance, and each CPU keeps some of that. */
	const uint64_t slop = 2 << 20;
	uint64_t before;
	uint32_t vm;
	struct bo bo;
	int fd;

	own_cgroup();
	fd = open_ppu();
	vm = vm_new(fd);
	before = cgroup_memory();
	bo = bo_new(fd, GROUP_OBJECT, DRM_PPU_PLACEMENT_SYSTEM);
	CHECK(cgroup_memory() >= before + GROUP_OBJECT - slop);
	before = cgroup_memory();
	for (uint32_t i = 0; i < GROUP_MAPS; i++)
		CHECK_EQ(vm_try_op(fd, vm, DRM_PPU_VM_BIND_OP_MAP, bo.handle, 0, 0x10000000 + i * 0x1000ull, 4096, 0), 0);
	CHECK(cgroup_memory() >= before + GROUP_MAPS * 256 - (1 << 20));
	/* No more than the group may have: the call fails, and nobody is killed. */
	file_write(CGROUP "/own/memory.max", "41943040");
	CHECK_EQ(try_ioctl(fd, DRM_IOCTL_PPU_GEM_CREATE, &(struct drm_ppu_gem_create){
		.size = 64 << 20, .placement = DRM_PPU_PLACEMENT_SYSTEM }), ENOMEM);
}

TEST(entries, "entries of queued jobs are limited, and given back when the jobs are done")
{
	int fd = open_ppu();
	struct gate gate = gate_new(fd, 0);
	struct drm_ppu_channel_create a = { .vm_id = vm_new(fd), .type = COPY, .gpfifo_entries = 64 };
	struct bo code = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	struct cmds b = { .p = code.map, .max = 8, .va = 0x10000000 };
	struct drm_ppu_sync wait = { .handle = gate.sync }, done = { .flags = DRM_PPU_SYNC_SIGNAL };
	uint64_t used = limit_of(fd, DRM_PPU_RES_ENTRIES).used, value = modparam("max_entries");
	struct drm_ppu_entry e[50];
	struct drm_ppu_submit sub;

	vm_map(fd, a.vm_id, &code, b.va);
	cmd_nop(&b, 1);
	for (unsigned i = 0; i < 50; i++)
		e[i] = (struct drm_ppu_entry){ .va = b.va, .length = b.n };
	DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a);
	sub = (struct drm_ppu_submit){
		.channel_id = a.channel_id, .entries = DRM_PPU_ARRAY(50, e), .syncs = DRM_PPU_ARRAY(1, &wait),
	};
	modparam_set("max_entries", used + 120);
	DO(fd, DRM_IOCTL_PPU_SUBMIT, &sub);
	DO(fd, DRM_IOCTL_PPU_SUBMIT, &sub);
	CHECK_EQ(limit_of(fd, DRM_PPU_RES_ENTRIES).used, used + 100);
	DO_ERR(fd, DRM_IOCTL_PPU_SUBMIT, &sub, ENOSPC);
	CHECK_EQ(limit_of(fd, DRM_PPU_RES_ENTRIES).used, used + 100);
	gate_open(&gate);
	WAIT_FOR(!limit_of(fd, DRM_PPU_RES_ENTRIES).used, 20000);
	done.handle = syncobj(fd);
	sub.syncs = (struct drm_ppu_array)DRM_PPU_ARRAY(1, &done);
	DO(fd, DRM_IOCTL_PPU_SUBMIT, &sub);
	CHECK(!wait_sync(fd, done.handle, 20000));
	modparam_set("max_entries", value);
}

static int watch_sem(int fd, uint32_t sem)
{
	struct drm_ppu_event_register a = {
		.type = DRM_PPU_EVENT_SEM, .object_id = sem, .op = DRM_PPU_SEM_OP_EQ, .value = ~0ull,
		.eventfd = eventfd(0, 0), .flags = DRM_PPU_EVENT_ONESHOT,
	};
	int err = try_ioctl(fd, DRM_IOCTL_PPU_EVENT_REGISTER, &a);

	close(a.eventfd);
	return err;
}

/* Watches words until no entry of the device's table is left; says so; keeps them until it is killed. */
static void take_all_watches(int ready)
{
	struct drm_ppu_sem_create s = { 0 };
	int fd = open_ppu(), err = 0;

	DO(fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
	while (!err)
		err = watch_sem(fd, s.sem_id);
	CHECK_EQ(err, ENOSPC);
	CHECK(write(ready, "x", 1) == 1);
	pause();
}

TEST_T(watch_table, 120, "the device's watch table is full by another process: ENOSPC, and it costs nothing")
{
	uint64_t watches = modparam("max_watches"), max_events = modparam("max_events"), events, fences;
	struct drm_ppu_sem_create s = { 0 };
	struct drm_ppu_sem_export_fence x = {
		.op = DRM_PPU_SEM_OP_EQ, .value = ~0ull, .sync = { .flags = DRM_PPU_SYNC_SIGNAL },
	};
	int fd, ready[2];
	char byte;
	pid_t pid;

	CHECK(!pipe(ready));
	modparam_set("max_watches", 1 << 20);
	modparam_set("max_events", 1 << 20);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		take_all_watches(ready[1]);
		_exit(1);
	}
	close(ready[1]);
	CHECK(read(ready[0], &byte, 1) == 1);
	fd = open_ppu();
	DO(fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
	x.sem_id = s.sem_id;
	x.sync.handle = syncobj(fd);
	events = limit_of(fd, DRM_PPU_RES_EVENTS).used;
	fences = limit_of(fd, DRM_PPU_RES_FENCES).used;
	CHECK_EQ(limit_of(fd, DRM_PPU_RES_WATCHES).used, 0);
	for (int i = 0; i < 5; i++) {
		CHECK_EQ(watch_sem(fd, s.sem_id), ENOSPC);
		CHECK_EQ(try_ioctl(fd, DRM_IOCTL_PPU_SEM_EXPORT_FENCE, &x), ENOSPC);
		CHECK_EQ(limit_of(fd, DRM_PPU_RES_WATCHES).used, 0);
		CHECK_EQ(limit_of(fd, DRM_PPU_RES_EVENTS).used, events);
		WAIT_FOR(limit_of(fd, DRM_PPU_RES_FENCES).used == fences, 20000);
	}
	CHECK(!kill(pid, SIGKILL));
	CHECK(waitpid(pid, NULL, 0) == pid);
	/* What the other process had is free again. */
	WAIT_FOR(!watch_sem(fd, s.sem_id), 20000);
	CHECK_EQ(try_ioctl(fd, DRM_IOCTL_PPU_SEM_EXPORT_FENCE, &x), 0);
	CHECK_EQ(limit_of(fd, DRM_PPU_RES_WATCHES).used, 2);
	modparam_set("max_watches", watches);
	modparam_set("max_events", max_events);
}

/* ---- users ---- */

#define SOMEBODY 12345

/* A process that acts when told, by one byte, and says what came of it. */
struct helper {
	pid_t pid;
	int to, from;
};

static struct helper helper_new(void (*fn)(int in, int out))
{
	struct helper h;
	int a[2], b[2];

	CHECK(!pipe(a) && !pipe(b));
	fflush(stdout);
	h.pid = fork();
	CHECK(h.pid >= 0);
	if (!h.pid) {
		close(a[1]);
		close(b[0]);
		fn(a[0], b[1]);
		fflush(stdout);
		_exit(0);
	}
	close(a[0]);
	close(b[1]);
	h.to = a[1];
	h.from = b[0];
	return h;
}

static uint32_t helper_says(struct helper *h)
{
	uint32_t n;

	CHECK(read(h->from, &n, sizeof(n)) == sizeof(n));
	return n;
}

static void helper_end(struct helper *h)
{
	int status;

	/* Its brothers have the pipe, too: closing would not be enough. */
	CHECK(write(h->to, "", 1) == 1);
	close(h->to);
	CHECK(waitpid(h->pid, &status, 0) == h->pid);
	CHECK(!status);
	close(h->from);
}

static void say(int out, uint32_t n)
{
	CHECK(write(out, &n, sizeof(n)) == sizeof(n));
}

/* Until it is told to go on, or to end. */
static void wait_told(int in)
{
	char c;

	CHECK(read(in, &c, 1) == 1);
}

/* Makes VMs until it is refused, and keeps them until the other end is closed. */
static void take_vms(int in, int out)
{
	int fd = open_ppu(), err;
	uint32_t n = 0;

	while (!(err = make_vm(fd)))
		n++;
	CHECK_EQ(err, ENOSPC);
	CHECK_EQ(limit_of(fd, DRM_PPU_RES_VMS).used, n);
	say(out, n);
	wait_told(in);
}

/* The first PPU's node is anybody's, or root's alone again. */
static void node_mode(mode_t mode)
{
	char link[32], path[64] = "";
	int fd = open_ppu();

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	CHECK(readlink(link, path, sizeof(path) - 1) > 0);
	CHECK(!chmod(path, mode));
	close(fd);
}

static void become(uid_t uid)
{
	CHECK(!setresgid(uid, uid, uid) && !setresuid(uid, uid, uid));
}

TEST(forks, "a process that forks gets no more than its user may have; other users are not concerned")
{
	enum { EACH = 3, TIMES = 2, CHILDREN = 4 };
	uint64_t vms = modparam("max_vms"), times = modparam("user_processes");
	struct helper h[CHILDREN];
	int fd = open_ppu();
	uint32_t sum = 0;
	pid_t other;
	int status;

	CHECK_EQ(limit_of_user(fd, DRM_PPU_RES_VMS).used, 0);
	modparam_set("max_vms", EACH);
	modparam_set("user_processes", TIMES);
	CHECK_EQ(limit_of_user(fd, DRM_PPU_RES_VMS).limit, EACH * TIMES);
	node_mode(0666);
	for (unsigned i = 0; i < CHILDREN; i++) {
		h[i] = helper_new(take_vms);
		sum += helper_says(&h[i]);
	}
	CHECK_EQ(sum, EACH * TIMES);
	CHECK_EQ(make_vm(fd), ENOSPC);
	CHECK_EQ(limit_of(fd, DRM_PPU_RES_VMS).used, 0);
	CHECK_EQ(limit_of_user(fd, DRM_PPU_RES_VMS).used, sum);
	fflush(stdout);
	other = fork();
	if (!other) {
		become(SOMEBODY);
		fd = open_ppu();
		CHECK_EQ(limit_of_user(fd, DRM_PPU_RES_VMS).used, 0);
		CHECK_EQ(make_vm(fd), 0);
		_exit(0);
	}
	CHECK(waitpid(other, &status, 0) == other && !status);
	modparam_set("user_processes", 0);
	CHECK_EQ(make_vm(fd), 0);
	CHECK_EQ(limit_of_user(fd, DRM_PPU_RES_VMS).limit, UINT64_MAX);
	modparam_set("user_processes", TIMES);
	for (unsigned i = 0; i < CHILDREN; i++)
		helper_end(&h[i]);
	WAIT_FOR(limit_of_user(fd, DRM_PPU_RES_VMS).used == 1, 20000);
	CHECK_EQ(make_vm(fd), 0);
	node_mode(0600);
	modparam_set("max_vms", vms);
	modparam_set("user_processes", times);
}

TEST(user_sums, "the limits of a user are those of some processes, but not more than there is")
{
	int fd = open_ppu();
	uint64_t times = modparam("user_processes");

	for (uint32_t r = DRM_PPU_RES_GROUPS; r <= DRM_PPU_RES_BINDS; r++)
		CHECK_EQ(limit_of_user(fd, r).limit, times * limit_of(fd, r).limit);
	CHECK_EQ(limit_of_user(fd, DRM_PPU_RES_VRAM).limit, times * limit_of(fd, DRM_PPU_RES_VRAM).limit);
	CHECK_EQ(limit_of_user(fd, DRM_PPU_RES_CHANNELS).limit, get_param(fd, DRM_PPU_PARAM_MAX_CHANNELS));
	CHECK_EQ(limit_of_user(fd, DRM_PPU_RES_SYSTEM).limit, limit_of(fd, DRM_PPU_RES_SYSTEM).limit);
	for (uint32_t r = 0; r < NUM_RES; r++)
		CHECK(limit_of_user(fd, r).limit >= limit_of(fd, r).limit);
}

static void map_ids(const char *file, unsigned outside)
{
	char text[64];

	snprintf(text, sizeof(text), "0 %u 10", outside);
	file_write(file, text);
}

/* In a namespace that somebody made, who has another id in it: what is there counts for somebody. */
static void own_namespace(int in, int out)
{
	int fd;

	become(SOMEBODY);
	CHECK(!unshare(CLONE_NEWUSER));
	fd = open_ppu();
	CHECK_EQ(make_vm(fd), 0);
	say(out, (uint32_t)limit_of_user(fd, DRM_PPU_RES_VMS).used);
	wait_told(in);
}

static void somebody(int in, int out)
{
	int fd;

	become(SOMEBODY);
	fd = open_ppu();
	CHECK_EQ(make_vm(fd), 0);
	say(out, (uint32_t)limit_of_user(fd, DRM_PPU_RES_VMS).used);
	wait_told(in);
}

/* As a container is made: root's parent maps the ids, of which 100000 is root in there. */
static void container(int in, int out)
{
	int fd;

	CHECK(!unshare(CLONE_NEWUSER));
	say(out, 0);
	wait_told(in);
	CHECK(!setresgid(3, 3, 3) && !setresuid(3, 3, 3));
	fd = open_ppu();
	CHECK_EQ(make_vm(fd), 0);
	say(out, (uint32_t)limit_of_user(fd, DRM_PPU_RES_VMS).used);
	wait_told(in);
}

static struct helper container_new(unsigned outside)
{
	struct helper h = helper_new(container);
	char path[64];

	helper_says(&h);
	snprintf(path, sizeof(path), "/proc/%d/uid_map", (int)h.pid);
	map_ids(path, outside);
	snprintf(path, sizeof(path), "/proc/%d/gid_map", (int)h.pid);
	map_ids(path, outside);
	CHECK(write(h.to, "", 1) == 1);
	return h;
}

TEST(namespaces, "a user namespace counts for the user who made it; one that root made, for its own root")
{
	static const char sysctl[] = "/proc/sys/kernel/unprivileged_userns_clone";
	struct helper h[5];
	int fd = open_ppu();

	if (access("/proc/self/ns/user", F_OK)) {
		printf("# this kernel has no user namespaces: nobody can escape into one\n");
		return;
	}

	CHECK_EQ(make_vm(fd), 0);
	if (!access(sysctl, W_OK))
		file_write(sysctl, "1");
	node_mode(0666);
	h[0] = helper_new(somebody);
	CHECK_EQ(helper_says(&h[0]), 1);
	h[1] = helper_new(own_namespace);
	CHECK_EQ(helper_says(&h[1]), 2);
	h[2] = container_new(100000);
	CHECK_EQ(helper_says(&h[2]), 1);
	h[3] = container_new(100000);
	CHECK_EQ(helper_says(&h[3]), 2);
	h[4] = container_new(200000);
	CHECK_EQ(helper_says(&h[4]), 1);
	CHECK_EQ(limit_of_user(fd, DRM_PPU_RES_VMS).used, 1);
	for (unsigned i = 0; i < 5; i++)
		helper_end(&h[i]);
	node_mode(0600);
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

/* Maps the object a thousand times at the same place, in one ioctl. */
static int map_often(int fd, uint32_t vm, const struct bo *bo, uint64_t va, uint32_t flags)
{
	enum { TIMES = 1000 };
	struct drm_ppu_vm_bind_op *ops = calloc(TIMES, sizeof(*ops));
	struct drm_ppu_vm_bind b = { .vm_id = vm, .flags = flags, .ops = DRM_PPU_ARRAY(TIMES, ops) };
	int err;

	CHECK(ops);
	for (unsigned i = 0; i < TIMES; i++)
		ops[i] = (struct drm_ppu_vm_bind_op){
			.op = DRM_PPU_VM_BIND_OP_MAP, .handle = bo->handle, .va = va, .size = bo->size,
		};
	err = try_ioctl(fd, DRM_IOCTL_PPU_VM_BIND, &b);
	free(ops);
	return err;
}

TEST(shared_tables, "operations of one VM_BIND on the same addresses need page tables once")
{
	int fd = open_ppu();
	uint64_t value = modparam("max_vram_mb");
	uint32_t vm = vm_new(fd);
	struct bo bo = bo_new(fd, 4 << 20, DRM_PPU_PLACEMENT_SYSTEM);
	struct drm_ppu_vm_get_state s = { .vm_id = vm };
	uint64_t used = limit_of(fd, DRM_PPU_RES_VRAM).used;

	modparam_set("max_vram_mb", 1);
	CHECK_EQ(map_often(fd, vm, &bo, 1ull << 40, 0), 0);
	CHECK_EQ(limit_of(fd, DRM_PPU_RES_VRAM).used, used + (2 + 2) * 4096);
	CHECK_EQ(map_often(fd, vm, &bo, 1ull << 41, DRM_PPU_VM_BIND_ASYNC), 0);
	WAIT_FOR((try_ioctl(fd, DRM_IOCTL_PPU_VM_GET_STATE, &s), s.binds_done == 1), 20000);
	WAIT_FOR(limit_of(fd, DRM_PPU_RES_VRAM).used == used + 2 * (2 + 2) * 4096, 20000);
	modparam_set("max_vram_mb", value);
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
