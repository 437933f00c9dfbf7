/* SPDX-License-Identifier: MIT */
/*
 * One call of the ioctl fuzzer: how it is made from a number, and what is checked when it returns.
 */
#ifndef PPU_DEBUG_FUZZ_H
#define PPU_DEBUG_FUZZ_H

#include <stdbool.h>
#include <stdint.h>

#include <hw/ppu_cmd.h>

/* A generator: its state is the caller's. */
uint64_t fuzz_next(uint64_t *rng);
unsigned fuzz_below(uint64_t *rng, unsigned n);

#define FUZZ_POOL_SIZE	16	/* newest objects of a kind */
#define FUZZ_KINDS	16	/* kinds of ids: vm_id, channel_id, ... */
#define FUZZ_MAPS	8
#define FUZZ_RINGS	2	/* a copy and a compute channel */

/* The state of one program: a file, and what its calls returned. Several threads may use it. */
struct fuzz {
	int fd, eventfd;
	bool verbose;
	struct fuzz_ring {		/* of a user-submit channel; NULL: it has none */
		volatile struct ppu_gpfifo_entry *entries;
		volatile uint32_t *userd;
		uint32_t count, put;
	} ring[FUZZ_RINGS];
	struct fuzz_pool {
		const char *kind;
		unsigned count;
		uint32_t id[FUZZ_POOL_SIZE];
	} pool[FUZZ_KINDS];
	struct fuzz_map {
		void *p;
		uint64_t size;
	} map[FUZZ_MAPS];
	unsigned num_maps;
	uint64_t offset;		/* the last mmap offset */
	char complaint[512];		/* why the program is a failure */
};

void fuzz_init(void);		/* for one thread that also checks what is left */
/* For several threads: the process once, then each thread, and a forked process, before its first call and at its end. */
void fuzz_signals(void);
void fuzz_thread(void);
void fuzz_thread_end(void);
/* False: there is no device. Objects that cannot be made because the device is going are missing. */
bool fuzz_open(struct fuzz *f, bool verbose);
unsigned fuzz_call(struct fuzz *f, uint64_t number);	/* new points of code */
void fuzz_drop(struct fuzz *f);			/* closes the file */
void fuzz_close(struct fuzz *f);		/* the same, and checks that nothing is left */

bool fuzz_has_coverage(void);
unsigned fuzz_points(void);	/* points of code reached in all */
void fuzz_report(void);		/* how often each ioctl was called, and worked */

#endif
