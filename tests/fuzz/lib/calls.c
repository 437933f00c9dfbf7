/* SPDX-License-Identifier: MIT */
/*
 * Counts the calls of the core's entry points that an execution makes. The linker leads the fuzzers' calls here
 * (--wrap, mk/test.mk), so that fuzzers need not count; the core's own calls are not counted.
 */
#include <stdio.h>
#include <stdlib.h>
#include "core/ppu_core.h"

static uint64_t calls;

/* scripts/fuzz-one reads this. */
static void say(void)
{
	fprintf(stderr, "stat::entry_point_calls: %llu\n", (unsigned long long)calls);
}

__attribute__((constructor)) static void start(void)
{
	atexit(say);
}

uint64_t __real_ppu_core_mmio_read(struct ppu_core *core, uint64_t off, unsigned size);
uint64_t __wrap_ppu_core_mmio_read(struct ppu_core *core, uint64_t off, unsigned size);
uint64_t __wrap_ppu_core_mmio_read(struct ppu_core *core, uint64_t off, unsigned size)
{
	calls++;
	return __real_ppu_core_mmio_read(core, off, size);
}

void __real_ppu_core_mmio_write(struct ppu_core *core, uint64_t off, unsigned size, uint64_t val);
void __wrap_ppu_core_mmio_write(struct ppu_core *core, uint64_t off, unsigned size, uint64_t val);
void __wrap_ppu_core_mmio_write(struct ppu_core *core, uint64_t off, unsigned size, uint64_t val)
{
	calls++;
	__real_ppu_core_mmio_write(core, off, size, val);
}

uint64_t __real_ppu_core_run(struct ppu_core *core, uint64_t until);
uint64_t __wrap_ppu_core_run(struct ppu_core *core, uint64_t until);
uint64_t __wrap_ppu_core_run(struct ppu_core *core, uint64_t until)
{
	calls++;
	return __real_ppu_core_run(core, until);
}

int __real_ppu_core_save(struct ppu_core *core, uint8_t **bytes, size_t *len);
int __wrap_ppu_core_save(struct ppu_core *core, uint8_t **bytes, size_t *len);
int __wrap_ppu_core_save(struct ppu_core *core, uint8_t **bytes, size_t *len)
{
	calls++;
	return __real_ppu_core_save(core, bytes, len);
}

int __real_ppu_core_load(struct ppu_core *core, const uint8_t *bytes, size_t len, char **err);
int __wrap_ppu_core_load(struct ppu_core *core, const uint8_t *bytes, size_t len, char **err);
int __wrap_ppu_core_load(struct ppu_core *core, const uint8_t *bytes, size_t len, char **err)
{
	calls++;
	return __real_ppu_core_load(core, bytes, len, err);
}
