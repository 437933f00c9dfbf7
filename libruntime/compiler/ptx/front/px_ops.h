/* SPDX-License-Identifier: MIT */
/*
 * PX_OPS: opcode, translating function (lower/), least and most operands, accepted modifiers.
 * "T" in the modifiers stands for any type; the function checks which types make sense.
 */
#ifndef PX_OPS_H
#define PX_OPS_H

#define PX_RND	"rn rz rm rp "
#define PX_CMPS	"eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan "
#define PX_CACHE "ca cg cs lu cv wb wt nc L1::evict_normal L1::evict_unchanged L1::evict_first " \
		 "L1::evict_last L1::no_allocate L2::evict_first L2::evict_last L2::evict_normal " \
		 "L2::64B L2::128B L2::256B L2::cache_hint "
#define PX_SPACE "global shared shared::cta shared::cluster local const param param::entry param::func "
#define PX_SCOPES "cta cluster gpu sys "
#define PX_FACTORS PX_RND "satfinite and xor popc tf32 s4 u4 b1 T"
#define PX_ATOMS "and or xor add min max inc dec exch cas "

#define PX_OPS(O) \
O(add, px_low_add, 3, 3, PX_RND "ftz sat cc T") \
O(addc, px_low_add, 3, 3, "cc T") \
O(sub, px_low_add, 3, 3, PX_RND "ftz sat cc T") \
O(subc, px_low_add, 3, 3, "cc T") \
O(mul, px_low_mul, 3, 3, PX_RND "ftz sat hi lo wide T") \
O(mad, px_low_mad, 4, 4, PX_RND "ftz sat hi lo wide cc T") \
O(madc, px_low_mad, 4, 4, "hi lo cc T") \
O(fma, px_low_fma, 4, 4, PX_RND "ftz sat relu T") \
O(mul24, px_low_mul24, 3, 3, "hi lo T") \
O(mad24, px_low_mul24, 4, 4, "hi lo sat T") \
O(div, px_low_div, 3, 3, PX_RND "ftz approx full T") \
O(rem, px_low_div, 3, 3, "T") \
O(min, px_low_minmax, 3, 4, "ftz NaN nan xorsign abs relu T") \
O(max, px_low_minmax, 3, 4, "ftz NaN nan xorsign abs relu T") \
O(neg, px_low_unary, 2, 2, "ftz T") \
O(abs, px_low_unary, 2, 2, "ftz T") \
O(rcp, px_low_unary, 2, 2, PX_RND "ftz approx T") \
O(sqrt, px_low_unary, 2, 2, PX_RND "ftz approx T") \
O(rsqrt, px_low_unary, 2, 2, "ftz approx T") \
O(sin, px_low_unary, 2, 2, "ftz approx T") \
O(cos, px_low_unary, 2, 2, "ftz approx T") \
O(ex2, px_low_unary, 2, 2, "ftz approx T") \
O(lg2, px_low_unary, 2, 2, "ftz approx T") \
O(tanh, px_low_unary, 2, 2, "approx T") \
O(copysign, px_low_copysign, 3, 3, "T") \
O(testp, px_low_testp, 2, 2, "finite infinite number notanumber normal subnormal T") \
O(and, px_low_logic, 3, 3, "T") \
O(or, px_low_logic, 3, 3, "T") \
O(xor, px_low_logic, 3, 3, "T") \
O(not, px_low_not, 2, 2, "T") \
O(cnot, px_low_unary, 2, 2, "T") \
O(lop3, px_low_lop3, 5, 6, "and or xor b32") \
O(shl, px_low_shift, 3, 3, "T") \
O(shr, px_low_shift, 3, 3, "T") \
O(shf, px_low_shf, 4, 4, "l r wrap clamp b32") \
O(bfe, px_low_bfe, 4, 4, "T") \
O(bfi, px_low_bfi, 5, 5, "T") \
O(prmt, px_low_prmt, 4, 4, "f4e b4e rc8 ecl ecr rc16 b32") \
O(popc, px_low_unary, 2, 2, "T") \
O(clz, px_low_unary, 2, 2, "T") \
O(brev, px_low_unary, 2, 2, "T") \
O(bfind, px_low_unary, 2, 2, "shiftamt T") \
O(bmsk, px_low_bmsk, 3, 3, "clamp wrap b32") \
O(szext, px_low_szext, 3, 3, "clamp wrap u32 s32") \
O(sad, px_low_sad, 4, 4, "T") \
O(dp4a, px_low_dp, 4, 4, "u32 s32") \
O(dp2a, px_low_dp, 4, 4, "lo hi u32 s32") \
O(vabsdiff2, px_low_video, 4, 4, "sat add u32 s32") \
O(vabsdiff4, px_low_video, 4, 4, "sat add u32 s32") \
O(vadd, px_low_video, 3, 4, "sat add min max u32 s32") \
O(vsub, px_low_video, 3, 4, "sat add min max u32 s32") \
O(vabsdiff, px_low_video, 3, 4, "sat add min max u32 s32") \
O(vmin, px_low_video, 3, 4, "sat add min max u32 s32") \
O(vmax, px_low_video, 3, 4, "sat add min max u32 s32") \
O(vshl, px_low_video, 3, 4, "sat clamp wrap add min max u32 s32") \
O(vshr, px_low_video, 3, 4, "sat clamp wrap add min max u32 s32") \
O(vmad, px_low_video, 4, 4, "sat po shr7 shr15 u32 s32") \
O(vset, px_low_video, 3, 4, "eq ne lt le gt ge add min max u32 s32") \
O(vadd2, px_low_video, 4, 4, "sat add u32 s32") \
O(vsub2, px_low_video, 4, 4, "sat add u32 s32") \
O(vavrg2, px_low_video, 4, 4, "sat add u32 s32") \
O(vmin2, px_low_video, 4, 4, "sat add u32 s32") \
O(vmax2, px_low_video, 4, 4, "sat add u32 s32") \
O(vset2, px_low_video, 4, 4, "eq ne lt le gt ge add u32 s32") \
O(vadd4, px_low_video, 4, 4, "sat add u32 s32") \
O(vsub4, px_low_video, 4, 4, "sat add u32 s32") \
O(vavrg4, px_low_video, 4, 4, "sat add u32 s32") \
O(vmin4, px_low_video, 4, 4, "sat add u32 s32") \
O(vmax4, px_low_video, 4, 4, "sat add u32 s32") \
O(vset4, px_low_video, 4, 4, "eq ne lt le gt ge add u32 s32") \
O(slct, px_low_slct, 4, 4, "ftz T") \
O(setp, px_low_setp, 3, 4, PX_CMPS "and or xor ftz T") \
O(set, px_low_set, 3, 4, PX_CMPS "and or xor ftz T") \
O(selp, px_low_selp, 4, 4, "T") \
O(mov, px_low_mov, 2, 2, "v2 v4 T") \
O(cvt, px_low_cvt, 2, 4, PX_RND "rni rzi rmi rpi rna pack s4 u4 tf32 e4m3x2 e5m2x2 ftz sat satfinite relu T") \
O(cvta, px_low_cvta, 2, 2, "to u32 u64 " PX_SPACE) \
O(isspacep, px_low_isspacep, 2, 2, PX_SPACE) \
O(mapa, px_low_mapa, 3, 3, "shared::cluster u32 u64") \
O(getctarank, px_low_getctarank, 2, 2, "shared::cluster u32 u64") \
O(ld, px_low_ld, 2, 2, "weak volatile relaxed acquire mmio " PX_SCOPES PX_SPACE PX_CACHE "v2 v4 v8 unified T") \
O(ldu, px_low_ld, 2, 2, "global v2 v4 T") \
O(st, px_low_st, 2, 3, "async mbarrier::complete_tx::bytes weak volatile relaxed release mmio " PX_SCOPES PX_SPACE PX_CACHE "v2 v4 v8 T") \
O(atom, px_low_atom, 3, 4, "relaxed acquire release acq_rel " PX_SCOPES PX_ATOMS "global shared shared::cta shared::cluster noftz v2 v4 v8 L2::cache_hint T") \
O(red, px_low_red, 2, 3, "async mbarrier::complete_tx::bytes relaxed acquire release acq_rel " PX_SCOPES PX_ATOMS "global shared shared::cta shared::cluster noftz v2 v4 v8 L2::cache_hint T") \
O(membar, px_low_fence, 0, 0, "cta gl sys") \
O(fence, px_low_fence, 0, 2, "sc acq_rel acquire release cta cluster gpu sys proxy alias async global shared::cta shared::cluster mbarrier_init " \
	"tensormap::generic async::generic sync_restrict::shared::cta sync_restrict::shared::cluster") \
