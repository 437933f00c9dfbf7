// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>

#include <uapi/drm/ppu_drm.h>

#define CREATE_TRACE_POINTS
#include "base/ppu_trace.h"
