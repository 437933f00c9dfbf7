/* SPDX-License-Identifier: MIT */
/* Compiles a function whose body has been read: the passes, then registers, frame and code. */
#ifndef PX_FUNC_H
#define PX_FUNC_H

struct px_func;
struct px_object;

void px_compile_func(struct px_func *f, struct px_object *o);

#endif
