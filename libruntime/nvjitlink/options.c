/* SPDX-License-Identifier: MIT */
/* libnvJitLink's options.  Most of them only tune, or concern intermediate code that there is none of here. */
#include <stdlib.h>
#include <string.h>

#include "nvjitlink/jitlink.h"

/* With a value behind "=", without one, or as one likes. */
enum value { NONE, NEEDED, MAY };

static const struct {
	const char *name;
	enum value value;
} ignored[] = {
	{ "lto", NONE }, { "g", NONE }, { "lineinfo", NONE }, { "time", NONE }, { "ftz", NEEDED }, { "prec-div", NEEDED },
	{ "prec-sqrt", NEEDED }, { "fma", NEEDED }, { "kernels-used", NEEDED }, { "variables-used", NEEDED },
	{ "optimize-unused-variables", NONE }, { "Xptxas", NEEDED }, { "Xnvvm", NEEDED }, { "split-compile", MAY },
	{ "split-compile-extended", MAY }, { "jump-table-density", NEEDED }, { "no-cache", NONE },
	{ "device-stack-protector", MAY }, { "O0", NONE }, { "O1", NONE }, { "O2", NONE }, { "O3", NONE },
};

static bool number(const char *text, uint32_t *n)
{
	char *end;
	unsigned long v = strtoul(text, &end, 10);

	*n = (uint32_t)v;
	return *text >= '0' && *text <= '9' && !*end && v <= 255;
}

/* sm_75, compute_90a: which one does not matter, because there is one kind of device. */
static bool arch_ok(const char *text)
{
	size_t prefix = !strncmp(text, "sm_", 3) ? 3 : !strncmp(text, "compute_", 8) ? 8 : 0, digits;

	digits = strspn(text + prefix, "0123456789");
	text += prefix + digits;
	return prefix && digits >= 2 && (!*text || !strcmp(text, "a") || !strcmp(text, "f"));
}

static bool may_ignore(const char *name, size_t len, bool value)
{
	for (unsigned i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		if (strlen(ignored[i].name) == len && !memcmp(ignored[i].name, name, len))
			return ignored[i].value == MAY || (ignored[i].value == NEEDED) == value;
	return false;
}

static bool parse(struct jl_options *o, const char *text)
{
	const char *equal, *value;
	size_t len;

	if (!text || *text != '-')
		return false;
	text += text[1] == '-' ? 2 : 1;
	equal = strchr(text, '=');
	value = equal ? equal + 1 : NULL;
	len = equal ? (size_t)(equal - text) : strlen(text);
	if (value && !*value)
		return false;
	if (value && len == 4 && !memcmp(text, "arch", 4)) {
		o->arch = true;
		return arch_ok(value);
	}
	if (value && len == 12 && !memcmp(text, "maxrregcount", 12))
		return number(value, &o->max_regs);
	if (!strcmp(text, "verbose"))
		return o->verbose = true;
	if (!strcmp(text, "ptx"))
		return o->ptx = true;
	return may_ignore(text, len, value);
}

bool jl_options_parse(struct jl_options *o, uint32_t num, const char *const *options)
{
	*o = (struct jl_options){ 0 };
	for (uint32_t i = 0; i < num; i++)
		if (!parse(o, options[i]))
			return false;
	return true;
}
