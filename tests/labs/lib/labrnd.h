/* SPDX-License-Identifier: MIT */
/* Random numbers that are the same wherever a lab's program runs. */
#ifndef LABRND_H
#define LABRND_H

#include <stdint.h>

void rnd_seed(uint64_t seed);
uint32_t rnd(uint32_t n);		/* below n */

#endif
