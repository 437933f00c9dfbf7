/* SPDX-License-Identifier: MIT */
/* mma m8n8k4 on f16, which is of sm_70 and unlike the other forms. */
#ifndef PX_LOW_MMA_QUAD_H
#define PX_LOW_MMA_QUAD_H

#include "compiler/ptx/lower/px_low_mat.h"

void px_low_mma_quad(struct px_module *m, const struct px_inst *in, const struct px_mat *mat);

#endif
