/* SPDX-License-Identifier: MIT */
/* insert.h as compiled for the GPU. */
#ifndef PPU_LIB_INSERT_DEV_H
#define PPU_LIB_INSERT_DEV_H

#include "compiler/devabi/dev.h"
#pragma clang force_cuda_host_device begin
#include <hw/ppu_devq.h>
#pragma clang force_cuda_host_device end

#define PPUQ_FN		DEV
#define PPUQ_FAR	static __attribute__((device, noinline))
#define PPUQ_LOAD(p)	load_now(p)
#define PPUQ_STORE(p, v) store_now(p, v)
#define PPUQ_ADD(p, v)	atom_add(p, v)
#define PPUQ_OR(p, v)	atom_or(p, v)
#define PPUQ_CAS(p, c, v) atom_cas(p, c, v)
#ifndef PPUQ_FENCE
#define PPUQ_FENCE()	fence()
#endif
#include "compiler/devabi/insert.h"

#endif
