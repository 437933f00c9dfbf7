/* SPDX-License-Identifier: GPL-2.0-only */
#include <ppu_have.h>

#ifdef PPU_HAVE_IMPORT_NS_STRING
#include_next <kunit/visibility.h>
#elif !defined(PPU_COMPAT_KUNIT_VISIBILITY_H)
#define PPU_COMPAT_KUNIT_VISIBILITY_H

#include <linux/export.h>

/* Without a namespace: the name in MODULE_IMPORT_NS() is none that such a kernel looks for. */
#if IS_ENABLED(CONFIG_KUNIT)
#define EXPORT_SYMBOL_IF_KUNIT(symbol) EXPORT_SYMBOL_GPL(symbol)
#else
#define EXPORT_SYMBOL_IF_KUNIT(symbol)
#endif

#endif
