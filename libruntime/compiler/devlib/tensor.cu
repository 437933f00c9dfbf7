/* SPDX-License-Identifier: MIT */
/*
 * Copies of boxes of tensors, and copies that reduce: the compiler calls these (compiler/ptx/lower/px_low_tensor.c,
 * px_low_bulk.c).  devabi/tensor.h says what a tensor map is, Documentation/runtime/tensor-maps.md what is copied.
 */
#include "compiler/devabi/dev.h"
#include "compiler/devabi/tensor.h"

typedef int s32;
typedef long long s64;

extern "C" __attribute__((device)) u64 __ppu_mbarrier_arrive(u64 *object, u32 count, u32 drop, u32 tx);

/* Whoever reads the message of the fault sees these names. */
#define REFUSAL(name) extern "C" __attribute__((device, weak, noinline)) void name() { __builtin_trap(); }
REFUSAL(__ppu_tensor_map_is_not_valid)
REFUSAL(__ppu_tensor_map_is_of_another_form)
REFUSAL(__ppu_tensor_address_in_shared_memory_is_misaligned)
REFUSAL(__ppu_tensor_reduction_has_no_such_type)
REFUSAL(__ppu_bulk_reduction_is_misaligned)

struct __attribute__((aligned(16))) quad {
	u32 v[4];
};

DEV void order()
{
	asm volatile("fence.acq_rel.gpu;" : : : "memory");
}

/* ---- reductions ---- */

static __attribute__((device, noinline)) bool half_wins(u32 a, u32 b, bool brain, bool max)
{
	u32 na, nb;
	float fa, fb;

	if (brain) {
		fa = __builtin_bit_cast(float, a << 16);
		fb = __builtin_bit_cast(float, b << 16);
	} else {
		asm("cvt.f32.f16 %0, %1;" : "=f"(fa) : "h"((u16)a));
		asm("cvt.f32.f16 %0, %1;" : "=f"(fb) : "h"((u16)b));
	}
	if (fb != fb)		/* what is not a NaN wins */
		return true;
	na = a & 0x8000;
	nb = b & 0x8000;
	if (fa == fb)		/* -0 is less than +0 */
		return max ? na < nb : na > nb;
	return max ? fa > fb : fa < fb;
}

/* min and max of numbers of 16 bits, for which there is no atomic. */
DEV void reduce_half(u16 *to, u16 v, bool brain, bool max)
{
	u16 old, seen = *(volatile u16 *)to;

	do {
		old = seen;
		if (!half_wins(v, old, brain, max))
			return;
		asm volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(seen) : "l"(to), "h"(old), "h"(v) : "memory");
	} while (seen != old);
}

#define RED(op, letter, v)	asm volatile("red." op " [%0], %1;" : : "l"(to), letter(v) : "memory")
#define WORD			(*(const u32 *)from)
#define LONG			(*(const u64 *)from)

/* An operation and a type together. */
#define CASE(op, type)		(PPU_REDUCE_##op << 8 | PPU_TENSOR_##type)

