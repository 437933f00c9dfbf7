/* SPDX-License-Identifier: MIT */
/* Handles: an address is one only while its object is in the registry. */
#include "rt.h"

#define BUCKETS 1024

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rt_obj *table[BUCKETS];

static struct rt_obj **bucket(const void *p)
{
	uint64_t h = (uintptr_t)p * 0x9e3779b97f4a7c15ull;

	return &table[h >> 54];
}

void rt_obj_init(struct rt_obj *obj, enum rt_kind kind, void (*release)(struct rt_obj *))
{
	obj->kind = kind;
	obj->refs = 1;
	obj->listed = false;
	obj->release = release;
}

void rt_obj_publish(struct rt_obj *obj)
{
	struct rt_obj **b = bucket(obj);

	pthread_mutex_lock(&lock);
	obj->listed = true;
	obj->next = *b;
	*b = obj;
	pthread_mutex_unlock(&lock);
}

bool rt_obj_withdraw(struct rt_obj *obj)
{
	struct rt_obj **p = bucket(obj);
	bool was;

	pthread_mutex_lock(&lock);
	was = obj->listed;
	while (was && *p != obj)
		p = &(*p)->next;
	if (was)
		*p = obj->next;
	obj->listed = false;
	pthread_mutex_unlock(&lock);
	return was;
}

void *rt_obj_get(const void *handle, enum rt_kind kind)
{
	struct rt_obj *o;

	pthread_mutex_lock(&lock);
	for (o = *bucket(handle); o; o = o->next)
		if ((const void *)o == handle)
			break;
	if (o && o->kind != kind)
		o = NULL;
	if (o)
		__atomic_add_fetch(&o->refs, 1, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&lock);
	return o;
}

void rt_obj_ref(struct rt_obj *obj)
{
	__atomic_add_fetch(&obj->refs, 1, __ATOMIC_RELAXED);
}

void rt_obj_put(struct rt_obj *obj)
{
	if (__atomic_sub_fetch(&obj->refs, 1, __ATOMIC_ACQ_REL) == 0)
		obj->release(obj);
}
