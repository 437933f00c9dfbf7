// SPDX-License-Identifier: MIT
/*
 * Lab 2's grader in the guest. It makes events through the BARs. It sees how the driver counted them
 * (LAB_IOC_STATS), what is in the device's registers and counters, and what is in the kernel's log.
 *
 * exercise events         vectors, causes, bitmaps, masking, failing acquisitions, removal in a storm
 * exercise race|spurious|lost    one test; the device has the fault- property for that test
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <hw/ppu_counters.h>
#include "lab_uapi.h"
#include "lablib.h"
#include "events.h"

#define CAUSES		7
#define POLLS_MS	350	/* more than three of the driver's looks */
#define STORMS		3
#define TRIES		3
#define MOST_FAILURES	100

static const unsigned int vector_of[CAUSES] = { 0, 0, 1, 1, 2, 3, 1 };

static int lab_fd = -1;

/* Seconds for what a driver does at once, or at its next look. After one failure the program waits less. */
static unsigned int patience = 10;

#define WAIT(cond) ({				\
	bool ok_ = lab_until(cond, patience);	\
	if (!ok_)				\
		patience = 1;			\
	ok_; })

static struct lab_stats stats(void)
{
	struct lab_stats s;

	if (ioctl(lab_fd, LAB_IOC_STATS, &s))
		lab_fatal("LAB_IOC_STATS failed: %s", strerror(errno));
	return s;
}

static uint64_t sent(void)
{
	return lab_counter(PPU_CTR_IRQS);
}

static void mask(uint32_t masked)
{
	if (ioctl(lab_fd, LAB_IOC_MASK, &masked))
		lab_fatal("LAB_IOC_MASK failed: %s", strerror(errno));
}

static void open_lab(void)
{
	/* devtmpfs makes the node when the driver registers the device. */
	if (!WAIT((lab_fd = open("/dev/lab", O_RDWR | O_CLOEXEC)) >= 0))
		lab_fatal("/dev/lab is not there after lab.ko was loaded: did probe() fail? (%s)", strerror(errno));
}

static void close_lab(void)
{
	close(lab_fd);
	lab_fd = -1;
}

/* Returns the offset of a PCI capability; 0: there is none. */
static unsigned int capability(unsigned int id)
{
	unsigned int at = lab_config(0x34, 1);

	while (at && lab_config(at, 1) != id)
		at = lab_config(at + 1, 1);
	return at;
}

static bool msix_on(void)
{
	return lab_config(capability(0x11) + 2, 2) >> 15;
}

/* Returns the number of lines in /proc/interrupts with "lab-", and the lines' interrupt numbers, if wanted. */
static unsigned int interrupts(unsigned int *numbers, unsigned int most)
{
	char line[1024];
	unsigned int n = 0;
	FILE *f = fopen("/proc/interrupts", "re");

	while (f && fgets(line, sizeof(line), f)) {
		if (!strstr(line, "lab-"))
			continue;
		if (numbers && n < most)
			numbers[n] = atoi(line);
		n++;
	}
	if (f)
		fclose(f);
	return n;
}

/* The number of kernel threads for interrupts of the lab driver. */
static unsigned int threads(void)
{
	struct dirent *entry;
	unsigned int n = 0;
	DIR *dir = opendir("/proc");

	while (dir && (entry = readdir(dir))) {
		const char *comm = atoi(entry->d_name) ? lab_read_file("/proc/%s/comm", entry->d_name) : "";

		n += !strncmp(comm, "irq/", 4) && strstr(comm, "-lab");
	}
	if (dir)
		closedir(dir);
	return n;
}

/* Does the driver have any vectors? */
static bool vectors(void)
{
	unsigned int lines = interrupts(NULL, 0);
	bool on = msix_on();

	lab_obs("vectors", "%u %u %u", on, lines, threads());
	lab_obs("enable", "%u", lab_reg(PPU_REG_INTR_ENABLE));
	return on && lines;
}

/* Has each cause in `bits` been counted once more than in `before`? Waits as long as that may take. */
static bool counted(const struct lab_stats *before, uint32_t bits)
{
	return WAIT(({
		struct lab_stats now = stats();
		bool all = true;

		for (unsigned int i = 0; i < CAUSES; i++)
			all &= !(bits >> i & 1) || now.causes[i] > before->causes[i];
		all;
	}));
}

/* Reports how the counter of each cause changed. */
static void report_causes(const char *name, const struct lab_stats *before)
{
	struct lab_stats now = stats();
	char text[200];
	int len = 0;

	for (unsigned int i = 0; i < CAUSES; i++)
		len += snprintf(text + len, sizeof(text) - len, " %lld", (long long)(now.causes[i] - before->causes[i]));
	lab_obs(name, "%s", text);
}

