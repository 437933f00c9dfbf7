/* SPDX-License-Identifier: MIT */
/* The script of tests/driver, with the driver in this process.  (In the guest: tests/system/driver_script.c.) */
#include <check.h>

#include <backend/core/core.h>
#include "../../driver/script.h"
#include "run_suite.h"

/* In the form of the kernel driver's debugfs. */
static void on_run(void *to, const struct ppu_pt_run *run)
{
	char line[200];

	snprintf(line, sizeof(line), "%012llx-%012llx%s%s%s%s%s%s", run->va, run->va + run->size - 1,
		 run->level ? " large" : "", run->flags & PPU_PTE_SYS ? " sys" : "",
		 run->flags & PPU_PTE_READONLY ? " ro" : "", run->flags & PPU_PTE_NOEXEC ? " nx" : "",
		 run->flags & PPU_PTE_PRIV ? " priv" : "", run->flags & PPU_PTE_UNCACHED ? " uncached" : "");
	s_look_line(line, to, 4096);
}

static void look(struct s_state *s, char *to, size_t room)
{
	const struct be_vm *vm = s->vm;
	const struct ppu_inst_block *b = (const void *)(s->dev->vram + vm->inst);
	struct ppu_pt_look l = { .bus = &ppu_bc_bus, .dev = s->dev, .run = on_run, .to = to };
	char line[200];

	snprintf(line, sizeof(line), "context %u: depth %u pending %u ceiling %u local %u watchdog %llu areas%s%s%s%s",
		 b->context_id, b->max_depth, b->max_pending, b->prio_ceiling, b->local_per_thread, b->watchdog_ns,
		 b->local_size ? " local" : "", b->tokq_size ? " tokq" : "", b->save_size ? " save" : "",
		 b->local_size || b->tokq_size || b->save_size ? "" : " none");
	s_look_line(line, to, room);
	ppu_pt_look(&l, vm->pt.root->addr);
	snprintf(line, sizeof(line), "tables %u %u %u %u", l.tables[0], l.tables[1], l.tables[2], l.tables[3]);
	s_look_line(line, to, room);
}

START_TEST(in_process)
{
	struct s_state s = { .be = &ppu_be_core, .look = look };
	ppuInitOptions opt = { 0 };
	char *err;

	ck_assert_int_eq(s.be->open(&opt, 0, &s.dev, &err), 0);
	ck_assert_uint_eq(s_run(&s), 0);
	s.be->close(s.dev);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("driver_script");
	TCase *t = tcase_create("core");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, in_process);
	suite_add_tcase(s, t);
	return run_suite(s);
}
