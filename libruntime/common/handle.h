/* SPDX-License-Identifier: MIT */
/*
 * Handles.  The address of an object is a handle while the object is in a registry, so that a stale or
 * invented handle is found out before it is used.  Objects are reference counted: the registry has one
 * reference, which goes to the caller who withdraws the object, and each lookup takes another.  A library has
 * one registry, whose lock is innermost.
 */
#ifndef PPU_HANDLE_H
#define PPU_HANDLE_H

#include <pthread.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* First member of each object. */
struct ppu_handle {
	unsigned int kind;		/* one of the library's own */
	int refs;
	bool listed;
	struct ppu_handle *next;	/* hash chain */
};

#define PPU_REGISTRY_BUCKETS 1024u
struct ppu_registry {
	pthread_mutex_t lock;
	struct ppu_handle *bucket[PPU_REGISTRY_BUCKETS];
};
#define PPU_REGISTRY_INIT { .lock = PTHREAD_MUTEX_INITIALIZER }

/* The caller has the one reference.  The object is not a handle yet. */
void ppu_handle_init(struct ppu_handle *h, unsigned int kind);
void ppu_handle_publish(struct ppu_registry *reg, struct ppu_handle *h);
/* Takes the object out of the registry.  False: it was no handle any more.  References stay as they are. */
bool ppu_handle_withdraw(struct ppu_registry *reg, struct ppu_handle *h);
/* Looks a handle up and takes a reference.  NULL: there is no such handle of that kind. */
void *ppu_handle_get(struct ppu_registry *reg, const void *handle, unsigned int kind);
/* Withdraws all objects for which `which` returns true.  Returns them as a chain. */
struct ppu_handle *ppu_handle_withdraw_all(struct ppu_registry *reg,
					   bool (*which)(const struct ppu_handle *h, const void *arg), const void *arg);

static inline void ppu_handle_ref(struct ppu_handle *h)
{
	__atomic_add_fetch(&h->refs, 1, __ATOMIC_RELAXED);
}

/* True: that was the last reference, and the caller has to free the object. */
static inline bool ppu_handle_put(struct ppu_handle *h)
{
	return __atomic_sub_fetch(&h->refs, 1, __ATOMIC_ACQ_REL) == 0;
}

#pragma GCC visibility pop
#endif
