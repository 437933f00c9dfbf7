# SPDX-License-Identifier: MIT
"""Mistakes that students make in lab 3."""

WRONG = [
    dict(name="kmalloc_for_blocks", file="lab_dma.c", criterion="coherent memory",
         replace=[("ce->blocks = dma_alloc_coherent(&ldev->pdev->dev, LAB_CE_BLOCK_BYTES, &ce->blocks_dma,\n"
                   "\t\t\t\t\tGFP_KERNEL);",
                   "ce->blocks = kmalloc(LAB_CE_BLOCK_BYTES, GFP_KERNEL);\n"
                   "\tce->blocks_dma = ce->blocks ? virt_to_phys(ce->blocks) : 0;"),
                  ("\tdma_free_coherent(&ldev->pdev->dev, LAB_CE_BLOCK_BYTES, ldev->ce.blocks,\n"
                   "\t\t\t  ldev->ce.blocks_dma);",
                   "\tkfree(ldev->ce.blocks);")],
         says=r"did not come from dma_alloc_coherent", keeps=["to VRAM", "commands"]),
    dict(name="blocks_not_freed", file="lab_dma.c", criterion="coherent memory",
         replace=[("\tdma_free_coherent(&ldev->pdev->dev, LAB_CE_BLOCK_BYTES, ldev->ce.blocks,\n"
                   "\t\t\t  ldev->ce.blocks_dma);\n", "")],
         says=r"After remove\(\), what dma_alloc_coherent\(\) at lab_dma\.c:\d+ got has not been given back",
         keeps=["to VRAM"]),
    dict(name="release_before_copy", file="lab_dma.c", criterion="commands",
         replace=[("\t*b++ = PPU_CMD_HDR(PPU_CMD_COPY, PPU_CMD_SIZE_COPY, 0);\n",
                   "\t*b++ = PPU_CMD_HDR(PPU_CMD_SEM_RELEASE, PPU_CMD_SIZE_SEM_RELEASE, 0);\n"
                   "\t*b++ = lower_32_bits(sem_va);\n\t*b++ = upper_32_bits(sem_va);\n"
                   "\t*b++ = lower_32_bits(value);\n\t*b++ = upper_32_bits(value);\n"
                   "\t*b++ = PPU_CMD_HDR(PPU_CMD_COPY, PPU_CMD_SIZE_COPY, 0);\n")],
         says=r"releases the semaphore before it copies", keeps=["coherent memory"]),
    dict(name="no_interrupt", file="lab_dma.c", criterion="commands",
         replace=[("\t*b++ = PPU_CMD_HDR(PPU_CMD_INTR, PPU_CMD_SIZE_INTR, 0);\n\t*b++ = lower_32_bits(value);\n", "")],
         says=r"No block has an INTR"),
    dict(name="wrong_size_in_header", file="lab_dma.c", criterion="commands",
         replace=[("PPU_CMD_HDR(PPU_CMD_COPY, PPU_CMD_SIZE_COPY, 0)", "PPU_CMD_HDR(PPU_CMD_COPY, 6, 0)")],
         says=r"^The first copy, a page to VRAM, returned -EIO, and its bytes are nowhere in VRAM",
         loses=["to VRAM", "bounce buffers"]),
    dict(name="memcpy", file="lab_dma.c", criterion="to VRAM",
         replace=[("\tret = lab_dma_pin(&p, args);\n\tif (ret)\n\t\treturn ret;\n",
                   "\tif (args->to_vram) {\n\t\tvoid *t = kvmalloc(args->bytes, GFP_KERNEL);\n\n"
                   "\t\tif (!t)\n\t\t\treturn -ENOMEM;\n"
                   "\t\tret = copy_from_user(t, (void __user *)args->user, args->bytes) ? -EFAULT : 0;\n"
                   "\t\tif (!ret)\n\t\t\tmemcpy_toio(ldev->vram + ldev->ce.window + args->vram, t, args->bytes);\n"
                   "\t\tkvfree(t);\n\t\treturn ret;\n\t}\n"
                   "\tret = lab_dma_pin(&p, args);\n\tif (ret)\n\t\treturn ret;\n"),
                  ("#include <linux/slab.h>\n", "#include <linux/slab.h>\n#include <linux/uaccess.h>\n")],
         says=r"the data arrived, but the copy engine moved 0 bytes", keeps=["from VRAM"]),
    dict(name="first_segment_only", file="lab_dma.c", criterion="to VRAM",
         replace=[("\tfor_each_sgtable_dma_sg(&p->sgt, sg, i) {\n\t\tu64 user = LAB_VA_SYS + sg_dma_address(sg);\n",
                   "\tfor_each_sgtable_dma_sg(&p->sgt, sg, i) {\n"
                   "\t\tu64 user = LAB_VA_SYS + sg_dma_address(p->sgt.sgl) + (vram - LAB_VA_VRAM - ldev->ce.window - "
                   "args->vram);\n")],
         says=r"Five pages that do not lie side by side"),
    dict(name="offset_in_page_forgotten", file="lab_dma.c", criterion="from VRAM",
         replace=[("\t\t\t\t\t\t offset_in_page(args->user), args->bytes", "\t\t\t\t\t\t 0, args->bytes")],
         says=r"bytes are wrong at the target", keeps=["commands", "coherent memory"]),
    dict(name="not_dirty", file="lab_dma.c", criterion="from VRAM",
         replace=[("lab_dma_unpin(&p, !args->to_vram);", "lab_dma_unpin(&p, false);")],
         says=r"unpin_user_pages_dirty_lock"),
    dict(name="always_to_device", file="lab_dma.c", criterion="bounce buffers",
         replace=[("enum dma_data_direction dir = args->to_vram ? DMA_TO_DEVICE : DMA_FROM_DEVICE;",
                   "enum dma_data_direction dir = DMA_TO_DEVICE;")],
         says=r"from VRAM.*bytes are wrong at the target \(swiotlb=force", keeps=["from VRAM", "to VRAM"]),
    dict(name="always_both_ways", file="lab_dma.c", criterion="bounce buffers",
         replace=[("enum dma_data_direction dir = args->to_vram ? DMA_TO_DEVICE : DMA_FROM_DEVICE;",
                   "enum dma_data_direction dir = DMA_BIDIRECTIONAL;")],
         says=r"its direction is DMA_TO_DEVICE", keeps=["from VRAM", "to VRAM"]),
    dict(name="no_unmap", file="lab_dma.c", criterion="bounce buffers",
         replace=[("\tdma_unmap_sgtable(dev, &p.sgt, dir, 0);\n", "")],
         says=r"from VRAM.*bytes are wrong at the target|dma_map_sgtable\(\) at \S+ made is never undone",
         keeps=["to VRAM", "commands"]),
    dict(name="physical_addresses", file="lab_dma.c", criterion="bounce buffers",
         replace=[("u64 user = LAB_VA_SYS + sg_dma_address(sg);", "u64 user = LAB_VA_SYS + sg_phys(sg);")],
         says=r"swiotlb=force", keeps=["commands"]),
    dict(name="segments_too_long", file="lab_dma.c", criterion="bounce buffers",
         replace=[("size_t most = min_t(size_t, dma_get_max_seg_size(dev), dma_max_mapping_size(dev));",
                   "size_t most = UINT_MAX & PAGE_MASK;")],
         says=r"perhaps a segment is longer than dma_max_mapping_size", keeps=["to VRAM"]),
    dict(name="never_for_write", file="lab_dma.c", criterion="access rights",
         replace=[("unsigned int flags = args->to_vram ? 0 : FOLL_WRITE;", "unsigned int flags = 0;")],
         says=r"The device wrote the program's read-only memory", keeps=["to VRAM"]),
    dict(name="always_for_write", file="lab_dma.c", criterion="access rights",
         replace=[("unsigned int flags = args->to_vram ? 0 : FOLL_WRITE;", "unsigned int flags = FOLL_WRITE;")],
         says=r"Read-only memory can be copied to VRAM", keeps=["to VRAM", "from VRAM"]),
    dict(name="no_unpin", file="lab_dma.c", criterion="pinning",
         replace=[("\tunpin_user_pages_dirty_lock(p->page, p->num, dirty);\n", "")],
         says=r"pages are still pinned", keeps=["to VRAM"]),
    dict(name="some_pinned", file="lab_dma.c", criterion="pinning",
         replace=[("\tif (pinned > 0)\n\t\tunpin_user_pages(p->page, pinned);\n", "")],
         says=r"pin_user_pages_fast\(\) may pin fewer", keeps=["to VRAM", "from VRAM", "access rights"]),
    dict(name="unwinding_forgets", file="lab_dma.c", criterion="kernel errors",
         replace=[("\tif (ret)\n\t\tgoto err_table;\n", "\tif (ret)\n\t\tgoto err_unpin;\n"), ("err_table:\n", "")],
         says=r"When dma_map_sgtable\(\) at \S+ failed, something that was got before it was kept",
         keeps=["to VRAM", "pinning"]),
    dict(name="no_restart_after_error", file="lab_dma.c", criterion="device errors",
         replace=[("\tif (ret)\n\t\tlab_ce_restart(ldev);\n", "\tif (ret == -ETIMEDOUT)\n\t\tlab_ce_restart(ldev);\n")],
         says=r"the next ones fail, too", keeps=["to VRAM", "time limit"]),
    dict(name="errors_time_out", file="lab_dma.c", criterion="device errors",
         replace=[("lab_dma_done(ldev) || lab_ce_error(ldev),", "lab_dma_done(ldev),"),
                  ("return lab_ce_error(ldev) ? -EIO : -ETIMEDOUT;", "return -ETIMEDOUT;")],
         says=r"the driver says -ETIMEDOUT, not -EIO|No end while", keeps=["to VRAM"]),
    dict(name="waits_forever", file="lab_dma.c", criterion="time limit",
         replace=[("msecs_to_jiffies(READ_ONCE(lab_ce_timeout_ms))", "MAX_SCHEDULE_TIMEOUT")],
         says=r"had not returned after 8 s", keeps=["to VRAM", "from VRAM"]),
    dict(name="no_stop_after_time", file="lab_dma.c", criterion="time limit",
         replace=[("\tif (ret)\n\t\tlab_ce_restart(ldev);\n", "\tif (ret == -EIO)\n\t\tlab_ce_restart(ldev);\n")],
         says=r"After -ETIMEDOUT the device still wrote", keeps=["to VRAM", "device errors"]),
    dict(name="no_lock", file="lab_dma.c", criterion="two at once",
         replace=[("\tmutex_lock(&ldev->ce.lock);\n", ""), ("\tmutex_unlock(&ldev->ce.lock);\n", "")],
         says=r"Of two copies by two threads one", keeps=["to VRAM"]),
    dict(name="time_is_failure", file="lab_dma.c", criterion="lost messages",
         replace=[("\twait_event_timeout(ldev->irq.wait, lab_dma_done(ldev) || lab_ce_error(ldev),\n"
                   "\t\t\t   msecs_to_jiffies(READ_ONCE(lab_ce_timeout_ms)));\n",
                   "\tDEFINE_WAIT(w);\n\tlong left = msecs_to_jiffies(READ_ONCE(lab_ce_timeout_ms));\n\n"
                   "\tfor (;;) {\n\t\tprepare_to_wait(&ldev->irq.wait, &w, TASK_UNINTERRUPTIBLE);\n"
                   "\t\tif (left <= 0 || lab_dma_done(ldev) || lab_ce_error(ldev))\n\t\t\tbreak;\n"
                   "\t\tleft = schedule_timeout(left);\n\t}\n\tfinish_wait(&ldev->irq.wait, &w);\n"
                   "\tif (left <= 0)\n\t\treturn -ETIMEDOUT;\n")],
         says=r"With all interrupts masked a copy returns -ETIMEDOUT", keeps=["to VRAM", "commands"]),
]
