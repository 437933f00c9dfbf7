/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Orders by number (property x-order): permutations of the CTAs of a small grid, and of the warps of a CTA.  Number 0 of each
 * is as they come, and larger sets have no other.
 */
#ifndef PPU_HW_ORDER_H
#define PPU_HW_ORDER_H

#include <stdint.h>

#define PPU_ORDER_MOST	6u	/* of which there are permutations: 720 */

/* Permutations of n. */
static inline uint32_t ppu_order_count(uint64_t n)
{
	uint32_t count = 1, i;

	for (i = 2; i <= n && n <= PPU_ORDER_MOST; i++)
		count *= i;
	return count;
}

/* Which of n comes at a place in the permutation. */
static inline uint64_t ppu_order_at(uint32_t number, uint64_t place, uint64_t n)
{
	uint8_t left[PPU_ORDER_MOST];
	uint32_t i, k, digit = 0;

	if (n > PPU_ORDER_MOST || place >= n)
		return place;
	number %= ppu_order_count(n);
	for (i = 0; i < n; i++)
		left[i] = (uint8_t)i;
	/* The first digit of the number says which is first, the next one which of the others is next. */
	for (i = 0; i <= place; i++) {
		uint32_t below = ppu_order_count(n - i - 1);

		digit = number / below;
		number %= below;
		if (i == place)
			break;
		for (k = digit; k + 1 < n - i; k++)
			left[k] = left[k + 1];
	}
	return left[digit];
}

/* The place at which one of n comes. */
static inline uint32_t ppu_order_place(uint32_t number, uint32_t which, uint32_t n)
{
	uint32_t place = 0;

	while (n <= PPU_ORDER_MOST && place < n && ppu_order_at(number, place, n) != which)
		place++;
	return n <= PPU_ORDER_MOST ? place : which;
}

#endif
