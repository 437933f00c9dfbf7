/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trace-file property: the core's trace records in a file
 * (include/hw/ppu_trace.h).
 */
#include "compat/compat.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "ppu_device.h"

struct PPUTraceFile {
    FILE *f;
    bool failed; /* a write failed: warn once, then drop records */
};

PPUTraceFile *ppu_tracefile_open(const char *path, const struct ppu_config *cfg,
                                 Error **errp)
{
    struct ppu_trace_header h = {
        .magic = PPU_TRACE_MAGIC,
        .version = PPU_TRACE_VERSION,
        .record_bytes = sizeof(struct ppu_trace_rec),
        .channels = cfg->channels,
        .copy_engines = cfg->copy_engines,
        .gpcs = cfg->gpcs,
        .sms_per_gpc = cfg->sms_per_gpc,
        .warps_per_sm = cfg->warps_per_sm,
        .task_slots = cfg->task_slots,
        .device_priorities = cfg->device_priorities,
        .priority_order = cfg->priority_order,
    };
    PPUTraceFile *t = g_new0(PPUTraceFile, 1);

    t->f = fopen(path, "wb");
    if (!t->f) {
        error_setg_errno(errp, errno, "ppu: cannot write the trace file %s",
                         path);
        g_free(t);
        return NULL;
    }
    setvbuf(t->f, NULL, _IOFBF, 1 << 18);
    t->failed = fwrite(&h, sizeof(h), 1, t->f) != 1;
    return t;
}

void ppu_tracefile_put(PPUTraceFile *t, const struct ppu_trace_rec *rec)
{
    if (!t->failed && fwrite(rec, sizeof(*rec), 1, t->f) != 1) {
        t->failed = true;
        warn_report("ppu: writing the trace file failed, it ends here");
    }
}

void ppu_tracefile_flush(PPUTraceFile *t)
{
    if (t) {
        fflush(t->f);
    }
}

void ppu_tracefile_close(PPUTraceFile *t)
{
    if (t) {
        fclose(t->f);
        g_free(t);
    }
}
