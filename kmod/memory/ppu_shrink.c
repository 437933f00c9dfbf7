// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: pages of objects are given back when memory is short.
 *
 * An object that is out is in a shmem file, whose pages the kernel can swap.  Those that
 * the CPU has mapped are pinned, since its page tables have no reference.  The shrinker takes the
 * mappings away and the pins with them: the CPU's next access faults, and gets the pages again.
 *
 * After these it takes system objects that no VM on the device shows.  If that is not enough, it
 * asks for VMs that are idle to be held (ppu_evict.c), since it cannot wait for a VM.
 *
 * All of these pages can only be freed if they can be written to swap.  Before any of them it takes
 * objects whose contents nobody needs (GEM_MADVISE): these are dropped, so that needs no swap.
 *
 * It runs wherever memory is allocated, so it waits for no lock under which memory is allocated.
 */

#include <linux/moduleparam.h>
#include <linux/sched/mm.h>
#include <linux/shrinker.h>
#include <linux/swap.h>

#include <drm/drm_gem.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "base/ppu_device.h"
#include "memory/ppu_evict.h"
#include "memory/ppu_gem.h"
#include "memory/ppu_move.h"
#include "memory/ppu_shrink.h"
#include "memory/ppu_sys.h"

static unsigned int ppu_shrink_unswapped;
module_param_named(shrink_unswapped, ppu_shrink_unswapped, uint, 0600);
MODULE_PARM_DESC(shrink_unswapped, "give pages back even if there is no swap space, for tests");

/* So many objects of each list are looked at in one scan; the next one goes on behind them. */
#define PPU_SHRINK_LOOKS	64

/**
 * struct ppu_shrink_pass - one scan
 */
struct ppu_shrink_pass {
	/** @want: pages to free. */
	unsigned long want;
	/** @freed: pages that were freed. */
	unsigned long freed;
	/** @looked: pages of the objects that were looked at. */
	unsigned long looked;
	/** @objects: how many these were. */
	unsigned int objects;
};

static bool ppu_shrink_can_swap(void)
{
	return READ_ONCE(ppu_shrink_unswapped) || get_nr_swap_pages() > 0;
}

static unsigned long ppu_shrink_size(struct ppu_bo *bo)
{
	return ppu_bo_gem(bo)->size >> PAGE_SHIFT;
}

/* The pages of all in the list where the object is, or is to be. */
static unsigned long *ppu_shrink_sum(struct ppu_shrink *s, struct ppu_bo *bo)
{
	if (bo->dontneed)
		return &s->dontneed_pages;
	return bo->out ? &s->pages : &s->sys_pages;
}

static void ppu_shrink_del(struct ppu_shrink *s, struct ppu_bo *bo)
{
	unsigned long *pages = ppu_shrink_sum(s, bo);

	lockdep_assert_held(&s->lock);

	list_del_init(&bo->out_link);
	WRITE_ONCE(*pages, *pages - ppu_shrink_size(bo));
}

/* An object whose contents may be dropped is in its list wherever it is, so it may be there. */
static void ppu_shrink_insert(struct ppu_shrink *s, struct ppu_bo *bo)
{
	unsigned long *pages = ppu_shrink_sum(s, bo);

	lockdep_assert_held(&s->lock);

	if (!list_empty(&bo->out_link))
		return;
	if (bo->dontneed)
		list_add_tail(&bo->out_link, &s->dontneed);
	else
		list_add_tail(&bo->out_link, bo->out ? &s->bos : &s->sys);
	WRITE_ONCE(*pages, *pages + ppu_shrink_size(bo));
}

/** ppu_shrink_add - the CPU maps pages of an object that is out; its dma_resv is locked */
void ppu_shrink_add(struct ppu_bo *bo)
{
	struct ppu_shrink *s = to_ppu(ppu_bo_gem(bo)->dev)->shrink;

	mutex_lock(&s->lock);
	ppu_shrink_insert(s, bo);
	mutex_unlock(&s->lock);
}

