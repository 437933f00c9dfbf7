/* SPDX-License-Identifier: MIT */
/* Device properties: defaults, text, refusals in a sentence. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

/*
 * The defaults, written by hand, not taken from the list under test: as the specification says where it says something,
 * and as the manual has always said where it leaves the number to us.  A new property, or a new default, has to be
 * written here, too.
 */
static const struct { const char *name; uint64_t def; } by_hand[] = {
	/* HW-50, A-HW-5: Profile K has 15 SMs, as 5 x 3, and 6 memory devices. */
	{ "gpcs", 5 }, { "sms-per-gpc", 3 }, { "partitions", 6 },
	/* SP-5: the first example, 0..11, and 63 is the highest of 64 (SP-6).  HW-19: by priority. */
	{ "device-priorities", 12 }, { "priority-order", 0 }, { "task-policy", 0 },
	/* SIMT-35: the example of the source.  A-SIMT-23: the device recentres by itself. */
	{ "token-queue-entries", 256 }, { "token-queue-driver", 0 },
	/* SIMT-6: either side.  A-SIMT-4: merge.  SIMT-46, SIMT-47: the options are off, each YIELD switches. */
	{ "branch-first", 0 }, { "yield-merge", 1 }, { "yield-every", 1 }, { "yield-random", 65536 }, { "x-yield-suppress", 0 },
	/* Warps take turns in slot order. */
	{ "x-schedule", 0 },
	{ "x-order", 0 },
	{ "x-order-switch", 0 },
	/* CP-33: checked at dispatch; literally only by choice.  A-CP-6: 64. */
	{ "x-gate-literal", 0 }, { "run-limit", 64 },
	/* WQ-59: the device may help.  WQ-56: debug mode is off.  SP-4: a running kernel is interrupted. */
	{ "devq-assist", 1 }, { "x-devq-laps", 0 }, { "preempt-level", 1 },
	/* Sizes: 256 MiB of VRAM, 64 warps of 32 threads in 16 CTAs, 96 KiB of shared memory, all for one CTA if it wants, 64 Ki registers */
	{ "vram", 256ull << 20 }, { "warps-per-sm", 64 }, { "ctas-per-sm", 16 }, { "shared-per-sm", 96 << 10 },
	{ "shared-per-cta", 0 }, { "regs-per-sm", 64 << 10 }, { "task-slots", 32 }, { "task-records", 8192 },
	{ "copy-engines", 2 }, { "channels", 256 }, { "watches", 1024 }, { "ring-max", 65536 }, { "engines", 32 },
	/* Times: slices of 1 and 2 ms, windows of 10 us, 1 GHz */
	{ "timeslice", 1000000 }, { "task-slice-ns", 2000000 }, { "window-ns", 10000 }, { "window-halvings", 0 },
	{ "sm-clock-khz", 1000000 },
	{ "cost-fetch-ns", 200 }, { "cost-cmd-ns", 20 }, { "cost-switch-ns", 100 }, { "cost-ce-setup-ns", 1000 },
	{ "cost-ce-mbps", 12000 }, { "cost-launch-ns", 1000 }, { "cost-cta-ns", 100 }, { "cost-mem-cycles", 4 },
	{ "cost-wfi-drain-ns", 500 }, { "cost-evict-ns", 2000 },
	/* Nothing is late, random, counted, or left out of the trace, unless asked for. */
	{ "store-delay-ns", 0 }, { "store-reorder", 0 }, { "seed", 1 }, { "cache-model", 0 }, { "trace-classes", 31 },
	{ "engine", 0 }, { "workers", 0 }, { "x-engine-without", 0 },
	/* No fault is injected. */
	{ "x-fault-id", 0 }, { "x-fault-version", 0 }, { "x-fault-irq-delay-ns", 0 }, { "x-fault-irq-lose", 0 },
	{ "x-fault-irq-spurious", 0 }, { "x-fault-irq-race", 0 }, { "x-fault-ce-reorder", 0 },
	{ "x-fault-ce-late-ns", 1000000 }, { "x-fault-dma-fail", 0 }, { "x-fault-stop", 0 },
	/* Memory in device time: off; 32 KiB L1, 6 x 256 KiB L2, 6 x 32 GB/s DRAM, 12 GB/s link */
	{ "memory-timing", 0 }, { "cache-line", 128 }, { "l1-bytes", 32 << 10 }, { "l1-ways", 4 }, { "l1-latency-cycles", 28 },
	{ "l1-bytes-per-cycle", 64 }, { "l1-insn-bytes", 8 << 10 }, { "l1-const-bytes", 8 << 10 }, { "l15-bytes", 128 << 10 },
	{ "l15-latency-ns", 100 }, { "gpc-mbps", 96000 }, { "l2-slice-bytes", 256 << 10 }, { "l2-ways", 16 },
	{ "l2-latency-ns", 200 }, { "partition-mbps", 64000 }, { "dram-mbps", 32000 }, { "dram-latency-ns", 250 },
	{ "link-mbps", 12000 }, { "link-latency-ns", 1000 }, { "stores-per-sm", 64 },
};

static uint64_t wanted(const char *name)
{
	for (unsigned i = 0; i < sizeof(by_hand) / sizeof(by_hand[0]); i++)
		if (!strcmp(by_hand[i].name, name))
			return by_hand[i].def;
	ck_abort_msg("%s is not in the table of defaults", name);
}

