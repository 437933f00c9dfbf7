/* SPDX-License-Identifier: MIT */
/* ppu-smi: what the PPUs of the machine are, how full and how busy they are, and whose processes use them. */
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cuda/nvml.h>
#include "tool.h"

#define MAX_FIELDS	32
#define MAX_PROCESSES	256
#define WATCH_US	200000	/* host time for which rates are watched */

static struct {
	bool list, all, units, heading;
	const char *gpu, *apps;		/* what --query-gpu and --query-compute-apps want */
	long every;			/* seconds, 0: once */
	int only;			/* index, -1: all */
} opt = { .units = true, .heading = true, .only = -1 };

/* What is shown of a device; filled before the first line of a page is printed. */
struct device {
	nvmlDevice_t handle;
	unsigned index;
	char name[NVML_DEVICE_NAME_V2_BUFFER_SIZE], uuid[NVML_DEVICE_UUID_BUFFER_SIZE];
	nvmlPciInfo_t pci;
	nvmlMemory_t memory;
	nvmlUtilization_t rates;
	unsigned processes;
	nvmlProcessInfo_t process[MAX_PROCESSES];
};

static char driver[NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE];
static int cuda;

__attribute__((format(printf, 2, 3), noreturn)) static void fail(int status, const char *format, ...)
{
	va_list list;

	fputs("ppu-smi: ", stderr);
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	fputc('\n', stderr);
	exit(status);
}

static void need(nvmlReturn_t r, const char *what)
{
	if (r)
		fail(1, "%s: %s", what, nvmlErrorString(r));
}

/* ---- one device --------------------------------------------------------------------------------- */

static void look(struct device *d)
{
	nvmlReturn_t r;

	need(nvmlDeviceGetIndex(d->handle, &d->index), "a device's number");
	need(nvmlDeviceGetName(d->handle, d->name, sizeof(d->name)), "a device's name");
	need(nvmlDeviceGetUUID(d->handle, d->uuid, sizeof(d->uuid)), "a device's UUID");
	need(nvmlDeviceGetPciInfo_v3(d->handle, &d->pci), "a device's place");
	need(nvmlDeviceGetMemoryInfo(d->handle, &d->memory), "a device's memory");
	need(nvmlDeviceGetUtilizationRates(d->handle, &d->rates), "a device's rates");
	d->processes = MAX_PROCESSES;
	r = nvmlDeviceGetComputeRunningProcesses_v3(d->handle, &d->processes, d->process);
	if (r == NVML_ERROR_INSUFFICIENT_SIZE)
		fail(1, "device %u has %u processes; this tool shows up to %d", d->index, d->processes, MAX_PROCESSES);
	need(r, "a device's processes");
}

static unsigned long long mib(unsigned long long bytes)
{
	return (bytes + (1 << 19)) >> 20;
}

/* A stranger named it: no character that a terminal obeys, or that parts the fields of CSV. */
static const char *process_name(unsigned pid)
{
	static char name[4096];

	if (nvmlSystemGetProcessName(pid, name, sizeof(name)))
		return "[Not Found]";
	for (char *s = name; *s; s++)
		if (!isprint((unsigned char)*s) || *s == ',')
			*s = '?';
	return name;
}

/* ---- fields of a query -------------------------------------------------------------------------- */

enum unit { TEXT, MIB, PERCENT, MHZ };
static const char *const unit_names[] = { [TEXT] = "", [MIB] = "MiB", [PERCENT] = "%", [MHZ] = "MHz" };

static void put_number(char *to, size_t n, enum unit unit, unsigned long long v)
{
	if (unit == TEXT || !opt.units)
		snprintf(to, n, "%llu", v);
	else
		snprintf(to, n, "%llu %s", v, unit_names[unit]);
}

static unsigned clock_of(const struct device *d)
{
	unsigned mhz = 0;

	need(nvmlDeviceGetClockInfo(d->handle, NVML_CLOCK_SM, &mhz), "a device's clock");
	return mhz;
}

