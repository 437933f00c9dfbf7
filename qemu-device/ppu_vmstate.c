/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Migration and snapshots.  VRAM migrates as RAM; everything else of the core
 * is one versioned blob made and checked by ppu_core_save/ppu_core_load (the
 * core is also used outside QEMU, and saves and loads itself there).  The
 * machine is stopped, so the device thread is parked.
 *
 * Versions: the fields here never change.  New state of the glue becomes a
 * subsection, which is sent only when it has something to say; then an older
 * QEMU refuses it with its name.  The core's versions are in
 * core/machine/state.c.
 */
#include "compat/compat.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "ppu_device.h"
#include "trace.h"

#define PPU_BLOB_MAX (256u << 20)

static void ppu_free_blob(void *opaque)
{
    PPUState *s = opaque;

    /* Malloc'ed by the core or by vmstate's g_malloc: one allocator */
    free(s->blob);
    s->blob = NULL;
    s->blob_len = 0;
}

static int ppu_pre_save(void *opaque)
{
    PPUState *s = opaque;
    size_t len;
    int ret;

    ppu_free_blob(s);
    ppu_drive_lock(s);
    ppu_drive_drain(s);
    ppu_irq_take(s);
    ret = ppu_core_save(s->core, &s->blob, &len);
    qemu_mutex_unlock(&s->lock);
    if (ret || len > PPU_BLOB_MAX) {
        error_report("ppu: the device state cannot be saved");
        return -EINVAL;
    }
    s->blob_len = len;
    trace_ppu_save(s, len, s->irq_pending);
    return 0;
}

PPU_POST_SAVE(ppu_post_save, ppu_free_blob)

static int ppu_pre_load(void *opaque)
{
    PPUState *s = opaque;

    ppu_free_blob(s);
    ppu_drive_lock(s);
    ppu_irq_clear(s); /* a stream without vmstate_ppu_messages has none */
    qemu_mutex_unlock(&s->lock);
    return 0;
}

static int ppu_post_load(void *opaque, int version_id)
{
    PPUState *s = opaque;
    Error *err = NULL;
    char *why = NULL;
    struct ppu_core *fresh = ppu_new_core(s, &err);

    if (!fresh) {
        error_report_err(err);
        return -EINVAL;
    }
    if (ppu_core_load(fresh, s->blob, s->blob_len, &why)) {
        error_report("ppu: the saved device state is not usable: %s",
                     why ? why : "unknown reason");
        free(why);
        ppu_core_destroy(fresh);
        return -EINVAL;
    }
    ppu_drive_lock(s);
    ppu_core_destroy(s->core);
    s->core = fresh;
    ppu_drive_rebase(s);
    ppu_drive_unlock(s);
    ppu_power_loaded(s);
    trace_ppu_load(s, s->blob_len, s->irq_pending);
    ppu_free_blob(s);
    return 0;
}

static bool ppu_blob_size_ok(void *opaque, int version_id)
{
    PPUState *s = opaque;

    return s->blob_len <= PPU_BLOB_MAX;
}

/* Messages that were due when the machine stopped (ppu_irq.c) */
static bool ppu_messages_needed(void *opaque)
{
    PPUState *s = opaque;

    return qatomic_read(&s->irq_pending) != 0;
}

static bool ppu_messages_ok(void *opaque, int version_id)
{
    PPUState *s = opaque;

    return !(s->irq_pending >> PPU_NUM_VECTORS);
}

static const VMStateDescription vmstate_ppu_messages = {
    .name = "ppu/messages",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = ppu_messages_needed,
    .fields = (VMStateField[]){ VMSTATE_UINT32(irq_pending, PPUState),
                                VMSTATE_VALIDATE("no such vector",
                                                 ppu_messages_ok),
                                VMSTATE_END_OF_LIST() },
};

const VMStateDescription vmstate_ppu = {
    .name = "ppu",
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_save = ppu_pre_save,
    .post_save = ppu_post_save,
    .pre_load = ppu_pre_load,
    .post_load = ppu_post_load,
    .fields =
        (VMStateField[]){
            VMSTATE_PCI_DEVICE(parent_obj, PPUState),
            VMSTATE_MSIX(parent_obj, PPUState),
            VMSTATE_UINT32(blob_len, PPUState),
            VMSTATE_VALIDATE("state too large", ppu_blob_size_ok),
            VMSTATE_VBUFFER_ALLOC_UINT32(blob, PPUState, 1, NULL, blob_len),
            VMSTATE_END_OF_LIST() },
    .subsections = (const VMStateDescription * []) {
        &vmstate_ppu_messages,
        NULL
    },
};
