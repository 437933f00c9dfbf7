/* SPDX-License-Identifier: MIT */
/*
 * Lab 0's grader in the guest. Each step calls some of the student's functions in a process of its own, so a
 * function that crashes ends only its own step. What the functions return is observed here; grade.py compares it
 * with the properties that the device got on QEMU's command line, and with the device's counters.
 *
 * exercise SEED
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <hw/ppu_counters.h>
#include <hw/ppu_regs.h>
#include "lablib.h"
#include "regs.h"

#define PATIENCE	12		/* seconds for one step; the longest takes less than five */
#define TIME_SPARE	50000000u	/* ns: longer than the clocks of CPU and device part in five seconds */
#define FAKE_BAR0	0x300000u	/* size of BAR0 of a device that is only files */
#define FAKE_BAR2	0x200000u

static uint64_t seed;
static struct ppu real;			/* mapped by this program, not by the student */
static char real_dir[256];

static uint32_t rnd(uint32_t below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % below;
}

static uint32_t get(uint32_t reg)
{
	return real.regs[reg / 4];
}

static void set(uint32_t reg, uint32_t val)
{
	real.regs[reg / 4] = val;
}

/* ---- directories that look like sysfs ----------------------------------------------------------------- */

static void put_file(const char *dir, const char *name, const void *data, size_t len, size_t size)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || write(fd, data, len) != (ssize_t)len || ftruncate(fd, (off_t)size))
		perror(path);
	close(fd);
}

/* Makes a device with this vendor and device number in the tree; the ID register in its BAR0 file is `id`. */
static void put_device(const char *tree, const char *name, uint32_t vendor, uint32_t device, uint32_t id)
{
	uint32_t regs[2] = { id, PPU_HW_VERSION };
	char dir[256], text[32];

	mkdir(tree, 0755);
	snprintf(dir, sizeof(dir), "%s/%s", tree, name);
	mkdir(dir, 0755);
	snprintf(text, sizeof(text), "0x%04x\n", vendor);
	put_file(dir, "vendor", text, strlen(text), strlen(text));
	snprintf(text, sizeof(text), "0x%04x\n", device);
	put_file(dir, "device", text, strlen(text), strlen(text));
	put_file(dir, "enable", "0\n", 2, 2);
	put_file(dir, "resource0", regs, sizeof(regs), FAKE_BAR0);
	put_file(dir, "resource2", regs, 0, FAKE_BAR2);
}

static void decoys(const char *tree)
{
	put_device(tree, "0000:00:01.0", PPU_PCI_VENDOR_ID, 0x000c, 0);
	put_device(tree, "0000:00:02.0", 0x8086, PPU_PCI_DEVICE_ID, 0);
	put_device(tree, "0000:00:1f.2", PPU_PCI_VENDOR_ID, 0x0005, 0);
}

/* The number of mappings of this process. */
static unsigned int mappings(void)
{
	char line[512];
	unsigned int n = 0;
	FILE *f = fopen("/proc/self/maps", "r");

	while (f && fgets(line, sizeof(line), f))
		n += strstr(line, "resource") != NULL;
	if (f)
		fclose(f);
	return n;
}

