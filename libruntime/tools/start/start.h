/* SPDX-License-Identifier: MIT */
/* For tools that start a program which uses our libraries. */
#ifndef PPU_TOOL_START_H
#define PPU_TOOL_START_H

/* Our libraries, for a program that does not know where they are: beside this tool, as built and as installed.  Returns their
 * directory; NULL: there is none. */
const char *start_library_path(void);
/* The device inside the process, unless the user has chosen another one. */
void start_backend(void);

#endif
