// SPDX-License-Identifier: MIT
/*
 * Lab 7 in the guest: address spaces, seen through copies.
 *
 *   exercise spaces    where pages are found, by whom, and who is told about faults
 *   exercise memory    is memory given back? the device has 64 MiB of VRAM
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <hw/ppu_mmu.h>
#include "labdrm.h"
#include "lablib.h"
#include "lab_uapi.h"

#define PAGE		4096u
#define MIB		(1u << 20)
#define BLOCK_VA	0x0000000000100000ull	/* every process has its commands here */
#define SRC_VA		0x0000001000000000ull
#define DST_VA		0x0000002000345000ull	/* in the device's TLB, not at the place of SRC_VA */

/* An open file with a copy channel and a buffer for commands. */
struct proc {
	int fd;
	uint32_t chan, block;
	struct ld_block b;
};

struct buf {
	uint32_t handle;
	uint32_t *p;
	size_t bytes;
};

/* All mappings in this process: a file stays open until the last of its mappings is gone. */
static struct {
	int fd;
	void *p;
	size_t bytes;
} mapped[256];

static void *map(int fd, uint32_t handle, size_t bytes)
{
	void *p = ld_map(fd, handle, bytes);

	if (!p)
		lab_fatal("a buffer cannot be mapped into the process: lab 4 has to work first");
	for (size_t i = 0; i < sizeof(mapped) / sizeof(mapped[0]); i++) {
		if (!mapped[i].p) {
			mapped[i].fd = fd;
			mapped[i].p = p;
			mapped[i].bytes = bytes;
			return p;
		}
	}
	lab_fatal("the exercise has too many mappings");
}

/* Unmaps all mappings of a file, or only the one at `only`. */
static void unmap(int fd, const void *only)
{
	for (size_t i = 0; i < sizeof(mapped) / sizeof(mapped[0]); i++) {
		if (mapped[i].p && mapped[i].fd == fd && (!only || mapped[i].p == only)) {
			munmap(mapped[i].p, mapped[i].bytes);
			mapped[i].p = NULL;
		}
	}
}

static void proc_close(struct proc *p)
{
	unmap(p->fd, NULL);
	close(p->fd);
}

static struct buf buf_new(struct proc *p, size_t bytes, uint32_t fill)
{
	struct buf b = { .bytes = bytes };
	int ret = ld_bo(p->fd, bytes, &b.handle);

	if (ret)
		lab_fatal("GEM_CREATE of %zu bytes failed: %s", bytes, strerror(-ret));
	b.p = map(p->fd, b.handle, bytes);
	for (size_t i = 0; i < bytes / 4; i++)
		b.p[i] = fill + (uint32_t)i;
	return b;
}

/* The index of the first word that is not fill + index; -1 if all words are right. */
static long buf_differs(const struct buf *b, uint32_t fill)
{
	for (size_t i = 0; i < b->bytes / 4; i++)
		if (((volatile uint32_t *)b->p)[i] != fill + (uint32_t)i)
			return (long)i;
	return -1;
}

static void must_bind(struct proc *p, uint32_t handle, uint64_t va, uint64_t bytes, uint32_t flags)
{
	int ret = ld_bind(p->fd, handle, va, 0, bytes, flags);

	if (ret)
		lab_fatal("VM_BIND of %llu bytes at %#llx failed: %s", (unsigned long long)bytes,
			  (unsigned long long)va, strerror(-ret));
}

static void proc_open(struct proc *p)
{
	struct buf block;
	int ret;

	p->fd = ld_must_open();
	block = buf_new(p, PAGE, 0);
	p->block = block.handle;
	p->b.words = block.p;
	must_bind(p, block.handle, BLOCK_VA, PAGE, 0);
	ret = ld_chan(p->fd, PPU_CLASS_COPY, 8, &p->chan);
	if (ret)
		lab_fatal("CHAN_CREATE failed: %s", strerror(-ret));
}

/* A channel with an error is useless, so the process gets a new one. */
static void renew(struct proc *p)
{
	int ret = ld_chan_close(p->fd, p->chan);

	if (!ret)
		ret = ld_chan(p->fd, PPU_CLASS_COPY, 8, &p->chan);
	if (ret)
		lab_fatal("a channel in error cannot be replaced by a new one: %s", strerror(-ret));
}

