/* SPDX-License-Identifier: MIT */
/*
 * ppu-prof: what the runtime tells its profiler.  With PPU_PROF=FILE in the environment, and the device inside the process,
 * a profiler adds up what each instruction of each kernel does (hw/ppu_observe.h), and writes it to the file at the end.
 *
 * A context has a struct prof_ctx, or NULL when there is no profiler; all functions but prof_open() are for contexts that
 * have one.  They may be called with any of the runtime's locks held: the profiler's own lock is the innermost.
 */
#ifndef PPU_PROF_H
#define PPU_PROF_H

#include <stdint.h>
#include <ppu_image.h>
#include "backend/backend.h"

#pragma GCC visibility push(hidden)

struct prof_ctx;

/* When a device was opened.  0; or -EINVAL and *err, a malloc'ed sentence: PPU_PROF asks for what is not there. */
int prof_open(const struct be_ops *be, struct be_dev *dev, const ppuDeviceProp *prop, char **err);
/* Before the device is closed. */
void prof_close(const struct be_ops *be, struct be_dev *dev);

/* NULL: there is no profiler, or no memory. */
struct prof_ctx *prof_ctx_new(const struct be_ops *be, struct be_vm *vm);
void prof_ctx_end(struct prof_ctx *c);

/* A kernel got a number, by which tasks name it; img NULL: it has gone. */
void prof_kernel(struct prof_ctx *c, uint32_t number, const struct ppu_image *img, const struct ppu_symbol *sym);
/* The next launch has this number; its task's id ends with it.  stream: which one it is; NULL: the default stream. */
void prof_launch(struct prof_ctx *c, uint32_t launch, uint32_t kernel, const void *stream);
/* The stream has gone: another one may have its address. */
void prof_stream_gone(struct prof_ctx *c, const void *stream);

#pragma GCC visibility pop
#endif
