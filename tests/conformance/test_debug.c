/* SPDX-License-Identifier: MIT */
/* What the driver shows for debugging: fdinfo, debugfs, device coredumps. */
#include <dirent.h>
#include <glob.h>
#include <pthread.h>
#include <stdatomic.h>

#include "fence.h"
#include "gpu.h"
#include "harness.h"
#include "pcidev.h"
#include "sysfile.h"

#define COPY DRM_PPU_CHANNEL_COPY
#define COMPUTE DRM_PPU_CHANNEL_COMPUTE
#define VRAM_VA 0x40000000ull

/* ---- fdinfo ---- */

static uint64_t fdinfo(int fd, const char *key)
{
	char path[64], find[64], *text, *p;
	uint64_t value;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	text = file_text(path);
	CHECK(text);
	snprintf(find, sizeof(find), "\n%s:\t", key);
	p = strstr(text, find);
	if (!p)
		FAIL("fdinfo has no %s", key);
	value = strtoull(p + strlen(find), NULL, 10);
	free(text);
	return value;
}

TEST(fdinfo_memory, "fdinfo: memory of each region: total, shared, resident")
{
	int fd = open_ppu(), other = open_ppu(), dmabuf;
	struct bo a, b;

	CHECK_EQ(fdinfo(fd, "drm-total-vram"), 0);
	a = bo_new(fd, 3 << 20, DRM_PPU_PLACEMENT_VRAM);
	b = bo_new(fd, 5 << 20, DRM_PPU_PLACEMENT_SYSTEM);
	CHECK_EQ(fdinfo(fd, "drm-total-vram"), 3 << 10);
	CHECK_EQ(fdinfo(fd, "drm-resident-vram"), 3 << 10);
	CHECK_EQ(fdinfo(fd, "drm-memory-vram"), 3 << 10);
	CHECK_EQ(fdinfo(fd, "drm-purgeable-vram"), 0);
	CHECK_EQ(fdinfo(fd, "drm-total-memory"), 5 << 10);
	CHECK_EQ(fdinfo(fd, "drm-resident-memory"), 5 << 10);
	CHECK_EQ(fdinfo(fd, "drm-shared-memory"), 0);
	CHECK(!drmPrimeHandleToFD(fd, b.handle, DRM_CLOEXEC, &dmabuf));
	CHECK_EQ(fdinfo(fd, "drm-shared-memory"), 5 << 10);
	CHECK_EQ(fdinfo(fd, "drm-shared-vram"), 0);
	CHECK_EQ(fdinfo(other, "drm-total-memory"), 0);
	bo_free(&a);
	CHECK_EQ(fdinfo(fd, "drm-total-vram"), 0);
	CHECK(fdinfo(fd, "drm-client-id") != fdinfo(other, "drm-client-id"));
	CHECK_EQ(fdinfo(fd, "drm-client-id"), get_param(fd, DRM_PPU_PARAM_CLIENT_ID));
	CHECK_EQ(fdinfo(fd, "drm-engine-capacity-copy"),
		 get_param(fd, DRM_PPU_PARAM_NUM_COPY_ENGINES));
}

TEST(fdinfo_engines, "fdinfo: engine time is what the device counts, of channels that are gone, too")
{
	int fd = open_ppu(), other = open_ppu();
	uint32_t vm = vm_new(fd);
	struct bo bo = bo_new(fd, 8 << 20, DRM_PPU_PLACEMENT_VRAM);
	uint64_t sum = 0, last = 0;

	vm_map(fd, vm, &bo, 0x40000000);
	for (unsigned i = 0; i < 3; i++) {
		struct chan c = chan_new(fd, vm, COPY, 8);
		struct cmds b = chan_block(&c);

		cmd_copy(&b, bo.va, bo.va + (4 << 20), 1 << 20 << i);
		chan_submit(&c, &b);
		chan_wait_idle(&c);
		WAIT_FOR(!(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_RUNNING), 20000);
		sum += chan_query(&c).runtime_ns;
		CHECK_EQ(fdinfo(fd, "drm-engine-copy"), sum);
		CHECK(sum > last);
		last = sum;
		chan_free(&c);
		CHECK_EQ(fdinfo(fd, "drm-engine-copy"), sum);
	}
	CHECK_EQ(fdinfo(fd, "drm-engine-compute"), 0);
	CHECK_EQ(fdinfo(other, "drm-engine-copy"), 0);
}

TEST(fdinfo_compute, "fdinfo: compute and copy channels are counted apart")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct chan c = chan_new(fd, vm, COMPUTE, 8);
	struct cmds b = chan_block(&c);

	cmd_nop(&b, 100);
	cmd_release(&b, chan_sem_va(&c, 0), 1);
	chan_submit(&c, &b);
	chan_wait_idle(&c);
	WAIT_FOR(!(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_RUNNING), 20000);
	CHECK_EQ(fdinfo(fd, "drm-engine-compute"), chan_query(&c).runtime_ns);
	CHECK_EQ(fdinfo(fd, "drm-engine-copy"), 0);
}

