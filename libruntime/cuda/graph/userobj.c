/* SPDX-License-Identifier: MIT */
/* User objects: objects of the program that live at least as long as the graphs that use them. */
#include <pthread.h>
#include <stdlib.h>
#include "cuda/graph/userobj.h"
#include "cuda/context/device.h"
#include "cuda/context/object.h"
#include "cuda/graph/graph.h"


struct CUuserObject_st {
	struct cu_obj obj;
	void *ptr;
	CUhostFn destroy;
	unsigned int count;		/* references of the program and of graphs */
};

/* Drops references.  With the last one, the program's function is called. */
static void drop(struct CUuserObject_st *o, unsigned int count)
{
	if (__atomic_sub_fetch(&o->count, count, __ATOMIC_ACQ_REL))
		return;
	cu_obj_withdraw(o);
	o->destroy(o->ptr);
}

static CUresult find(CUuserObject object, unsigned int count, struct CUuserObject_st **o)
{
	CUresult r = count && count <= INT32_MAX ? cu_obj_find(object, CU_USER_OBJECT, o) : CUDA_ERROR_INVALID_VALUE;

	return r == CUDA_ERROR_INVALID_HANDLE ? CUDA_ERROR_INVALID_VALUE : r;
}

CUresult i_cuUserObjectCreate(CUuserObject *object, void *ptr, CUhostFn destroy, unsigned int count, unsigned int flags)
{
	struct CUuserObject_st *o;
	CUresult r = cu_ready();

	if (r)
		return r;
	if (!object || !destroy || !count || count > INT32_MAX || flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
		return CUDA_ERROR_INVALID_VALUE;
	o = cu_obj_new(CU_USER_OBJECT, sizeof(*o), NULL, NULL);
	if (!o)
		return CUDA_ERROR_OUT_OF_MEMORY;
	o->ptr = ptr;
	o->destroy = destroy;
	o->count = count;
	cu_obj_publish(o);
	*object = o;
	return CUDA_SUCCESS;
}

CUresult i_cuUserObjectRetain(CUuserObject object, unsigned int count)
{
	struct CUuserObject_st *o;
	CUresult r = find(object, count, &o);

	if (r)
		return r;
	__atomic_add_fetch(&o->count, count, __ATOMIC_RELAXED);
	cu_obj_put(o);
	return CUDA_SUCCESS;
}

CUresult i_cuUserObjectRelease(CUuserObject object, unsigned int count)
{
	struct CUuserObject_st *o;
	CUresult r = find(object, count, &o);

	if (r)
		return r;
	if (count > o->count)
		r = CUDA_ERROR_INVALID_VALUE;
	else
		drop(o, count);
	cu_obj_put(o);
	return r;
}

/* ---- what graphs hold ----------------------------------------------------------------------- */

void cu_held_free(struct cu_held *held)
{
	struct cu_held *h;

	while ((h = held)) {
		held = h->next;
		drop(h->object, h->count);
		cu_obj_put(h->object);
		free(h);
	}
}

static CUresult hold(struct cu_held **list, struct CUuserObject_st *o, unsigned int count)
{
	struct cu_held *h = *list;

	while (h && h->object != o)
		h = h->next;
	if (!h) {
		h = calloc(1, sizeof(*h));
		if (!h)
			return CUDA_ERROR_OUT_OF_MEMORY;
		cu_obj_ref(o);
		h->object = o;
		h->next = *list;
		*list = h;
	}
	h->count += count;
	return CUDA_SUCCESS;
}

CUresult cu_held_copy(struct cu_held **to, const struct cu_held *from)
{
	CUresult r = CUDA_SUCCESS;

	for (; !r && from; from = from->next) {
		r = hold(to, from->object, from->count);
		if (!r)
			__atomic_add_fetch(&from->object->count, from->count, __ATOMIC_RELAXED);
	}
	return r;
}

CUresult i_cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count, unsigned int flags)
{
	struct CUuserObject_st *o;
	struct CUgraph_st *g;
	CUresult r = flags & ~(unsigned int)CU_GRAPH_USER_OBJECT_MOVE ? CUDA_ERROR_INVALID_VALUE : find(object, count, &o);

	if (r)
		return r;
	g = cu_obj_get(graph, CU_GRAPH);
	if (!g) {
		cu_obj_put(o);
		return CUDA_ERROR_INVALID_VALUE;
	}
	pthread_mutex_lock(&cu_graph_lock);
	r = hold(&g->held, o, count);
	/* References that are moved were the program's and are counted already. */
	if (!r && !(flags & CU_GRAPH_USER_OBJECT_MOVE))
		__atomic_add_fetch(&o->count, count, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&cu_graph_lock);
	cu_obj_put(g);
	cu_obj_put(o);
	return r;
}

CUresult i_cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count)
{
	struct CUuserObject_st *o;
	struct CUgraph_st *g;
	struct cu_held **p, *gone = NULL;
	CUresult r = find(object, count, &o);

	if (r)
		return r;
	g = cu_obj_get(graph, CU_GRAPH);
	r = CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&cu_graph_lock);
	for (p = g ? &g->held : &gone; *p && (*p)->object != o; p = &(*p)->next)
		;
	if (*p && (*p)->count >= count) {
		r = CUDA_SUCCESS;
		(*p)->count -= count;
		if (!(*p)->count) {
			gone = *p;
			*p = gone->next;
			cu_obj_put(gone->object);
			free(gone);
		}
	}
	pthread_mutex_unlock(&cu_graph_lock);
	if (!r)
		drop(o, count);
	cu_obj_put(g);
	cu_obj_put(o);
	return r;
}
