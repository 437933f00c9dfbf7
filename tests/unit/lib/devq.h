/* SPDX-License-Identifier: MIT */
/* For tests of device-owned work queues through the runtime, on the core backend: kernels of devq.cu. */
#ifndef DEVQ_H
#define DEVQ_H

#include "rt_spy.h"
#include "ppu_queue.h"

#define DEVQ_WORDS	8192u

/* 16 KiB of u32 in device memory, zero; and its copy. */
extern void *devq_dev;
extern uint32_t devq_host[DEVQ_WORDS];
extern struct rt_spy devq_spy;
extern ppuModule devq_module;

/* The runtime on one SM, the module, and a queue of so many entries for the default stream (0: the runtime is
 * to make one). */
void devq_start(const char *props, uint32_t entries, uint32_t flags, uint32_t initial_get);
void devq_start_traced(const char *props, const char *trace);
void devq_stop(void);
/* Launch `name` in the default stream: the arguments are u64 each, as many as the kernel has. */
ppuResult devq_launch(const char *name, uint32_t grid, uint32_t block, const uint64_t *args);
#define DEVQ_LAUNCH(name, grid, block, ...) OK(devq_launch(name, grid, block, (const uint64_t[]){ __VA_ARGS__ }))
#define DEVQ_RUN(name, grid, block, ...) do { \
	DEVQ_LAUNCH(name, grid, block, __VA_ARGS__); \
	OK(ppuCtxSynchronize()); \
} while (0)
/* Word n of the device memory, as an argument. */
#define DEVQ_AT(n)	((uint64_t)(uintptr_t)devq_dev + 4ull * (n))
void devq_fetch(void);		/* copies the device memory to devq_host */
uint64_t devq_u64(unsigned word);	/* two words of the device memory */
void devq_put(unsigned word, const void *data, size_t bytes);

ppuQueueInfo devq_info(void);
struct ppu_gpfifo_entry devq_entry(uint32_t index);
uint64_t devq_sem(uint32_t index);
/* The commands an entry points to, as words: "launch", "acquire(sem3==1)", "wfi", "Y=1", "X==2", "nop", ... */
const char *devq_block(uint32_t index);

#endif
