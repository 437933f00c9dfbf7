/* SPDX-License-Identifier: MIT */
/* Values that libraries keep with a context.  The API has no function for them: export.c's table leads to these. */
#include <pthread.h>
#include <stdlib.h>

#include "cuda/context/storage.h"

struct cu_stored {
	void *key, *value;
	cu_stored_end *end;
	struct cu_stored *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;	/* guards all contexts' lists */

/* Locked.  Where the key's element hangs, or the end of the list. */
static struct cu_stored **find(struct CUctx_st *c, const void *key)
{
	struct cu_stored **p = &c->stored;

	while (*p && (*p)->key != key)
		p = &(*p)->next;
	return p;
}

CUresult cu_store_put(CUcontext ctx, void *key, void *value, cu_stored_end *end)
{
	struct cu_stored *s = malloc(sizeof(*s)), **p, *old = NULL;
	struct CUctx_st *c;
	CUresult r = s ? cu_named(ctx, &c) : CUDA_ERROR_OUT_OF_MEMORY;

	if (r) {
		free(s);
		return r;
	}
	pthread_mutex_lock(&lock);
	if (__atomic_load_n(&c->dead, __ATOMIC_ACQUIRE)) {	/* nobody would be told of its end */
		r = CUDA_ERROR_CONTEXT_IS_DESTROYED;
		old = s;
	} else {
		p = find(c, key);
		old = *p;
		*s = (struct cu_stored){ key, value, end, old ? old->next : NULL };
		*p = s;
	}
	pthread_mutex_unlock(&lock);
	free(old);
	cu_obj_put(c);
	return r;
}

CUresult cu_store_get(void **value, CUcontext ctx, void *key)
{
	struct cu_stored *s;
	struct CUctx_st *c;
	CUresult r = value ? cu_named(ctx, &c) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	pthread_mutex_lock(&lock);
	s = *find(c, key);
	if (s)
		*value = s->value;
	pthread_mutex_unlock(&lock);
	cu_obj_put(c);
	return s ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cu_store_remove(CUcontext ctx, void *key)
{
	struct cu_stored **p, *s;
	struct CUctx_st *c;
	CUresult r = cu_named(ctx, &c);

	if (r)
		return r;
	pthread_mutex_lock(&lock);
	p = find(c, key);
	s = *p;
	if (s)
		*p = s->next;
	pthread_mutex_unlock(&lock);
	free(s);
	cu_obj_put(c);
	return s ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

struct cu_stored *cu_store_take(struct CUctx_st *c)
{
	struct cu_stored *list;

	pthread_mutex_lock(&lock);
	list = c->stored;
	c->stored = NULL;
	pthread_mutex_unlock(&lock);
	return list;
}

void cu_store_end(CUcontext ctx, struct cu_stored *list)
{
	struct cu_stored *s;

	while ((s = list)) {
		list = s->next;
		if (s->end)
			s->end(ctx, s->key, s->value);
		free(s);
	}
}