static void put_capability(const struct device *d, char *to, size_t n)
{
	int major, minor;

	need(nvmlDeviceGetCudaComputeCapability(d->handle, &major, &minor), "a device's compute capability");
	snprintf(to, n, "%d.%d", major, minor);
}

static void put_now(char *to, size_t n)
{
	time_t now = time(NULL);
	struct tm tm;

	if (!strftime(to, n, "%Y/%m/%d %H:%M:%S.000", localtime_r(&now, &tm)))
		to[0] = '\0';
}

#define NUMBER(value) put_number(to, n, unit, value)
#define WORDS(...) snprintf(to, n, __VA_ARGS__)
/* (name, unit, what puts it into `to`) */
#define GPU_FIELDS(F) \
F(timestamp, "timestamp", TEXT, put_now(to, n)) \
F(index, "index", TEXT, NUMBER(d->index)) \
F(count, "count", TEXT, NUMBER(devices)) \
F(name, "name", TEXT, WORDS("%s", d->name)) \
F(name_, "gpu_name", TEXT, WORDS("%s", d->name)) \
F(uuid, "uuid", TEXT, WORDS("%s", d->uuid)) \
F(uuid_, "gpu_uuid", TEXT, WORDS("%s", d->uuid)) \
F(bus_id, "pci.bus_id", TEXT, WORDS("%s", d->pci.busId)) \
F(bus_id_, "gpu_bus_id", TEXT, WORDS("%s", d->pci.busId)) \
F(device_id, "pci.device_id", TEXT, WORDS("0x%08X", d->pci.pciDeviceId)) \
F(driver, "driver_version", TEXT, WORDS("%s", driver)) \
F(capability, "compute_cap", TEXT, put_capability(d, to, n)) \
F(pstate, "pstate", TEXT, WORDS("P0")) \
F(total, "memory.total", MIB, NUMBER(mib(d->memory.total))) \
F(used, "memory.used", MIB, NUMBER(mib(d->memory.used))) \
F(free_, "memory.free", MIB, NUMBER(mib(d->memory.free))) \
F(busy, "utilization.gpu", PERCENT, NUMBER(d->rates.gpu)) \
F(copying, "utilization.memory", PERCENT, NUMBER(d->rates.memory)) \
F(clock, "clocks.sm", MHZ, NUMBER(clock_of(d))) \
F(clock_, "clocks.current.sm", MHZ, NUMBER(clock_of(d))) \
F(clock_max, "clocks.max.sm", MHZ, NUMBER(clock_of(d))) \
F(temperature, "temperature.gpu", TEXT, WORDS("[N/A]")) \
F(fan, "fan.speed", TEXT, WORDS("[N/A]")) \
F(power, "power.draw", TEXT, WORDS("[N/A]")) \
F(power_limit, "power.limit", TEXT, WORDS("[N/A]"))

#define APP_FIELDS(F) \
F(timestamp, "timestamp", TEXT, put_now(to, n)) \
F(gpu_name, "gpu_name", TEXT, WORDS("%s", d->name)) \
F(gpu_bus_id, "gpu_bus_id", TEXT, WORDS("%s", d->pci.busId)) \
F(gpu_uuid, "gpu_uuid", TEXT, WORDS("%s", d->uuid)) \
F(pid, "pid", TEXT, NUMBER(p->pid)) \
F(process_name, "process_name", TEXT, WORDS("%s", process_name(p->pid))) \
F(process_name_, "name", TEXT, WORDS("%s", process_name(p->pid))) \
F(used_memory, "used_memory", MIB, NUMBER(mib(p->usedGpuMemory))) \
F(used_memory_, "used_gpu_memory", MIB, NUMBER(mib(p->usedGpuMemory)))

struct field {
	const char *name;
	enum unit unit;
	void (*put)(const struct device *d, const nvmlProcessInfo_t *p, unsigned devices, enum unit unit, char *to, size_t n);
};

#define GPU_PUT(id, name, u, code) static void gpu_##id(const struct device *d, const nvmlProcessInfo_t *p, \
							unsigned devices, enum unit unit, char *to, size_t n) { code; }
