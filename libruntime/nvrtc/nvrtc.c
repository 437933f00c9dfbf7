/* SPDX-License-Identifier: MIT */
/* libnvrtc's functions: programs, their inputs and their outputs.  compile.c does the work. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvrtc/program.h"

#define EXPORT __attribute__((visibility("default")))
#define MAGIC 0x6e767274u

/* Versions of CUDA by the library's name; the build makes three libraries. */
#ifndef NVRTC_MAJOR
#define NVRTC_MAJOR 12
#endif
#define MINOR (NVRTC_MAJOR == 11 ? 2 : NVRTC_MAJOR == 12 ? 8 : 0)

static const int archs[] = { 50, 52, 53, 60, 61, 62, 70, 72, 75 };

bool nvrtc_say(struct nvrtc_text *t, const char *format, ...)
{
	va_list list;
	char *line, *data;
	int n;

	va_start(list, format);
	n = vasprintf(&line, format, list);
	va_end(list);
	if (n < 0)
		return false;
	data = realloc(t->data, t->bytes + (size_t)n + 1);
	if (data) {
		memcpy(data + t->bytes, line, (size_t)n + 1);
		t->data = data;
		t->bytes += (size_t)n;
	}
	free(line);
	return data;
}

void nvrtc_text_free(struct nvrtc_text *t)
{
	free(t->data);
	*t = (struct nvrtc_text){ 0 };
}

EXPORT const char *nvrtcGetErrorString(nvrtcResult result)
{
	switch (result) {
#define NAME(name, number) case NVRTC_##name: return "NVRTC_" #name;
	NVRTC_RESULTS(NAME)
#undef NAME
	}
	return "NVRTC_ERROR unknown";
}

