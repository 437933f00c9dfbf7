/* SPDX-License-Identifier: MIT */
/* Fat binaries in objects for the host, and in archives of such objects.  Nothing in the input is trusted. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "nvjitlink/jitlink.h"

/* A fat binary begins with its magic number, the size of its header, and the size of what is behind it. */
#define FATBIN_MAGIC	0xba55ed50u
struct fatbin {
	uint32_t magic;
	uint16_t version, header_bytes;
	uint64_t bytes;
};

/* All fat binaries of a section; between them is padding. */
static int section(const uint8_t *data, uint64_t bytes, jl_found found, void *opaque)
{
	struct fatbin f;
	uint64_t at = 0;
	int rc;

	while (bytes - at >= sizeof(f)) {
		memcpy(&f, data + at, sizeof(f));
		if (!f.magic) {
			at += 8;
			continue;
		}
		if (f.magic != FATBIN_MAGIC || f.header_bytes < sizeof(f) || f.header_bytes > bytes - at ||
		    f.bytes > bytes - at - f.header_bytes)
			return -1;
		rc = found(opaque, data + at, (size_t)(f.header_bytes + f.bytes));
		if (rc)
			return rc;
		at += f.header_bytes + f.bytes;
		at += -at & 7;
		if (at > bytes)
			break;
	}
	return 0;
}

static bool get_section(const uint8_t *data, size_t bytes, const Elf64_Ehdr *e, unsigned i, Elf64_Shdr *s)
{
	uint64_t at = (uint64_t)i * sizeof(*s);

	if (e->e_shoff > bytes || at > bytes - e->e_shoff || sizeof(*s) > bytes - e->e_shoff - at)
		return false;
	memcpy(s, data + e->e_shoff + at, sizeof(*s));
	return s->sh_type == SHT_NOBITS || (s->sh_offset <= bytes && s->sh_size <= bytes - s->sh_offset);
}

/* Does a name in the section of names say that fat binaries are inside? */
static bool is_code(const uint8_t *data, const Elf64_Shdr *names, uint32_t name)
{
	static const char *const known[] = { ".nv_fatbin", "__nv_relfatbin" };

	for (unsigned i = 0; i < 2; i++)
		if (name < names->sh_size && strlen(known[i]) < names->sh_size - name &&
		    !memcmp(data + names->sh_offset + name, known[i], strlen(known[i]) + 1))
			return true;
	return false;
}

int jl_object(const uint8_t *data, size_t bytes, jl_found found, void *opaque)
{
	Elf64_Shdr names, s;
	Elf64_Ehdr e;
	int rc = 0;

	if (bytes < sizeof(e))
		return -1;
	memcpy(&e, data, sizeof(e));
	if (memcmp(e.e_ident, ELFMAG, SELFMAG) || e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_machine == EM_CUDA ||
	    e.e_shentsize != sizeof(s) || !get_section(data, bytes, &e, e.e_shstrndx, &names) ||
	    names.sh_type != SHT_STRTAB)
		return -1;
	for (unsigned i = 0; i < e.e_shnum && !rc; i++) {
		if (!get_section(data, bytes, &e, i, &s))
			return -1;
		if (s.sh_type == SHT_PROGBITS && is_code(data, &names, s.sh_name))
			rc = section(data + s.sh_offset, s.sh_size, found, opaque);
	}
	return rc;
}

/* A member of an archive has a header of text: 16 bytes of name, at 48 the size in 10 digits, at 58 "`\n". */
#define MEMBER_BYTES	60u

int jl_archive(const uint8_t *data, size_t bytes, jl_found found, void *opaque)
{
	size_t at = 8;
	int rc = 0;

	if (bytes < at || memcmp(data, "!<arch>\n", 8))
		return -1;
	while (!rc && bytes - at >= MEMBER_BYTES) {
		const uint8_t *h = data + at;
		char digits[11] = "";
		uint64_t size;

		memcpy(digits, h + 48, 10);
		size = strtoull(digits, NULL, 10);
		at += MEMBER_BYTES;
		if (h[58] != '`' || h[59] != '\n' || size > bytes - at)
			return -1;
		/* The index and the table of long names begin with a slash, and are no ELF files. */
		if (size >= SELFMAG && !memcmp(data + at, ELFMAG, SELFMAG))
			rc = jl_object(data + at, (size_t)size, found, opaque);
		at += (size_t)size;
		at += at & 1;
		if (at > bytes)
			break;
	}
	return rc;
}
