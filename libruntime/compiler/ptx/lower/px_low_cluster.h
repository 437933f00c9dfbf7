/* SPDX-License-Identifier: MIT */
/* What clusters add to instructions of other files. */
#ifndef PX_LOW_CLUSTER_H
#define PX_LOW_CLUSTER_H

#include "compiler/ptx/lower/px_low.h"

/* isspacep.shared::cta: in the window, and in the part that is the CTA's own. */
void px_low_isspacep_cta(struct px_module *m, const struct px_inst *in);

#endif