/* One event of one cause. Returns false if the timer found the event; that may happen on a slow machine. */
static bool one_cause(unsigned int i, bool last)
{
	struct lab_stats before = stats(), now;
	unsigned int v = vector_of[i];
	char name[32];

	lab_step("waiting for cause %u of INTR_STATUS", i);
	lab_reg_write(PPU_REG_INTR_TEST, 1u << i);
	if (counted(&before, 1u << i))
		WAIT(stats().messages[v] > before.messages[v]);
	now = stats();
	if (now.recovered != before.recovered && !last)
		return false;
	snprintf(name, sizeof(name), "cause%u", i);
	report_causes(name, &before);
	lab_obs("cause", "%u %u %llu %u %llu", i, v, (unsigned long long)(now.messages[v] - before.messages[v]),
		lab_reg(PPU_REG_INTR_STATUS), (unsigned long long)(now.recovered - before.recovered));
	return true;
}

static void one_by_one(void)
{
	for (unsigned int i = 0; i < CAUSES; i++)
		for (unsigned int try = 1; !one_cause(i, try == TRIES); try++)
			;
}

/* All causes are pending, and only one vector may send: its handler must leave the other causes alone. */
static void only_its_own(void)
{
	struct lab_stats before = stats(), now;
	uint64_t others = 0;

	lab_step("waiting for all causes while one vector may send");
	lab_reg_write(PPU_REG_INTR_ENABLE, PPU_INTR_WATCH);
	lab_reg_write(PPU_REG_INTR_TEST, PPU_INTR_ALL);
	counted(&before, PPU_INTR_WATCH);
	now = stats();
	for (unsigned int i = 0; i < CAUSES; i++)
		others += vector_of[i] != vector_of[4] ? now.causes[i] - before.causes[i] : 0;
	/* recovered has what the timer took. If more causes were counted, another vector's handler took them. */
	lab_obs("foreign", "%lld", (long long)(others - (now.recovered - before.recovered)));
	lab_reg_write(PPU_REG_INTR_ENABLE, PPU_INTR_ALL);
	counted(&before, PPU_INTR_ALL);
	report_causes("together", &before);
}

/* How often has the driver said that each of four channels stopped? */
static bool all_stopped(const unsigned int *chan, unsigned int *count)
{
	const char *log = lab_dmesg();
	bool all = true;

	for (unsigned int i = 0; i < 4; i++) {
		char text[40];

		snprintf(text, sizeof(text), "channel %u stopped", chan[i]);
		count[i] += lab_count(log, text);
		all &= count[i] > 0;
	}
	return all;
}

static void bitmaps(void)
{
	static const unsigned int watches[] = { 0, 31, 32, 700 }, bad[] = { 5, 31, 40, 200 }, chans[] = { 3, 9, 63 };
	unsigned int stopped[4] = { 0 };
	struct lab_stats before = stats();

	/* In each of these tests all bits are set before the message comes. */
	lab_step("waiting until the bits of WATCH_PENDING are cleared");
	lab_reg_write(PPU_REG_INTR_ENABLE, 0);
	for (unsigned int i = 0; i < 4; i++)
		watch_event(watches[i]);
	lab_reg_write(PPU_REG_INTR_ENABLE, PPU_INTR_ALL);
	WAIT(!bitmap_left(PPU_REG_WATCH_PENDING, PPU_BITMAP_WORDS_WATCH));
	lab_obs("watches", "%u", bitmap_left(PPU_REG_WATCH_PENDING, PPU_BITMAP_WORDS_WATCH));

	lab_step("waiting until the driver says which channels stopped");
	lab_dmesg();
	lab_reg_write(PPU_REG_INTR_ENABLE, 0);
	for (unsigned int i = 0; i < 4; i++)
		error_event(bad[i]);
	lab_reg_write(PPU_REG_INTR_ENABLE, PPU_INTR_ALL);
	WAIT(all_stopped(bad, stopped));
	lab_obs("stopped", "%u %u %u %u %u", stopped[0], stopped[1], stopped[2], stopped[3],
		bitmap_left(PPU_REG_CHERR_PENDING, PPU_BITMAP_WORDS_CH));

	lab_step("waiting for INTR commands of three channels");
	channels_prepare();
	lab_reg_write(PPU_REG_INTR_ENABLE, 0);
	for (unsigned int i = 0; i < 3; i++)
		channel_event(chans[i]);
	for (unsigned int i = 0; i < 3; i++)
		WAIT(channel_is_done(chans[i]));
	lab_reg_write(PPU_REG_INTR_ENABLE, PPU_INTR_ALL);
	WAIT(stats().channel_events >= before.channel_events + 3);
	lab_obs("channels", "%llu %u", (unsigned long long)(stats().channel_events - before.channel_events),
		bitmap_left(PPU_REG_CHINTR_PENDING, PPU_BITMAP_WORDS_CH));
}