TEST(fdinfo_kernels, "fdinfo: the time of kernels counts, while they run and after their end")
{
	int fd = open_ppu();
	struct gpu g = gpu_new(fd), other = gpu_new(open_ppu());
	uint64_t time, more;

	gpu_launch(&g, GPU_PROGRAM(&g, I_NANOSLEEP(1000000), I_EXIT));
	WAIT_FOR(*chan_sem(&g.c, 0) == 1, 20000);
	time = chan_query(&g.c).runtime_ns;
	CHECK(time >= 1000000 && time < 1100000);
	CHECK_EQ(fdinfo(fd, "drm-engine-compute"), time);
	/* An endless one: more at every look. */
	gpu_launch(&g, GPU_PROGRAM(&g, I_BRA_SELF));
	WAIT_FOR(chan_query(&g.c).runtime_ns > time + 1000000, 20000);
	more = fdinfo(fd, "drm-engine-compute");
	WAIT_FOR(fdinfo(fd, "drm-engine-compute") > more, 20000);
	chan_free(&g.c);
	more = fdinfo(fd, "drm-engine-compute");
	CHECK(more > time + 1000000);
	sleep_ms(5);
	CHECK_EQ(fdinfo(fd, "drm-engine-compute"), more);
	CHECK_EQ(fdinfo(other.fd, "drm-engine-compute"), 0);
}

/* A copy of 4 MiB on a new channel, which has ended. */
static struct chan copied(int fd, uint32_t vm, uint32_t group)
{
	struct drm_ppu_channel_create a = { .group_id = group };
	struct chan c = chan_new_args(fd, vm, COPY, 8, &a);
	struct cmds b = chan_block(&c);

	cmd_copy(&b, VRAM_VA, VRAM_VA + (4 << 20), 4 << 20);
	chan_submit(&c, &b);
	chan_wait_idle(&c);
	WAIT_FOR(!(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_RUNNING), 20000);
	return c;
}

static uint32_t copying_vm(int fd)
{
	struct bo bo = bo_new(fd, 8 << 20, DRM_PPU_PLACEMENT_VRAM);
	uint32_t vm = vm_new(fd);

	vm_map(fd, vm, &bo, VRAM_VA);
	return vm;
}

static uint64_t group_time(int fd, uint32_t group)
{
	struct drm_ppu_group_query q = { .group_id = group };

	DO(fd, DRM_IOCTL_PPU_GROUP_QUERY, &q);
	return q.runtime_ns;
}

TEST(engine_time_reset, "engine time survives a reset of the device, and the driver's leaving it")
{
	struct drm_ppu_group_create g = { 0 };
	int fd = open_ppu();
	uint32_t vm = copying_vm(fd);
	uint64_t time, more;
	struct chan c;

	DO(fd, DRM_IOCTL_PPU_GROUP_CREATE, &g);
	c = copied(fd, vm, g.group_id);
	time = chan_query(&c).runtime_ns;
	CHECK(time);
	pci_write("reset");
	CHECK_EQ(chan_query(&c).runtime_ns, time);
	CHECK_EQ(group_time(fd, g.group_id), time);
	CHECK_EQ(fdinfo(fd, "drm-engine-copy"), time);

	chan_free(&c);
	CHECK_EQ(fdinfo(fd, "drm-engine-copy"), time);
	c = copied(fd, copying_vm(fd), 0);
	more = chan_query(&c).runtime_ns;
	CHECK(more);
	CHECK_EQ(fdinfo(fd, "drm-engine-copy"), time + more);
	pci_unbind();
	CHECK_EQ(fdinfo(fd, "drm-engine-copy"), time + more);
	pci_bind();
	CHECK_EQ(fdinfo(fd, "drm-engine-copy"), time + more);
}

static struct {
	int fd;
	atomic_bool stop;
} watched;

static void *watch_time(void *arg)
{
	uint64_t last = 0;

	while (!watched.stop) {
		uint64_t now = fdinfo(watched.fd, "drm-engine-copy");

		if (now < last)
			FAIL("the engine time goes back from %llu to %llu", (unsigned long long)last,
			     (unsigned long long)now);
		last = now;
	}
	return arg;
}

