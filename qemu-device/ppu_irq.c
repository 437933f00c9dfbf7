/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MSI-X messages.
 *
 * While the core runs it names vectors, which are kept in irq_raised (under
 * `lock`).  When `lock` is dropped they move to irq_pending, from where they
 * are sent with the BQL held:
 *
 *  - from a bottom half, when the device has a thread.  So that thread, and a
 *    vCPU that accesses a register, never take the BQL for a message, and
 *    nobody who waits for the thread has to drop it;
 *  - at once with clock=virtual: there the BQL is held anyway, and a bottom
 *    half would run when the host likes, not when the guest's clock says so.
 *
 * A stopped machine gets no message: it would be a write to memory that may
 * have been saved already.  What is pending then is part of the saved state,
 * and is sent when the machine goes on.
 */
#include "compat/compat.h"
#include "qemu/atomic.h"
#include "qemu/host-utils.h"
#include "ppu_device.h"
#include "trace.h"

void ppu_irq_raise(PPUState *s, unsigned vector)
{
    s->irq_raised |= 1u << vector;
}

void ppu_irq_take(PPUState *s)
{
    if (s->irq_raised) {
        qatomic_or(&s->irq_pending, s->irq_raised);
        s->irq_raised = 0;
    }
}

void ppu_irq_clear(PPUState *s)
{
    s->irq_raised = 0;
    qatomic_set(&s->irq_pending, 0);
}

/*
 * A message may be addressed to our own registers, and so raise the next one.
 * That one is left to the bottom half: no recursion, and no loop without end.
 */
static void ppu_irq_send(void *opaque)
{
    PPUState *s = opaque;
    uint32_t bits;

    if (s->irq_sending || !runstate_is_running()) {
        trace_ppu_irq_kept(s, qatomic_read(&s->irq_pending));
        return;
    }
    s->irq_sending = true;
    for (bits = qatomic_xchg(&s->irq_pending, 0); bits; bits &= bits - 1) {
        trace_ppu_irq_sent(s, ctz32(bits));
        msix_notify(PCI_DEVICE(s), ctz32(bits));
    }
    s->irq_sending = false;
    if (qatomic_read(&s->irq_pending)) {
        qemu_bh_schedule(s->irq_bh);
    }
}

void ppu_irq_kick(PPUState *s)
{
    if (!qatomic_read(&s->irq_pending)) {
        return;
    }
    if (s->virtual_clock) {
        ppu_irq_send(s);
    } else {
        qemu_bh_schedule(s->irq_bh);
    }
}

void ppu_irq_resume(PPUState *s)
{
    if (qatomic_read(&s->irq_pending)) {
        qemu_bh_schedule(s->irq_bh);
    }
}

void ppu_irq_start(PPUState *s)
{
    s->irq_bh = qemu_bh_new(ppu_irq_send, s);
}

void ppu_irq_stop(PPUState *s)
{
    if (s->irq_bh) {
        qemu_bh_delete(s->irq_bh);
        s->irq_bh = NULL;
    }
}