static void masking(void)
{
	const uint32_t bits = PPU_INTR_WATCH | PPU_INTR_CHERR;
	struct lab_stats before;
	uint64_t messages;

	lab_step("masking all causes");
	mask(1);
	before = stats();
	messages = sent();
	lab_obs("masked", "%u", lab_reg(PPU_REG_INTR_ENABLE));
	lab_reg_write(PPU_REG_INTR_TEST, bits);
	lab_sleep_ms(POLLS_MS * lab_scale());
	lab_obs("masked.sent", "%llu", (unsigned long long)(sent() - messages));
	report_causes("masked.causes", &before);
	lab_step("waiting for what happened while all was masked");
	mask(0);
	lab_obs("unmasked", "%u", lab_reg(PPU_REG_INTR_ENABLE));
	counted(&before, bits);
	report_causes("unmasked.causes", &before);
}

/* The n-th acquisition from probe() on fails. Returns false if there is no n-th one. */
static bool fail_one(unsigned int n)
{
	struct lab_witness w;
	int ret;

	lab_step("probing while acquisition %u fails", n);
	lab_witness_reset();
	lab_witness_fail(n);
	ret = lab_bind("lab");
	lab_witness_read(&w);
	lab_witness_fail(0);
	if (!w.failed.what[0])
		return false;
	lab_obs("failure", "%s %s %d %u %u", w.failed.what, w.failed.where, -ret, msix_on(), interrupts(NULL, 0));
	for (unsigned int i = 0; ret && i < w.nheld && i < sizeof(w.held) / sizeof(w.held[0]); i++)
		lab_obs("leak", "%s %s %s %s", w.failed.what, w.failed.where, w.held[i].what, w.held[i].where);
	for (unsigned int i = 0; i < w.nbad && i < sizeof(w.bad) / sizeof(w.bad[0]); i++)
		lab_obs("failed.bad", "%s %s", w.bad[i].where, w.bad[i].what);
	if (!ret)
		lab_unbind("lab");
	lab_step("probing again, and nothing fails, after %s() at %s had failed", w.failed.what, w.failed.where);
	ret = lab_bind("lab");
	if (ret)
		lab_obs("next", "%s %s %d", w.failed.what, w.failed.where, -ret);
	return !ret && !lab_unbind("lab");
}

static void fail_all(void)
{
	for (unsigned int n = 1; n <= MOST_FAILURES; n++)
		if (!fail_one(n))
			break;
	if (!strcmp(lab_bound(), "lab"))
		lab_unbind("lab");
	lab_obs("failures", "done");
}

static volatile bool storm_over;

/* Makes events without end, in a thread of its own. */
static void *storm(void *unused)
{
	for (unsigned int i = 0; !storm_over; i = (i + 1) % 64) {
		lab_reg_write(PPU_REG_INTR_TEST, PPU_INTR_ALL);
		watch_event(i);
	}
	return unused;
}

static void remove_in_storm(void)
{
	pthread_t thread;

	lab_enable();
	lab_witness_reset();
	if (pthread_create(&thread, NULL, storm, NULL))
		lab_fatal("The grader's second thread could not be started");
	for (unsigned int i = 0; i < STORMS; i++) {
		int ret;

		lab_step("binding the driver while events come all the time");
		ret = lab_bind("lab");
		if (ret)
			lab_fatal("With events coming all the time probe() failed: %s", strerror(-ret));
		open_lab();
		lab_step("waiting for messages of every vector while events come all the time");
		WAIT(({ struct lab_stats s = stats(); s.messages[0] && s.messages[1] && s.messages[2] && s.messages[3]; }));
		close_lab();
		lab_step("unbinding the driver while events come all the time");
		lab_unbind("lab");
	}
	lab_step("looking whether a timer goes on without a driver");
	lab_sleep_ms(POLLS_MS * lab_scale());
	storm_over = true;
	pthread_join(thread, NULL);
	lab_obs("storm", "%u %u", interrupts(NULL, 0), msix_on());
	lab_witness_obs("storm");
}

static void events(void)
{
	one_by_one();
	only_its_own();
	bitmaps();
	masking();
	close_lab();
	lab_step("unbinding the driver");
	lab_unbind("lab");
	lab_obs("unbound", "%u %u %u", interrupts(NULL, 0), msix_on(), threads());
	lab_witness_obs("unbound");
	lab_enable();
	fail_all();
	remove_in_storm();
}

