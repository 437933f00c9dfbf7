// SPDX-License-Identifier: GPL-2.0-only
//LAB 11 file
/*
 * Lab 11: more buffers than VRAM has room for. Those that nobody has used for a while move to system memory, and come
 * back when they are used.
 *
 * Every function is called with place.lock held: nobody else moves buffers, and no job is submitted meanwhile.
 * lab_place.h says what there is to call, and in which order locks are taken.
 */
#include <linux/slab.h>
#include <drm/drm_mm.h>
#include "lab_chan.h"
#include "lab_place.h"
#include "lab_vm.h"

/* --- the order of use ------------------------------------------------------------------------- */

//LAB 11 write: The buffer is used now, so it is the last one to go. A buffer in VRAM stands in place.lru,
//LAB      under place.list_lock. Nobody but you calls this: lab_bo_restore() does.
void lab_bo_used(struct lab_bo *bo)
{
	struct lab_place *place = &lab_bo_dev(bo)->place;

	mutex_lock(&place->list_lock);
	list_move_tail(&bo->link, &place->lru);
	mutex_unlock(&place->list_lock);
}

//LAB instead
void lab_bo_used(struct lab_bo *bo)
{
}

//LAB end
//LAB 11 write: Can the device be using this buffer? It can if the buffer is bound in an address space that
//LAB      has a channel with work to do (lab_chan_busy()). Return that channel, with its reference, and the
//LAB      number of its last job; or NULL.
struct lab_chan *lab_bo_busy(struct lab_bo *bo, u64 *seqno)
{
	struct lab_chan *chan;
	struct lab_spot *spot;

	list_for_each_entry(spot, &bo->spots, bo_link) {
		chan = lab_chan_busy(spot->vm, seqno);
		if (chan)
			return chan;
	}
	return NULL;
}

//LAB instead
struct lab_chan *lab_bo_busy(struct lab_bo *bo, u64 *seqno)
{
	return NULL;
}

//LAB end
/* --- moving ----------------------------------------------------------------------------------- */

//LAB 11 write: Copy the buffer between VRAM (its node) and pieces of system memory, with the copy engine:
//LAB      lab_ce_copy(), in the kernel's context. out: to system memory.
static int lab_bo_move(struct lab_bo *bo, struct lab_piece *pieces, bool out)
{
	u64 vram = LAB_VA_VRAM + bo->node.start, sys;
	u32 i;
	int ret;

	for (i = 0; i < lab_bo_num_pieces(bo); i++) {
		sys = LAB_VA_SYS + pieces[i].dma;
		if (out)
			ret = lab_ce_copy(lab_bo_dev(bo), vram, sys, pieces[i].bytes);
		else
			ret = lab_ce_copy(lab_bo_dev(bo), sys, vram, pieces[i].bytes);
		if (ret)
			return ret;
		vram += pieces[i].bytes;
	}
	return 0;
}

//LAB instead
static int __maybe_unused lab_bo_move(struct lab_bo *bo, struct lab_piece *pieces, bool out)
{
	return -EOPNOTSUPP;
}

//LAB end
//LAB 11 write: Let an address space find a part of the buffer, [at, at + bytes), at another address:
//LAB      VRAM offset, or bus address with PPU_PTE_SYS in flags. Only what the spot has of that part is mapped.
//LAB      lab_vm_map() with spot->vm->lock held; the tables are there already, so it cannot fail.
static void lab_spot_point(struct lab_spot *spot, u64 at, u64 bytes, u64 to, u64 flags)
{
	u64 start = max(spot->offset, at), end = min(spot->offset + spot->bytes, at + bytes);

	if (start >= end)
		return;
	mutex_lock(&spot->vm->lock);
	lab_vm_map(spot->vm, spot->va + (start - spot->offset), to + (start - at), end - start,
		   spot->flags | flags);
	mutex_unlock(&spot->vm->lock);
}

//LAB instead
static void __maybe_unused lab_spot_point(struct lab_spot *spot, u64 at, u64 bytes, u64 to, u64 flags)
{
}

