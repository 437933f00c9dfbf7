/* SPDX-License-Identifier: MIT */
/*
 * Programs on both engines.  The input decides on a scene (tests/unit/lib/load_scene.h): what the addresses are, which lanes
 * take part, and the instructions of the body, some of them bit by bit.  Everything that can be seen has to be the same.
 *
 * Where the host has AVX-512 the input also decides whether it is used.  PPU_ENGINE_WITHOUT=1 or 0: never, always.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "load_scene.h"
#include "core/sm/translate/translate.h"

#define LIMIT_NS	60000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* With what the host has, and without AVX-512. */
#define PATHS	2

static struct sm_test *pairs[PATHS][EPAIR_MACHINES][2];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct ppu_config cfg = { .engine = EPAIR_TRANSLATE };

	if (ppu_config_engine_note(&cfg)) {
		printf("there is nothing to compare: %s\n", ppu_config_engine_note(&cfg));
		exit(0);
	}
	for (int path = 0; path < PATHS; path++) {
		bool both = !getenv("PPU_ENGINE_WITHOUT") && ppu_translate_evex(0);

		if (path && !both) {
			memcpy(pairs[path], pairs[0], sizeof(pairs[0]));
			break;
		}
		if (path)
			setenv("PPU_ENGINE_WITHOUT", "1", 1);
		for (int kind = 0; kind < EPAIR_MACHINES; kind++) {
			load_scene_start(kind);
			memcpy(pairs[path][kind], scene_pair, sizeof(scene_pair));
		}
		printf("%s\n", ppu_translate_evex(epair_without()) ? "AVX-512" : "AVX2");
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct irnd r = { .state = 0x9e3779b97f4a7c15ull, .p = data, .left = size };
	static struct ppu_insn code[SCENE_CODE];
	struct load_scene sc;
	unsigned kind, path;

	if (size < 8)
		return -1;
	kind = irnd(&r, EPAIR_MACHINES * PATHS);
	path = kind / EPAIR_MACHINES;
	kind %= EPAIR_MACHINES;
	memcpy(scene_pair, pairs[path][kind], sizeof(scene_pair));
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
		fprintf(stderr, "machine %u%s: %s: %s\n", kind, path ? " without AVX-512" : "", load_scene_say(&sc), epair_why);
		abort();
	}
	return 0;
}
