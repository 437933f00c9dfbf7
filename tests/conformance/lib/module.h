/* SPDX-License-Identifier: MIT */
/* The driver's module comes and goes. */
#ifndef PPU_CONFORMANCE_MODULE_H
#define PPU_CONFORMANCE_MODULE_H

/*
 * "NAME=VALUE NAME=VALUE ..." of the loaded module: programs that run later expect what the machine was started with.
 * To be freed.
 */
char *module_params(void);
void module_unload(void);			/* waits until nobody uses it */
void module_load(const char *params);		/* the file $PPU_KO; returns when there is a render node */

#endif
