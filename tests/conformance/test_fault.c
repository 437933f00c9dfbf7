/* SPDX-License-Identifier: MIT */
/* Faults on demand: each stops its channel, with the cause recorded, and nothing else. */
#include <sys/wait.h>

#include "harness.h"

#define COPY DRM_PPU_CHANNEL_COPY

struct recipe {
	const char *name;
	uint32_t error, type;
	void (*make)(struct chan *c, struct cmds *b);
};

static void bad_opcode(struct chan *c, struct cmds *b)
{
	(void)c;
	cmd_raw(b, PPU_CMD_HDR(0xee, 1, 0));
}

static void bad_size(struct chan *c, struct cmds *b)
{
	(void)c;
	cmd_raw(b, PPU_CMD_HDR(PPU_CMD_WFI, 2, 0));
	cmd_raw(b, 0);
}

static void past_end(struct chan *c, struct cmds *b)
{
	(void)c;
	cmd_raw(b, PPU_CMD_HDR(PPU_CMD_NOP, 9, 0));
}

static void bad_flags(struct chan *c, struct cmds *b)
{
	(void)c;
	cmd_raw(b, PPU_CMD_HDR(PPU_CMD_WFI, 1, 0x8000));
}

static void sem_align(struct chan *c, struct cmds *b)
{
	cmd_release(b, chan_sem_va(c, 0) + 4, 1);
}

static void sem_unmapped(struct chan *c, struct cmds *b)
{
	(void)c;
	cmd_release(b, 0x5550000000ull, 1);
}

/* WQ-11: the ring is the host interface's alone */
static void copy_to_ring(struct chan *c, struct cmds *b)
{
	cmd_fill(b, 3, c->args.ring_va, 1, 1);
}

static void copy_from_ring(struct chan *c, struct cmds *b)
{
	cmd_copy(b, c->args.ring_va, chan_sem_va(c, 1), 8);
}

static void release_to_ring(struct chan *c, struct cmds *b)
{
	cmd_release(b, c->args.ring_va, 1);
}

static void copy_unmapped(struct chan *c, struct cmds *b)
{
	cmd_copy(b, 0x5550000000ull, chan_sem_va(c, 0), 8);
}

static void copy_wraps(struct chan *c, struct cmds *b)
{
	cmd_copy(b, chan_sem_va(c, 0), ~0ull - 8, 4096);
}

static void tmd_unmapped(struct chan *c, struct cmds *b)
{
	(void)c;
	cmd_raw(b, PPU_CMD_HDR(PPU_CMD_LAUNCH, PPU_CMD_SIZE_LAUNCH, 0));
	cmd_raw(b, 0x50000000);
	cmd_raw(b, 0x55);
}

static const struct recipe recipes[] = {
	{ "unknown opcode", PPU_ERR_BAD_OPCODE, COPY, bad_opcode },
	{ "wrong size", PPU_ERR_BAD_SIZE, COPY, bad_size },
	{ "size past the block", PPU_ERR_BAD_SIZE, COPY, past_end },
	{ "unknown flags", PPU_ERR_BAD_FLAGS, COPY, bad_flags },
	{ "misaligned semaphore", PPU_ERR_SEM_ALIGN, COPY, sem_align },
	{ "unmapped semaphore", PPU_ERR_SEM_FAULT, COPY, sem_unmapped },
	{ "copy to the ring", PPU_ERR_COPY_FAULT, COPY, copy_to_ring },
	{ "copy from the ring", PPU_ERR_COPY_FAULT, COPY, copy_from_ring },
	{ "release to the (read-only) ring", PPU_ERR_SEM_FAULT, COPY, release_to_ring },
	{ "copy from unmapped memory", PPU_ERR_COPY_FAULT, COPY, copy_unmapped },
	{ "copy past the address space", 0, COPY, copy_wraps },
	{ "unmapped TMD", PPU_ERR_TMD_FAULT, DRM_PPU_CHANNEL_COMPUTE, tmd_unmapped },
};

TEST(commands, "WQ-11: a bad command stops its channel with its cause; its neighbour lives on")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct chan good = chan_new(fd, vm, COPY, 8);

	for (unsigned i = 0; i < sizeof(recipes) / sizeof(recipes[0]); i++) {
		struct chan c = chan_new(fd, vm, recipes[i].type, 8);
		struct cmds b = chan_block(&c), g;
		struct drm_ppu_channel_query q;

		printf("# %s\n", recipes[i].name);
		cmd_release(&b, chan_sem_va(&c, 0), 1);
		recipes[i].make(&c, &b);
		chan_submit(&c, &b);
		WAIT_FOR(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
		q = chan_query(&c);
		if (recipes[i].error)
			CHECK_EQ(q.error, recipes[i].error);
		CHECK_EQ(q.error_get, 0);
		CHECK(!(q.state & (DRM_PPU_CHANNEL_STATE_ENABLED | DRM_PPU_CHANNEL_STATE_INNOCENT)));
		CHECK_EQ(*chan_sem(&c, 0), 1);

		g = chan_block(&good);
		cmd_release(&g, chan_sem_va(&good, 0), i + 1);
		chan_submit(&good, &g);
		chan_wait_idle(&good);
		CHECK_EQ(*chan_sem(&good, 0), i + 1);
		chan_free(&c);
	}
}

