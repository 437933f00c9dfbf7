/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* PPU driver core: the few types that the core needs, in the kernel and on the host. */
#ifndef __PPU_CORE_TYPES_H__
#define __PPU_CORE_TYPES_H__

#include <linux/errno.h>
#include <linux/types.h>

#ifdef __KERNEL__
#include <linux/export.h>
#include <linux/kernel.h>

#include <kunit/visibility.h>
#else
#include <stdbool.h>
#include <stddef.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;

/* The kernel's unit tests are a module of their own. */
#define EXPORT_SYMBOL_IF_KUNIT(symbol)

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#endif
#endif

#endif
