/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Worker threads for the core's job port: ppu_pool_run() runs fn(arg, 0..n-1)
 * on the workers and the calling thread and returns when all are done.
 */
#include "compat/compat.h"
#include "qemu/atomic.h"
#include "qemu/rcu.h"
#include "qemu/thread.h"
#include "ppu_device.h"

struct PPUPool {
    unsigned workers;
    QemuThread *thread;
    QemuMutex lock;
    QemuCond start, done;
    unsigned round;   /* under lock: which batch is being offered */
    unsigned running; /* under lock: workers in that batch */
    bool over;        /* under lock: nothing of it is left to begin */
    bool quit;
    void (*fn)(void *arg, unsigned index);
    void *arg;
    unsigned n;
    unsigned next; /* atomic: next job */
};

static void ppu_pool_work(PPUPool *p)
{
    unsigned i;

    while ((i = qatomic_fetch_inc(&p->next)) < p->n) {
        p->fn(p->arg, i);
    }
}

static void *ppu_pool_thread(void *opaque)
{
    PPUPool *p = opaque;
    unsigned round = 0;

    rcu_register_thread();
    qemu_mutex_lock(&p->lock);
    for (;;) {
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
        p->running++;
        qemu_mutex_unlock(&p->lock);
        ppu_pool_work(p);
        qemu_mutex_lock(&p->lock);
        if (--p->running == 0) {
            qemu_cond_signal(&p->done);
        }
    }
    qemu_mutex_unlock(&p->lock);
    rcu_unregister_thread();
    return NULL;
}

void ppu_pool_run(PPUPool *p, void (*fn)(void *, unsigned), void *arg,
                  unsigned n)
{
    qemu_mutex_lock(&p->lock);
    p->fn = fn;
    p->arg = arg;
    p->n = n;
    qatomic_set(&p->next, 0);
    p->over = false;
    p->round++;
    qemu_cond_broadcast(&p->start);
    qemu_mutex_unlock(&p->lock);
    ppu_pool_work(p);
    qemu_mutex_lock(&p->lock);
    p->over = true;
    while (p->running) {
        qemu_cond_wait(&p->done, &p->lock);
    }
    qemu_mutex_unlock(&p->lock);
}

/* workers: threads besides the one that calls ppu_pool_run(). */
PPUPool *ppu_pool_new(unsigned workers)
{
    PPUPool *p = g_new0(PPUPool, 1);

    p->workers = workers;
    p->thread = g_new0(QemuThread, workers);
    qemu_mutex_init(&p->lock);
    qemu_cond_init(&p->start);
    qemu_cond_init(&p->done);
    for (unsigned i = 0; i < workers; i++) {
        qemu_thread_create(&p->thread[i], "ppu-sm", ppu_pool_thread, p,
                           QEMU_THREAD_JOINABLE);
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
        qemu_thread_join(&p->thread[i]);
    }
    qemu_cond_destroy(&p->done);
    qemu_cond_destroy(&p->start);
    qemu_mutex_destroy(&p->lock);
    g_free(p->thread);
    g_free(p);
}
