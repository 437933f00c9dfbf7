/* SPDX-License-Identifier: MIT */
/*
 * The version of the PPU: of the runtime, the tools, the packages, the driver's DKMS package. It is stated here
 * and nowhere else; scripts read it from this file. Interfaces with version numbers of their own (uAPI, soname,
 * hardware, file formats) are listed in Documentation/contributing/versions.md.
 */
#ifndef PPU_VERSION_H
#define PPU_VERSION_H

#define PPU_VERSION_MAJOR	0
#define PPU_VERSION_MINOR	5
#define PPU_VERSION_PATCH	0

#define PPU_VERSION_STR_(x)	#x
#define PPU_VERSION_STR(x)	PPU_VERSION_STR_(x)
/* "0.5.0" */
#define PPU_VERSION_STRING	PPU_VERSION_STR(PPU_VERSION_MAJOR) "." PPU_VERSION_STR(PPU_VERSION_MINOR) "." \
				PPU_VERSION_STR(PPU_VERSION_PATCH)

#endif