static int copy(struct proc *p, uint64_t src, uint64_t dst, uint64_t bytes)
{
	uint64_t seqno;
	int ret;

	p->b.used = 0;
	ld_copy_cmd(&p->b, src, dst, bytes);
	ret = ld_submit(p->fd, p->chan, p->block, 0, p->b.used, &seqno);
	if (!ret)
		ret = ld_wait(p->fd, p->chan, seqno, LD_LONG);
	return ret;
}

/* A copy that must not work: -EIO is right. Afterwards the process has a new channel. */
static int bad_copy(struct proc *p, uint64_t src, uint64_t dst, uint64_t bytes)
{
	int ret = copy(p, src, dst, bytes);

	if (ret)
		renew(p);
	return ret;
}

static void test_tables(void)
{
	/* Both pages in one table; across the end of a table of each level; the last pages of the address space. */
	static const uint64_t at[] = {
		PPU_VA_USER_START, 0x200000 - PAGE, 0x40000000 - PAGE, 0x8000000000 - PAGE,
		PPU_VA_USER_END - 2 * PAGE,
	};
	struct proc p;
	struct buf src, dst;

	lab_step("map buffers at addresses all over the address space");
	proc_open(&p);
	src = buf_new(&p, 2 * PAGE, 0x1000);
	must_bind(&p, src.handle, SRC_VA, src.bytes, 0);
	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		dst = buf_new(&p, 2 * PAGE, 0xdead0000);
		int ret = ld_bind(p.fd, dst.handle, at[i], 0, dst.bytes, 0);

		if (!ret)
			ret = copy(&p, SRC_VA, at[i], dst.bytes);
		lab_obs("far", "%#llx %d %ld", (unsigned long long)at[i], ret, buf_differs(&dst, 0x1000));
		if (ret)
			renew(&p);
	}

	lab_step("map the pages of a buffer in reverse order");
	src = buf_new(&p, 8 * PAGE, 0);
	dst = buf_new(&p, 8 * PAGE, 0xdead0000);
	must_bind(&p, dst.handle, DST_VA, dst.bytes, 0);
	for (unsigned int i = 0; i < 8; i++)
		if (ld_bind(p.fd, src.handle, 0x3000000000 + i * PAGE, (7 - i) * PAGE, PAGE, 0))
			lab_fatal("VM_BIND of page %u of a buffer failed", 7 - i);
	int ret = copy(&p, 0x3000000000, DST_VA, dst.bytes);
	long bad = -1;

	for (unsigned int i = 0; i < 8 * PAGE / 4 && bad < 0; i++)
		if (dst.p[i] != (7 - i / (PAGE / 4)) * (PAGE / 4) + i % (PAGE / 4))
			bad = i * 4 / PAGE;
	lab_obs("pieces", "%d %ld", ret, bad);
	proc_close(&p);
}

static void test_readonly(void)
{
	struct proc p;
	struct buf a, b;
	int from, to;

	lab_step("copy from and to a read-only mapping");
	proc_open(&p);
	a = buf_new(&p, PAGE, 0x5000);
	b = buf_new(&p, PAGE, 0x6000);
	must_bind(&p, a.handle, SRC_VA, PAGE, LAB_VM_READONLY);
	must_bind(&p, b.handle, DST_VA, PAGE, 0);
	from = copy(&p, SRC_VA, DST_VA, PAGE);
	lab_obs("ro_from", "%d %ld", from, buf_differs(&b, 0x5000));
	if (from)
		renew(&p);
	for (unsigned int i = 0; i < PAGE / 4; i++)
		b.p[i] = 7;
	to = bad_copy(&p, DST_VA, SRC_VA, PAGE);
	lab_obs("ro_to", "%d %ld", to, buf_differs(&a, 0x5000));
	proc_close(&p);
}

