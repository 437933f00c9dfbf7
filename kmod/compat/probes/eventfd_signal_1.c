// SPDX-License-Identifier: GPL-2.0-only
/* eventfd_signal() has no count. */

#include <linux/eventfd.h>

void probe(struct eventfd_ctx *ctx);
void probe(struct eventfd_ctx *ctx)
{
	eventfd_signal(ctx);
}
