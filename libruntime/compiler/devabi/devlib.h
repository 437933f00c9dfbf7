/* SPDX-License-Identifier: MIT */
/*
 * What the device-side library (devlib/) and the runtime (api/launch/devcalls.c) agree on:
 * the ring that printf and assert write to, the heap of malloc, what kernels that launch kernels
 * need to know, texture descriptors.
 *
 * Each module of the library has a variable that points to its state; the runtime sets it when a
 * module is loaded.
 */
#ifndef PPU_DEVLIB_H
#define PPU_DEVLIB_H

#include <hw/ppu_tmd.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#ifdef __CUDA__
#define PPU_DEVLIB_FN static inline __attribute__((device, always_inline))
#else
#define PPU_DEVLIB_FN static inline
#endif

/* ---- printf ------------------------------------------------------------------------------------ */

#define PPU_PRINT_SYMBOL	"__ppu_print"

/*
 * A ring of bytes and a ring of entries, one per record.  A thread takes an entry number and a
 * range of bytes with two atomic additions, writes its record, then marks the entry ready.  Positions
 * count without wrapping; old records are overwritten when nobody reads them in time: a record is
 * whole as long as start + data_bytes >= next_byte.
 */
struct ppu_print_entry {
	u64 start;
	u32 bytes;
	u32 ready;	/* low half of the entry's number + 1 */
};

struct ppu_print_state {
	u64 next_byte, next_entry;	/* atomic */
	u64 data, entries;		/* addresses */
	u32 data_bytes, num_entries;	/* powers of two */
};

enum { PPU_PRINT_TEXT = 1, PPU_PRINT_ASSERT };

/*
 * A record: this header, then the format with its NUL, the arguments (both padded to 8), and the strings
 * that %s arguments point to, each with its NUL.  PPU_PRINT_ASSERT: no arguments; the strings are
 * message, file and function, and the format is empty.
 */
struct ppu_print_record {
	u32 kind, format_bytes, arg_bytes, string_bytes;
	u32 line;
	u32 block[3], thread[3];
	u32 zero;
};

/* One conversion of a format: where it starts and ends, what it takes. */
struct ppu_conversion {
	const char *start, *end;
	unsigned stars;		/* '*': an int each before the value */
	unsigned bytes;		/* of the value: 0, 4, 8 */
	char letter;		/* 0: "%%", or no conversion of C */
};

/* Finds the next '%' of a format at or after p; 0: there is none. */
PPU_DEVLIB_FN int ppu_next_conversion(const char *p, struct ppu_conversion *c)
{
	int wide = 0;
	char l;

	while (*p && *p != '%')
		p++;
	if (!*p)
		return 0;
	c->start = p++;
	c->stars = 0;
	c->bytes = 0;
	c->letter = 0;
	while (*p == '-' || *p == '+' || *p == ' ' || *p == '#' || *p == '.' || *p == '*' || (*p >= '0' && *p <= '9'))
		c->stars += *p++ == '*';
	while (*p == 'l' || *p == 'h' || *p == 'j' || *p == 'z' || *p == 't' || *p == 'L' || *p == 'q')
		wide |= *p++ != 'h';
	l = *p;
	if (l)
		p++;
	c->end = p;
	if (l == 'd' || l == 'i' || l == 'u' || l == 'o' || l == 'x' || l == 'X' || l == 'c')
		c->bytes = wide && l != 'c' ? 8 : 4;
	else if (l == 'f' || l == 'F' || l == 'e' || l == 'E' || l == 'g' || l == 'G' || l == 'a' || l == 'A' ||
		 l == 's' || l == 'p' || l == 'n')
		c->bytes = 8;
	if (c->bytes)
		c->letter = l;
	else
		c->stars = 0;
	return 1;
}

/* ---- malloc ------------------------------------------------------------------------------------ */

#define PPU_HEAP_SYMBOL		"__ppu_heap"
#define PPU_HEAP_CLASSES	48	/* blocks of 2^n bytes */

/* At the start of the heap.  A list's head is the offset of a free block / 16, and above it a count
 * of changes, so that a compare-and-swap notices a block that went and came back. */
struct ppu_heap_state {
	u64 top, end;			/* offsets from the state: first byte never given out, size */
	u64 head[PPU_HEAP_CLASSES];
};

/* ---- launches ---------------------------------------------------------------------------------- */

#define PPU_CDP_SYMBOL		"__ppu_cdp"
#define PPU_LIBRARY_PREFIX	"__ppu_"	/* of the library's symbols that programs must not use */
/* Kernels that can reach this function have 16 bytes of local memory more, behind the end of the stack. */
#define PPU_THREAD_SLOT		"__ppu_cdp_last"
#define PPU_THREAD_SLOT_BYTES	16u
/* Environment register with the bytes of local memory of each thread. */
#define PPU_CDP_ENV_LOCAL	3

/* A kernel that threads may launch. */
struct ppu_cdp_kernel {
	struct ppu_tmd tmd;	/* all but grid, block, dynamic shared memory, parameters, order */
	u32 max_threads;	/* of a block, as the kernel's registers and its own limit allow */
	u32 wanted[3];		/* block size that the kernel demands; 0: any */
	u32 max_dynamic;	/* bytes of dynamic shared memory that the kernel can have */
	u32 own_threads;	/* the kernel's own limit of threads; 0: none */
	u32 recursive;		/* the kernel's stack may be as large as PPU_CDP_ENV_LOCAL says */
	u32 reserved;
};

