/* SPDX-License-Identifier: MIT */
/* Device properties: defaults, text, refusals in a sentence. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#include "bench_main.h"

static const struct { const char *name; uint64_t def, min, max; } props[] = {
#define P(c, name, type, def, min, max, doc) { name, def, min, max },
	PPU_PROPS(P)
#undef P
};

static void refused(const char *name, const char *text, const char *says)
{
	struct ppu_config cfg, before;
	char *err = NULL;

	ppu_config_init(&cfg);
	before = cfg;
	ck_assert_int_eq(ppu_config_set(&cfg, name, text, &err), -1);
	ck_assert_ptr_nonnull(err);
	ck_assert_msg(strstr(err, says) != NULL, "%s", err);
	ck_assert_int_eq(memcmp(&cfg, &before, sizeof(cfg)), 0);
	free(err);
}

START_TEST(defaults)
{
	struct ppu_config cfg;
	char *err = NULL;

	ppu_config_init(&cfg);
#define P(c, name, type, def, min, max, doc) ck_assert_uint_eq(cfg.c, def);
	PPU_PROPS(P)
#undef P
	ck_assert_int_eq(ppu_config_check(&cfg, &err), 0);
}
END_TEST

START_TEST(every_property_and_its_limits)
{
	for (unsigned i = 0; i < sizeof(props) / sizeof(props[0]); i++) {
		struct ppu_config cfg;
		char text[40], *err = NULL;

		ppu_config_init(&cfg);
		snprintf(text, sizeof(text), "%llu", (unsigned long long)props[i].max);
		ck_assert_int_eq(ppu_config_set(&cfg, props[i].name, text, &err), 0);
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)props[i].min);
		ck_assert_int_eq(ppu_config_set(&cfg, props[i].name, text, &err), 0);
		if (props[i].min) {
			snprintf(text, sizeof(text), "%llu", (unsigned long long)props[i].min - 1);
			refused(props[i].name, text, "outside");
		}
		if (props[i].max != ~0ull) {
			snprintf(text, sizeof(text), "%llu", (unsigned long long)props[i].max + 1);
			refused(props[i].name, text, "outside");
		}
		refused(props[i].name, "", "is not a");
		refused(props[i].name, "12x", "is not a");
		refused(props[i].name, "-1", "is not a");
		refused(props[i].name, " 1", "is not a");
		refused(props[i].name, "99999999999999999999999", "is not a");
	}
}
END_TEST

START_TEST(text)
{
	struct ppu_config cfg;
	char *err = NULL;

	ppu_config_init(&cfg);
	/* Properties whose names begin with x- are known without it. */
	ck_assert_int_eq(ppu_config_set(&cfg, "fault-irq-lose", "7", &err), 0);
	ck_assert_uint_eq(cfg.fault_irq_lose, 7);
	ck_assert_int_eq(ppu_config_set(&cfg, "x-fault-irq-lose", "0", &err), 0);
	ck_assert_uint_eq(cfg.fault_irq_lose, 0);
	ck_assert_int_eq(ppu_config_set(&cfg, "vram", "64M", &err), 0);
	ck_assert_uint_eq(cfg.vram, 64 << 20);
	ck_assert_int_eq(ppu_config_set(&cfg, "vram", "2g", &err), 0);
	ck_assert_uint_eq(cfg.vram, 2ull << 30);
	ck_assert_int_eq(ppu_config_set(&cfg, "vram", "2048K", &err), 0);
	ck_assert_uint_eq(cfg.vram, 2 << 20);
	refused("gpcs", "4K", "is not a number");
	refused("vram", "4KB", "is not a size");
	refused("vram", "99999999999G", "is not a size");
	refused("warp-speed", "9", "no property called 'warp-speed'");
}
END_TEST

START_TEST(together)
{
	struct ppu_config cfg;
	char *err = NULL;

	ppu_config_init(&cfg);
	cfg.vram += 4096;
	ck_assert_int_eq(ppu_config_check(&cfg, &err), -1);
	ck_assert(strstr(err, "multiple of 1 MiB"));
	free(err);
	ppu_config_init(&cfg);
	cfg.shared_per_cta = cfg.shared_per_sm + 1;
	ck_assert_int_eq(ppu_config_check(&cfg, &err), -1);
	free(err);
	ppu_config_init(&cfg);
	cfg.task_records = 4;
	ck_assert_int_eq(ppu_config_check(&cfg, &err), -1);
	free(err);
	/* A core with this configuration is refused with the same sentence, and so is VRAM that is not aligned. */
	struct ppu_ports ports = { 0 };

	err = NULL;
	ck_assert_ptr_null(ppu_core_create(&cfg, &ports, NULL, &err));
	ck_assert(strstr(err, "task-slots"));
	free(err);
	ppu_config_init(&cfg);
	ck_assert_ptr_null(ppu_core_create(&cfg, &ports, (char *)&cfg + 1, &err));
	ck_assert(strstr(err, "aligned"));
	free(err);
}
END_TEST

START_TEST(bar_size)
{
	struct ppu_config cfg;

	ppu_config_init(&cfg);
	cfg.channels = 1;
	ck_assert_uint_eq(ppu_core_bar0_size(&cfg), 4 << 20);
	cfg.channels = 512;
	ck_assert_uint_eq(ppu_core_bar0_size(&cfg), 4 << 20);
	cfg.channels = 513;
	ck_assert_uint_eq(ppu_core_bar0_size(&cfg), 8 << 20);
	cfg.channels = 4096;
	ck_assert_uint_eq(ppu_core_bar0_size(&cfg), 32 << 20);
}
END_TEST

BENCH_MAIN("config", defaults, every_property_and_its_limits, text, together, bar_size)
