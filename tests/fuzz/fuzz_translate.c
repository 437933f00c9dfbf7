/* SPDX-License-Identifier: MIT */
/*
 * Programs on both engines.  The input decides on a scene (tests/unit/lib/load_scene.h): what the addresses are, which lanes
 * take part, and the instructions of the body, some of them bit by bit.  Everything that can be seen has to be the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "load_scene.h"

#define LIMIT_NS	60000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static struct sm_test *pairs[EPAIR_MACHINES][2];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct ppu_config cfg = { .engine = EPAIR_TRANSLATE };

	if (ppu_config_engine_note(&cfg)) {
		printf("there is nothing to compare: %s\n", ppu_config_engine_note(&cfg));
		exit(0);
	}
	for (int kind = 0; kind < EPAIR_MACHINES; kind++) {
		load_scene_start(kind);
		memcpy(pairs[kind], scene_pair, sizeof(scene_pair));
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct irnd r = { .state = 0x9e3779b97f4a7c15ull, .p = data, .left = size };
	static struct ppu_insn code[SCENE_CODE];
	struct load_scene sc;
	unsigned kind;

	if (size < 8)
		return -1;
	kind = irnd(&r, EPAIR_MACHINES);
	memcpy(scene_pair, pairs[kind], sizeof(scene_pair));
	load_scene_random(&sc, &r, code);
	sc.seed = 1 + sc.seed % 2;
	sc.limit = kind == EPAIR_CUT ? 100 * LIMIT_NS : LIMIT_NS;
	if (kind == EPAIR_CUT) {
		sc.window_ns = 100 * (1 + irnd(&r, 60));
		sc.cut = 1 + irnd(&r, 4);
	}
	sc.after = kind == EPAIR_MIXED ? 1 + irnd(&r, 6) : 0;
	if (!load_scene_run(&sc)) {
		epair_show(code, sc.n);
		fprintf(stderr, "machine %u: %s: %s\n", kind, load_scene_say(&sc), epair_why);
		abort();
	}
	return 0;
}
