/* SPDX-License-Identifier: MIT */
/* The C++ library writes __noinline__ in an attribute of its own, so CUDA's macro is undefined in its header. */
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
