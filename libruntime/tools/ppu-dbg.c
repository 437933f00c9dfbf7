/* SPDX-License-Identifier: MIT */
/*
 * ppu-dbg: starts a program whose kernels are debugged.  The debugger is in the program (libruntime/debug); this is what the
 * user sees of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dbg/front.h"
#include "tool.h"

static const char help[] =
	"usage: ppu-dbg [options] [--] PROGRAM [ARGUMENT...]\n"
	"       ppu-dbg --dap\n"
	"  -x FILE          commands of a file; -ex COMMAND: one command.  Then those of stdin\n"
	"  -batch           only those; then the program runs to its end\n"
	"  --forward-only   save nothing: there is no way back, but less memory and time are needed\n"
	"  --check TOOL     stop at what ppu-check finds: memcheck, racecheck, initcheck, synccheck or floatcheck, with options\n"
	"                   behind a comma\n"
	"  --dap            the Debug Adapter Protocol on stdin and stdout, for editors\n"
	"  --help, --version\n"
	"The program is any that uses CUDA's Driver or Runtime API or libppu; it runs on the device inside the process, and stands\n"
	"still when it opens the device.  \"help\" there has the commands; \"quit\" ends it, \"detach\" lets it run on.\n"
	"Exit status: the program's, 128 + the signal that ended it, 0 after \"quit\"; 2 usage, 126 or 127 the program cannot be\n"
	"run.\n";

static void usage(const char *why, const char *what)
{
	fprintf(stderr, "ppu-dbg: %s%s (--help says more)\n", why, what);
	exit(2);
}

static bool is(const char *arg, const char *name)
{
	return !strcmp(arg, name) || (arg[0] == '-' && !strcmp(arg + 1, name));
}

static void add(struct front_args *a, char *file, char *command)
{
	a->file[a->n] = file;
	a->command[a->n++] = command;
}

int main(int argc, char **argv)
{
	struct front_args a = { 0 };
	int i;

	a.file = calloc((size_t)argc, sizeof(*a.file));
	a.command = calloc((size_t)argc, sizeof(*a.command));
	if (!a.file || !a.command)
		return 126;
	for (i = 1; argv[i] && argv[i][0] == '-' && strcmp(argv[i], "--") != 0; i++) {
		if (is(argv[i], "--help"))
			return fputs(help, stdout) < 0;
		else if (is(argv[i], "--version"))
			return tool_version("ppu-dbg");
		else if (is(argv[i], "--dap"))
			return front_dap();
		else if (is(argv[i], "-batch"))
			a.batch = true;
		else if (is(argv[i], "--forward-only"))
			a.forward_only = true;
		else if (!is(argv[i], "-x") && !is(argv[i], "-ex") && !is(argv[i], "--check"))
			usage("there is no option ", argv[i]);
		else if (!argv[i + 1])
			usage("a value is missing behind ", argv[i]);
		else if (is(argv[i], "--check"))
			setenv("PPU_CHECK", argv[++i], 1);
		else if (is(argv[i], "-x"))
			add(&a, argv[++i], NULL);
		else
			add(&a, NULL, argv[++i]);
	}
	a.program = argv + i + (argv[i] && !strcmp(argv[i], "--"));
	if (!*a.program)
		usage("which program?", "");
	return front_lines(&a);
}
