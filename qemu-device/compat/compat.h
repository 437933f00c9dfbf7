/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What differs between the versions of QEMU that the device builds in. The
 * newest version's names are the ones that the glue uses; older versions get
 * them here. Nothing asks for a version number:
 *
 *  - a header that moved is looked for with __has_include;
 *  - a macro that came or went is asked for with #ifdef;
 *  - a function or a field is looked for in QEMU's headers by probe.sh, which
 *    writes ppu_qemu_have.h.
 */
#ifndef PPU_COMPAT_H
#define PPU_COMPAT_H

#include "qemu/osdep.h"
#include "config-host.h"
#include "ppu_qemu_have.h"

#if __has_include("system/system.h")
#include "system/system.h"
#include "system/runstate.h"
#include "system/cpu-timers.h"
#else
#include "sysemu/sysemu.h"
#include "sysemu/runstate.h"
#include "sysemu/cpu-timers.h"
#endif
#if __has_include("system/memory.h")
#include "system/memory.h"
#include "system/address-spaces.h"
#else
#include "exec/memory.h"
#include "exec/address-spaces.h"
#endif
#if __has_include("exec/icount.h")
#include "exec/icount.h"
#endif
#if __has_include("hw/core/qdev-properties.h")
#include "hw/core/qdev-properties.h"
#else
#include "hw/qdev-properties.h"
#endif
#include "hw/pci/pci.h"
#if __has_include("hw/pci/pci_device.h")
#include "hw/pci/pci_device.h"
#endif
#include "hw/pci/pcie.h"
#include "hw/pci/msix.h"
#include "migration/vmstate.h"
#include "qemu/atomic.h"
#include "qemu/main-loop.h"


/* A store followed by a full barrier. */
#ifndef qatomic_set_mb
#define qatomic_set_mb(p, v) qatomic_mb_set(p, v)
#endif

/* Property lists had a terminator once. Since they have none, they are const. */
#ifdef DEFINE_PROP_END_OF_LIST
#define PPU_PROPERTY_LIST static Property
#define PPU_PROPERTY_END  DEFINE_PROP_END_OF_LIST(),
#else
#define PPU_PROPERTY_LIST static const Property
#define PPU_PROPERTY_END
#endif

#ifndef PPU_QEMU_HAVE_LEGACY_RESET
#define device_class_set_legacy_reset(dc, fn) ((dc)->reset = (fn))
#endif

/* The third argument, where there are four, is a handler that may fail. */
#ifndef PPU_QEMU_HAVE_STATE_CB_RET
#define qdev_add_vm_change_state_handler(dev, cb, cb_ret, opaque) \
    qdev_add_vm_change_state_handler(dev, cb, opaque)
#endif

/* A .post_save for a VMStateDescription that calls fn and cannot fail. */
#ifdef PPU_QEMU_HAVE_POST_SAVE_VOID
#define PPU_POST_SAVE(name, fn) \
    static void name(void *opaque) \
    { \
        fn(opaque); \
    }
#else
#define PPU_POST_SAVE(name, fn) \
    static int name(void *opaque) \
    { \
        fn(opaque); \
        return 0; \
    }
#endif

/* What class_init of a TypeInfo gets. */
#ifdef PPU_QEMU_HAVE_CLASS_DATA_CONST
#define PPU_CLASS_DATA const void
#else
#define PPU_CLASS_DATA void
#endif

#endif