EXPORT nvrtcResult nvrtcVersion(int *major, int *minor)
{
	if (!major || !minor)
		return NVRTC_ERROR_INVALID_INPUT;
	*major = NVRTC_MAJOR;
	*minor = MINOR;
	return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetNumSupportedArchs(int *num)
{
	if (!num)
		return NVRTC_ERROR_INVALID_INPUT;
	*num = (int)(sizeof(archs) / sizeof(archs[0]));
	return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetSupportedArchs(int *list)
{
	if (!list)
		return NVRTC_ERROR_INVALID_INPUT;
	memcpy(list, archs, sizeof(archs));
	return NVRTC_SUCCESS;
}

/* ---- programs ------------------------------------------------------------------------------- */

static void drop(nvrtcProgram p)
{
	for (int i = 0; i < p->num_headers; i++) {
		free(p->headers[i].name);
		free(p->headers[i].text);
	}
	for (int i = 0; i < p->num_names; i++) {
		free(p->names[i].expression);
		free(p->names[i].lowered);
	}
	free(p->headers);
	free(p->names);
	free(p->src);
	free(p->name);
	nvrtc_text_free(&p->log);
	nvrtc_text_free(&p->ptx);
	nvrtc_text_free(&p->cubin);
	/* A plain store to what is freed next is one that the compiler leaves out. */
	*(volatile unsigned *)&p->magic = 0;
	free(p);
}

/* Headers become files of a directory: their names must stay in it. */
static bool name_ok(const char *name)
{
	const char *up = strstr(name, "..");

	if (!*name || *name == '/' || name[strlen(name) - 1] == '/')
		return false;
	for (; up; up = strstr(up + 1, ".."))
		if ((up == name || up[-1] == '/') && (!up[2] || up[2] == '/'))
			return false;
	return true;
}

EXPORT nvrtcResult nvrtcCreateProgram(nvrtcProgram *prog, const char *src, const char *name, int num_headers,
				      const char *const *headers, const char *const *names)
{
	nvrtcProgram p;

	if (!prog || !src || num_headers < 0 || (num_headers && (!headers || !names)))
		return NVRTC_ERROR_INVALID_INPUT;
	for (int i = 0; i < num_headers; i++)
		if (!headers[i] || !names[i] || !name_ok(names[i]))
			return NVRTC_ERROR_INVALID_INPUT;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NVRTC_ERROR_OUT_OF_MEMORY;
	p->magic = MAGIC;
	p->src = strdup(src);
	p->name = strdup(name && *name ? name : "default_program");
	p->headers = calloc((size_t)num_headers + 1, sizeof(*p->headers));
	for (; p->headers && p->num_headers < num_headers; p->num_headers++) {
		struct nvrtc_header *h = &p->headers[p->num_headers];

		h->name = strdup(names[p->num_headers]);
		h->text = strdup(headers[p->num_headers]);
		if (!h->name || !h->text) {
			p->num_headers++;
			drop(p);
			return NVRTC_ERROR_OUT_OF_MEMORY;
		}
	}
	if (!p->src || !p->name || !p->headers) {
		drop(p);
		return NVRTC_ERROR_OUT_OF_MEMORY;
	}
	*prog = p;
	return NVRTC_SUCCESS;
}

static bool valid(nvrtcProgram p)
{
	return p && p->magic == MAGIC;
}

EXPORT nvrtcResult nvrtcDestroyProgram(nvrtcProgram *prog)
{
	if (!prog || !valid(*prog))
		return NVRTC_ERROR_INVALID_PROGRAM;
	drop(*prog);
	*prog = NULL;
	return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcAddNameExpression(nvrtcProgram p, const char *expression)
{
	struct nvrtc_name *names;

	if (!valid(p))
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (!expression)
		return NVRTC_ERROR_INVALID_INPUT;
	if (p->compiled)
		return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
	names = realloc(p->names, ((size_t)p->num_names + 1) * sizeof(*names));
	if (!names)
		return NVRTC_ERROR_OUT_OF_MEMORY;
	p->names = names;
	names[p->num_names] = (struct nvrtc_name){ .expression = strdup(expression) };
	if (!names[p->num_names].expression)
		return NVRTC_ERROR_OUT_OF_MEMORY;
	p->num_names++;
	return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int num_options, const char *const *options)
{
	struct nvrtc_options o = { 0 };
	nvrtcResult r;

	if (!valid(p))
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (num_options < 0 || (num_options && !options))
		return NVRTC_ERROR_INVALID_INPUT;
	p->compiled = true;
	nvrtc_text_free(&p->log);
	nvrtc_text_free(&p->ptx);
	nvrtc_text_free(&p->cubin);
	for (int i = 0; i < p->num_names; i++) {
		free(p->names[i].lowered);
		p->names[i].lowered = NULL;
	}
	r = nvrtc_options_parse(&o, num_options, options, &p->log);
	if (!r)
		r = nvrtc_compile(p, &o);
	nvrtc_options_free(&o);
	if (r) {
		nvrtc_text_free(&p->ptx);
		nvrtc_text_free(&p->cubin);
	}
	return r;
}

/* ---- outputs -------------------------------------------------------------------------------- */

EXPORT nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *bytes)
{
	if (!valid(p))
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (!bytes)
		return NVRTC_ERROR_INVALID_INPUT;
	*bytes = p->log.bytes + 1;
	return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *log)
{
	if (!valid(p))
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (!log)
		return NVRTC_ERROR_INVALID_INPUT;
	memcpy(log, p->log.data ? p->log.data : "", p->log.bytes + 1);
	return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetLoweredName(nvrtcProgram p, const char *expression, const char **lowered)
{
	if (!valid(p))
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (!expression || !lowered)
		return NVRTC_ERROR_INVALID_INPUT;
	if (!p->ptx.data)
		return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
	for (int i = 0; i < p->num_names; i++) {
		if (strcmp(p->names[i].expression, expression) == 0 && p->names[i].lowered) {
			*lowered = p->names[i].lowered;
			return NVRTC_SUCCESS;
		}
	}
	return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

/* May somebody ask for the size of an output, and is there a place for the answer? */
static nvrtcResult has_outputs(nvrtcProgram p, const size_t *bytes)
{
	if (!valid(p))
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (!bytes)
		return NVRTC_ERROR_INVALID_INPUT;
	if (!p->ptx.data)
		return NVRTC_ERROR_INVALID_PROGRAM;
	return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *bytes)
{
	nvrtcResult r = has_outputs(p, bytes);

	if (!r)
		*bytes = p->ptx.bytes + 1;
	return r;
}

EXPORT nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *ptx)
{
	size_t bytes;
	nvrtcResult r = nvrtcGetPTXSize(p, &bytes);

	if (r)
		return r;
	if (!ptx)
		return NVRTC_ERROR_INVALID_INPUT;
	memcpy(ptx, p->ptx.data, bytes);
	return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *bytes)
{
	nvrtcResult r = has_outputs(p, bytes);

	if (!r)
		*bytes = p->cubin.bytes;
	return r;
}

EXPORT nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *cubin)
{
	size_t bytes;
	nvrtcResult r = nvrtcGetCUBINSize(p, &bytes);

	if (r)
		return r;
	if (!bytes)
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (!cubin)
		return NVRTC_ERROR_INVALID_INPUT;
	memcpy(cubin, p->cubin.data, bytes);
	return NVRTC_SUCCESS;
}

#define NONE(what) \
EXPORT nvrtcResult nvrtcGet##what##Size(nvrtcProgram p, size_t *bytes) \
{ \
	if (!valid(p)) \
		return NVRTC_ERROR_INVALID_PROGRAM; \
	if (!bytes) \
		return NVRTC_ERROR_INVALID_INPUT; \
	*bytes = 0; \
	return NVRTC_SUCCESS; \
} \
EXPORT nvrtcResult nvrtcGet##what(nvrtcProgram p, char *data) \
{ \
	return NVRTC_ERROR_INVALID_PROGRAM; \
}
NONE(NVVM)
NONE(LTOIR)
NONE(OptiXIR)
