# SPDX-License-Identifier: MIT
"""Mistakes that students make in lab 6."""

FILE = "lab_fence.c"

WRONG = [
    dict(name="does_not_look", file=FILE, criterion="no interrupt",
         replace=[("return lab_timeline_value(to_lab_fence(fence)->tl) >= fence->seqno;", "return false;")],
         says=r"must read the word", keeps=["signal", "order", "device waits"]),
    dict(name="nobody_woken", file=FILE, criterion="signal",
         replace=[("f->base.seqno > value)", "value || true)")],
         says=r"was not woken"),
    dict(name="too_early", file=FILE, criterion="signal",
         replace=[("lab_timeline_value(to_lab_fence(fence)->tl) >= fence->seqno", "true")],
         says=r"had signalled already"),
    dict(name="interrupt_first", file=FILE, criterion="order",
         replace=[("\tw = lab_cmd_sem(w, PPU_CMD_SEM_RELEASE, 0, lab_chan_va(chan, chan->tl->word), value);\n", ""),
                  ("\t*w++ = lower_32_bits(value);\n\treturn w;\n}\n\n/*",
                   "\t*w++ = lower_32_bits(value);\n"
                   "\tw = lab_cmd_sem(w, PPU_CMD_SEM_RELEASE, 0, lab_chan_va(chan, chan->tl->word), value);\n"
                   "\treturn w;\n}\n\n/*")],
         says=r"INTR comes before SEM_RELEASE", keeps=["arguments"]),
    dict(name="no_wfi", file=FILE, criterion="order",
         replace=[("\tif (chan->class == PPU_CLASS_COMPUTE)\n"
                   "\t\t*w++ = PPU_CMD_HDR(PPU_CMD_WFI, PPU_CMD_SIZE_WFI, 0);\n", "")],
         says=r"WFI before SEM_RELEASE", keeps=["signal", "device waits", "errors"]),
    dict(name="cpu_waits", file=FILE, criterion="device waits",
         replace=[("in->ops == &lab_fence_ops && ", "false && ")],
         says=r"the device can wait for that itself", keeps=["signal", "other drivers"]),
    dict(name="own_word", file=FILE, criterion="device waits",
         replace=[("lab_chan_va(chan, to_lab_fence(in)->tl->word)", "lab_chan_va(chan, chan->tl->word)")],
         says=r"address of the \*other\* channel's word", keeps=["signal", "order", "other drivers"]),
    dict(name="equal", file=FILE, criterion="device waits",
         replace=[("PPU_CMDF_SEM_OP(PPU_SEM_OP_GE)", "PPU_CMDF_SEM_OP(PPU_SEM_OP_EQ)")],
         says=r"one past the fence's number", keeps=["signal", "order", "other drivers"]),
    dict(name="foreign_ignored", file=FILE, criterion="other drivers",
         replace=[("ret = dma_fence_wait(in, true);", "ret = 0;")],
         says=r"before that had signalled", keeps=["device waits", "signal"]),
    dict(name="deaf", file=FILE, criterion="other drivers",
         replace=[("ret = dma_fence_wait(in, true);", "ret = dma_fence_wait(in, false);")],
         says=r"no signal can end it", keeps=["device waits", "errors"]),
    dict(name="no_error", file=FILE, criterion="errors",
         replace=[("\t\tdma_fence_set_error(&f->base, error);\n", "")],
         says=r"not -EIO", keeps=["signal", "device waits", "other drivers"]),
    dict(name="all_fail", file=FILE, criterion="errors",
         replace=[("\tlab_fence_event(chan);\n\tspin_lock_irqsave", "\tspin_lock_irqsave")],
         says=r"submission before the bad one was complete", keeps=["signal", "device waits"]),
    dict(name="waiters_left", file=FILE, criterion="errors",
         replace=[("\tlab_vram_write64(chan->ldev, tl->word, last);\n", "")],
         says=r"write the word for those that will never come", keeps=["signal", "device waits"]),
    dict(name="unknown_out", file=FILE, criterion="arguments",
         replace=[("\t\tif (!sync->out)\n\t\t\treturn -ENOENT;\n", "")],
         says=r"out-syncobj that does not exist", keeps=["signal", "errors"]),
    dict(name="no_module", file=FILE, criterion="lifetime",
         replace=[("\t__module_get(THIS_MODULE);\n", ""), ("\tmodule_put(THIS_MODULE);\n", "")],
         says=r"the module can be unloaded while", keeps=["signal", "errors"]),
    dict(name="reference_kept", file=FILE, criterion="lifetime",
         replace=[("\t\tdma_fence_signal_locked(&f->base);\n\t\tdma_fence_put(&f->base);\n\t}\n"
                   "\tspin_unlock_irqrestore(&tl->lock, flags);\n}",
                   "\t\tdma_fence_signal_locked(&f->base);\n\t}\n"
                   "\tspin_unlock_irqrestore(&tl->lock, flags);\n}")],
         says=r"must give back", keeps=["signal", "device waits"]),
]
