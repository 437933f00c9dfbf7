/* SPDX-License-Identifier: MIT */
/* Host time of single warp instructions on one SM, without the loop around them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "../unit/lib/sm_test.c"

#define ROUNDS 4000
#define WARPS 64

static const char prologue[] =
	"s2r r2, %tid.x\nld.param.u64 rd10, [0]\nmadw.u32 rd4, r2, 4, rd10\nmov.u32 r7, 0\nmov.u32 r9, 4\n"
	"and.u32 r12, r2, 255\nmul.u32 r12, r12, 4\n"		/* r12, rd4: consecutive words */
	"mul.u32 r13, r2, 268\nand.u32 r13, r13, 4092\n"	/* r13, rd16: scattered */
	"mov.u32 r14, r13\nmov.u32 r15, 0\nadd.u64 rd16, rd10, rd14\n"
	"and.u32 r20, r2, 1\nsetp.eq.u32 p3, r20, 1\nmov.u32 r21, 0\nloop:\n";
static const char epilogue[] =
	"add.u32 r7, r7, 1\nsetp.lt.u32 p1, r7, 4000\n@p1 bra loop\nexit\n";

static const struct {
	const char *name, *insn;
	unsigned n;		/* copies in the loop */
	unsigned insns;		/* warp instructions of one copy */
} cases[] = {
	{ "", "", 0, 1 },
	{ "add.u32", "add.u32 r3, r3, r9\n", 8, 1 },
	{ "add.u32, half of the lanes", "@p3 add.u32 r3, r3, r9\n", 8, 1 },
	{ "fma.f32", "fma.f32 r3, r9, r9, r3\n", 8, 1 },
	{ "setp.lt.u32", "setp.lt.u32 p2, r3, r9\n", 8, 1 },
	{ "ld.global.u32 consecutive", "ld.global.u32 r3, [rd4+256]\n", 8, 1 },
	{ "ld.global.u32 consecutive, half of the lanes", "@p3 ld.global.u32 r3, [rd4+256]\n", 8, 1 },
	{ "st.global.u32 consecutive", "st.global.u32 [rd4+256], r3\n", 8, 1 },
	{ "ld.u32 equal", "ld.u32 r3, [rd10+64]\n", 8, 1 },
	{ "ld.global.u32 scattered", "ld.global.u32 r3, [rd16]\n", 4, 1 },
	{ "ld.shared.u32 consecutive", "ld.shared.u32 r3, [r12]\n", 8, 1 },
	{ "ld.shared.u32 scattered", "ld.shared.u32 r3, [r13]\n", 4, 1 },
	{ "ld.param.u64", "ld.param.u64 rd24, [8]\n", 8, 1 },
	{ "atom.shared.add.u32 scattered", "atom.shared.add.u32 rz, [r13], r9\n", 4, 1 },
	{ "atom.global.add.u32 one address", "atom.global.add.u32 rz, [rd10], r9\n", 4, 1 },
	{ "atom.global.add.u32 scattered", "atom.global.add.u32 rz, [rd16], r9\n", 4, 1 },
	{ "divergent if/else (ssy bra sync sync)", "ssy L\n@p3 bra I\nsync L\nI: sync L\nL:\n", 1, 4 },
	{ "yield", "yield\n", 4, 1 },
	{ "shfl.bfly", "shfl.bfly.full r3, r2, 1, 31\n", 4, 1 },
	{ "vote.ballot", "vote.ballot.active r3, p3\n", 4, 1 },
	{ "bar.sync, 8 warps", "bar.sync 0\n", 2, 1 },
	{ "s2r tid.x", "s2r r6, %tid.x\n", 4, 1 },
};

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

/* Best of three, seconds for all rounds of all warps. */
static double measure(const char *insn, unsigned n)
{
	struct sm_test *s = smt_new();
	char text[4096];
	double best = 1e9;

	s->ports.trace = NULL;
	s->task.launch.shared_bytes = 8192;
	smt_start(s);
	strcpy(text, prologue);
	while (n--)
		strcat(text, insn);
	strcat(text, epilogue);
	smt_load(s, text);
	s->limit = ~0ull >> 1;
	for (int i = 0; i < 3; i++) {
		double t = seconds();

		if (!smt_run(s, WARPS / 8, 256))
			abort();
		t = seconds() - t;
		best = t < best ? t : best;
	}
	smt_free(s);
	return best;
}

int main(void)
{
	double loop = 0;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double t = measure(cases[i].insn, cases[i].n);

		if (!i) {
			loop = t;
			continue;
		}
		printf("{\"name\": \"sm: %s\", \"value\": %.2f, \"unit\": \"ns\"}\n", cases[i].name,
		       (t - loop) * 1e9 / ((double)ROUNDS * WARPS * cases[i].n * cases[i].insns));
		fflush(stdout);
	}
	return 0;
}
