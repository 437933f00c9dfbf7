/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All units, in the order in which they are created, saved and restored.  They are reset and destroyed in
 * reverse order: a unit goes before the units that it uses, so it may still call the units before it in the
 * list.
 */
#ifndef PPU_UNITS_H
#define PPU_UNITS_H

#include "core/base/event.h"
#include "core/base/fault.h"
#include "core/base/inject.h"
#include "core/base/intr.h"
#include "core/host/ce.h"
#include "core/host/chan.h"
#include "core/host/host.h"
#include "core/machine/regs.h"
#include "core/memory/ctx.h"
#include "core/memory/mem.h"
#include "core/memory/mmu.h"
#include "core/memory/sem.h"
#include "core/sm/sms.h"
#include "core/tasks/ctas.h"
#include "core/tasks/gpc.h"
#include "core/tasks/order.h"
#include "core/tasks/rank.h"
#include "core/tasks/smexc.h"
#include "core/tasks/tmu.h"
#include "core/tasks/wdu.h"

#define PPU_UNITS(U) \
U(events) U(mem) U(mmu) U(intr) U(inject) U(faults) U(smexcs) U(regs) U(ctxs) U(sems) U(chans) U(host) U(ces) U(ranks) U(tmu) U(orders) U(ctas) U(wdu) U(gpcs) U(sms)

#endif
