/* SPDX-License-Identifier: MIT */
/*
 * libnvJitLink: kernels of several inputs, of each kind, become one image that runs; what cannot be linked is refused with
 * a sentence; damaged inputs do no harm.
 */
#include <elf.h>
#include <unistd.h>

#include <ppu_image.h>
#include "cuda/nvJitLink.h"
#include "cuda_test.h"
#include "run_suite.h"

static const char caller_ptx[] = PTX_HEAD
	".extern .func (.param .b32 r) twice(.param .b32 a);\n"
	".visible .entry k(.param .u64 p, .param .u32 v)\n{\n.reg .b64 %rd<2>; .reg .b32 %r<3>;\n"
	"ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [v];\n"
	"{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call.uni (r), twice, (a); ld.param.b32 %r2, [r]; }\n"
	"st.global.u32 [%rd1], %r2; ret;\n}\n";
static const char callee_ptx[] = PTX_HEAD
	".extern .func (.param .b32 r) once(.param .b32 a);\n"
	".visible .func (.param .b32 r) twice(.param .b32 a)\n{\n.reg .b32 %r<3>;\n"
	"ld.param.b32 %r1, [a]; { .param .b32 x; .param .b32 y; st.param.b32 [x], %r1; call.uni (y), once, (x);\n"
	"ld.param.b32 %r1, [y]; } add.u32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret;\n}\n";
static const char last_ptx[] = PTX_HEAD
	".visible .func (.param .b32 r) once(.param .b32 a)\n{\n.reg .b32 %r<3>;\n"
	"ld.param.b32 %r1, [a]; add.u32 %r2, %r1, 1000; st.param.b32 [r], %r2; ret;\n}\n";

static nvJitLinkHandle h;
static char text[4096];

#define GOOD(call) ck_assert_msg((call) == NVJITLINK_SUCCESS, "%s: %s", #call, errors())
#define GIVES(want, call) ck_assert_int_eq(call, NVJITLINK_ERROR_##want)

static const char *log_of(nvJitLinkResult (*size)(nvJitLinkHandle, size_t *), nvJitLinkResult (*get)(nvJitLinkHandle, char *))
{
	size_t n = 99;

	strcpy(text, "");
	ck_assert_int_eq(size(h, &n), NVJITLINK_SUCCESS);
	ck_assert_uint_lt(n, sizeof(text));
	ck_assert_int_eq(get(h, text), NVJITLINK_SUCCESS);
	ck_assert_uint_eq(n, *text ? strlen(text) + 1 : 0);
	return text;
}

static const char *errors(void)
{
	return log_of(nvJitLinkGetErrorLogSize, nvJitLinkGetErrorLog);
}

static const char *infos(void)
{
	return log_of(nvJitLinkGetInfoLogSize, nvJitLinkGetInfoLog);
}

static void start(const char *more)
{
	const char *options[] = { "-arch=sm_75", more };

	ck_assert_int_eq(nvJitLinkCreate(&h, more ? 2 : 1, options), NVJITLINK_SUCCESS);
}

/* Links, loads the result and runs kernel k with a number. */
static unsigned int result(unsigned int v)
{
	CUdeviceptr p;
	size_t bytes;
	uint32_t out;
	void *image;

	GOOD(nvJitLinkComplete(h));
	GOOD(nvJitLinkGetLinkedCubinSize(h, &bytes));
	image = malloc(bytes);
	GOOD(nvJitLinkGetLinkedCubin(h, image));
	OK(cuInit(0));
	OK(cuCtxCreate_v2(&ctx, 0, 0));
	OK(cuModuleLoadData(&mod, image));
	free(image);
	OK(cuMemAlloc_v2(&p, 4));
	run(function("k"), p, v, NULL);
	OK(cuMemcpyDtoH_v2(&out, p, 4));
	OK(cuCtxDestroy_v2(ctx));
	GOOD(nvJitLinkDestroy(&h));
	ck_assert_ptr_null(h);
	return out;
}

/* ---- inputs of each kind -------------------------------------------------------------------------- */

static uint8_t input[1 << 16];

static size_t put_image(const char *ptx)
{
	struct ppu_image *img;
	struct ppu_log log;
	uint8_t *bytes;
	size_t len;

	ppu_log_init(&log);
	ck_assert_int_eq(ppu_ptx_compile(ptx, strlen(ptx), NULL, NULL, &img, &log), 0);
	ck_assert_int_eq(ppu_image_write(img, &bytes, &len), 0);
	memcpy(input, bytes, len);
	free(bytes);
	ppu_image_free(img);
	ppu_log_free(&log);
	return len;
}

