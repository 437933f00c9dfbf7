/* SPDX-License-Identifier: MIT */
/* What an access to a surface does out of bounds. */
#ifndef PPU_SURFACE_TYPES_H
#define PPU_SURFACE_TYPES_H

#define cudaSurfaceType1D		0x01
#define cudaSurfaceType2D		0x02
#define cudaSurfaceType3D		0x03

enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
enum cudaSurfaceFormatMode { cudaFormatModeForced, cudaFormatModeAuto };
typedef unsigned long long cudaSurfaceObject_t;

#endif
