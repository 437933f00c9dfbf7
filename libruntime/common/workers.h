/* SPDX-License-Identifier: MIT */
/*
 * Worker threads that share the work of a round: the SMs of the in-process device.  (The same in QEMU is
 * qemu-device/ppu_pool.c: its threads must be QEMU's, registered with its RCU.  The threads of host functions,
 * api/stream/hostfn.c, are no pool: each is a stream's order of its own.)
 */
#ifndef PPU_WORKERS_H
#define PPU_WORKERS_H

#pragma GCC visibility push(hidden)

struct ppu_workers;

/* CPUs that this process may use. */
unsigned ppu_workers_cpus(void);
/* Makes this many workers, the caller of run() included; fewer if the host has no more threads.  NULL: no
 * memory. */
struct ppu_workers *ppu_workers_new(unsigned workers);
/*
 * Calls fn(arg, 0) and, in threads that are there in time, fn(arg, i), at most once for each worker i and always in its
 * thread. Each call takes what it finds to do. Returns when all have returned. One round at a time.
 */
void ppu_workers_run(struct ppu_workers *p, void (*fn)(void *arg, unsigned worker), void *arg);
void ppu_workers_free(struct ppu_workers *p);

#pragma GCC visibility pop
#endif