/* A fat binary with one entry, PTX for `arch`; its size is a multiple of 8. */
static size_t put_fatbin(uint8_t *to, const char *ptx, uint32_t arch)
{
	struct {
		uint32_t magic;
		uint16_t version, header_bytes;
		uint64_t bytes;
		uint16_t kind, attribute;
		uint32_t entry_header;
		uint64_t payload;
		uint32_t packed, unknown;
		uint16_t minor, major;
		uint32_t arch, name_offset, name_bytes;
		uint64_t flags, zero, plain;
	} f = { 0xba55ed50, 1, 16, 0, 1, 0, 64, (strlen(ptx) + 8) & ~7ull, 0, 0, 0, 6, arch, 0, 0, 0, 0, 0 };

	f.bytes = 64 + f.payload;
	ck_assert_uint_eq(sizeof(f), 80);
	memcpy(to, &f, sizeof(f));
	memset(to + sizeof(f), 0, f.payload);
	memcpy(to + sizeof(f), ptx, strlen(ptx));
	return sizeof(f) + f.payload;
}

/* An object for the host: sections without a name, with code, with something else, and with names. */
static size_t put_object(uint8_t *to, const char *section, const char *a, const char *b)
{
	Elf64_Ehdr e = { .e_type = ET_REL, .e_machine = EM_X86_64, .e_shoff = sizeof(e), .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shnum = 4, .e_shstrndx = 3 };
	Elf64_Shdr s[4] = { { 0 }, { .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = sizeof(e) + sizeof(s) },
			    { .sh_name = 40, .sh_type = SHT_PROGBITS, .sh_offset = 0, .sh_size = 64 },
			    { .sh_name = 50, .sh_type = SHT_STRTAB, .sh_size = 64 } };
	size_t at = sizeof(e) + sizeof(s);

	memcpy(e.e_ident, ELFMAG, SELFMAG);
	e.e_ident[EI_CLASS] = ELFCLASS64;
	at += put_fatbin(to + at, a, 75);
	if (b) {
		memset(to + at, 0, 16);		/* padding between them */
		at += 16 + put_fatbin(to + at + 16, b, 75);
	}
	s[1].sh_size = at - s[1].sh_offset;
	s[3].sh_offset = at;
	memset(to + at, 0, 64);
	strcpy((char *)to + at + 1, section);
	strcpy((char *)to + at + 40, ".text");
	memcpy(to, &e, sizeof(e));
	memcpy(to + sizeof(e), s, sizeof(s));
	return at + 64;
}

static size_t put_member(uint8_t *to, const char *name, size_t bytes)
{
	char head[61];

	snprintf(head, sizeof(head), "%-16s%-12d%-6d%-6d%-8s%-10zu`\n", name, 0, 0, 0, "644", bytes);
	memcpy(to, head, 60);
	return 60;
}

static size_t put_archive(void)
{
	size_t at = 8, n;

	memcpy(input, "!<arch>\n", 8);
	at += put_member(input + at, "/", 3);		/* an index, of odd size */
	memcpy(input + at, "ab\0\n", 4);
	at += 4;
	n = put_object(input + at + 60, "__nv_relfatbin", callee_ptx, NULL);
	at += put_member(input + at, "callee.o/", n) + n;
	n = put_object(input + at + 60, ".nv_fatbin", last_ptx, NULL);
	at += put_member(input + at, "last.o/", n) + n;
	return at;
}

#define ADD_PTX(t) GOOD(nvJitLinkAddData(h, NVJITLINK_INPUT_PTX, t, strlen(t), #t))

START_TEST(inputs_of_each_kind)
{
	for (unsigned kind = 0; kind < 5; kind++)
		for (unsigned any = 0; any < 2; any++) {
			static const nvJitLinkInputType types[] = { NVJITLINK_INPUT_PTX, NVJITLINK_INPUT_CUBIN,
				NVJITLINK_INPUT_FATBIN, NVJITLINK_INPUT_OBJECT, NVJITLINK_INPUT_LIBRARY };
			size_t n;

			start(NULL);
			ADD_PTX(caller_ptx);
			switch (kind) {
			case 0:	n = strlen(strcpy((char *)input, callee_ptx)) + any; break;	/* a NUL at the end may count */
			case 1:	n = put_image(callee_ptx); break;
			case 2:	n = put_fatbin(input, callee_ptx, 60); break;
			case 3:	n = put_object(input, "__nv_relfatbin", callee_ptx, last_ptx); break;
			default: n = put_archive();
			}
			GOOD(nvJitLinkAddData(h, any ? NVJITLINK_INPUT_ANY : types[kind], input, n, "input"));
			if (kind < 3)
				ADD_PTX(last_ptx);
			ck_assert_uint_eq(result(7), 2 * 1007);
		}
}
END_TEST

