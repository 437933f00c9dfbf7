/* SPDX-License-Identifier: MIT */
/* Lab 0: poking registers from user space. Documentation/labs/00-registers.md says how. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <hw/ppu_counters.h>
#include <hw/ppu_regs.h>
#include "regs.h"

/* ---- 1. find and open ------------------------------------------------------------------------------- */

//LAB 0 given
/* The number in the file dir/name, such as "0x1b36\n"; -1 if there is no such file. */
static long number_in(const char *dir, const char *name)
{
	char path[PATH_MAX], text[32] = "";
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r");
	if (!f)
		return -1;
	if (!fgets(text, sizeof(text), f))
		text[0] = 0;
	fclose(f);
	return strtol(text, NULL, 0);
}
//LAB end

/*
 * Find the first PPU below `devices`, which is SYSFS_DEVICES or a directory that looks like it: one directory for each
 * PCI function, with files "vendor" and "device". The PPU's path goes to dir, which has n bytes. -ENODEV: none.
 */
int ppu_find(const char *devices, char *dir, size_t n)
{
	//LAB 0 write: Go through the directory (opendir, readdir). A PPU has the vendor PPU_PCI_VENDOR_ID *and* the
	//LAB      device PPU_PCI_DEVICE_ID; other devices may have one of the two. Close what you open, on every path.
	struct dirent *e;
	DIR *d = opendir(devices);
	int err = -ENODEV;

	if (!d)
		return -errno;
	while (err && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(dir, n, "%s/%s", devices, e->d_name);
		if (number_in(dir, "vendor") == PPU_PCI_VENDOR_ID && number_in(dir, "device") == PPU_PCI_DEVICE_ID)
			err = 0;
	}
	closedir(d);
	return err;
	//LAB instead
	(void)devices, (void)dir, (void)n;
	(void)number_in;
	return -ENOSYS;
	//LAB end
}

/* One register. `volatile` makes the compiler do each of these accesses exactly once, and with this width. */
static uint32_t rd(const struct ppu *p, uint32_t offset)
{
	return p->regs[offset / 4];
}

static void wr(const struct ppu *p, uint32_t offset, uint32_t val)
{
	p->regs[offset / 4] = val;
}

/* Is it a PPU that this program knows? -ENODEV: ID says that it is no PPU; -ENOTSUP: the major version is not 1. */
int ppu_identify(const struct ppu *p, unsigned int *major, unsigned int *minor)
{
	//LAB 0 write: Read ID and VERSION.
	uint32_t version;

	if (rd(p, PPU_REG_ID) != PPU_ID_MAGIC)
		return -ENODEV;
	version = rd(p, PPU_REG_VERSION);
	*major = version >> 16;
	*minor = version & 0xffff;
	return *major == 1 ? 0 : -ENOTSUP;
	//LAB instead
	(void)p, (void)major, (void)minor;
	(void)rd, (void)wr;
	return -ENOSYS;
	//LAB end
}

//LAB 0 given
/* Make the device decode the addresses of its BARs, as pci_enable_device() does in a driver. */
static int enable(const char *dir)
{
	char path[PATH_MAX + 16];
	int fd, err = 0;

	snprintf(path, sizeof(path), "%s/enable", dir);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return -errno;
	if (write(fd, "1", 1) != 1)
		err = -errno;
	close(fd);
	return err;
}
//LAB end

/* Map the whole of a BAR: the file dir/resource0, resource2, ... */
static int map_bar(const char *dir, int bar, volatile uint32_t **at, size_t *bytes)
{
	//LAB 0 write: The size of the BAR is the size of its file (fstat). Others that map the file must see your
	//LAB      stores: which of mmap's flags is that? The file need not stay open. On an error leave *at and *bytes.
	char path[PATH_MAX + 16];
	struct stat st;
	int fd, err = 0;
	void *map;

	snprintf(path, sizeof(path), "%s/resource%d", dir, bar);
	fd = open(path, O_RDWR);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st)) {
		err = -errno;
		goto out;
	}
	map = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED) {
		err = -errno;
		goto out;
	}
	*at = map;
	*bytes = (size_t)st.st_size;
