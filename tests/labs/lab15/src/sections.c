// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lab 15: a program of the build, which looks at the sections of driver.o. Some sections tell the kernel, when it loads the module,
 * which instructions it has to change, and which functions it has to call. The compiler makes them for code in the kernel's
 * headers; then they are about this file's own code. If they were about code of device.c, driver.c could change what
 * the exploits are judged by. You need not change this file; the grader uses its own copy.
 *
 *   sections driver.o only.o
 *
 * only.o says how many bytes this kernel's struct alt_instr has: with another size each entry would be read as something else.
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
static unsigned alternative_bytes;	/* sizeof(struct alt_instr) */

/*
 * What the kernel acts on: entries of so many bytes. The words of 4 bytes in `own` name something of this file, by a
 * relocation of this type; those in `any` may name something elsewhere, by one of that type: a static key, the name of a static
 * call. A word without a relocation could be any distance. From where the first word says, so many bytes are changed; or as
 * many as the byte `length` of the entry says.
 */
static const struct acted_on {
	const char *name;
	unsigned bytes, own, type, any, any_type, changed, length;
} acted_on[] = {
	/* An alternative's entry grew from kernel to kernel. */
	{ ".altinstructions", 12, 3, R_X86_64_PC32, 0, 0, 0, 10 },
	{ ".altinstructions", 13, 3, R_X86_64_PC32, 0, 0, 0, 10 },
	{ ".altinstructions", 14, 3, R_X86_64_PC32, 0, 0, 0, 12 },
	{ ".call_sites", 4, 1, R_X86_64_PC32, 0, 0, 5, 0 },
	{ ".ibt_endbr_seal", 4, 1, R_X86_64_PC32, 0, 0, 4, 0 },
	{ ".parainstructions", 16, 1, R_X86_64_64, 0, 0, 0, 9 },
	{ ".retpoline_sites", 4, 1, R_X86_64_PC32, 0, 0, 5, 0 },
	{ ".return_sites", 4, 1, R_X86_64_PC32, 0, 0, 5, 0 },
	{ ".smp_locks", 4, 1, R_X86_64_PC32, 0, 0, 1, 0 },
	{ ".static_call_sites", 8, 1, R_X86_64_PC32, 2, R_X86_64_PC32, 5, 0 },
	{ "__bug_table", 12, 3, R_X86_64_PC32, 0, 0, 0, 0 },
	{ "__ex_table", 12, 3, R_X86_64_PC32, 0, 0, 0, 0 },
	{ "__jump_table", 16, 3, R_X86_64_PC32, 4, R_X86_64_PC64, 2, 0 },
	{ "__mcount_loc", 8, 1, R_X86_64_64, 0, 0, 5, 0 },
	{ "__patchable_function_entries", 8, 1, R_X86_64_64, 0, 0, 5, 0 },
};
#define ACTED_ON	(sizeof(acted_on) / sizeof(acted_on[0]))

