
.func callee static insns=6 regs=5 frame=0 local=0 shared=0 barriers=0
.L0:
	setp.eq.u32 p0, r4, 5
	@!p0 mul.u32 r4, r4, 3
	@!p0 mov.u32 r0, r4
	@p0 mov.u32 r0, 1
	mov.u32 r4, r0
	ret r2

.kernel s_if insns=14 regs=7 frame=0 local=0 shared=0 barriers=0 params=12
	.param $0 8 8 0
	.param $1 4 4 8
	ld.param.u64 rd2, [0]
	s2r r0, %tid.x
	setp.ge.u32 p0, r0, 7
	ssy .L18
	@p0 sync .L18
	ld.global.u32 r4, [rd2]
	ld.global.u32 r5, [rd2+4]
	ld.global.u32 r6, [rd2+8]
	add.u32 r4, r4, r5
	add.u32 r4, r4, r6
	st.global.u32 [rd2+16], r4
	sync .L18
.L18:
	st.global.u32 [rd2], r0
	exit

.kernel s_uniform insns=12 regs=7 frame=0 local=0 shared=0 barriers=0 params=12
	.param $0 8 8 0
	.param $1 4 4 8
	ld.param.u64 rd2, [0]
	ld.param.u32 r0, [8]
	setp.ge.u32 p0, r0, 7
	@p0 bra .L30
	ld.global.u32 r4, [rd2]
	ld.global.u32 r5, [rd2+4]
	ld.global.u32 r6, [rd2+8]
	add.u32 r4, r4, r5
	add.u32 r4, r4, r6
	st.global.u32 [rd2+16], r4
.L30:
	st.global.u32 [rd2], r0
	exit

.kernel s_tiny insns=8 regs=5 frame=0 local=0 shared=0 barriers=0 params=12
	.param $0 8 8 0
	.param $1 4 4 8
	ld.param.u64 rd2, [0]
	s2r r0, %tid.x
	mov.u32 r4, 1
	setp.ge.u32 p0, r0, 7
	@!p0 add.u32 r4, r0, 3
	@p0 mul.u32 r4, r0, 9
	st.global.u32 [rd2], r4
	exit

.kernel s_ifelse insns=14 regs=5 frame=0 local=0 shared=0 barriers=0 params=12
	.param $0 8 8 0
	.param $1 4 4 8
	ld.param.u64 rd2, [0]
	s2r r0, %tid.x
	setp.ge.u32 p0, r0, 7
	ssy .L52
	@p0 bra .L49
	ld.global.u32 r4, [rd2]
	ld.global.u32 r0, [rd2+4]
	div.u32 r4, r4, r0
	sync .L52
.L49:
	ld.global.u32 r4, [rd2+8]
	rem.u32 r4, r4, r0
	sync .L52
.L52:
	st.global.u32 [rd2], r4
	exit

.kernel s_whilebreak insns=14 regs=7 frame=0 local=0 shared=0 barriers=0 params=12
	.param $0 8 8 0
	.param $1 4 4 8
	ld.param.u64 rd2, [0]
	ld.param.u32 r0, [8]
	s2r r4, %tid.x
	mov.u32 r5, 0
	pbrk .L66
.L59:
	setp.ge.u32 p0, r5, r0
	@p0 brk .L66
	ld.global.u32 r6, [rd2]
	setp.eq.u32 p0, r6, r4
	@p0 brk .L66
	add.u32 r5, r5, 1
	bra .L59
.L66:
	st.global.u32 [rd2], r5
	exit

.kernel s_dowhile insns=10 regs=5 frame=0 local=0 shared=0 barriers=0 params=12
	.param $0 8 8 0
	.param $1 4 4 8
	ld.param.u64 rd2, [0]
	s2r r0, %tid.x
	pbrk .L76
.L71:
	ld.global.volatile.sys.u32 r4, [rd2]
	setp.ne.u32 p0, r4, r0
	@!p0 brk .L76
	yield
	bra .L71
.L76:
	st.global.u32 [rd2], r4
	exit

.kernel s_nested insns=16 regs=7 frame=0 local=0 shared=0 barriers=0 params=12
	.param $0 8 8 0
	.param $1 4 4 8
	ld.param.u64 rd2, [0]
	ld.param.u32 r0, [8]
	s2r r4, %tid.x
	mov.u32 r5, 0
