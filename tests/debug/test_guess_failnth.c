/* SPDX-License-Identifier: MIT */
/* Guessed handles and ids, while the allocations of SEM_CREATE fail, one after the other. */
#include "failnth.h"

#define GUESS_FAILNTH
#include "../conformance/test_guess.c"
