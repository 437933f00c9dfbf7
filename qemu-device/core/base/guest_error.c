/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Guest misuse, as a sentence for the owner of the core. */
#include <stdarg.h>
#include <stdio.h>
#include "core/base/guest_error.h"

void ppu_guest_error(struct ppu_core *core, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	if (!core->ports.guest_error)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	core->ports.guest_error(core->ports.opaque, text);
}