START_TEST(files)
{
	char path[] = "/tmp/nvjitlink-XXXXXX";
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, callee_ptx, strlen(callee_ptx)), (ssize_t)strlen(callee_ptx));
	close(fd);
	start("-maxrregcount=32");
	GOOD(nvJitLinkAddFile(h, NVJITLINK_INPUT_LIBRARY, "/no/such/libcudadevrt.a"));
	GOOD(nvJitLinkAddFile(h, NVJITLINK_INPUT_PTX, path));
	unlink(path);
	ADD_PTX(caller_ptx);
	ADD_PTX(last_ptx);
	ck_assert_uint_eq(result(1), 2 * 1001);
	start(NULL);
	GIVES(INVALID_INPUT, nvJitLinkAddFile(h, NVJITLINK_INPUT_PTX, "/no/such.ptx"));
	ck_assert_str_eq(errors(), "/no/such.ptx: error: No such file or directory\n");
	GOOD(nvJitLinkDestroy(&h));
}
END_TEST

START_TEST(options)
{
	static const struct { nvJitLinkResult result; const char *option; } t[] = {
		{ NVJITLINK_SUCCESS, "-arch=compute_90a" }, { NVJITLINK_SUCCESS, "--arch=sm_100f" }, { NVJITLINK_SUCCESS, "-O3" },
		{ NVJITLINK_SUCCESS, "-lto" }, { NVJITLINK_SUCCESS, "-g" }, { NVJITLINK_SUCCESS, "-lineinfo" },
		{ NVJITLINK_SUCCESS, "-split-compile" }, { NVJITLINK_SUCCESS, "-split-compile=2" },
		{ NVJITLINK_SUCCESS, "-Xptxas=-v" }, { NVJITLINK_SUCCESS, "-ftz=true" }, { NVJITLINK_SUCCESS, "-maxrregcount=255" },
		{ NVJITLINK_SUCCESS, "-kernels-used=k" },
		{ NVJITLINK_ERROR_UNRECOGNIZED_OPTION, "-arch=sm_7" }, { NVJITLINK_ERROR_UNRECOGNIZED_OPTION, "-arch=75" },
		{ NVJITLINK_ERROR_UNRECOGNIZED_OPTION, "-arch=sm_75x" }, { NVJITLINK_ERROR_UNRECOGNIZED_OPTION, "-arch" },
		{ NVJITLINK_ERROR_UNRECOGNIZED_OPTION, "-maxrregcount=256" }, { NVJITLINK_ERROR_UNRECOGNIZED_OPTION, "-maxrregcount=x" },
		{ NVJITLINK_ERROR_UNRECOGNIZED_OPTION, "-maxrregcount=-1" }, { NVJITLINK_ERROR_UNRECOGNIZED_OPTION, "-ftz" },
		{ NVJITLINK_ERROR_UNRECOGNIZED_OPTION, "-lto=1" }, { NVJITLINK_ERROR_UNRECOGNIZED_OPTION, "-O4" },
		{ NVJITLINK_ERROR_UNRECOGNIZED_OPTION, "-ftz=" }, { NVJITLINK_ERROR_UNRECOGNIZED_OPTION, "verbose" },
		{ NVJITLINK_ERROR_UNRECOGNIZED_OPTION, "-" }, { NVJITLINK_ERROR_UNRECOGNIZED_OPTION, "" },
		{ NVJITLINK_ERROR_UNRECOGNIZED_OPTION, NULL },
	};
	const char *o[2] = { "-arch=sm_75", NULL };
	unsigned int major, minor;

	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		o[1] = t[i].option;
		h = NULL;
		ck_assert_msg(nvJitLinkCreate(&h, 2, o) == t[i].result, "%s", t[i].option);
		ck_assert(!h == !!t[i].result);
		if (h)
			GOOD(nvJitLinkDestroy(&h));
	}
	GIVES(MISSING_ARCH, nvJitLinkCreate(&h, 0, NULL));
	o[1] = "-O2";
	GIVES(MISSING_ARCH, nvJitLinkCreate(&h, 1, o + 1));
	GIVES(INVALID_INPUT, nvJitLinkCreate(NULL, 1, o));
	GIVES(INVALID_INPUT, nvJitLinkCreate(&h, 1, NULL));
	GIVES(INVALID_INPUT, nvJitLinkVersion(&major, NULL));
	GOOD(nvJitLinkVersion(&major, &minor));
	ck_assert_uint_eq(major, 12);
}
END_TEST