static void test_tlb(void)
{
	struct proc p;
	struct buf src, one, two;
	int ret;

	lab_step("unmap what was just used, and use the address again");
	proc_open(&p);
	src = buf_new(&p, PAGE, 0x100);
	one = buf_new(&p, PAGE, 0x200);
	two = buf_new(&p, PAGE, 0x300);
	must_bind(&p, src.handle, SRC_VA, PAGE, 0);
	must_bind(&p, one.handle, DST_VA, PAGE, 0);
	ret = copy(&p, SRC_VA, DST_VA, PAGE);
	lab_obs("tlb_used", "%d", ret);
	for (unsigned int i = 0; i < PAGE / 4; i++)
		one.p[i] = 0x200 + i;
	ret = ld_unbind(p.fd, DST_VA, PAGE);
	lab_obs("tlb_unbind", "%d", ret);
	ret = bad_copy(&p, SRC_VA, DST_VA, PAGE);
	lab_obs("tlb_unmapped", "%d %ld", ret, buf_differs(&one, 0x200));

	ret = ld_bind(p.fd, two.handle, DST_VA, 0, PAGE, 0);
	if (!ret)
		ret = copy(&p, SRC_VA, DST_VA, PAGE);
	lab_obs("tlb_again", "%d %ld %ld", ret, buf_differs(&one, 0x200), buf_differs(&two, 0x100));
	if (ret)
		renew(&p);
	/* The new mapping allows less than the old one, so the device must forget the old one here, too. */
	ret = ld_unbind(p.fd, DST_VA, PAGE);
	if (!ret)
		ret = ld_bind(p.fd, two.handle, DST_VA, 0, PAGE, LAB_VM_READONLY);
	for (unsigned int i = 0; i < PAGE / 4; i++)
		two.p[i] = 0x300 + i;
	if (!ret)
		ret = bad_copy(&p, SRC_VA, DST_VA, PAGE);
	lab_obs("tlb_less", "%d %ld", ret, buf_differs(&two, 0x300));
	proc_close(&p);
}

static void test_isolation(void)
{
	struct proc p, q;
	struct buf a, b, c, d;
	int r1, r2;

	lab_step("use the same addresses in two files");
	proc_open(&p);
	proc_open(&q);
	a = buf_new(&p, PAGE, 0xa000);
	b = buf_new(&p, PAGE, 0);
	c = buf_new(&q, PAGE, 0xc000);
	d = buf_new(&q, PAGE, 0);
	must_bind(&p, a.handle, SRC_VA, PAGE, 0);
	must_bind(&p, b.handle, DST_VA, PAGE, 0);
	must_bind(&q, c.handle, SRC_VA, PAGE, 0);
	must_bind(&q, d.handle, DST_VA, PAGE, 0);
	r1 = copy(&p, SRC_VA, DST_VA, PAGE);
	r2 = copy(&q, SRC_VA, DST_VA, PAGE);
	lab_obs("same", "%d %d %ld %ld", r1, r2, buf_differs(&b, 0xa000), buf_differs(&d, 0xc000));
	if (r1)
		renew(&p);
	if (r2)
		renew(&q);

	lab_step("fault in one file, go on in the other");
	r1 = bad_copy(&q, SRC_VA, 0x5000000000, PAGE);
	r2 = copy(&p, SRC_VA, DST_VA, PAGE);
	lab_obs("innocent", "%d %d", r1, r2);
	if (r2)
		renew(&p);
	/* At the addresses where the kernel's own context has VRAM, a program's address space must be empty. */
	r1 = bad_copy(&q, LAB_VA_VRAM, DST_VA, PAGE);
	lab_obs("kernel_va", "%d", r1);
	proc_close(&q);
	r2 = copy(&p, SRC_VA, DST_VA, PAGE);
	lab_obs("after_close", "%d", r2);
	proc_close(&p);
}

static void arg(const char *what, int want, int got)
{
	lab_obs("arg", "%s %d %d", what, want, got);
}