/** ppu_shrink_add_sys - the device can reach a system object, which may be given back */
void ppu_shrink_add_sys(struct ppu_bo *bo)
{
	struct ppu_shrink *s = to_ppu(ppu_bo_gem(bo)->dev)->shrink;

	mutex_lock(&s->lock);
	ppu_shrink_insert(s, bo);
	mutex_unlock(&s->lock);
}

/** ppu_shrink_count_in - a system object is back */
void ppu_shrink_count_in(struct ppu_bo *bo)
{
	struct ppu_shrink *s = to_ppu(ppu_bo_gem(bo)->dev)->shrink;

	mutex_lock(&s->lock);
	s->sys_in += ppu_shrink_size(bo);
	mutex_unlock(&s->lock);
}

/* Does the kernel get anything by it if the object goes?  Its dma_resv is locked. */
static bool ppu_shrink_has_memory(struct ppu_bo *bo)
{
	if (!ppu_bo_moves(bo) || bo->base.map_wc)
		return false;
	if (!bo->out)
		return bo->placement == DRM_PPU_PLACEMENT_SYSTEM;
	/* What the CPU has not mapped may still be in the cache of shmem, or in swap. */
	return bo->out_pages || (bo->dontneed && !bo->dropped);
}

/**
 * ppu_shrink_advise - say whether the contents of an object are needed
 * @bo: object of any kind; its dma_resv is locked
 * @dontneed: they may be dropped; else they may not, and the owner knows whether they were
 */
void ppu_shrink_advise(struct ppu_bo *bo, bool dontneed)
{
	struct ppu_shrink *s = to_ppu(ppu_bo_gem(bo)->dev)->shrink;

	dma_resv_assert_held(ppu_bo_gem(bo)->resv);

	mutex_lock(&s->lock);
	if (!list_empty(&bo->out_link))
		ppu_shrink_del(s, bo);
	WRITE_ONCE(bo->dontneed, dontneed);
	bo->dropped &= dontneed;
	if (ppu_shrink_has_memory(bo))
		ppu_shrink_insert(s, bo);
	mutex_unlock(&s->lock);
}

/** ppu_shrink_count_dropped - contents of an object were dropped */
void ppu_shrink_count_dropped(struct ppu_bo *bo)
{
	atomic64_add(ppu_shrink_size(bo), &to_ppu(ppu_bo_gem(bo)->dev)->shrink->dropped);
}

/** ppu_shrink_mark_sys - ppu_evict_mark() for all system objects that could be given back */
void ppu_shrink_mark_sys(struct ppu_device *ppu)
{
	struct ppu_shrink *s = ppu->shrink;
	struct ppu_bo *bo;

	mutex_lock(&s->lock);
	list_for_each_entry(bo, &s->dontneed, out_link)
		ppu_evict_mark(bo);
	if (ppu_shrink_can_swap())
		list_for_each_entry(bo, &s->sys, out_link)
			ppu_evict_mark(bo);
	mutex_unlock(&s->lock);
}

/**
 * ppu_shrink_remove - leave the pages of an object alone
 * @bo: object whose dma_resv is locked, or that nobody uses any more
 *
 * The object need not have been added.  The shrinker has nothing to do with it afterwards.
 */
void ppu_shrink_remove(struct ppu_bo *bo)
{
	struct ppu_shrink *s = to_ppu(ppu_bo_gem(bo)->dev)->shrink;

	mutex_lock(&s->lock);
	if (!list_empty(&bo->out_link))
		ppu_shrink_del(s, bo);
	mutex_unlock(&s->lock);
}

static unsigned long ppu_shrink_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct ppu_shrink *s = ppu_shrinker_private(shrinker);
	unsigned long pages = READ_ONCE(s->dontneed_pages);

	if (ppu_shrink_can_swap())
		pages += READ_ONCE(s->pages) + READ_ONCE(s->sys_pages);
	return pages ?: SHRINK_EMPTY;
}

