/* SPDX-License-Identifier: MIT */
/* What a program left in the device's memory, from its records (check/contents.h), and how two runs differ in it. */
#ifndef PPU_CHECK_MEMORY_H
#define PPU_CHECK_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct memory_block {
	unsigned context, number;	/* of the program's; number: of the context's allocations and variables, from 1 */
	uint64_t bytes;
	char *contents;			/* check/contents_record.h */
	char *who;			/* "the 4000 bytes of cudaMalloc in main+0x2b" */
};

struct memory {
	struct memory_block *block;	/* by context and number */
	unsigned n;
	bool opened;			/* the program has used the device */
	uint64_t orders;		/* of its small launches (ppu_order.h) */
};

void memory_read(const char *path, struct memory *m);
void memory_free(struct memory *m);
bool memory_differs(const struct memory *a, const struct memory *b);
/* Says what is another one than in the device's own order.  order: which one that was. */
void memory_tell(const struct memory *own, const struct memory *m, unsigned order);

#endif
