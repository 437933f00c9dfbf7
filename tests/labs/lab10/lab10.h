/* SPDX-License-Identifier: MIT */
/* The skeleton of lab 10 has this where your code belongs: the machine stops there and names the function. */
#ifndef LAB10_H
#define LAB10_H

_Noreturn void lab10_todo(const char *file, const char *function);
#define LAB_TODO() lab10_todo(__FILE__, __func__)

#endif
