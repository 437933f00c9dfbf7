/* SPDX-License-Identifier: MIT */
/*
 * The debugger's session: its socket, its thread, and whose turn it is.
 *
 * The first thing that comes is DBG_WORD, once: the process that takes it is debugged.  What goes out are lines that begin with
 * "=" (for the user), "*" (an event) or "." (the next command, please); commands come in one a line.  A line "!" that comes while
 * the device runs asks for a stop.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/thread.h"
#include "debug/state.h"

struct dbg dbg = { .fd = -1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static bool debuggers_turn;
static FILE *out;

bool dbg_on(void)
{
	return dbg.dev != NULL;
}

/* ---- turns -------------------------------------------------------------------------------------------------- */

static void pass(bool debugger)
{
	pthread_mutex_lock(&lock);
	debuggers_turn = debugger;
	pthread_cond_broadcast(&cond);
	while (debuggers_turn == debugger)
		pthread_cond_wait(&cond, &lock);
	pthread_mutex_unlock(&lock);
}

void dbg_hand_over(void)
{
	if (out)
		pass(true);
}

void dbg_resume(void)
{
	pass(false);
}

/* ---- lines -------------------------------------------------------------------------------------------------- */

static void put(char kind, const char *fmt, va_list ap)
{
	char *text, *line, *save;

	if (!out || vasprintf(&text, fmt, ap) < 0)
		return;
	if (!*text)
		fprintf(out, "%c\n", kind);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		fprintf(out, "%c%s\n", kind, line);
	free(text);
}

void dbg_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put('=', fmt, ap);
	va_end(ap);
}

void dbg_tell(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put('*', fmt, ap);
	va_end(ap);
	if (out)
		fflush(out);		/* it may be long until the next command */
}

bool dbg_interrupted(void)
{
	struct pollfd p = { .fd = dbg.fd, .events = POLLIN };
	char line[2];

	/* Only "!" comes while the device runs; when the other end is gone, nobody stops any more. */
	return poll(&p, 1, 0) > 0 && (p.revents & POLLIN) && read(dbg.fd, line, 2) == 2;
}

/* The other end has gone: the program runs on, and nobody looks. */
static void let_go(void)
{
	fclose(out);
	out = NULL;
	dbg.mute = dbg.gone = true;
	dbg_freeze_end();
	pthread_mutex_lock(&lock);
	debuggers_turn = false;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&lock);
}

static void *debugger(void *arg)
{
	FILE *in = fdopen(dbg.fd, "r");
	char *line = NULL;
	size_t cap = 0;

	pthread_mutex_lock(&lock);
	while (!debuggers_turn)
		pthread_cond_wait(&cond, &lock);
	pthread_mutex_unlock(&lock);
	if (in)
		setvbuf(in, NULL, _IONBF, 0);	/* dbg_interrupted() reads, too */
	dbg_tell("opened");
	for (;;) {
		fputs(".\n", out);
		fflush(out);
		do {			/* "!": it came too late, the device had stopped already */
			if (!in || getline(&line, &cap, in) < 0)
				goto gone;
			line[strcspn(line, "\n")] = 0;
		} while (!strcmp(line, "!"));
		dbg_command(line);
	}
gone:
	free(line);
	let_go();
	return NULL;
}

/* ---- opening ------------------------------------------------------------------------------------------------- */

static void in_child(void)
{
	out = NULL;		/* the socket is the parent's */
	dbg.mute = true;
}

/* Once: it goes on when a device is opened again. */
static char *start_thread(void)
{
	static bool runs;
	pthread_t thread;

	if (runs)
		return NULL;
	if (ppu_thread_start(&thread, debugger, NULL))
		return strdup("PPU_DEBUG: no thread for the debugger");
	pthread_detach(thread);
	runs = true;
	pthread_atfork(NULL, NULL, in_child);
	return NULL;
}

/*
 * Is ppu-dbg at the other end, and has it not been given to another process?  PPU_DEBUG is inherited, and its number may be any
 * other file in a child: ppu-dbg has sent a word, and who takes it is the one that is debugged.
 */
static bool take_word(int fd)
{
	char word[sizeof(DBG_WORD)];
	const ssize_t len = sizeof(word) - 1;
	struct stat st;

	if (fstat(fd, &st) || !S_ISSOCK(st.st_mode))
		return false;
	/* It is looked at first: what others have sent is not ours. */
	return recv(fd, word, (size_t)len, MSG_DONTWAIT | MSG_PEEK) == len && !memcmp(word, DBG_WORD, (size_t)len) &&
	       recv(fd, word, (size_t)len, MSG_DONTWAIT) == len && !memcmp(word, DBG_WORD, (size_t)len);
}

/* NULL; without out: the process is not debugged. */
static char *connect_to(const char *text)
{
	char *end, *err = NULL;
	long fd = strtol(text, &end, 10);
	int copy;

	if (end == text || *end || fd < 0 || fd > INT_MAX)
		return asprintf(&err, "PPU_DEBUG: \"%s\" is no file's number (ppu-dbg sets it)", text) < 0 ? NULL : err;
	if (!take_word((int)fd))
		return NULL;
	copy = fcntl((int)fd, F_DUPFD_CLOEXEC, 0);
	fcntl((int)fd, F_SETFD, FD_CLOEXEC);
	dbg.fd = (int)fd;
	out = copy < 0 ? NULL : fdopen(copy, "w");
	return out ? NULL : strdup("PPU_DEBUG: no stream for its socket");
}

static bool is_set(const char *name)
{
	const char *text = getenv(name);

	return text && *text;
}

int dbg_open(const struct be_ops *be, struct be_dev *dev, char **err)
{
	const char *text = getenv("PPU_DEBUG");
	static bool asked;
	int rc;

	*err = NULL;
	if (!text || !*text)
		return 0;
	if (dbg.dev)
		return 0;		/* the first device is debugged */
	if (!asked)
		*err = connect_to(text);
	asked = !*err;
	if (!*err && !out)
		return 0;		/* another process is debugged, or nobody looks any more */
	if (*err)
		return -EINVAL;
	if (!be->debug)
		*err = strdup("PPU_DEBUG: only the device inside the process can be debugged (PPU_BACKEND=core)");
	else if (is_set("PPU_PROF"))
		*err = strdup("PPU_DEBUG and PPU_PROF watch the device, and one at a time can");
	if (*err)
		return -EINVAL;
	dbg.be = be;
	dbg.ops = be->debug;
	dbg.dev = dev;
	dbg.interval = dbg.least_interval = 1u << 16;
	dbg.no_record = getenv("PPU_DEBUG_FORWARD") != NULL;
	dbg.port = (struct be_debugger){ .observer = dbg_observer, .begin = dbg_begin, .event = dbg_event, .leave = dbg_leave,
					.also = dbg_check_also };
	rc = dbg.ops->attach(dev, &dbg.port);
	*err = rc ? NULL : start_thread();
	if (rc || *err) {
		dbg.dev = NULL;
		return rc ? rc : -EINVAL;
	}
	dbg.stop = (struct dbg_stop){ .why = DBG_OPENED };
	dbg_hand_over();
	return 0;
}

void dbg_close(const struct be_ops *be, struct be_dev *dev)
{
	if (dbg.dev != dev)
		return;
	dbg_freeze_end();
	dbg.ops->attach(dev, NULL);
	dbg.dev = NULL;
	dbg.saves = 0;
	dbg.focus.is = false;
}