static void test_arguments(void)
{
	const uint64_t va = 0x4000000000, end = PPU_VA_USER_END;
	struct proc p;
	struct buf b;
	int fd;

	lab_step("bind with impossible arguments");
	proc_open(&p);
	fd = p.fd;
	b = buf_new(&p, 4 * PAGE, 0);
	arg("no-such-handle", -ENOENT, ld_bind(fd, 0xffff, va, 0, PAGE, 0));
	arg("address-not-aligned", -EINVAL, ld_bind(fd, b.handle, va + 8, 0, PAGE, 0));
	arg("offset-not-aligned", -EINVAL, ld_bind(fd, b.handle, va, 8, PAGE, 0));
	arg("size-not-aligned", -EINVAL, ld_bind(fd, b.handle, va, 0, PAGE + 8, 0));
	arg("size-0", -EINVAL, ld_bind(fd, b.handle, va, 0, 0, 0));
	arg("address-too-low", -EINVAL, ld_bind(fd, b.handle, 0, 0, PAGE, 0));
	arg("address-too-high", -EINVAL, ld_bind(fd, b.handle, end, 0, PAGE, 0));
	arg("end-too-high", -EINVAL, ld_bind(fd, b.handle, end - PAGE, 0, 2 * PAGE, 0));
	arg("address-wraps", -EINVAL, ld_bind(fd, b.handle, -(uint64_t)PAGE, 0, 2 * PAGE, 0));
	arg("size-wraps", -EINVAL, ld_bind(fd, b.handle, va, 0, -(uint64_t)PAGE, 0));
	arg("piece-beyond-the-buffer", -EINVAL, ld_bind(fd, b.handle, va, 3 * PAGE, 2 * PAGE, 0));
	arg("offset-beyond-the-buffer", -EINVAL, ld_bind(fd, b.handle, va, 5 * PAGE, PAGE, 0));
	arg("offset-wraps", -EINVAL, ld_bind(fd, b.handle, va, -(uint64_t)PAGE, 2 * PAGE, 0));
	arg("unknown-flag", -EINVAL, ld_bind(fd, b.handle, va, 0, PAGE, 1u << 7));
	arg("unmap-with-handle", -EINVAL, ld_bind(fd, b.handle, va, 0, PAGE, LAB_VM_UNMAP));
	arg("unmap-nothing", -ENOENT, ld_unbind(fd, va, PAGE));

	arg("bind", 0, ld_bind(fd, b.handle, va, 0, 4 * PAGE, 0));
	arg("overlap-same", -EEXIST, ld_bind(fd, b.handle, va, 0, 4 * PAGE, 0));
	arg("overlap-front", -EEXIST, ld_bind(fd, b.handle, va - PAGE, 0, 2 * PAGE, 0));
	arg("overlap-back", -EEXIST, ld_bind(fd, b.handle, va + 3 * PAGE, 0, 2 * PAGE, 0));
	arg("overlap-inside", -EEXIST, ld_bind(fd, b.handle, va + PAGE, 0, PAGE, 0));
	arg("neighbour-below", 0, ld_bind(fd, b.handle, va - PAGE, 0, PAGE, 0));
	arg("neighbour-above", 0, ld_bind(fd, b.handle, va + 4 * PAGE, 0, PAGE, 0));
	arg("unmap-half", -ENOENT, ld_unbind(fd, va, 2 * PAGE));
	arg("unmap", 0, ld_unbind(fd, va, 4 * PAGE));
	arg("unmap-twice", -ENOENT, ld_unbind(fd, va, 4 * PAGE));
	arg("bind-again", 0, ld_bind(fd, b.handle, va, 0, 4 * PAGE, 0));
	proc_close(&p);
}

/* fault WHICH RET CODE CHANNEL-IS-RIGHT VA */
static void look_fault(const char *which, int fd, uint32_t chan)
{
	uint32_t code, id;
	uint64_t va;
	int ret = ld_fault(fd, &code, &id, &va);

	lab_obs("fault", "%s %d %u %d %#llx", which, ret, code, id == chan, (unsigned long long)va);
}

static void test_faults(void)
{
	struct proc p, q;
	struct buf b;
	uint32_t chan;

	lab_step("look at the faults of two files");
	proc_open(&p);
	proc_open(&q);
	b = buf_new(&p, PAGE, 0);
	must_bind(&p, b.handle, SRC_VA, PAGE, 0);
	look_fault("none", p.fd, 0);
	chan = p.chan;
	lab_obs("faulted", "%d", bad_copy(&p, SRC_VA, 0x7700000000, PAGE));
	look_fault("other-file", q.fd, 0);
	look_fault("own", p.fd, chan);
	look_fault("read", p.fd, 0);
	bad_copy(&p, SRC_VA, 0x7100000000, PAGE);
	bad_copy(&p, 0x7200000000, SRC_VA, PAGE);
	look_fault("first", p.fd, p.chan);
	look_fault("second", p.fd, p.chan);
	proc_close(&p);
	proc_close(&q);
}

static void test_many_faults(void)
{
	struct proc q;

	proc_open(&q);
	lab_step("cause more faults than the fault ring holds");
	for (int i = 0; i < 80; i++)
		bad_copy(&q, BLOCK_VA, 0x7300000000 + (uint64_t)i * PAGE, PAGE);
	lab_obs("ring", "%u %u", lab_reg(PPU_REG_FAULT_LOST), lab_reg(PPU_REG_FAULT_TOTAL));
	look_fault("oldest", q.fd, q.chan);
	proc_close(&q);
}

/* How many MiB of VRAM can be allocated? */
static unsigned int free_mib(int fd)
{
	uint32_t handle[256];
	unsigned int n = 0;

	while (n < 256 && !ld_bo(fd, MIB, &handle[n]))
		n++;
	for (unsigned int i = 0; i < n; i++)
		ld_bo_close(fd, handle[i]);
	return n;
}

