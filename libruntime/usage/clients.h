/* SPDX-License-Identifier: MIT */
/*
 * Who uses a device: the files that processes have open on the driver, as /proc/PID/fdinfo tells it (the kernel's
 * drm-usage-stats; Documentation/uapi/debug.md).  Only what the caller may read: a user sees the user's own processes.
 */
#ifndef PPU_USAGE_CLIENTS_H
#define PPU_USAGE_CLIENTS_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* One open file.  Descriptors that share it (dup, fork) count once, for the process with the smallest number. */
struct usage_client {
	int pid;
	uint64_t id;				/* drm-client-id */
	uint64_t compute_ns, copy_ns, queue_ns;	/* device time, since the file was opened */
	uint64_t vram, vram_total, system;	/* bytes: in VRAM now; with what was moved out; in system memory */
	char name[32];				/* of the process (comm) */
};

/*
 * The clients of the device at PCI address `pdev` ("0000:00:04.0"), by process and id.  `proc` is where procfs is mounted.
 * Returns their number, and in *list an array that the caller frees; or a negative errno.
 */
int usage_clients(const char *proc, const char *pdev, struct usage_client **list);

/*
 * What a file did since it was in `old`, an earlier list of n, whoever has it now: `c` with the engine times since then.
 */
struct usage_client usage_since(const struct usage_client *c, const struct usage_client *old, unsigned n);

/* How much more is `now`?  A count that went back, as that of another device does, is no more. */
uint64_t usage_more(uint64_t now, uint64_t before);

/* `part` of `whole` in percent, rounded, 100 at most; 0 of nothing. */
unsigned usage_percent(uint64_t part, uint64_t whole);

#pragma GCC visibility pop
#endif
