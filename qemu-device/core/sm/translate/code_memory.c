/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory for host code. */
#ifdef PPU_TRANSLATE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "core/sm/translate/code_memory.h"

void *ppu_code_memory(const void *code, size_t bytes, size_t *size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p;

	*size = (bytes + page - 1) / page * page;
	p = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	memcpy(p, code, bytes);
	memset((char *)p + bytes, 0xcc, *size - bytes);
	if (mprotect(p, *size, PROT_READ | PROT_EXEC)) {
		munmap(p, *size);
		return NULL;
	}
	return p;
}

void ppu_code_memory_free(void *code, size_t size)
{
	if (code)
		munmap(code, size);
}
#endif