O(prefetch, px_low_prefetch, 1, 1, "global local const param L1 L2 L2::evict_last L2::evict_normal tensormap") \
O(prefetchu, px_low_prefetch, 1, 1, "L1") \
O(applypriority, px_low_nothing, 2, 2, "global L2::evict_normal") \
O(discard, px_low_nothing, 2, 2, "global L2") \
O(bra, px_low_bra, 1, 1, "uni") \
O(brx, px_low_brx, 2, 2, "idx uni") \
O(call, px_low_call, 0, 0, "uni") \
O(ret, px_low_ret, 0, 0, "uni") \
O(exit, px_low_exit, 0, 0, "") \
O(trap, px_low_trap, 0, 0, "") \
O(brkpt, px_low_trap, 0, 0, "") \
O(nanosleep, px_low_nanosleep, 1, 1, "u32") \
O(bar, px_low_bar, 1, 4, "sync arrive red warp popc and or u32 pred aligned cta") \
O(barrier, px_low_barrier, 0, 4, "sync arrive red popc and or u32 pred aligned cta cluster wait acquire release relaxed") \
O(vote, px_low_vote, 2, 3, "sync all any uni ballot pred b32") \
O(shfl, px_low_shfl, 4, 5, "sync up down bfly idx b32") \
O(match, px_low_match, 3, 3, "any all sync b32 b64") \
O(elect, px_low_elect, 2, 2, "sync") \
O(fns, px_low_fns, 4, 4, "b32") \
O(redux, px_low_redux, 3, 3, "sync add min max and or xor u32 s32 b32") \
O(activemask, px_low_activemask, 1, 1, "b32") \
O(tex, px_low_texture, 0, 0, "1d 2d 3d a1d a2d cube acube base level grad v4 T") \
O(tld4, px_low_texture, 0, 0, "r g b a 2d a2d cube acube v4 T") \
O(suld, px_low_texture, 0, 0, "b 1d 2d 3d a1d a2d v2 v4 trap clamp zero T") \
O(sust, px_low_texture, 0, 0, "b 1d 2d 3d a1d a2d v2 v4 trap clamp zero T") \
O(txq, px_low_texture, 0, 0, "width height depth array_size normalized_coords num_mipmap_levels b32") \
O(suq, px_low_texture, 0, 0, "width height depth array_size b32") \
O(wmma, px_low_wmma, 2, 4, "load store mma a b c d sync aligned row col m16n16k16 m32n8k16 m8n32k16 m16n16k8 m8n8k4 m8n8k32 m8n8k128 global shared shared::cta " PX_FACTORS) \
O(mma, px_low_mma, 4, 4, "sync aligned row col m8n8k4 m16n8k4 m16n8k8 m16n8k16 m8n8k16 m16n8k32 m8n8k32 m16n8k64 m8n8k128 m16n8k128 m16n8k256 e4m3 e5m2 " PX_FACTORS) \
O(ldmatrix, px_low_ldmatrix, 2, 2, "sync aligned m8n8 x1 x2 x4 trans shared shared::cta b16") \
O(stmatrix, px_low_stmatrix, 2, 2, "sync aligned m8n8 x1 x2 x4 trans shared shared::cta b16") \
O(movmatrix, px_low_movmatrix, 2, 2, "sync aligned m8n8 trans b16") \
O(mbarrier, px_low_mbarrier, 1, 4, "init inval arrive arrive_drop test_wait try_wait expect_tx complete_tx pending_count noComplete parity acquire release relaxed cta cluster shared shared::cta shared::cluster b64") \
O(cp, px_low_cp, 0, 6, "async bulk bulk_group read mbarrier mbarrier::complete_tx::bytes multicast::cluster arrive noinc prefetch L2 ca cg shared shared::cta shared::cluster global commit_group wait_group wait_all L2::64B L2::128B L2::256B L2::cache_hint " \
	"tensor reduce 1d 2d 3d 4d 5d tile im2col im2col_no_offs add min max inc dec and or xor noftz T") \
O(tensormap, px_low_tensormap, 2, 3, "replace cp_fenceproxy tile global_address rank box_dim global_dim global_stride element_stride elemtype interleave_layout swizzle_mode fill_mode " \
	"global shared::cta b1024 b32 b64 tensormap::generic release cta cluster gpu sys sync aligned") \
O(createpolicy, px_low_createpolicy, 1, 4, "fractional range cvt L2 global L2::evict_last L2::evict_normal L2::evict_first L2::evict_unchanged b64") \
O(griddepcontrol, px_low_nothing, 0, 0, "launch_dependents wait") \
O(pmevent, px_low_nothing, 1, 1, "mask") \
O(tlaunch, px_low_task, 2, 2, "u32") \
O(tsync, px_low_task, 1, 1, "u32")

enum px_opcode {
#define O(name, fn, min, max, mods) PX_OP_##name,
	PX_OPS(O)
#undef O
	PX_NUM_OPS
};

#endif
