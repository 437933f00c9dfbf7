/* SPDX-License-Identifier: MIT */
/* Kernels in assembly text that tests of the runtime share, in process and in the guest. */
#ifndef TESTS_DRIVER_PROGRAMS_H
#define TESTS_DRIVER_PROGRAMS_H

/* scale(p, n, k): p[i] = p[i] * k + i for i below n */
#define PROGRAM_SCALE \
	".kernel scale\n" \
	".param p u64 ; .param n u32 ; .param k u32\n" \
	"s2r r4, %ctaid.x ; s2r r5, %ntid.x ; s2r r6, %tid.x\n" \
	"mad.u32 r4, r4, r5, r6\n" \
	"ld.param.u32 r7, [n]\n" \
	"setp.ge.u32 p0, r4, r7\n" \
	"@p0 exit\n" \
	"ld.param.u64 rd8, [p]\n" \
	"madw.u32 rd8, r4, 4, rd8\n" \
	"ld.global.u32 r10, [rd8]\n" \
	"ld.param.u32 r11, [k]\n" \
	"mad.u32 r10, r10, r11, r4\n" \
	"st.global.u32 [rd8], r10\n" \
	"exit\n"

/* deep(p): one store to local memory far up, read back into *p */
#define PROGRAM_DEEP \
	".kernel deep local=4096\n" \
	".param p u64\n" \
	"ld.param.u64 rd8, [p]\n" \
	"mov.u32 r5, 77 ; mov.u32 r6, 4000\n" \
	"st.local.u32 [r6], r5\n" \
	"ld.local.u32 r7, [r6]\n" \
	"st.global.u32 [rd8], r7\n" \
	"exit\n"

#endif
