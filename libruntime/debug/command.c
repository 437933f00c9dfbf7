/* SPDX-License-Identifier: MIT */
/* Commands by name: the only list of them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "debug/variable.h"

static void info(const char *args);
static void help(const char *args);
static void commands(const char *args);
static void names(const char *args);

struct command {
	const char *name, *other;	/* other: a short name, or NULL */
	void (*fn)(const char *args);
	const char *words;		/* NULL: of no interest to people */
	bool runs;			/* lets the device run, and ends with a stop that the user sees */
};

static const struct command table[] = {
	{ "help", "h", help, "[COMMAND]: what there is", false },
	{ "continue", "c", dbg_cmd_continue, "[alone] [N]: run on; N: stop at the Nth hit of this breakpoint", true },
	{ "run", "r", dbg_cmd_continue, "the same: the program has been started already", true },
	{ "stepi", "si", dbg_cmd_stepi, "[warp|block] [alone] [N]: up to the next instruction of the thread in focus, of its warp, of its block", true },
	{ "step", "s", dbg_cmd_step, "[warp|block] [alone] [N]: up to another line of the thread in focus, or of any in its warp or block", true },
	{ "next", "n", dbg_cmd_next, "[warp|block] [alone] [N]: the same, functions as a whole", true },
	{ "finish", "fin", dbg_cmd_finish, "[alone]: up to the end of the function", true },
	{ "set", NULL, dbg_cmd_set, "scheduler-locking off | on | step [warp | block]: who runs when a command lets the device run", false },
	{ "show", NULL, dbg_cmd_show, "who runs then", false },
	{ "reverse-stepi", "rsi", dbg_cmd_reverse_stepi, "[N]: back to the last instruction of the thread in focus", true },
	{ "reverse-step", "rs", dbg_cmd_reverse_step, "[N]: back to the beginning of this line, or of the one before", true },
	{ "reverse-next", "rn", dbg_cmd_reverse_next, "[N]: the same, functions as a whole", true },
	{ "reverse-continue", "rc", dbg_cmd_reverse_continue, "back to the last breakpoint or watchpoint", true },
	{ "last-write", "lw", dbg_cmd_last_write, "ADDRESS[, BYTES]: who wrote this memory last", false },
	{ "goto", NULL, dbg_cmd_goto, "N: to a moment that \"info position\" has told, back or forward", true },
	{ "interval", NULL, dbg_cmd_interval, "[N]: how many instructions are between two saves of the device's state", false },
	{ "break", "b", dbg_cmd_break, "FILE:LINE | LINE | FUNCTION | *PC [if CONDITION]", false },
	{ "tbreak", "tb", dbg_cmd_tbreak, "the same, for one stop", false },
	{ "watch", NULL, dbg_cmd_watch, "ADDRESS[, BYTES] [if CONDITION]: stop when it changes", false },
	{ "wwatch", NULL, dbg_cmd_wwatch, "... when it is written", false },
	{ "rwatch", NULL, dbg_cmd_rwatch, "... when it is read", false },
	{ "awatch", NULL, dbg_cmd_awatch, "... at each access", false },
	{ "catch", NULL, dbg_cmd_catch, "begin | end | host | checker [on | off]: stop when kernels begin or end, before the program goes on, at findings", false },
	{ "delete", "d", dbg_cmd_delete, "[N...]: remove breakpoints and watchpoints", false },
	{ "enable", NULL, dbg_cmd_enable, "[N...]", false },
	{ "disable", NULL, dbg_cmd_disable, "[N...]", false },
	{ "condition", NULL, dbg_cmd_condition, "N [CONDITION]", false },
	{ "ignore", NULL, dbg_cmd_ignore, "N TIMES", false },
	{ "focus", "f", dbg_cmd_focus, "[kernel N] [block (X,Y,Z)] [thread (X,Y,Z)] [warp N] [lane N]", false },
	{ "cuda", NULL, dbg_cmd_focus, "the same", false },
	{ "print", "p", dbg_cmd_print, "[/x|/d|/u|/f] EXPRESSION", false },
	{ "locals", NULL, dbg_cmd_locals, "parameters and variables of the function (built with -G)", false },
	{ "x", NULL, dbg_cmd_x, "/8xw ADDRESS: memory; x, d, u or f; b, h, w or g", false },
	{ "where", "bt", dbg_cmd_where, "functions that the thread is in", false },
	{ "list", "l", dbg_cmd_list, "source lines", false },
	{ "disassemble", "dis", dbg_cmd_disassemble, "instructions", false },
	{ "info", "i", info, "kernels | blocks | warps | lanes | tokens | barriers | registers [N] | predicates | parameters |\n"
	  "    shared | breakpoints | position | digest", false },
	{ "machine", NULL, dbg_cmd_machine, NULL, false },
	{ "commands", NULL, commands, NULL, false },
	{ "names", NULL, names, NULL, false },
};
#define NUM_COMMANDS	(sizeof(table) / sizeof(table[0]))

