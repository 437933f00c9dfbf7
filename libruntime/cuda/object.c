/* SPDX-License-Identifier: MIT */
/* Handles: a hash table of the objects that are one. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "cu.h"

#define BUCKETS 1024u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cu_obj *table[BUCKETS];

static struct cu_obj **bucket(const void *p)
{
	uintptr_t v = (uintptr_t)p;

	return &table[(v >> 5 ^ v >> 15) % BUCKETS];
}

void *cu_obj_new(enum cu_kind kind, size_t size, struct CUctx_st *ctx, void (*release)(void *))
{
	struct cu_obj *o = calloc(1, size);

	if (!o)
		return NULL;
	o->kind = kind;
	o->refs = 1;
	o->ctx = ctx;
	o->release = release;
	if (ctx) {
		o->ctx_id = ctx->id;
		cu_obj_ref(ctx);
	}
	return o;
}

bool cu_obj_alive(const void *obj)
{
	const struct cu_obj *o = obj;

	return !__atomic_load_n(&o->ctx->dead, __ATOMIC_ACQUIRE) && o->ctx->id == o->ctx_id;
}

void cu_obj_ref(void *obj)
{
	__atomic_add_fetch(&((struct cu_obj *)obj)->refs, 1, __ATOMIC_RELAXED);
}

void cu_obj_put(void *obj)
{
	struct cu_obj *o = obj;
	struct CUctx_st *ctx;

	if (!o || __atomic_sub_fetch(&o->refs, 1, __ATOMIC_ACQ_REL))
		return;
	ctx = o->ctx;
	if (o->release)
		o->release(o);
	free(o);
	cu_obj_put(ctx);
}

void cu_obj_publish(void *obj)
{
	struct cu_obj *o = obj, **b = bucket(o);

	pthread_mutex_lock(&lock);
	o->next = *b;
	*b = o;
	pthread_mutex_unlock(&lock);
}

static bool unlink_obj(struct cu_obj *o)
{
	for (struct cu_obj **p = bucket(o); *p; p = &(*p)->next) {
		if (*p == o) {
			*p = o->next;
			return true;
		}
	}
	return false;
}

bool cu_obj_withdraw(void *obj)
{
	bool was;

	pthread_mutex_lock(&lock);
	was = unlink_obj(obj);
	pthread_mutex_unlock(&lock);
	if (was)
		cu_obj_put(obj);
	return was;
}

void *cu_obj_get(const void *handle, enum cu_kind kind)
{
	struct cu_obj *o;

	pthread_mutex_lock(&lock);
	for (o = *bucket(handle); o && o != handle; o = o->next)
		;
	if (o && o->kind == kind)
		cu_obj_ref(o);
	else
		o = NULL;
	pthread_mutex_unlock(&lock);
	return o;
}

CUresult cu_obj_find(const void *handle, enum cu_kind kind, void *obj)
{
	CUresult r = cu_ready();
	void *o;

	if (r)
		return r;
	o = cu_obj_get(handle, kind);
	memcpy(obj, &o, sizeof(o));
	return o ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cu_obj_destroy(const void *handle, enum cu_kind kind)
{
	struct cu_obj *o;
	CUresult r = cu_obj_find(handle, kind, &o);

	if (r)
		return r;
	r = cu_obj_withdraw(o) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
	cu_obj_put(o);
	return r;
}

void cu_obj_withdraw_all(const struct CUctx_st *ctx)
{
	struct cu_obj *gone = NULL, *o;

	pthread_mutex_lock(&lock);
	for (unsigned int i = 0; i < BUCKETS; i++) {
		struct cu_obj **p = &table[i];

		while ((o = *p)) {
			if (o->ctx != ctx) {
				p = &o->next;
				continue;
			}
			*p = o->next;
			o->next = gone;
			gone = o;
		}
	}
	pthread_mutex_unlock(&lock);
	while ((o = gone)) {
		gone = o->next;
		cu_obj_put(o);
	}
}