/* One element.  The types that differ only in how they are copied are no types of reductions. */
static __attribute__((device, noinline)) void reduce(u64 to, u64 from, u32 op, u32 type)
{
	switch (op << 8 | type) {
	case CASE(ADD, U32): case CASE(ADD, S32): RED("add.u32", "r", WORD); break;
	case CASE(ADD, U64): case CASE(ADD, S64): RED("add.u64", "l", LONG); break;
	case CASE(ADD, F32): case CASE(ADD, F32_FTZ): RED("add.f32", "f", *(const float *)from); break;
	case CASE(ADD, F64): RED("add.f64", "d", *(const double *)from); break;
	case CASE(ADD, F16): RED("add.noftz.f16", "h", *(const u16 *)from); break;
	case CASE(ADD, BF16): RED("add.noftz.bf16", "h", *(const u16 *)from); break;
	case CASE(MIN, U32): RED("min.u32", "r", WORD); break;
	case CASE(MIN, S32): RED("min.s32", "r", WORD); break;
	case CASE(MIN, U64): RED("min.u64", "l", LONG); break;
	case CASE(MIN, S64): RED("min.s64", "l", LONG); break;
	case CASE(MAX, U32): RED("max.u32", "r", WORD); break;
	case CASE(MAX, S32): RED("max.s32", "r", WORD); break;
	case CASE(MAX, U64): RED("max.u64", "l", LONG); break;
	case CASE(MAX, S64): RED("max.s64", "l", LONG); break;
	case CASE(MIN, F16): case CASE(MIN, BF16): case CASE(MAX, F16): case CASE(MAX, BF16):
		reduce_half((u16 *)to, *(const u16 *)from, type == PPU_TENSOR_BF16, op == PPU_REDUCE_MAX);
		break;
	case CASE(INC, U32): RED("inc.u32", "r", WORD); break;
	case CASE(DEC, U32): RED("dec.u32", "r", WORD); break;
	case CASE(AND, U32): case CASE(AND, S32): RED("and.b32", "r", WORD); break;
	case CASE(AND, U64): case CASE(AND, S64): RED("and.b64", "l", LONG); break;
	case CASE(OR, U32): case CASE(OR, S32): RED("or.b32", "r", WORD); break;
	case CASE(OR, U64): case CASE(OR, S64): RED("or.b64", "l", LONG); break;
	case CASE(XOR, U32): case CASE(XOR, S32): RED("xor.b32", "r", WORD); break;
	case CASE(XOR, U64): case CASE(XOR, S64): RED("xor.b64", "l", LONG); break;
	default: __ppu_tensor_reduction_has_no_such_type();
	}
}

static __device__ const u8 shifts[PPU_TENSOR_NUM_TYPES] = {
#define T(name, ptx, shift, nan) shift,
	PPU_TENSOR_TYPES(T)
#undef T
};

/* cp.reduce.async.bulk; how: the operation << 8 | the type. */
LIBRARY u64 __ppu_reduce_bulk(u64 to, u64 from, u32 bytes, u32 how)
{
	u32 size = 1u << shifts[how & 0xff], at;

	if ((to | from | bytes) & 15)
		__ppu_bulk_reduction_is_misaligned();
	for (at = 0; at < bytes; at += size)
		reduce(to + at, from + at, how >> 8, how & 0xff);
	order();
	return 0;
}

/* ---- boxes ---- */

DEV u64 read(u64 p, u32 shift)
{
	return shift == 0 ? *(const u8 *)p : shift == 1 ? *(const u16 *)p : shift == 2 ? *(const u32 *)p : *(const u64 *)p;
}

DEV void write(u64 p, u32 shift, u64 v)
{
	if (shift == 0)
		*(u8 *)p = (u8)v;
	else if (shift == 1)
		*(u16 *)p = (u16)v;
	else if (shift == 2)
		*(u32 *)p = (u32)v;
	else
		*(u64 *)p = v;
}

/* The types that are not copied bit by bit into shared memory. */
DEV u32 converted(u32 v, u32 type)
{
	if ((type == PPU_TENSOR_F32_FTZ || type == PPU_TENSOR_TF32_FTZ) && !(v & 0x7f800000))
		v &= 0x80000000;
	if (type == PPU_TENSOR_TF32 || type == PPU_TENSOR_TF32_FTZ)
		asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(v) : "f"(__builtin_bit_cast(float, v)));
	return v;
}

/* Chunks of 16 bytes change places: the bits of the row (from bit 7 on) are added to those of the chunk (from 4 on). */
DEV u64 swizzled(u64 p, u32 swizzle)
{
	return p ^ (p >> 7 & ((1u << swizzle) - 1)) << 4;
}

struct box {
	const struct ppu_tensor_map *map;
	u64 shared;		/* where the next row is */
	u32 how;
	u32 row;		/* bytes */
};

