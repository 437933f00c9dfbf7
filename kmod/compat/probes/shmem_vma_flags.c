// SPDX-License-Identifier: GPL-2.0-only
/* Files of shmem are made with flags of a type of their own. */

#include <linux/mm.h>
#include <linux/shmem_fs.h>

void *probe(void);
void *probe(void)
{
	return shmem_file_setup("probe", 0, mk_vma_flags(VMA_NORESERVE_BIT));
}
