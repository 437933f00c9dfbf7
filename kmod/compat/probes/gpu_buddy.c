// SPDX-License-Identifier: GPL-2.0-only
/* The buddy allocator is not DRM's any more. */

#include <linux/gpu_buddy.h>

void probe(struct gpu_buddy *mm, struct list_head *blocks);
void probe(struct gpu_buddy *mm, struct list_head *blocks)
{
	gpu_buddy_free_list(mm, blocks, 0);
}
