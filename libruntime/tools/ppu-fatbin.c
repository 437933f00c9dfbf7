/* SPDX-License-Identifier: MIT */
/*
 * ppu-fatbin: put PTX into a fat binary, as the SDK's fatbinary does when a compiler calls it.  Images for real
 * architectures are skipped, because a PPU uses the PTX.  libruntime/cuda/module/fatbin.c reads what this writes.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tool.h"

static const char help[] =
	"usage: ppu-fatbin --create OUT --image=profile=compute_NN,file=FILE.ptx ...\n"
	"  also -64, --image3=kind=ptx,sm=NN,file=FILE.ptx, and options of fatbinary that change nothing here\n"
	"  --help, --version\n"
	"Images with another profile (sm_NN) are passed over. Exit status: 0 done, 2 usage, 3 a file.\n";

#define FATBIN_MAGIC	0xba55ed50u
#define FATBIN_VERSION	1
#define KIND_PTX	1
#define ENTRY_VERSION	0x101
#define FLAGS_64_LINUX	0x11		/* 64-bit addresses, Linux */
#define ALIGN		8u

struct container {
	uint32_t magic;
	uint16_t version, header_bytes;
	uint64_t bytes;
};
struct entry {
	uint16_t kind, version;
	uint32_t header_bytes;
	uint64_t bytes;
	uint32_t compressed_bytes, options_offset;
	uint16_t minor, major;
	uint32_t arch, name_offset, name_bytes;
	uint64_t flags, zero, plain_bytes;
};

struct out {
	char *data;
	size_t bytes;
};

static void append(struct out *o, const void *data, size_t bytes)
{
	o->data = realloc(o->data, o->bytes + bytes);
	if (!o->data) {
		fprintf(stderr, "ppu-fatbin: out of memory\n");
		exit(3);
	}
	memcpy(o->data + o->bytes, data, bytes);
	o->bytes += bytes;
}

static void fail(const char *path)
{
	fprintf(stderr, "ppu-fatbin: %s: %s\n", path, strerror(errno));
	exit(3);
}

static struct out read_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct out o = { NULL, 0 };
	char buf[65536];
	size_t n;

	if (!f)
		fail(path);
	while ((n = fread(buf, 1, sizeof(buf), f)))
		append(&o, buf, n);
	if (ferror(f))
		fail(path);
	fclose(f);
	append(&o, "", 1);	/* text ends with a NUL */
	return o;
}

static void add_ptx(struct out *o, const char *path, unsigned int arch)
{
	static const char zeros[ALIGN];
	struct out text = read_file(path);
	size_t pad = (ALIGN - text.bytes % ALIGN) % ALIGN;
	struct entry e = { KIND_PTX, ENTRY_VERSION, sizeof(e), text.bytes + pad, 0, sizeof(e), 0, 0, arch, 0, 0,
			   FLAGS_64_LINUX, 0, 0 };

	append(o, &e, sizeof(e));
	append(o, text.data, text.bytes);
	append(o, zeros, pad);
	free(text.data);
}

/* "profile=compute_75,file=x" or "kind=ptx,sm=75,file=x"; false: anything else. */
static int image(struct out *o, char *arg)
{
	char *file = NULL, *word, *rest = arg;
	unsigned int arch = 0;
	int ptx = 0;

	while ((word = strsep(&rest, ","))) {
		if (!strncmp(word, "file=", 5)) {
			file = word + 5;
		} else if (!strncmp(word, "profile=", 8)) {
			ptx = sscanf(word + 8, "compute_%u", &arch) == 1;
			if (!ptx && sscanf(word + 8, "sm_%u", &arch) != 1)
				return 0;
		} else if (!strncmp(word, "kind=", 5)) {
			ptx = !strcmp(word + 5, "ptx");
		} else if (!strncmp(word, "sm=", 3)) {
			arch = (unsigned int)strtoul(word + 3, NULL, 10);
		} else {
			return 0;
		}
	}
	if (!file || !arch)
		return 0;
	if (ptx)
		add_ptx(o, file, arch);
	return 1;
}

int main(int argc, char **argv)
{
	struct container c = { FATBIN_MAGIC, FATBIN_VERSION, sizeof(c), 0 };
	struct out o = { NULL, 0 };
	const char *path = NULL;
	FILE *f;

	append(&o, &c, sizeof(c));
	for (int i = 1; i < argc; i++) {
		char *a = argv[i];

		if (!strcmp(a, "--help")) {
			fputs(help, stdout);
			return 0;
		}
		if (!strcmp(a, "--version"))
			return tool_version("ppu-fatbin");
		if (!strcmp(a, "--create") && i + 1 < argc)
			path = argv[++i];
		else if (!strncmp(a, "--create=", 9))
			path = a + 9;
		else if (!strncmp(a, "--image=", 8) || !strncmp(a, "--image3=", 9)) {
			if (!image(&o, strchr(a, '=') + 1)) {
				fprintf(stderr, "ppu-fatbin: %s is no image\n%s", a, help);
				return 2;
			}
		} else if (a[0] != '-') {
			fprintf(stderr, "ppu-fatbin: what is %s?\n%s", a, help);
			return 2;
		}
	}
	if (!path) {
		fputs(help, stderr);
		return 2;
	}
	if (o.bytes == sizeof(c)) {
		fprintf(stderr, "ppu-fatbin: no image is PTX: a PPU could not run this; build with a compute_NN, too\n");
		return 3;
	}
	c.bytes = o.bytes - sizeof(c);
	memcpy(o.data, &c, sizeof(c));
	f = fopen(path, "wb");
	if (!f || fwrite(o.data, 1, o.bytes, f) != o.bytes || fclose(f))
		fail(path);
	free(o.data);
	return 0;
}
