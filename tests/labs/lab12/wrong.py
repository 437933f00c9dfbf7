# SPDX-License-Identifier: MIT
"""Mistakes that lab 12's grader must notice, and the sentence for each."""

FILE = "lab_reset.c"

WRONG = [
    dict(name="jobs_forgotten", file=FILE, criterion="jobs", says="not -EIO|not woken",
         replace=[("\tlab_chan_lose_all(ldev, -EIO);\n", "")]),
    dict(name="another_error", file=FILE, criterion="jobs", says="gives -ENODEV, not -EIO",
         replace=[("\tlab_chan_lose_all(ldev, -EIO);\n", "\tlab_chan_lose_all(ldev, -ENODEV);\n")], keeps=["rebuilt"]),
    dict(name="no_address_spaces", file=FILE, criterion="rebuilt", says="does the device know the context",
         replace=[("\t\tif (!ret)\n\t\t\tret = lab_ctx_load(ldev, &vm->ctx);\n", "\t\t(void)vm;\n")], keeps=["jobs", "told"]),
    dict(name="no_kernel_context", file=FILE, criterion="rebuilt", says="GEM_COPY after a reset",
         replace=[("\tint ret = lab_ctx_load(ldev, &ldev->ctx);\n", "\tint ret = 0;\n")]),
    dict(name="no_copy_channel", file=FILE, criterion="rebuilt", says="GEM_COPY after a reset",
         replace=[("\tlab_ce_restart(ldev);\n", "")]),
    dict(name="no_interrupts", file=FILE, criterion="rebuilt", says="are interrupts on again",
         replace=[("\tlab_irq_mask(ldev, false);\n", "")], keeps=["jobs", "told"]),
    dict(name="no_scratch", file=FILE, criterion="rebuilt", says="LAB_SCRATCH_READY",
         replace=[("\tlab_write(ldev, PPU_REG_SCRATCH, LAB_SCRATCH_READY);\n", "")], keeps=["jobs", "told"]),
    dict(name="innocent_told", file=FILE, criterion="told", says="A file without a job",
         replace=[("\t\tchan->vm->lost += chan->submitted - chan->completed;\n",
                   "\t\tchan->vm->lost += chan->submitted;\n")], keeps=["jobs", "rebuilt"]),
    dict(name="all_resets_told", file=FILE, criterion="told", says="A file opened later",
         replace=[("lfile->ldev->resets - lfile->resets;", "lfile->ldev->resets;")], keeps=["jobs", "rebuilt"]),
    dict(name="no_gate", file=FILE, criterion="load", says="waits at the gate|were lost|were wrong|died|complains|No end while",
         replace=[("\tdown_read(&ldev->gate);\n", ""), ("\tup_read(&ldev->gate);\n", "")], keeps=["jobs", "rebuilt"]),
    dict(name="pages_stay", file=FILE, criterion="load", says="stores through a mapping were lost",
         replace=[("\tunmap_mapping_range(ldev->drm.anon_inode->i_mapping, 0, 0, 1);\n", "")], keeps=["jobs", "rebuilt"]),
    dict(name="one_page_for_all", file=FILE, criterion="gone", says="another mapping has the same page",
         replace=[("\tstruct page *page = alloc_page(GFP_KERNEL | __GFP_ZERO);\n\n"
                   "\tif (!page || drmm_add_action_or_reset(&ldev->drm, lab_gone_free, page))\n",
                   "\tstatic struct page *page;\n\n\tif (!page)\n\t\tpage = alloc_page(GFP_KERNEL | __GFP_ZERO);\n"
                   "\tif (!page)\n"),
                  ("\t__free_page(page);\n", ""),
                  ("static void lab_gone_free", "static void __maybe_unused lab_gone_free")], keeps=["jobs", "rebuilt"]),
    dict(name="bus_error", file=FILE, criterion="gone", says="SIGBUS",
         replace=[("\treturn vmf_insert_pfn(vmf->vma, vmf->address, page_to_pfn(page));",
                   "\treturn VM_FAULT_SIGBUS;")], keeps=["jobs", "rebuilt", "load"]),
    dict(name="not_zeroed", file=FILE, criterion="gone", says="shows",
         replace=[("GFP_KERNEL | __GFP_ZERO);\n\n\tif", "GFP_KERNEL);\n\n\tif (page)\n"
                   "\t\tmemset(page_address(page), 0x41, PAGE_SIZE);\n\tif")], keeps=["jobs", "rebuilt", "load"]),
    dict(name="pages_kept", file=FILE, criterion="again", says="was not undone",
         replace=[("\t__free_page(page);\n", "")], keeps=["jobs", "rebuilt", "gone"]),
]
