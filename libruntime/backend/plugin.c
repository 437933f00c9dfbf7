/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "plugin.h"
#include "backend/sentence.h"

/* Not null in a program that has the plug-in linked in. */
extern const struct be_plugin ppu_core_plugin __attribute__((weak, visibility("default")));

/* dlopen(); if it fails, *why is the reason, unless there is one already.  The first reason is that of the file that the
 * user has: where there is none, the search goes on and fails for less. */
static void *open_file(const char *path, char **why)
{
	void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const char *reason = lib ? NULL : dlerror();

	if (reason && !*why)
		*why = strdup(reason);
	return lib;
}

/* The plug-in in a directory relative to that of `file`; NULL: there is none. */
static void *open_near(const char *file, const char *below, char **why)
{
	char path[PATH_MAX + sizeof("../lib/" BE_CORE_SO)], *slash;

	if (!realpath(file, path))
		return NULL;
	slash = strrchr(path, '/');
	stpcpy(stpcpy(slash + 1, below), BE_CORE_SO);
	return access(path, R_OK) ? NULL : open_file(path, why);
}

static void *find_library(char **why)
{
	static const char *const below[] = { "", "../", "../lib/" };
	static const char here;
	Dl_info info;
	void *lib = NULL;

	/* A program with rights that its user lacks: the user chooses its argv[0], and may give it another link. */
	if (getauxval(AT_SECURE))
		return open_file(BE_CORE_SO, why);
	/* Look beside the library that contains this code.  A program is known by argv[0] only, which may
	 * be no path. */
	if (dladdr(&here, &info) && info.dli_fname && strchr(info.dli_fname, '/'))
		for (unsigned i = 0; !lib && i < sizeof(below) / sizeof(below[0]); i++)
			lib = open_near(info.dli_fname, below[i], why);
	for (unsigned i = 0; !lib && i < sizeof(below) / sizeof(below[0]); i++)
		lib = open_near("/proc/self/exe", below[i], why);
	return lib ? lib : open_file(BE_CORE_SO, why);
}

static void *open_library(char **err)
{
	const char *chosen = secure_getenv("PPU_CORE_LIB");
	char *why = NULL;
	void *lib = chosen && *chosen ? open_file(chosen, &why) : find_library(&why);

	if (!lib)
		ppu_be_say(err, "the device inside the process (backend core) is a library of its own: install " BE_CORE_SO
		    ", or name it in PPU_CORE_LIB (%s)", why ? why : "it cannot be opened");
	free(why);
	return lib;
}

const struct be_ops *ppu_be_core_get(char **err)
{
	static const struct be_abi abi = BE_ABI;
	static const struct be_plugin *plugin;
	void *lib;

	*err = NULL;
	if (plugin)
		return plugin->ops;
	if (&ppu_core_plugin) {
		plugin = &ppu_core_plugin;
		return plugin->ops;
	}
	lib = open_library(err);
	if (!lib)
		return NULL;
	plugin = dlsym(lib, BE_CORE_ENTRY);
	if (!plugin) {
		ppu_be_say(err, BE_CORE_SO " is not PPU's: it has no " BE_CORE_ENTRY "; install the one of this version (ABI %u)",
		    BE_ABI_NUMBER);
	} else if (memcmp(&plugin->abi, &abi, sizeof(abi))) {
		ppu_be_say(err, BE_CORE_SO " is of another version (ABI %u, this runtime has %u%s): install both of the same version",
		    plugin->abi.number, BE_ABI_NUMBER,
		    plugin->abi.number == BE_ABI_NUMBER ? ", but tables of another size" : "");
		plugin = NULL;
	}
	if (!plugin)
		dlclose(lib);
	return plugin ? plugin->ops : NULL;
}
