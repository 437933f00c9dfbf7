/* SPDX-License-Identifier: MIT */
/*
 * In a guest whose PPU cannot be used nothing is falsely green: every sample, tool and CUDA program ends with an
 * error and says why, with no backend asked for.  The driver is unloaded, unbound, its node removed or closed to the
 * user, opening it fails.  TAP.  At the end everything is as before, and a sample runs through the driver.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <hw/ppu_regs.h>
#include "lib/check.h"

#define DRIVER		"/sys/bus/pci/drivers/ppu/"
#define MODULE		"/ppu/kmod/ppu.ko"
#define OUTPUT		"/tmp/never-false"
#define NOBODY		65534
#define PATIENCE_MS	20000

static char where[64];		/* the PPU's PCI address */
static char node[64];		/* and its node */

/* ---- programs -------------------------------------------------------------------------------------- */

/* How a program is started. */
struct way {
	bool as_nobody;		/* not as root */
	int open_fails;		/* open(O_RDWR | O_CLOEXEC), as of a device node, gives this errno */
	const char *chosen;	/* PPU_DRM_NODE */
};

static void let_open_fail(int error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, O_RDWR | O_CLOEXEC, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(code[0]), code };

	CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	CHECK(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog));
}

static void start(const char *program, const struct way *w)
{
	const char *cuda = strstr(program, "/cuda-");
	int fd = open(OUTPUT, O_RDWR | O_CREAT | O_TRUNC, 0666);

	CHECK(fd >= 0 && dup2(fd, 1) == 1 && dup2(fd, 2) == 2 && !chdir("/tmp"));
	close(fd);
	unsetenv("PPU_BACKEND");
	if (cuda)
		setenv("LD_LIBRARY_PATH", "/ppu/lib/cuda", 1);
	if (w->chosen)
		setenv("PPU_DRM_NODE", w->chosen, 1);
	alarm(120);
	if (w->as_nobody)
		CHECK(!setgid(NOBODY) && !setuid(NOBODY));
	if (w->open_fails)
		let_open_fail(w->open_fails);
	if (strstr(program, "ppu-run"))
		execl(program, program, "--quiet", "/ppu/samples/vector_add.ptx", "vector_add", "1", "64", "buf:256,iota32",
		      "buf:256,iota32", "buf:256", "u32:64", NULL);
	else
		execl(program, program, NULL);
	_exit(127);
}

/* The program's status; what it wrote is in text. */
static int run(const char *program, const struct way *w, char *text, size_t len)
{
	int status, fd;
	ssize_t n;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid)
		start(program, w);
	CHECK(waitpid(pid, &status, 0) == pid);
	fd = open(OUTPUT, O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0);
	n = read(fd, text, len - 1);
	CHECK(n >= 0);
	text[n] = 0;
	close(fd);
	return status;
}

/* Ends with an error, says `sentence`, claims nothing. */
static bool fails(const char *program, const struct way *w, const char *sentence)
{
	char text[8192];
	int status = run(program, w, text, sizeof(text));
	bool good = WIFEXITED(status) && WEXITSTATUS(status) && WEXITSTATUS(status) != 127 && strstr(text, sentence) &&
		    strncmp(text, "ok", 2) && !strstr(text, "\nok") && !strstr(text, "backend core") &&
		    !strstr(text, "inside this process");

	if (!good)
		printf("# %s: status 0x%x, wrote: %s\n", program, (unsigned)status, text);
	return good;
}

/* few: one of each kind, not every program.  The caller first mends what is wrong, then looks at the result. */
static bool all_fail(const struct way *w, const char *sentence, bool few)
{
	glob_t g = { 0 };
	unsigned bad = 0;

	if (few) {
		CHECK(!glob("/ppu/bin/sample-vector-add", 0, NULL, &g));
		CHECK(!glob("/ppu/bin/cuda-vector-add", GLOB_APPEND, NULL, &g));
	} else {
		CHECK(!glob("/ppu/bin/sample-*", 0, NULL, &g));
		CHECK(!glob("/ppu/bin/cuda-*", GLOB_APPEND, NULL, &g));
		CHECK(g.gl_pathc >= 16);
	}
	CHECK(!glob("/ppu/bin/ppu-info", GLOB_APPEND, NULL, &g) && !glob("/ppu/bin/ppu-run", GLOB_APPEND, NULL, &g));
	for (size_t i = 0; i < g.gl_pathc; i++)
		bad += !fails(g.gl_pathv[i], w, sentence);
	globfree(&g);
	return !bad;
}

/* ---- the device ------------------------------------------------------------------------------------ */

static long number(const char *dir, const char *file)
{
	char path[320];
	long n = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/%s", dir, file);
	f = fopen(path, "re");
	if (f && fscanf(f, "%li", &n) != 1)
		n = -1;
	if (f)
		fclose(f);
	return n;
}

static void find_device(void)
{
	DIR *d = opendir("/sys/bus/pci/devices");
	struct dirent *e;

	CHECK(d);
	while ((e = readdir(d)))
		if (number(e->d_name, "vendor") == PPU_PCI_VENDOR_ID && number(e->d_name, "device") == PPU_PCI_DEVICE_ID)
			snprintf(where, sizeof(where), "%.63s", e->d_name);
	closedir(d);
	CHECK(where[0]);
}

