/* SPDX-License-Identifier: MIT */
/*
 * The in-process backend when the host has no memory left: the n-th calloc() fails, for n = 1, 2, ... until none fails
 * any more. Calls answer -ENOMEM and change nothing; the runtime says what it could not do. (The device's turn:
 * test_hostmem.c.) The program is linked with --wrap=calloc.
 */
#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <backend/core/core.h>
#include <ppu.h>

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

static unsigned left;		/* the allocation that fails, counted down; 0: none */

void *__wrap_calloc(size_t n, size_t size)
{
	return left && !--left ? NULL : __real_calloc(n, size);
}

/* Did the n-th fail? */
static bool disarm(void)
{
	bool failed = !left;

	left = 0;
	return failed;
}

static const struct be_ops *const be = &ppu_be_core;
static const uint32_t limits[BE_VM_LIMITS] = { [BE_VM_LOCAL] = 16, [BE_VM_DEPTH] = 1 };

static struct be_dev *start(void)
{
	ppuInitOptions opt = { .props = "gpcs=1 sms-per-gpc=1 vram=32M" };
	struct be_dev *dev;
	char *err;

	ck_assert_int_eq(be->open(&opt, 0, &dev, &err), 0);
	return dev;
}

static uint64_t avail(struct be_dev *dev)
{
	uint64_t free_bytes, total;

	ck_assert_int_eq(be->mem_info(dev, &free_bytes, &total), 0);
	return free_bytes;
}

/* Each allocation of the backend and of the device. */
START_TEST(open)
{
	ppuInitOptions opt = { .backend = "core", .props = "gpcs=1 sms-per-gpc=1 vram=32M" };
	struct be_dev *dev;
	unsigned n = 0;
	ppuResult res;
	char *err;
	int rc;

	do {
		left = ++n;
		rc = be->open(&opt, 0, &dev, &err);
		ck_assert_int_eq(rc, disarm() ? -ENOMEM : 0);
		free(err);
	} while (rc);
	be->close(dev);
	ck_assert_uint_gt(n, 40);		/* the units of the device */
	/* of what a program asks for, nothing is wrong */
	for (left = n / 2;; left = n / 2) {
		res = ppuInit(&opt);
		ck_assert(disarm());
		ck_assert_msg(res == PPU_ERROR_OUT_OF_HOST_MEMORY, "%s", ppuGetErrorName(res));
		if (n /= 2, n < 2)
			break;
	}
	ck_assert_int_eq(ppuInit(&opt), PPU_SUCCESS);
	ck_assert_int_eq(ppuShutdown(), PPU_SUCCESS);
}
END_TEST

#define VA	0x40000000ull
#define FAR	(1ull << 40)		/* needs tables of its own at every level */

START_TEST(bind)
{
	struct be_dev *dev = start();
	struct be_bo *bo, *large;
	struct be_vm *vm;
	uint64_t before, mapped;
	unsigned n = 0;
	int rc;

	ck_assert_int_eq(be->vm_create(dev, limits, &vm), 0);
	ck_assert_int_eq(be->bo_alloc(vm, PPU_PAGE_SIZE, BE_VRAM, &bo), 0);
	ck_assert_int_eq(be->bo_alloc(vm, PPU_LARGE_SIZE, BE_VRAM, &large), 0);
	before = avail(dev);
	do {
		ck_assert_uint_eq(avail(dev), before);	/* tables that were made already are gone */
		left = ++n;
		rc = be->bind(vm, bo, FAR, PPU_PAGE_SIZE, 0);
		ck_assert_int_eq(rc, disarm() ? -ENOMEM : 0);
	} while (rc);
	ck_assert_uint_eq(n, PPU_PT_LEVELS);		/* a table for each level below the root failed once */
	mapped = avail(dev);
	/* a hole in a large page takes a table: without it the page stays as it is */
	ck_assert_int_eq(be->bind(vm, large, VA, PPU_LARGE_SIZE, 0), 0);
	before = avail(dev);
	left = 1;
	ck_assert_int_eq(be->unbind(vm, VA + PPU_PAGE_SIZE, PPU_PAGE_SIZE), -ENOMEM);
	ck_assert(disarm());
	ck_assert_uint_eq(avail(dev), before);
	ck_assert_int_eq(be->unbind(vm, VA + PPU_PAGE_SIZE, PPU_PAGE_SIZE), 0);
	ck_assert_uint_eq(avail(dev), before - PPU_PAGE_SIZE);
	/* all of it goes without memory, and its tables with it */
	left = 1;
	ck_assert_int_eq(be->unbind(vm, VA, PPU_LARGE_SIZE), 0);
	ck_assert(!disarm());
	ck_assert_uint_eq(avail(dev), mapped);
	be->bo_free(large);
	be->bo_free(bo);
	be->vm_destroy(vm);
	be->close(dev);
}
END_TEST

/* The driver's part of a context, its tables, and the device's part: LOAD is refused. */
START_TEST(context)
{
	struct be_dev *dev = start();
	uint64_t before = avail(dev);
	unsigned n = 0;
	struct be_vm *vm;
	int rc;

	do {
		ck_assert_uint_eq(avail(dev), before);
		left = ++n;
		rc = be->vm_create(dev, limits, &vm);
		ck_assert_int_eq(rc, disarm() ? -ENOMEM : 0);
	} while (rc);
	ck_assert_uint_gt(n, 4);
	be->vm_destroy(vm);
	ck_assert_uint_eq(avail(dev), before);
	be->close(dev);
}
END_TEST

