/* SPDX-License-Identifier: MIT */
/* The script of tests/driver, with the kernel's driver.  (In this process: tests/unit/runtime/test_driver_script.c.) */
#define _GNU_SOURCE
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <xf86drm.h>

#include <uapi/drm/ppu_drm.h>

#include "../driver/script.h"
#include "lib/check.h"

static bool old;		/* this driver is one of uAPI 1.0 */
static unsigned looks;		/* waits that ended without an event */

static int as_old(int fd, unsigned long request, void *arg)
{
	struct drm_ppu_sem_wait *w = arg;
	int rc;

	if (old && request == DRM_IOCTL_PPU_SEM_WAIT && w->flags & DRM_PPU_SEM_WAIT_VM) {
		errno = EINVAL;
		return -1;
	}
	rc = (int)syscall(SYS_ioctl, fd, request, arg);
	if (old && request == DRM_IOCTL_VERSION)
		((struct drm_version *)arg)->version_minor = 0;
	if (rc && request == DRM_IOCTL_PPU_SEM_WAIT && errno == ETIME)
		looks++;
	return rc;
}

/* All ioctls of this process come here: the program's symbol is found before the C library's. */
int ioctl(int fd, unsigned long request, ...);
int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	return as_old(fd, request, arg);
}

static FILE *page_tables(void)
{
	char path[128];
	FILE *f = NULL;

	if (access("/sys/kernel/debug/dri", F_OK))
		mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	for (unsigned minor = 0; minor < 64 && !f; minor++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%u/page_tables", minor);
		f = fopen(path, "r");
	}
	CHECK(f);
	return f;
}

/* Of the newest context. */
static void look(struct s_state *s, char *to, size_t room)
{
	unsigned newest = 0, id = 0;
	FILE *f = page_tables();
	char line[200];

	(void)s;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "context %u:", &id) == 1 && id > newest)
			newest = id;
	rewind(f);
	for (id = 0; fgets(line, sizeof(line), f);) {
		sscanf(line, "context %u:", &id);
		if (id == newest)
			s_look_line(line, to, room);
	}
	fclose(f);
}

static unsigned run(void)
{
	struct s_state s = { .be = &ppu_be_drm, .look = look, .one_channel = old };
	ppuInitOptions opt = { .backend = "drm" };
	unsigned bad;
	char *err;

	CHECK(!s.be->open(&opt, 0, &s.dev, &err));
	bad = s_run(&s);
	s.be->close(s.dev);
	return bad;
}

int main(void)
{
	unsigned bad = run();

	printf("%sok 1 - the kernel's driver answers the script as the one in a process does\n", bad ? "not " : "");
	printf("%sok 2 - no wait ended in order to look\n", looks ? "not " : "");
	bad += looks;
	old = true;
	looks = 0;
	if (run() || looks != 2) {
		printf("# waits that ended in order to look: %u\nnot ", looks);
		bad++;
	}
	printf("ok 3 - so does a driver of uAPI 1.0, whose waits end now and then\n1..3\n");
	return bad != 0;
}