static const struct command infos[] = {
	{ "kernels", NULL, dbg_info_kernels, NULL, false },
	{ "blocks", NULL, dbg_info_blocks, NULL, false },
	{ "warps", NULL, dbg_info_warps, NULL, false },
	{ "lanes", NULL, dbg_info_lanes, NULL, false },
	{ "tokens", NULL, dbg_info_tokens, NULL, false },
	{ "barriers", NULL, dbg_info_barriers, NULL, false },
	{ "registers", NULL, dbg_info_registers, NULL, false },
	{ "predicates", NULL, dbg_info_predicates, NULL, false },
	{ "parameters", NULL, dbg_info_parameters, NULL, false },
	{ "shared", NULL, dbg_info_shared, NULL, false },
	{ "breakpoints", NULL, dbg_info_points, NULL, false },
	{ "position", NULL, dbg_info_position, NULL, false },
	{ "digest", NULL, dbg_info_digest, NULL, false },
};
#define NUM_INFOS	(sizeof(infos) / sizeof(infos[0]))

/* By its name, its short one, or the beginning of one name only. */
static const struct command *find(const struct command *c, size_t n, const char *name, size_t len, bool *several)
{
	const struct command *found = NULL;

	*several = false;
	for (size_t i = 0; i < n; i++) {
		if ((strlen(c[i].name) == len && !strncmp(c[i].name, name, len)) ||
		    (c[i].other && strlen(c[i].other) == len && !strncmp(c[i].other, name, len))) {
			*several = false;
			return &c[i];
		}
		if (strncmp(c[i].name, name, len) != 0)
			continue;
		*several = found != NULL;
		found = found ? found : &c[i];
	}
	return *several ? NULL : found;
}

static void run(const struct command *c, size_t n, const char *line, const char *what)
{
	size_t len = strcspn(line, " \t/");
	const struct command *found;
	bool several;

	found = len ? find(c, n, line, len, &several) : NULL;
	if (found && found->runs)
		dbg_tell("%s", &DBG_RUNS[1]);
	if (found)
		found->fn(line + len + strspn(line + len, " \t"));
	else
		dbg_say("%s \"%.*s\": \"help\" has the list.", len && several ? "There are several that begin with" : what, (int)len, line);
}

static void info(const char *args)
{
	run(infos, NUM_INFOS, args, "There is no info");
}

static void help(const char *args)
{
	for (size_t i = 0; i < NUM_COMMANDS; i++)
		if (table[i].words && (!*args || !strcmp(args, table[i].name)))
			dbg_say("%s%s%s %s", table[i].name, table[i].other ? ", " : "", table[i].other ? table[i].other : "", table[i].words);
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* For completion: what may follow commands, after a space. */
static void names_of(const struct ppu_image *img, void *arg)
{
	for (uint32_t i = 0; i < img->num_symbols; i++) {
		const struct ppu_symbol *s = &img->symbols[i];
		const char *inner = strstr(s->name, "$_Z");
		bool code = s->kind == PPU_SYM_KERNEL || s->kind == PPU_SYM_FUNC;
		char name[256];

		if (s->kind == PPU_SYM_UNDEF)
			continue;
		dbg_demangled(inner ? inner + 1 : s->name, name, sizeof(name));
		if (code)
			name[strcspn(name, "(")] = 0;
		inner = code ? NULL : strrchr(name, ':');	/* a function's own shared variable */
		dbg_say("%c%s", code ? 'b' : 'p', inner ? inner + 1 : name);
	}
	for (uint32_t i = 0; i < img->num_files; i++)
		if (strncmp(base_of(img->files[i]), "__clang_", 8) != 0)
			dbg_say("b%s:", base_of(img->files[i]));
}

/* Functions and files (b), variables (p) of all modules that are there. */
static void names(const char *args)
{
	dbg_each_image(names_of, NULL);
}

static void commands(const char *args)
{
	for (size_t i = 0; i < NUM_COMMANDS; i++)
		if (table[i].words)
			dbg_say("%s", table[i].name);
	for (size_t i = 0; i < NUM_INFOS; i++)
		dbg_say("info %s", infos[i].name);
}

void dbg_command(const char *line)
{
	char *copy = strdup(line + strspn(line, " \t")), *end;

	if (!copy)
		return;
	for (end = copy + strlen(copy); end > copy && isspace((unsigned char)end[-1]);)
		*--end = 0;
	if (*copy && *copy != '#')
		run(table, NUM_COMMANDS, copy, "There is no command");
	free(copy);
}