START_TEST(the_log_tells_of_kernels)
{
	size_t n;

	start("-verbose");
	GIVES(INVALID_INPUT, nvJitLinkGetLinkedCubinSize(h, &n));	/* nothing was linked yet */
	GIVES(INVALID_INPUT, nvJitLinkGetLinkedCubin(h, text));
	ADD_PTX(caller_ptx);
	ADD_PTX(callee_ptx);
	ADD_PTX(last_ptx);
	GOOD(nvJitLinkComplete(h));
	ck_assert_msg(!strncmp(infos(), "k: ", 3) && strstr(text, " registers, 0 bytes of shared memory, ") &&
		      strstr(text, " 12 of parameters\n"), "%s", text);
	ck_assert_str_eq(errors(), "");
	GIVES(INVALID_INPUT, nvJitLinkComplete(h));			/* once is enough */
	GIVES(INVALID_INPUT, nvJitLinkAddData(h, NVJITLINK_INPUT_PTX, last_ptx, strlen(last_ptx), "x"));
	GIVES(INVALID_INPUT, nvJitLinkGetLinkedPtxSize(h, &n));
	GIVES(INVALID_INPUT, nvJitLinkGetLinkedPtx(h, text));
	GOOD(nvJitLinkDestroy(&h));
	GIVES(INVALID_INPUT, nvJitLinkDestroy(&h));
	GIVES(INVALID_INPUT, nvJitLinkComplete(h));
	GIVES(INVALID_INPUT, nvJitLinkGetErrorLogSize(h, &n));
}
END_TEST

