/* SPDX-License-Identifier: MIT */
/*
 * The render nodes of PPUs: which there are, and whether they can be used.
 *
 * A PPU that cannot be used is an error and never the same as no PPU.  Otherwise a program that may choose would
 * quietly go on with the device inside the process, and its user, or a test, would take that for the driver's work.
 */
#ifndef PPU_BACKEND_NODE_H
#define PPU_BACKEND_NODE_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

#define BE_NODE_PATH	256

/*
 * Opens the render node of PPU number `index`.  Its path is put into `path` (BE_NODE_PATH bytes).
 * root: in front of /dev/dri and /sys; "" unless a test has a tree of its own.
 * chosen: the only node that counts, whatever is in /dev/dri; NULL or "": none was chosen.
 *
 * Returns the file.  -ENODEV with *err NULL: there are no more PPUs, and for index 0 there is none on the PCI bus
 * either.  Any other failure: a negative errno, and *err is a malloc'ed sentence (NULL: no memory) that says what
 * is wrong and what to do.
 */
int ppu_node_open(const char *root, const char *chosen, unsigned index, char *path, char **err);

#pragma GCC visibility pop
#endif
