/* SPDX-License-Identifier: MIT */
/*
 * libnvrtc's work: the source and its headers become files of a directory that lives as long as the compilation, clang
 * makes PTX of them, and ppu-cc an image of the PTX.
 *
 * Lowered names: behind the source, a variable for each name expression is set to its address. So a template is
 * instantiated, and the PTX says what the thing is called; the variables are then taken out of the PTX.
 */
#include <dlfcn.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nvrtc/program.h"

#define VARIABLE "ppu_nvrtc_name_"

/* Where everything is. */
struct work {
	char sdk[PATH_MAX], dir[64];
	char source[128], headers[128], ptx[128], cubin[128], log[128];
};

/* ---- files ---------------------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static bool write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");
	bool ok;

	if (!f)
		return false;
	ok = fputs(text, f) != EOF;
	return !fclose(f) && ok;
}

static nvrtcResult read_file(const char *path, struct nvrtc_text *t)
{
	FILE *f = fopen(path, "rbe");
	nvrtcResult r = NVRTC_ERROR_INTERNAL_ERROR;
	struct stat st;

	if (!f)
		return r;
	if (!fstat(fileno(f), &st)) {
		t->data = malloc((size_t)st.st_size + 1);
		if (!t->data)
			r = NVRTC_ERROR_OUT_OF_MEMORY;
		else
			t->bytes = fread(t->data, 1, (size_t)st.st_size, f);
		if (t->data && t->bytes == (size_t)st.st_size)
			r = NVRTC_SUCCESS;
		if (t->data)
			t->data[t->bytes] = 0;
	}
	fclose(f);
	return r;
}

/* Makes the directories that lead to a file below `dir`. */
static bool make_way(char *path, const char *dir)
{
	for (char *p = path + strlen(dir) + 1; (p = strchr(p, '/')); p++) {
		*p = 0;
		if (mkdir(path, 0700) && errno != EEXIST) {
			*p = '/';
			return false;
		}
		*p = '/';
	}
	return true;
}

static nvrtcResult write_headers(nvrtcProgram p, const struct work *w)
{
	nvrtcResult r = NVRTC_SUCCESS;

	for (int i = 0; !r && i < p->num_headers; i++) {
		char *path;

		if (asprintf(&path, "%s/%s", w->headers, p->headers[i].name) < 0)
			return NVRTC_ERROR_OUT_OF_MEMORY;
		if (!make_way(path, w->headers) || !write_file(path, p->headers[i].text)) {
			nvrtc_say(&p->log, "nvrtc: error: %s: %s\n", path, strerror(errno));
			r = NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
		}
		if (!r && nvrtc_has_launch(p->headers[i].text))
			r = nvrtc_show_launches(p, path, w->sdk, w->dir);
		free(path);
	}
	return r;
}

/* #line, so that messages have the name that the caller gave. */
static nvrtcResult write_source(nvrtcProgram p, const struct nvrtc_options *o, const struct work *w)
{
	struct nvrtc_text t = { 0 };
	nvrtcResult r = NVRTC_SUCCESS;
	bool ok = true;

	if (o->device_default)
		ok = nvrtc_say(&t, "#pragma clang force_cuda_host_device begin\n");
	/* A host program may set constants of its module that this source leaves 0, static ones too: clang must not take them for
	 * known. */
	ok = ok && nvrtc_say(&t, "#undef __constant__\n#define __constant__ __attribute__((constant)) __attribute__((used))\n");
	/* assert() needs no header.  What it calls is declared by clang's own headers for CUDA. */
	ok = ok && nvrtc_say(&t, "#ifdef NDEBUG\n#define assert(e) ((void)0)\n#else\n"
			     "#define assert(e) ((e) ? (void)0 : __assert_fail(#e, __FILE__, __LINE__, __func__))\n#endif\n");
	ok = ok && nvrtc_say(&t, "#line 1 \"");
	for (const char *c = p->name; ok && *c; c++)
		ok = nvrtc_say(&t, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c == '\n' ? ' ' : *c);
	ok = ok && nvrtc_say(&t, "\"\n%s\n", p->src);
	if (o->device_default)
		ok = ok && nvrtc_say(&t, "#pragma clang force_cuda_host_device end\n");
	for (int i = 0; i < p->num_names; i++)
		ok = ok && nvrtc_say(&t, "#line 1 \"name expression %s\"\n"
				     "extern \"C\" { __attribute__((device, used)) const void *" VARIABLE "%d = (const void *)(%s); }\n",
				     strpbrk(p->names[i].expression, "\"\\\n") ? "" : p->names[i].expression, i,
				     p->names[i].expression);
	if (!ok)
		r = NVRTC_ERROR_OUT_OF_MEMORY;
	else if (!write_file(w->source, t.data))
		r = NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
	else if (nvrtc_has_launch(p->src))
		r = nvrtc_show_launches(p, w->source, w->sdk, w->dir);
	nvrtc_text_free(&t);
	return r;
}

