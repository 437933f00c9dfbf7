/* SPDX-License-Identifier: MIT */
/* ppu-run: run one kernel from the command line, on the host or on the device. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ppu.h>
#include "tool.h"

enum { EXIT_OK, EXIT_OTHER, EXIT_USAGE, EXIT_COMPILE, EXIT_FAULT_, EXIT_LIMIT };

#define MAX_ARGS	256
#define PRINT_WORDS	512

static const char usage_text[] =
"usage: ppu-run [OPTION...] MODULE ENTRY GRID BLOCK [shared=BYTES] [ARG...]\n"
"Load MODULE (.ptx, .ppus or .ppub), launch its kernel ENTRY, print its buffers.\n"
"\n"
"GRID, BLOCK   X[,Y[,Z]]\n"
"shared=BYTES  dynamic shared memory of a block\n"
"ARG           one for each parameter of the kernel, in order:\n"
"  u8:V u16:V u32:V u64:V s8:V s16:V s32:V s64:V f32:V f64:V\n"
"  bytes:ALIGN:HEX      a structure by value\n"
"  buf:BYTES[,INIT][,out=PATH]   a buffer in device memory; INIT is zero (default),\n"
"      iota32 (0, 1, 2...), rand=SEED or file=PATH.  After the last launch it is\n"
"      printed as 32-bit words, or written raw to PATH (- is standard output).\n"
"\n"
"  --backend core|drm       in this process, or through the kernel driver\n"
"                           (default: drm where there is a PPU, else core)\n"
"  --prop NAME=VALUE        device property (core), repeatable\n"
"  --trace FILE             the device's trace (core)\n"
"  --counters               one JSON object per launch on standard output\n"
"  --dump-code              the host code of the module, beside its instructions (takes core);\n"
"                           engine=translate unless --prop says another\n"
"  --repeat N               launch N times on the same buffers\n"
"  --device-time-limit NS   give up a launch after NS ns of device time\n"
"  --quiet                  do not print buffers\n"
"  --help, --version\n"
"\n"
"Exit status: 0 ok, 1 other failure, 2 usage, 3 compile error, 4 device fault,\n"
"5 time limit.\n";

struct arg {
	uint8_t value[16];	/* scalar, or the buffer's address */
	uint8_t *bytes;		/* "bytes:" */
	size_t size;
	size_t align;
	/* buf */
	bool is_buf;
	void *dev;
	size_t buf_bytes;
	uint8_t *init;
	const char *out;
};

static void __attribute__((noreturn, format(printf, 2, 3))) die(int status, const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "ppu-run: ");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(status);
}

static void check(ppuResult res, const char *what)
{
	const char *detail = ppuGetLastErrorDetail();
	int status = EXIT_OTHER;

	if (!res)
		return;
	if (res == PPU_ERROR_COMPILE || res == PPU_ERROR_INVALID_IMAGE) {
		/* Compiler messages carry their own file:line. */
		fprintf(stderr, "%s%s", detail, *detail && detail[strlen(detail) - 1] == '\n' ? "" : "\n");
		exit(EXIT_COMPILE);
	}
	if (res >= PPU_ERROR_ILLEGAL_ADDRESS && res <= PPU_ERROR_DEVICE_LOST)
		status = EXIT_FAULT_;
	else if (res == PPU_ERROR_TIMEOUT)
		status = EXIT_LIMIT;
	else if (res == PPU_ERROR_FILE || res == PPU_ERROR_NOT_FOUND || res == PPU_ERROR_CONFIGURATION ||
		 res == PPU_ERROR_INVALID_CONFIGURATION || res == PPU_ERROR_LAUNCH_RESOURCES)
		status = EXIT_USAGE;
	if (!*detail)
		detail = ppuGetErrorString(res);
	/* The detail may begin with the file's name already. */
	if (!strncmp(detail, what, strlen(what)))
		die(status, "%s: %s", ppuGetErrorName(res), detail);
	die(status, "%s: %s: %s", what, ppuGetErrorName(res), detail);
}

