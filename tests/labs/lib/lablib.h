/* SPDX-License-Identifier: MIT */
/*
 * For the guest programs that exercise a student's work. What they observe goes to the grader; whatever
 * the student's code does, the grader gets a sentence.
 *
 * A supervisor starts before main(). It ends the program when a step takes too long. It also says in which
 * step the program was when it died. Printed text goes to the log; only lab_obs() goes to the grader.
 */
#ifndef LABLIB_H
#define LABLIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hw/ppu_regs.h>

/* An observation, `r.obs["name"]` in grade.py: the words of the text, numbers as numbers. */
void lab_obs(const char *name, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* What the program does next, for "the guest hung while: ...". Time limit: 20 s for each step, or lab_limit(). */
void lab_step(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void lab_limit(unsigned int seconds);
/* Nothing more can be observed; the text says why, in a sentence for the student. Ends the program. */
_Noreturn void lab_fatal(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Modules. lab_load() loads the modules that lab.ko needs (once), then lab.ko: 0, or -errno. */
int lab_insmod(const char *path, const char *params);
int lab_rmmod(const char *name);
int lab_insmod_deps(void);
int lab_load(const char *params);
int lab_unload(void);
/* The same as lab_load(), but a failure is lab_fatal(). */
void lab_must_load(const char *params);
void lab_must_unload(void);
bool lab_loaded(const char *name);
void lab_note_symbols(void);		/* call it if lab.ko was not loaded by lab_load() */

/* The PCI function. */
const char *lab_pci(void);			/* "0000:01:00.0" */
int lab_bind(const char *driver);		/* 0 or -errno, which is what probe() returned */
int lab_unbind(const char *driver);
const char *lab_bound(void);			/* the driver's name, "" if there is no driver */
uint32_t lab_config(unsigned int offset, unsigned int bytes);
void lab_config_write(unsigned int offset, unsigned int bytes, uint32_t value);
/* lab_remove(): for the kernel it is as if the device were pulled out; lab_rescan(): the device is back. */
int lab_remove(void);
int lab_rescan(void);

/* BAR n, mapped from user space (NULL on failure); *bytes gets the size, bytes may be NULL. Mapped only once. */
volatile void *lab_bar_map(int n, size_t *bytes);
uint32_t lab_reg(uint32_t offset);		/* BAR0 */
void lab_reg_write(uint32_t offset, uint32_t value);
/* A counter of the device, by its number PPU_CTR_* */
uint64_t lab_counter(unsigned int number);
/* Switches memory decoding and bus mastering on, without a driver. */
void lab_enable(void);

/* Text of a small file ("" if there is none), without the last newline; valid for the next three calls. */
const char *lab_read_file(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int lab_write_file(const char *path, const char *text);	/* 0 or -errno */
/* Kernel messages since the previous call, or since boot; valid until the next call. */
const char *lab_dmesg(void);
/* The number of lines in text that contain word. */
int lab_count(const char *text, const char *word);
/* Kernel messages since the last look that should not have come: observations "complaint" with `when` and
 * the line; then one observation "looked" with `when`. */
void lab_complaints(const char *when);

/* Waits until the condition holds, at most about `seconds` (longer on slow machines). Returns whether it holds. */
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
 * The witness (witness.ko) stands between lab.ko and the kernel. It counts the acquisitions of lab.ko, can make
 * one of them fail, and knows what was not given back. witness/lab_witness.h lists what it sees.
 */
struct lab_held {
	char what[48];				/* "pci_iomap" */
	char where[64];				/* "lab_pci.c:57" */
};

struct lab_witness {
	unsigned int acquired;			/* acquisitions since lab_witness_reset() */
	struct lab_held failed;			/* the acquisition that was made to fail; what[0] == 0: none */
	unsigned int nheld;			/* how many resources are not given back */
	struct lab_held held[64];
	unsigned int nbad;			/* how many were given back wrongly; `what` begins a sentence */
	struct {
		char what[128];
		char where[64];
	} bad[16];
	unsigned int doorbells, unordered;	/* stores to GP_PUT; those without a barrier since the last store */
	unsigned int pinned;			/* pages pinned and not unpinned */
};

void lab_witness_reset(void);			/* forget everything, fail nothing */
void lab_witness_fail(unsigned int n);		/* from now on the n-th acquisition (1..) fails; 0: none */
/* Makes every acquisition by one function fail, "pci_iomap"; "" or NULL: no function. */
void lab_witness_fail_all(const char *function);
void lab_witness_read(struct lab_witness *w);
/* How often the function with this name was called. */
unsigned int lab_witness_calls(const char *function);
/*
 * Observations PREFIX.held, FUNCTION FILE:LINE for each resource; PREFIX.bad: FILE:LINE TEXT...;
 * PREFIX.acquired: a number. Returns how many lines of the first two there are.
 */
unsigned int lab_witness_obs(const char *prefix);

#endif
