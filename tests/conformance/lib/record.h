/* SPDX-License-Identifier: MIT */
/*
 * Calls of the driver as bytes: recorded once by a program of some version, and replayed by all later ones.
 *
 * A record is a list of lines.  All arguments and arrays are in one piece of memory, the arena, whose address is the
 * same in every process, so that pointers are bytes like others.  Ids, handles and descriptors come out the same in
 * every new file.  What may differ is written as "..": values of one machine, addresses, times.
 *
 *	put OFFSET HEX		the program writes to the arena
 *	call REQUEST ERRNO NAME	ioctl() whose argument is the arena's first byte; 0: it works
 *	get OFFSET HEX		what the arena shows then, where the driver has written; all else is as it was
 *	map HANDLE SIZE OFFSET	GEM_MMAP_OFFSET and mmap() of an object over a part of the arena
 *	eventfd FD, read FD N	makes a descriptor; reads a sum from it
 *	look OFFSET HEX		what is in a mapped object
 */
#ifndef PPU_CONFORMANCE_RECORD_H
#define PPU_CONFORMANCE_RECORD_H

#include "harness.h"

#define ARENA_ADDR	0x200000000ull
#define ARENA_SIZE	0x20000u
#define ARENA_ARGS	0x2000u		/* arguments and arrays; behind them: mapped objects, pages for userptr */

/* ---- replaying ---- */

/* Ends the test at the first line that does not come out as it was recorded. */
void replay(const char *const *lines, unsigned count);
/* Is an ioctl of this number (without DRM_COMMAND_BASE) called with success in the record? */
bool record_has(const char *const *lines, unsigned count, unsigned nr);

/* ---- recording ---- */

struct recorder {
	int fd;
	char **lines;
	unsigned count;
	uint32_t used;			/* bytes of the arena that the next call names */
	unsigned char vary[ARENA_ARGS];	/* bytes that may differ */
};

void record_begin(struct recorder *r);
void record_end(struct recorder *r);
/* Room in the arena for the next call, zeroed; the first one is the argument. */
void *record_arg(struct recorder *r, size_t size);
/* The driver's answer may differ here. */
void record_vary(struct recorder *r, const void *p, size_t size);
/* Calls, and writes it down.  Returns the argument, which stays as it is until the next record_arg(). */
void *record_call(struct recorder *r, unsigned long req, const char *name, int err);
void *record_map(struct recorder *r, uint32_t handle, uint32_t size, uint32_t offset);
/* What the program stores in a mapped object, and what it finds there. */
void record_store(struct recorder *r, uint32_t offset, const void *p, size_t size);
void record_look(struct recorder *r, uint32_t offset, size_t size);
void record_eventfd(struct recorder *r, int fd);
void record_read(struct recorder *r, int fd);
/* Prints two records of the same calls as one: bytes that differ become "..". */
void record_print(const struct recorder *a, const struct recorder *b, const char *name);

#endif
