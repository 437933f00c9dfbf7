/* SPDX-License-Identifier: MIT */
/*
 * initcheck: values that a thread loads and does nothing with but store them somewhere else.  Compilers copy whole structures
 * so, with the bytes between their members and the members that nobody has set.  That is no use of them: what is
 * unwritten where they come from is unwritten where they go, as with copies by calls.  But if no byte of the value was ever
 * written and it goes to global memory, then it is a kernel's result, and told.
 *
 * Load and store are in one straight piece of code, so a value is on its way for a few instructions only.
 */
#include <stdlib.h>

#include "check/init/inner.h"

struct ci_value {
	struct ci_value *next;
	uint32_t warp, to, word;	/* pc of the store; which word of its */
	struct ppu_seen_access load;
	uint8_t unwritten[PPU_OBSERVE_LANES];	/* by byte of the word */
};

/* The word that a byte of the access is in, in the order of registers; and where. */
static unsigned word_of(const struct ppu_seen_access *a, unsigned byte, unsigned *bit)
{
	unsigned words = a->element > 4 ? a->element / 4 : 1, in = byte % a->element;

	*bit = in % 4;
	return byte / a->element * words + in / 4;
}

static unsigned words_of(const struct ppu_seen_access *a)
{
	unsigned bit;

	return word_of(a, a->bytes - 1, &bit) + 1;
}

/* By word: which of a lane's bytes are among these. */
static unsigned in_word(const struct ppu_seen_access *a, uint32_t bytes, unsigned word)
{
	unsigned bit, found = 0;

	for (; bytes; bytes &= bytes - 1)
		if (word_of(a, (unsigned)__builtin_ctz(bytes), &bit) == word)
			found |= 1u << bit;
	return found;
}

static struct ci_value *value(struct ci_cta *c, const struct ppu_seen_access *a, uint32_t to, uint32_t word)
{
	struct ci_value *v;

	for (v = c->values; v; v = v->next)
		if (v->warp == a->at.warp && v->to == to && v->word == word)
			return v;
	v = calloc(1, sizeof(*v));
	if (!v)
		return NULL;
	v->warp = a->at.warp;
	v->to = to;
	v->word = word;
	v->next = c->values;
	return c->values = v;
}

/* A store with a guard may not have taken what was loaded before. */
static void forget(struct ci_cta *c, const struct ppu_seen_access *a)
{
	for (struct ci_value *v = c->values; v; v = v->next)
		if (v->warp == a->at.warp && v->load.at.pc == a->at.pc)
			FOR_LANES(i, a->lanes)
				v->unwritten[i] = 0;
}

/* Some lane's word has unwritten bytes: where does it go?  False: to somebody who uses it. */
static bool word_goes(struct ci_cta *c, const struct ppu_seen_access *a, const uint32_t *unwritten, unsigned word)
{
	uint32_t any = 0, as, to;
	struct ci_value *v;

	FOR_LANES(i, a->lanes)
		any |= in_word(a, unwritten[i], word);
	if (!any)
		return true;
	to = a->goes_to(a, word, &as);
	if (to == PPU_SEEN_UNUSED || to == PPU_SEEN_NO_PC)
		return to == PPU_SEEN_UNUSED;
	v = value(c, a, to, as);
	if (!v)
		return true;
	v->load = *a;
	FOR_LANES(i, a->lanes)
		v->unwritten[i] = (uint8_t)in_word(a, unwritten[i], word);
	return true;
}

bool ci_copies(struct ci_cta *c, const struct ppu_seen_access *a, const uint32_t *unwritten)
{
	unsigned n = words_of(a);
	bool all = true;

	forget(c, a);
	for (unsigned w = 0; w < n; w++)
		all &= word_goes(c, a, unwritten, w);
	if (!all)			/* it is told where it is loaded, and not again */
		forget(c, a);
	return all;
}

/* Of the store's bytes, those that take one of these of the word. */
static uint32_t from_word(const struct ppu_seen_access *a, uint32_t word, unsigned unwritten)
{
	uint32_t found = 0;
	unsigned bit;

	for (unsigned i = 0; i < a->bytes; i++)
		if (word_of(a, i, &bit) == word && unwritten >> bit & 1)
			found |= 1u << i;
	return found;
}

static unsigned whole_word(const struct ppu_seen_access *a)
{
	return CI_ALL(a->element < 4 ? a->element : 4);
}

void ci_copied(struct chk_ctx *c, struct ci_cta *cta, const struct ppu_seen_access *a, uint32_t *unwritten)
{
	for (struct ci_value *v = cta->values; v; v = v->next) {
		uint32_t told = 0, bytes[PPU_OBSERVE_LANES];

		if (v->warp != a->at.warp || v->to != a->at.pc)
			continue;
		FOR_LANES(i, a->lanes) {
			if (a->space == PPU_SPACE_GLOBAL && v->unwritten[i] == whole_word(&v->load)) {
				told |= 1u << i;
				bytes[i] = whole_word(&v->load);
			} else {
				unwritten[i] |= from_word(a, v->word, v->unwritten[i]);
			}
			v->unwritten[i] = 0;
		}
		v->load.at.cta = a->at.cta;
		if (told)
			ci_tell(c, &v->load, told, bytes);
	}
}

void ci_copied_free(struct ci_cta *c)
{
	for (struct ci_value *v = c->values, *next; v; v = next) {
		next = v->next;
		free(v);
	}
}
