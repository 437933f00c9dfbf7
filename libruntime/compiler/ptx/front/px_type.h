/* SPDX-License-Identifier: MIT */
/*
 * The words of PTX: types, modifiers, opcodes (px_ops.h), special registers.  The lexer's names refer to them.
 *
 * An instruction's modifiers are kept as a set, because their order does not matter, and its types in the order
 * in which they are written.  Each opcode's row in PX_OPS names the modifiers that it accepts.  Any other modifier
 * is an error, so that nothing is ever silently ignored.
 */
#ifndef PX_TYPE_H
#define PX_TYPE_H

#include "compiler/ptx/ir/px_util.h"

/* Types: name, text, bits, ISA type. */
#define PX_TYPES(T) \
T(B8, "b8", 8, U8) T(B16, "b16", 16, U16) T(B32, "b32", 32, U32) T(B64, "b64", 64, U64) \
T(B128, "b128", 128, B128) T(U8, "u8", 8, U8) T(U16, "u16", 16, U16) T(U32, "u32", 32, U32) \
T(U64, "u64", 64, U64) T(S8, "s8", 8, S8) T(S16, "s16", 16, S16) T(S32, "s32", 32, S32) \
T(S64, "s64", 64, S64) T(F16, "f16", 16, F16) T(F16X2, "f16x2", 32, F16X2) \
T(BF16, "bf16", 16, BF16) T(BF16X2, "bf16x2", 32, BF16X2) T(F32, "f32", 32, F32) \
T(F64, "f64", 64, F64) T(PRED, "pred", 1, NONE) T(U16X2, "u16x2", 32, U32) T(S16X2, "s16x2", 32, S32) \
T(F32X2, "f32x2", 64, U64) T(S4, "s4", 4, NONE) T(U4, "u4", 4, NONE) T(B1, "b1", 1, NONE) \
T(TF32, "tf32", 32, NONE) T(E4M3, "e4m3", 8, NONE) T(E5M2, "e5m2", 8, NONE) T(E4M3X2, "e4m3x2", 16, NONE) \
T(E5M2X2, "e5m2x2", 16, NONE)

