/* SPDX-License-Identifier: MIT */
/*
 * HW-71: ports with a bandwidth (core/memory/port.h), by numbers computed by hand, and against a model that keeps all buckets
 * for ever and looks at each of them.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/io.h"
#include "core/memory/port.h"
#include "run_suite.h"

#define EVER	(1u << 18)	/* buckets of the model */

static struct ppu_port port;
static uint64_t rng, base;	/* base: of the model, a bucket */
static uint32_t *used;

static uint64_t below(uint64_t n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (rng >> 20) % n;
}

static void begin(uint32_t mbps)
{
	ck_assert_int_eq(ppu_port_create(&port, mbps), 0);
	port.base = port.full = port.end = 0;
	used = calloc(EVER, sizeof(*used));
	base = 0;
	rng = 88172645463325252ull + mbps;
}

static void over(void)
{
	ppu_port_destroy(&port);
	ck_assert_ptr_null(port.used);
	free(used);
}

/* begin and end of an access, in ns */
static void passes(uint64_t t, uint64_t bytes, uint64_t start, uint64_t end)
{
	uint64_t e;

	ck_assert_uint_eq(ppu_port_pass(&port, t, bytes, &e), start);
	ck_assert_uint_eq(e, end);
}

START_TEST(by_hand)
{
	/* A byte each ns: buckets of 1024 ns. */
	begin(1000);
	ck_assert_uint_eq(port.width, 1024);
	ck_assert_uint_eq(port.cap, 1024000);
	passes(0, 512, 0, 512);
	passes(0, 512, 512, 1024);
	passes(0, 1, 1024, 1025);
	passes(100, 2048, 1025, 3073);
	passes(10000, 100, 10000, 10000);	/* at the beginning of the bucket that ns 10000 is in */
	passes(3000, 0, 3000, 3000);
	ck_assert_uint_eq(ppu_port_pass(&port, 3000, 1024, NULL), 3073);
	/* Bucket 9 has room behind what it holds; buckets 5 to 8 are empty. */
	passes(5000, 4 * 1024, 5000, 8 * 1024 + 1);
	over();
	/* 3 GB/s: buckets of 342 ns, 1026 bytes. */
	begin(3000);
	ck_assert_uint_eq(port.width, 342);
	ck_assert_uint_eq(port.cap, 1026000);
	passes(0, 1026, 0, 342);
	passes(0, 1027, 342, 684);
	passes(0, 1, 684, 684);
	passes(0, 2, 684, 685);
	over();
	/* More than 1 KiB/ns: a bucket each ns. */
	begin(2000000);
	ck_assert_uint_eq(port.width, 1);
	ck_assert_uint_eq(port.cap, 2000000);
	passes(7, 2000, 7, 8);
	passes(7, 6000, 8, 11);
	over();
}
END_TEST

/* What all buckets hold is not charged any more; time that passes makes room. */
START_TEST(all_full)
{
	const uint64_t all = PPU_PORT_BUCKETS * 1024ull;

	begin(1000);
	passes(0, all - 1, 0, all - 1);
	passes(0, 2, all - 1, all);
	passes(0, 1, all, all);
	passes(all + 5000, 1, all + 5000, all + 5000);
	ppu_port_advance(&port, 1023);		/* still the first bucket */
	passes(0, 1, all, all);
	ppu_port_advance(&port, 2048);
	passes(0, 2048, all, all + 2048);
	passes(0, 1, all + 2048, all + 2048);
	/* far behind all of it */
	ppu_port_advance(&port, 100 * all);
	ck_assert_uint_eq(port.base, 100 * PPU_PORT_BUCKETS);
	passes(0, 1024, 100 * all, 100 * all + 1024);
	passes(100 * all + 1024, all, 100 * all + 1024, 101 * all);
	ppu_port_reset(&port);
	passes(0, 1024, 0, 1024);
	passes(0, 1, 1024, 1025);
	over();
}
END_TEST

