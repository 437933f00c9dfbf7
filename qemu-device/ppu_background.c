/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The core's port for work beside it: the translation of a program, one at a
 * time, each in a thread of its own. The thread touches neither QEMU nor guest
 * memory, so it is no thread of QEMU's, whose creation could only succeed or
 * end QEMU. The core waits for it before it is reset or destroyed; a migration
 * need not wait, because nothing of it is saved.
 */
#include "compat/compat.h"
#include "qemu/timer.h"
#include <signal.h>
#include "ppu_device.h"

struct ppu_background {
    void (*fn)(void *arg);
    void *arg;
};

static gpointer ppu_background_thread(gpointer opaque)
{
    struct ppu_background *b = opaque;

    b->fn(b->arg);
    g_free(b);
    return NULL;
}

static bool ppu_background_start(void *opaque, void (*fn)(void *), void *arg)
{
    PPUState *s = opaque;
    struct ppu_background *b;
    sigset_t all, old;

    /* After a migration the old core may still have something to end. */
    if (s->background) {
        return false;
    }
    b = g_new(struct ppu_background, 1);
    *b = (struct ppu_background){ fn, arg };
    sigfillset(&all); /* signals are for QEMU's threads */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    s->background = g_thread_try_new("ppu-translate", ppu_background_thread, b,
                                     NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!s->background) {
        g_free(b);
    }
    return s->background != NULL;
}

static void ppu_background_end(void *opaque)
{
    PPUState *s = opaque;

    g_thread_join(s->background);
    s->background = NULL;
}

static uint64_t ppu_background_ns(void *opaque)
{
    return get_clock();
}

void ppu_background_ports(struct ppu_ports *ports)
{
    ports->start_background = ppu_background_start;
    ports->end_background = ppu_background_end;
    ports->host_ns = ppu_background_ns;
}