.L82:
	mov.u32 r6, 0
	pbrk .L89
.L84:
	st.global.u32 [rd2], r6
	add.u32 r6, r6, 1
	setp.lt.u32 p0, r6, r4
	@p0 bra .L84
	brk .L89
.L89:
	add.u32 r5, r5, 1
	setp.lt.u32 p0, r5, r0
	@p0 bra .L82
	st.global.u32 [rd2+4], r5
	exit

.kernel s_irregular insns=19 regs=6 frame=0 local=0 shared=0 barriers=0 params=12
	.param $0 8 8 0
	.param $1 4 4 8
	ld.param.u64 rd2, [0]
	s2r r0, %tid.x
	ld.global.u32 r4, [rd2]
	setp.eq.u32 p0, r0, 3
	pbrk .L110
	ssy .L105
	@p0 bra .L112
.L101:
	mul.u32 r4, r4, 5
	st.global.u32 [rd2], r4
	yield
	sync .L105
.L105:
	add.u32 r4, r4, r0
	ld.global.u32 r5, [rd2+4]
	setp.lt.u32 p0, r4, r5
	@p0 bra .L101
	brk .L110
.L110:
	st.global.u32 [rd2+8], r4
	exit
.L112:
	sync .L105

.kernel s_early insns=9 regs=5 frame=0 local=0 shared=0 barriers=0 params=12
	.param $0 8 8 0
	.param $1 4 4 8
	ld.param.u32 r0, [8]
	s2r r2, %tid.x
	setp.ge.u32 p0, r2, r0
	@p0 exit
	ld.param.u64 rd3, [0]
	setp.eq.u32 p0, r2, 3
	@p0 exit
	st.global.u32 [rd3], r2
	exit

.kernel s_switch insns=19 regs=5 frame=0 local=0 shared=0 barriers=0 params=12
	.param $0 8 8 0
	.param $1 4 4 8
	ld.param.u64 rd2, [0]
	s2r r0, %tid.x
	and.u32 r4, r0, 3
	setp.gt.u32 p0, r4, 1
	ssy .L139
	@p0 bra .L131
	setp.eq.u32 p0, r4, 0
	@p0 bra .L135
	bra .L137
.L131:
	setp.eq.u32 p0, r4, 2
	@!p0 st.global.u32 [rd2+12], r0
	@p0 st.global.u32 [rd2+8], r0
	sync .L139
.L135:
	st.global.u32 [rd2], r0
	sync .L139
.L137:
	st.global.u32 [rd2+4], r0
	sync .L139
.L139:
	st.global.u32 [rd2+16], r4
	exit

.kernel s_call insns=10 regs=36 frame=0 local=0 shared=0 barriers=0 params=12
	.param $0 8 8 0
	.param $1 4 4 8
	ld.param.u64 rd32, [0]
	s2r r34, %tid.x
	mov.u32 r35, 0
.L144:
	mov.u32 r4, r35
	cal r2, callee
	add.u32 r35, r35, 1
	st.global.u32 [rd32], r4
	setp.lt.u32 p0, r35, r34
	@!p0 exit
	bra .L144

.kernel s_shortcircuit insns=29 regs=6 frame=0 local=0 shared=0 barriers=0 params=12
	.param $0 8 8 0
	.param $1 4 4 8
	ld.param.u64 rd2, [0]
	s2r r0, %tid.x
	and.u32 r4, r0, 1
	setp.eq.u32 p0, r4, 0
	ssy .L167
	@p0 sync .L167
	ld.global.u32 r5, [rd2]
	setp.lt.u32 p0, r5, r0
	@p0 sync .L167
	ld.global.u32 r5, [rd2+4]
	st.global.u32 [rd2], r5
	ld.global.u32 r5, [rd2+8]
	st.global.u32 [rd2+8], r4
	ld.global.u32 r5, [rd2+12]
	st.global.u32 [rd2+12], r4
	sync .L167
.L167:
	mov.u32 r4, 0
.L168:
	add.u32 r4, r4, 1
	ld.global.u32 r5, [rd2+4]
	setp.eq.u32 p0, r5, r0
	ssy .L177
	@p0 sync .L177
	ld.global.u32 r5, [rd2+8]
	div.u32 r5, r5, r0
	st.global.u32 [rd2], r5
	sync .L177
.L177:
	setp.lt.u32 p0, r4, 9
	@p0 bra .L168
	exit