out:
	close(fd);
	return err;
	//LAB instead
	(void)dir, (void)bar, (void)at, (void)bytes;
	return -ENOSYS;
	//LAB end
}

/* Find, enable, map BAR0 and BAR2, and check that it is a PPU. On an error nothing stays open or mapped. */
int ppu_open(struct ppu *p, const char *devices)
{
	//LAB 0 write: Use the functions above. ppu_close() can undo a half-finished ppu_open(), too: look at what it
	//LAB      does with a BAR that is not mapped.
	char dir[PATH_MAX];
	unsigned int major, minor;
	int err;

	memset(p, 0, sizeof(*p));
	err = ppu_find(devices, dir, sizeof(dir));
	if (!err)
		err = enable(dir);
	if (!err)
		err = map_bar(dir, PPU_BAR_REGS, &p->regs, &p->regs_bytes);
	if (!err)
		err = map_bar(dir, PPU_BAR_VRAM, &p->vram, &p->vram_bytes);
	if (!err)
		err = ppu_identify(p, &major, &minor);
	if (err)
		ppu_close(p);
	return err;
	//LAB instead
	(void)devices;
	(void)enable, (void)map_bar;
	memset(p, 0, sizeof(*p));
	return -ENOSYS;
	//LAB end
}

//LAB 0 given
void ppu_close(struct ppu *p)
{
	if (p->regs)
		munmap((void *)p->regs, p->regs_bytes);
	if (p->vram)
		munmap((void *)p->vram, p->vram_bytes);
	memset(p, 0, sizeof(*p));
}
//LAB end

/* ---- 2. registers ----------------------------------------------------------------------------------- */

/* Write SCRATCH; returns the value from before. */
uint32_t ppu_scratch_swap(const struct ppu *p, uint32_t val)
{
	//LAB 0 write: Two accesses.
	uint32_t old = rd(p, PPU_REG_SCRATCH);

	wr(p, PPU_REG_SCRATCH, val);
	return old;
	//LAB instead
	(void)p, (void)val;
	return 0;
	//LAB end
}

void ppu_read_caps(const struct ppu *p, struct ppu_caps *caps)
{
	//LAB 0 write: The CAP_ registers. Some members are products of several registers; mind that VRAM may have
	//LAB      4 GiB and more.
	caps->channels = rd(p, PPU_REG_CAP_CHANNELS);
	caps->copy_engines = rd(p, PPU_REG_CAP_COPY_ENGINES);
	caps->sms = rd(p, PPU_REG_CAP_GPCS) * rd(p, PPU_REG_CAP_SMS_PER_GPC);
	caps->threads = caps->sms * rd(p, PPU_REG_CAP_WARPS_PER_SM) * rd(p, PPU_REG_CAP_WARP_SIZE);
	caps->vram_bytes = (uint64_t)rd(p, PPU_REG_CAP_VRAM_MB) << 20;
	caps->device_queues = !!(rd(p, PPU_REG_CAP_FEATURES) & PPU_FEAT_DEVQ);
	//LAB instead
	(void)p;
	memset(caps, 0, sizeof(*caps));
	//LAB end
}

/* Device time in ns. */
uint64_t ppu_time(const struct ppu *p)
{
	//LAB 0 write: 64 bits in two registers, and time goes on between two reads. The page says how the device
	//LAB      helps: in which order do you read?
	uint32_t lo = rd(p, PPU_REG_TIME_LO);

	return lo | (uint64_t)rd(p, PPU_REG_TIME_HI) << 32;
	//LAB instead
	(void)p;
	return 0;
	//LAB end
}