/* What it does not act on, by how the names begin. */
static const char *const harmless[] = {
	".text", ".data", ".bss", ".rodata", ".init.", ".exit.", ".altinstr_replacement", ".altinstr_aux", ".fixup", ".comment", ".note",
	".modinfo", ".printk_index", ".orc_unwind", ".orc_header", ".BTF", "__dyndbg", ".static_call.text", ".discard.", NULL
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

/* Is what the relocation names in a section of this file, with so many bytes behind it? */
static bool is_own(const Elf64_Shdr *rela, const Elf64_Rela *r, unsigned bytes)
{
	const Elf64_Sym *s = (const Elf64_Sym *)(elf + sections[rela->sh_link].sh_offset) + ELF64_R_SYM(r->r_info);
	uint64_t at = s->st_value + (uint64_t)r->r_addend;

	return s->st_shndx != SHN_UNDEF && s->st_shndx < SHN_LORESERVE && at <= sections[s->st_shndx].sh_size &&
	       bytes <= sections[s->st_shndx].sh_size - at;
}

/* Is the relocation at word `at` of an entry one that may be there? */
static bool is_right_word(unsigned i, const struct acted_on *a, const Elf64_Shdr *rela, const Elf64_Rela *r, unsigned at)
{
	const uint8_t *entry = (const uint8_t *)elf + sections[i].sh_offset + r->r_offset - at;
	unsigned word = 1u << at / 4, type = (unsigned)ELF64_R_TYPE(r->r_info), bytes = 0;

	if (at % 4)
		return false;
	if (word & a->any)
		return type == a->any_type;
	if (!at)
		bytes = a->length ? entry[a->length] : a->changed;
	return (word & a->own) && type == a->type && is_own(rela, r, bytes);
}

/* Does each entry of section i name what it must, and nothing else? */
static bool is_right(unsigned i, const struct acted_on *a)
{
	static uint8_t seen[OFFSET_MOST];	/* bits as in `own`, by entry */
	uint64_t n = sections[i].sh_size / a->bytes;

	/* Padding in front of it would shift what the kernel takes for entries. */
	if (sections[i].sh_addralign && a->bytes % sections[i].sh_addralign)
		return false;
	if (sections[i].sh_size % a->bytes || n > OFFSET_MOST || (n && sections[i].sh_type == SHT_NOBITS))
		return false;
	memset(seen, 0, n);
	for (unsigned k = 1; k < num_sections; k++) {
		const Elf64_Shdr *rela = &sections[k];
		const Elf64_Rela *r = (const void *)(elf + rela->sh_offset);

		if (rela->sh_type != SHT_RELA || rela->sh_info != i)
			continue;
		for (uint64_t j = 0; j < rela->sh_size / sizeof(*r); j++) {
			unsigned at = (unsigned)(r[j].r_offset % a->bytes);

			if (r[j].r_offset / a->bytes >= n || !is_right_word(i, a, rela, &r[j], at))
				return false;
			seen[r[j].r_offset / a->bytes] |= (uint8_t)(1u << at / 4 & a->own);
		}
	}
	for (uint64_t k = 0; k < n; k++)
		if (seen[k] != a->own)
			return false;
	return true;
}

/* What relocations of section i change is in it: the kernel does not look. */
static bool changes_itself(unsigned i)
{
	for (unsigned k = 1; k < num_sections; k++) {
		const Elf64_Rela *r = (const void *)(elf + sections[k].sh_offset);

		if (sections[k].sh_type != SHT_RELA || sections[k].sh_info != i)
			continue;
		for (uint64_t j = 0; j < sections[k].sh_size / sizeof(*r); j++) {
			unsigned type = (unsigned)ELF64_R_TYPE(r[j].r_info);
			bool word = type == R_X86_64_PC32 || type == R_X86_64_PLT32 || type == R_X86_64_32 || type == R_X86_64_32S;
			uint64_t bytes = type == R_X86_64_NONE ? 0 : word ? 4 : 8;

			if (r[j].r_offset > sections[i].sh_size || bytes > sections[i].sh_size - r[j].r_offset)
				return false;
		}
	}
	return true;
}

static void look(unsigned i)
{
	const char *name = names + sections[i].sh_name;
	bool known = false, right = false;

	for (unsigned k = 0; k < ACTED_ON; k++) {
		if (strcmp(name, acted_on[k].name))
			continue;
		known = true;
		if (!strcmp(name, ".altinstructions") && acted_on[k].bytes != alternative_bytes)
			continue;
		right = right || is_right(i, &acted_on[k]);
	}
	/* The kernel finds some of these by the name alone. */
	if (!(sections[i].sh_flags & SHF_ALLOC)) {
		if (known || !strncmp(name, ".orc_", 5))
			refuse(name, "is not loaded");
		return;
	}
	if (known && !right)
		refuse(name, "names code that is not in this file");
	if (!known && !is_harmless(name))
		refuse(name, "is none that a driver of this lab may have");
	if (!changes_itself(i))
		refuse(name, "has a relocation behind its end");
}

/* The file's bytes; sets what is known of it. */
static bool read_elf(const char *path)
{
	static char bytes[8 << 20];
	const Elf64_Ehdr *h = (const void *)bytes;
	FILE *f = fopen(path, "rb");

	if (!f || fread(bytes, 1, sizeof(bytes), f) < sizeof(*h) || !feof(f))
		return false;
	fclose(f);
	elf = bytes;
	num_sections = h->e_shnum;
	/* With more sections than that their number is elsewhere. */
	if (!num_sections) {
		fprintf(stderr, "driver.c: error: it has no sections, or too many\n");
		return false;
	}
	sections = (const void *)(elf + h->e_shoff);
	names = elf + sections[h->e_shstrndx].sh_offset;
	return true;
}

int main(int argc, char **argv)
{
	if (argc != 3 || !read_elf(argv[2]))
		return 2;
	for (unsigned i = 1; i < num_sections; i++)
		if (!strcmp(names + sections[i].sh_name, ".discard.alternative"))
			alternative_bytes = (unsigned)sections[i].sh_size;
	if (!read_elf(argv[1]))
		return 2;
	for (unsigned i = 1; i < num_sections; i++)
		look(i);
	return 0;
}
