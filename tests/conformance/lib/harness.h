/* SPDX-License-Identifier: MIT */
/*
 * Harness of the conformance tests: each TEST runs in a process of its own, with
 * a time limit, and gives one line of TAP.
 *
 *	TEST(name, "what it shows") { CHECK(cond); ... }
 *	HARNESS_MAIN
 *
 * A failed CHECK ends its test.  Helpers below end the test when they fail.
 */
#ifndef PPU_CONFORMANCE_HARNESS_H
#define PPU_CONFORMANCE_HARNESS_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <drm.h>
#include <xf86drm.h>

#include <hw/ppu_cmd.h>
#include <hw/ppu_fault.h>
#include <hw/ppu_mmu.h>
#include <hw/ppu_regs.h>
#include <uapi/drm/ppu_drm.h>

/* ---- tests ---- */

struct test {
	const char *name, *doc;
	void (*fn)(void);
	struct test *next;
	int timeout_s;
};

void test_register(struct test *t);
int test_main(int argc, char **argv);

#define TEST_T(id, secs, text) \
	static void test_fn_##id(void); \
	static struct test test_##id = { #id, text, test_fn_##id, NULL, secs }; \
	__attribute__((constructor)) static void test_reg_##id(void) { test_register(&test_##id); } \
	static void test_fn_##id(void)
#define TEST(id, text) TEST_T(id, 120, text)
#define HARNESS_MAIN int main(int argc, char **argv) { return test_main(argc, argv); }

void test_fail(const char *file, int line, const char *fmt, ...)
	__attribute__((noreturn, format(printf, 3, 4)));

#define FAIL(...) test_fail(__FILE__, __LINE__, __VA_ARGS__)
#define CHECK(cond) do { if (!(cond)) FAIL("%s", #cond); } while (0)
#define CHECK_EQ(a, b) do { \
	unsigned long long a_ = (unsigned long long)(a), b_ = (unsigned long long)(b); \
	if (a_ != b_) \
		FAIL("%s is %llu (0x%llx), not %s = %llu (0x%llx)", #a, a_, a_, #b, b_, b_); \
} while (0)

/* The ioctl works, or fails with the given errno (raw: EINTR is not hidden). */
int try_ioctl(int fd, unsigned long req, void *arg);	/* 0 or errno */
#define DO(fd, req, arg) do { \
	int e_ = try_ioctl(fd, req, arg); \
	if (e_) FAIL("%s: %s", #req, strerror(e_)); \
} while (0)
#define DO_ERR(fd, req, arg, err) do { \
	int e_ = try_ioctl(fd, req, arg); \
	if (e_ != (err)) \
		FAIL("%s: %s instead of %s", #req, strerror(e_), strerror(err)); \
} while (0)

#define BAD_PTR 0x10ull		/* no user address */
#define MS 1000000ull

/* Time limits are multiplied by $PPU_TIME_SCALE: slow kernels set it. */
unsigned time_scale(void);
#define PATIENCE(ms) ((int)((ms) * time_scale()))	/* for poll() */
int64_t limit_ms(unsigned ms);	/* absolute time; the condition that is waited for comes true before it */
uint64_t now_ns(void);		/* CLOCK_MONOTONIC */
void sleep_ms(unsigned ms);
#define WAIT_FOR(cond, ms) do { \
	uint64_t end_ = now_ns() + (ms) * MS * time_scale(); \
	while (!(cond)) { \
		if (now_ns() > end_) FAIL("not within %u ms: %s", (unsigned)(ms), #cond); \
		usleep(200); \
	} \
} while (0)

/* Waits until a thread of this process, by its TID, sleeps in an ioctl. */
void wait_asleep(pid_t tid);

/* Runs code that may die of a signal; returns the signal, 0 if none. */
int signal_of(void (*fn)(void *), void *arg);

/* ---- device ---- */

int open_ppu(void);
int find_ppu(void);		/* -1: there is none */
int find_primary_ppu(void);	/* card*, whose number changes when the device comes back; -1: there is none */
uint64_t get_param(int fd, uint32_t param);

struct bo {
	int fd;
	uint32_t handle, placement;
	uint64_t size, va;
	void *map;		/* mapped on creation */
};

struct bo bo_new(int fd, uint64_t size, uint32_t placement);
void *bo_map(int fd, uint32_t handle, uint64_t size);
void bo_free(struct bo *bo);

uint32_t vm_new(int fd);
int vm_try_op(int fd, uint32_t vm, uint32_t op, uint32_t handle, uint64_t off, uint64_t va,
	      uint64_t size, uint32_t flags);		/* 0 or errno */
void vm_map(int fd, uint32_t vm, struct bo *bo, uint64_t va);

/* A block builder. */
struct cmds {
	uint32_t *p;
	uint32_t n, max;
	uint64_t va;
};

void cmd_raw(struct cmds *c, uint32_t word);
void cmd_nop(struct cmds *c, unsigned words);
void cmd_sem(struct cmds *c, unsigned op, unsigned flags, uint64_t va, uint64_t value);
#define cmd_acquire(c, cond, va, value) \
	cmd_sem(c, PPU_CMD_SEM_ACQUIRE, PPU_CMDF_SEM_OP(cond), va, value)
#define cmd_release(c, va, value) cmd_sem(c, PPU_CMD_SEM_RELEASE, 0, va, value)
void cmd_intr(struct cmds *c, uint32_t cookie);
void cmd_timestamp(struct cmds *c, uint64_t va);
void cmd_wfi(struct cmds *c);
void cmd_launch(struct cmds *c, uint64_t tmd_va);
void cmd_copy(struct cmds *c, uint64_t src, uint64_t dst, uint64_t bytes);
void cmd_fill(struct cmds *c, unsigned log2_size, uint64_t dst, uint64_t value, uint64_t count);

/* A user-submit channel with its ring mapped, a block buffer and a page of semaphores. */
#define CHAN_BLOCK_WORDS 256

struct chan {
	int fd;
	uint32_t vm, id, hw, count, put;
	struct drm_ppu_channel_create args;
	volatile struct ppu_gpfifo_entry *ring;
	volatile uint32_t *userd;
	struct bo blocks;	/* block i belongs to ring entry i */
	struct bo sems;		/* u64 words */
};

struct chan chan_new(int fd, uint32_t vm, uint32_t type, uint32_t count);
/* The rest of CHANNEL_CREATE's arguments as in @args. */
struct chan chan_new_args(int fd, uint32_t vm, uint32_t type, uint32_t count,
			  const struct drm_ppu_channel_create *args);
void chan_free(struct chan *c);
uint32_t chan_get(const struct chan *c);
bool chan_full(const struct chan *c);
struct cmds chan_block(struct chan *c);		/* GPU address of the block of the next entry */
void chan_commit(struct chan *c, const struct cmds *b);	/* writes the entry, advances put */
void chan_doorbell(struct chan *c);
void chan_submit(struct chan *c, const struct cmds *b);	/* commit and doorbell */
void chan_wait_idle(struct chan *c);
struct drm_ppu_channel_query chan_query(const struct chan *c);
volatile uint64_t *chan_sem(const struct chan *c, unsigned i);	/* 16 bytes apart */
uint64_t chan_sem_va(const struct chan *c, unsigned i);

/* A new channel works; in a process of its own, because mappings, too, keep a device alive. */
void works_in_child(void);

#endif