/* ---- programs that do the work -------------------------------------------------------------- */

bool nvrtc_sdk(char *path)
{
	static const char *const beside[] = { "..", "../../cuda" };	/* installed; in the build directory */
	const char *named = getenv("PPU_CUDA_PATH");
	char lib[PATH_MAX], try[PATH_MAX * 2];
	Dl_info info;
	char *slash;

	if (named && *named)
		return realpath(named, path);
	if (!dladdr((void *)nvrtc_sdk, &info) || !info.dli_fname || !realpath(info.dli_fname, lib))
		return false;
	slash = strrchr(lib, '/');
	if (slash)
		*slash = 0;
	for (unsigned int i = 0; i < 2; i++) {
		snprintf(try, sizeof(try), "%s/%s/nvvm/libdevice/libdevice.10.bc", lib, beside[i]);
		if (access(try, R_OK))
			continue;
		snprintf(try, sizeof(try), "%s/%s", lib, beside[i]);
		return realpath(try, path);
	}
	return false;
}

/* Adds a file's text to the log, without the directory that the user did not make. */
static void take_log(nvrtcProgram p, const char *path, const char *dir)
{
	struct nvrtc_text t = { 0 };
	size_t n = strlen(dir);
	const char *from, *at;

	if (!read_file(path, &t)) {
		for (from = t.data; (at = strstr(from, dir)); from = at + n + (at[n] == '/'))
			nvrtc_say(&p->log, "%.*s", (int)(at - from), from);
		nvrtc_say(&p->log, "%s", from);
	}
	nvrtc_text_free(&t);
}

/* ---- lowered names -------------------------------------------------------------------------- */

/*
 * Takes the line of a variable out of the PTX, and the name that it has been set to:
 *	.visible .global .align 8 .u64 ppu_nvrtc_name_0 = generic(_Z1x);
 */