static void try_entry(uint64_t va, uint32_t length, uint32_t flags, uint32_t error)
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, 8);

	c.ring[0].va = va;
	c.ring[0].length = length;
	c.ring[0].flags = flags;
	c.put = 1;
	chan_doorbell(&c);
	WAIT_FOR(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
	CHECK_EQ(chan_query(&c).error, error);
	chan_free(&c);
	close(fd);
}

TEST(entries, "WQ-21: bad ring entries")
{
	try_entry(0, 0, 0, PPU_ERR_NULL_ENTRY);
	try_entry(0x10000002, 1, 0, PPU_ERR_BAD_ENTRY);
	try_entry(0x10000000, 0, 0, PPU_ERR_NULL_ENTRY);
	try_entry(0x10000000, PPU_BLOCK_MAX_WORDS + 1, 0, PPU_ERR_BAD_ENTRY);
	try_entry(0x10000000, 1, 1, PPU_ERR_BAD_ENTRY);
	try_entry(0x10000000, 1, 0, PPU_ERR_BLOCK_FAULT);
	try_entry(~3ull, 1, 0, PPU_ERR_BAD_ENTRY);
}

TEST(record, "the fault record tells address, code and channel; it is the VM's alone")
{
	int fd = open_ppu(), other = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, 8);
	struct cmds b = chan_block(&c);
	struct drm_ppu_fault f[4];
	struct drm_ppu_vm_get_state s = { .vm_id = c.vm, .faults = DRM_PPU_ARRAY(4, f) };
	struct drm_ppu_vm_get_state t = { .vm_id = vm_new(fd) }, u = { .vm_id = vm_new(other) };

	cmd_copy(&b, 0x5550000000ull, chan_sem_va(&c, 0), 64);
	chan_submit(&c, &b);
	WAIT_FOR(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
	DO(fd, DRM_IOCTL_PPU_VM_GET_STATE, &s);
	CHECK_EQ(s.fault_total, 1);
	CHECK_EQ(s.faults.count, 1);
	CHECK_EQ(s.state & DRM_PPU_VM_STATE_FAULTED, 0);
	CHECK_EQ(f[0].code, PPU_ERR_COPY_FAULT);
	CHECK_EQ(f[0].va, 0x5550000000ull);
	CHECK_EQ(f[0].access, PPU_ACC_READ);
	CHECK_EQ(f[0].unit, PPU_UNIT_CE);
	CHECK_EQ(f[0].channel_id, c.id);
	CHECK_EQ(f[0].hw_channel, c.hw);
	CHECK(f[0].gpu_ns && f[0].cpu_ns && f[0].cpu_ns <= now_ns());
	DO(fd, DRM_IOCTL_PPU_VM_GET_STATE, &t);
	CHECK_EQ(t.fault_total, 0);
	DO(other, DRM_IOCTL_PPU_VM_GET_STATE, &u);
	CHECK_EQ(u.fault_total, 0);
	/* a ring or command error costs the channel, not the VM */
	c = chan_new(fd, c.vm, COPY, 8);
	b = chan_block(&c);
	cmd_release(&b, chan_sem_va(&c, 0), 6);
	chan_submit(&c, &b);
	chan_wait_idle(&c);
}

TEST(record_settled, "a new channel with the number of an old one is not blamed for the old one's fault, and has another id")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd), ids = 0, numbers = 0;
	struct drm_ppu_fault f[4];

	for (unsigned i = 0; i < 4; i++) {
		struct drm_ppu_vm_get_state s = { .vm_id = vm, .faults = DRM_PPU_ARRAY(4, f) };
		struct chan c = chan_new(fd, vm, COPY, 8), next;
		struct cmds b = chan_block(&c);

		cmd_copy(&b, 0x5550000000ull, chan_sem_va(&c, 0), 64);
		chan_submit(&c, &b);
		WAIT_FOR(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
		DO(fd, DRM_IOCTL_PPU_VM_GET_STATE, &s);
		CHECK_EQ(s.faults.count, i + 1);
		CHECK_EQ(f[i].channel_id, c.id);
		chan_free(&c);
		next = chan_new(fd, vm, COPY, 8);
		ids += next.id == c.id;
		numbers += next.hw == c.hw;
		s.faults.count = 4;
		DO(fd, DRM_IOCTL_PPU_VM_GET_STATE, &s);
		for (unsigned k = 0; k <= i; k++)
			CHECK_EQ(f[k].channel_id, 0);
		CHECK_EQ(f[i].hw_channel, c.hw);
		chan_free(&next);
	}
	/* Numbers are used again, that is what the test is about; ids are not so soon, for threads that are late. */
	CHECK(!ids && numbers);
}