#define APP_PUT(id, name, u, code) static void app_##id(const struct device *d, const nvmlProcessInfo_t *p, \
							unsigned devices, enum unit unit, char *to, size_t n) { code; }
GPU_FIELDS(GPU_PUT)
APP_FIELDS(APP_PUT)
#define GPU_ROW(id, name, u, code) { name, u, gpu_##id },
#define APP_ROW(id, name, u, code) { name, u, app_##id },
static const struct field gpu_fields[] = { GPU_FIELDS(GPU_ROW) { 0 } };
static const struct field app_fields[] = { APP_FIELDS(APP_ROW) { 0 } };

/* The fields that a list with commas names, in its order. */
static unsigned choose(const char *names, const struct field *all, const struct field **chosen)
{
	char *copy = strdup(names), *rest = copy, *name;
	unsigned n = 0;

	while (copy && (name = strsep(&rest, ",")) != NULL) {
		const struct field *f = all;

		while (f->name && strcmp(f->name, name))
			f++;
		if (!f->name)
			fail(2, "there is no field \"%s\"; --help-query-%s lists them", name,
			     all == gpu_fields ? "gpu" : "compute-apps");
		if (n == MAX_FIELDS)
			fail(2, "more than %d fields", MAX_FIELDS);
		chosen[n++] = f;
	}
	free(copy);
	return n;
}

static void csv_heading(const struct field *const *f, unsigned n)
{
	if (!opt.heading)
		return;
	for (unsigned i = 0; i < n; i++) {
		printf("%s%s", i ? ", " : "", f[i]->name);
		if (opt.units && f[i]->unit != TEXT)
			printf(" [%s]", unit_names[f[i]->unit]);
	}
	putchar('\n');
}

static void csv_row(const struct field *const *f, unsigned n, const struct device *d, const nvmlProcessInfo_t *p,
		    unsigned devices)
{
	char text[4200];

	for (unsigned i = 0; i < n; i++) {
		f[i]->put(d, p, devices, f[i]->unit, text, sizeof(text));
		printf("%s%s", i ? ", " : "", text);
	}
	putchar('\n');
}

/* ---- pages -------------------------------------------------------------------------------------- */

static void page_list(const struct device *d, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		printf("GPU %u: %s (UUID: %s)\n", d[i].index, d[i].name, d[i].uuid);
}

/* Every field, one a line. */
static void page_all(const struct device *d, unsigned n, unsigned devices)
{
	char text[4200];

	for (unsigned i = 0; i < n; i++) {
		printf("%sGPU %s\n", i ? "\n" : "", d[i].pci.busId);
		for (const struct field *f = gpu_fields; f->name; f++) {
			f->put(&d[i], NULL, devices, f->unit, text, sizeof(text));
			printf("    %-20s : %s\n", f->name, text);
		}
		for (unsigned p = 0; p < d[i].processes; p++) {
			printf("    process %u\n", d[i].process[p].pid);
			printf("        %-16s : %s\n", "name", process_name(d[i].process[p].pid));
			printf("        %-16s : %llu MiB\n", "used_memory", mib(d[i].process[p].usedGpuMemory));
		}
	}
}

static void rule(void)
{
	printf("+%.77s+\n", "------------------------------------------------------------------------------");
}

/* A line of the table, in its frame. */
__attribute__((format(printf, 1, 2))) static void line(const char *format, ...)
{
	char text[256];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	printf("| %-75.75s |\n", text);
}

static void table_processes(const struct device *d)
{
	for (unsigned p = 0; p < d->processes; p++) {
		const char *name = process_name(d->process[p].pid);
		size_t len = strlen(name);

		/* The end of a path says more than its beginning. */
		line("%3u  %8u  %-42.42s  %13lluMiB", d->index, d->process[p].pid, len > 42 ? name + len - 42 : name,
		     mib(d->process[p].usedGpuMemory));
	}
}