/* Objects whose dma_resv is locked move, or somebody maps them: they are in use. */
static bool ppu_shrink_out(struct ppu_shrink *s, struct ppu_bo *bo)
{
	if (!dma_resv_trylock(ppu_bo_gem(bo)->resv))
		return false;
	ppu_shrink_del(s, bo);
	ppu_move_give_back(bo);
	dma_resv_unlock(ppu_bo_gem(bo)->resv);
	return true;
}

/* False: the device may use it, or somebody maps it. */
static bool ppu_shrink_sys(struct ppu_shrink *s, struct ppu_bo *bo)
{
	if (!ppu_evict_claim_unused(bo))
		return false;
	if (!dma_resv_trylock(ppu_bo_gem(bo)->resv)) {
		ppu_bo_unclaim(bo);
		return false;
	}
	ppu_shrink_del(s, bo);
	ppu_sys_out(bo);
	dma_resv_unlock(ppu_bo_gem(bo)->resv);
	return true;
}

/* Nothing is left of it but the object. */
static void ppu_shrink_empty(struct ppu_shrink *s, struct ppu_bo *bo)
{
	ppu_shrink_del(s, bo);
	if (bo->out)
		ppu_move_give_back(bo);
	else
		ppu_sys_out(bo);
	ppu_move_drop(bo);
}

/* False: it is on the device, or somebody maps it. */
static bool ppu_shrink_drop_out(struct ppu_shrink *s, struct ppu_bo *bo)
{
	bool out;

	if (!dma_resv_trylock(ppu_bo_gem(bo)->resv))
		return false;
	out = bo->out;
	if (out)
		ppu_shrink_empty(s, bo);
	dma_resv_unlock(ppu_bo_gem(bo)->resv);
	return out;
}

/* Likewise, but none moves meanwhile: those on the device that it does not use can go, too. */
static bool ppu_shrink_drop(struct ppu_shrink *s, struct ppu_bo *bo)
{
	if (bo->out)
		return ppu_shrink_drop_out(s, bo);
	if (!ppu_evict_claim_unused(bo))
		return false;
	if (!dma_resv_trylock(ppu_bo_gem(bo)->resv)) {
		ppu_bo_unclaim(bo);
		return false;
	}
	ppu_shrink_empty(s, bo);
	dma_resv_unlock(ppu_bo_gem(bo)->resv);
	return true;
}

/* Goes on in a list where the last pass ended: what is in use comes behind all others. */
static unsigned long ppu_shrink_list(struct ppu_shrink *s, struct ppu_shrink_pass *pass,
				     struct list_head *list,
				     bool (*shrink)(struct ppu_shrink *s, struct ppu_bo *bo))
{
	struct ppu_bo *bo, *first_used = NULL;
	unsigned long freed = 0, size;
	unsigned int looks = 0;

	/* Each list has looks of its own: one full of what is in use does not keep others back. */
	while (!list_empty(list) && pass->freed < pass->want && looks++ < PPU_SHRINK_LOOKS) {
		bo = list_first_entry(list, struct ppu_bo, out_link);
		if (bo == first_used)
			break;
		size = ppu_shrink_size(bo);
		pass->objects++;
		pass->looked += size;
		if (shrink(s, bo)) {
			freed += size;
			pass->freed += size;
		} else {
			list_move_tail(&bo->out_link, list);
			first_used = first_used ?: bo;
		}
	}
	return freed;
}

