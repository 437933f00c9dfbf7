// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: pages of objects that are out are given back when memory is short.
 *
 * An object that is out of VRAM is in a shmem file, whose pages the kernel can swap.  Those that
 * the CPU has mapped are pinned, since its page tables have no reference.  The shrinker takes the
 * mappings away and the pins with them: the CPU's next access faults, and gets the pages again.
 *
 * It runs wherever memory is allocated, so it waits for no lock.
 */

#include <linux/sched/mm.h>
#include <linux/shrinker.h>

#include <drm/drm_gem.h>
#include <drm/drm_managed.h>

#include "base/ppu_device.h"
#include "memory/ppu_gem.h"
#include "memory/ppu_move.h"
#include "memory/ppu_shrink.h"

static unsigned long ppu_shrink_size(struct ppu_bo *bo)
{
	return ppu_bo_gem(bo)->size >> PAGE_SHIFT;
}

static void ppu_shrink_del(struct ppu_shrink *s, struct ppu_bo *bo)
{
	lockdep_assert_held(&s->lock);

	list_del_init(&bo->out_link);
	WRITE_ONCE(s->pages, s->pages - ppu_shrink_size(bo));
}

/** ppu_shrink_add - the CPU maps pages of an object that is out; its dma_resv is locked */
void ppu_shrink_add(struct ppu_bo *bo)
{
	struct ppu_shrink *s = to_ppu(ppu_bo_gem(bo)->dev)->shrink;

	mutex_lock(&s->lock);
	list_add_tail(&bo->out_link, &s->bos);
	WRITE_ONCE(s->pages, s->pages + ppu_shrink_size(bo));
	mutex_unlock(&s->lock);
}

/**
 * ppu_shrink_remove - leave the pages of an object alone
 * @bo: object of VRAM, whose dma_resv is locked, or that nobody uses any more
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

	return READ_ONCE(s->pages) ?: SHRINK_EMPTY;
}

/* Objects whose dma_resv is locked move, or somebody maps them: they are in use. */
static unsigned long ppu_shrink_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct ppu_shrink *s = ppu_shrinker_private(shrinker);
	unsigned long freed = 0;
	struct ppu_bo *bo, *next;

	if (!mutex_trylock(&s->lock))
		return SHRINK_STOP;
	list_for_each_entry_safe(bo, next, &s->bos, out_link) {
		if (freed >= sc->nr_to_scan)
			break;
		if (!dma_resv_trylock(ppu_bo_gem(bo)->resv))
			continue;
		ppu_shrink_del(s, bo);
		ppu_move_give_back(bo);
		dma_resv_unlock(ppu_bo_gem(bo)->resv);
		freed += ppu_shrink_size(bo);
	}
	/* Whole objects: it may be more than was asked for, and counts as that. */
	if (freed)
		sc->nr_scanned = freed;
	s->given_back += freed;
	mutex_unlock(&s->lock);
	return freed ?: SHRINK_STOP;
}

static void ppu_shrink_fini(struct drm_device *drm, void *data)
{
	struct ppu_shrink *s = data;

	shrinker_free(s->shrinker);
	drm_WARN_ON(drm, !list_empty(&s->bos));
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
	/* Tell lockdep: memory must not be allocated under this lock, which the shrinker takes. */
	fs_reclaim_acquire(GFP_KERNEL);
	might_lock(&s->lock);
	fs_reclaim_release(GFP_KERNEL);
	ppu->shrink = s;
	s->shrinker->count_objects = ppu_shrink_count;
	s->shrinker->scan_objects = ppu_shrink_scan;
	ppu_shrinker_private(s->shrinker) = s;
	shrinker_register(s->shrinker);
	return drmm_add_action_or_reset(&ppu->drm, ppu_shrink_fini, s);
}
