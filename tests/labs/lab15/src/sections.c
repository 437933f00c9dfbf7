// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lab 15: a program of the build, which looks at the sections of driver.o. Some sections tell the kernel, when it loads the module,
 * which instructions it has to change, and which functions it has to call. The compiler makes them for code in the kernel's
 * headers; then they are about this file's own code. If they were about code of device.c, driver.c could change what
 * the exploits are judged by. You need not change this file; the grader uses its own copy.
 */
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OFFSET_MOST	(1u << 20)

static const char *elf;
static const Elf64_Shdr *sections;
static unsigned num_sections;
static const char *names;

/*
 * What the kernel acts on: entries of so many bytes. The words of 4 bytes in `own` name something of this file, by a
 * relocation of this type; those in `any` may name something elsewhere: a static key, the name of a static call. A word
 * without a relocation could be any distance.
 */
static const struct acted_on {
	const char *name;
	unsigned bytes, own, any, type;
} acted_on[] = {
	/* An alternative's entry grew from kernel to kernel. */
	{ ".altinstructions", 12, 3, 0, R_X86_64_PC32 },
	{ ".altinstructions", 13, 3, 0, R_X86_64_PC32 },
	{ ".altinstructions", 14, 3, 0, R_X86_64_PC32 },
	{ ".call_sites", 4, 1, 0, R_X86_64_PC32 },
	{ ".ibt_endbr_seal", 4, 1, 0, R_X86_64_PC32 },
	{ ".parainstructions", 16, 1, 0, R_X86_64_64 },
	{ ".retpoline_sites", 4, 1, 0, R_X86_64_PC32 },
	{ ".return_sites", 4, 1, 0, R_X86_64_PC32 },
	{ ".smp_locks", 4, 1, 0, R_X86_64_PC32 },
	{ ".static_call_sites", 8, 1, 2, R_X86_64_PC32 },
	{ "__bug_table", 12, 3, 0, R_X86_64_PC32 },
	{ "__ex_table", 12, 3, 0, R_X86_64_PC32 },
	{ "__jump_table", 16, 3, 4, R_X86_64_PC32 },
	{ "__mcount_loc", 8, 1, 0, R_X86_64_64 },
	{ "__patchable_function_entries", 8, 1, 0, R_X86_64_64 },
};
#define ACTED_ON	(sizeof(acted_on) / sizeof(acted_on[0]))

/* What it does not act on, by how the names begin. */
static const char *const harmless[] = {
	".text", ".data", ".bss", ".rodata", ".init.", ".exit.", ".altinstr_replacement", ".altinstr_aux", ".fixup", ".comment", ".note",
	".modinfo", ".printk_index", ".orc_unwind", ".orc_header", ".BTF", "__dyndbg", ".static_call.text", NULL
};

static _Noreturn void refuse(const char *section, const char *why)
{
	fprintf(stderr, "driver.c: error: section %s %s\n", section, why);
	exit(1);
}

static bool is_harmless(const char *name)
{
	for (const char *const *h = harmless; *h; h++)
		if (!strncmp(name, *h, strlen(*h)))
			return true;
	return false;
}

/* Is what the relocation names in a section of this file? */
static bool is_own(const Elf64_Shdr *rela, const Elf64_Rela *r)
{
	const Elf64_Sym *s = (const Elf64_Sym *)(elf + sections[rela->sh_link].sh_offset) + ELF64_R_SYM(r->r_info);

	return s->st_shndx != SHN_UNDEF && s->st_shndx < SHN_LORESERVE &&
	       s->st_value + (uint64_t)r->r_addend <= sections[s->st_shndx].sh_size;
}

/* Does each entry of section i name what it must, and nothing else? */
static bool is_right(unsigned i, const struct acted_on *a)
{
	static uint8_t seen[OFFSET_MOST];	/* bits as in `own`, by entry */
	uint64_t n = sections[i].sh_size / a->bytes;

	if (sections[i].sh_size % a->bytes || n > OFFSET_MOST)
		return false;
	memset(seen, 0, n);
	for (unsigned k = 1; k < num_sections; k++) {
		const Elf64_Shdr *rela = &sections[k];
		const Elf64_Rela *r = (const void *)(elf + rela->sh_offset);

		if (rela->sh_type != SHT_RELA || rela->sh_info != i)
			continue;
		for (uint64_t j = 0; j < rela->sh_size / sizeof(*r); j++) {
			unsigned at = (unsigned)(r[j].r_offset % a->bytes), word = 1u << at / 4;

			if (at % 4 || r[j].r_offset / a->bytes >= n || !(word & (a->own | a->any)))
				return false;
			if ((word & a->own) && (ELF64_R_TYPE(r[j].r_info) != a->type || !is_own(rela, &r[j])))
				return false;
			seen[r[j].r_offset / a->bytes] |= (uint8_t)(word & a->own);
		}
	}
	for (uint64_t k = 0; k < n; k++)
		if (seen[k] != a->own)
			return false;
	return true;
}

static void look(unsigned i)
{
	const char *name = names + sections[i].sh_name;
	bool known = false, right = false;

	if (!(sections[i].sh_flags & SHF_ALLOC))
		return;
	for (unsigned k = 0; k < ACTED_ON; k++) {
		if (strcmp(name, acted_on[k].name))
			continue;
		known = true;
		right = right || is_right(i, &acted_on[k]);
	}
	if (known && !right)
		refuse(name, "names code that is not in this file");
	if (!known && !is_harmless(name))
		refuse(name, "is none that a driver of this lab may have");
}

int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	static char bytes[8 << 20];
	const Elf64_Ehdr *h = (const void *)bytes;

	if (!f || !fread(bytes, 1, sizeof(bytes), f) || !feof(f))
		return 2;
	fclose(f);
	elf = bytes;
	num_sections = h->e_shnum;
	sections = (const void *)(elf + h->e_shoff);
	names = elf + sections[h->e_shstrndx].sh_offset;
	for (unsigned i = 1; i < num_sections; i++)
		look(i);
	return 0;
}