/* The PPU's node as sysfs has it; false: it has none. */
static bool find_node(void)
{
	char path[320];
	struct dirent *e;
	DIR *d;

	node[0] = 0;
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/drm", where);
	d = opendir(path);
	while (d && (e = readdir(d)))
		if (!strncmp(e->d_name, "renderD", 7))
			snprintf(node, sizeof(node), "/dev/dri/%.40s", e->d_name);
	if (d)
		closedir(d);
	return node[0];
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

/* The device is back; its node is for everybody, as the guest's init has it. */
static void wait_for_node(void)
{
	for (int ms = 0; ms < PATIENCE_MS && (!find_node() || access(node, F_OK)); ms += 10)
		usleep(10000);
	CHECK(node[0] && !chmod(node, 0666));
}

static void unload(void)
{
	for (int ms = 0; ms < PATIENCE_MS; ms += 10) {
		if (!syscall(SYS_delete_module, "ppu", O_NONBLOCK))
			return;
		CHECK(errno == EWOULDBLOCK || errno == EAGAIN);	/* the last user's file may still be on its way out */
		usleep(10000);
	}
	CHECK(!"the module has users");
}

static void load(void)
{
	int fd = open(MODULE, O_RDONLY | O_CLOEXEC);

	CHECK(fd >= 0 && !syscall(SYS_finit_module, fd, "", 0));
	close(fd);
	wait_for_node();
}

/* ---- what is wrong --------------------------------------------------------------------------------- */

static void no_module(void)
{
	bool good;

	find_device();
	unload();
	good = all_fail(&(struct way){ 0 }, "load the driver (modprobe ppu)", false);
	load();
	CHECK(good);
}

static void not_bound(void)
{
	bool good;

	find_device();
	write_file(DRIVER "unbind", where);
	good = all_fail(&(struct way){ 0 }, "but the driver ppu, which is loaded, has not taken it", true);
	write_file(DRIVER "bind", where);
	wait_for_node();
	CHECK(good);
}

static void no_file(void)
{
	struct stat st;
	bool good;

	find_device();
	CHECK(find_node() && !stat(node, &st) && S_ISCHR(st.st_mode) && !unlink(node));
	good = all_fail(&(struct way){ 0 }, "no render node of it in /dev/dri: let udev make the node", true);
	CHECK(!mknod(node, S_IFCHR | 0666, st.st_rdev));
	wait_for_node();
	CHECK(good);
}

static void another_file(void)
{
	struct stat st;
	bool good;

	find_device();
	CHECK(find_node() && !stat(node, &st) && !unlink(node));
	/* a number that no device has */
	CHECK(!mknod(node, S_IFCHR | 0666, makedev(major(st.st_rdev), 191)));
	good = all_fail(&(struct way){ 0 }, "cannot be opened: No such", true);
	CHECK(!unlink(node) && !mknod(node, S_IFCHR | 0666, st.st_rdev));
	wait_for_node();
	CHECK(good);
}

static void no_permission(void)
{
	bool good;

	find_device();
	CHECK(find_node() && !chmod(node, 0600));
	good = all_fail(&(struct way){ .as_nobody = true }, "cannot be opened: Permission denied; get the permission", true);
	CHECK(!chmod(node, 0666));
	CHECK(good);
}

/* What was seen: a driver whose nodes cannot be opened on that kernel, and samples that said "ok". */
static void open_gives_einval(void)
{
	CHECK(all_fail(&(struct way){ .open_fails = EINVAL }, "cannot be opened: Invalid argument", false));
}

static void chosen_is_not_there(void)
{
	CHECK(all_fail(&(struct way){ .chosen = "/dev/dri/renderD190" },
		       "\"/dev/dri/renderD190\" that was asked for (PPU_DRM_NODE) cannot be opened", true));
}

static void chosen_is_none(void)
{
	CHECK(all_fail(&(struct way){ .chosen = "/dev/null" }, "is no render node of a PPU", true));
}

/* The same with nothing wrong, so that the failures above mean something. */
static void works(void)
{
	char text[8192];
	int status;

	find_device();
	CHECK(find_node());
	for (int i = 0; i < 3; i++) {
		struct way w = { .as_nobody = i == 1, .chosen = i == 2 ? node : NULL };

		status = run("/ppu/bin/sample-device-query", &w, text, sizeof(text));
		if (status)
			printf("# %s\n", text);
		CHECK(!status && strstr(text, "backend drm") && strstr(text, "\nok: ") && !strstr(text, "libppu:"));
	}
}

int main(void)
{
	static const struct system_test tests[] = {
		{ "no driver: every program fails and says how to load it", no_module },
		{ "a driver that did not take the device: programs fail", not_bound },
		{ "no node in /dev: programs fail", no_file },
		{ "a node that is no device's: programs fail", another_file },
		{ "a node without permission: programs fail", no_permission },
		{ "open() gives EINVAL: every program fails", open_gives_einval },
		{ "PPU_DRM_NODE names nothing: programs fail", chosen_is_not_there },
		{ "PPU_DRM_NODE names something else: programs fail", chosen_is_none },
		{ "with nothing wrong the driver is used", works },
	};

	return run_each(tests, sizeof(tests) / sizeof(tests[0]));
}
