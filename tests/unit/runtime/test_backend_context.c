/* SPDX-License-Identifier: MIT */
/*
 * Contexts of the host's backend: limits, areas and mappings at their edges.  (tests/conformance/test_vm.c tests the
 * kernel driver; test_driver_script.c tests what both drivers answer in the same way.)
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include <backend/core/core.h>
#include "run_suite.h"

static const struct be_ops *const be = &ppu_be_core;

static struct be_dev *start(const char *props)
{
	ppuInitOptions opt = { .props = props };
	struct be_dev *dev;
	char *err;

	ck_assert_int_eq(be->open(&opt, 0, &dev, &err), 0);
	return dev;
}

static int vm_try(struct be_dev *dev, uint32_t local, uint32_t depth, struct be_vm **vm)
{
	const uint32_t limits[BE_VM_LIMITS] = { [BE_VM_LOCAL] = local, [BE_VM_DEPTH] = depth };

	return be->vm_create(dev, limits, vm);
}

static uint64_t avail(struct be_dev *dev)
{
	uint64_t left, total;

	ck_assert_int_eq(be->mem_info(dev, &left, &total), 0);
	return left;
}

START_TEST(limits)
{
	struct be_dev *dev = start("gpcs=1 sms-per-gpc=1 warps-per-sm=1");
	struct be_vm *vm;

	ck_assert_int_eq(vm_try(dev, 0, 1, &vm), -EINVAL);
	ck_assert_int_eq(vm_try(dev, (512u << 10) + 1, 1, &vm), -EINVAL);
	ck_assert_int_eq(vm_try(dev, UINT32_MAX, 1, &vm), -EINVAL);
	ck_assert_int_eq(vm_try(dev, 16, 0, &vm), -EINVAL);
	ck_assert_int_eq(vm_try(dev, 16, PPU_MAX_DEPTH + 1, &vm), -EINVAL);
	ck_assert_int_eq(vm_try(dev, 512u << 10, PPU_MAX_DEPTH, &vm), 0);
	ck_assert_uint_eq(be->vm_limit(vm, BE_VM_LOCAL), 512u << 10);
	ck_assert_int_eq(be->vm_set_limit(vm, BE_VM_LOCAL, 0), -EINVAL);
	ck_assert_int_eq(be->vm_set_limit(vm, BE_VM_LOCAL, (512u << 10) + 1), -EINVAL);
	ck_assert_int_eq(be->vm_set_limit(vm, BE_VM_LOCAL, UINT32_MAX), -EINVAL);
	ck_assert_int_eq(be->vm_set_limit(vm, BE_VM_DEPTH, 0), -EINVAL);
	ck_assert_int_eq(be->vm_set_limit(vm, BE_VM_DEPTH, PPU_MAX_DEPTH + 1), -EINVAL);
	ck_assert_uint_eq(be->vm_limit(vm, BE_VM_LOCAL), 512u << 10);
	ck_assert_uint_eq(be->vm_limit(vm, BE_VM_DEPTH), PPU_MAX_DEPTH);
	ck_assert_int_eq(be->vm_set_limit(vm, BE_VM_LOCAL, 1), 0);
	ck_assert_uint_eq(be->vm_limit(vm, BE_VM_LOCAL), 16);
	be->vm_destroy(vm);
	be->close(dev);
}
END_TEST

#define LARGE	PPU_LARGE_SIZE
#define VA	0x40000000ull

/* A cut through a large page needs a table.  Without VRAM for this table nothing changes, and the call fails. */
START_TEST(cut_without_memory)
{
	struct be_dev *dev = start("gpcs=1 sms-per-gpc=1 vram=16M");
	struct be_bo *large, *page[4096];
	uint64_t before;
	struct be_vm *vm;
	unsigned n = 0;

	ck_assert_int_eq(vm_try(dev, 16, 1, &vm), 0);
	before = avail(dev);
	ck_assert_int_eq(be->bo_alloc(vm, LARGE, BE_VRAM, &large), 0);
	ck_assert_int_eq(be->bind(vm, large, VA, LARGE, 0), 0);
	while (!be->bo_alloc(vm, PPU_PAGE_SIZE, BE_VRAM, &page[n]))
		n++;
	ck_assert_uint_eq(avail(dev), 0);
	ck_assert_int_eq(be->unbind(vm, VA + PPU_PAGE_SIZE, PPU_PAGE_SIZE), -ENOSPC);
	ck_assert_int_eq(be->bind(vm, page[0], VA + PPU_PAGE_SIZE, PPU_PAGE_SIZE, 0), -ENOSPC);
	/* a bind elsewhere needs tables, too; the mappings that it made before it failed are removed */
	be->bo_free(page[--n]);
	ck_assert_int_eq(be->bind(vm, page[0], 1ull << 40, PPU_PAGE_SIZE, 0), -ENOSPC);
	ck_assert_uint_eq(avail(dev), PPU_PAGE_SIZE);
	/* one page is enough for the cut */
	ck_assert_int_eq(be->unbind(vm, VA + PPU_PAGE_SIZE, PPU_PAGE_SIZE), 0);
	ck_assert_uint_eq(avail(dev), 0);
	/* the rest of the page needs nothing; then the tables are empty and go */
	ck_assert_int_eq(be->unbind(vm, VA, LARGE), 0);
	while (n)
		be->bo_free(page[--n]);
	be->bo_free(large);
	ck_assert_uint_eq(avail(dev), before);
	be->vm_destroy(vm);
	be->close(dev);
}
END_TEST