TEST(engine_time_monotonic, "the engine time of a file never goes back, while channels come and go")
{
	pthread_t t[2];
	uint32_t vm;

	watched.fd = open_ppu();
	vm = copying_vm(watched.fd);
	for (int i = 0; i < 2; i++)
		CHECK(!pthread_create(&t[i], NULL, watch_time, NULL));
	for (int i = 0; i < 200; i++) {
		struct chan c = copied(watched.fd, vm, 0);

		chan_free(&c);
	}
	watched.stop = true;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

/* ---- debugfs ---- */

TEST(debugfs, "every file of debugfs can be read, and tells of what there is")
{
	static const char *const names[] = { "channels", "vms", "page_tables", "faults", "regs", "vram", "irqs", "engine" };
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct chan c = chan_new(fd, vm, COPY, 8), bad = chan_new(fd, vm, COPY, 8);
	char line[64], *text;

	bad.userd[PPU_REG_USERD_GP_PUT / 4] = 100;
	WAIT_FOR(chan_query(&bad).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		text = debugfs_text(names[i]);
		CHECK(*text);
		free(text);
	}
	text = debugfs_text("channels");
	snprintf(line, sizeof(line), "\n%4u ", c.hw);
	CHECK(strstr(text, line));
	CHECK(strstr(text, "PUT_RANGE"));
	free(text);
	text = debugfs_text("vms");
	snprintf(line, sizeof(line), "[%d]", (int)getpid());
	CHECK(strstr(text, line));
	snprintf(line, sizeof(line), "  %012llx-", (unsigned long long)c.blocks.va);
	CHECK(strstr(text, line));
	free(text);
	text = debugfs_text("faults");
	CHECK(strstr(text, "PUT_RANGE"));
	free(text);
}

/* ---- coredumps ---- */

#define DUMPS "/sys/class/devcoredump"

/* The path of a dump's data; false: there is none. */
static bool dump_path(char *path, size_t size)
{
	DIR *d = opendir(DUMPS);
	struct dirent *e;
	bool found = false;

	if (!d)
		return false;
	while (!found && (e = readdir(d))) {
		snprintf(path, size, DUMPS "/%s/data", e->d_name);
		found = !strncmp(e->d_name, "devcd", 5) && !access(path, R_OK);
	}
	closedir(d);
	return found;
}

/* The device's link to its dump: it disappears a little after the dump, and until then there can be no new dump. */
static bool dump_link(void)
{
	glob_t g;
	bool found = !glob("/sys/bus/pci/drivers/ppu/*/devcoredump", 0, NULL, &g);

	globfree(&g);
	return found;
}

/* Waits for a dump and takes it away. To be freed. */
static char *take_dump(void)
{
	char path[512], *text;

	WAIT_FOR(dump_path(path, sizeof(path)), 20000);
	text = file_text(path);
	CHECK(text && *text);
	file_write(path, "1");
	WAIT_FOR(!dump_link(), 20000);
	return text;
}

static void no_dump(void)
{
	char path[512];

	while (dump_path(path, sizeof(path))) {
		file_write(path, "1");
		WAIT_FOR(access(path, F_OK), 20000);
	}
	WAIT_FOR(!dump_link(), 20000);
}

static void break_channel(struct chan *c)
{
	for (unsigned i = 0; i < 3; i++) {
		struct cmds b = chan_block(c);

		cmd_release(&b, chan_sem_va(c, 0), i + 1);
		if (i == 2)
			cmd_raw(&b, PPU_CMD_HDR(0xee, 1, 0));
		chan_commit(c, &b);
	}
	chan_doorbell(c);
	WAIT_FOR(chan_query(c).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
}

static void expect(const char *text, const char *what)
{
	if (!strstr(text, what))
		FAIL("no \"%s\" in the dump:\n%s", what, text);
}

TEST(coredump, "a channel that stops with an error leaves a dump: ring, fault, mappings")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, 100);
	char *text, line[96];

	modparam_set("coredump_interval_ms", 0);
	no_dump();
	break_channel(&c);
	text = take_dump();
	CHECK(!strncmp(text, "PPU coredump, version 1\n", 24));
	snprintf(line, sizeof(line), "channel: %u (id %u), copy, user-submit", c.hw, c.id);
	expect(text, line);
	snprintf(line, sizeof(line), "[%d]\n", (int)getpid());
	expect(text, line);
	snprintf(line, sizeof(line), "state: %#x, error %u BAD_OPCODE", DRM_PPU_CHANNEL_STATE_FAULTED,
		 PPU_ERR_BAD_OPCODE);
	expect(text, line);
	expect(text, "GP_GET 2 GP_PUT 3 of 100 entries");
	snprintf(line, sizeof(line), "2: va %#llx length %u flags 0%s",
		 (unsigned long long)c.ring[2].va, c.ring[2].length, "");
	expect(text, line);
	expect(text, "<- GP_GET");
	/* entries before it, around the ring's end, too */
	expect(text, "    99: va 0");
	snprintf(line, sizeof(line), "channel %u BAD_OPCODE", c.hw);
	expect(text, line);
	snprintf(line, sizeof(line), "  %012llx-", (unsigned long long)c.blocks.va);
	expect(text, line);
	free(text);
}

