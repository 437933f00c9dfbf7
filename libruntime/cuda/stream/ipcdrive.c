/* SPDX-License-Identifier: MIT */
/*
 * A device inside the process works while somebody waits for it or asks how far it is. Others wait for records of shared
 * events, so a thread asks for them until they are done.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "cuda/stream/ipcevent.h"
#include "common/thread.h"

struct pending {
	struct pending *next;
	ppuEvent event;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static struct pending *all;
static pid_t thread_pid;		/* a child of fork() has no thread */

/* Locked.  An event that has been destroyed is not waited for either. */
static void ask(void)
{
	struct pending **p = &all, *n;

	while ((n = *p)) {
		if (ppuEventQuery(n->event) == PPU_ERROR_NOT_READY) {
			p = &n->next;
		} else {
			*p = n->next;
			free(n);
		}
	}
}

static void *thread(void *arg)
{
	(void)arg;
	for (;;) {
		pthread_mutex_lock(&lock);
		while (!all)
			pthread_cond_wait(&more, &lock);
		ask();
		pthread_mutex_unlock(&lock);
		usleep(100);		/* others want the device, too */
	}
	return NULL;
}

/* Locked. */
static bool start(void)
{
	pthread_t t;

	if (thread_pid == getpid())
		return true;
	if (ppu_thread_start(&t, thread, NULL))
		return false;
	pthread_detach(t);
	thread_pid = getpid();
	return true;
}

bool cu_ipc_drive(ppuEvent event)
{
	struct pending *n;
	bool ok = true;

	pthread_mutex_lock(&lock);
	for (n = all; n && n->event != event; n = n->next)
		;
	if (!n) {
		n = calloc(1, sizeof(*n));
		ok = n && start();
		if (ok) {
			n->event = event;
			n->next = all;
			all = n;
			pthread_cond_signal(&more);
		} else {
			free(n);
		}
	}
	pthread_mutex_unlock(&lock);
	return ok;
}