static nvrtcResult take_name(struct nvrtc_text *ptx, int i, char **name)
{
	char variable[48], *line, *end, *from;

	snprintf(variable, sizeof(variable), " " VARIABLE "%d = ", i);
	from = strstr(ptx->data, variable);
	if (!from)
		return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
	line = from;
	while (line > ptx->data && line[-1] != '\n')
		line--;
	from += strlen(variable);
	if (!strncmp(from, "generic(", 8))
		from += 8;
	end = from + strcspn(from, ");+ \n");
	*name = strndup(from, (size_t)(end - from));
	end += strcspn(end, "\n");
	if (*end)
		end++;
	memmove(line, end, strlen(end) + 1);
	ptx->bytes = strlen(ptx->data);
	return *name ? NVRTC_SUCCESS : NVRTC_ERROR_OUT_OF_MEMORY;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static bool make_dir(struct work *w)
{
	const char *tmp = getenv("TMPDIR");

	if (!tmp || !*tmp || strlen(tmp) > 32)
		tmp = "/tmp";
	snprintf(w->dir, sizeof(w->dir), "%s/nvrtc-XXXXXX", tmp);
	if (!mkdtemp(w->dir))
		return false;
	snprintf(w->source, sizeof(w->source), "%s/source.cu", w->dir);
	snprintf(w->headers, sizeof(w->headers), "%s/headers", w->dir);
	snprintf(w->ptx, sizeof(w->ptx), "%s/ptx", w->dir);
	snprintf(w->cubin, sizeof(w->cubin), "%s/cubin", w->dir);
	snprintf(w->log, sizeof(w->log), "%s/log", w->dir);
	return !mkdir(w->headers, 0700);
}

/* The folder of the file whose name the caller gave: its headers are found there. */
static const char *folder_of(const char *name, char *folder)
{
	const char *slash = strrchr(name, '/');

	if (!slash || slash - name >= PATH_MAX)
		return ".";
	snprintf(folder, PATH_MAX, "%.*s", slash == name ? 1 : (int)(slash - name), name);
	return folder;
}

static nvrtcResult run_clang(nvrtcProgram p, const struct nvrtc_options *o, const struct work *w)
{
	const char *clang = getenv("CLANGXX");
	struct nvrtc_options all = { 0 };
	nvrtcResult r = NVRTC_SUCCESS;
	int status = 0, major, minor;
	char version[64], folder[PATH_MAX];

	if (!clang || !*clang)
		clang = "clang++";
	nvrtcVersion(&major, &minor);
	snprintf(version, sizeof(version), "%d", major);
#define ADD(a, b) (r = r ? r : nvrtc_options_add(&all, a, b))
	ADD(clang, "");
	ADD("-xcuda", "");
	ADD("--cuda-device-only", "");
	ADD("--cuda-gpu-arch=sm_75", "");
	ADD("--cuda-path=", w->sdk);
	ADD("-Wno-unknown-cuda-version", "");
	ADD("-std=c++17", "");
	ADD("-O3", "");
	ADD("-S", "");
	ADD("-fno-caret-diagnostics", "");
	ADD("-Wno-ignored-attributes", "");	/* of `extern __constant__` */
	ADD("-D__CUDACC_RTC__", "");
	ADD("-D__CUDACC_VER_MAJOR__=", version);
	snprintf(version, sizeof(version), "%d", minor);
	ADD("-D__CUDACC_VER_MINOR__=", version);
	if (o->relocatable)
		ADD("-fgpu-rdc", "");
	ADD("-I", w->headers);
	for (int i = 0; i < o->argc; i++)
		ADD(o->argv[i], "");
	if (!o->no_source_include)
		ADD("-I", folder_of(p->name, folder));
	ADD("-isystem", "");
	ADD(w->sdk, "/include");
	ADD("-o", "");
	ADD(w->ptx, "");
	ADD(w->source, "");
#undef ADD
	if (!r)
		status = nvrtc_run(all.argv, w->log, w->ptx);
	/* posix_spawnp() fails by itself or in the child: both mean that it is not there. */
	if (!r && (status == -1 || status == 127)) {
		nvrtc_say(&p->log, "nvrtc: error: %s is not there: install the package clang (Debian: apt install clang), or "
			  "name one in CLANGXX\n", clang);
		r = NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
	} else if (!r) {
		take_log(p, w->log, w->headers);
		r = status ? NVRTC_ERROR_COMPILATION : NVRTC_SUCCESS;
	}
	nvrtc_options_free(&all);
	return r;
}

static nvrtcResult run_ppu_cc(nvrtcProgram p, const struct nvrtc_options *o, const struct work *w)
{
	char program[PATH_MAX + 16], *argv[10];
	int n = 0, status;

	snprintf(program, sizeof(program), "%s/bin/ppu-cc", w->sdk);
	argv[n++] = program;
	if (o->relocatable)
		argv[n++] = "-c";
	if (o->max_regs) {
		argv[n++] = "--max-regs";
		argv[n++] = o->max_regs;
	}
	argv[n++] = "-o";
	argv[n++] = (char *)w->cubin;
	argv[n++] = (char *)w->ptx;
	argv[n] = NULL;
	unlink(w->log);
	status = nvrtc_run(argv, w->log, w->cubin);
	take_log(p, w->log, w->dir);
	if (status == -1 || status == 127) {
		nvrtc_say(&p->log, "nvrtc: error: %s is not there\n", program);
		return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
	}
	return status ? NVRTC_ERROR_COMPILATION : read_file(w->cubin, &p->cubin);
}

static nvrtcResult compile(nvrtcProgram p, const struct nvrtc_options *o, const struct work *w)
{
	nvrtcResult r = write_headers(p, w);

	if (!r)
		r = write_source(p, o, w);
	if (!r)
		r = run_clang(p, o, w);
	if (!r)
		r = read_file(w->ptx, &p->ptx);
	for (int i = 0; !r && i < p->num_names; i++)
		r = take_name(&p->ptx, i, &p->names[i].lowered);
	if (r || !o->cubin)
		return r;
	return write_file(w->ptx, p->ptx.data) ? run_ppu_cc(p, o, w) : NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
}

nvrtcResult nvrtc_compile(nvrtcProgram p, const struct nvrtc_options *o)
{
	struct work w;
	nvrtcResult r;

	if (!nvrtc_sdk(w.sdk)) {
		nvrtc_say(&p->log, "nvrtc: error: the directory build/cuda, or lib/ppu/cuda where the PPU is installed, is not "
			  "beside this library: name it in PPU_CUDA_PATH\n");
		return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
	}
	if (!make_dir(&w)) {
		nvrtc_say(&p->log, "nvrtc: error: %s: %s\n", w.dir, strerror(errno));
		return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
	}
	r = compile(p, o, &w);
	nftw(w.dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	return r;
}
