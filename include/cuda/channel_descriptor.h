/* SPDX-License-Identifier: MIT */
/* cudaCreateChannelDesc<float4>() */
#ifndef PPU_CHANNEL_DESCRIPTOR_H
#define PPU_CHANNEL_DESCRIPTOR_H

#include "cuda_runtime_api.h"

#ifdef __cplusplus
template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc()
{
	return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
#define CUDART_CHANNEL_(type, bits, n, kind) \
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type>() \
{ \
	return cudaCreateChannelDesc(bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0, \
				     cudaChannelFormatKind##kind); \
}
#define CUDART_CHANNELS_(scalar, vector, kind) \
CUDART_CHANNEL_(scalar, (int)sizeof(scalar) * 8, 1, kind) \
CUDART_CHANNEL_(vector##1, (int)sizeof(scalar) * 8, 1, kind) \
CUDART_CHANNEL_(vector##2, (int)sizeof(scalar) * 8, 2, kind) \
CUDART_CHANNEL_(vector##4, (int)sizeof(scalar) * 8, 4, kind)
CUDART_CHANNEL_(char, 8, 1, Signed)
CUDART_CHANNELS_(signed char, char, Signed)
CUDART_CHANNELS_(unsigned char, uchar, Unsigned)
CUDART_CHANNELS_(short, short, Signed)
CUDART_CHANNELS_(unsigned short, ushort, Unsigned)
CUDART_CHANNELS_(int, int, Signed)
CUDART_CHANNELS_(unsigned int, uint, Unsigned)
CUDART_CHANNELS_(float, float, Float)
#undef CUDART_CHANNEL_
#undef CUDART_CHANNELS_
#endif

#endif
