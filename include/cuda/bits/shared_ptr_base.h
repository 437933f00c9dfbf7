/* SPDX-License-Identifier: MIT */
/* The C++ library writes __noinline__ in an attribute of its own: CUDA's macro is undefined meanwhile. */
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