/* What a context has once: the buffers in which launches are prepared, and what kernels can ask. */
#define PPU_CDP_BUFFER		512u	/* bytes of a buffer: TMD and parameters, if they are few */
#define PPU_CDP_STACKS		32u
struct ppu_cdp_ctx {
	/* Free buffers, by the lane that gave them back: number + 1 of the first, and above it a count of
	 * changes (as in the heap).  Bytes 0..7 of a free buffer: the next one. */
	u64 head[PPU_CDP_STACKS];
	u64 top;			/* buffers below this number were in use before */
	u64 buffers;			/* address */
	u64 num_buffers;
	u64 handles;			/* streams and events created so far */
	u32 max_grid[3], max_block[3], max_threads;
	u32 attributes;			/* values of cudaDeviceGetAttribute, by number */
	int attribute[128];
	u64 limit[8];			/* of cudaDeviceGetLimit, by number */
	u64 graphs;			/* the first struct ppu_graph; 0: none */
};

/* What a module has once: its kernels, sorted by entry_pc. */
struct ppu_cdp_module {
	u64 ctx, kernels;
	u32 num_kernels, reserved;
};

/* ---- kernels of the library that copy and fill boxes of bytes ----------------------------------- */

#define PPU_BOX_THREADS		128u			/* of a block */
#define PPU_BOX_BLOCKS		64u			/* at most */
#define PPU_BOX_BLOCK_BYTES	(PPU_BOX_THREADS * 16ull)	/* for fewer bytes, another block is not worth it */
/* The largest unit that all numbers are multiples of which were or-ed together; for copies, and fills of equal bytes. */
PPU_DEVLIB_FN u32 ppu_box_unit(u64 bits)
{
	return !(bits & 7) ? 8 : !(bits & 3) ? 4 : 1;
}

struct ppu_box {
	u64 data, pitch, slice;
};
struct ppu_extent {
	u64 width, height, depth;	/* bytes, rows, slices */
};
/* The kernels' parameters, as they lie in memory. */
struct ppu_box_copy {
	struct ppu_box to, from;
	struct ppu_extent e;
	u32 unit;
};
struct ppu_box_fill {
	struct ppu_box to;
	struct ppu_extent e;
	u32 unit, value;
};

/* ---- graphs that threads launch ----------------------------------------------------------------- */

/* Environment register with the handle of the graph that a kernel is a node of. */
#define PPU_GRAPH_ENV		0

/* A graph in device memory: this, the addresses of its nodes' TMDs, and the TMDs, each with its parameters behind it. */
struct ppu_graph {
	struct ppu_tmd start;	/* of the kernel that launches the nodes */
	u64 self;		/* that kernel's parameter: the address of this structure */
	u64 handle;		/* by which programs know the graph */
	u64 next;		/* list of the context's graphs */
	u64 nodes, num_nodes;	/* address of the list of addresses */
	u64 busy;		/* PPU_GRAPH_RUNS, PPU_GRAPH_WAITS: it cannot be launched now */
	/* What its kernels have launched into its tail: a list by tail_next. */
	u64 tail_first, tail_last, tail_next;
	u64 reserved[7];
};
#define PPU_GRAPH_RUNS		1ull
#define PPU_GRAPH_WAITS		2ull	/* in a tail */
/* Bits of an address in the list of nodes. */
#define PPU_NODE_OFF		1ull	/* it is not launched */
#define PPU_NODE_CHANGES	2ull	/* kernels change it: what comes before is complete when it is launched */
/* What a program's handle of such a node stands for. */
struct ppu_graph_node {
	u64 tmd, slot;		/* of the node; its place in the list; 0: the graph is not on the device */
};

/* ---- textures and surfaces --------------------------------------------------------------------- */

enum {	/* format of a channel: one-byte ones first, floating point ones last */
	PPU_TEXEL_U8, PPU_TEXEL_S8, PPU_TEXEL_U16, PPU_TEXEL_S16, PPU_TEXEL_U32, PPU_TEXEL_S32, PPU_TEXEL_F16,
	PPU_TEXEL_F32, PPU_TEXEL_FORMATS
};
enum { PPU_ADDRESS_CLAMP, PPU_ADDRESS_WRAP, PPU_ADDRESS_MIRROR, PPU_ADDRESS_BORDER, PPU_ADDRESS_MODES };
enum { PPU_SURFACE_TRAP, PPU_SURFACE_CLAMP, PPU_SURFACE_ZERO };

#define PPU_TEXTURE_CUBE	4	/* instead of 1 to 3 dimensions: fetched by direction */
#define PPU_TEXTURE_LEVELS	32	/* the most that a texture has */

/* One level of a mipmap. */
struct ppu_texture_level {
	u64 data, slice_pitch;
	u32 width, height, depth, pitch;
};

/* A texture or surface in device memory; its address is the handle that instructions take.  The levels behind the first
 * follow it. */
struct ppu_texture {
	u64 data, slice_pitch;
	u32 width, height, depth;	/* texels; depth also counts layers */
	u32 pitch;			/* bytes from row to row */
	u32 format, channels;
	u32 address[3];
	u32 linear, normalized, normalized_read;
	float border[4];
	u32 srgb;			/* the first three channels are read by the curve of sRGB */
	u32 num_levels;			/* with that which this structure describes */
	u32 mip_linear;			/* between levels */
	float bias, min_level, max_level;
};

#endif
