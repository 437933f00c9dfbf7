/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A correction of QEMU before 8.1, which scripts/build-qemu adds to its accel/tcg.
 *
 * QEMU notices that a guest writes to a page with code only when a translation of that page is known. So a CPU may
 * overwrite code while another CPU translates that code for the first time, and nobody notices: the translation of the
 * old bytes stays. Linux overwrites its own code when it flips a static key. It then took a breakpoint for ever that
 * was not there any more. QEMU 8.1 and later lock the page before they translate.
 *
 * Here, the bytes are remembered before the translation. When the translation is known, and every later write is
 * noticed, they are compared with the memory. A write may also be noticed but not be done yet. So the noticed writes
 * are counted, and code is translated again when one fell into its translation.
 *
 * A second correction is for all versions: notdirty_write() in cputlb.c does not give the page back to fast writes. It
 * looked whether the page had code, and another CPU could translate code before it acted. The next fill of the TLB
 * entry looks too.
 *
 * What is left: a write that is noticed before the translation begins, and done after it has ended, because the host
 * stopped that CPU in between; and the second page of an instruction that crosses pages, which makes a translation of
 * its own. The test is tests/system/patched_code.c.
 */
#ifndef PPU_OVERWRITTEN_CODE_H
#define PPU_OVERWRITTEN_CODE_H

#define PPU_CODE_TRIES	8	/* so often is code translated that is written to all the time, with the same bytes */
#define PPU_CODE_PAGES	1024	/* counters; pages whose numbers differ by a multiple of this share one */

/* Noticed writes to pages with code. Any thread counts, without a lock. */
extern unsigned int ppu_code_write_counters[PPU_CODE_PAGES];

static inline unsigned int *ppu_code_writes(ram_addr_t addr)
{
	return &ppu_code_write_counters[addr / TARGET_PAGE_SIZE % PPU_CODE_PAGES];
}

static inline void ppu_code_is_written(ram_addr_t addr)
{
	qatomic_inc(ppu_code_writes(addr));
}

#ifdef PPU_OVERWRITTEN_CODE_MAIN
unsigned int ppu_code_write_counters[PPU_CODE_PAGES];

/* What this thread translates. */
static __thread struct {
	uint8_t bytes[TARGET_PAGE_SIZE];	/* from the first instruction to the end of its page */
	unsigned int writes;			/* to the page, before the bytes were looked at */
	unsigned int tries;
} ppu_code_seen;

static inline size_t ppu_code_in_page(ram_addr_t addr)
{
	return TARGET_PAGE_SIZE - addr % TARGET_PAGE_SIZE;
}

/* addr: of the first instruction in the guest's memory; host: the same in the host's, or NULL for no memory. */
static inline void ppu_code_remember(ram_addr_t addr, const void *host)
{
	if (!host)
		return;
	ppu_code_seen.writes = qatomic_read(ppu_code_writes(addr));
	smp_mb();
	memcpy(ppu_code_seen.bytes, host, ppu_code_in_page(addr));
}

/* May the code that ppu_code_remember() saw have been overwritten since? bytes: of the translated code. */
static inline bool ppu_code_overwritten(ram_addr_t addr, const void *host, size_t bytes)
{
	if (!host)
		return false;
	smp_mb();
	if (memcmp(ppu_code_seen.bytes, host, MIN(bytes, ppu_code_in_page(addr))) ||
	    (qatomic_read(ppu_code_writes(addr)) != ppu_code_seen.writes && ++ppu_code_seen.tries < PPU_CODE_TRIES))
		return true;
	ppu_code_seen.tries = 0;
	return false;
}
#endif

#endif
