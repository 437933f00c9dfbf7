/* SPDX-License-Identifier: MIT */
/* sysfs says which PCI function a node belongs to, and needs no permission: another GPU's node is not even opened. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>

#include <drm/ppu_drm.h>
#include <hw/ppu_regs.h>
#include "backend/node.h"
#include "backend/sentence.h"

#define FIRST_NODE	128
#define LAST_NODE	191
#define OR_CORE		", or set PPU_BACKEND=core for the device inside the process"

/* What sysfs says about a node or a PCI function. */
struct owner {
	enum { UNKNOWN, OTHER, PPU } what;
	char where[64];		/* 0000:01:00.0 */
	char driver[64];	/* "": none */
	int error;		/* why nothing is known, unless there is nothing to know */
};

/* A number in a file of one line; -1: there is none, and *error says why if there may be one. */
static long read_number(const char *dir, const char *name, int *error)
{
	char path[PATH_MAX], text[32] = "";
	long n = -1;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "re");
	if (!f) {
		if (errno != ENOENT && errno != ENOTDIR)
			*error = errno;
		return -1;
	}
	if (fgets(text, sizeof(text), f))
		n = strtol(text, NULL, 0);
	fclose(f);
	return n;
}

/* The last part of where a link leads; "": there is no such link. */
static void link_name(const char *path, char *name, size_t len)
{
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	target[n > 0 ? n : 0] = 0;
	snprintf(name, len, "%s", n > 0 ? basename(target) : "");
}

/* dir: of a device in sysfs. */
static struct owner owner_of(const char *dir)
{
	struct owner o = { 0 };
	long vendor = read_number(dir, "vendor", &o.error), device = read_number(dir, "device", &o.error);
	char path[PATH_MAX];

	if (vendor < 0 || device < 0)
		return o;
	o.what = vendor == PPU_PCI_VENDOR_ID && device == PPU_PCI_DEVICE_ID ? PPU : OTHER;
	snprintf(path, sizeof(path), "%s/driver", dir);
	link_name(path, o.driver, sizeof(o.driver));
	return o;
}

static struct owner owner_of_node(const char *root, int n)
{
	char dir[PATH_MAX];
	struct owner o;

	snprintf(dir, sizeof(dir), "%s/sys/class/drm/renderD%d/device", root, n);
	o = owner_of(dir);
	/* Not on the PCI bus; what sysfs does not know at all may be anything. */
	if (o.what == UNKNOWN && !o.error && !access(dir, F_OK))
		o.what = OTHER;
	return o;
}

static const char *advice(int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
		return "get the permission to read and write it (often: become a member of the group \"render\")";
	case ENOENT:
		return "ls /dev/dri shows what there is";
	default:
		return "see what the kernel's log says about it (dmesg)";
	}
}

/* An open file: is it a PPU's node, and of our interface?  Returns 0 or a negative errno; driver: of the node. */
static int check_driver(int fd, char *driver, size_t len, int *major)
{
	drmVersionPtr v = drmGetVersion(fd);
	int rc = -ENODEV;

	snprintf(driver, len, "%s", v && v->name ? v->name : "");
	*major = v ? v->version_major : 0;
	if (v && !strcmp(driver, "ppu"))
		rc = v->version_major == DRM_PPU_MAJOR ? 0 : -EPROTO;
	if (v)
		drmFreeVersion(v);
	return rc;
}

static int refuse_version(const char *path, int major, char **err)
{
	ppu_be_say(err, "the driver of %s has version %d of the interface, and this runtime needs version %d: install driver "
		   "and runtime of one version" OR_CORE, path, major, DRM_PPU_MAJOR);
	return -EPROTO;
}

static int open_chosen(const char *path, char **err)
{
	int fd = open(path, O_RDWR | O_CLOEXEC), rc, major;
	char driver[32];

	if (fd < 0) {
		rc = -errno;
		ppu_be_say(err, "the render node \"%s\" that was asked for (PPU_DRM_NODE) cannot be opened: %s; %s", path,
			   strerror(-rc), advice(-rc));
		return rc;
	}
	rc = check_driver(fd, driver, sizeof(driver), &major);
	if (!rc)
		return fd;
	close(fd);
	if (rc == -EPROTO)
		return refuse_version(path, major, err);
	ppu_be_say(err, "\"%s\", which was asked for (PPU_DRM_NODE), is no render node of a PPU: %s%s; ls /dev/dri shows what there is",
		   path, *driver ? "its driver is " : "no DRM driver answers", driver);
	return -EINVAL;
}

