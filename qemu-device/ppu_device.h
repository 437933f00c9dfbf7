/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The QEMU side of the PPU: a PCI function around the core (core/ppu_core.h).
 *
 * Locks, outermost first: the big QEMU lock (BQL), then PPUState.lock.  Core
 * calls are made with `lock` held.  The device thread never takes the BQL, so
 * that whoever holds the BQL may wait for the thread (ppu_irq.c says how its
 * interrupts are sent).
 */
#ifndef PPU_DEVICE_H
#define PPU_DEVICE_H

#include "compat/compat.h"
#include "qemu/notify.h"
#include "qemu/thread.h"
#include "qemu/timer.h"
#include "qom/object.h"
#include "core/ppu_core.h"
#include "hw/ppu_regs.h"

#define TYPE_PPU "ppu"
OBJECT_DECLARE_SIMPLE_TYPE(PPUState, PPU)

typedef struct PPUPool PPUPool;
typedef struct PPUTraceFile PPUTraceFile;

struct PPUState {
    PCIDevice parent_obj;

    /* set by properties, constant after realize */
    struct ppu_config cfg;
    char *trace_path;
    char *clock_name; /* auto, thread, virtual */
    bool aer;         /* errors of the bus are reported */
    bool pm;          /* there is D3hot */

    MemoryRegion bar0; /* registers */
    MemoryRegion bar2; /* container, power of two */
    MemoryRegion vram; /* RAM in bar2 */
    bool vram_named;   /* a name in migration streams is taken for it */
    MemoryRegion msix_bar;

    uint8_t pm_cap; /* offset of the capability; 0: none */
    bool asleep;    /* in D3hot; under BQL */
    MemoryRegion vram_off, msix_off; /* cover the BARs in D3hot */

    MemoryListener listener; /* DMA address space: drops cached host pointers */
    bool listening;
    Notifier machine_done; /* looks for an IOMMU */
    bool checks_later;

    struct ppu_core *core; /* under lock */
    QemuMutex lock;
    unsigned lock_waiters; /* atomic: threads that want `lock` now */

    uint32_t irq_raised;   /* under lock: vectors that the core named */
    uint32_t irq_pending;  /* atomic: vectors to send */
    bool irq_sending;      /* under BQL */
    QEMUBH *irq_bh;

    /* atomic: doorbells that vCPUs rang since the thread last looked */
    uint32_t put_latch[PPU_MAX_CHANNELS];
    unsigned long put_dirty[BITS_TO_LONGS(PPU_MAX_CHANNELS)];
    unsigned long kick_dirty[BITS_TO_LONGS(PPU_MAX_CHANNELS)];
    bool any_dirty; /* atomic */

    bool virtual_clock; /* no thread: timer callbacks on QEMU_CLOCK_VIRTUAL */
    QEMUTimer *timer;
    /* Device time - driving clock, while idle / always if virtual */
    int64_t clock_offset;
    bool idle; /* under lock: device time follows the clock */

    QemuThread thread;
    bool thread_running;
    QemuEvent wake;
    QemuCond parked_cond;     /* with lock: thread parked, or may go on */
    bool pause, parked, quit; /* under lock; pause and quit also read without */
    VMChangeStateEntry *vmstate_entry;

    PPUPool *pool; /* SM workers, NULL: serial */
    GThread *background; /* ppu_background.c; who calls the core */
    PPUTraceFile *trace;

    /* migration: the core as bytes, valid between pre_save/load and post */
    uint8_t *blob;
    uint32_t blob_len;
};

/* ppu_drive.c: who advances the core */
void ppu_drive_init(PPUState *s);
void ppu_drive_start(PPUState *s);
void ppu_drive_stop(PPUState *s); /* nobody advances the core any more */
void ppu_drive_destroy(PPUState *s);
/* Take `lock` soon, even from a busy device thread */
void ppu_drive_lock(PPUState *s);
/* Drops `lock`, sends interrupts, re-arms */
void ppu_drive_unlock(PPUState *s);
/* Under lock: bring device time up to the clock */
void ppu_drive_sync_time(PPUState *s);
void ppu_drive_rebase(PPUState *s); /* under lock: time was set (reset, load) */
void ppu_drive_doorbell(PPUState *s, unsigned chid, uint32_t put);
void ppu_drive_kick(PPUState *s, unsigned chid);
/* Under lock: latched doorbells into the core */
void ppu_drive_drain(PPUState *s);

/* ppu_irq.c: messages to the machine */
void ppu_irq_start(PPUState *s);
void ppu_irq_stop(PPUState *s);
/* Under lock, the core's port: to be sent once `lock` is dropped */
void ppu_irq_raise(PPUState *s, unsigned vector);
/* Under lock: what was raised is pending; call ppu_irq_kick() after it */
void ppu_irq_take(PPUState *s);
void ppu_irq_kick(PPUState *s);   /* without lock: send what is pending */
void ppu_irq_clear(PPUState *s);  /* under lock and BQL: reset, load */
void ppu_irq_resume(PPUState *s); /* with BQL: the machine goes on */

/* ppu_power.c: D0 and D3hot */
bool ppu_power_init(PPUState *s, Error **errp);
void ppu_power_exit(PPUState *s);
void ppu_power_reset(PPUState *s);
void ppu_power_written(PPUState *s);
void ppu_power_loaded(PPUState *s);

/* ppu_mem.c: the core's ports to memory */
void ppu_mem_ports(PPUState *s, struct ppu_ports *ports);
void ppu_mem_listen(PPUState *s, bool on);
bool ppu_mem_direct(PPUState *s, Error **errp);
void ppu_mem_check_later(PPUState *s, bool on);

/* ppu_background.c: translation beside the core */
void ppu_background_ports(struct ppu_ports *ports);

/* ppu_pool.c */
PPUPool *ppu_pool_new(unsigned workers);
void ppu_pool_free(PPUPool *pool);
void ppu_pool_run(PPUPool *pool, void (*fn)(void *, unsigned), void *arg);

/* ppu_tracefile.c */
PPUTraceFile *ppu_tracefile_open(const char *path, const struct ppu_config *cfg,
                                 Error **errp);
void ppu_tracefile_put(PPUTraceFile *t, const struct ppu_trace_rec *rec);
void ppu_tracefile_flush(PPUTraceFile *t);
void ppu_tracefile_close(PPUTraceFile *t);

/* ppu_pci.c */
struct ppu_core *ppu_new_core(PPUState *s, Error **errp);
void ppu_forget_state(PPUState *s); /* with BQL */
/* ppu_vmstate.c */
extern const VMStateDescription vmstate_ppu;

#endif
