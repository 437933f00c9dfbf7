/* SPDX-License-Identifier: MIT */
/*
 * Findings: as text on standard error at once, and as records in the file of PPU_CHECK_RECORDS, for ppu-check.
 *
 * A record is lines "KEY VALUE", and an empty line ends it.  A key that comes again is a list.  The keys are those that
 * ppu-check writes as JSON and XML (Documentation/runtime/ppu-check.md).
 *
 * Locked by the caller.
 */
#ifndef PPU_CHECK_REPORT_H
#define PPU_CHECK_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include "check/block.h"

#pragma GCC visibility push(hidden)

/* What a finding is, and its name: in the text, in records and in suppressions. */
#define CHK_KINDS(X) \
	X(OUT_OF_BOUNDS, "out-of-bounds") X(NO_ALLOCATION, "no-allocation") X(USE_AFTER_FREE, "use-after-free") \
	X(MISALIGNED, "misaligned") X(READ_ONLY, "read-only") X(ATOMIC_SPACE, "atomic-space") \
	X(STACK_OVERFLOW, "stack-overflow") X(INVALID_RANGE, "invalid-range") X(DOUBLE_FREE, "double-free") \
	X(INVALID_FREE, "invalid-free") X(LEAK, "leak") X(RACE, "race") X(UNINITIALIZED, "uninitialized") \
	X(BARRIER_EXITED, "barrier-exited") X(BARRIER_DIVERGENT, "barrier-divergent") \
	X(BARRIER_MISMATCH, "barrier-mismatch") X(MASK_WITHOUT_SELF, "mask-without-self") X(MASK_EXITED, "mask-exited") \
	X(SHUFFLE_SOURCE, "shuffle-source") X(DEADLOCK, "deadlock") X(NAN, "nan") X(INFINITY, "infinity") X(SUBNORMAL, "subnormal") \
	X(RACE_SCOPE, "race-scope") \
	X(CANCELLATION, "cancellation") X(NAN_LOADED, "nan-loaded")

#define CHK_KIND_NUMBER(kind, name) CHK_##kind,
enum chk_kind { CHK_NOTHING, CHK_KINDS(CHK_KIND_NUMBER) CHK_NUM_KINDS };
#undef CHK_KIND_NUMBER

/* Which threads, and where in the program. */
struct chk_place {
	const char *kernel, *function, *file;	/* NULL: not known */
	uint32_t line, pc;
	/* Where the function that is in another file was called, about: the last line before it of the kernel's own file. */
	const char *after_file;		/* NULL: it is in the kernel's file, or that is not known */
	uint32_t after_line;
	uint32_t block[3], thread[3];
	uint32_t others;		/* more threads of the same warp */
};

struct chk_finding {
	enum chk_kind kind;
	char what[256];			/* the sentence */
	const struct chk_place *place;	/* NULL: a call of the host */
	const char *access, *space;	/* "write", "global"; NULL: none */
	uint64_t address, bytes;
	const struct chk_block *block;	/* the memory that it is about; NULL: none */
	const struct chk_stack *call;	/* of the host; NULL: none */
	const char *const *waits;	/* of a deadlock: who waits for whom */
	unsigned num_waits;
	const char *other_does;		/* of a race and the like: what the other thread did */
	const struct chk_place *other;	/* NULL: it was a call of the host */
	const struct chk_stack *other_call;
	/* With kind, kernel and (without other) pc: what makes a finding another one.  Of a call 0: each one is. */
	uint64_t same;
	bool by_line;			/* the same line is the same mistake, if it is known: not the pc */
};

/* NULL, or a malloc'ed sentence: a file cannot be read or written. */
char *chk_report_open(const char *tool);
void chk_report_close(void);
/* False: it is suppressed. */
bool chk_report(const struct chk_finding *f);
/* What was in memory, and in how many orders the program's small launches can be run (contents.h). */
void chk_report_contents(unsigned ctx, const struct chk_block *b, const char *text);
void chk_report_orders(uint64_t orders);
/* Called for each finding that is told, if somebody wants to know: its kind's name, and what it is.  Locked, too. */
extern void (*chk_told)(const char *kind, const struct chk_finding *f);
/* One more of what was reported; or of what was suppressed. */
void chk_report_again(bool is_suppressed);
/* Findings that were told, without those that were suppressed. */
unsigned chk_reported(void);

#pragma GCC visibility pop
#endif