/* Other modifiers: name, text. */
#define PX_MODS(M) \
M(rn, "rn") M(rz, "rz") M(rm, "rm") M(rp, "rp") M(rni, "rni") M(rzi, "rzi") M(rmi, "rmi") \
M(rpi, "rpi") M(rna, "rna") M(ftz, "ftz") M(sat, "sat") M(satfinite, "satfinite") \
M(relu, "relu") M(approx, "approx") M(full, "full") M(noftz, "noftz") M(xorsign, "xorsign") \
M(hi, "hi") M(lo, "lo") M(wide, "wide") M(cc, "cc") M(v2, "v2") M(v4, "v4") M(v8, "v8") \
M(reg, "reg") M(sreg, "sreg") M(const, "const") M(global, "global") M(local, "local") \
M(param, "param") M(shared, "shared") M(shared_cta, "shared::cta") \
M(shared_cluster, "shared::cluster") M(param_entry, "param::entry") M(param_func, "param::func") \
M(tex_space, "tex") M(generic, "generic") \
M(ca, "ca") M(cg, "cg") M(cs, "cs") M(lu, "lu") M(cv, "cv") M(wb, "wb") M(wt, "wt") \
M(nc, "nc") M(L1, "L1") M(L2, "L2") M(L1_normal, "L1::evict_normal") \
M(L1_unchanged, "L1::evict_unchanged") M(L1_first, "L1::evict_first") \
M(L1_last, "L1::evict_last") M(L1_none, "L1::no_allocate") M(L2_first, "L2::evict_first") \
M(L2_last, "L2::evict_last") M(L2_normal, "L2::evict_normal") M(L2_hint, "L2::cache_hint") \
M(L2_unchanged, "L2::evict_unchanged") M(fractional, "fractional") M(range, "range") \
M(L2_64, "L2::64B") M(L2_128, "L2::128B") M(L2_256, "L2::256B") \
M(weak, "weak") M(volatile, "volatile") M(relaxed, "relaxed") M(acquire, "acquire") \
M(release, "release") M(acq_rel, "acq_rel") M(sc, "sc") M(mmio, "mmio") M(unified, "unified") \
M(cta, "cta") M(cluster, "cluster") M(gpu, "gpu") M(gl, "gl") M(sys, "sys") M(proxy, "proxy") \
M(alias, "alias") M(async, "async") \
M(eq, "eq") M(ne, "ne") M(lt, "lt") M(le, "le") M(gt, "gt") M(ge, "ge") M(ls, "ls") M(hs, "hs") \
M(equ, "equ") M(neu, "neu") M(ltu, "ltu") M(leu, "leu") M(gtu, "gtu") M(geu, "geu") \
M(num, "num") M(nan, "nan") M(NaN, "NaN") M(abs, "abs") \
M(and, "and") M(or, "or") M(xor, "xor") M(add, "add") M(min, "min") M(max, "max") \
M(inc, "inc") M(dec, "dec") M(exch, "exch") M(cas, "cas") M(popc, "popc") \
M(to, "to") M(uni, "uni") M(sync, "sync") M(arrive, "arrive") M(red, "red") M(warp, "warp") \
M(aligned, "aligned") M(all, "all") M(any, "any") M(ballot, "ballot") M(up, "up") \
M(down, "down") M(bfly, "bfly") M(idx, "idx") M(l, "l") M(r, "r") M(wrap, "wrap") \
M(clamp, "clamp") M(f4e, "f4e") M(b4e, "b4e") M(rc8, "rc8") M(ecl, "ecl") M(ecr, "ecr") \
M(rc16, "rc16") M(shiftamt, "shiftamt") M(finite, "finite") M(infinite, "infinite") \
M(number, "number") M(notanumber, "notanumber") M(normal, "normal") M(subnormal, "subnormal") \
M(level, "level") M(cube, "cube") M(acube, "acube") M(g, "g") M(a, "a") M(c, "c") M(d, "d") M(load, "load") \
M(store, "store") M(mma, "mma") M(row, "row") M(col, "col") M(m16n16k16, "m16n16k16") \
M(m32n8k16, "m32n8k16") M(m16n8k8, "m16n8k8") M(m16n8k16, "m16n8k16") M(m8n8, "m8n8") \
M(x1, "x1") M(x2, "x2") M(x4, "x4") M(trans, "trans") M(commit_group, "commit_group") \
M(wait_group, "wait_group") M(wait_all, "wait_all") M(m8n32k16, "m8n32k16") M(1d, "1d") \
M(2d, "2d") M(3d, "3d") M(a1d, "a1d") M(a2d, "a2d") M(grad, "grad") M(base, "base") M(b, "b") \
M(trap, "trap") M(zero, "zero") M(width, "width") M(height, "height") M(depth, "depth") \
M(array_size, "array_size") M(normalized_coords, "normalized_coords") M(num_mipmap_levels, "num_mipmap_levels") \
M(wait, "wait") \
M(launch_dependents, "launch_dependents") M(mask, "mask") M(init, "init") M(inval, "inval") \
M(arrive_drop, "arrive_drop") M(test_wait, "test_wait") M(try_wait, "try_wait") \
M(expect_tx, "expect_tx") M(complete_tx, "complete_tx") M(pending_count, "pending_count") \
M(noComplete, "noComplete") M(parity, "parity") M(noinc, "noinc") M(mbarrier, "mbarrier") \
M(mbarrier_init, "mbarrier_init") M(bulk, "bulk") M(bulk_group, "bulk_group") M(read, "read") \
M(mbar_complete, "mbarrier::complete_tx::bytes") M(multicast, "multicast::cluster") M(prefetch_, "prefetch") M(shr7, "shr7") M(shr15, "shr15") \
M(po, "po") M(m8n8k4, "m8n8k4") M(m16n8k4, "m16n8k4") M(m8n8k16, "m8n8k16") M(m16n8k32, "m16n8k32") \
M(m8n8k32, "m8n8k32") M(m16n8k64, "m16n8k64") M(m8n8k128, "m8n8k128") M(m16n8k128, "m16n8k128") \
M(m16n8k256, "m16n8k256") M(m16n16k8, "m16n16k8") M(pack, "pack") \
M(tensor, "tensor") M(reduce, "reduce") M(4d, "4d") M(5d, "5d") M(tile, "tile") M(im2col, "im2col") \
M(im2col_no_offs, "im2col_no_offs") M(tensormap, "tensormap") M(tensormap_generic, "tensormap::generic") \
M(cvt, "cvt") M(replace, "replace") M(cp_fenceproxy, "cp_fenceproxy") M(b1024, "b1024") M(global_address, "global_address") \
M(rank, "rank") M(box_dim, "box_dim") M(global_dim, "global_dim") M(global_stride, "global_stride") \
M(element_stride, "element_stride") M(elemtype, "elemtype") M(interleave_layout, "interleave_layout") \
M(swizzle_mode, "swizzle_mode") M(fill_mode, "fill_mode") M(async_generic, "async::generic") \
M(restrict_cta, "sync_restrict::shared::cta") M(restrict_cluster, "sync_restrict::shared::cluster")

enum px_type {
	PT_NONE,
#define T(name, text, bits, isa) PT_##name,
	PX_TYPES(T)
#undef T
	PT_COUNT
};

enum px_mod {		/* types come first and share their numbers */
	PM_TYPES = PT_COUNT - 1,
#define M(name, text) PM_##name,
	PX_MODS(M)
#undef M
	PM_COUNT
};

/* Special registers of PTX that are no special registers of the ISA. */
enum { PX_SR_GLOBALTIMER_LO = 256, PX_SR_GLOBALTIMER_HI, PX_SR_ZERO };

unsigned px_type_bits(unsigned pt);
unsigned px_isa_type(unsigned pt);	/* PPU_T_* */
const char *px_type_text(unsigned pt);
bool px_type_float(unsigned pt);
bool px_type_signed(unsigned pt);
bool px_type_element(unsigned pt);	/* of matrices and of cvt only: no register or variable has this type */
unsigned px_bits_width(unsigned pt);	/* machine registers of a value; 0 predicate */

/* Interns the names of all these words. */
void px_init_names(struct px *px);

#endif