//LAB end
//LAB 11 write: The buffer is now in `pieces`, or, if that is NULL, in VRAM. Let every address space that has
//LAB      it find it there (bo->spots), and make the device forget where it was: TLB_INV_INST, TLB_INV, with
//LAB      ldev->ctx_lock held, once the entries are in VRAM.
static void lab_bo_repoint(struct lab_bo *bo, struct lab_piece *pieces)
{
	struct lab_dev *ldev = lab_bo_dev(bo);
	struct lab_spot *spot;
	u32 i;

	list_for_each_entry(spot, &bo->spots, bo_link) {
		if (!pieces)
			lab_spot_point(spot, 0, bo->base.size, bo->node.start, 0);
		for (i = 0; pieces && i < lab_bo_num_pieces(bo); i++)
			lab_spot_point(spot, (u64)i * LAB_PIECE_BYTES, pieces[i].bytes,
				       pieces[i].dma, PPU_PTE_SYS);
		wmb();	/* the entries are in VRAM before the device reads them again */
		mutex_lock(&ldev->ctx_lock);
		lab_write64(ldev, PPU_REG_TLB_INV_INST_LO, spot->vm->ctx.inst);
		lab_write(ldev, PPU_REG_TLB_INV, 1);
		mutex_unlock(&ldev->ctx_lock);
	}
}

//LAB instead
static void __maybe_unused lab_bo_repoint(struct lab_bo *bo, struct lab_piece *pieces)
{
}

//LAB end
//LAB 11 write: Where the buffer is has changed: move it between the lists (place.lru: its end; place.out), and
//LAB      keep the books: vram_bytes, sys_bytes, evictions or restores. place.list_lock.
static void lab_bo_account(struct lab_bo *bo, bool out)
{
	struct lab_place *place = &lab_bo_dev(bo)->place;
	u64 size = bo->base.size;

	mutex_lock(&place->list_lock);
	list_move_tail(&bo->link, out ? &place->out : &place->lru);
	place->vram_bytes += out ? -size : size;
	place->sys_bytes += out ? size : -size;
	place->evictions += out;
	place->restores += !out;
	mutex_unlock(&place->list_lock);
}

//LAB instead
static void __maybe_unused lab_bo_account(struct lab_bo *bo, bool out)
{
}

//LAB end
//LAB 11 write: Move an idle buffer from VRAM to system memory: lab_pieces_alloc(), lab_bo_unmap(), copy,
//LAB      set bo->pieces, let address spaces find it there, give its place in VRAM back (drm_mm_remove_node()
//LAB      under gem.lock), keep the books. In which order, so that no store of a program is lost? If a step
//LAB      fails, the buffer is in VRAM as before.
int lab_bo_evict(struct lab_bo *bo)
{
	struct lab_dev *ldev = lab_bo_dev(bo);
	struct lab_piece *pieces;
	int ret;

	ret = lab_pieces_alloc(bo, &pieces);
	if (ret)
		return ret;
	/* From here on a program that touches the buffer waits in lab_place_fault(). */
	lab_bo_unmap(bo);
	ret = lab_bo_move(bo, pieces, true);
	if (ret) {
		lab_pieces_free(bo, pieces);
		return ret;
	}
	lab_bo_repoint(bo, pieces);
	bo->pieces = pieces;
	mutex_lock(&ldev->gem.lock);
	drm_mm_remove_node(&bo->node);
	mutex_unlock(&ldev->gem.lock);
	lab_bo_account(bo, true);
	return 0;
}

//LAB instead
int lab_bo_evict(struct lab_bo *bo)
{
	return -ENOSPC;
}

//LAB end
//LAB 11 write: Move a buffer from system memory back to VRAM; one that is there already only counts as used.
//LAB      Find a place (drm_mm_insert_node() under gem.lock); as long as there is none, lab_place_room(). If a
//LAB      step fails, the buffer is in system memory as before. Errors: those of lab_place_room() and
//LAB      lab_ce_copy().
static int lab_bo_insert(struct lab_bo *bo)
{
	struct lab_gem *gem = &lab_bo_dev(bo)->gem;
	int ret;

	for (;;) {
		mutex_lock(&gem->lock);
		ret = drm_mm_insert_node(&gem->mm, &bo->node, bo->base.size);
		mutex_unlock(&gem->lock);
		if (ret != -ENOSPC)
			return ret;
		ret = lab_place_room(lab_bo_dev(bo), bo->base.size);
		if (ret)
			return ret;
	}
}

int lab_bo_restore(struct lab_bo *bo)
{
	struct lab_gem *gem = &lab_bo_dev(bo)->gem;
	struct lab_piece *pieces = bo->pieces;
	int ret;

	if (!pieces) {
		lab_bo_used(bo);
		return 0;
	}
	ret = lab_bo_insert(bo);
	if (ret)
		return ret;
	ret = lab_bo_move(bo, pieces, false);
	if (ret) {
		mutex_lock(&gem->lock);
		drm_mm_remove_node(&bo->node);
		mutex_unlock(&gem->lock);
		return ret;
	}
	bo->pieces = NULL;
	lab_bo_repoint(bo, NULL);
	lab_pieces_free(bo, pieces);
	lab_bo_account(bo, false);
	return 0;
}

//LAB instead
int lab_bo_restore(struct lab_bo *bo)
{
	return bo->pieces ? -ENOSPC : 0;
}

