// SPDX-License-Identifier: MIT
/*
 * Lab 1's grader in the guest: loads lab.ko, and looks at the device from outside the driver.
 *
 * exercise identity       is the device taken, or with which error is it refused?
 * exercise life           probe, remove, every acquisition failing in turn, again and again
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lablib.h"

#define COMMAND		4
#define MANY		20	/* times unbound and bound */
#define MOST_FAILURES	100	/* no driver needs more acquisitions */
#define JUNK		0x4a554e4bu

static bool bound(void)
{
	return !strcmp(lab_bound(), "lab");
}

static uint64_t bar_start(int bar)
{
	char path[256];
	const char *at;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/resource", lab_pci());
	at = lab_read_file("%s", path);
	while (bar-- && (at = strchr(at, '\n')))
		at++;
	return at ? strtoull(at, NULL, 16) : 0;
}

/* Does lab.ko own a region that begins at `start`? With start == 0: does it own any region? */
static bool owns(uint64_t start)
{
	char line[256], name[64];
	unsigned long long from, to;
	FILE *f = fopen("/proc/iomem", "re");
	bool found = false;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, " %llx-%llx : %63s", &from, &to, name) == 3 && !strcmp(name, "lab"))
			found |= !start || from == start;
	if (f)
		fclose(f);
	return found;
}

static long number_file(const char *name)
{
	return strtol(lab_read_file("/sys/bus/pci/devices/%s/%s", lab_pci(), name), NULL, 0);
}

/* Reports the line of the kernel's log that begins with "PPU version". */
static void report_log(void)
{
	const char *log = lab_dmesg(), *at = strstr(log, "PPU version");

	lab_obs("log", "%.*s", at ? (int)strcspn(at, "\n") : 0, at ? at : "");
}

/* How the driver left the device: nothing may be switched on. Decoding is switched on here to read the registers. */
static void report_quiet(const char *prefix)
{
	char name[64];
	uint32_t command = lab_config(COMMAND, 2);

	lab_enable();
	snprintf(name, sizeof(name), "%s.quiet", prefix);
	lab_obs(name, "%u %u %u %u", command >> 2 & 1, lab_reg(PPU_REG_INTR_ENABLE), lab_reg(PPU_REG_SCRATCH), owns(0));
	lab_witness_obs(prefix);
	lab_config_write(COMMAND, 2, command);
}

/*
 * The error of the probe that loading the module ran, or 0: the kernel's log has it, but not ENODEV and ENXIO.  A second
 * probe may fail for what the first one kept.  The kernel says "lab: probe of 0000:00:04.0 failed with error -16", from 6.9
 * on "lab 0000:00:04.0: probe with driver lab failed with error -16"; other drivers may have failed, too.
 */
static int error_of_loading(void)
{
	static const char failed[] = " failed with error -";
	const char *line = lab_dmesg();

	for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		size_t len = strcspn(line, "\n");
		const char *probe = memmem(line, len, "probe ", 6), *said = memmem(line, len, failed, sizeof(failed) - 1);

		if ((!strncmp(line, "lab: ", 5) || !strncmp(line, "lab ", 4)) && probe && said)
			return atoi(said + sizeof(failed) - 1);
	}
	return 0;
}

static int error_of_refusal(void)
{
	struct lab_witness w;
	int first = error_of_loading(), second;

	lab_witness_read(&w);
	second = -lab_bind("lab");
	return first ? first : w.nheld ? ENODEV : second;
}

static void identity(void)
{
	lab_witness_reset();
	lab_must_load(NULL);
	lab_step("binding the driver");
	if (bound()) {
		lab_obs("bound", "1 0");
		report_log();
		lab_must_unload();
	} else {
		lab_obs("bound", "0 %d", error_of_refusal());
		lab_must_unload();
	}
	lab_witness_obs("gone");
}

/* Puts the device into a state in which an earlier driver may have left it. */
static void leave_junk(void)
{
	lab_enable();
	lab_reg_write(PPU_REG_SCRATCH, JUNK);
	lab_reg_write(PPU_REG_INTR_ENABLE, PPU_INTR_ALL);
	lab_reg_write(PPU_REG_INTR_TEST, PPU_INTR_CHERR);
	lab_reg_write(PPU_REG_SCHED_CTRL, PPU_SCHED_PAUSE_HOST);
	lab_config_write(COMMAND, 2, lab_config(COMMAND, 2) & ~6u);
}

