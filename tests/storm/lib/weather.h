/* SPDX-License-Identifier: MIT */
/* What happens to the device, and to the worlds, while a round of the storm runs. */
#ifndef PPU_STORM_WEATHER_H
#define PPU_STORM_WEATHER_H

#include <sys/types.h>

#include "recipe.h"

void weather_init(void);		/* finds the device; once, while it is there */
bool weather_has_node(void);
/* Lets everything happen that is planned; the device is back at the end. */
void weather_run(const struct plan *p, const pid_t *worlds);

#endif