/* Each mistake has its number and its sentence, and ends the linking. */
START_TEST(refused)
{
	static const uint8_t cubin[64] = "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\276", other[64] = "\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\1\0\3",
			     lto[16] = "BC\xc0\xde", wrapper[24] = "\xb1\x43\x62\x46\1";
#define TEXT(s) s, sizeof(s) - 1
#define DATA(d) d, sizeof(d)
	static const struct {
		nvJitLinkInputType type;
		const void *data;
		size_t bytes;
		nvJitLinkResult result;
		const char *says;
	} t[] = {
		{ NVJITLINK_INPUT_PTX, TEXT(PTX_HEAD ".entry k()\n{ frob; }\n"), NVJITLINK_ERROR_PTX_COMPILE, "in:5:3: error: " },
		{ NVJITLINK_INPUT_PTX, TEXT("nonsense"), NVJITLINK_ERROR_PTX_COMPILE, "in:1:1: error: " },
		{ NVJITLINK_INPUT_CUBIN, DATA(cubin), NVJITLINK_ERROR_INVALID_INPUT, "in: error: this is machine code of another GPU" },
		{ NVJITLINK_INPUT_ANY, DATA(cubin), NVJITLINK_ERROR_INVALID_INPUT, "in: error: this is machine code of another GPU" },
		{ NVJITLINK_INPUT_CUBIN, TEXT(callee_ptx), NVJITLINK_ERROR_INVALID_INPUT, "in: error: this is PTX, not a binary\n" },
		{ NVJITLINK_INPUT_OBJECT, DATA(other), NVJITLINK_ERROR_INVALID_INPUT, "in: error: this is no object for this machine" },
		{ NVJITLINK_INPUT_LTOIR, DATA(lto), NVJITLINK_ERROR_UNRECOGNIZED_INPUT, "in: error: this linker takes no LTO IR" },
		{ NVJITLINK_INPUT_ANY, DATA(lto), NVJITLINK_ERROR_UNRECOGNIZED_INPUT, "in: error: this linker takes no LTO IR" },
		{ NVJITLINK_INPUT_ANY, DATA(wrapper), NVJITLINK_ERROR_INVALID_INPUT, "in: error: this is the description of a fat" },
		{ NVJITLINK_INPUT_FATBIN, DATA(wrapper), NVJITLINK_ERROR_INVALID_INPUT, "in: error: this is the description of a fat" },
		{ NVJITLINK_INPUT_ANY, TEXT("!<arch>\nx"), NVJITLINK_ERROR_FINALIZE, "" },
	};

	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		nvJitLinkResult r;

		start(NULL);
		r = nvJitLinkAddData(h, t[i].type, t[i].data, t[i].bytes, "in");
		if (t[i].result == NVJITLINK_ERROR_FINALIZE) {	/* an archive of nothing */
			ck_assert_int_eq(r, NVJITLINK_SUCCESS);
		} else {
			ck_assert_msg(r == t[i].result, "%u: %d: %s", i, r, errors());
			ck_assert_msg(!strncmp(errors(), t[i].says, strlen(t[i].says)), "%u: %s", i, text);
			ck_assert_int_eq(nvJitLinkAddData(h, NVJITLINK_INPUT_PTX, last_ptx, strlen(last_ptx), "x"), r);
			ck_assert_int_eq(nvJitLinkComplete(h), r);
			ck_assert_str_eq(infos(), "");
		}
		GOOD(nvJitLinkDestroy(&h));
	}
	start(NULL);
	ADD_PTX(caller_ptx);
	GIVES(FINALIZE, nvJitLinkComplete(h));
	ck_assert_msg(strstr(errors(), "twice"), "%s", text);
	GOOD(nvJitLinkDestroy(&h));
	start(NULL);
	ADD_PTX(last_ptx);
	GIVES(INVALID_INPUT, nvJitLinkAddData(h, NVJITLINK_INPUT_PTX, last_ptx, strlen(last_ptx), "again"));
	ck_assert_msg(strstr(errors(), "once"), "%s", text);
	GOOD(nvJitLinkDestroy(&h));
	start("-ptx");
	ADD_PTX(last_ptx);
	GIVES(NVVM_COMPILE, nvJitLinkComplete(h));
	ck_assert_msg(strstr(errors(), "-ptx"), "%s", text);
	GOOD(nvJitLinkDestroy(&h));
	start(NULL);
	GIVES(UNRECOGNIZED_INPUT, nvJitLinkAddData(h, NVJITLINK_INPUT_NONE, last_ptx, 3, "x"));
	GIVES(UNRECOGNIZED_INPUT, nvJitLinkAddData(h, NVJITLINK_INPUT_INDEX, last_ptx, 3, "x"));
	GIVES(INVALID_INPUT, nvJitLinkAddData(h, NVJITLINK_INPUT_PTX, NULL, 3, "x"));
	GIVES(INVALID_INPUT, nvJitLinkAddData(h, NVJITLINK_INPUT_PTX, last_ptx, 0, "x"));
	GOOD(nvJitLinkDestroy(&h));
}
END_TEST

/* Objects and archives that end too early, or have any word replaced, are refused or taken, and nothing else happens. */
START_TEST(damaged)
{
	for (unsigned kind = 0; kind < 2; kind++) {
		size_t n = kind ? put_archive() : put_object(input, "__nv_relfatbin", "x", "y"), step = kind ? 37 : 1, at;
		uint8_t *copy;

		for (at = 20; at < n; at += step) {
			copy = malloc(at);		/* so that sanitizers know its end */
			memcpy(copy, input, at);
			start(NULL);
			nvJitLinkAddData(h, NVJITLINK_INPUT_ANY, copy, at, "in");
			GOOD(nvJitLinkDestroy(&h));
			free(copy);
		}
		copy = malloc(n);
		for (at = 8; at + 4 <= (kind ? 200 : n); at += 2)
			for (unsigned v = 0; v < 2; v++) {
				memcpy(copy, input, n);
				memset(copy + at, v ? 0x7f : 0xff, 4);
				start(NULL);
				nvJitLinkAddData(h, NVJITLINK_INPUT_ANY, copy, n, "in");
				GOOD(nvJitLinkDestroy(&h));
			}
		free(copy);
	}
}
END_TEST

int main(void)
{
	Suite *su = suite_create("nvjitlink");
	TCase *t = tcase_create("nvjitlink");

	setenv("PPU_BACKEND", "core", 1);
	tcase_set_timeout(t, 120);
	tcase_add_test(t, inputs_of_each_kind);
	tcase_add_test(t, files);
	tcase_add_test(t, options);
	tcase_add_test(t, the_log_tells_of_kernels);
	tcase_add_test(t, refused);
	tcase_add_test(t, damaged);
	suite_add_tcase(su, t);
	return run_suite(su);
}
