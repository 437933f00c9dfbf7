// SPDX-License-Identifier: MIT
/* The functions of lablib.h for modules and the PCI function. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lablib.h"

#define DEVICES	"/sys/bus/pci/devices/"

int lab_insmod(const char *path, const char *params)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (syscall(SYS_finit_module, fd, params ? params : "", 0))
		ret = -errno;
	close(fd);
	return ret;
}

int lab_rmmod(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? -errno : 0;
}

bool lab_loaded(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/%s/initstate", name);
	return !access(path, F_OK);
}

int lab_insmod_deps(void)
{
	static bool done;
	char path[256];
	FILE *f;

	if (done)
		return 0;
	f = fopen("/lab/modules", "re");
	while (f && fgets(path, sizeof(path), f)) {
		int ret;

		path[strcspn(path, "\n")] = 0;
		ret = lab_insmod(path, "");
		if (ret && ret != -EEXIST) {
			fclose(f);
			printf("insmod %s: %s\n", path, strerror(-ret));
			return ret;
		}
	}
	if (f)
		fclose(f);
	done = true;
	return 0;
}

int lab_load(const char *params)
{
	int ret = lab_insmod_deps();

	if (!ret)
		ret = lab_insmod("/lab/lab.ko", params);
	if (!ret)
		lab_note_symbols();
	return ret;
}

int lab_unload(void)
{
	int ret = 0;

	/* A process that looked at the module a moment ago may still hold it. */
	if (lab_until((ret = lab_rmmod("lab")) != -EAGAIN && ret != -EWOULDBLOCK, 3))
		return ret;
	return ret;
}

void lab_must_load(const char *params)
{
	int ret;

	lab_step("loading lab.ko");
	ret = lab_load(params);
	if (ret)
		lab_fatal("lab.ko could not be loaded: %s (%d)", strerror(-ret), ret);
}

void lab_must_unload(void)
{
	int ret;

	lab_step("unloading lab.ko");
	ret = lab_unload();
	if (ret)
		lab_fatal("lab.ko could not be unloaded: %s (%d)", strerror(-ret), ret);
}

const char *lab_pci(void)
{
	static char name[64];
	struct dirent *entry;
	unsigned int id = PPU_PCI_VENDOR_ID | PPU_PCI_DEVICE_ID << 16;
	DIR *dir = opendir(DEVICES);

	while (!name[0] && dir && (entry = readdir(dir))) {
		unsigned int vendor, device;

		if (entry->d_name[0] == '.')
			continue;
		vendor = strtoul(lab_read_file(DEVICES "%s/vendor", entry->d_name), NULL, 0);
		device = strtoul(lab_read_file(DEVICES "%s/device", entry->d_name), NULL, 0);
		if ((vendor | device << 16) == id)
			snprintf(name, sizeof(name), "%.60s", entry->d_name);
	}
	if (dir)
		closedir(dir);
	return name;
}

static int driver_file(const char *driver, const char *file)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/bus/pci/drivers/%s/%s", driver, file);
	return lab_write_file(path, lab_pci());
}

int lab_bind(const char *driver)
{
	return driver_file(driver, "bind");
}

int lab_unbind(const char *driver)
{
	return driver_file(driver, "unbind");
}

const char *lab_bound(void)
{
	static char link[256];
	char path[256];
	ssize_t n;

	snprintf(path, sizeof(path), DEVICES "%s/driver", lab_pci());
	n = readlink(path, link, sizeof(link) - 1);
	link[n > 0 ? n : 0] = 0;
	return n > 0 ? strrchr(link, '/') + 1 : "";
}

static int config_fd(void)
{
	char path[256];

	snprintf(path, sizeof(path), DEVICES "%s/config", lab_pci());
	return open(path, O_RDWR | O_CLOEXEC);
}

uint32_t lab_config(unsigned int offset, unsigned int bytes)
{
	int fd = config_fd();
	uint32_t value = 0;

	if (fd < 0 || pread(fd, &value, bytes, offset) != (ssize_t)bytes)
		lab_fatal("the device's configuration space cannot be read: is the device gone?");
	close(fd);
	return value;
}

void lab_config_write(unsigned int offset, unsigned int bytes, uint32_t value)
{
	int fd = config_fd();

	if (fd < 0 || pwrite(fd, &value, bytes, offset) != (ssize_t)bytes)
		lab_fatal("the device's configuration space cannot be written: is the device gone?");
	close(fd);
}

int lab_remove(void)
{
	char path[256];

	snprintf(path, sizeof(path), DEVICES "%s/remove", lab_pci());
	return lab_write_file(path, "1");
}

int lab_rescan(void)
{
	return lab_write_file("/sys/bus/pci/rescan", "1");
}

void lab_enable(void)
{
	lab_config_write(4, 2, lab_config(4, 2) | 6);
}

volatile void *lab_bar_map(int n, size_t *bytes)
{
	static struct bar {
		void *at;
		size_t bytes;
	} bars[6];
	struct bar *bar = &bars[n];
	char path[256];
	struct stat st;
	int fd;

	if (!bar->at) {
		snprintf(path, sizeof(path), DEVICES "%s/resource%d", lab_pci(), n);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0 || fstat(fd, &st))
			return NULL;
		bar->bytes = st.st_size;
		bar->at = mmap(NULL, bar->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		close(fd);
		if (bar->at == MAP_FAILED) {
			bar->at = NULL;
			return NULL;
		}
	}
	if (bytes)
		*bytes = bar->bytes;
	return bar->at;
}

static volatile uint32_t *reg_at(uint32_t offset)
{
	volatile void *bar = lab_bar_map(0, NULL);

	if (!bar)
		lab_fatal("BAR0 cannot be mapped from user space: %s", strerror(errno));
	return (volatile uint32_t *)((volatile char *)bar + offset);
}

uint32_t lab_reg(uint32_t offset)
{
	return *reg_at(offset);
}

void lab_reg_write(uint32_t offset, uint32_t value)
{
	*reg_at(offset) = value;
}

uint64_t lab_counter(unsigned int number)
{
	uint64_t lo;

	lab_reg_write(PPU_REG_DBG_SEL, number);
	lo = lab_reg(PPU_REG_DBG_DATA_LO);
	return lo | (uint64_t)lab_reg(PPU_REG_DBG_DATA_HI) << 32;
}
