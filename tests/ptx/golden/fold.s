.global g 16 4 static = .zero 16
.shared sh 256 4 static movable

.kernel folds insns=20 regs=7 frame=16 local=16 shared=256 barriers=0 fixed=0 params=12
	.param $0 8 8 0
	.param $1 4 4 8
	sub.u32 r1, r1, 16
	ld.param.u64 rd2, [0]
	s2r r0, %tid.x
	add.u32 r4, r0, 5
	mulw.u32 rd4, r4, 4
	add.s64 rd2, rd2, rd4
	ld.global.u32 r6, [rd2+20]
	st.shared.u32 [sh+8], r6
	st.local.u32 [r1+4], r6
	ld.local.u32 r6, [r1+4]
	add.u32 r4, r4, r5
	mul.u32 r4, r4, 0
	setp.gt.u32 p0, r0, 7
	sel.u32 r0, r4, 3, !p0
	add.u32 r0, r0, 48
	movi64 rd4, g
	st.global.u32 [rd4+8], r0
	add.u32 r0, r6, r0
	st.global.u32 [rd2], r0
	exit