/* Tell a channel, which must be disabled, where its ring is. If there is no such channel, do nothing. */
void ppu_set_ring(const struct ppu *p, unsigned int channel, uint64_t va, uint32_t entries)
{
	//LAB 0 write: CH_RING_LO, CH_RING_HI and CH_RING_ENTRIES of that channel. The channels are an array in
	//LAB      BAR0: where does it begin, how large is an element, how many are there?
	uint32_t base = PPU_BAR0_CHCFG + channel * PPU_CHCFG_STRIDE;

	if (channel >= rd(p, PPU_REG_CAP_CHANNELS))
		return;
	wr(p, base + PPU_REG_CH_RING_LO, (uint32_t)va);
	wr(p, base + PPU_REG_CH_RING_HI, (uint32_t)(va >> 32));
	wr(p, base + PPU_REG_CH_RING_ENTRIES, entries);
	//LAB instead
	(void)p, (void)channel, (void)va, (void)entries;
	//LAB end
}

/* ---- 3. counters and interrupts --------------------------------------------------------------------- */

/* Returns a debug counter, PPU_CTR_*. */
uint64_t ppu_counter(const struct ppu *p, uint32_t counter)
{
	//LAB 0 write: DBG_SEL, then the value.
	uint32_t lo;

	wr(p, PPU_REG_DBG_SEL, counter);
	lo = rd(p, PPU_REG_DBG_DATA_LO);
	return lo | (uint64_t)rd(p, PPU_REG_DBG_DATA_HI) << 32;
	//LAB instead
	(void)p, (void)counter;
	return 0;
	//LAB end
}

/* How many register reads what(arg) makes, by the device's own count: PPU_CTR_MMIO_READS. */
uint64_t ppu_reads_made(const struct ppu *p, void (*what)(void *arg), void *arg)
{
	//LAB 0 write: Read the counter, call what(arg), read the counter again. Reading the counter itself takes
	//LAB      register reads: how many of those does the measurement count? Try it with a `what` that does nothing.
	uint64_t before, empty;

	before = ppu_counter(p, PPU_CTR_MMIO_READS);
	empty = ppu_counter(p, PPU_CTR_MMIO_READS) - before;
	before = ppu_counter(p, PPU_CTR_MMIO_READS);
	what(arg);
	return ppu_counter(p, PPU_CTR_MMIO_READS) - before - empty;
	//LAB instead
	(void)p, (void)what, (void)arg;
	return 0;
	//LAB end
}

/* Returns which of the causes in mask are pending, and clears exactly those. */
uint32_t ppu_intr_take(const struct ppu *p, uint32_t mask)
{
	//LAB 0 write: INTR_STATUS is W1C. What happens if you write back what you read, without these bits?
	uint32_t pending = rd(p, PPU_REG_INTR_STATUS) & mask;

	wr(p, PPU_REG_INTR_STATUS, pending);
	return pending;
	//LAB instead
	(void)p, (void)mask;
	return 0;
	//LAB end
}

/* ---- 4. VRAM ---------------------------------------------------------------------------------------- */

/*
 * Try the VRAM from byte `from` on, `bytes` bytes (both multiples of 4): does each word exist, separate from all
 * others? -1: yes; otherwise the VRAM offset of a word that lost its value. Must not touch anything outside the range.
 */
int64_t ppu_vram_check(const struct ppu *p, uint64_t from, uint64_t bytes)
{
	//LAB 0 write: With a broken address line two addresses lead to one place. What do you have to write, and when
	//LAB      do you have to read, to notice that?
	uint64_t i, end = (from + bytes) / 4;

	for (i = from / 4; i < end; i++)
		p->vram[i] = (uint32_t)i * 2654435761u;	/* odd: a different value for each word */
	for (i = from / 4; i < end; i++)
		if (p->vram[i] != (uint32_t)i * 2654435761u)
			return (int64_t)(i * 4);
	return -1;
	//LAB instead
	(void)p, (void)from, (void)bytes;
	return 0;
	//LAB end
}
