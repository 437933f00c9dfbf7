/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Driving the core: either a device thread that runs it as fast as the host
 * can, or (clock=virtual, the default under -icount) callbacks on QEMU's
 * virtual clock, with which VM and GPU together are reproducible.
 *
 * In the thread mode device time runs ahead of or behind the guest's clock
 * while there is work.  While there is no work, device time follows the
 * guest's clock, starting from the time that it has reached.
 */
#include "compat/compat.h"
#include "qemu/atomic.h"
#include "qemu/bitops.h"
#include "qemu/rcu.h"
#include "ppu_device.h"
#include "trace.h"

/* Host time the thread keeps `lock` at a stretch */
#define PPU_SLICE_NS 100000
/* Host time for which the thread looks for new work before it sleeps */
#define PPU_SPIN_NS 20000

static int64_t ppu_clock(void)
{
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

/* --- doorbells ------------------------------------------------------------ */

static void ppu_notify(PPUState *s)
{
    qatomic_set_mb(&s->any_dirty, true);
    qemu_event_set(&s->wake);
}

void ppu_drive_doorbell(PPUState *s, unsigned chid, uint32_t put)
{
    qatomic_set(&s->put_latch[chid], put);
    smp_wmb(); /* whoever sees the bit sees the value */
    set_bit_atomic(chid, s->put_dirty);
    ppu_notify(s);
}

void ppu_drive_kick(PPUState *s, unsigned chid)
{
    set_bit_atomic(chid, s->kick_dirty);
    ppu_notify(s);
}

/*
 * A doorbell's bit stays set until the core has the value.  While the bit is
 * set, ppu_bar0_read() answers a read of GP_PUT from the latch, so a guest
 * never reads back the value from before its store.  A doorbell that arrives
 * meanwhile has changed the latch; the next drain takes its value.
 */
static void ppu_drain_puts(PPUState *s, unsigned w)
{
    unsigned long bits = qatomic_read(&s->put_dirty[w]);

    while (bits) {
        unsigned chid = w * BITS_PER_LONG + ctzl(bits);
        uint32_t put = qatomic_read(&s->put_latch[chid]);

        ppu_core_mmio_write(s->core,
                            PPU_BAR0_USERD + (uint64_t)chid * PPU_USERD_STRIDE +
                                PPU_REG_USERD_GP_PUT,
                            4, put);
        qatomic_and(&s->put_dirty[w], ~(bits & -bits));
        if (qatomic_read(&s->put_latch[chid]) != put) {
            set_bit_atomic(chid, s->put_dirty);
            qatomic_set(&s->any_dirty, true);
        }
        bits &= bits - 1;
    }
}

static void ppu_drain_kicks(PPUState *s, unsigned w)
{
    unsigned long bits = qatomic_read(&s->kick_dirty[w]) ?
                             qatomic_xchg(&s->kick_dirty[w], 0) :
                             0;

    for (; bits; bits &= bits - 1) {
        unsigned chid = w * BITS_PER_LONG + ctzl(bits);

        ppu_core_mmio_write(s->core,
                            PPU_BAR0_USERD + (uint64_t)chid * PPU_USERD_STRIDE +
                                PPU_REG_USERD_KICK,
                            4, 1);
    }
}

void ppu_drive_drain(PPUState *s)
{
    if (!qatomic_read(&s->any_dirty)) {
        return;
    }
    qatomic_set_mb(&s->any_dirty, false);
    for (unsigned w = 0; w < BITS_TO_LONGS(s->cfg.channels); w++) {
        ppu_drain_puts(s, w);
    }
    for (unsigned w = 0; w < BITS_TO_LONGS(s->cfg.channels); w++) {
        ppu_drain_kicks(s, w);
    }
}

/* --- time ----------------------------------------------------------------- */

void ppu_drive_rebase(PPUState *s)
{
    s->clock_offset = (int64_t)ppu_core_time(s->core) - ppu_clock();
    s->idle = true;
}

void ppu_drive_sync_time(PPUState *s)
{
    int64_t t = ppu_clock() + s->clock_offset;

    if (!s->virtual_clock && ppu_core_next_event(s->core) != PPU_TIME_NEVER) {
        s->idle = false;
        return;
    }
    if (!s->virtual_clock && !s->idle) {
        ppu_drive_rebase(s);
        return;
    }
    if (t >= 0 && (uint64_t)t >= ppu_core_time(s->core)) {
        ppu_core_run(s->core, t);
    }
}

static void ppu_rearm(PPUState *s)
{
    uint64_t next = ppu_core_next_event(s->core);

    if (next == PPU_TIME_NEVER) {
        timer_del(s->timer);
    } else {
        timer_mod_ns(s->timer, (int64_t)next - s->clock_offset);
    }
}

/* --- access from vCPU and main threads ------------------------------------ */

void ppu_drive_lock(PPUState *s)
{
    if (qemu_mutex_trylock(&s->lock) == 0) {
        return;
    }
    qatomic_inc(&s->lock_waiters);
    ppu_core_request_stop(s->core);
    qemu_mutex_lock(&s->lock);
    qatomic_dec(&s->lock_waiters);
}

void ppu_drive_unlock(PPUState *s)
{
    bool more = ppu_core_next_event(s->core) != PPU_TIME_NEVER;

    if (s->virtual_clock) {
        ppu_rearm(s);
    }
    ppu_irq_take(s);
    qemu_mutex_unlock(&s->lock);
    ppu_irq_kick(s);
    if (more && !s->virtual_clock) {
        qemu_event_set(&s->wake);
    }
}

static void ppu_timer_cb(void *opaque)
{
    PPUState *s = opaque;

    ppu_drive_lock(s);
    ppu_drive_sync_time(s);
    ppu_drive_unlock(s);
    if (ppu_core_next_event(s->core) == PPU_TIME_NEVER) {
        ppu_tracefile_flush(s->trace);
    }
}

/* --- the device thread ---------------------------------------------------- */

static void ppu_park(PPUState *s)
{
    qemu_mutex_lock(&s->lock);
    ppu_tracefile_flush(s->trace);
    s->parked = true;
    trace_ppu_thread_parked(s);
    qemu_cond_broadcast(&s->parked_cond);
    while (s->pause && !s->quit) {
        qemu_cond_wait(&s->parked_cond, &s->lock);
    }
    s->parked = false;
    trace_ppu_thread_goes_on(s);
    qemu_mutex_unlock(&s->lock);
}

/*
 * Run for at most PPU_SLICE_NS of host time; true when there is nothing left to
 * do.
 */
static bool ppu_run_slice(PPUState *s)
{
    int64_t end = get_clock() + PPU_SLICE_NS;
    uint64_t next;

    for (;;) {
        if (qatomic_read(&s->any_dirty)) {
            ppu_drive_sync_time(s);
            ppu_drive_drain(s);
        }
        next = ppu_core_next_event(s->core);
        if (next == PPU_TIME_NEVER) {
            if (!s->idle) {
                ppu_drive_rebase(s);
            }
            return true;
        }
        s->idle = false;
        ppu_core_run(s->core, next);
        if (qatomic_read(&s->lock_waiters) || qatomic_read(&s->pause) ||
            s->irq_raised || get_clock() >= end) {
            return false;
        }
    }
}

static void ppu_wait_for_work(PPUState *s)
{
    int64_t end = get_clock() + PPU_SPIN_NS;

    while (get_clock() < end) {
        if (qatomic_read(&s->any_dirty) || qatomic_read(&s->quit) ||
            qatomic_read(&s->pause)) {
            return;
        }
        cpu_relax();
    }
    qemu_event_reset(&s->wake);
    if (qatomic_read(&s->any_dirty) || qatomic_read(&s->quit) ||
        qatomic_read(&s->pause)) {
        return;
    }
    /* Work that came through a register access, not a doorbell. */
    qemu_mutex_lock(&s->lock);
    bool more = ppu_core_next_event(s->core) != PPU_TIME_NEVER;
    qemu_mutex_unlock(&s->lock);
    if (!more) {
        ppu_tracefile_flush(s->trace);
        qemu_event_wait(&s->wake);
    }
}

static void *ppu_thread(void *opaque)
{
    PPUState *s = opaque;

    rcu_register_thread();
    while (!qatomic_read(&s->quit)) {
        if (qatomic_read(&s->pause)) {
            ppu_park(s);
            continue;
        }
        while (qatomic_read(&s->lock_waiters)) {
            sched_yield();
        }
        qemu_mutex_lock(&s->lock);
        bool idle = ppu_run_slice(s);
        ppu_irq_take(s);
        qemu_mutex_unlock(&s->lock);
        ppu_irq_kick(s);
        if (idle) {
            ppu_wait_for_work(s);
        }
    }
    rcu_unregister_thread();
    trace_ppu_thread_end(s);
    return NULL;
}

static void ppu_pause(PPUState *s, bool pause)
{
    qemu_mutex_lock(&s->lock);
    qatomic_set(&s->pause, pause);
    qemu_cond_broadcast(&s->parked_cond);
    qemu_mutex_unlock(&s->lock);
    ppu_core_request_stop(s->core);
    qemu_event_set(&s->wake);
}

/*
 * The machine stops or goes on.  The thread needs no lock of ours to park but
 * `lock`, and is there after the core's current event.
 */
static void ppu_vm_state_change(void *opaque, bool running, RunState state)
{
    PPUState *s = opaque;

    if (running) {
        ppu_irq_resume(s);
    }
    if (s->virtual_clock) {
        return; /* the clock itself stops */
    }
    ppu_pause(s, !running);
    qemu_mutex_lock(&s->lock);
    while (s->pause && !s->parked) {
        qemu_cond_wait(&s->parked_cond, &s->lock);
    }
    qemu_mutex_unlock(&s->lock);
}

void ppu_drive_init(PPUState *s)
{
    qemu_mutex_init(&s->lock);
    qemu_cond_init(&s->parked_cond);
    qemu_event_init(&s->wake, false);
}

void ppu_drive_start(PPUState *s)
{
    ppu_drive_rebase(s);
    ppu_irq_start(s);
    if (s->virtual_clock) {
        s->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, ppu_timer_cb, s);
    } else {
        s->pause = !runstate_is_running();
        qemu_thread_create(&s->thread, "ppu", ppu_thread, s,
                           QEMU_THREAD_JOINABLE);
        s->thread_running = true;
    }
    s->vmstate_entry = qdev_add_vm_change_state_handler(
        DEVICE(s), ppu_vm_state_change, NULL, s);
}

void ppu_drive_stop(PPUState *s)
{
    if (s->vmstate_entry) {
        qemu_del_vm_change_state_handler(s->vmstate_entry);
        s->vmstate_entry = NULL;
    }
    if (s->timer) {
        timer_free(s->timer);
        s->timer = NULL;
    }
    if (s->thread_running) {
        qemu_mutex_lock(&s->lock);
        qatomic_set(&s->quit, true);
        qemu_cond_broadcast(&s->parked_cond);
        qemu_mutex_unlock(&s->lock);
        ppu_core_request_stop(s->core);
        qemu_event_set(&s->wake);
        qemu_thread_join(&s->thread);
        s->thread_running = false;
    }
    ppu_irq_stop(s);
}

void ppu_drive_destroy(PPUState *s)
{
    qemu_event_destroy(&s->wake);
    qemu_cond_destroy(&s->parked_cond);
    qemu_mutex_destroy(&s->lock);
}
