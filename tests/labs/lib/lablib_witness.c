// SPDX-License-Identifier: MIT
/* The functions of lablib.h for the witness, whose file speaks lines of text. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lablib.h"

#define WITNESS	"/dev/lab-witness"

static void tell(const char *text)
{
	int ret = lab_insmod_deps();

	if (!ret)
		ret = lab_write_file(WITNESS, text);
	if (ret)
		lab_fatal("the grader's witness module does not answer (%d)", ret);
}

void lab_witness_reset(void)
{
	tell("reset");
}

void lab_witness_fail(unsigned int n)
{
	char text[32];

	snprintf(text, sizeof(text), "fail %u", n);
	tell(text);
}

void lab_witness_fail_all(const char *function)
{
	char text[80];

	snprintf(text, sizeof(text), "failall %s", function ? function : "");
	tell(text);
}

/* Everything that the witness says; the caller frees the text. */
static char *ask(void)
{
	size_t len = 0, room = 1 << 16;
	char *text = malloc(room);
	int fd;
	ssize_t n;

	if (lab_insmod_deps() || !text)
		lab_fatal("the grader's modules could not be loaded");
	fd = open(WITNESS, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		lab_fatal("the grader's witness module does not answer (%d)", -errno);
	while ((n = read(fd, text + len, room - len - 1)) > 0) {
		len += n;
		if (room - len < 4096)
			text = realloc(text, room *= 2);
	}
	close(fd);
	text[len] = 0;
	return text;
}

static void held(struct lab_held *to, const char *line)
{
	sscanf(line, "%*s %47s %63s", to->what, to->where);
}

static void one_line(struct lab_witness *w, const char *line)
{
	if (sscanf(line, "acquired %u", &w->acquired) == 1 ||
	    sscanf(line, "doorbells %u %u", &w->doorbells, &w->unordered) == 2 ||
	    sscanf(line, "pinned %u", &w->pinned) == 1)
		return;
	if (!strncmp(line, "failed ", 7)) {
		held(&w->failed, line);
	} else if (!strncmp(line, "held ", 5)) {
		if (w->nheld < sizeof(w->held) / sizeof(w->held[0]))
			held(&w->held[w->nheld], line);
		w->nheld++;
	} else if (!strncmp(line, "bad ", 4)) {
		if (w->nbad < sizeof(w->bad) / sizeof(w->bad[0]))
			sscanf(line, "%*s %63s %127[^\n]", w->bad[w->nbad].where, w->bad[w->nbad].what);
		w->nbad++;
	}
}

void lab_witness_read(struct lab_witness *w)
{
	char *text = ask(), *save;

	memset(w, 0, sizeof(*w));
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		one_line(w, line);
	free(text);
}

unsigned int lab_witness_calls(const char *function)
{
	char *text = ask(), *save, name[64];
	unsigned int n, found = 0;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (sscanf(line, "calls %63s %u", name, &n) == 2 && !strcmp(name, function))
			found = n;
	free(text);
	return found;
}

unsigned int lab_witness_obs(const char *prefix)
{
	struct lab_witness w;
	char name[128];

	lab_witness_read(&w);
	snprintf(name, sizeof(name), "%s.acquired", prefix);
	lab_obs(name, "%u", w.acquired);
	snprintf(name, sizeof(name), "%s.held", prefix);
	for (unsigned int i = 0; i < w.nheld && i < sizeof(w.held) / sizeof(w.held[0]); i++)
		lab_obs(name, "%s %s", w.held[i].what, w.held[i].where);
	snprintf(name, sizeof(name), "%s.bad", prefix);
	for (unsigned int i = 0; i < w.nbad && i < sizeof(w.bad) / sizeof(w.bad[0]); i++)
		lab_obs(name, "%s %s", w.bad[i].where, w.bad[i].what);
	return w.nheld + w.nbad;
}