/* The same as programs see it. 9 MiB have a mapping of their own. */
START_TEST(runtime)
{
	ppuInitOptions opt = { .backend = "core", .props = "gpcs=1 sms-per-gpc=1 vram=64M" };
	size_t before, now, total;
	unsigned n = 0, failed = 0;
	ppuResult res;
	ppuCtx ctx;
	void *p;

	ck_assert_int_eq(ppuInit(&opt), PPU_SUCCESS);
	ck_assert_int_eq(ppuCtxCreate(&ctx, 0, 0), PPU_SUCCESS);
	ck_assert_int_eq(ppuMemGetInfo(&before, &total), PPU_SUCCESS);
	do {
		left = ++n;
		res = ppuMalloc(&p, 9 << 20);
		if (!disarm())
			break;
		ck_assert_msg(res == PPU_ERROR_OUT_OF_HOST_MEMORY, "allocation %u: %s", n, ppuGetErrorName(res));
		ck_assert_str_eq(ppuGetErrorName(res), "PPU_ERROR_OUT_OF_HOST_MEMORY");
		ck_assert_str_eq(ppuGetLastErrorDetail(), "allocating memory: Cannot allocate memory");
		ck_assert_int_eq(ppuMemGetInfo(&now, &total), PPU_SUCCESS);
		ck_assert_uint_eq(now, before);
		failed++;
	} while (res);
	ck_assert_int_eq(res, PPU_SUCCESS);
	ck_assert_uint_gt(failed, 3);		/* the backend's tables among them */
	ck_assert_int_eq(ppuMemset(p, 0x5a, 1, 9 << 20), PPU_SUCCESS);
	ck_assert_int_eq(ppuFree(p), PPU_SUCCESS);
	ck_assert_int_eq(ppuCtxDestroy(ctx), PPU_SUCCESS);
	ck_assert_int_eq(ppuShutdown(), PPU_SUCCESS);
}
END_TEST

/* Pages of the process: what is mapped, and what is there. */
static void pages(uint64_t *mapped, uint64_t *there)
{
	FILE *f = fopen("/proc/self/statm", "re");

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fscanf(f, "%" SCNu64 " %" SCNu64, mapped, there), 2);
	fclose(f);
}

/* 8 GiB of VRAM, whatever the host has; it takes memory where it is used. */
START_TEST(much_vram)
{
	ppuInitOptions opt = { .props = "gpcs=1 sms-per-gpc=1" };
	uint64_t mapped, before, after, total, addr, step = 64 << 20;
	struct be_dev *dev;
	char *err;

	pages(&mapped, &before);
	ck_assert_int_eq(be->open(&opt, 0, &dev, &err), 0);
	ck_assert_int_eq(be->mem_info(dev, &after, &total), 0);
	ck_assert_uint_eq(total, 8ull << 30);
	ck_assert_int_eq(ppu_bc_vram_alloc(dev, 7ull << 30, &addr), 0);
	for (uint64_t at = 0; at < 7ull << 30; at += step)
		dev->vram[addr + at] = (uint8_t)(at / step + 1);
	for (uint64_t at = 0; at < 7ull << 30; at += step) {
		ck_assert_uint_eq(dev->vram[addr + at], (uint8_t)(at / step + 1));
		ck_assert_uint_eq(dev->vram[addr + at + step - 1], 0);
	}
	pages(&mapped, &after);
	/* Each touch may have brought a large page of the host: 112, and half as much for the device. */
	ck_assert_uint_lt((after - before) * (uint64_t)sysconf(_SC_PAGESIZE), 512ull << 20);
	be->close(dev);
}
END_TEST

START_TEST(no_address_space)
{
	ppuInitOptions opt = { .backend = "core" };
	struct rlimit old, less;
	uint64_t mapped, there;

	pages(&mapped, &there);
	ck_assert_int_eq(getrlimit(RLIMIT_AS, &old), 0);
	less = old;
	less.rlim_cur = mapped * (uint64_t)sysconf(_SC_PAGESIZE) + (1ull << 30);
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &less), 0);
	ck_assert_int_eq(ppuInit(&opt), PPU_ERROR_OUT_OF_HOST_MEMORY);
	ck_assert_ptr_nonnull(strstr(ppuGetLastErrorDetail(), "no address space for 8192 MiB of VRAM"));
	ck_assert_ptr_nonnull(strstr(ppuGetLastErrorDetail(), "PPU_PROPS=vram=256M"));
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &old), 0);
	ck_assert_int_eq(ppuInit(&opt), PPU_SUCCESS);
	ck_assert_int_eq(ppuShutdown(), PPU_SUCCESS);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("backend_memory");
	TCase *tc = tcase_create("core");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, open);
	tcase_add_test(tc, bind);
	tcase_add_test(tc, context);
	tcase_add_test(tc, runtime);
	tcase_add_test(tc, much_vram);
	tcase_add_test(tc, no_address_space);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? 1 : 0;
}
