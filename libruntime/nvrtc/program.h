/* SPDX-License-Identifier: MIT */
/* What the files of libnvrtc share. */
#ifndef PPU_NVRTC_PROGRAM_H
#define PPU_NVRTC_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include <nvrtc.h>

struct nvrtc_text {
	char *data;		/* ends with a NUL that `bytes` does not count */
	size_t bytes;
};

struct nvrtc_header {
	char *name, *text;
};

struct nvrtc_name {
	char *expression, *lowered;
};

struct _nvrtcProgram {
	unsigned int magic;
	char *src, *name;
	struct nvrtc_header *headers;
	int num_headers;
	struct nvrtc_name *names;
	int num_names;
	bool compiled;		/* nvrtcCompileProgram() was called, whatever came of it */
	struct nvrtc_text log, ptx, cubin;
};

/* What the options mean for clang, and for ppu-cc. */
struct nvrtc_options {
	char **argv;		/* for clang */
	int argc;
	bool cubin, relocatable, device_default, no_source_include;
	char *max_regs;		/* NULL: none given */
};

nvrtcResult nvrtc_options_parse(struct nvrtc_options *o, int num, const char *const *options, struct nvrtc_text *log);
nvrtcResult nvrtc_options_add(struct nvrtc_options *o, const char *a, const char *b);
void nvrtc_options_free(struct nvrtc_options *o);

/* Compiles, and fills in the log, the outputs and the lowered names. */
nvrtcResult nvrtc_compile(nvrtcProgram p, const struct nvrtc_options *o);

/* Adds a line to a text.  False: no memory. */
bool nvrtc_say(struct nvrtc_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void nvrtc_text_free(struct nvrtc_text *t);

/*
 * Runs a program; what it says goes to the end of a file.  Its status, or -1: it is not there.  A caller that ignores
 * SIGCHLD, or waits for all children itself, takes the status away: then `output`, which is new, tells how it ended.
 */
int nvrtc_run(char **argv, const char *log, const char *output);

/* Has the text a launch, which clang does not take in device code? */
bool nvrtc_has_launch(const char *text);
/* Writes the launches of a file in the form that clang takes.  dir: for a file that is in the way for a moment. */
nvrtcResult nvrtc_show_launches(nvrtcProgram p, const char *path, const char *sdk, const char *dir);

/* The directory for clang --cuda-path, PPU_CUDA_PATH or the one beside this library, in a buffer of PATH_MAX bytes.  False: it is not there. */
bool nvrtc_sdk(char *path);

#endif