static void page_table(const struct device *d, unsigned n)
{
	unsigned processes = 0;

	rule();
	line("PPU-SMI %-20s Driver %-20s CUDA %d.%d", PPU_VERSION_STRING, driver, NVML_CUDA_DRIVER_VERSION_MAJOR(cuda),
	     NVML_CUDA_DRIVER_VERSION_MINOR(cuda));
	rule();
	line("GPU  %-17s %-16s %19s  SM busy  Copy", "Name", "Bus-Id", "Memory");
	rule();
	for (unsigned i = 0; i < n; i++) {
		line("%3u  %-17.17s %16s %8lluMiB /%5lluMiB    %3u%%  %3u%%", d[i].index, d[i].name, d[i].pci.busId,
		     mib(d[i].memory.used), mib(d[i].memory.total), d[i].rates.gpu, d[i].rates.memory);
		processes += d[i].processes;
	}
	rule();
	line("GPU       PID  %-42s  %16s", "Process", "Memory");
	rule();
	for (unsigned i = 0; i < n; i++)
		table_processes(&d[i]);
	if (!processes)
		line("No process uses a PPU, or none that this user may see.");
	rule();
}

static void page_apps(const struct field *const *f, unsigned fields, const struct device *d, unsigned n, unsigned devices)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned p = 0; p < d[i].processes; p++)
			csv_row(f, fields, &d[i], &d[i].process[p], devices);
}

static void show(struct device *d, unsigned n, unsigned devices)
{
	const struct field *f[MAX_FIELDS];
	static bool again;
	unsigned fields;

	for (unsigned i = 0; i < n; i++)
		look(&d[i]);
	if (opt.gpu) {
		fields = choose(opt.gpu, gpu_fields, f);
		if (!again)
			csv_heading(f, fields);
		for (unsigned i = 0; i < n; i++)
			csv_row(f, fields, &d[i], NULL, devices);
	} else if (opt.apps) {
		fields = choose(opt.apps, app_fields, f);
		if (!again)
			csv_heading(f, fields);
		page_apps(f, fields, d, n, devices);
	} else if (opt.list) {
		page_list(d, n);
	} else if (opt.all) {
		page_all(d, n, devices);
	} else {
		page_table(d, n);
	}
	again = true;
	fflush(stdout);
}

/* ---- the command line --------------------------------------------------------------------------- */

static const char help[] =
	"usage: ppu-smi [-L | -q | --query-gpu=FIELDS | --query-compute-apps=FIELDS] [-i N] [-l SECONDS]\n"
	"Say what PPUs there are, how full and how busy they are, and whose processes use them.\n"
	"  -L, --list-gpus       one line for each device\n"
	"  -q, --query           all fields of each device\n"
	"  --query-gpu=FIELDS    these fields as CSV, separated by commas; with --format\n"
	"  --query-compute-apps=FIELDS   the same of each process\n"
	"  --help-query-gpu, --help-query-compute-apps   what fields there are\n"
	"  --format=csv[,noheader][,nounits]   without heading, without units\n"
	"  -i, --id=N            only device number N\n"
	"  -l, --loop=SECONDS    again and again\n"
	"  --help, --version\n"
	"Rates are shares of device time: over 0.2 s at first, then since the page before. Only processes that the user may "
	"look into are seen. PPU_BACKEND=core shows a fresh device inside this process.\n"
	"Exit status: 0 done, 1 no device, or one that does not answer, 2 usage.\n";

static int list_fields(const struct field *f)
{
	for (; f->name; f++)
		printf(f->unit == TEXT ? "%s\n" : "%s [%s]\n", f->name, unit_names[f->unit]);
	return 0;
}

static long number(const char *text, const char *what)
{
	char *end;
	long v = strtol(text, &end, 10);

	if (end == text || *end || v < 0 || v > 1000000)
		fail(2, "%s: \"%s\" is no number", what, text);
	return v;
}

