// SPDX-License-Identifier: GPL-2.0-only
/* drm_buddy_block_trim() is told which end to trim. */

#include <drm/drm_buddy.h>

int probe(struct drm_buddy *mm, struct list_head *blocks);
int probe(struct drm_buddy *mm, struct list_head *blocks)
{
	return drm_buddy_block_trim(mm, NULL, 4096, blocks);
}
