/* SPDX-License-Identifier: MIT */
#include <regex.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>

#include "harness.h"
#include "sysfile.h"
#include "verdict.h"
#include "weather.h"
#include "witness.h"

#define KMEMLEAK "/sys/kernel/debug/kmemleak"

static int kmsg;
static uint64_t vram_at_first, users_at_first;
static regex_t complaint;

/* As in scripts/guest/run-tests. */
static const char complaints[] =
	"WARNING: |BUG: |Oops|KASAN|UBSAN|general protection|Call Trace|possible recursive|possible circular|"
	"suspicious RCU|INFO: task|refcount_t:|list_(add|del) corruption|ODEBUG:|"
	"DMA-API:.*(error|leaked|pending)|Kernel panic|stack guard";

static bool wrong(char *what, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static bool wrong(char *what, size_t size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, size, fmt, ap);
	va_end(ap);
	return false;
}

static uint64_t number_in(const char *path)
{
	char *text = file_text(path);
	uint64_t n = text ? strtoull(text, NULL, 10) : 0;

	free(text);
	return n;
}

static uint64_t vram_free(void)
{
	struct drm_ppu_get_param a = { .param = DRM_PPU_PARAM_VRAM_AVAIL };
	int fd = find_ppu();

	if (fd < 0)
		return 0;
	if (try_ioctl(fd, DRM_IOCTL_PPU_GET_PARAM, &a))
		a.value = 0;
	close(fd);
	return a.value;
}

static unsigned lines_of(const char *name)
{
	char *text = debugfs_text(name);
	unsigned n = 0;

	for (const char *p = text; *p; p++)
		n += *p == '\n';
	free(text);
	return n;
}

/* Channels, queues: a heading, then a line each. VMs: a line or more each. */
static bool nothing_left(char *what, size_t size)
{
	uint64_t vram = vram_free(), users = number_in("/sys/module/ppu/refcnt");
	unsigned channels, vms;

	if (!weather_has_node())
		return wrong(what, size, "the device has no node");
	channels = lines_of("channels");
	vms = lines_of("vms");
	if (channels != 1 || vms)
		return wrong(what, size, "debugfs: %u lines of channels, %u of VMs", channels, vms);
	if (lines_of("queues") != 1)
		return wrong(what, size, "debugfs: device-owned queues are left");
	if (vram < vram_at_first)
		return wrong(what, size, "%llu bytes of VRAM are missing",
			     (unsigned long long)(vram_at_first - vram));
	if (users > users_at_first)
		return wrong(what, size, "the module has %llu users instead of %llu", (unsigned long long)users,
			     (unsigned long long)users_at_first);
	/* A process that ended before the first count may have freed its memory after it. */
	vram_at_first = vram;
	return true;
}

static bool kernel_silent(char *what, size_t size)
{
	char line[2048];
	ssize_t n;

	while ((n = read(kmsg, line, sizeof(line) - 1)) > 0) {
		line[n] = 0;
		if (!regexec(&complaint, line, 0, NULL, 0))
			return wrong(what, size, "the kernel complained: %s", line);
	}
	return true;
}

/* Lockdep switches itself off at its first report, or when it has no room. */
static bool checkers_on(char *what, size_t size)
{
	char *text = file_text("/proc/lockdep_stats");
	bool on = !text || strstr(text, "debug_locks:                             1");

	free(text);
	return on || wrong(what, size, "lockdep is off");
}

void verdict_init(void)
{
	kmsg = kmsg_open();
	CHECK(!regcomp(&complaint, complaints, REG_EXTENDED | REG_NOSUB));
	vram_at_first = vram_free();
	users_at_first = number_in("/sys/module/ppu/refcnt");
	CHECK(vram_at_first);
}

bool verdict_round(char *what, size_t size)
{
	uint64_t end = now_ns() + 20000 * MS * time_scale();

	while (!nothing_left(what, size)) {
		if (!kernel_silent(what, size) || now_ns() > end)
			return false;
		sleep_ms(2);
	}
	return witness_works(what, size) && kernel_silent(what, size) && checkers_on(what, size);
}

bool verdict_leaks(char *what, size_t size)
{
	char *text;
	bool found;

	if (access(KMEMLEAK, W_OK))
		return true;
	/* An object counts once it is five seconds old, and once two scans saw it with the same contents. */
	sleep_ms(6000);
	file_write(KMEMLEAK, "scan");
	file_write(KMEMLEAK, "scan");
	text = file_text(KMEMLEAK);
	found = text && *text;
	if (found) {
		printf("%.8000s\n", text);
		wrong(what, size, "memory leaked");
		file_write(KMEMLEAK, "clear");
	}
	free(text);
	return !found;
}