static void ppu_shrink_pass(struct ppu_shrink *s, struct ppu_shrink_pass *pass)
{
	bool swap = ppu_shrink_can_swap(), still;

	/* Without objects, the rest of the driver may not be there yet, or any more. */
	still = !(list_empty(&s->sys) && list_empty(&s->dontneed)) && ppu_evict_trylock(s->ppu);
	ppu_shrink_list(s, pass, &s->dontneed, still ? ppu_shrink_drop : ppu_shrink_drop_out);
	if (swap)
		s->given_back += ppu_shrink_list(s, pass, &s->bos, ppu_shrink_out);
	if (swap && still)
		s->sys_out += ppu_shrink_list(s, pass, &s->sys, ppu_shrink_sys);
	if (still)
		ppu_evict_tryunlock(s->ppu);
}

static unsigned long ppu_shrink_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct ppu_shrink *s = ppu_shrinker_private(shrinker);
	struct ppu_shrink_pass pass = { .want = sc->nr_to_scan };

	if (!mutex_trylock(&s->lock))
		return SHRINK_STOP;
	ppu_shrink_pass(s, &pass);
	s->passes++;
	s->looks += pass.objects;
	if (pass.freed < pass.want &&
	    (s->dontneed_pages || (s->sys_pages && ppu_shrink_can_swap())))
		ppu_evict_want_idle(s->ppu);
	mutex_unlock(&s->lock);
	/* Whole objects: it may be more than was asked for, and counts as that. */
	if (!pass.looked)
		return SHRINK_STOP;
	sc->nr_scanned = pass.looked;
	return pass.freed;
}

/** ppu_shrink_print - say what there is, and what was given back */
void ppu_shrink_print(struct drm_printer *p, struct ppu_device *ppu)
{
	struct ppu_shrink *s = ppu->shrink;

	mutex_lock(&s->lock);
	drm_printf(p, "cpu_pages %lu\ngiven_back_pages %llu\n", s->pages, s->given_back);
	drm_printf(p, "system_pages %lu\nsystem_out_pages %llu\nsystem_in_pages %llu\n",
		   s->sys_pages, s->sys_out, s->sys_in);
	drm_printf(p, "dontneed_pages %lu\ndropped_pages %lld\n", s->dontneed_pages,
		   (s64)atomic64_read(&s->dropped));
	drm_printf(p, "shrink_passes %llu\nshrink_looks %llu\n", s->passes, s->looks);
	mutex_unlock(&s->lock);
}

static void ppu_shrink_fini(struct drm_device *drm, void *data)
{
	struct ppu_shrink *s = data;

	shrinker_free(s->shrinker);
	drm_WARN_ON(drm, !list_empty(&s->bos) || !list_empty(&s->sys) ||
		    !list_empty(&s->dontneed));
	mutex_destroy(&s->lock);
}

/**
 * ppu_shrink_init - make it possible to give pages back
 * @ppu: device
 *
 * Return: 0 or a negative error.
 */
int ppu_shrink_init(struct ppu_device *ppu)
{
	struct ppu_shrink *s = drmm_kzalloc(&ppu->drm, sizeof(*s), GFP_KERNEL);

	if (!s)
		return -ENOMEM;
	s->shrinker = shrinker_alloc(0, "drm-ppu");
	if (!s->shrinker)
		return -ENOMEM;
	mutex_init(&s->lock);
	INIT_LIST_HEAD(&s->bos);
	INIT_LIST_HEAD(&s->sys);
	INIT_LIST_HEAD(&s->dontneed);
	s->ppu = ppu;
	/* Tell lockdep: memory must not be allocated under locks that the shrinker takes. */
	fs_reclaim_acquire(GFP_KERNEL);
	might_lock(&s->lock);
	might_lock(&ppu->mapped_lock);
	fs_reclaim_release(GFP_KERNEL);
	ppu->shrink = s;
	s->shrinker->count_objects = ppu_shrink_count;
	s->shrinker->scan_objects = ppu_shrink_scan;
	ppu_shrinker_private(s->shrinker) = s;
	shrinker_register(s->shrinker);
	return drmm_add_action_or_reset(&ppu->drm, ppu_shrink_fini, s);
}
