/* SPDX-License-Identifier: MIT */
/*
 * For the guest programs that exercise a student's work: what they observe goes to the grader, and
 * whatever the student's code does, the grader gets a sentence.
 *
 * Before main() a supervisor is started: it ends the program when a step takes too long, or when it
 * dies, and says in which step. What is printed goes to the log; only lab_obs() goes to the grader.
 */
#ifndef LABLIB_H
#define LABLIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hw/ppu_regs.h>

/* An observation, `r.obs["name"]` in grade.py: the words of the text, numbers as numbers. */
void lab_obs(const char *name, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* What is done next, for "the guest hung while: ...". Time limit: 20 s each, or lab_limit(). */
void lab_step(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void lab_limit(unsigned int seconds);
/* Nothing more can be observed, and why: a sentence for the student. Ends the program. */
_Noreturn void lab_fatal(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Modules. lab_load() loads what lab.ko needs (once), then lab.ko: 0, or -errno. */
int lab_insmod(const char *path, const char *params);
int lab_rmmod(const char *name);
int lab_insmod_deps(void);
int lab_load(const char *params);
int lab_unload(void);
/* The same, but a failure is lab_fatal(). */
void lab_must_load(const char *params);
void lab_must_unload(void);
bool lab_loaded(const char *name);
void lab_note_symbols(void);		/* lab.ko was loaded in another way than by lab_load() */

/* The PCI function. */
const char *lab_pci(void);			/* "0000:01:00.0" */
int lab_bind(const char *driver);		/* 0 or -errno, the one probe() returned */
int lab_unbind(const char *driver);
const char *lab_bound(void);			/* the driver's name, "" without one */
uint32_t lab_config(unsigned int offset, unsigned int bytes);
void lab_config_write(unsigned int offset, unsigned int bytes, uint32_t value);
/* lab_remove(): as if it were pulled out, as far as the kernel is concerned; lab_rescan(): it is back. */
int lab_remove(void);
int lab_rescan(void);

/* BAR n, mapped from user space (NULL: it cannot be); *bytes may be NULL. Mapped once. */
volatile void *lab_bar_map(int n, size_t *bytes);
uint32_t lab_reg(uint32_t offset);		/* BAR0 */
void lab_reg_write(uint32_t offset, uint32_t value);
/* A counter of the device, by its number PPU_CTR_* */
uint64_t lab_counter(unsigned int number);
/* Memory decoding and bus mastering on, without a driver. */
void lab_enable(void);

/* Text of a small file ("" if there is none), without the last newline; valid until the fourth next call. */
const char *lab_read_file(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int lab_write_file(const char *path, const char *text);	/* 0 or -errno */
/* Kernel messages since the previous call, or since boot; valid until the next call. */
const char *lab_dmesg(void);
/* The number of lines in text that contain word. */
int lab_count(const char *text, const char *word);
/* What the kernel has said since the last look that it should not have had to: observations "complaint", `when` and
 * the line; then "looked", `when`. */
void lab_complaints(const char *when);

/* Wait until the condition holds, at most about `seconds` (scaled on slow machines): whether it does. */
#define lab_until(cond, seconds) ({						\
	uint64_t until_ = lab_now_ms() + (uint64_t)(seconds) * 1000 * lab_scale();	\
	bool held_;								\
	while (!(held_ = (cond)) && lab_now_ms() < until_)			\
		lab_sleep_ms(1);						\
	held_; })
uint64_t lab_now_ms(void);
void lab_sleep_ms(unsigned int ms);
unsigned int lab_scale(void);			/* 1; more on the debug kernel */

/*
 * The witness (witness.ko) stands between lab.ko and the kernel: it counts what lab.ko acquires, can make
 * one acquisition fail, and knows what was not given back. See witness/lab_witness.h for what it sees.
 */
struct lab_held {
	char what[48];				/* "pci_iomap" */
	char where[64];				/* "lab_pci.c:57" */
};

struct lab_witness {
	unsigned int acquired;			/* acquisitions since lab_witness_reset() */
	struct lab_held failed;			/* the one that was made to fail; what[0] == 0: none */
	unsigned int nheld;			/* not given back */
	struct lab_held held[64];
	unsigned int nbad;			/* given back wrongly: `what` is a sentence's beginning */
	struct {
		char what[128];
		char where[64];
	} bad[16];
	unsigned int doorbells, unordered;	/* stores to GP_PUT; those without a write barrier since the last */
	unsigned int pinned;			/* pages pinned and not unpinned */
};

void lab_witness_reset(void);			/* forget everything, fail nothing */
void lab_witness_fail(unsigned int n);		/* from now on the n-th acquisition (1..) fails; 0: none */
/* Fail every acquisition of one function, "pci_iomap"; "" or NULL: none. */
void lab_witness_fail_all(const char *function);
void lab_witness_read(struct lab_witness *w);
/* How often a function was called, by name. */
unsigned int lab_witness_calls(const char *function);
/*
 * Observations PREFIX.held, one line for each resource: FUNCTION FILE:LINE; PREFIX.bad: FILE:LINE TEXT...
 * Returns how many of both. PREFIX.acquired: a number.
 */
unsigned int lab_witness_obs(const char *prefix);

#endif
