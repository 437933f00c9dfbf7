/* SPDX-License-Identifier: MIT */
/* Which render node is a PPU's, and when there is none: on made-up trees of /dev/dri and /sys. */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "backend/node.h"
#include "run_suite.h"

#define CORE	"PPU_BACKEND=core"

static char root[64], path[BE_NODE_PATH], *err;

static char *under(const char *fmt, va_list ap)
{
	static char full[512];
	int n = snprintf(full, sizeof(full), "%s/", root);

	vsnprintf(full + n, sizeof(full) - (size_t)n, fmt, ap);
	return full;
}

/* A path below the root; the directories that lead there are made. */
__attribute__((format(printf, 1, 2)))
static char *at(const char *fmt, ...)
{
	va_list ap;
	char *full;

	va_start(ap, fmt);
	full = under(fmt, ap);
	va_end(ap);
	for (char *p = strchr(full + strlen(root) + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = 0;
		if (mkdir(full, 0755))
			ck_assert_int_eq(errno, EEXIST);
		*p = '/';
	}
	return full;
}

static void put(const char *file, const char *text)
{
	FILE *f = fopen(file, "we");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

/* A function on the PCI bus; driver NULL: none has it. */
static void function(const char *where, const char *vendor, const char *device, const char *driver)
{
	char target[128];

	put(at("sys/bus/pci/devices/%s/vendor", where), vendor);
	put(at("sys/bus/pci/devices/%s/device", where), device);
	if (!driver)
		return;
	at("sys/bus/pci/drivers/%s/bind", driver);
	snprintf(target, sizeof(target), "../../drivers/%s", driver);
	ck_assert_int_eq(symlink(target, at("sys/bus/pci/devices/%s/driver", where)), 0);
}

/* Node n of a function of the bus, in sysfs; the file in /dev/dri is the caller's. */
static void node(int n, const char *where)
{
	char target[128];

	snprintf(target, sizeof(target), "../../../bus/pci/devices/%s", where);
	ck_assert_int_eq(symlink(target, at("sys/class/drm/renderD%d/device", n)), 0);
}

static void ppu(const char *driver)
{
	function("0000:00:04.0", "0x1b36\n", "0x0050\n", driver);
}

/* Opens PPU 0 and wants this errno; the sentence, if any, is in err. */
static void fails(int error)
{
	ck_assert_int_eq(ppu_node_open(root, NULL, 0, path, &err), -error);
}

static void none(void)
{
	fails(ENODEV);
	ck_assert_ptr_null(err);
}

static void says(const char *part)
{
	ck_assert_ptr_nonnull(err);
	ck_assert_msg(strstr(err, part), "\"%s\" is not in \"%s\"", part, err);
}

static void setup(void)
{
	strcpy(root, "/tmp/ppu-node-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	ck_assert_int_eq(chmod(root, 0755), 0);
	err = NULL;
}

static int drop(const char *name, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(name);
}

static void teardown(void)
{
	free(err);
	ck_assert_int_eq(nftw(root, drop, 8, FTW_DEPTH | FTW_PHYS), 0);
}

START_TEST(nothing_at_all)
{
	none();
	at("dev/dri/x");
	at("sys/bus/pci/devices/x");
	none();
	ck_assert_int_eq(ppu_node_open(root, "", 1, path, &err), -ENODEV);
}
END_TEST

/* Other GPUs, with nodes that this user may not open or that are no PPU's, are no reason to fail. */
/* What cannot be looked at may be a PPU.  (A link to itself cannot be read by root, either.) */
START_TEST(bus_that_cannot_be_read)
{
	ck_assert_int_eq(symlink("devices", at("sys/bus/pci/devices")), 0);
	fails(ELOOP);
	says("whether there is a PPU on the PCI bus is not known");
	says("/sys/bus/pci/devices cannot be read: Too many levels of symbolic links, or set " CORE);
}
END_TEST

START_TEST(device_that_cannot_be_read)
{
	function("0000:00:02.0", "0x1234\n", "0x1111\n", NULL);
	put(at("sys/bus/pci/devices/0000:00:04.0/device"), "0x0050\n");
	ck_assert_int_eq(symlink("vendor", at("sys/bus/pci/devices/0000:00:04.0/vendor")), 0);
	fails(ELOOP);
	says("is not known");
	free(err);
	function("0000:00:05.0", "0x1b36\n", "0x0050\n", NULL);
	fails(ENXIO);				/* and one is known */
}
END_TEST

START_TEST(other_devices)
{
	function("0000:00:02.0", "0x8086\n", "0x0050\n", "i915");
	function("0000:00:03.0", "0x1b36\n", "0x0001\n", NULL);
	node(128, "0000:00:02.0");
	ck_assert_int_eq(symlink("renderD128", at("dev/dri/renderD128")), 0);	/* ELOOP */
	put(at("sys/class/drm/renderD129/device/uevent"), "not of the PCI bus");
	ck_assert_int_eq(symlink("renderD129", at("dev/dri/renderD129")), 0);
	put(at("dev/dri/renderD130"), "unknown to sysfs, and no DRM node");
	none();
}
END_TEST

START_TEST(no_driver)
{
	function("0000:00:02.0", "0x8086\n", "0x0050\n", "i915");
	ppu(NULL);
	fails(ENXIO);
	says("there is a PPU at 0000:00:04.0");
	says("modprobe ppu");
	says(CORE);
	/* the second of none is none, without a word */
	free(err);
	ck_assert_int_eq(ppu_node_open(root, NULL, 1, path, &err), -ENODEV);
	ck_assert_ptr_null(err);
}
END_TEST

START_TEST(driver_that_failed)
{
	ppu(NULL);
	at("sys/bus/pci/drivers/ppu/bind");
	fails(ENXIO);
	says("0000:00:04.0, but the driver ppu, which is loaded, has not taken it");
	says("dmesg");
	says(CORE);
}
END_TEST

START_TEST(driver_of_others)
{
	ppu("vfio-pci");
	fails(ENXIO);
	says("0000:00:04.0, but the driver vfio-pci has it");
	says(CORE);
}
END_TEST

START_TEST(no_file)
{
	ppu("ppu");
	node(128, "0000:00:04.0");
	fails(ENXIO);
	says("no render node of it in /dev/dri");
	says("udev");
	/* a link to nowhere is no file either */
	free(err);
	ck_assert_int_eq(symlink("nowhere", at("dev/dri/renderD128")), 0);
	fails(ENXIO);
	says("udev");
}
END_TEST

static void socket_at(const char *file)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_ge(s, 0);
	snprintf(a.sun_path, sizeof(a.sun_path), "%s", file);
	ck_assert_int_eq(bind(s, (struct sockaddr *)&a, sizeof(a)), 0);
	close(s);
}

/* Whatever open() says but ENOENT is an error. */
START_TEST(cannot_be_opened)
{
	ppu("ppu");
	node(130, "0000:00:04.0");
	switch (_i) {
	case 0:
		ck_assert_int_eq(symlink("renderD130", at("dev/dri/renderD130")), 0);
		fails(ELOOP);
		says("symbolic links");
		break;
	case 1:
		ck_assert_int_eq(mkdir(at("dev/dri/renderD130"), 0755), 0);
		fails(EISDIR);
		says("Is a directory");
		break;
	case 2:
		socket_at(at("dev/dri/renderD130"));
		fails(ENXIO);
		says("No such device or address");
		break;
	case 3:
		put(at("dev/dri/renderD130"), "");
		ck_assert_int_eq(chmod(at("dev/dri/renderD130"), 0), 0);
		if (!geteuid())
			ck_assert_int_eq(seteuid(65534), 0);
		fails(EACCES);
		if (!getuid())
			ck_assert_int_eq(seteuid(0), 0);
		says("Permission denied");
		says("group \"render\"");
		break;
	}
	says("there is a PPU, but its render node");
	says("/dev/dri/renderD130 cannot be opened");
	says(CORE);
}
END_TEST

/* A node that sysfs does not know may be a PPU's. */
START_TEST(unknown_node)
{
	socket_at(at("dev/dri/renderD128"));
	fails(ENXIO);
	says("may be a PPU's");
}
END_TEST

START_TEST(not_our_driver)
{
	ppu("other");
	node(128, "0000:00:04.0");
	put(at("dev/dri/renderD128"), "");
	fails(EINVAL);
	says("no DRM driver, not of the driver ppu");
	says(CORE);
}
END_TEST

/* One that cannot be used hides none of the others' mistakes: the first is told. */
START_TEST(first_mistake)
{
	ppu("ppu");
	function("0000:00:05.0", "0x1b36\n", "0x0050\n", "ppu");
	node(128, "0000:00:04.0");
	node(129, "0000:00:05.0");
	socket_at(at("dev/dri/renderD128"));
	ck_assert_int_eq(mkdir(at("dev/dri/renderD129"), 0755), 0);
	fails(ENXIO);
	says("renderD128");
}
END_TEST

START_TEST(chosen)
{
	char file[128];

	snprintf(file, sizeof(file), "%s/none", root);
	ck_assert_int_eq(ppu_node_open(root, file, 0, path, &err), -ENOENT);
	says("PPU_DRM_NODE");
	says(file);
	says("No such file");
	free(err);
	put(file, "");
	ck_assert_int_eq(ppu_node_open(root, file, 0, path, &err), -EINVAL);
	says("is no render node of a PPU");
	free(err);
	ck_assert_int_eq(ppu_node_open(root, file, 1, path, &err), -ENODEV);
	ck_assert_ptr_null(err);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("node");
	TCase *c = tcase_create("node");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, nothing_at_all);
	tcase_add_test(c, bus_that_cannot_be_read);
	tcase_add_test(c, device_that_cannot_be_read);
	tcase_add_test(c, other_devices);
	tcase_add_test(c, no_driver);
	tcase_add_test(c, driver_that_failed);
	tcase_add_test(c, driver_of_others);
	tcase_add_test(c, no_file);
	tcase_add_loop_test(c, cannot_be_opened, 0, 4);
	tcase_add_test(c, unknown_node);
	tcase_add_test(c, not_our_driver);
	tcase_add_test(c, first_mistake);
	tcase_add_test(c, chosen);
	suite_add_tcase(s, c);
	return run_suite(s);
}
