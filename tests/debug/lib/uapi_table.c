/* SPDX-License-Identifier: MIT */
#include <drm.h>
#include <uapi/drm/ppu_drm.h>

#include "uapi_table.h"
#include "uapi_table.inc"
