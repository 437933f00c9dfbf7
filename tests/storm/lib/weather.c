/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <glob.h>
#include <signal.h>

#include "fuzz.h"
#include "harness.h"
#include "sysfile.h"
#include "weather.h"

#define DEVICES "/sys/bus/pci/devices/"
#define DRIVER "/sys/bus/pci/drivers/ppu/"

static char pci[256];

void weather_init(void)
{
	DIR *d = opendir(DEVICES);
	struct dirent *e;

	CHECK(d);
	while ((e = readdir(d))) {
		char path[320], *text;

		snprintf(path, sizeof(path), DEVICES "%s/device", e->d_name);
		text = file_text(path);
		if (text && strtoul(text, NULL, 16) == PPU_PCI_DEVICE_ID)
			snprintf(pci, sizeof(pci), "%s", e->d_name);
		free(text);
	}
	closedir(d);
	CHECK(pci[0]);
}

bool weather_has_node(void)
{
	char path[512];
	glob_t g;
	bool found;

	snprintf(path, sizeof(path), DEVICES "%s/drm/renderD*", pci);
	found = !glob(path, 0, NULL, &g);
	globfree(&g);
	return found;
}

/* A file that may be gone: a device that was removed has no "reset". */
static void try_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		usleep(100);
	close(fd);
}

static void device_write(const char *name, const char *text)
{
	char path[512];

	snprintf(path, sizeof(path), DEVICES "%s/%s", pci, name);
	try_write(path, text);
}

/* Reads all files that match; writing to a coredump's data deletes it. */
static void read_all(const char *pattern, bool delete)
{
	glob_t g;

	if (!glob(pattern, 0, NULL, &g)) {
		for (size_t i = 0; i < g.gl_pathc; i++) {
			free(file_text(g.gl_pathv[i]));
			if (delete)
				try_write(g.gl_pathv[i], "1");
		}
	}
	globfree(&g);
}

static void look(unsigned what)
{
	read_all("/sys/kernel/debug/dri/*/[a-z]*", false);
	read_all("/sys/class/devcoredump/devcd*/data", what & 1);
	read_all("/proc/[1-9]*/fdinfo/*", false);
}

static void happen(enum weather kind, unsigned what, const struct plan *p, const pid_t *worlds)
{
	switch (kind) {
	case WEATHER_UNBIND:
		try_write(DRIVER "unbind", pci);
		usleep(what % 10000);
		try_write(DRIVER "bind", pci);
		break;
	case WEATHER_FLR:
		device_write("reset", "1");
		break;
	case WEATHER_REMOVE:
		device_write("remove", "1");
		usleep(what % 10000);
		try_write("/sys/bus/pci/rescan", "1");
		break;
	case WEATHER_LOOK:
		look(what);
		break;
	case WEATHER_KILL:
		kill(worlds[what % p->worlds], SIGKILL);
		break;
	default:
		break;
	}
}

void weather_run(const struct plan *p, const pid_t *worlds)
{
	for (unsigned i = 0; i < p->events; i++) {
		usleep(p->event[i].wait_us);
		happen(p->event[i].kind, p->event[i].what, p, worlds);
	}
}