//LAB end
/* --- who goes --------------------------------------------------------------------------------- */

//LAB 11 write: Evict the buffer that was not used for longest, of those that are neither kept (bo->keep) nor
//LAB      busy: lab_place_next(), lab_bo_busy(). Without such a buffer: -EBUSY if one that is not kept is busy,
//LAB      because it will not stay so; otherwise -ENOSPC. Give back every reference.
int lab_place_evict_one(struct lab_dev *ldev)
{
	struct lab_bo *bo = NULL;
	struct lab_chan *chan;
	int ret = -ENOSPC;
	u64 seqno;

	while ((bo = lab_place_next(ldev, bo))) {
		if (bo->keep)
			continue;
		chan = lab_bo_busy(bo, &seqno);
		if (chan) {
			lab_chan_put(chan);
			ret = -EBUSY;
			continue;
		}
		ret = lab_bo_evict(bo);
		drm_gem_object_put(&bo->base);
		return ret;
	}
	return ret;
}

//LAB instead
int lab_place_evict_one(struct lab_dev *ldev)
{
	return -ENOSPC;
}

//LAB end
//LAB 11 write: Somebody needs a place of `bytes` bytes, and there is none: evict one buffer. 0 means: look again.
//LAB      A buffer that has no room even in empty VRAM is -ENOSPC, and nobody moves for it.
int lab_place_room(struct lab_dev *ldev, u64 bytes)
{
	if (bytes > ldev->vram_size - LAB_VRAM_OWN)
		return -ENOSPC;
	return lab_place_evict_one(ldev);
}

//LAB instead
int lab_place_room(struct lab_dev *ldev, u64 bytes)
{
	return -ENOSPC;
}

//LAB end
//LAB 11 write: Bring all these buffers to VRAM, and keep them there (bo->keep) until lab_place_release(). A
//LAB      buffer may be in the array twice. When the third one comes, the first one must not go. If one of them
//LAB      cannot come, release all, and return the error. If they can never fit together, do not begin.
static u64 lab_place_sum(struct lab_bo **bos, u32 num)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < num; i++) {
		if (!bos[i]->keep)
			sum += bos[i]->base.size;
		bos[i]->keep = true;
	}
	return sum;
}

int lab_place_hold(struct lab_bo **bos, u32 num)
{
	struct lab_dev *ldev;
	int ret = 0;
	u32 i;

	if (!num)
		return 0;
	ldev = lab_bo_dev(bos[0]);
	if (lab_place_sum(bos, num) > ldev->vram_size - LAB_VRAM_OWN)
		ret = -ENOSPC;
	for (i = 0; i < num && !ret; i++)
		ret = lab_bo_restore(bos[i]);
	if (ret)
		lab_place_release(bos, num);
	return ret;
}

//LAB instead
int lab_place_hold(struct lab_bo **bos, u32 num)
{
	return 0;
}

//LAB end
//LAB 11 write: These buffers may move again.
void lab_place_release(struct lab_bo **bos, u32 num)
{
	u32 i;

	for (i = 0; i < num; i++)
		bos[i]->keep = false;
}

//LAB instead
void lab_place_release(struct lab_bo **bos, u32 num)
{
}

//LAB end
//LAB 11 write: Every buffer that could go is busy. Wait until one of them is not: take the channel of the one
//LAB      that was not used for longest, and lab_chan_wait() for its last job, at most until `end`. Nobody else can
//LAB      do anything while you hold place.lock, perhaps not even submit what that job waits for: so unlock it
//LAB      for the wait. 0: look again (also if the channel failed). -ENOSPC: it is `end`. If a signal came:
//LAB      that error.
int lab_place_wait(struct lab_dev *ldev, ktime_t end)
{
	struct lab_chan *chan = NULL;
	struct lab_bo *bo = NULL;
	s64 left = ktime_to_ns(ktime_sub(end, ktime_get()));
	u64 seqno;
	int ret;

	if (left <= 0)
		return -ENOSPC;
	while (!chan && (bo = lab_place_next(ldev, bo)))
		chan = lab_bo_busy(bo, &seqno);
	if (bo)
		drm_gem_object_put(&bo->base);
	if (!chan)
		return 0;
	mutex_unlock(&ldev->place.lock);
	ret = lab_chan_wait(chan, seqno, left);
	lab_chan_put(chan);
	mutex_lock(&ldev->place.lock);
	if (ret == -ETIME)
		return -ENOSPC;
	return ret == -ERESTARTSYS ? ret : 0;
}

//LAB instead
int lab_place_wait(struct lab_dev *ldev, ktime_t end)
{
	return -ENOSPC;
}
//LAB end
