/* SPDX-License-Identifier: MIT */
#include <dirent.h>

#include "pcidev.h"

#define DRIVER "/sys/bus/pci/drivers/ppu/"
#define DEVICES "/sys/bus/pci/devices/"

static bool is_ppu(const char *name)
{
	char path[320], *text;
	bool ours;

	snprintf(path, sizeof(path), DEVICES "%s/device", name);
	text = file_text(path);
	ours = text && strtoul(text, NULL, 16) == PPU_PCI_DEVICE_ID;
	free(text);
	return ours;
}

/* The name of the function, which stays the same: "0000:01:00.0". */
static const char *name(void)
{
	static char found[256];
	struct dirent *e;
	DIR *d;

	if (found[0])
		return found;
	d = opendir(DEVICES);
	CHECK(d);
	while ((e = readdir(d)))
		if (e->d_name[0] != '.' && is_ppu(e->d_name))
			snprintf(found, sizeof(found), "%s", e->d_name);
	closedir(d);
	CHECK(found[0]);
	return found;
}

void pci_text_set(const char *file, const char *value)
{
	char path[320];

	snprintf(path, sizeof(path), DEVICES "%s/%s", name(), file);
	file_write(path, value);
}

char *pci_text(const char *file)
{
	char path[320];

	snprintf(path, sizeof(path), DEVICES "%s/%s", name(), file);
	return file_text(path);
}

void pci_write(const char *file)
{
	pci_text_set(file, "1");
}

static uint16_t config_of(const char *path, unsigned offset, uint16_t clear, uint16_t set)
{
	uint16_t old, now;
	int fd;

	fd = open(path, O_RDWR);
	CHECK(fd >= 0);
	CHECK(pread(fd, &old, sizeof(old), offset) == sizeof(old));
	now = (uint16_t)((old & ~clear) | set);
	if (now != old)
		CHECK(pwrite(fd, &now, sizeof(now), offset) == sizeof(now));
	close(fd);
	return old;
}

uint16_t pci_config(unsigned offset, uint16_t clear, uint16_t set)
{
	char path[320];

	snprintf(path, sizeof(path), DEVICES "%s/config", name());
	return config_of(path, offset, clear, set);
}

uint16_t pci_port_config(unsigned offset, uint16_t clear, uint16_t set)
{
	char path[320];

	/* Behind a link, .. is the port's directory. */
	snprintf(path, sizeof(path), DEVICES "%s/../config", name());
	return config_of(path, offset, clear, set);
}

bool pci_have_node(void)
{
	bool found = false;
	char path[320];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), DEVICES "%s/drm", name());
	d = opendir(path);
	while (d && (e = readdir(d)))
		found |= !strncmp(e->d_name, "renderD", 7);
	if (d)
		closedir(d);
	return found;
}

void pci_unbind(void)
{
	file_write(DRIVER "unbind", name());
}

void pci_bind(void)
{
	file_write(DRIVER "bind", name());
	WAIT_FOR(pci_have_node(), 20000);
}
