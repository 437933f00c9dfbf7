/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sentence for whoever debugs a driver: it did something that makes no sense.
 *
 * State: none.  Thread safety: the thread that drives the core only.  Time: none.
 */
#ifndef PPU_GUEST_ERROR_H
#define PPU_GUEST_ERROR_H

#include "core/core.h"

void ppu_guest_error(struct ppu_core *core, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
