/* SPDX-License-Identifier: MIT */
/* Streams that wait for words in memory. */
#ifndef PPU_API_WORD_H
#define PPU_API_WORD_H

#include <stdbool.h>
#include <ppu.h>

#pragma GCC visibility push(hidden)

struct ppuCtx_st;

/* How long a wait for other work may sleep while a stream waits for a word that the CPU may store. */
#define RT_WORD_LOOK_NS	1000000ull

/* All locked. rt_words_look(): tells the device of stores of the CPU. False: no stream of the context waits for a word. */
bool rt_words_look(struct ppuCtx_st *ctx);
/* The same for all other contexts, for whose work this one's may wait. *stored: the CPU has stored such a word. */
bool rt_words_look_others(const struct ppuCtx_st *ctx, bool *stored);
/* The device has nothing to do: could a word change that?  If so, sleeps a while. */
bool rt_words_may_go_on(struct ppuCtx_st *ctx);
void rt_words_join(struct ppuCtx_st *ctx);	/* unlocked, the context is dead */
void rt_words_free(struct ppuCtx_st *ctx);

#pragma GCC visibility pop
#endif
