/* SPDX-License-Identifier: MIT */
/* Small files of the kernel's: module parameters, debugfs, fdinfo, the log. */
#ifndef PPU_CONFORMANCE_SYSFILE_H
#define PPU_CONFORMANCE_SYSFILE_H

#include "harness.h"

/* The contents, ended by a zero byte; NULL: it cannot be read. To be freed. */
char *file_text(const char *path);
void file_write(const char *path, const char *text);

/* Module parameters; changed parameters are restored when the program ends. */
uint64_t modparam(const char *name);
void modparam_set(const char *name, uint64_t value);

/* The bus address of BAR0 of the first PPU. */
uint64_t bar0(void);

/* A file of debugfs of the device's first minor. To be freed. */
char *debugfs_text(const char *name);
/* The number after a name at the beginning of a line of one of them. */
uint64_t debugfs_number(const char *file, const char *name);
/* Writes to one of them. */
void debugfs_write(const char *name, const char *text);

/* The number after this text in the fdinfo of an open file. */
uint64_t fdinfo_kib(int fd, const char *key);

/* The kernel's log from now on. */
int kmsg_open(void);
/* Does a line that contains all of these words (NULL-terminated) appear within ms? */
bool kmsg_find(int fd, unsigned ms, const char *const *parts);

/* Memory is short: the kernel asks the driver for pages, which gives them without swap space, too. */
void memory_press(void);

/* The kernel's events from now on. */
int uevent_open(void);
/* Has one with this line come? */
bool uevent_seen(int fd, const char *line);

#endif