/* A row of the box: `global` is the address of the row's element 0, `first` the first element wanted. */
static __attribute__((device, noinline)) void copy_row(struct box *b, bool inside, u64 global, s64 first)
{
	const struct ppu_tensor_map *m = b->map;
	u32 shift = shifts[m->type], op = b->how >> PPU_TENSOR_OP_SHIFT & 0xff, n = 16u >> shift, at, k;
	bool store = b->how & PPU_TENSOR_STORE, bits = store || m->type < PPU_TENSOR_F32_FTZ;
	s64 last = m->last[0];
	u64 fill = !m->nan ? 0 : ~0ull >> 1 >> (64 - (8u << shift));

	for (at = 0; at < b->row; at += 16, first += n) {
		u64 place = swizzled(b->shared + at, m->swizzle), g = global + ((u64)first << shift);

		if (inside && first >= 0 && first + n - 1 <= last && !(g & 15) && !op && bits) {
			if (store)
				*(struct quad *)g = *(const struct quad *)place;
			else
				*(struct quad *)place = *(const struct quad *)g;
			continue;
		}
		for (k = 0; k < n; k++, g += 1u << shift, place += 1u << shift) {
			bool in = inside && first + k >= 0 && first + k <= last;
			u64 v;

			if (store && in && op)
				reduce(g, place, op, m->type);
			else if (store && in)
				write(g, shift, read(place, shift));
			if (store)
				continue;
			v = in ? read(g, shift) : fill;
			write(place, shift, bits || !in ? v : converted((u32)v, m->type));
		}
	}
	b->shared += b->row;
}

DEV bool within(s64 x, u32 last)
{
	return x >= 0 && x <= (s64)last;
}

static __attribute__((device, noinline)) void copy_tile(struct box *b, const s32 *from)
{
	const struct ppu_tensor_map *m = b->map;
	u32 k[PPU_TENSOR_DIMS] = {}, rank = m->rank, d;

	do {
		u64 global = m->address;
		bool inside = true;

		for (d = 1; d < rank; d++) {
			s64 x = (s64)from[d] + k[d];

			inside = inside && within(x, m->last[d]);
			global += (u64)x * m->stride[d - 1];
		}
		copy_row(b, inside, global, from[0]);
		for (d = 1; d < rank; d++) {
			k[d] += m->step[d];
			if (k[d] < m->box[d])
				break;
			k[d] = 0;
		}
	} while (d < rank);
}

/* Pixels one after another, each with its channels: width, height, depth within the box of the map, then the next image. */
static __attribute__((device, noinline)) void copy_pixels(struct box *b, const s32 *from, u64 offsets)
{
	const struct ppu_tensor_map *m = b->map;
	u32 rank = m->rank, pixel, d;
	s64 at[PPU_TENSOR_DIMS];

	for (d = 0; d < rank; d++)
		at[d] = from[d];
	for (pixel = 0; pixel < m->box[1]; pixel++) {
		u64 global = m->address;
		bool inside = true;

		for (d = 1; d < rank; d++) {
			s64 x = at[d] + (d < rank - 1 ? (s64)(offsets >> 16 * (d - 1) & 0xffff) : 0);

			inside = inside && within(x, m->last[d]);
			global += (u64)x * m->stride[d - 1];
		}
		copy_row(b, inside, global, at[0]);
		for (d = 1; d < rank - 1; d++) {
			at[d] += m->step[d];
			if (at[d] <= (s64)m->last[d] + m->upper[d - 1])
				break;
			at[d] = m->lower[d - 1];
		}
		if (d == rank - 1)
			at[d] += m->step[d];
	}
}

