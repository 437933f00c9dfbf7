// SPDX-License-Identifier: GPL-2.0-only
/* drm_buddy_free_list() has flags. */

#include <drm/drm_buddy.h>

void probe(struct drm_buddy *mm, struct list_head *blocks);
void probe(struct drm_buddy *mm, struct list_head *blocks)
{
	drm_buddy_free_list(mm, blocks, 0);
}