static void test_lifetime(void)
{
	struct proc p, q;
	struct buf a, d;
	unsigned int before, n = 0;
	uint32_t handle;
	int ret;

	lab_step("close the handle of a buffer that is mapped");
	proc_open(&p);
	before = free_mib(p.fd);
	d = buf_new(&p, MIB, 0);
	a = buf_new(&p, MIB, 0xaa00);
	must_bind(&p, a.handle, SRC_VA, MIB, 0);
	must_bind(&p, d.handle, DST_VA, MIB, 0);
	unmap(p.fd, a.p);
	ld_bo_close(p.fd, a.handle);
	proc_open(&q);
	while (n < 64 && !ld_bo(q.fd, MIB, &handle)) {
		memset(map(q.fd, handle, MIB), 0x55, MIB);
		n++;
	}
	ret = copy(&p, SRC_VA, DST_VA, MIB);
	lab_obs("kept", "%d %ld", ret, buf_differs(&d, 0xaa00));
	if (ret)
		renew(&p);
	proc_close(&q);
	ret = ld_unbind(p.fd, SRC_VA, MIB);
	lab_obs("freed", "%d %u %u", ret, before, free_mib(p.fd) + 1);
	proc_close(&p);
	proc_open(&p);
	lab_obs("closed", "%u %u", before, free_mib(p.fd));
	proc_close(&p);
}

static void test_many(void)
{
	struct proc p;
	struct buf b;
	int ret = 0, i;

	/* Each round needs a few tables; all together need more than the driver's own part of VRAM has room for. */
	lab_step("open, bind all over the place and close, 320 times");
	lab_limit(60);
	for (i = 0; i < 320 && !ret; i++) {
		int fd = ld_open();
		uint32_t handle;

		if (fd < 0) {
			ret = fd;
			break;
		}
		ret = ld_bo(fd, PAGE, &handle);
		for (uint64_t k = 1; k <= 4 && !ret; k++)
			ret = ld_bind(fd, handle, k << 40, 0, PAGE, 0);
		close(fd);
	}
	lab_obs("many", "%d %d", i, ret);

	lab_step("bind until there is no memory for page tables");
	proc_open(&p);
	b = buf_new(&p, 2 * PAGE, 0);
	/* Two pages, each in a table of its own; the tables are in different directories. */
	for (i = 0, ret = 0; i < 3200 && !ret; i++)
		ret = ld_bind(p.fd, b.handle, ((uint64_t)(i + 1) << 30) + (64ull << 30) - PAGE, 0, 2 * PAGE, 0);
	lab_obs("oom", "%d %d", i, ret);
	/* Of a range that could not be bound, no page may be mapped. */
	lab_obs("oom_rest", "%d", bad_copy(&p, ((uint64_t)i << 30) + (64ull << 30) - PAGE, BLOCK_VA + 2048, 64));
	proc_close(&p);
	lab_step("open after page table memory had run out");
	proc_open(&p);
	b = buf_new(&p, PAGE, 0x77);
	must_bind(&p, b.handle, SRC_VA, PAGE, 0);
	lab_obs("oom_after", "%d", copy(&p, SRC_VA, BLOCK_VA + 2048, 64));
	proc_close(&p);
}

static void test_unplug(void)
{
	struct proc p;
	struct buf b;

	lab_step("unbind the driver while a file with mappings is open");
	proc_open(&p);
	b = buf_new(&p, PAGE, 0);
	must_bind(&p, b.handle, SRC_VA, PAGE, 0);
	lab_obs("unplug", "%d", lab_unbind("lab"));
	lab_step("close the file of a device that is gone");
	proc_close(&p);
	lab_step("bind the driver again");
	lab_obs("rebind", "%d", lab_bind("lab"));
	proc_open(&p);
	b = buf_new(&p, PAGE, 0x99);
	must_bind(&p, b.handle, SRC_VA, PAGE, 0);
	lab_obs("replug", "%d", copy(&p, SRC_VA, BLOCK_VA + 2048, 64));
	proc_close(&p);
}

int main(int argc, char **argv)
{
	lab_must_load("");
	lab_witness_reset();
	if (argc > 1 && !strcmp(argv[1], "spaces")) {
		test_tables();
		test_readonly();
		test_tlb();
		test_isolation();
		test_arguments();
		test_faults();
	} else {
		test_many_faults();
		test_lifetime();
		test_many();
		lab_witness_obs("closed");
		test_unplug();
	}
	lab_step("unload the module");
	lab_must_unload();
	lab_witness_obs("unloaded");
	return 0;
}
