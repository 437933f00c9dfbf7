// SPDX-License-Identifier: GPL-2.0-only
/* A namespace is imported by a string, as a module with KUnit tests does it. */

#include <linux/module.h>

#include <kunit/visibility.h>

#undef MODULE_INFO
#define MODULE_INFO(tag, info) _Static_assert(sizeof(info) == sizeof("X"), "not quoted again")
MODULE_IMPORT_NS("X");
