/* SPDX-License-Identifier: MIT */
/* The script of tests/driver, with the kernel's driver.  (In this process: tests/unit/runtime/test_driver_script.c.) */
#include <sys/mount.h>
#include <unistd.h>

#include "../driver/script.h"
#include "lib/check.h"

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

int main(void)
{
	struct s_state s = { .be = &ppu_be_drm, .look = look };
	ppuInitOptions opt = { .backend = "drm" };
	unsigned bad;
	char *err;

	CHECK(!s.be->open(&opt, 0, &s.dev, &err));
	bad = s_run(&s);
	s.be->close(s.dev);
	printf("1..1\n%sok 1 - the kernel's driver answers the script as the one in a process does\n",
	       bad ? "not " : "");
	return bad != 0;
}