static uint64_t model(uint64_t t, uint64_t bytes, uint64_t *end)
{
	uint64_t need = bytes * 1000, start = t, done = t, b = t / port.width;
	bool begun = false;

	ck_assert_uint_lt(base + PPU_PORT_BUCKETS, EVER);
	for (b = b < base ? base : b; need && b < base + PPU_PORT_BUCKETS; b++) {
		uint64_t at = b * port.width + (uint64_t)used[b] * port.width / port.cap, take = port.cap - used[b];

		if (!take)
			continue;
		if (!begun)
			start = at > t ? at : t;
		begun = true;
		take = take < need ? take : need;
		need -= take;
		used[b] += (uint32_t)take;
		done = b * port.width + (uint64_t)used[b] * port.width / port.cap;
	}
	if (need) {
		done = (base + PPU_PORT_BUCKETS) * port.width;
		done = done > t ? done : t;
		start = begun ? start : done;
	}
	*end = done > start ? done : start;
	return start;
}

START_TEST(like_the_model)
{
	static const uint32_t mbps[] = { 1000, 333, 16000, 900000, 3000000 };
	uint64_t now = 0, kept = 0;

	begin(mbps[_i]);
	for (unsigned i = 0; i < 20000; i++) {
		uint64_t t = now + below(below(4) ? 20 : 3 * PPU_PORT_BUCKETS / 2) * port.width + below(port.width);
		uint64_t bytes = below(50) ? below(300) : below(below(8) ? 20000 : PPU_PORT_BUCKETS * 1100), start, end, e;

		start = model(t, bytes, &end);
		ck_assert_uint_eq(ppu_port_pass(&port, t, bytes, &e), start);
		ck_assert_uint_eq(e, end);
		kept += end > t;
		if (!below(6) && base < EVER - 3 * PPU_PORT_BUCKETS) {
			now += below(30) ? below(4 * (uint64_t)port.width) : below((uint64_t)port.width * PPU_PORT_BUCKETS * 2);
			ppu_port_advance(&port, now);
			base = now / port.width;
		}
	}
	ck_assert_uint_gt(kept, 5000);
	over();
}
END_TEST

/* A state of the port: each of its words, and the load of each bucket that is kept. */
static bool loads(uint64_t first, uint64_t full, uint64_t end, uint32_t load)
{
	static uint64_t state[3 + PPU_PORT_BUCKETS];
	static struct ppu_core core;
	struct ppu_io io = { .loading = true, .buf = (uint8_t *)state };
	uint64_t kept = end > first ? end - first : 0;

	kept = kept < PPU_PORT_BUCKETS ? kept : PPU_PORT_BUCKETS;
	core.now = 20 * port.width + port.width - 1;
	state[0] = first;
	state[1] = full;
	state[2] = end;
	memset(state + 3, 0, sizeof(state) - 24);
	if (kept)
		memcpy(io.buf + 24 + 4 * (kept - 1), &load, 4);
	io.len = io.cap = 24 + 4 * kept;
	ppu_port_io(&core, &port, &io);
	ck_assert(io.failed || io.pos == io.len);
	if (!io.failed && kept)
		ck_assert_uint_eq(port.used[(end - 1) % PPU_PORT_BUCKETS], load);
	return !io.failed && port.base == first && port.full == full && port.end == end;
}

START_TEST(loaded)
{
	const uint64_t all = PPU_PORT_BUCKETS;

	begin(1000);
	ck_assert(loads(0, 0, 0, 0));
	ck_assert(loads(20, 20, 20, 0));
	ck_assert(!loads(21, 21, 21, 0));		/* time that has not come */
	ck_assert(loads(20, 20 + all, 20 + all, 3));
	ck_assert(!loads(20, 21 + all, 20 + all, 3));
	ck_assert(!loads(20, 20 + all, 21 + all, 3));
	ck_assert(!loads(20, 19, 21, 3));
	ck_assert(!loads(20, 20, 19, 3));
	ck_assert(loads(17, 18, 20, port.cap));
	ck_assert(!loads(17, 18, 20, port.cap + 1));
	/* What could not be loaded is a port that can be used. */
	for (unsigned i = 0; i < PPU_PORT_BUCKETS; i++)
		ck_assert_uint_le(port.used[i], port.cap);
	ck_assert(!loads(21, 5, 7, 0));
	ck_assert_uint_eq(port.base | port.full | port.end, 0);
	over();
}
END_TEST

int main(void)
{
	Suite *su = suite_create("port");
	TCase *t = tcase_create("port");

	tcase_add_test(t, by_hand);
	tcase_add_test(t, all_full);
	tcase_add_test(t, loaded);
	tcase_add_loop_test(t, like_the_model, 0, 5);
	suite_add_tcase(su, t);
	return run_suite(su);
}