/* All areas or none: both when a channel needs areas and when areas are to grow. */
START_TEST(all_areas_or_none)
{
	struct be_dev *dev = start("vram=32M");
	struct be_chan *copy, *compute;
	struct be_vm *vm;
	uint64_t before;

	ck_assert_int_eq(vm_try(dev, 16, 24, &vm), 0);
	ck_assert_int_eq(be->chan_create(vm, PPU_CLASS_COPY, 8, 0, &copy), 0);
	before = avail(dev);
	ck_assert_int_eq(be->chan_create(vm, PPU_CLASS_COMPUTE, 8, 0, &compute), -ENOSPC);
	ck_assert_uint_eq(avail(dev), before);
	/* what was given back then is not given back again */
	ck_assert_int_eq(be->vm_set_limit(vm, BE_VM_DEPTH, 1), 0);
	ck_assert_uint_eq(avail(dev), before);
	ck_assert_int_eq(be->chan_create(vm, PPU_CLASS_COMPUTE, 8, 0, &compute), 0);
	ck_assert_uint_gt(vm->areas.local.size, 0);
	ck_assert_uint_gt(vm->areas.tokq.size, 0);
	ck_assert_uint_gt(vm->areas.save.size, 0);
	before = avail(dev);
	ck_assert_int_eq(be->vm_set_limit(vm, BE_VM_DEPTH, 24), -ENOSPC);
	ck_assert_uint_eq(be->vm_limit(vm, BE_VM_DEPTH), 1);
	ck_assert_int_eq(be->vm_set_limit(vm, BE_VM_LOCAL, 512u << 10), -ENOSPC);
	ck_assert_uint_eq(be->vm_limit(vm, BE_VM_LOCAL), 16);
	ck_assert_uint_eq(avail(dev), before);
	be->chan_free(compute);
	be->chan_free(copy);
	be->vm_destroy(vm);
	be->close(dev);
}
END_TEST

