// SPDX-License-Identifier: GPL-2.0-only
/* Shrinkers are allocated, and have private data. */

#include <linux/shrinker.h>

void probe(void *data);
void probe(void *data)
{
	struct shrinker *s = shrinker_alloc(0, "probe");

	s->private_data = data;
	shrinker_register(s);
}
