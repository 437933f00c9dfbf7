/* SPDX-License-Identifier: MIT */
/*
 * Lab 13: copy engines.  engine.h says what the functions promise, Documentation/hw/copy.md what a copy is.
 */
#include <string.h>
#include "engine.h"

//LAB 13 write: What an engine knows of its copy, and the functions that you need.
#define PIECE_BYTES	4096	/* a multiple of each element, and as much as goes through the buffer */
#define MIN_ROW_COST	32	/* bytes that a row of a pitched copy is charged at least */

static struct engine {
	struct ce_copy c;
	uint64_t start;
	uint64_t row, off;		/* the next byte; off is counted from the end when the copy runs backward */
	uint64_t chunk_rows, chunk_bytes;	/* what the running chunk covers: whole rows, or a part of one */
	uint64_t charged, moved;	/* bytes */
	bool busy, backward;
} engines[ENGINES];

static bool is_fill(const struct ce_copy *c)
{
	return c->op == PPU_CMD_FILL || c->op == PPU_CMD_FILL_2D;
}

static bool finished(const struct engine *e)
{
	return !e->c.width || e->row >= e->c.rows;
}

/* Plans the next chunk.  The time of its end is computed from the start of the copy. */
static void plan(struct engine *e)
{
	uint64_t cost = e->c.width < MIN_ROW_COST ? MIN_ROW_COST : e->c.width;

	e->chunk_rows = e->chunk_bytes = 0;
	if (finished(e)) {
		;
	} else if (e->c.rows == 1 || e->c.width > CHUNK_BYTES / 2) {
		e->chunk_bytes = e->c.width - e->off < CHUNK_BYTES ? e->c.width - e->off : CHUNK_BYTES;
		e->charged += e->chunk_bytes;
	} else {
		e->chunk_rows = CHUNK_BYTES / cost;
		if (e->chunk_rows > e->c.rows - e->row)
			e->chunk_rows = e->c.rows - e->row;
		e->charged += e->chunk_rows * cost;
	}
	dev_at((unsigned)(e - engines), e->start + dev_setup_ns() +
	       (uint64_t)((unsigned __int128)e->charged * 1000 / dev_mbps()));
}

/* Moves n bytes, at most a piece, that begin at `at` of a row.  False: the copy has failed, and is gone. */
static bool move_piece(struct engine *e, uint64_t row, uint64_t at, uint64_t n)
{
	uint64_t dst = e->c.dst + row * e->c.dst_pitch + at, src = e->c.src + row * e->c.src_pitch + at, got = n, put;
	unsigned i = (unsigned)(e - engines);
	uint8_t buf[PIECE_BYTES] = { 0 };

	if (is_fill(&e->c))
		for (uint64_t k = 0; k < n; k++)
			buf[k] = (uint8_t)(e->c.value >> 8 * ((at + k) % e->c.elem_bytes));
	else
		got = dev_read(i, src, buf, n);
	put = dev_write(i, dst, buf, got);
	e->moved += put;
	if (put < got) {
		dev_fault(i, dst + put, true);
		return false;
	}
	if (got < n) {
		dev_fault(i, src + got, false);
		return false;
	}
	return true;
}

/* Moves n bytes of a row, from `at` on; a backward copy begins with the last ones. */
static bool move(struct engine *e, uint64_t row, uint64_t at, uint64_t n)
{
	while (n) {
		uint64_t part = n < PIECE_BYTES ? n : PIECE_BYTES;

		if (!move_piece(e, row, e->backward ? at + n - part : at, part))
			return false;
		n -= part;
		if (!e->backward)
			at += part;
	}
	return true;
}

static bool move_chunk(struct engine *e)
{
	if (!e->chunk_rows && e->chunk_bytes) {
		uint64_t at = e->backward ? e->c.width - e->off - e->chunk_bytes : e->off;

		if (!move(e, e->row, at, e->chunk_bytes))
			return false;
		e->off += e->chunk_bytes;
		if (e->off >= e->c.width) {
			e->off = 0;
			e->row++;
		}
		return true;
	}
	for (; e->chunk_rows; e->chunk_rows--, e->row++)
		if (!move(e, e->row, 0, e->c.width))
			return false;
	return true;
}
//LAB end

void engine_reset(void)
{
	//LAB 13 write: All engines are free.
	memset(engines, 0, sizeof(engines));
	//LAB instead
	//LAB end
}

void engine_start(unsigned engine, const struct ce_copy *copy)
{
	//LAB 13 write: Remember the copy (the structure is gone when you return), and have yourself called.
	engines[engine] = (struct engine){
		.c = *copy, .start = dev_now(), .busy = true,
		.backward = copy->op == PPU_CMD_COPY && copy->dst > copy->src && copy->dst - copy->src < copy->width,
	};
	plan(&engines[engine]);
	//LAB instead
	(void)engine, (void)copy;
	//LAB end
}

void engine_event(unsigned engine)
{
	//LAB 13 write: Move a chunk. Is that all? Then you are done; else a next chunk follows.
	struct engine *e = &engines[engine];

	if (!move_chunk(e))
		return;
	if (!finished(e)) {
		plan(e);
		return;
	}
	e->busy = false;
	dev_done(engine, e->moved);
	//LAB instead
	(void)engine;
	//LAB end
}

void engine_stop(unsigned engine)
{
	//LAB 13 write: The engine is free.
	engines[engine].busy = false;
	//LAB instead
	(void)engine;
	//LAB end
}

bool engine_busy(unsigned engine)
{
	//LAB 13 write: Does it have a copy?
	return engines[engine].busy;
	//LAB instead
	(void)engine;
	return false;
	//LAB end
}
