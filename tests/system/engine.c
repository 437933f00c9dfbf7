/* SPDX-License-Identifier: MIT */
/*
 * debugfs `engine`: a kernel that runs often becomes host code while it runs, its results stay right, and the file tells
 * of it.  In the guest.  TAP.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>
#include <ppu.h>

#define CTAS	64u
#define THREADS	64u
#define ROUNDS	400u		/* launches before we give up */

#define CHECK(cond) do { \
	if (!(cond)) { \
		printf("# line %d: %s\nnot ok - the engine's file\n", __LINE__, #cond); \
		exit(1); \
	} \
} while (0)
#define OK(call) CHECK((call) == PPU_SUCCESS)

static const char text[] =
	".kernel work\n.param out u64\n"
	"s2r r2, %tid.x\ns2r r3, %ctaid.x\nshl.u32 r3, r3, 6\nadd.u32 r2, r2, r3\nld.param.u64 rd10, [out]\n"
	"madw.u32 rd4, r2, 4, rd10\nmov.u32 r6, 0\nmov.u32 r7, 0\n"
	"loop: mad.u32 r7, r7, 3, r2\nadd.u32 r6, r6, 1\nsetp.lt.u32 p1, r6, 200\n@p1 bra loop\n"
	"st.global.u32 [rd4], r7\nexit\n";

static bool open_engine(char *buf, size_t size)
{
	char path[64];
	size_t n;
	FILE *f;

	for (int i = 0; i < 192; i++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%d/engine", i);
		f = fopen(path, "r");
		if (!f)
			continue;
		n = fread(buf, 1, size - 1, f);
		buf[n] = 0;
		fclose(f);
		return true;
	}
	return false;
}

static uint64_t value(const char *name)
{
	char buf[4096], *line, *rest = buf;

	CHECK(open_engine(buf, sizeof(buf)));
	while ((line = strsep(&rest, "\n"))) {
		size_t n = strlen(name);

		if (!strncmp(line, name, n) && line[n] == ' ')
			return strtoull(line + n, NULL, 10);
	}
	printf("# no %s in\n%s", name, buf);
	CHECK(false);
	return 0;
}

static void work(ppuFunction fn, uint32_t *out)
{
	void *params[] = { &out };

	memset(out, 0, 4 * CTAS * THREADS);
	OK(ppuLaunchKernel(fn, ppuDim(CTAS, 1, 1), ppuDim(THREADS, 1, 1), 0, NULL, params, NULL, 0));
	OK(ppuStreamSynchronize(NULL));
	for (uint32_t i = 0; i < CTAS * THREADS; i++) {
		uint32_t x = 0;

		for (int k = 0; k < 200; k++)
			x = x * 3 + i;
		CHECK(out[i] == x);
	}
}

int main(void)
{
	uint64_t entered, insns, translations, code;
	ppuModule mod;
	ppuFunction fn;
	void *out;

	if (access("/sys/kernel/debug/dri", F_OK))
		mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	OK(ppuInit(&(ppuInitOptions){ .backend = "drm" }));
	OK(ppuModuleLoadData(&mod, text, sizeof(text) - 1, &(ppuModuleOptions){ .kind = PPU_MODULE_ASSEMBLY }));
	OK(ppuModuleGetFunction(&fn, mod, "work"));
	OK(ppuMallocHost(&out, 4 * CTAS * THREADS));
	translations = value("translations");
	entered = value("entered");
	code = value("code_bytes");	/* of all programs so far; memory_bytes: of those that are there now */
	insns = value("warp_instructions");
	for (unsigned i = 0; i < ROUNDS && value("entered") == entered && !value("refused"); i++)
		work(fn, out);
	if (!value("available") || value("refused")) {
		/* A host without libzydis or AVX2, or a device that was built so. */
		CHECK(!value("entered") && !value("warp_instructions") && !value("memory_bytes"));
		printf("ok - the engine's file: everything is interpreted\n");
		return 0;
	}
	CHECK(value("translations") == translations + 1);
	CHECK(value("instructions") >= 14 && value("inlined") >= 6 && value("segments") >= 2);
	code = value("code_bytes") - code;
	CHECK(value("memory_bytes") > code && code > 500);
	CHECK(value("entered") > entered);
	work(fn, out);
	/* 2 warps a CTA, 4 * 200 instructions in the loop of each */
	CHECK(value("warp_instructions") > insns + 2ull * CTAS * 800);
	CHECK(value("translations") == translations + 1);
	printf("ok - the engine's file: %llu instructions in host code\n",
	       (unsigned long long)(value("warp_instructions") - insns));
	return 0;
}
