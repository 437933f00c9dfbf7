/* SPDX-License-Identifier: MIT */
/* cvt.pack. */
#ifndef PX_LOW_PACK_H
#define PX_LOW_PACK_H

#include "compiler/ptx/front/px_module.h"

void px_low_cvt_pack(struct px_module *m, const struct px_inst *in);

#endif
