/* SPDX-License-Identifier: MIT */
/* Lab 9, given: reads the native binary (Documentation/hw/isa.md). Only what kernels without variables need. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "image.h"

#define MAGIC		0x42555050u
#define CODE		1
#define SYMBOLS		3
#define RELOCS		5
#define STRINGS		8
#define KERNEL		1
#define CODE_PC		1
#define CODE_PC64	2

struct section {
	uint32_t number, zero;
	uint64_t offset, length;
};

struct symbol {		/* 96 bytes */
	uint32_t name, kind, flags, align;
	uint64_t value, size;
	uint32_t num_insns, regs, frame_bytes, local_bytes, shared_bytes, barriers, max_threads, reqntid[3];
	uint32_t param_bytes, first_param, num_params, recursive, shared_fixed, zero;
};

struct reloc {
	uint32_t kind, symbol;
	uint64_t where;
	int64_t addend;
};

static uint8_t *whole_file(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	long size;

	if (!f)
		return NULL;
	if (!fseek(f, 0, SEEK_END) && (size = ftell(f)) > 32) {
		rewind(f);
		data = malloc((size_t)size + 1);
		*len = data ? fread(data, 1, (size_t)size, f) : 0;
	}
	fclose(f);
	return data;
}

/* The bytes of a section. Our own compiler made the image a moment ago, so this loader trusts it. */
static const uint8_t *section(const uint8_t *data, uint32_t number, uint64_t *length)
{
	uint32_t n, i;
	struct section s;

	memcpy(&n, data + 16, 4);
	for (i = 0; i < n; i++) {
		memcpy(&s, data + 32 + i * sizeof(s), sizeof(s));
		if (s.number == number) {
			*length = s.length;
			return data + s.offset;
		}
	}
	*length = 0;
	return NULL;
}

/* Puts the functions' places into the calls. Variables would need memory, and there is none for them. */
static int link_calls(uint8_t *data)
{
	uint64_t bytes, unused, i;
	uint8_t *code = (uint8_t *)section(data, CODE, &unused);
	const uint8_t *relocs = section(data, RELOCS, &bytes), *symbols = section(data, SYMBOLS, &unused);
	struct symbol s;
	struct reloc r;
	uint64_t to;

	for (i = 0; i < bytes / sizeof(r); i++) {
		memcpy(&r, relocs + i * sizeof(r), sizeof(r));
		memcpy(&s, symbols + r.symbol * sizeof(s), sizeof(s));
		if (r.kind != CODE_PC && r.kind != CODE_PC64)
			return -ENOEXEC;
		to = s.value + (uint64_t)r.addend;
		memcpy(code + 16 * r.where + 8, &to, r.kind == CODE_PC ? 4 : 8);
	}
	return 0;
}

static void load_code(struct hw *hw, const uint8_t *data)
{
	uint64_t bytes, i;
	const uint8_t *code = section(data, CODE, &bytes);

	hw->code = hw_alloc(hw, bytes, 16);
	hw->insns = (uint32_t)(bytes / 16);
	for (i = 0; i < bytes; i++)
		((volatile uint8_t *)hw_at(hw, hw->code))[i] = code[i];
}

static void load_kernels(struct hw *hw, const uint8_t *data)
{
	uint64_t bytes, unused, i;
	const uint8_t *symbols = section(data, SYMBOLS, &bytes);
	const char *names = (const char *)section(data, STRINGS, &unused);
	const uint32_t most = sizeof(hw->kernels) / sizeof(hw->kernels[0]);
	struct symbol s;

	for (i = 0; i < bytes / sizeof(s); i++) {
		struct hw_kernel *k = &hw->kernels[hw->num_kernels];

		memcpy(&s, symbols + i * sizeof(s), sizeof(s));
		if (s.kind != KERNEL || hw->num_kernels == most)
			continue;
		snprintf(k->name, sizeof(k->name), "%s", names + s.name);
		k->entry = (uint32_t)s.value;
		k->regs = s.regs < 2 ? 2 : s.regs;
		k->local = (s.local_bytes + 15) / 16 * 16;
		k->barriers = s.barriers;
		k->param_bytes = s.param_bytes;
		hw->num_kernels++;
	}
}

int image_load(struct hw *hw, const char *path)
{
	size_t len = 0;
	uint8_t *data = whole_file(path, &len);
	uint32_t magic = 0;
	int err = -ENOENT;

	if (data && len >= 32) {
		memcpy(&magic, data, 4);
		err = magic == MAGIC ? link_calls(data) : -EINVAL;
	}
	if (!err) {
		load_code(hw, data);
		load_kernels(hw, data);
	}
	free(data);
	return err;
}