static uint64_t number(const char *s, const char *what)
{
	char *end;
	unsigned long long v;

	errno = 0;
	v = strtoull(s, &end, 0);
	if (end == s || errno || *s == '-')
		die(EXIT_USAGE, "%s: \"%s\" is not a number", what, s);
	if (*end && end[1] == 0 && strchr("kKmMgG", *end)) {
		v <<= toupper(*end) == 'K' ? 10 : toupper(*end) == 'M' ? 20 : 30;
		end++;
	}
	if (*end)
		die(EXIT_USAGE, "%s: \"%s\" is not a number", what, s);
	return v;
}

static ppuDim3 dim(const char *s, const char *what)
{
	uint32_t v[3] = { 1, 1, 1 };
	const char *p = s;

	for (int i = 0; i < 3; i++) {
		char *end;
		unsigned long x;

		errno = 0;
		x = strtoul(p, &end, 0);
		if (end == p || errno || x == 0 || x > UINT32_MAX || *p == '-' || (*end && *end != ','))
			die(EXIT_USAGE, "%s: \"%s\" is not X[,Y[,Z]]", what, s);
		v[i] = (uint32_t)x;
		p = end;
		if (!*p)
			break;
		p++;
		if (i == 2 || !*p)
			die(EXIT_USAGE, "%s: \"%s\" is not X[,Y[,Z]]", what, s);
	}
	return ppuDim(v[0], v[1], v[2]);
}

/* Any sequence would do; this one (splitmix64) is documented, so that results can be checked. */
static void fill_rand(uint8_t *p, size_t n, uint64_t seed)
{
	for (size_t i = 0; i < n; i += 8) {
		uint64_t z = (seed += 0x9e3779b97f4a7c15ull);

		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
		z = (z ^ z >> 27) * 0x94d049bb133111ebull;
		z ^= z >> 31;
		memcpy(p + i, &z, n - i < 8 ? n - i : 8);
	}
}

static void parse_buf(struct arg *a, char *s)
{
	char *save = NULL, *t = strtok_r(s, ",", &save);

	a->is_buf = true;
	if (!t)
		die(EXIT_USAGE, "buf: the size is missing");
	a->buf_bytes = number(t, "buf");
	if (!a->buf_bytes)
		die(EXIT_USAGE, "buf: the size is 0");
	a->init = calloc(1, a->buf_bytes + 8);
	if (!a->init)
		die(EXIT_OTHER, "buf: no memory for %zu bytes", a->buf_bytes);
	while ((t = strtok_r(NULL, ",", &save))) {
		if (!strcmp(t, "zero")) {
			;
		} else if (!strcmp(t, "iota32")) {
			for (uint32_t i = 0; i < a->buf_bytes / 4; i++)
				memcpy(a->init + 4 * (size_t)i, &i, 4);
		} else if (!strncmp(t, "rand=", 5)) {
			fill_rand(a->init, a->buf_bytes, number(t + 5, "rand"));
		} else if (!strncmp(t, "file=", 5)) {
			FILE *f = fopen(t + 5, "rb");
			size_t n;

			if (!f)
				die(EXIT_USAGE, "%s: %s", t + 5, strerror(errno));
			n = fread(a->init, 1, a->buf_bytes, f);
			if (ferror(f))
				die(EXIT_USAGE, "%s: %s", t + 5, strerror(errno));
			if (n == a->buf_bytes && fgetc(f) != EOF)
				die(EXIT_USAGE, "%s is larger than the buffer", t + 5);
			fclose(f);
		} else if (!strncmp(t, "out=", 4)) {
			a->out = t + 4;
		} else {
			die(EXIT_USAGE, "buf: \"%s\" is none of zero, iota32, rand=, file=, out=", t);
		}
	}
	a->size = 8;
}

static int hex_digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : isxdigit((unsigned char)c) ? tolower(c) - 'a' + 10 : -1;
}