static void probe(void)
{
	lab_step("loading lab.ko: probe() runs");
	lab_must_load(NULL);
	lab_obs("bound", "%u", bound());
	report_log();
	if (!bound()) {
		lab_obs("error", "%d", -lab_bind("lab"));
		return;
	}
	lab_obs("command", "%u %u", lab_config(COMMAND, 2) >> 1 & 1, lab_config(COMMAND, 2) >> 2 & 1);
	lab_obs("dma", "%ld %ld", number_file("dma_mask_bits"), number_file("consistent_dma_mask_bits"));
	lab_obs("regions", "%u %u", owns(bar_start(PPU_BAR_REGS)), owns(bar_start(PPU_BAR_VRAM)));
	if (!(lab_config(COMMAND, 2) & 2))
		lab_enable();
	lab_obs("state", "%u %u %u", lab_reg(PPU_REG_SCRATCH), lab_reg(PPU_REG_INTR_STATUS), lab_reg(PPU_REG_SCHED_CTRL));
	lab_obs("enable", "%u", lab_reg(PPU_REG_INTR_ENABLE));
}

/* The n-th acquisition of the driver is refused. Returns false if the driver does not make so many. */
static bool fail_one(unsigned int n)
{
	struct lab_witness w;
	int ret;

	lab_witness_reset();
	lab_witness_fail(n);
	lab_step("probing while acquisition %u of probe() fails, counted from lab_dev_alloc()'s memory on", n);
	ret = lab_bind("lab");
	lab_witness_read(&w);
	lab_witness_fail(0);
	if (!w.failed.what[0])
		return false;
	lab_step("looking at what is left after %s() at %s failed", w.failed.what, w.failed.where);
	lab_obs("failure", "%s %s %d %u", w.failed.what, w.failed.where, -ret, bound());
	if (bound() && lab_unbind("lab"))
		lab_fatal("The device could not be unbound after %s() had failed", w.failed.what);
	report_quiet("failed");
	for (unsigned int i = 0; ret && i < w.nheld && i < sizeof(w.held) / sizeof(w.held[0]); i++)
		lab_obs("leak", "%s %s %s %s", w.failed.what, w.failed.where, w.held[i].what, w.held[i].where);
	lab_step("probing again, and nothing fails, after %s() at %s had failed", w.failed.what, w.failed.where);
	ret = lab_bind("lab");
	lab_obs("next", "%s %s %d", w.failed.what, w.failed.where, -ret);
	if (ret)
		return false;
	return !lab_unbind("lab");
}

/* Has the kernel complained since the last look? */
static void report_complaints(const char *when)
{
	const char *log = lab_dmesg();

	lab_obs("complained", "%s %d", when, lab_count(log, "WARNING: ") + lab_count(log, "BUG: "));
}

static void fail_all(void)
{
	for (unsigned int n = 1; n <= MOST_FAILURES; n++)
		if (!fail_one(n))
			break;
	if (bound())
		lab_unbind("lab");
	lab_obs("failures", "done");
	report_complaints("unwinding");
}

static void again(void)
{
	lab_witness_reset();
	for (unsigned int i = 0; i < MANY; i++) {
		int ret;

		lab_step("binding the driver for the %uth time", i + 1);
		ret = lab_bind("lab");
		if (!ret && !bound())
			ret = -ENODEV;
		if (!ret && lab_reg(PPU_REG_SCRATCH) != 0x4c414221)
			ret = -EIO;
		if (ret) {
			lab_obs("again", "%u %d", i, -ret);
			return;
		}
		lab_unbind("lab");
	}
	lab_obs("again", "%u 0", MANY);
	lab_witness_obs("many");
}

static void pulled_and_reloaded(void)
{
	lab_step("taking the device out of the kernel and finding it again");
	lab_bind("lab");
	lab_obs("pulled", "%d", lab_remove() || lab_rescan() || !bound());
	lab_must_unload();
	report_quiet("unloaded");
	lab_must_load(NULL);
	lab_obs("reloaded", "%u", bound());
	if (bound())
		lab_unbind("lab");
}

static void life(void)
{
	leave_junk();
	lab_witness_reset();
	probe();
	if (!bound()) {
		lab_must_unload();
		lab_witness_obs("refused");
		return;
	}
	lab_step("unbinding the driver: remove() runs");
	lab_unbind("lab");
	report_quiet("removed");
	report_complaints("remove");
	again();
	pulled_and_reloaded();
	report_complaints("again");
	/* Last: what a probe that failed keeps is in the way of all that come later. */
	fail_all();
	lab_must_unload();
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "identity"))
		identity();
	else
		life();
	return 0;
}
