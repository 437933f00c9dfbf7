/* SPDX-License-Identifier: MIT */
/* What the skeleton of lab 10 has where your code goes: the machine stops there and says where it was. */
#ifndef LAB10_H
#define LAB10_H

_Noreturn void lab10_todo(const char *file, const char *function);
#define LAB_TODO() lab10_todo(__FILE__, __func__)

#endif
