/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check/symbol.h"

/* A file of this process; it may have been replaced since, so nothing in it is trusted. */
struct file {
	const uint8_t *p;
	size_t bytes;
};

static bool inside(const struct file *f, uint64_t at, uint64_t bytes)
{
	return at <= f->bytes && bytes <= f->bytes - at;
}

static bool look(const struct file *f, const Elf64_Shdr *table, const Elf64_Shdr *strings, uint64_t at, char *buf,
		 size_t len, size_t *offset)
{
	const Elf64_Sym *s = (const Elf64_Sym *)(f->p + table->sh_offset);

	for (uint64_t i = 0; i < table->sh_size / sizeof(*s); i++) {
		if (ELF64_ST_TYPE(s[i].st_info) != STT_FUNC || at - s[i].st_value >= s[i].st_size ||
		    s[i].st_name >= strings->sh_size)
			continue;
		snprintf(buf, len, "%.*s", (int)(strings->sh_size - s[i].st_name),
			 (const char *)f->p + strings->sh_offset + s[i].st_name);
		*offset = at - s[i].st_value;
		return true;
	}
	return false;
}

static bool search(const struct file *f, uintptr_t base, uintptr_t at, uint32_t type, char *buf, size_t len,
		   size_t *offset)
{
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)f->p;
	const Elf64_Shdr *sh;

	if (f->bytes < sizeof(*e) || memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_ident[EI_CLASS] != ELFCLASS64 ||
	    e->e_shoff % 8 || !inside(f, e->e_shoff, (uint64_t)e->e_shnum * sizeof(*sh)))
		return false;
	sh = (const Elf64_Shdr *)(f->p + e->e_shoff);
	for (unsigned i = 0; i < e->e_shnum; i++) {
		if (sh[i].sh_type != type || sh[i].sh_link >= e->e_shnum || sh[i].sh_offset % 8 ||
		    !inside(f, sh[i].sh_offset, sh[i].sh_size) ||
		    !inside(f, sh[sh[i].sh_link].sh_offset, sh[sh[i].sh_link].sh_size))
			continue;
		return look(f, &sh[i], &sh[sh[i].sh_link], e->e_type == ET_DYN ? at - base : at, buf, len, offset);
	}
	return false;
}

bool chk_symbol(const char *path, uintptr_t base, uintptr_t at, enum chk_table table, char *buf, size_t len,
		size_t *offset)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct file f = { NULL, 0 };
	bool found = false;
	struct stat st;

	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && st.st_size > 0)
		f.bytes = (size_t)st.st_size;
	f.p = f.bytes ? mmap(NULL, f.bytes, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	close(fd);
	if (f.p != MAP_FAILED) {
		found = search(&f, base, at, table == CHK_EXPORTED ? SHT_DYNSYM : SHT_SYMTAB, buf, len, offset);
		munmap((void *)(uintptr_t)f.p, f.bytes);
	}
	return found;
}

static char *(*demangle)(const char *, char *, size_t *, int *);

void chk_symbol_ready(void)
{
	*(void **)(void *)&demangle = dlsym(RTLD_DEFAULT, "__cxa_demangle");
}

void chk_demangle(const char *name, char *buf, size_t len)
{
	char *text = NULL;
	int status = -1;

	if (demangle && !strncmp(name, "_Z", 2))
		text = demangle(name, NULL, NULL, &status);
	snprintf(buf, len, "%s", text && !status ? text : name);
	free(text);
}