static void parse_bytes(struct arg *a, char *s)
{
	char *hex = strchr(s, ':');
	size_t n;

	if (!hex)
		die(EXIT_USAGE, "bytes: not bytes:ALIGN:HEX");
	*hex++ = 0;
	a->align = number(s, "bytes");
	n = strlen(hex);
	if (!a->align || a->align & (a->align - 1) || n & 1)
		die(EXIT_USAGE, "bytes: the alignment is no power of two, or the digits are odd in number");
	a->size = n / 2;
	a->bytes = malloc(a->size + 1);
	if (!a->bytes)
		die(EXIT_OTHER, "out of memory");
	for (size_t i = 0; i < a->size; i++) {
		int hi = hex_digit(hex[2 * i]), lo = hex_digit(hex[2 * i + 1]);

		if (hi < 0 || lo < 0)
			die(EXIT_USAGE, "bytes: \"%s\" is not hexadecimal", hex);
		a->bytes[i] = (uint8_t)(hi << 4 | lo);
	}
}

static void parse_arg(struct arg *a, char *s)
{
	char *v = strchr(s, ':');
	unsigned bits;
	char *end;

	if (!v)
		die(EXIT_USAGE, "argument \"%s\" is not TYPE:VALUE", s);
	*v++ = 0;
	a->align = 1;
	if (!strcmp(s, "buf")) {
		parse_buf(a, v);
		return;
	}
	if (!strcmp(s, "bytes")) {
		parse_bytes(a, v);
		return;
	}
	errno = 0;
	if (!strcmp(s, "f32")) {
		float f = strtof(v, &end);

		memcpy(a->value, &f, a->size = 4);
	} else if (!strcmp(s, "f64")) {
		double d = strtod(v, &end);

		memcpy(a->value, &d, a->size = 8);
	} else if ((*s == 'u' || *s == 's') && (bits = (unsigned)strtoul(s + 1, &end, 10), !*end) &&
		   (bits == 8 || bits == 16 || bits == 32 || bits == 64)) {
		a->size = bits / 8;
		if (*s == 'u') {
			uint64_t x = strtoull(v, &end, 0);

			if (*v == '-' || (bits < 64 && x >> bits))
				die(EXIT_USAGE, "%s is out of range for %s", v, s);
			memcpy(a->value, &x, 8);
		} else {
			int64_t x = strtoll(v, &end, 0);

			if (bits < 64 && (x < -(1ll << (bits - 1)) || x >= 1ll << (bits - 1)))
				die(EXIT_USAGE, "%s is out of range for %s", v, s);
			memcpy(a->value, &x, 8);
		}
		if (errno == ERANGE)
			die(EXIT_USAGE, "%s is out of range for %s", v, s);
	} else {
		die(EXIT_USAGE, "\"%s\" is no argument type; --help lists them", s);
	}
	if (end == v || *end)
		die(EXIT_USAGE, "\"%s\" is not a value of type %s", v, s);
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* ---- what was translated ---------------------------------------------------------------------- */

#define MAX_STATS 64
static const char *stat_name[MAX_STATS];
static unsigned num_stats;
static bool have_stats;
static uint64_t seen;		/* translations that were shown */

static void stats_read(uint64_t *v)
{
	if (have_stats)
		have_stats = ppuDeviceGetEngineStats(0, v, (int)num_stats) == PPU_SUCCESS;
}

/* What does not count up is shown as it is. */
static bool is_state(const char *name)
{
	return !strcmp(name, "available") || !strcmp(name, "memory_bytes");
}

static void stats_print(const uint64_t *before, const uint64_t *after)
{
	const char *sep = "";
	ppuTranslation t;

	if (!have_stats) {
		printf(", \"engine\": null, \"translated\": null");
		return;
	}
	printf(", \"engine\": {");
	for (unsigned i = 0; i < num_stats; i++, sep = ", ")
		printf("%s\"%s\": %" PRIu64, sep, stat_name[i],
		       is_state(stat_name[i]) ? after[i] : after[i] - before[i]);
	printf("}, \"translated\": [");
	for (sep = ""; !ppuDeviceGetTranslation(0, seen, &t); sep = ", ") {
		seen = t.number;
		printf("%s{\"code_address\": %" PRIu64 ", \"entry\": ", sep, t.code_address);
		printf(t.entry == UINT32_MAX ? "\"all\"" : "%u", t.entry);
		printf(", \"instructions\": %u, \"inlined\": %u, \"segments\": %u, \"code_bytes\": %u, "
		       "\"memory_bytes\": %" PRIu64 ", \"host_ns\": %" PRIu64 "}",
		       t.instructions, t.inlined, t.segments, t.code_bytes, t.memory_bytes, t.host_ns);
	}
	printf("]");
}

static void dump_line(void *arg, const char *text)
{
	(void)arg;
	puts(text);
}

/* ---- counters ------------------------------------------------------------------------------- */

#define MAX_COUNTERS PPU_PROFILE_COUNTERS
static const char *counter_name[MAX_COUNTERS];
static unsigned num_counters;
static bool have_counters;

static void counters_read(uint64_t *v)
{
	if (have_counters)
		have_counters = ppuDeviceGetCounters(0, v, (int)num_counters) == PPU_SUCCESS;
}

static void counters_print(const char *kernel, unsigned launch, int64_t device_ns, uint64_t host_ns,
			   const uint64_t *before, const uint64_t *after, const uint64_t *stats_before,
			   const uint64_t *stats_after)
{
	printf("{\"launch\": %u, \"kernel\": \"%s\", \"device_ns\": %" PRId64 ", \"host_ns\": %" PRIu64,
	       launch, kernel, device_ns, host_ns);
	for (unsigned i = 0; i < num_counters; i++) {
		if (have_counters)
			printf(", \"%s\": %" PRIu64, counter_name[i], after[i] - before[i]);
		else
			printf(", \"%s\": null", counter_name[i]);
	}
	stats_print(stats_before, stats_after);
	printf("}\n");
	fflush(stdout);
}

/* ---- output --------------------------------------------------------------------------------- */

static void print_buf(unsigned n, const uint8_t *p, size_t bytes)
{
	size_t words = bytes / 4, shown = words < PRINT_WORDS ? words : PRINT_WORDS;

	printf("arg %u: %zu bytes\n", n, bytes);
	for (size_t i = 0; i < shown; i++) {
		uint32_t w;

		memcpy(&w, p + 4 * i, 4);
		if (i % 8 == 0)
			printf("%08zx:", 4 * i);
		printf(" %08x%s", w, i % 8 == 7 || i + 1 == shown ? "\n" : "");
	}
	if (shown == words && bytes % 4) {
		printf("%08zx:", 4 * words);
		for (size_t i = 4 * words; i < bytes; i++)
			printf(" %02x", p[i]);
		printf("\n");
	}
	if (shown < words)
		printf("... %zu more bytes\n", bytes - 4 * shown);
}

static void put_out(unsigned n, const struct arg *a, bool quiet)
{
	uint8_t *p;
	FILE *f;

	if (!a->out && quiet)
		return;
	p = malloc(a->buf_bytes);
	if (!p)
		die(EXIT_OTHER, "out of memory");
	check(ppuMemcpy(p, a->dev, a->buf_bytes), "reading a buffer back");
	if (!a->out) {
		print_buf(n, p, a->buf_bytes);
	} else {
		f = strcmp(a->out, "-") ? fopen(a->out, "wb") : stdout;
		if (!f || fwrite(p, 1, a->buf_bytes, f) != a->buf_bytes ||
		    (f == stdout ? fflush(f) : fclose(f)))
			die(EXIT_OTHER, "%s: %s", a->out, strerror(errno));
	}
	free(p);
}

int main(int argc, char **argv)
{
	enum { O_BACKEND = 256, O_PROP, O_TRACE, O_COUNTERS, O_DUMP, O_REPEAT, O_LIMIT, O_QUIET, O_HELP, O_VERSION };
	static const struct option options[] = {
		{ "backend", required_argument, NULL, O_BACKEND },
		{ "prop", required_argument, NULL, O_PROP },
		{ "trace", required_argument, NULL, O_TRACE },
		{ "counters", no_argument, NULL, O_COUNTERS },
		{ "dump-code", no_argument, NULL, O_DUMP },
		{ "repeat", required_argument, NULL, O_REPEAT },
		{ "device-time-limit", required_argument, NULL, O_LIMIT },
		{ "quiet", no_argument, NULL, O_QUIET },
		{ "help", no_argument, NULL, O_HELP },
		{ "version", no_argument, NULL, O_VERSION },
		{ NULL, 0, NULL, 0 },
	};
	static struct arg args[MAX_ARGS];
	static uint64_t before[MAX_COUNTERS], after[MAX_COUNTERS], stats_before[MAX_STATS], stats_after[MAX_STATS];
	ppuInitOptions init = { 0 };
	const char *entry;
	char *props = NULL;
	bool counters = false, quiet = false, dump = false;
	uint64_t repeat = 1, limit = UINT64_MAX;
	size_t shared = 0;
	unsigned num_args = 0;
	ppuFunctionAttributes attr;
	ppuDim3 grid, block;
	ppuModule mod;
	ppuFunction fn;
	ppuEvent ev[2];
	uint8_t *packed;
	int c;

	while ((c = getopt_long(argc, argv, "+", options, NULL)) != -1) {
		switch (c) {
		case O_BACKEND:
			if (strcmp(optarg, "core") && strcmp(optarg, "drm"))
				die(EXIT_USAGE, "there is no backend \"%s\" (core, drm)", optarg);
			init.backend = optarg;
			break;
		case O_PROP: {
			size_t old = props ? strlen(props) : 0;

			if (!strchr(optarg, '='))
				die(EXIT_USAGE, "--prop \"%s\" is not NAME=VALUE", optarg);
			props = realloc(props, old + strlen(optarg) + 2);
			if (!props)
				die(EXIT_OTHER, "out of memory");
			sprintf(props + old, " %s", optarg);
			init.props = props;
			break;
		}
		case O_TRACE:
			init.trace = optarg;
			break;
		case O_COUNTERS:
			counters = true;
			break;
		case O_DUMP:
			dump = true;
			break;
		case O_REPEAT:
			repeat = number(optarg, "--repeat");
			break;
		case O_LIMIT:
			limit = number(optarg, "--device-time-limit");
			break;
		case O_QUIET:
			quiet = true;
			break;
		case O_HELP:
			fputs(usage_text, stdout);
			return 0;
		case O_VERSION:
			return tool_version("ppu-run");
		default:
			fputs(usage_text, stderr);
			return EXIT_USAGE;
		}
	}
	if (argc - optind < 4) {
		fputs(usage_text, stderr);
		return EXIT_USAGE;
	}
	/* A kernel that runs once is hardly ever hot; what comes later in the list counts. */
	if (dump) {
		char *all;

		if (init.backend && strcmp(init.backend, "core"))
			die(EXIT_USAGE, "--dump-code is for the device in this process (--backend core)");
		init.backend = "core";
		all = malloc(32 + (props ? strlen(props) : 0));

		if (!all)
			die(EXIT_OTHER, "out of memory");
		sprintf(all, "engine=translate%s", props ? props : "");
		free(props);
		init.props = props = all;
	}
	entry = argv[optind + 1];
	grid = dim(argv[optind + 2], "GRID");
	block = dim(argv[optind + 3], "BLOCK");
	for (int i = optind + 4; i < argc; i++) {
		if (!strncmp(argv[i], "shared=", 7)) {
			shared = number(argv[i] + 7, "shared");
			continue;
		}
		if (num_args == MAX_ARGS)
			die(EXIT_USAGE, "too many arguments");
		parse_arg(&args[num_args++], argv[i]);
	}

	check(ppuInit(&init), "opening the device");
	check(ppuModuleLoad(&mod, argv[optind], NULL), argv[optind]);
	check(ppuModuleGetFunction(&fn, mod, entry), argv[optind]);
	check(ppuFunctionGetAttributes(&attr, fn), entry);
	if (num_args != attr.num_params)
		die(EXIT_USAGE, "%s needs %u arguments, not %u: one for each parameter", entry, attr.num_params,
		    num_args);
	packed = calloc(1, attr.param_bytes + 1);
	if (!packed)
		die(EXIT_OTHER, "out of memory");
	for (unsigned i = 0; i < num_args; i++) {
		struct arg *a = &args[i];
		size_t off, size;

		check(ppuFunctionGetParam(fn, i, &off, &size), entry);
		if (a->size != size || off % a->align)
			die(EXIT_USAGE, "parameter %u of %s has %zu bytes at offset %zu, the argument %zu", i, entry,
			    size, off, a->size);
		if (a->is_buf) {
			check(ppuMalloc(&a->dev, a->buf_bytes), "allocating a buffer");
			check(ppuMemcpy(a->dev, a->init, a->buf_bytes), "filling a buffer");
			memcpy(a->value, &a->dev, sizeof(a->dev));
		}
		memcpy(packed + off, a->bytes ? a->bytes : a->value, size);
	}
	if (counters) {
		have_counters = true;
		while (num_counters < MAX_COUNTERS &&
		       ppuDeviceGetCounterName(0, (int)num_counters, &counter_name[num_counters]) == PPU_SUCCESS)
			num_counters++;
		have_stats = true;
		while (num_stats < MAX_STATS &&
		       ppuDeviceGetEngineStatName(0, (int)num_stats, &stat_name[num_stats]) == PPU_SUCCESS)
			num_stats++;
		check(ppuEventCreate(&ev[0], 0), "creating an event");
		check(ppuEventCreate(&ev[1], 0), "creating an event");
	}
	for (uint64_t i = 0; i < repeat; i++) {
		uint64_t t0, t1, deadline = UINT64_MAX;
		int64_t device_ns;

		if (limit != UINT64_MAX) {
			check(ppuDeviceGetTime(0, &deadline), "reading the device's clock");
			deadline = deadline > UINT64_MAX - limit ? UINT64_MAX : deadline + limit;
		}
		if (counters) {
			counters_read(before);
			stats_read(stats_before);
		}
		t0 = now();
		if (counters)
			check(ppuLaunchKernelTimed(fn, grid, block, shared, NULL, NULL,
						   attr.param_bytes ? packed : NULL, attr.param_bytes,
						   ev[0], ev[1]), "launching");
		else
			check(ppuLaunchKernel(fn, grid, block, shared, NULL, NULL,
					      attr.param_bytes ? packed : NULL, attr.param_bytes),
			      "launching");
		check(ppuStreamSynchronizeUntil(NULL, deadline, UINT64_MAX), entry);
		t1 = now();
		if (counters) {
			counters_read(after);
			stats_read(stats_after);
			check(ppuEventElapsedNs(&device_ns, ev[0], ev[1]), "timing");
			counters_print(entry, (unsigned)i, device_ns, t1 - t0, before, after, stats_before, stats_after);
		}
	}
	for (unsigned i = 0; i < num_args; i++)
		if (args[i].is_buf)
			put_out(i, &args[i], quiet);
	if (dump && ppuModuleDumpCode(mod, dump_line, NULL))
		die(EXIT_OTHER, "--dump-code: %s", ppuGetLastErrorDetail());
	for (unsigned i = 0; i < num_args; i++) {
		free(args[i].init);
		free(args[i].bytes);
	}
	free(packed);
	ppuShutdown();
	free(props);
	return EXIT_OK;
}