TEST_T(flood, 120, "many faults: the count is right, the first records are kept")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct drm_ppu_fault f[100];
	struct drm_ppu_vm_get_state s = { .vm_id = vm, .faults = DRM_PPU_ARRAY(100, f) };

	for (unsigned i = 0; i < 100; i++) {
		struct drm_ppu_channel_create a = {
			.vm_id = vm, .type = COPY, .flags = DRM_PPU_CHANNEL_USER_SUBMIT,
			.gpfifo_entries = 8,
		};
		struct drm_ppu_channel_destroy d;
		struct drm_ppu_channel_query q = { 0 };
		volatile uint32_t *userd;

		DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a);
		userd = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			     (off_t)a.userd_offset);
		CHECK(userd != MAP_FAILED);
		userd[PPU_REG_USERD_GP_PUT / 4] = 1;
		q.channel_id = a.channel_id;
		do {
			DO(fd, DRM_IOCTL_PPU_CHANNEL_QUERY, &q);
		} while (!(q.state & DRM_PPU_CHANNEL_STATE_FAULTED));
		d = (struct drm_ppu_channel_destroy){ .channel_id = a.channel_id };
		DO(fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, &d);
		munmap((void *)userd, 4096);
	}
	WAIT_FOR(!try_ioctl(fd, DRM_IOCTL_PPU_VM_GET_STATE, &s) && s.fault_total == 100, 20000);
	s.faults.count = 100;
	DO(fd, DRM_IOCTL_PPU_VM_GET_STATE, &s);
	CHECK_EQ(s.faults.count, 64);
	for (unsigned i = 1; i < 64; i++)
		CHECK_EQ(f[i].seq, f[i - 1].seq + 1);
}

/* ---- two processes ---- */

static void victim(int from, int to)
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, 8);
	struct bo secret = bo_new(fd, 1 << 20, DRM_PPU_PLACEMENT_VRAM);
	char go;

	vm_map(fd, c.vm, &secret, 0x20000000);
	memset(secret.map, 0x77, secret.size);
	CHECK(write(to, "r", 1) == 1);
	for (unsigned i = 0; read(from, &go, 1) == 1; i++) {
		struct cmds b = chan_block(&c);

		cmd_sem(&b, PPU_CMD_SEM_INC, 0, chan_sem_va(&c, 0), 0);
		chan_submit(&c, &b);
		chan_wait_idle(&c);
		CHECK_EQ(*chan_sem(&c, 0), i + 1);
		for (uint64_t k = 0; k < secret.size; k += 997)
			CHECK_EQ(((uint8_t *)secret.map)[k], 0x77);
		CHECK(write(to, "k", 1) == 1);
	}
	_exit(0);
}

TEST(isolation, "WQ-71: another process's addresses mean nothing; its work goes on undisturbed")
{
	int ab[2], ba[2], fd, status;
	struct chan c;
	char ok;
	pid_t pid;

	CHECK(!pipe(ab) && !pipe(ba));
	pid = fork();
	if (!pid) {
		close(ab[1]);
		victim(ab[0], ba[1]);
	}
	close(ab[0]);
	CHECK(read(ba[0], &ok, 1) == 1);
	fd = open_ppu();
	for (unsigned i = 0; i < 6; i++) {
		struct cmds b;

		c = chan_new(fd, vm_new(fd), COPY, 8);
		b = chan_block(&c);
		switch (i) {
		case 0:		/* the victim's memory by its own address */
			cmd_copy(&b, 0x20000000, chan_sem_va(&c, 0), 8);
			break;
		case 1:		/* BAR0 and VRAM by bus address: no such mapping */
			cmd_fill(&b, 2, 0xfe000000, 1, 1);
			break;
		case 2:
			bad_opcode(&c, &b);
			break;
		case 3:
			copy_to_ring(&c, &b);
			break;
		case 4:
			cmd_release(&b, 0x20000000, 1);
			break;
		case 5:
			c.userd[PPU_REG_USERD_GP_PUT / 4] = 77;
			break;
		}
		if (i < 5)
			chan_submit(&c, &b);
		WAIT_FOR(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
		CHECK_EQ(*chan_sem(&c, 0), 0);
		CHECK(write(ab[1], "g", 1) == 1);
		CHECK(read(ba[0], &ok, 1) == 1);
	}
	close(ab[1]);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
}

HARNESS_MAIN