static unsigned int open_files(void)
{
	unsigned int n = 0;
	DIR *d = opendir("/proc/self/fd");

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

/* ---- steps ---------------------------------------------------------------------------------------------- */

/* One PPU, made before the other devices or after them, because readdir() may give either order. */
static void find_in(const char *tree, bool first)
{
	char dir[256] = "", name[32];
	int err;

	snprintf(name, sizeof(name), "0000:%02x:%02x.0", 1 + rnd(200), rnd(32));
	if (!first)
		decoys(tree);
	put_device(tree, name, PPU_PCI_VENDOR_ID, PPU_PCI_DEVICE_ID, PPU_ID_MAGIC);
	if (first)
		decoys(tree);
	err = ppu_find(tree, dir, sizeof(dir));
	lab_obs("find", "%d %d", err, strrchr(dir, '/') && !strcmp(strrchr(dir, '/') + 1, name));
}

static void step_find(void)
{
	char dir[256] = "";
	unsigned int before = open_files();
	int i, err;

	find_in("/tmp/first", true);
	find_in("/tmp/last", false);
	decoys("/tmp/without");
	for (i = err = 0; i < 100; i++)
		err = ppu_find("/tmp/without", dir, sizeof(dir));
	lab_obs("find_none", "%d", err == -ENODEV);
	lab_obs("find_nowhere", "%d", ppu_find("/tmp/nowhere", dir, sizeof(dir)) < 0);
	err = ppu_find(SYSFS_DEVICES, dir, sizeof(dir));
	lab_obs("find_real", "%d", !err && !strcmp(dir, real_dir));
	lab_obs("find_left", "%d", (int)(open_files() - before));
}

static void step_identify(void)
{
	static uint32_t fake[64];
	struct ppu p = { .regs = fake, .regs_bytes = sizeof(fake) };
	unsigned int major = 77, minor = 77;
	int err = ppu_identify(&real, &major, &minor);

	lab_obs("identify", "%d %u %u", err, major, minor);
	lab_obs("identify_real", "%d %d", PPU_HW_VERSION >> 16, PPU_HW_VERSION & 0xffff);
	fake[PPU_REG_ID / 4] = 0x00555051;
	fake[PPU_REG_VERSION / 4] = PPU_HW_VERSION;
	lab_obs("identify_other", "%d", ppu_identify(&p, &major, &minor) == -ENODEV);
	fake[PPU_REG_ID / 4] = PPU_ID_MAGIC;
	fake[PPU_REG_VERSION / 4] = 0x00020007;
	lab_obs("identify_new", "%d", ppu_identify(&p, &major, &minor) == -ENOTSUP);
	fake[PPU_REG_VERSION / 4] = 0x00010203;
	err = ppu_identify(&p, &major, &minor);
	lab_obs("identify_minor", "%d %u %u", err, major, minor);
}

/* Do both sides of the student's mapping of a file see each other's stores? */
static bool is_shared(const volatile uint32_t *map, const char *path)
{
	uint32_t val = 0;
	int fd = open(path, O_RDWR);
	bool ok;

	((volatile uint32_t *)map)[5] = 0x600d600d;
	ok = pread(fd, &val, 4, 20) == 4 && val == 0x600d600d;
	close(fd);
	return ok;
}

static void step_open(void)
{
	struct ppu p;
	char enabled[8] = "";
	int fd, err;

	decoys("/tmp/open");
	put_device("/tmp/open", "0000:05:00.0", PPU_PCI_VENDOR_ID, PPU_PCI_DEVICE_ID, PPU_ID_MAGIC);
	err = ppu_open(&p, "/tmp/open");
	lab_obs("open", "%d", err);
	if (!err) {
		lab_obs("open_sizes", "%d", p.regs_bytes == FAKE_BAR0 && p.vram_bytes == FAKE_BAR2);
		lab_obs("open_shared", "%d", is_shared(p.regs, "/tmp/open/0000:05:00.0/resource0") &&
			is_shared(p.vram, "/tmp/open/0000:05:00.0/resource2"));
		fd = open("/tmp/open/0000:05:00.0/enable", O_RDONLY);
		lab_obs("open_enable", "%d", read(fd, enabled, 7) >= 1 && enabled[0] == '1');
		close(fd);
		ppu_close(&p);
	}
	err = ppu_open(&p, SYSFS_DEVICES);
	lab_obs("open_real", "%d %zu %zu", err, p.regs_bytes, p.vram_bytes);
	if (!err)
		lab_obs("open_works", "%d", p.regs[PPU_REG_ID / 4] == PPU_ID_MAGIC);
}

/* The three ways in which ppu_open() can fail half-way, and what is left after each. */
static void step_unwind(void)
{
	static const char *const trees[] = { "/tmp/notppu", "/tmp/nobar2", "/tmp/noenable" };
	unsigned int i, k;
	char path[512];
	struct ppu p;

	for (i = 0; i < 3; i++)
		put_device(trees[i], "0000:07:00.0", PPU_PCI_VENDOR_ID, PPU_PCI_DEVICE_ID,
			   i ? PPU_ID_MAGIC : PPU_ID_MAGIC + 1);
	snprintf(path, sizeof(path), "%s/0000:07:00.0/resource2", trees[1]);
	unlink(path);
	snprintf(path, sizeof(path), "%s/0000:07:00.0/enable", trees[2]);
	unlink(path);
	for (i = 0; i < 3; i++) {
		unsigned int files = open_files(), maps = mappings();
		int err = 0;

		for (k = 0; k < 10; k++)
			err = ppu_open(&p, trees[i]);
		lab_obs("unwind", "%s %d %d %d", strrchr(trees[i], '/') + 1, err, (int)(mappings() - maps),
			(int)(open_files() - files));
	}
}

static void step_scratch(void)
{
	uint32_t a = rnd(1u << 30) | 1, b = rnd(1u << 30) << 1, first, second;

	set(PPU_REG_SCRATCH, a);
	first = ppu_scratch_swap(&real, b);
	second = get(PPU_REG_SCRATCH);
	lab_obs("scratch", "%d %d", first == a, second == b);
}

static void step_caps(void)
{
	struct ppu_caps c;

	memset(&c, 0xa5, sizeof(c));
	ppu_read_caps(&real, &c);
	lab_obs("caps", "%u %u %u %u %" PRIu64 " %d", c.channels, c.copy_engines, c.sms, c.threads, c.vram_bytes,
		c.device_queues);
}

static void step_ring(void)
{
	uint32_t channels = get(PPU_REG_CAP_CHANNELS);
	uint32_t chosen[2] = { rnd(channels - 1), channels - 1 }, i, base;
	uint64_t va = (uint64_t)(1 + rnd(0xfff)) << 32 | rnd(1u << 27) << 4, got;

	for (i = 0; i < 2; i++, va += 16) {
		base = PPU_BAR0_CHCFG + chosen[i] * PPU_CHCFG_STRIDE;
		ppu_set_ring(&real, chosen[i], va, 3 + chosen[i]);
		got = get(base + PPU_REG_CH_RING_LO);
		got |= (uint64_t)get(base + PPU_REG_CH_RING_HI) << 32;
		lab_obs("ring", "%u %d %d", chosen[i], got == va, get(base + PPU_REG_CH_RING_ENTRIES) == 3 + chosen[i]);
	}
	set(PPU_REG_DBG_SEL, PPU_CTR_MMIO_WRITES);
	i = get(PPU_REG_DBG_DATA_LO);
	ppu_set_ring(&real, channels, va, 8);
	ppu_set_ring(&real, channels + 1 + rnd(200), va, 8);
	lab_obs("ring_none", "%u", get(PPU_REG_DBG_DATA_LO) - i);
}

/* Interrupt messages that nobody receives, because no vector is set up. Nothing else sends messages here. */
static void step_counter(void)
{
	uint32_t i, times = 3 + rnd(40);
	uint64_t before = ppu_counter(&real, PPU_CTR_IRQS), after;

	set(PPU_REG_INTR_ENABLE, PPU_INTR_WATCH);
	for (i = 0; i < times; i++) {
		set(PPU_REG_INTR_TEST, PPU_INTR_WATCH);
		set(PPU_REG_INTR_STATUS, PPU_INTR_WATCH);
	}
	set(PPU_REG_INTR_ENABLE, 0);
	after = ppu_counter(&real, PPU_CTR_IRQS);
	lab_obs("counter", "%" PRIu64 " %u", after - before, times);
	lab_obs("counter_end", "%" PRIu64, after);
}

struct reads {
	uint32_t four, eight, writes;
};

static void make_reads(void *arg)
{
	const struct reads *r = arg;
	uint32_t i;

	for (i = 0; i < r->four; i++)
		get(PPU_REG_CAP_CHANNELS);
	for (i = 0; i < r->eight; i++)
		(void)*(volatile uint64_t *)(real.regs + PPU_REG_CAP_GPCS / 4);
	for (i = 0; i < r->writes; i++)
		set(PPU_REG_SCRATCH, i);
}

static void step_reads(void)
{
	struct reads r[3] = { { 0, 0, 0 }, { 1 + rnd(50), 0, rnd(9) }, { rnd(20), 1 + rnd(20), rnd(9) } };
	int i;

	for (i = 0; i < 3; i++)
		lab_obs("reads", "%" PRIu64 " %u", ppu_reads_made(&real, make_reads, &r[i]), r[i].four + r[i].eight);
}

static void step_intr(void)
{
	/* Pending causes, mask. Nothing in this lab raises these causes. */
	static const uint32_t cases[][2] = { { 0x2d, 0x0c }, { 0x55, 0xffffffff }, { 0x33, 0x4c }, { 0x7f, 0x41 } };
	uint32_t i, taken;

	for (i = 0; i < 4; i++) {
		set(PPU_REG_INTR_STATUS, 0x7f);
		set(PPU_REG_INTR_TEST, cases[i][0]);
		taken = ppu_intr_take(&real, cases[i][1]);
		lab_obs("intr", "%u %u %u %u", cases[i][0], cases[i][1], taken, get(PPU_REG_INTR_STATUS));
	}
	set(PPU_REG_INTR_STATUS, 0x7f);
}

/* Memory of 16 pages. With `twice` the last page is the second page once more, as behind a broken address line. */
static volatile uint32_t *faulty_memory(bool twice)
{
	int fd = memfd_create("vram", 0);
	char *map;

	if (fd < 0 || ftruncate(fd, 16 * 4096))
		return NULL;
	map = mmap(NULL, 16 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return NULL;
	if (twice && mmap(map + 15 * 4096, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 4096) == MAP_FAILED)
		return NULL;
	close(fd);
	return (volatile uint32_t *)map;
}

/* The words around [from, from + bytes) of the real VRAM: this program writes them, and later compares them. */
static bool guards(uint64_t from, uint64_t bytes, bool write)
{
	uint64_t at[4] = { from / 4 - 1, from / 4 - 2, (from + bytes) / 4, (from + bytes) / 4 + 1 };
	bool ok = true;
	int i;

	for (i = 0; i < 4; i++) {
		if (write)
			real.vram[at[i]] = 0xfeed0000 + (uint32_t)i;
		ok &= real.vram[at[i]] == 0xfeed0000 + (uint32_t)i;
	}
	return ok;
}

static void step_vram(void)
{
	uint64_t vram = (uint64_t)get(PPU_REG_CAP_VRAM_MB) << 20, from, bytes = 65536 + 4 * rnd(5000), i, same = 0;
	struct ppu p = { .vram = faulty_memory(false), .vram_bytes = 16 * 4096 };
	int64_t bad;

	lab_obs("vram_good", "%" PRId64, ppu_vram_check(&p, 8, 16 * 4096 - 12));
	p.vram = faulty_memory(true);
	bad = ppu_vram_check(&p, 0, 16 * 4096);
	lab_obs("vram_alias", "%d", bad >= 0 && bad % 4 == 0 && (bad / 4096 == 1 || bad / 4096 == 15));
	from = (1 << 20) + 4 * (uint64_t)rnd(100000);
	for (i = from; i < from + bytes; i += 4)
		real.vram[i / 4] = 0xdeadbeef;
	guards(from, bytes, true);
	bad = ppu_vram_check(&real, from, bytes);
	for (i = from; i < from + bytes; i += 4)
		same += real.vram[i / 4] == 0xdeadbeef;
	lab_obs("vram_real", "%" PRId64 " %d %" PRIu64, bad, guards(from, bytes, false), same);
	lab_obs("vram_end", "%" PRId64, ppu_vram_check(&real, vram - 65536, 65536));
}

static uint64_t own_time(void)
{
	uint32_t lo = get(PPU_REG_TIME_LO);

	return lo | (uint64_t)get(PPU_REG_TIME_HI) << 32;
}

/*
 * The low word of the time wraps around every 4.3 s. The latch of the high word still has the value from before the
 * wrap when the student's function reads the time: whoever reads HI first gets the old value.
 */
static void step_time(void)
{
	uint64_t before = own_time(), border, got, after;

	got = ppu_time(&real);
	after = own_time();
	lab_obs("time", "%d", got >= before && got <= after);
	do {
		struct timespec ts;
		uint64_t now = own_time(), wait;

		border = (now | 0xffffffff) + 1;
		wait = border - now + TIME_SPARE;	/* just before the border, got and after could be on either side */
		ts.tv_sec = (time_t)(wait / 1000000000);
		ts.tv_nsec = (long)(wait % 1000000000);
		nanosleep(&ts, NULL);
		got = ppu_time(&real);
		after = own_time();
	} while (after < border);
	lab_obs("time_border", "%d", got >= border && got <= after);
}

static const struct {
	const char *name, *what;
	void (*run)(void);
} steps[] = {
	{ "find", "ppu_find()", step_find },
	{ "identify", "ppu_identify()", step_identify },
	{ "open", "ppu_open()", step_open },
	{ "unwind", "ppu_open() of what cannot be opened", step_unwind },
	{ "scratch", "ppu_scratch_swap()", step_scratch },
	{ "caps", "ppu_read_caps()", step_caps },
	{ "ring", "ppu_set_ring()", step_ring },
	{ "counter", "ppu_counter()", step_counter },
	{ "reads", "ppu_reads_made()", step_reads },
	{ "intr", "ppu_intr_take()", step_intr },
	{ "vram", "ppu_vram_check()", step_vram },
	{ "time", "ppu_time()", step_time },
};

/* This program's own access to the device. */
static void open_real(void)
{
	lab_enable();
	real.regs = lab_bar_map(PPU_BAR_REGS, &real.regs_bytes);
	real.vram = lab_bar_map(PPU_BAR_VRAM, &real.vram_bytes);
	if (!real.regs || !real.vram)
		lab_fatal("The grader cannot map the device's BARs: is iomem=relaxed on the kernel's command line?");
	snprintf(real_dir, sizeof(real_dir), "%s/%s", SYSFS_DEVICES, lab_pci());
}

static void run_step(size_t i)
{
	int status = 0;
	pid_t pid;

	lab_step("%s", steps[i].what);
	pid = fork();
	if (!pid) {
		alarm(PATIENCE * lab_scale());
		steps[i].run();
		fflush(NULL);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (WIFSIGNALED(status))
		lab_obs("died", "%s %d", steps[i].name, WTERMSIG(status));
}

int main(int argc, char **argv)
{
	size_t i;

	seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	open_real();
	lab_obs("bars", "%zu %zu", real.regs_bytes, real.vram_bytes);
	for (i = 0; i < sizeof(steps) / sizeof(*steps); i++, rnd(2))
		run_step(i);
	lab_obs("finished", "1");
	return 0;
}
