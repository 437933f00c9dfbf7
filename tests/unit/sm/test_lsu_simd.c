/* SPDX-License-Identifier: MIT */
/* Words of lanes moved with host vectors: every instruction set of this host gives the same result as a plain loop. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "core/sm/mem/lsu.h"
#include "core/sm/mem/lsu_simd.h"
#include "run_suite.h"

#define BYTES	8192u
#define EDGE	4096u		/* offsets end here: nothing behind may change */

static uint64_t state = 88172645463325252ull;
static uint32_t rnd(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16);
}

static const unsigned levels[] = { 1, 3, 4 };
#define EACH_LEVEL(k) for (unsigned k = 0; k < 3 && levels[k] <= ppu_exec_level(); k++)

/* Patterns of addresses as in programs: all equal, consecutive, tiles, steps, random; with some of the lanes. */
static uint32_t addresses(uint32_t *lo, uint32_t imm, unsigned kind)
{
	uint32_t base = rnd() % (EDGE / 8) * 4, step = 4 * (rnd() % 9);

	for (unsigned i = 0; i < PPU_LANES; i++) {
		uint32_t off;

		switch (kind % 6) {
		case 0: off = base; break;
		case 1: off = base + 4 * i; break;
		case 2: off = base + i / 16 * 64; break;
		case 3: off = base + i % 16 * 4; break;
		case 4: off = base + step * i; break;
		default: off = rnd() % (EDGE / 4) * 4;
		}
		lo[i] = off - imm;
	}
	switch (rnd() % 4) {
	case 0: return ~0u;
	case 1: return 0xffffu << (rnd() % 3 * 8);
	case 2: return 1u << rnd() % 32;
	default: return rnd() | 1;
	}
}

/* Groups of eight, in the plainest way. */
static unsigned cost(const uint64_t *va, uint32_t mask, unsigned bytes)
{
	unsigned n = 0;

	for (unsigned g = 0; g < PPU_LANES; g += 8) {
		unsigned lanes = 0, near = 0, first = PPU_LANES;

		for (unsigned i = g; i < g + 8; i++) {
			if (!(mask >> i & 1))
				continue;
			if (first == PPU_LANES)
				first = i;
			lanes++;
			near += va[i] >= va[first] && va[i] < va[first] + 8 * bytes;
		}
		n += lanes && near == lanes ? 1 : lanes;
	}
	return n;
}

START_TEST(transactions)
{
	uint32_t lo[PPU_LANES], hi[PPU_LANES];
	uint64_t va[PPU_LANES];

	for (unsigned n = 0; n < 200000; n++) {
		/* around 4 GiB and in other places */
		uint64_t base = n & 1 ? 0x500000000ull - 64 + rnd() % 128 : rnd();
		unsigned bytes = 1u << rnd() % 5, mask = addresses(lo, 0, n) & (n & 2 ? ~0u : rnd());

		for (unsigned i = 0; i < PPU_LANES; i++) {
			va[i] = base + (n & 4 ? lo[i] % 64 : lo[i]) - (n & 8 ? 40 : 0);
			if (rnd() % 64 == 0)
				va[i] += (uint64_t)(rnd() % 3 - 1) << 32;
			lo[i] = (uint32_t)va[i];
			hi[i] = (uint32_t)(va[i] >> 32);
		}
		EACH_LEVEL(k)
			ck_assert_uint_eq(ppu_lsu_simd(levels[k])->transactions(lo, hi, mask, bytes),
					  cost(va, mask, bytes));
	}
}
END_TEST

START_TEST(loads_and_stores)
{
	static uint8_t mem[BYTES], want_mem[BYTES], first[BYTES];
	uint32_t lo[PPU_LANES], off[PPU_LANES], old[PPU_LANES], src[PPU_LANES], want[PPU_LANES], got[PPU_LANES];

	for (unsigned n = 0; n < 60000; n++) {
		uint32_t imm = rnd() % 3 ? 4 * (rnd() % 64) : rnd() & ~3u, mask = addresses(lo, imm, n);

		for (unsigned i = 0; i < BYTES; i += 4)
			if (n % 64 == 0) {
				uint32_t v = rnd();

				memcpy(first + i, &v, 4);
			}
		for (unsigned i = 0; i < PPU_LANES; i++) {
			old[i] = rnd();
			src[i] = rnd();
		}
		memcpy(want, old, sizeof(want));
		memcpy(want_mem, first, BYTES);
		for (unsigned i = 0; i < PPU_LANES; i++)
			if (mask >> i & 1) {
				memcpy(&want[i], first + (lo[i] + imm), 4);
				memcpy(want_mem + (lo[i] + imm), &src[i], 4);	/* the highest lane wins */
			}
		EACH_LEVEL(k) {
			const struct ppu_lsu_simd *simd = ppu_lsu_simd(levels[k]);

			if (!simd->offsets(lo, imm, EDGE * 2 - 4, mask, off))
				ck_abort_msg("level %u refuses good offsets", levels[k]);
			memcpy(got, old, sizeof(got));
			simd->load(got, first, off, mask);
			if (memcmp(got, want, sizeof(got)))
				ck_abort_msg("level %u, kind %u, mask %08x: loads differ", levels[k], n % 6, mask);
			memcpy(mem, first, BYTES);
			simd->store(src, mem, off, mask);
			if (memcmp(mem, want_mem, BYTES))
				ck_abort_msg("level %u, kind %u, mask %08x: stores differ", levels[k], n % 6, mask);
		}
	}
}
END_TEST

/* An address outside or not aligned is refused in an active lane, and ignored in an inactive one. */
START_TEST(bad_offsets)
{
	uint32_t lo[PPU_LANES], off[PPU_LANES];

	for (unsigned n = 0; n < 20000; n++) {
		uint32_t last = 4 * (rnd() % 1000), mask = rnd() | 1u << rnd() % 32;
		unsigned lane = rnd() % 32;

		for (unsigned i = 0; i < PPU_LANES; i++)
			lo[i] = rnd() % (last / 4 + 1) * 4 - 4;
		EACH_LEVEL(k)
			ck_assert(ppu_lsu_simd(levels[k])->offsets(lo, 4, last, mask, off));
		lo[lane] = n % 3 == 0 ? last : n % 3 == 1 ? lo[lane] + 1 + rnd() % 3 : 0xfffffff0 - 4 * (rnd() % 9);
		EACH_LEVEL(k)
			if (ppu_lsu_simd(levels[k])->offsets(lo, 4, last, mask, off) == (mask >> lane & 1))
				ck_abort_msg("level %u: lane %u at %x, last %x", levels[k], lane, lo[lane] + 4, last);
	}
}
END_TEST

/* Local memory of a warp beyond 4 GiB, as a device with much VRAM and few warps can have it. */
START_TEST(far_words_of_local_memory)
{
	struct ref r = { .p = (uint8_t *)(uintptr_t)4096, .local = true };

	for (unsigned lane = 0; lane < PPU_LANES; lane++) {
		r.off = 0x10000000;
		ck_assert_uint_eq((uintptr_t)ref_at(&r, lane, 0) - 4096, 0x200000000 + 4 * lane);
		ck_assert_uint_eq((uintptr_t)ref_at(&r, lane, 7) - 4096, 0x200000000 + 128 + 4 * lane + 3);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("lsu_simd");
	TCase *t = tcase_create("levels");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, transactions);
	tcase_add_test(t, loads_and_stores);
	tcase_add_test(t, bad_offsets);
	tcase_add_test(t, far_words_of_local_memory);
	suite_add_tcase(s, t);
	return run_suite(s);
}