/* Two events of one cause: the second comes just after its word of the bitmap was read (x-fault-irq-race). */
static void race(void)
{
	unsigned int stopped = 0;
	uint64_t before;

	lab_step("waiting for two events of one cause");
	before = sent();
	lab_reg_write(PPU_REG_INTR_ENABLE, PPU_INTR_ALL & ~PPU_INTR_WATCH);
	watch_event(3);
	watch_event(7);
	lab_reg_write(PPU_REG_INTR_ENABLE, PPU_INTR_ALL);
	/* This program's read of the bitmap would trigger the second event, so wait for the second message first. */
	WAIT(sent() >= before + 2);
	WAIT(!lab_reg(PPU_REG_WATCH_PENDING));
	lab_obs("race", "%llu %u", (unsigned long long)(sent() - before), lab_reg(PPU_REG_WATCH_PENDING));

	lab_step("waiting for two channels that stop");
	before = sent();
	lab_dmesg();
	lab_reg_write(PPU_REG_INTR_ENABLE, PPU_INTR_ALL & ~(PPU_INTR_CHERR | PPU_INTR_FAULT));
	error_event(5);
	error_event(9);
	lab_reg_write(PPU_REG_INTR_ENABLE, PPU_INTR_ALL);
	WAIT(sent() >= before + 2);
	WAIT(!lab_reg(PPU_REG_CHERR_PENDING));
	WAIT((stopped += lab_count(lab_dmesg(), " stopped")) >= 2);	/* a driver clears the bit before it says so */
	lab_sleep_ms(10);
	stopped += lab_count(lab_dmesg(), " stopped");
	lab_obs("race.stopped", "%u %u", stopped, lab_reg(PPU_REG_CHERR_PENDING));
}

static unsigned int unhandled(void)
{
	unsigned int numbers[8] = { 0 }, n = interrupts(numbers, 8), sum = 0;

	for (unsigned int i = 0; i < n && i < 8; i++) {
		const char *at = strstr(lab_read_file("/proc/irq/%u/spurious", numbers[i]), "unhandled ");

		sum += at ? atoi(at + 10) : 0;
	}
	return sum;
}

/* After each message comes another one for which there is nothing to do (x-fault-irq-spurious=1). */
static void spurious(void)
{
	static const unsigned int bit[PPU_NUM_VECTORS] = { 0, 2, 4, 5 };
	struct lab_stats before = stats(), now;
	uint64_t messages;

	for (unsigned int v = 0; v < PPU_NUM_VECTORS; v++) {
		struct lab_stats start = stats();

		lab_step("waiting for an event of vector %u and the message too many after it", v);
		messages = sent();
		lab_reg_write(PPU_REG_INTR_TEST, 1u << bit[v]);
		counted(&start, 1u << bit[v]);
		WAIT(sent() >= messages + 2);
		WAIT(stats().messages[v] >= start.messages[v] + 2);
	}
	now = stats();
	report_causes("spurious.causes", &before);
	lab_obs("spurious", "%llu %u", (unsigned long long)(now.spurious - before.spurious), unhandled());
}

/* Messages are 50 ms late, and every second message of a vector is lost. */
static void lost(void)
{
	const uint32_t bits = 1u << 0 | 1u << 2 | 1u << 4 | 1u << 5;
	struct lab_stats before = stats(), late;
	uint64_t messages = sent();

	lab_step("waiting for events whose messages are late");
	lab_reg_write(PPU_REG_INTR_TEST, bits);
	counted(&before, bits);
	/* The next events come only after these messages: a late message must not serve them. */
	if (!WAIT(sent() >= messages + 4))
		lab_fatal("The device sent %llu messages for four vectors: INTR_ENABLE is 0x%x",
			  (unsigned long long)(sent() - messages), lab_reg(PPU_REG_INTR_ENABLE));
	WAIT(({ struct lab_stats s = stats(); s.messages[0] && s.messages[1] && s.messages[2] && s.messages[3]; }));
	late = stats();
	report_causes("late.causes", &before);
	lab_step("waiting for events whose messages are lost");
	lab_reg_write(PPU_REG_INTR_TEST, bits);
	counted(&late, bits);
	report_causes("lost.causes", &late);
	lab_obs("recovered", "%llu %llu", (unsigned long long)(stats().recovered - late.recovered),
		(unsigned long long)(sent() - messages));

	lab_step("masking while a message is on its way");
	late = stats();
	messages = sent();
	lab_reg_write(PPU_REG_INTR_TEST, PPU_INTR_WATCH);
	mask(1);
	late = stats();
	WAIT(sent() > messages);
	lab_sleep_ms(10);
	report_causes("late.masked", &late);
	mask(0);
}

static void run(const char *what)
{
	if (!strcmp(what, "race"))
		race();
	else if (!strcmp(what, "spurious"))
		spurious();
	else if (!strcmp(what, "lost"))
		lost();
	else
		events();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "events";

	lab_witness_reset();
	lab_must_load(NULL);
	if (strcmp(lab_bound(), "lab"))
		lab_fatal("probe() failed: error %d", -lab_bind("lab"));
	open_lab();
	if (vectors())		/* without a vector no message will come */
		run(what);
	if (lab_fd >= 0)
		close_lab();
	lab_must_unload();
	return 0;
}
