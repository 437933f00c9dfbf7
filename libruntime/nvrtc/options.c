/* SPDX-License-Identifier: MIT */
/* libnvrtc's options, and what they are for clang. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvrtc/program.h"

enum what { IGNORE, ARCH, PASS, JOIN, FAST, RDC, DEFAULT_DEVICE, NO_FOLDER, REGS, FMAD, REFUSE };

/*
 * value: the option has one, behind "=" or as the next argument.  clang: for PASS the argument of clang; for JOIN the one
 * that the value is put behind.
 */
struct option {
	const char *name, *alias;
	bool value;
	enum what what;
	const char *clang;
};

static const struct option table[] = {
	{ "--gpu-architecture", "-arch", true, ARCH, NULL },
	{ "--std", "-std", true, JOIN, "-std=" },
	{ "--define-macro", "-D", true, JOIN, "-D" },
	{ "--undefine-macro", "-U", true, JOIN, "-U" },
	{ "--include-path", "-I", true, JOIN, "-I" },
	{ "--pre-include", "-include", true, JOIN, "-include" },
	{ "--device-debug", "-G", false, PASS, "-g" },
	{ "--generate-line-info", "-lineinfo", false, IGNORE, NULL },
	{ "--disable-warnings", "-w", false, PASS, "-w" },
	{ "--use_fast_math", "-use_fast_math", false, FAST, NULL },
	{ "--device-c", "-dc", false, RDC, NULL },
	{ "--device-w", "-dw", false, IGNORE, NULL },
	{ "--relocatable-device-code", "-rdc", true, RDC, NULL },
	{ "--device-as-default-execution-space", "-default-device", false, DEFAULT_DEVICE, NULL },
	{ "--maxrregcount", "-maxrregcount", true, REGS, NULL },
	{ "--fmad", "-fmad", true, FMAD, NULL },
	{ "--dlink-time-opt", "-dlto", false, REFUSE, "there is no link-time optimisation" },
	{ "--optix-ir", "-optix-ir", false, REFUSE, "there is no OptiX" },
	{ "--ftz", "-ftz", true, IGNORE, NULL },
	{ "--prec-sqrt", "-prec-sqrt", true, IGNORE, NULL },
	{ "--prec-div", "-prec-div", true, IGNORE, NULL },
	{ "--restrict", "-restrict", false, IGNORE, NULL },
	{ "--extensible-whole-program", "-ewp", false, IGNORE, NULL },
	{ "--ptxas-options", "-Xptxas", true, IGNORE, NULL },
	{ "--dopt", "-dopt", true, IGNORE, NULL },
	{ "--extra-device-vectorization", "-extra-device-vectorization", false, IGNORE, NULL },
	{ "--modify-stack-limit", "-modify-stack-limit", true, IGNORE, NULL },
	{ "--builtin-move-forward", "-builtin-move-forward", true, IGNORE, NULL },
	{ "--builtin-initializer-list", "-builtin-initializer-list", true, IGNORE, NULL },
	{ "--no-source-include", "-no-source-include", false, NO_FOLDER, NULL },
	{ "--no-cache", "-no-cache", false, IGNORE, NULL },
	{ "--version-ident", "-version-ident", true, IGNORE, NULL },
	{ "--display-error-number", "-err-no", false, IGNORE, NULL },
	{ "--no-display-error-number", "-no-err-no", false, IGNORE, NULL },
	{ "--diag-error", "-diag-error", true, IGNORE, NULL },
	{ "--diag-suppress", "-diag-suppress", true, IGNORE, NULL },
	{ "--diag-warn", "-diag-warn", true, IGNORE, NULL },
	{ "--minimal", "-minimal", false, IGNORE, NULL },
	{ "--time", "-time", true, IGNORE, NULL },
	{ "--split-compile", "-split-compile", true, IGNORE, NULL },
};

nvrtcResult nvrtc_options_add(struct nvrtc_options *o, const char *a, const char *b)
{
	char **argv = realloc(o->argv, ((size_t)o->argc + 2) * sizeof(*argv));

	if (!argv)
		return NVRTC_ERROR_OUT_OF_MEMORY;
	o->argv = argv;
	if (asprintf(&argv[o->argc], "%s%s", a, b) < 0)
		return NVRTC_ERROR_OUT_OF_MEMORY;
	argv[++o->argc] = NULL;
	return NVRTC_SUCCESS;
}

void nvrtc_options_free(struct nvrtc_options *o)
{
	for (int i = 0; i < o->argc; i++)
		free(o->argv[i]);
	free(o->argv);
	free(o->max_regs);
	*o = (struct nvrtc_options){ 0 };
}