/* Node number n.  Returns the file; -ENODEV with *err NULL: it is not there, or not a PPU's. */
static int open_number(const char *root, int n, char *path, char **err)
{
	char driver[32];
	int fd, rc, major;
	struct owner o;

	snprintf(path, BE_NODE_PATH, "%s/dev/dri/renderD%d", root, n);
	o = owner_of_node(root, n);
	if (o.what == OTHER)
		return -ENODEV;
	fd = open(path, O_RDWR | O_CLOEXEC);
	rc = -errno;
	if (fd < 0 && rc == -ENOENT)
		return -ENODEV;
	if (fd < 0) {
		ppu_be_say(err, "%s %s cannot be opened: %s; %s" OR_CORE,
			   o.what == PPU ? "there is a PPU, but its render node" : "a render node that may be a PPU's,", path,
			   strerror(-rc), advice(-rc));
		return rc;
	}
	rc = check_driver(fd, driver, sizeof(driver), &major);
	if (!rc)
		return fd;
	close(fd);
	if (rc == -EPROTO)
		return refuse_version(path, major, err);
	if (o.what == UNKNOWN)
		return -ENODEV;
	ppu_be_say(err, "there is a PPU, but its render node %s is of %s%s, not of the driver ppu: load that one (modprobe ppu)" OR_CORE,
		   path, *driver ? "the driver " : "no DRM driver", driver);
	return -EINVAL;
}

/* A PPU on the PCI bus; its address is in o->where.  If there is none, but not all could be looked at, o->error says why. */
static bool on_the_bus(const char *root, struct owner *o)
{
	char dir[PATH_MAX], path[PATH_MAX + NAME_MAX + 2];
	bool found = false;
	struct dirent *e;
	int error = 0;
	DIR *d;

	snprintf(dir, sizeof(dir), "%s/sys/bus/pci/devices", root);
	d = opendir(dir);
	if (!d && errno != ENOENT && errno != ENOTDIR)
		error = errno;
	while (d && !found && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		*o = owner_of(path);
		found = o->what == PPU;
		error = error ? error : o->error;
		snprintf(o->where, sizeof(o->where), "%.63s", e->d_name);
	}
	if (d)
		closedir(d);
	o->error = error;
	return found;
}

static bool module_loaded(const char *root)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/sys/bus/pci/drivers/ppu", root);
	return !access(path, F_OK);
}

/* There is no usable node.  Is that because there is no PPU? */
static int no_node(const char *root, char **err)
{
	struct owner o = { 0 };

	if (!on_the_bus(root, &o)) {
		if (!o.error)
			return -ENODEV;
		ppu_be_say(err, "whether there is a PPU on the PCI bus is not known, because %s/sys/bus/pci/devices cannot be "
			   "read: %s" OR_CORE, root, strerror(o.error));
		return -o.error;
	}
	if (!strcmp(o.driver, "ppu"))
		ppu_be_say(err, "there is a PPU at %s, and the driver ppu has it, but there is no render node of it in /dev/dri: let "
			   "udev make the node, or give the container /dev/dri" OR_CORE, o.where);
	else if (*o.driver)
		ppu_be_say(err, "there is a PPU at %s, but the driver %s has it: unbind it there, and load ours (modprobe ppu)" OR_CORE,
			   o.where, o.driver);
	else if (module_loaded(root))
		ppu_be_say(err, "there is a PPU at %s, but the driver ppu, which is loaded, has not taken it: see what the kernel's "
			   "log says about it (dmesg)" OR_CORE, o.where);
	else
		ppu_be_say(err, "there is a PPU at %s, but no render node of it in /dev/dri: load the driver (modprobe ppu)" OR_CORE,
			   o.where);
	return -ENXIO;
}

int ppu_node_open(const char *root, const char *chosen, unsigned index, char *path, char **err)
{
	unsigned usable = 0;
	char *why = NULL;
	int error = 0;

	*err = NULL;
	if (chosen && *chosen) {
		snprintf(path, BE_NODE_PATH, "%s", chosen);
		return index ? -ENODEV : open_chosen(chosen, err);
	}
	for (int n = FIRST_NODE; n <= LAST_NODE; n++) {
		int fd = open_number(root, n, path, err);

		if (fd >= 0 && usable++ == index) {
			free(why);
			return fd;
		}
		if (fd >= 0) {
			close(fd);
		} else if (fd != -ENODEV || *err) {
			if (!error) {
				error = fd;
				why = *err;
			} else {
				free(*err);
			}
			*err = NULL;
		}
	}
	/* Where others can be used, one that somebody else may use is no mistake. */
	if (error && !(usable && (error == -EACCES || error == -EPERM))) {
		*err = why;
		return error;
	}
	free(why);
	return usable || index ? -ENODEV : no_node(root, err);
}