static void formats(const char *text)
{
	char *copy = strdup(text), *rest = copy, *word;
	bool csv = false;

	while (copy && (word = strsep(&rest, ",")) != NULL) {
		if (!strcmp(word, "csv"))
			csv = true;
		else if (!strcmp(word, "noheader"))
			opt.heading = false;
		else if (!strcmp(word, "nounits"))
			opt.units = false;
		else
			fail(2, "--format=%s: there are csv, noheader and nounits", text);
	}
	free(copy);
	if (!csv)
		fail(2, "--format must contain csv");
}

/* The value of an option, which is `--name=value`, or the next argument for either name; NULL: not this option. */
static const char *value(char **argv, int *i, const char *brief, const char *name)
{
	size_t n = strlen(name);

	if (!strncmp(argv[*i], name, n) && argv[*i][n] == '=')
		return argv[*i] + n + 1;
	if (strcmp(argv[*i], name) && (!brief || strcmp(argv[*i], brief)))
		return NULL;
	if (!argv[*i + 1])
		fail(2, "%s needs a value", argv[*i]);
	return argv[++*i];
}

static void parse(char **argv)
{
	const char *v;

	for (int i = 1; argv[i]; i++) {
		if (!strcmp(argv[i], "-L") || !strcmp(argv[i], "--list-gpus"))
			opt.list = true;
		else if (!strcmp(argv[i], "-q") || !strcmp(argv[i], "--query"))
			opt.all = true;
		else if ((v = value(argv, &i, NULL, "--query-gpu")) != NULL)
			opt.gpu = v;
		else if ((v = value(argv, &i, NULL, "--query-compute-apps")) != NULL)
			opt.apps = v;
		else if ((v = value(argv, &i, NULL, "--format")) != NULL)
			formats(v);
		else if ((v = value(argv, &i, "-i", "--id")) != NULL)
			opt.only = (int)number(v, "-i");
		else if ((v = value(argv, &i, "-l", "--loop")) != NULL)
			opt.every = number(v, "-l");
		else
			fail(2, "what is \"%s\"?  ppu-smi --help says what there is", argv[i]);
	}
	if (opt.list + opt.all + !!opt.gpu + !!opt.apps > 1)
		fail(2, "only one of -L, -q, --query-gpu and --query-compute-apps");
}

/* The devices that are shown; *all: how many there are. */
static unsigned find(struct device **list, unsigned *all)
{
	unsigned n = 0;

	need(nvmlDeviceGetCount_v2(all), "the number of devices");
	if (opt.only >= (int)*all)
		fail(1, "there is no device %d; there are %u", opt.only, *all);
	*list = calloc(*all ? *all : 1, sizeof(**list));
	if (!*list)
		fail(1, "out of memory");
	for (unsigned i = 0; i < *all; i++)
		if (opt.only < 0 || opt.only == (int)i)
			need(nvmlDeviceGetHandleByIndex_v2(i, &(*list)[n++].handle), "a device");
	return n;
}

int main(int argc, char **argv)
{
	const struct field *unused[MAX_FIELDS];
	unsigned n, devices;
	struct device *list;

	if (argc == 2 && !strcmp(argv[1], "--version"))
		return tool_version("ppu-smi");
	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return fputs(help, stdout) < 0;
	if (argc == 2 && !strcmp(argv[1], "--help-query-gpu"))
		return list_fields(gpu_fields);
	if (argc == 2 && !strcmp(argv[1], "--help-query-compute-apps"))
		return list_fields(app_fields);
	parse(argv);
	if (opt.gpu)
		choose(opt.gpu, gpu_fields, unused);
	if (opt.apps)
		choose(opt.apps, app_fields, unused);
	need(nvmlInit_v2(), "no device");
	need(nvmlSystemGetDriverVersion(driver, sizeof(driver)), "the driver's version");
	need(nvmlSystemGetCudaDriverVersion_v2(&cuda), "CUDA's version");
	n = find(&list, &devices);
	if (!opt.list && !opt.apps)
		usleep(WATCH_US);
	for (show(list, n, devices); opt.every; show(list, n, devices)) {
		sleep((unsigned)opt.every);
		if (!opt.gpu && !opt.apps)
			putchar('\n');
	}
	free(list);
	nvmlShutdown();
	return 0;
}
