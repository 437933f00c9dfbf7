/* SPDX-License-Identifier: MIT */
/* The runtime's handles. */
#include <ppu.h>
#include "api/context/object.h"

static struct ppu_registry registry = PPU_REGISTRY_INIT;

void rt_obj_init(struct rt_obj *obj, enum rt_kind kind, void (*release)(struct rt_obj *))
{
	ppu_handle_init(&obj->handle, kind);
	obj->release = release;
}

void rt_obj_publish(struct rt_obj *obj)
{
	ppu_handle_publish(&registry, &obj->handle);
}

bool rt_obj_withdraw(struct rt_obj *obj)
{
	return ppu_handle_withdraw(&registry, &obj->handle);
}

void *rt_obj_get(const void *handle, enum rt_kind kind)
{
	return ppu_handle_get(&registry, handle, kind);
}

void rt_obj_ref(struct rt_obj *obj)
{
	ppu_handle_ref(&obj->handle);
}

void rt_obj_put(struct rt_obj *obj)
{
	if (ppu_handle_put(&obj->handle))
		obj->release(obj);
}