/* -DX, -IX and -UX have their value directly behind them, all others behind "=". */
static const char *behind(const char *option, const char *name)
{
	size_t n = name ? strlen(name) : 0;

	if (!n || strncmp(option, name, n) != 0)
		return NULL;
	if (n == 2 && strchr("DIU", name[1]))
		return option + n;
	return !option[n] || option[n] == '=' ? option + n : NULL;
}

static const struct option *find(const char *option, const char **rest)
{
	for (unsigned int i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		*rest = behind(option, table[i].name);
		if (!*rest)
			*rest = behind(option, table[i].alias);
		if (*rest && (table[i].value || !**rest))
			return &table[i];
	}
	return NULL;
}

/* compute_NN or sm_NN, where letters may follow.  What is compiled is for the PPU in any case. */
static nvrtcResult set_arch(struct nvrtc_options *o, const char *v)
{
	bool real = !strncmp(v, "sm_", 3);
	const char *digits = v + (real ? 3 : 8);

	if ((!real && strncmp(v, "compute_", 8) != 0) || !isdigit((unsigned char)digits[0]) ||
	    !isdigit((unsigned char)digits[1]))
		return NVRTC_ERROR_INVALID_OPTION;
	o->cubin = real;
	return NVRTC_SUCCESS;
}

static nvrtcResult is_true(const char *v, bool *flag)
{
	*flag = !strcmp(v, "true");
	return *flag || !strcmp(v, "false") ? NVRTC_SUCCESS : NVRTC_ERROR_INVALID_OPTION;
}

static nvrtcResult set_regs(struct nvrtc_options *o, const char *v)
{
	char *end;
	long n = strtol(v, &end, 10);

	if (*end || n < 1 || n > 255)
		return NVRTC_ERROR_INVALID_OPTION;
	free(o->max_regs);
	o->max_regs = strdup(v);
	return o->max_regs ? NVRTC_SUCCESS : NVRTC_ERROR_OUT_OF_MEMORY;
}

static nvrtcResult apply(struct nvrtc_options *o, const struct option *t, const char *v)
{
	nvrtcResult r;
	bool yes;

	switch (t->what) {
	case IGNORE:	return NVRTC_SUCCESS;
	case ARCH:	return set_arch(o, v);
	case PASS:	return nvrtc_options_add(o, t->clang, "");
	case JOIN:
		if (strcmp(t->clang, "-include") != 0)
			return nvrtc_options_add(o, t->clang, v);
		r = nvrtc_options_add(o, t->clang, "");
		return r ? r : nvrtc_options_add(o, v, "");
	case FAST:
		r = nvrtc_options_add(o, "-ffast-math", "");
		return r ? r : nvrtc_options_add(o, "-fcuda-approx-transcendentals", "");
	case RDC:
		if (!t->value) {
			o->relocatable = true;
			return NVRTC_SUCCESS;
		}
		return is_true(v, &o->relocatable);
	case DEFAULT_DEVICE:
		o->device_default = true;
		return NVRTC_SUCCESS;
	case NO_FOLDER:
		o->no_source_include = true;
		return NVRTC_SUCCESS;
	case REGS:	return set_regs(o, v);
	case FMAD:
		r = is_true(v, &yes);
		return r || yes ? r : nvrtc_options_add(o, "-ffp-contract=off", "");
	case REFUSE:	break;
	}
	return NVRTC_ERROR_INVALID_OPTION;
}

nvrtcResult nvrtc_options_parse(struct nvrtc_options *o, int num, const char *const *options, struct nvrtc_text *log)
{
	for (int i = 0; i < num; i++) {
		const char *given = options[i], *v;
		const struct option *t;
		nvrtcResult r;

		if (!given)
			return NVRTC_ERROR_INVALID_INPUT;
		while (*given == ' ')
			given++;
		t = find(given, &v);
		if (!t) {
			nvrtc_say(log, "nvrtc: error: unknown option: %s\n", given);
			return NVRTC_ERROR_INVALID_OPTION;
		}
		if (*v == '=')
			v++;
		else if (t->value && !*v && i + 1 < num)
			v = options[++i];
		while (v && *v == ' ')
			v++;
		r = !v || (t->value && !*v) ? NVRTC_ERROR_INVALID_OPTION : apply(o, t, v);
		if (r) {
			nvrtc_say(log, "nvrtc: error: %s: %s\n", given, t->what == REFUSE ? t->clang :
				  r == NVRTC_ERROR_OUT_OF_MEMORY ? "no memory" : "the value is missing or wrong");
			return r;
		}
	}
	return NVRTC_SUCCESS;
}