/* A copy that the compiler made of a parameter lies in local memory, where nothing is aligned to more than 16 bytes. */
DEV bool is_map(const struct ppu_tensor_map *m)
{
	u32 local;

	asm("{ .reg .pred p; isspacep.local p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(local) : "l"(m));
	return !((u64)m & (local ? 7 : PPU_TENSOR_ALIGN - 1)) && m->magic == PPU_TENSOR_MAGIC;
}

static __attribute__((device, noinline)) void check(const struct ppu_tensor_map *m, u64 shared, u32 how)
{
	u32 rank = m->rank, d;
	bool good;

	good = is_map(m) && rank >= 1 && rank <= PPU_TENSOR_DIMS &&
	       m->type < PPU_TENSOR_NUM_TYPES && !m->interleave && m->swizzle <= PPU_TENSOR_SWIZZLE_128 && !(m->address & 15) &&
	       m->box[0] && !((m->box[0] << shifts[m->type]) & 15);
	for (d = 1; good && d < rank; d++)
		good = m->step[d] && !(m->stride[d - 1] & 15) && (m->im2col || m->box[d]);
	if (!good)
		__ppu_tensor_map_is_not_valid();
	if (rank != (how & PPU_TENSOR_RANK) || !m->im2col != !(how & PPU_TENSOR_IM2COL))
		__ppu_tensor_map_is_of_another_form();
	if (shared & (PPU_TENSOR_SHARED_ALIGN - 1))
		__ppu_tensor_address_in_shared_memory_is_misaligned();
}

/* Returns the bytes of the box in shared memory. */
static __attribute__((device, noinline)) u32 copy_box(const struct ppu_tensor_map *m, u64 shared, u32 how, const s32 *from, u64 offsets)
{
	struct box b = { m, shared, how, (u32)m->box[0] << shifts[m->type] };

	if (m->im2col)
		copy_pixels(&b, from, offsets);
	else
		copy_tile(&b, from);
	order();
	return (u32)(b.shared - shared);
}

/* cp.async.bulk.tensor, cp.reduce.async.bulk.tensor: between the tensor and `shared`; a copy to there tells `object`. */
LIBRARY u64 __ppu_tensor(const struct ppu_tensor_map *m, u64 shared, u64 object, u32 how, u32 wh, u32 d, s32 x, s32 y, s32 z, s32 w, s32 v)
{
	const s32 from[PPU_TENSOR_DIMS] = { x, y, z, w, v };
	u64 rank, cta = 0xffull << 24, offsets = (u64)d << 32 | wh;
	u32 mask = how >> PPU_TENSOR_MASK_SHIFT, bytes;

	order();
	check(m, shared, how);
	if (mask) {
		for (rank = 0; rank < 16; rank++) {
			u64 where = (rank + 1) << 24;

			if (!(mask >> rank & 1))
				continue;
			bytes = copy_box(m, (shared & ~cta) | where, how, from, offsets);
			__ppu_mbarrier_arrive((u64 *)((object & ~cta) | where), 0, 0, -bytes);
		}
		return 0;
	}
	bytes = copy_box(m, shared, how, from, offsets);
	if (!(how & PPU_TENSOR_STORE))
		__ppu_mbarrier_arrive((u64 *)object, 0, 0, -bytes);
	return 0;
}

/* tensormap.replace */
LIBRARY u64 __ppu_tensor_replace(struct ppu_tensor_map *m, u32 field, u32 which, u64 v)
{
	static __device__ const u8 numbers[] = {
#define T(name, ptx, shift, nan) ptx,
		PPU_TENSOR_TYPES(T)
#undef T
	};
	u32 type = 0;

	if (!is_map(m))
		__ppu_tensor_map_is_not_valid();
	switch (field) {
	case PPU_TENSOR_SET_ADDRESS: m->address = v; break;
	case PPU_TENSOR_SET_RANK: m->rank = (u8)(v + 1); break;
	case PPU_TENSOR_SET_BOX: m->box[which % PPU_TENSOR_DIMS] = (u16)v; break;
	case PPU_TENSOR_SET_DIM: m->last[which % PPU_TENSOR_DIMS] = (u32)v - 1; break;
	case PPU_TENSOR_SET_STRIDE: m->stride[which % (PPU_TENSOR_DIMS - 1)] = v; break;
	case PPU_TENSOR_SET_STEP: m->step[which % PPU_TENSOR_DIMS] = (u8)v; break;
	case PPU_TENSOR_SET_TYPE:
		while (type < PPU_TENSOR_NUM_TYPES && numbers[type] != v)
			type++;
		m->type = (u8)type;
		break;
	case PPU_TENSOR_SET_INTERLEAVE: m->interleave = (u8)v; break;
	case PPU_TENSOR_SET_SWIZZLE: m->swizzle = (u8)v; break;
	case PPU_TENSOR_SET_FILL: m->nan = (u8)v; break;
	}
	order();
	return 0;
}
