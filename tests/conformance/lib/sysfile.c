/* SPDX-License-Identifier: MIT */
#include <linux/netlink.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/socket.h>

#include "sysfile.h"

#define PARAMS "/sys/module/ppu/parameters/"

char *file_text(const char *path)
{
	size_t have = 0, room = 4096;
	char *text = malloc(room);
	int fd = open(path, O_RDONLY);
	ssize_t n;

	CHECK(text);
	if (fd < 0) {
		free(text);
		return NULL;
	}
	while ((n = read(fd, text + have, room - have - 1)) > 0) {
		have += (size_t)n;
		if (room - have < 2048)
			CHECK((text = realloc(text, room *= 2)));
	}
	close(fd);
	text[have] = 0;
	return text;
}

void file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		FAIL("%s: %s", path, strerror(errno));
	close(fd);
}

/*
 * Tests change parameters in processes of their own, which may fail: the main
 * process remembers all of them first.
 */
static const char *const known[] = {
	"max_vms", "max_channels", "max_kernel_channels", "max_groups", "max_sems", "max_events",
	"max_fences", "max_binds", "max_watches", "max_system_mb", "max_vram_mb", "irq_rate",
	"max_mappings", "max_entries",
	"coredump_interval_ms",
};
#define KNOWN (sizeof(known) / sizeof(known[0]))
static char *saved[KNOWN];

static void restore(void)
{
	for (unsigned i = 0; i < KNOWN; i++) {
		char path[128];
		int fd;

		snprintf(path, sizeof(path), PARAMS "%s", known[i]);
		fd = open(path, O_WRONLY);
		if (fd >= 0 && saved[i] &&
		    write(fd, saved[i], strlen(saved[i])) != (ssize_t)strlen(saved[i]))
			perror(path);
		if (fd >= 0)
			close(fd);
	}
}

__attribute__((constructor)) static void save(void)
{
	for (unsigned i = 0; i < KNOWN; i++) {
		char path[128];

		snprintf(path, sizeof(path), PARAMS "%s", known[i]);
		saved[i] = file_text(path);
	}
	atexit(restore);
}

uint64_t modparam(const char *name)
{
	char path[128], *text;
	uint64_t value;

	snprintf(path, sizeof(path), PARAMS "%s", name);
	text = file_text(path);
	if (!text)
		FAIL("no module parameter %s", name);
	value = strtoull(text, NULL, 10);
	free(text);
	return value;
}

void modparam_set(const char *name, uint64_t value)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), PARAMS "%s", name);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	file_write(path, text);
}

static void debugfs_path(char *path, size_t size, const char *name)
{
	if (access("/sys/kernel/debug/dri", F_OK))
		mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	for (unsigned minor = 0; minor < 64; minor++) {
		snprintf(path, size, "/sys/kernel/debug/dri/%u/%s", minor, name);
		if (!access(path, R_OK))
			return;
	}
	FAIL("no %s in debugfs", name);
}

char *debugfs_text(const char *name)
{
	char path[128], *text;

	debugfs_path(path, sizeof(path), name);
	text = file_text(path);
	if (!text)
		FAIL("%s cannot be read", path);
	return text;
}

void debugfs_write(const char *name, const char *text)
{
	char path[128];

	debugfs_path(path, sizeof(path), name);
	file_write(path, text);
}

uint64_t debugfs_number(const char *file, const char *name)
{
	char *text = debugfs_text(file), *line = text;
	size_t n = strlen(name);
	uint64_t value;

	while (strncmp(line, name, n) || line[n] != ' ') {
		line = strchr(line, '\n');
		if (!line || !*++line)
			FAIL("no %s in %s", name, file);
	}
	value = strtoull(line + n, NULL, 10);
	free(text);
	return value;
}

uint64_t fdinfo_kib(int fd, const char *key)
{
	char path[64], *text, *at;
	uint64_t kib;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	text = file_text(path);
	CHECK(text);
	at = strstr(text, key);
	if (!at)
		FAIL("no %s in fdinfo", key);
	kib = strtoull(at + strlen(key), NULL, 10);
	free(text);
	return kib;
}

int kmsg_open(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);

	CHECK(fd >= 0);
	lseek(fd, 0, SEEK_END);
	return fd;
}

bool kmsg_find(int fd, unsigned ms, const char *const *parts)
{
	uint64_t end = now_ns() + ms * MS * time_scale();
	char line[1024];

	for (;;) {
		ssize_t n = read(fd, line, sizeof(line) - 1);
		bool all = n > 0;

		if (n > 0)
			line[n] = 0;
		for (unsigned i = 0; all && parts[i]; i++)
			all = strstr(line, parts[i]);
		if (all)
			return true;
		if (n <= 0) {
			struct pollfd p = { .fd = fd, .events = POLLIN };

			if (now_ns() > end)
				return false;
			poll(&p, 1, 20);
		}
	}
}

uint64_t bar0(void)
{
	char path[128];
	unsigned long long start = 0;

	for (unsigned bus = 0; bus < 256 && !start; bus++) {
		FILE *f;
		unsigned id = 0;

		snprintf(path, sizeof(path), "/sys/bus/pci/devices/0000:%02x:00.0/device", bus);
		f = fopen(path, "r");
		if (!f)
			continue;
		if (fscanf(f, "%x", &id) != 1)
			id = 0;
		fclose(f);
		if (id != PPU_PCI_DEVICE_ID)
			continue;
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/0000:%02x:00.0/resource", bus);
		f = fopen(path, "r");
		CHECK(f && fscanf(f, "%llx", &start) == 1);
		fclose(f);
	}
	CHECK(start);
	return start;
}

void memory_press(void)
{
	if (!modparam("shrink_unswapped"))
		modparam_set("shrink_unswapped", 1);
	file_write("/proc/sys/vm/drop_caches", "2");
}

int uevent_open(void)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);

	CHECK(fd >= 0 && !bind(fd, (struct sockaddr *)&addr, sizeof(addr)));
	return fd;
}

bool uevent_seen(int fd, const char *line)
{
	char text[8192];
	ssize_t n;

	while ((n = recv(fd, text, sizeof(text) - 1, 0)) > 0) {
		text[n] = '\0';
		for (char *at = text; at < text + n; at += strlen(at) + 1)
			if (!strcmp(at, line))
				return true;
	}
	return false;
}
