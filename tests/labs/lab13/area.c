/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include "machine.h"
#include "wire.h"

uint64_t written_at_once;

struct area area_new(struct bench_ctx *c, uint64_t bytes, uint64_t where)
{
	struct area a = { bench_alloc(c, bytes, where), bytes, malloc(bytes) };

	EXPECT(a.want, "no memory");
	if (judge_goes_on)
		judge_goes_on();
	for (uint64_t i = 0; i < bytes; i++)
		a.want[i] = (uint8_t)rnd(256);
	bench_write(c, a.va, a.want, bytes);
	return a;
}

void area_check(struct bench_ctx *c, const struct area *a, const char *what)
{
	uint8_t *is = malloc(a->bytes);

	EXPECT(is, "no memory");
	if (judge_goes_on)
		judge_goes_on();
	bench_read(c, a->va, is, a->bytes);
	for (uint64_t i = 0; i < a->bytes; i++)
		EXPECT(is[i] == a->want[i], "after %s byte %llu of the memory is %02x, it should be %02x", what,
		       (unsigned long long)i, is[i], a->want[i]);
	free(is);
}

void fill_want(uint8_t *p, uint64_t value, unsigned elem_bytes, uint64_t bytes)
{
	for (uint64_t i = 0; i < bytes; i++)
		p[i] = (uint8_t)(value >> 8 * (i % elem_bytes));
}

void run(struct bench *b, struct bench_chan *ch, const char *what)
{
	EXPECT(bench_run(b), "%s never ends", what);
	EXPECT(bench_get(ch) == ch->put, "%s: the channel did not come to the end of its ring: %s", what,
	       bench_count(b, PPU_TR_CH_ERROR, -1) ? "it was stopped by an error" : "no engine was done");
}
