/* SPDX-License-Identifier: MIT */
/* Handles of the runtime's objects. */
#ifndef PPU_API_OBJECT_H
#define PPU_API_OBJECT_H

#include <stdbool.h>
#include "common/handle.h"

#pragma GCC visibility push(hidden)

enum rt_kind { RT_CTX = 1, RT_STREAM, RT_EVENT, RT_MODULE, RT_FUNCTION, RT_MEM, RT_GRAPH };
struct rt_obj {
	struct ppu_handle handle;	/* its kind: enum rt_kind */
	void (*release)(struct rt_obj *obj);
};
void rt_obj_init(struct rt_obj *obj, enum rt_kind kind, void (*release)(struct rt_obj *));
void rt_obj_publish(struct rt_obj *obj);		/* its address is a valid handle from now on */
bool rt_obj_withdraw(struct rt_obj *obj);		/* false: it was no handle any more */
void *rt_obj_get(const void *handle, enum rt_kind kind);	/* + reference, NULL: no such handle */
void rt_obj_ref(struct rt_obj *obj);
void rt_obj_put(struct rt_obj *obj);

#pragma GCC visibility pop
#endif
