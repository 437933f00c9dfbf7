# SPDX-License-Identifier: MIT
"""Mistakes that lab 4's grader must notice, and the sentence for each."""

FILE = "lab_gem.c"

WRONG = [
    dict(name="size_overflows", file=FILE, criterion="create", says="rounding up overflow",
         replace=[("\t/* Not rounded yet: PAGE_ALIGN() of nearly 2^64 is 0. */\n\tif (size > ldev->vram_size)\n",
                   "\tsize = PAGE_ALIGN(size) ?: PAGE_SIZE;\n\tif (size > ldev->vram_size)\n")],
         keeps=["fresh", "mmap", "copy"]),
    dict(name="empty_buffer", file=FILE, criterion="create", says="of 0 bytes",
         replace=[("\tif (!size)\n\t\treturn ERR_PTR(-EINVAL);\n", "\tsize = size ?: 1;\n")], keeps=["mmap", "copy"]),
    dict(name="size_not_told", file=FILE, criterion="create", says="whole pages",
         replace=[("\targs->size = bo->base.size;\n", "")], keeps=["mmap", "copy"]),
    dict(name="flags_ignored", file=FILE, criterion="create", says="flags must be 0",
         replace=[("\tif (args->flags)\n\t\treturn -EINVAL;\n", "")], keeps=["mmap", "copy"]),
    dict(name="not_cleared", file=FILE, criterion="fresh", says="read other programs' data",
         replace=[("\tmemset_io(ldev->vram + bo->node.start, 0, bo->node.size);\n", "")], keeps=["create", "mmap"]),
    dict(name="first_page_cleared", file=FILE, criterion="fresh", says="only the first 4096 bytes",
         replace=[("bo->node.start, 0, bo->node.size);", "bo->node.start, 0, PAGE_SIZE);")], keeps=["create", "mmap"]),
    dict(name="page_of_the_mapping", file=FILE, criterion="mmap", says="first half of a mapping",
         replace=[("vmf->pgoff - drm_vma_node_start(&obj->vma_node);",
                   "(vmf->address - vmf->vma->vm_start) >> PAGE_SHIFT;")], keeps=["create", "copy", "removal"]),
    dict(name="page_0_always", file=FILE, criterion="mmap", says="does not arrive in page",
         replace=[("\t\t\t\t     page);", "\t\t\t\t     0 * page);")], keeps=["create", "copy"]),
    dict(name="private_mapping", file=FILE, criterion="mmap", says="BUG in the kernel",
         replace=[("\tif ((vma->vm_flags & (VM_SHARED | VM_MAYWRITE)) == VM_MAYWRITE)\n\t\treturn -EINVAL;\n", "")],
         keeps=["create", "copy", "removal"]),
    dict(name="private_for_reading", file=FILE, criterion="mmap", says="VM_MAYWRITE, not",
         replace=[("(VM_SHARED | VM_MAYWRITE)) == VM_MAYWRITE", "(VM_SHARED | VM_WRITE)) == VM_WRITE")],
         keeps=["create", "copy", "removal"]),
    dict(name="cpu_copies", file=FILE, criterion="copy", says="the device that has to copy",
         replace=[("\treturn lab_ce_copy(ldev, LAB_VA_VRAM + src->node.start + args->src_offset,\n"
                   "\t\t\t   LAB_VA_VRAM + dst->node.start + args->dst_offset, args->bytes);",
                   "\tmemmove((void __force *)ldev->vram + dst->node.start + args->dst_offset,\n"
                   "\t\t(void __force *)ldev->vram + src->node.start + args->src_offset, args->bytes);\n"
                   "\treturn 0;")], keeps=["create", "mmap", "ranges"]),
    dict(name="destination_offset", file=FILE, criterion="copy", says="not what they should be",
         replace=[("LAB_VA_VRAM + dst->node.start + args->dst_offset, args", "LAB_VA_VRAM + dst->node.start, args")],
         keeps=["create", "mmap"]),
    dict(name="sum_overflows", file=FILE, criterion="ranges", says="was not refused|can the sum overflow",
         replace=[("return offset <= obj->size && bytes <= obj->size - offset;",
                   "return offset + bytes <= obj->size;")], keeps=["create", "mmap", "copy"]),
    dict(name="one_byte_more", file=FILE, criterion="ranges", says="65537 bytes from offset 0 to offset 0",
         replace=[("bytes <= obj->size - offset;", "bytes <= obj->size - offset + 1;")],
         keeps=["create", "mmap", "copy"]),
    dict(name="source_unchecked", file=FILE, criterion="ranges", says="from offset 1 to offset 0",
         replace=[("\tif (!lab_range_ok(&src->base, args->src_offset, args->bytes) ||\n\t    !lab", "\tif (!lab")],
         keeps=["create", "mmap", "copy"]),
    dict(name="node_kept", file=FILE, criterion="allocator", says="memory of closed buffers is lost",
         replace=[("\tmutex_lock(&ldev->gem.lock);\n\tdrm_mm_remove_node(&bo->node);\n"
                   "\tmutex_unlock(&ldev->gem.lock);\n"
                   "\tdrm_gem_object_release(obj);\n\tkfree(bo);\n", "\tdrm_gem_object_release(obj);\n")],
         keeps=["create", "fresh", "copy"]),
    dict(name="kernels_vram", file=FILE, criterion="allocator", says="outside the",
         replace=[("drm_mm_init(&ldev->gem.mm, LAB_VRAM_OWN, ldev->vram_size - LAB_VRAM_OWN);",
                   "drm_mm_init(&ldev->gem.mm, LAB_VRAM_OWN / 2, ldev->vram_size - LAB_VRAM_OWN);")]),
    dict(name="reference_kept", file=FILE, criterion="allocator", says="memory of closed buffers is lost",
         replace=[("\t/* The handle has a reference of its own. Another thread may have closed the handle by now. */\n"
                   "\tdrm_gem_object_put(&bo->base);\n\treturn ret;", "\treturn ret;")], keeps=["create", "fresh"]),
    dict(name="no_unwinding", file=FILE, criterion="failures", says="kzalloc.*was not given back",
         replace=[("\tif (ret) {\n\t\tkfree(bo);\n\t\treturn ERR_PTR(ret);\n\t}\n\tmemset_io",
                   "\tif (ret)\n\t\treturn ERR_PTR(ret);\n\tmemset_io")], keeps=["create", "fresh", "mmap", "copy"]),
    dict(name="handle_failure_leaks", file=FILE, criterion="failures", says="not given back",
         replace=[("\tdrm_gem_object_put(&bo->base);\n\treturn ret;",
                   "\tif (!ret)\n\t\tdrm_gem_object_put(&bo->base);\n"
                   "\treturn ret;")],
         keeps=["create", "fresh", "mmap", "copy", "allocator"]),
    dict(name="no_references", file=FILE, criterion="references", says="must hold references",
         replace=[("\tif (src && dst)\n\t\tret = lab_gem_copy(ldev, to_lab_bo(src), to_lab_bo(dst), args);\n"
                   "\tif (src)\n\t\tdrm_gem_object_put(src);\n\tif (dst)\n\t\tdrm_gem_object_put(dst);\n\treturn ret;",
                   "\tif (src)\n\t\tdrm_gem_object_put(src);\n\tif (dst)\n\t\tdrm_gem_object_put(dst);\n"
                   "\tif (src && dst)\n\t\tret = lab_gem_copy(ldev, to_lab_bo(src), to_lab_bo(dst), args);\n"
                   "\treturn ret;")], keeps=["create", "mmap", "copy", "ranges"]),
    dict(name="refused_copy", file=FILE, criterion="references", says="each way out",
         replace=[("to_lab_bo(dst), args);\n\tif (src)",
                   "to_lab_bo(dst), args);\n\tif (ret)\n\t\treturn ret;\n\tif (src)")],
         keeps=["create", "mmap", "copy", "ranges", "allocator", "failures"]),
    dict(name="fault_without_device", file=FILE, criterion="removal", says="could still be touched",
         replace=[("\tif (!drm_dev_enter(&ldev->drm, &idx))\n\t\treturn VM_FAULT_SIGBUS;\n\tif (page",
                   "\tidx = 0;\n\tif (page"),
                  ("\t\t\t\t     page);\n\tdrm_dev_exit(idx);\n", "\t\t\t\t     page);\n\t(void)idx;\n")],
         keeps=["create", "mmap", "copy"]),
    dict(name="allocator_goes_first", file=FILE, criterion="removal", says="The kernel complains|kernel died",
         replace=[("\treturn drmm_add_action_or_reset(&ldev->drm, lab_gem_release, ldev);", "\treturn 0;"),
                  ("void lab_gem_fini(struct lab_dev *ldev)\n{\n",
                   "void lab_gem_fini(struct lab_dev *ldev)\n{\n\tlab_gem_release(&ldev->drm, ldev);\n")],
         keeps=["create", "mmap", "copy"]),
]
