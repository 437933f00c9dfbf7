/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <hw/ppu_order.h>
#include "check/contents.h"
#include "check/contents_record.h"

static const struct be_ops *ops;
static struct be_dev *device;
static uint64_t orders;

void chk_contents_open(const struct be_ops *be, struct be_dev *dev)
{
	ops = be;
	device = dev;
	orders = 1;
}

/* Of a piece: 16 digits. */
static void hash(const uint8_t *from, uint64_t n, char *out)
{
	uint64_t h = 0xcbf29ce484222325ull;

	for (uint64_t i = 0; i < n; i++)
		h = (h ^ from[i]) * 0x100000001b3ull;
	snprintf(out, 17, "%016" PRIx64, h);
}

/* What is there, as text.  NULL: no memory for it. */
static char *text_of(uint64_t inst, uint64_t va, uint64_t bytes)
{
	const bool whole = bytes <= CHK_CONTENTS_WHOLE;
	uint64_t pieces = (bytes + CHK_CONTENTS_PIECE - 1) / CHK_CONTENTS_PIECE, at, n;
	char *text = malloc(whole ? 2 * bytes + 1 : 16 * pieces + 1), *out = text;
	uint8_t piece[CHK_CONTENTS_PIECE];

	for (at = 0; text && at < bytes; at += n) {
		n = bytes - at < sizeof(piece) ? bytes - at : sizeof(piece);
		/* What is not mapped has no contents. */
		if (ops->peek(device, inst, va + at, piece, n) != n)
			break;
		if (!whole)
			hash(piece, n, out);
		for (uint64_t i = 0; i < n && whole; i++)
			snprintf(out + 2 * i, 3, "%02x", piece[i]);
		out += whole ? 2 * n : 16;
	}
	if (text)
		*out = 0;
	return text;
}

void chk_contents_block(const struct chk_ctx *c, const struct chk_block *b)
{
	char *text;

	if (b->what == CHK_INTERNAL)
		return;
	text = text_of(c->inst, b->va, b->bytes);
	if (text)
		chk_report_contents(c->number, b, text);
	free(text);
}

void chk_contents_all(const struct chk_ctx *c)
{
	for (size_t i = 0; i < c->blocks.n; i++)
		chk_contents_block(c, &c->blocks.v[i]);
}

void chk_contents_launch(uint64_t blocks, uint32_t threads)
{
	uint32_t warps = (threads + PPU_OBSERVE_LANES - 1) / PPU_OBSERVE_LANES;
	uint64_t n = (uint64_t)ppu_order_count(blocks) * ppu_order_count(warps);

	if (n > orders)
		orders = n;
}

void chk_contents_close(void)
{
	chk_report_orders(orders);
}