START_TEST(defaults)
{
	struct ppu_config cfg;
	char *err = NULL;

	ppu_config_init(&cfg);
#define P(c, name, type, def, min, max, doc) \
	ck_assert_msg(cfg.c == wanted(name), "%s is %llu, not %llu", name, (unsigned long long)cfg.c, \
		      (unsigned long long)wanted(name));
	PPU_PROPS(P)
#undef P
	ck_assert_uint_eq(sizeof(by_hand) / sizeof(by_hand[0]), sizeof(props) / sizeof(props[0]));
	ck_assert_int_eq(ppu_config_check(&cfg, &err), 0);
}
END_TEST

/* Names of values, and what workers=auto becomes: one for each CPU, at most one for each SM and 64. */
START_TEST(names)
{
	static const struct { uint32_t gpcs, sms, cpus, workers; } autos[] = {
		{ 5, 3, 2, 2 }, { 5, 3, 15, 15 }, { 5, 3, 16, 15 }, { 64, 64, 63, 63 }, { 64, 64, 200, 64 }, { 1, 1, 8, 1 },
	};
	struct ppu_config cfg;
	char *err = NULL;

	ppu_config_init(&cfg);
	ck_assert_int_eq(ppu_config_set(&cfg, "engine", "translate", &err), 0);
	ck_assert_uint_eq(cfg.engine, 2);
	ck_assert_int_eq(ppu_config_set(&cfg, "engine", "interpret", &err), 0);
	ck_assert_uint_eq(cfg.engine, 1);
	ck_assert_int_eq(ppu_config_set(&cfg, "engine", "auto", &err), 0);
	ck_assert_uint_eq(cfg.engine, 0);
	refused("engine", "fast", "property engine: 'fast' is not a number, nor auto or interpret or translate");
	refused("workers", "interpret", "'interpret' is not a number, nor auto");
	refused("gpcs", "auto", "is not a number");
	for (unsigned i = 0; i < sizeof(autos) / sizeof(autos[0]); i++) {
		ck_assert_int_eq(ppu_config_set(&cfg, "workers", "auto", &err), 0);
		cfg.gpcs = autos[i].gpcs;
		cfg.sms_per_gpc = autos[i].sms;
		ppu_config_workers(&cfg, autos[i].cpus);
		ck_assert_uint_eq(cfg.workers, autos[i].workers);
		ck_assert_int_eq(ppu_config_check(&cfg, &err), 0);
	}
	ck_assert_int_eq(ppu_config_set(&cfg, "workers", "3", &err), 0);
	ppu_config_workers(&cfg, 8);
	ck_assert_uint_eq(cfg.workers, 3);
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

/* A window of 10 us is 16 times 625 ns, and one of 1600 ns 16 times the least that a window may have. */
static void halvings(void)
{
	static const struct { uint64_t window; unsigned most; } w[] = { { 10000, 4 }, { 1600, 4 }, { 3200, 5 }, { 101, 0 }, { 100, 0 } };

	for (unsigned i = 0; i < sizeof(w) / sizeof(w[0]); i++) {
		struct ppu_config cfg;
		char *err = NULL;

		ppu_config_init(&cfg);
		cfg.window_ns = w[i].window;
		for (cfg.window_halvings = 0; cfg.window_halvings <= 10; cfg.window_halvings++) {
			bool ok = cfg.window_halvings <= w[i].most;

			ck_assert_int_eq(ppu_config_check(&cfg, &err), ok ? 0 : -1);
			ck_assert(ok || strstr(err, "cannot be cut in half"));
			free(err);
			err = NULL;
		}
	}
}

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
	halvings();
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

/* HW-50: what the source says of its example, read from the device as it is without any property. */
START_TEST(profile_k)
{
	static const struct { uint32_t reg, value; const char *what; } k[] = {
		{ PPU_REG_CAP_WARP_SIZE, 32, "threads in a warp" },
		{ PPU_REG_CAP_CORES_PER_SM, 192, "cores" },
		{ PPU_REG_CAP_DP_UNITS_PER_SM, 64, "units for double precision" },
		{ PPU_REG_CAP_SFUS_PER_SM, 32, "special function units" },
		{ PPU_REG_CAP_LSUS_PER_SM, 32, "load/store units" },
		{ PPU_REG_CAP_TEX_PER_SM, 0, "texture units, which are left out (HW-77)" },
		{ PPU_REG_CAP_PARTITIONS, 6, "memory devices" },
	};
	struct ppu_ports ports = { 0 };
	struct ppu_config cfg;
	struct ppu_core *core;
	char *err = NULL;
	void *vram;

	ppu_config_init(&cfg);
	vram = mmap(NULL, cfg.vram, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	ck_assert(vram != MAP_FAILED);
	core = ppu_core_create(&cfg, &ports, vram, &err);
	ck_assert_msg(core != NULL, "%s", err);
#define REG(reg) (unsigned)ppu_core_mmio_read(core, reg, 4)
	for (unsigned i = 0; i < sizeof(k) / sizeof(k[0]); i++)
		ck_assert_msg(REG(k[i].reg) == k[i].value, "%s: %u, not %u", k[i].what, REG(k[i].reg), k[i].value);
	ck_assert_uint_eq(REG(PPU_REG_CAP_GPCS) * REG(PPU_REG_CAP_SMS_PER_GPC), 15);
#undef REG
	ppu_core_destroy(core);
	munmap(vram, cfg.vram);
}
END_TEST

BENCH_MAIN("config", defaults, profile_k, names, every_property_and_its_limits, text, together, bar_size)