/*
 * Out-fences of queued binds wait for the lock of the VM's mappings.  The kernel's printer allocates when a line does not
 * fit into the dump any more.
 */
TEST(coredump_full, "a dump that has no room for all mappings: full, and nothing allocated that a fence waits for")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct chan c = chan_new(fd, vm, COPY, 8);
	struct bo bo = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	struct drm_ppu_vm_bind_op *ops = calloc(DRM_PPU_VM_BIND_MAX_OPS, sizeof(*ops));
	struct drm_ppu_sync out = { .flags = DRM_PPU_SYNC_SIGNAL, .handle = syncobj(fd) };
	struct drm_ppu_vm_bind b = {
		.vm_id = vm, .flags = DRM_PPU_VM_BIND_ASYNC, .ops = DRM_PPU_ARRAY(DRM_PPU_VM_BIND_MAX_OPS, ops),
		.syncs = DRM_PPU_ARRAY(1, &out),
	};
	unsigned lines = 0;
	char *text;

	CHECK(ops);
	for (unsigned i = 0; i < DRM_PPU_VM_BIND_MAX_OPS; i++)
		ops[i] = (struct drm_ppu_vm_bind_op){
			.op = DRM_PPU_VM_BIND_OP_MAP, .handle = bo.handle, .va = 0x40000000ull + i * 8192ull,
			.size = 4096,
		};
	DO(fd, DRM_IOCTL_PPU_VM_BIND, &b);
	CHECK(!wait_sync(fd, out.handle, 60000));

	modparam_set("coredump_interval_ms", 0);
	no_dump();
	break_channel(&c);
	text = take_dump();
	CHECK(strlen(text) > 127 << 10 && strlen(text) <= 128 << 10);
	/* in the order of addresses, none left out */
	for (char *at = strstr(text, "  000040000000-"); at && strchr(at, '\n'); at = strchr(at, '\n') + 1, lines++) {
		char line[64];

		snprintf(line, sizeof(line), "  %012llx-%012llx sys  +0x0\n", 0x40000000ull + lines * 8192ull,
			 0x40000fffull + lines * 8192ull);
		if (strncmp(at, line, strlen(line)))
			FAIL("line %u of the mappings is not %s but %.80s", lines, line, at);
	}
	CHECK(lines > 2000);
	free(text);
	free(ops);
}

TEST(coredump_end, "a process that ends at once, a job that takes too long: a dump nevertheless")
{
	int fd = open_ppu();
	struct gate gate;
	struct chan c;
	char *text, line[64];

	modparam_set("coredump_interval_ms", 0);
	no_dump();
	for (unsigned i = 0; i < 10; i++) {
		c = chan_new(fd, vm_new(fd), COPY, 8);
		break_channel(&c);
		chan_free(&c);
		text = take_dump();
		expect(text, "BAD_OPCODE");
		free(text);
	}

	/* Two channels that end at the same time: one dump, and no complaint in the kernel's log. */
	for (unsigned i = 0; i < 10; i++) {
		struct chan pair[2] = { chan_new(fd, vm_new(fd), COPY, 8), chan_new(fd, vm_new(fd), COPY, 8) };

		break_channel(&pair[0]);
		break_channel(&pair[1]);
		/*
		 * the destruction of a channel waits for its dump: so the second dump is refused before the first is
		 * taken away
		 */
		chan_free(&pair[0]);
		chan_free(&pair[1]);
		text = take_dump();
		expect(text, "BAD_OPCODE");
		free(text);
	}

	/* a job that is held back longer than its time-out; the time counts from its start */
	gate = gate_new_timeout(fd, 20);
	CHECK(!wait_sync(fd, gate.sync, 30000));
	CHECK_EQ(-fence_error(fd, gate.sync), ETIME);
	text = take_dump();
	snprintf(line, sizeof(line), "state: %#x,", DRM_PPU_CHANNEL_STATE_TIMEDOUT);
	expect(text, line);
	expect(text, "kernel-submit");
	expect(text, "submitted 1, completed 0");
	free(text);
}

TEST(coredump_rate, "dumps are limited in time; a refused one leaves nothing")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	char path[512];

	modparam_set("coredump_interval_ms", 0);
	no_dump();
	for (unsigned i = 0; i < 10; i++) {
		struct chan c = chan_new(fd, vm, COPY, 8);

		break_channel(&c);
		chan_free(&c);
		if (!i) {
			free(take_dump());
			modparam_set("coredump_interval_ms", 3600000);
		} else {
			/* the destruction of a channel waits for its dump: so there was no dump */
			CHECK(!dump_path(path, sizeof(path)));
		}
	}
}

HARNESS_MAIN
