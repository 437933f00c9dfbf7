/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Worker threads for the core's port run_workers(): ppu_pool_run() runs
 * fn(arg, 0) in the calling thread and fn(arg, i) in the threads that come in
 * time, and returns when all are done. The same for the device in a process is
 * libruntime/common/workers.c, which says why threads look before they sleep.
 * Here they do so only if a CPU is left for a virtual CPU. When it pays to
 * call others at all: hw/ppu_help.h.
 */
#include "compat/compat.h"
#include "qemu/atomic.h"
#include "qemu/processor.h"
#include "qemu/rcu.h"
#include "qemu/thread.h"
#include "qemu/timer.h"
#include "hw/ppu_help.h"
#include "ppu_device.h"

/* LOOK_NS of libruntime/common/workers.c, which cannot see this file. */
#define PPU_POOL_LOOK_NS 200000

typedef struct PPUPoolWorker {
    PPUPool *pool;
    QemuThread thread;
    unsigned index;
    unsigned round; /* under lock: the last one that it took part in, */
    int64_t spent;  /* under lock: and for how long, ns */
} PPUPoolWorker;

struct PPUPool {
    unsigned workers;
    PPUPoolWorker *worker;
    bool look;
    QemuMutex lock;
    QemuCond start, done;
    unsigned round;   /* written under lock: which round is being offered */
    unsigned running; /* written under lock: workers in that round */
    bool over;        /* under lock: nothing of it is left to begin */
    bool quit;
    void (*fn)(void *arg, unsigned worker);
    void *arg;
    struct ppu_help help; /* of the caller */
};

/* Looks for some time whether *value is no longer `old`. */
static void ppu_pool_look(PPUPool *p, unsigned *value, unsigned old)
{
    int64_t end;

    if (!p->look) {
        return;
    }
    end = get_clock() + PPU_POOL_LOOK_NS;
    do {
        for (unsigned i = 0; i < 32; i++) {
            if (qatomic_read(value) != old) {
                return;
            }
            cpu_relax();
        }
    } while (get_clock() < end);
}

static void *ppu_pool_thread(void *opaque)
{
    PPUPoolWorker *w = opaque;
    PPUPool *p = w->pool;
    unsigned round = 0;
    int64_t since;

    rcu_register_thread();
    qemu_mutex_lock(&p->lock);
    for (;;) {
        if (p->round == round && !p->quit) {
            qemu_mutex_unlock(&p->lock);
            ppu_pool_look(p, &p->round, round);
            qemu_mutex_lock(&p->lock);
        }
        while (p->round == round && !p->quit) {
            qemu_cond_wait(&p->start, &p->lock);
        }
        if (p->quit) {
            break;
        }
        round = p->round;
        if (p->over) { /* woken too late */
            continue;
        }
        qatomic_set(&p->running, p->running + 1);
        qemu_mutex_unlock(&p->lock);
        since = get_clock();
        p->fn(p->arg, w->index);
        since = get_clock() - since;
        qemu_mutex_lock(&p->lock);
        w->round = round;
        w->spent = since;
        qatomic_set(&p->running, p->running - 1);
        if (!p->running) {
            qemu_cond_signal(&p->done);
        }
    }
    qemu_mutex_unlock(&p->lock);
    rcu_unregister_thread();
    return NULL;
}

/* The round is over: what those who took part in it saved the caller. */
static int64_t ppu_pool_saved(PPUPool *p, int64_t own)
{
    int64_t sum = 0;

    for (unsigned i = 0; i < p->workers; i++) {
        if (p->worker[i].round == p->round) {
            sum += ppu_help_saved(own, p->worker[i].spent);
        }
    }
    return sum;
}

void ppu_pool_run(PPUPool *p, void (*fn)(void *, unsigned), void *arg)
{
    int64_t t = get_clock(), begun, done, end, saved;
    unsigned running;

    if (!ppu_help_wanted(&p->help, t)) {
        fn(arg, 0);
        return;
    }
    qemu_mutex_lock(&p->lock);
    p->fn = fn;
    p->arg = arg;
    p->over = false;
    qatomic_set(&p->round, p->round + 1);
    qemu_cond_broadcast(&p->start);
    qemu_mutex_unlock(&p->lock);
    begun = get_clock();
    fn(arg, 0);
    done = get_clock();
    qemu_mutex_lock(&p->lock);
    p->over = true;
    while ((running = p->running)) {
        qemu_mutex_unlock(&p->lock);
        ppu_pool_look(p, &p->running, running);
        qemu_mutex_lock(&p->lock);
        if (p->running == running) {
            break;
        }
    }
    while (p->running) {
        qemu_cond_wait(&p->done, &p->lock);
    }
    saved = ppu_pool_saved(p, done - begun);
    qemu_mutex_unlock(&p->lock);
    end = get_clock();
    ppu_help_round(&p->help, end, saved, begun - t + end - done);
}

/* workers: threads besides the one that calls ppu_pool_run(). */
PPUPool *ppu_pool_new(unsigned workers)
{
    PPUPool *p = g_new0(PPUPool, 1);

    p->workers = workers;
    ppu_help_init(&p->help);
    p->worker = g_new0(PPUPoolWorker, workers);
    /* The workers, the thread that drives the core, a virtual CPU. */
    p->look = g_get_num_processors() >= workers + 2;
    qemu_mutex_init(&p->lock);
    qemu_cond_init(&p->start);
    qemu_cond_init(&p->done);
    for (unsigned i = 0; i < workers; i++) {
        p->worker[i] = (PPUPoolWorker){ .pool = p, .index = i + 1 };
        qemu_thread_create(&p->worker[i].thread, "ppu-sm", ppu_pool_thread,
                           &p->worker[i], QEMU_THREAD_JOINABLE);
    }
    return p;
}

void ppu_pool_free(PPUPool *p)
{
    if (!p) {
        return;
    }
    qemu_mutex_lock(&p->lock);
    p->quit = true;
    qemu_cond_broadcast(&p->start);
    qemu_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->workers; i++) {
        qemu_thread_join(&p->worker[i].thread);
    }
    qemu_cond_destroy(&p->done);
    qemu_cond_destroy(&p->start);
    qemu_mutex_destroy(&p->lock);
    g_free(p->worker);
    g_free(p);
}
