/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What differs between the QEMU versions the device builds in (7.2 and 10.x).
 */
#ifndef PPU_COMPAT_H
#define PPU_COMPAT_H

#include "qemu/osdep.h"
#include "config-host.h"

#if QEMU_VERSION_MAJOR >= 10
#include "system/system.h"
#include "system/runstate.h"
#include "system/cpu-timers.h"
#else
#include "sysemu/sysemu.h"
#include "sysemu/runstate.h"
#include "sysemu/cpu-timers.h"
#endif
#include "hw/pci/pci.h"
#if QEMU_VERSION_MAJOR >= 8
#include "hw/pci/pci_device.h"
#endif
#include "hw/pci/pcie.h"
#include "hw/pci/msix.h"
#include "qemu/atomic.h"
#include "qemu/main-loop.h"

#if QEMU_VERSION_MAJOR < 9
#define bql_lock()   qemu_mutex_lock_iothread()
#define bql_unlock() qemu_mutex_unlock_iothread()
#define bql_locked() qemu_mutex_iothread_locked()
#endif

/* A store followed by a full barrier. */
#ifndef qatomic_set_mb
#define qatomic_set_mb(p, v) qatomic_mb_set(p, v)
#endif

/*
 * Property lists end with a terminator up to 9.x and are const and unterminated
 * from 10.0.
 */
#if QEMU_VERSION_MAJOR >= 10
#define PPU_PROPERTY_LIST static const Property
#define PPU_PROPERTY_END
#else
#define PPU_PROPERTY_LIST static Property
#define PPU_PROPERTY_END  DEFINE_PROP_END_OF_LIST(),
#endif

#if QEMU_VERSION_MAJOR > 9 || \
    (QEMU_VERSION_MAJOR == 9 && QEMU_VERSION_MINOR >= 2)
#define ppu_set_reset(dc, fn) device_class_set_legacy_reset(dc, fn)
#else
#define ppu_set_reset(dc, fn) ((dc)->reset = (fn))
#endif

#endif
