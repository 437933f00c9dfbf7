/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/mm.h>
#include <ppu_have.h>

/* A macro, since this may be read in the middle of the kernel's own headers. */
#if !defined(PPU_HAVE_VM_FLAGS_SET) && !defined(vm_flags_set)
#define vm_flags_set(vma, flags) ((void)((vma)->vm_flags |= (flags)))
#endif
