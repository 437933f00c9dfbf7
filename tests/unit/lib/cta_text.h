/* SPDX-License-Identifier: MIT */
/*
 * The state of a CTA on an SM as text, a line for each part, so that tests can compare it before and after it was
 * saved: everything that its threads could notice, and nothing else.
 */
#ifndef CTA_TEXT_H
#define CTA_TEXT_H

#include "core/sm/sm.h"

/* To be freed.  Warps that can run and warps that sleep until now look alike. */
char *cta_text(const struct ppu_sm *sm, const struct ppu_cta *cta);
/* The first line in which a differs from b ("" when they are equal); valid until the next call. */
const char *cta_text_differs(const char *a, const char *b);
/* Parts that no text so far has shown in use, as words: with such a part a comparison proves nothing. */
const char *cta_text_unused(void);

#endif
