/* SPDX-License-Identifier: MIT */
/* The command line: commands of files, of options, then of the user.  With a terminal there are history and completion. */
#define _GNU_SOURCE
#include <editline/readline.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "front.h"
#include "link.h"

#define PROMPT "(ppu-dbg) "

static struct link prog;

/* For completion. */
struct words {
	char **word;
	unsigned n;
};
static struct words commands;		/* "info warps" is one */
static struct words things;		/* of modules; the first character says after which commands */

/* Shows what the program's debugger says, until it wants a command.  False: there is no program any more. */
static bool show(void)
{
	for (;;) {
		char *line = link_line(&prog);
		char kind = line ? *line : 0;

		if (kind == '=')
			puts(line + 1);
		free(line);
		if (!kind || kind == '.') {
			fflush(stdout);
			return kind;
		}
	}
}

static void interrupt(int sig)
{
	(void)sig;
	link_send(&prog, "!");
}

/* ---- completion ------------------------------------------------------------------------------------------------ */

static void ask(struct words *w, const char *request)
{
	char *line;

	while (w->n)
		free(w->word[--w->n]);
	link_send(&prog, request);
	while ((line = link_line(&prog)) && *line != '.') {
		char **v = *line == '=' ? realloc(w->word, (w->n + 1) * sizeof(*v)) : NULL;

		if (v) {
			w->word = v;
			w->word[w->n++] = strdup(line + 1);
		}
		free(line);
	}
	free(line);
}

static char *next_command(const char *text, int state)
{
	static unsigned at;
	size_t skip = (size_t)rl_point - strlen(text), n = (size_t)rl_point;

	at = state ? at : 0;
	while (at < commands.n) {
		const char *name = commands.word[at++];

		if (!strncmp(name, rl_line_buffer, n))
			return strdup(name + skip);
	}
	return NULL;
}

static char kind;

static char *next_thing(const char *text, int state)
{
	static unsigned at;

	at = state ? at : 0;
	while (at < things.n) {
		const char *name = things.word[at++];

		if (*name == kind && !strncmp(name + 1, text, strlen(text)))
			return strdup(name + 1);
	}
	return NULL;
}

/* After which commands functions, files or variables may follow. */
static char kind_after(const char *line)
{
	static const char *const code[] = { "break ", "b ", "tbreak ", "tb " };
	static const char *const data[] = { "print ", "p ", "print/", "p/", "watch ", "wwatch ", "rwatch ", "awatch ", "last-write ",
					    "lw ", "x/", "x " };

	for (size_t i = 0; i < sizeof(code) / sizeof(*code); i++)
		if (!strncmp(line, code[i], strlen(code[i])))
			return 'b';
	for (size_t i = 0; i < sizeof(data) / sizeof(*data); i++)
		if (!strncmp(line, data[i], strlen(data[i])))
			return 'p';
	return 0;
}

static char **complete(const char *text, int start, int end)
{
	(void)end;
	rl_attempted_completion_over = 1;
	kind = start ? kind_after(rl_line_buffer) : 0;
	rl_completion_append_character = kind == 'b' ? 0 : ' ';	/* a line's number follows a file */
	if (!kind)
		return rl_completion_matches(text, next_command);
	ask(&things, "names");		/* modules come and go */
	return rl_completion_matches(text, next_thing);
}

/* ---- commands --------------------------------------------------------------------------------------------------- */

enum go { GO_ON, GO_ENDED, GO_QUIT, GO_DETACH };

static bool is_word(const char *line, const char *word)
{
	line += strspn(line, " \t");
	return !strncmp(line, word, strlen(word)) && !line[strlen(word) + strspn(line + strlen(word), " \t")];
}

static enum go execute(const char *line)
{
	if (is_word(line, "quit") || is_word(line, "q") || is_word(line, "exit"))
		return GO_QUIT;
	if (is_word(line, "detach"))
		return GO_DETACH;
	link_send(&prog, line);
	return show() ? GO_ON : GO_ENDED;
}

/* What is not typed is shown, so that what is printed can be read. */
static enum go echoed(const char *line)
{
	printf(PROMPT "%s\n", line);
	fflush(stdout);
	return execute(line);
}

static enum go from_file(FILE *f)
{
	enum go go = GO_ON;
	char *line = NULL;
	size_t cap = 0;

	while (go == GO_ON && getline(&line, &cap, f) >= 0) {
		line[strcspn(line, "\n")] = 0;
		if (*line && *line != '#')
			go = echoed(line);
	}
	free(line);
	return go;
}

static enum go from_terminal(void)
{
	char *line, *last = strdup("");
	enum go go = GO_ON;

	ask(&commands, "commands");
	rl_attempted_completion_function = complete;
	using_history();
	while (go == GO_ON && (line = readline(PROMPT))) {
		if (*line) {
			add_history(line);
			free(last);
			last = strdup(line);
		}
		free(line);
		if (last && *last)	/* an empty line is the last command again */
			go = execute(last);
	}
	free(last);
	return go == GO_ON ? GO_QUIT : go;
}

static enum go from_all(const struct front_args *a)
{
	enum go go = GO_ON;

	for (unsigned i = 0; i < a->n && go == GO_ON; i++) {
		FILE *f = a->file[i] ? fopen(a->file[i], "re") : NULL;

		if (a->file[i] && !f) {
			fprintf(stderr, "ppu-dbg: %s: %s\n", a->file[i], strerror(errno));
			return GO_QUIT;
		}
		go = f ? from_file(f) : echoed(a->command[i]);
		if (f)
			fclose(f);
	}
	if (go != GO_ON || a->batch)
		return go;
	return isatty(0) ? from_terminal() : from_file(stdin);
}

int front_lines(const struct front_args *a)
{
	struct sigaction act = { .sa_handler = interrupt, .sa_flags = SA_RESTART };
	enum go go = GO_ENDED;
	int status;

	link_start(&prog, a->program, a->forward_only, false);
	sigaction(SIGINT, &act, NULL);
	if (show())
		go = from_all(a);
	else
		fputs("ppu-dbg: the program has ended without the use of a PPU by our libcuda, libcudart or libppu, or it could not be "
		      "opened\n", stderr);
	if (go == GO_QUIT)
		link_kill(&prog);
	fflush(stdout);
	status = link_end(&prog);
	if (go == GO_QUIT)
		return 0;
	printf("The program has ended with status %d.\n", status);
	return status;
}