static bool overlap(const struct ppu_area *a, const struct ppu_area *b)
{
	return a->base < b->base + b->size && b->base < a->base + a->size;
}
/* The areas of two contexts never overlap, whatever failed before in one of them, in whatever order. */
START_TEST(areas_of_two_contexts)
{
	struct be_dev *dev = start("gpcs=1 sms-per-gpc=1 vram=16M");
	struct be_chan *c, *d;
	struct be_vm *a, *b;
	uint64_t before;

	before = avail(dev);
	ck_assert_int_eq(vm_try(dev, 512u << 10, 1, &a), 0);
	ck_assert_int_eq(vm_try(dev, 16, 1, &b), 0);
	if (_i & 1) {
		ck_assert_int_eq(be->chan_create(b, PPU_CLASS_COMPUTE, 8, 0, &d), 0);
		ck_assert_int_eq(be->chan_create(a, PPU_CLASS_COMPUTE, 8, 0, &c), -ENOSPC);
	} else {
		ck_assert_int_eq(be->chan_create(a, PPU_CLASS_COMPUTE, 8, 0, &c), -ENOSPC);
		if (_i & 2)
			ck_assert_int_eq(be->chan_create(a, PPU_CLASS_COMPUTE, 8, 0, &c), -ENOSPC);
		ck_assert_int_eq(be->vm_set_limit(a, BE_VM_LOCAL, 16), 0);
		ck_assert_int_eq(be->chan_create(b, PPU_CLASS_COMPUTE, 8, 0, &d), 0);
	}
	ck_assert_int_eq(be->vm_set_limit(a, BE_VM_LOCAL, 16), 0);
	ck_assert_int_eq(be->chan_create(a, PPU_CLASS_COMPUTE, 8, 0, &c), 0);
	for (unsigned i = 0; i < 9; i++)
		ck_assert(!overlap(&(&a->areas.local)[i / 3], &(&b->areas.local)[i % 3]));
	be->chan_free(c);
	be->chan_free(d);
	be->vm_destroy(a);
	be->vm_destroy(b);
	ck_assert_uint_eq(avail(dev), before);
	be->close(dev);
}
END_TEST

/*
 * A context keeps the first 64 of its fault records; those of another context are its own.  Errors of channels do not end
 * the context.
 */
START_TEST(many_faults)
{
	struct be_dev *dev = start("gpcs=1 sms-per-gpc=1");
	struct ppu_fault_rec got[100];
	struct be_chan *c, *other;
	struct be_vm *a, *b;
	unsigned n = 100;

	ck_assert_int_eq(vm_try(dev, 16, 1, &a), 0);
	ck_assert_int_eq(vm_try(dev, 16, 1, &b), 0);
	for (unsigned i = 0; i < 80; i++) {
		ck_assert_int_eq(be->chan_create(a, PPU_CLASS_COPY, 8, 0, &c), 0);
		be->chan_put(c, 100 + i);		/* behind the ring's end */
		n = 100;
		ck_assert_int_eq(be->vm_faults(a, got, &n), 0);
		ck_assert_uint_eq(n, i < 64 ? i + 1 : 64);
		be->chan_free(c);
	}
	for (unsigned i = 0; i < 64; i++) {
		ck_assert_uint_eq(got[i].seq, i);
		ck_assert_uint_eq(got[i].code, PPU_ERR_PUT_RANGE);
	}
	n = 100;
	ck_assert_int_eq(be->vm_faults(b, got, &n), 0);
	ck_assert_uint_eq(n, 0);
	ck_assert_int_eq(be->chan_create(b, PPU_CLASS_COPY, 8, 0, &other), 0);
	be->chan_put(other, 8);
	n = 1;
	ck_assert_int_eq(be->vm_faults(b, got, &n), 0);
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_eq(got[0].seq, 80);
	n = 0;
	ck_assert_int_eq(be->vm_faults(b, got, &n), 0);
	ck_assert_uint_eq(n, 0);
	be->chan_free(other);
	be->vm_destroy(a);
	be->vm_destroy(b);
	be->close(dev);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("backend_context");
	TCase *tc = tcase_create("core");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, limits);
	tcase_add_test(tc, cut_without_memory);
	tcase_add_test(tc, all_areas_or_none);
	tcase_add_loop_test(tc, areas_of_two_contexts, 0, 3);
	tcase_add_test(tc, many_faults);
	suite_add_tcase(s, tc);
	return run_suite(s);
}
