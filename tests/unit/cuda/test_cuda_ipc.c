/* SPDX-License-Identifier: MIT */
/* Memory, events and pools of several processes, each with a device inside. */
#include "../../system/cuda_ipc.c"
