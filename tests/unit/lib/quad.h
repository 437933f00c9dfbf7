/* SPDX-License-Identifier: MIT */
/* A floating-point type with 113 bits of mantissa: on x86 it has a name of its own, elsewhere long double is it. */
#ifndef QUAD_H
#define QUAD_H

#ifdef __SIZEOF_FLOAT128__
typedef __float128 quad;
#else
#include <float.h>
typedef long double quad;
_Static_assert(LDBL_MANT_DIG == 113, "this host has no such type");
#endif

#endif
