/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clusters of CTAs: the order in which they start, addresses in each other's shared memory, and their barrier.
 *
 * The barrier needs no state of its own: each lane has arrived, or may pass, or neither.  When all lanes of the cluster that
 * live have arrived, they may pass.  A lane that has not passed cannot arrive again, so the next turn of the barrier cannot
 * be over before everybody has left this one.
 */
#include <string.h>
#include "core/sm/cluster/cluster.h"
#include "core/sm/diverge.h"
#include "core/sm/observe.h"
#include "core/sm/warp.h"

#define FOR_SLOTS(i, set) \
	for (uint32_t left_##i = (set), i; left_##i && (i = (uint32_t)__builtin_ctz(left_##i), 1); left_##i &= left_##i - 1)

/* ---- the order of CTAs ------------------------------------------------------------------------------ */

struct dims {
	uint32_t cluster[3], clusters[3], ctas;
};

static struct dims dims_of(const struct ppu_tmd *t)
{
	struct dims d = { .ctas = PPU_CLUSTER_CTAS(t->cluster) };
	unsigned i;

	for (i = 0; i < 3; i++) {
		d.cluster[i] = PPU_CLUSTER_DIM(t->cluster, i);
		d.clusters[i] = t->grid[i] / d.cluster[i];
	}
	return d;
}

/* A number as three, x first, and back. */
static void split(uint64_t n, const uint32_t *dim, uint32_t *v)
{
	v[0] = (uint32_t)(n % dim[0]);
	v[1] = (uint32_t)(n / dim[0] % dim[1]);
	v[2] = (uint32_t)(n / dim[0] / dim[1]);
}

static uint64_t joined(const uint32_t *v, const uint32_t *dim)
{
	return v[0] + dim[0] * (v[1] + (uint64_t)dim[1] * v[2]);
}

/* The cluster that a CTA belongs to, and its rank there. */
static uint64_t cluster_of(const struct dims *d, const uint32_t *id, uint32_t *rank)
{
	uint32_t cluster[3], in[3];
	unsigned i;

	for (i = 0; i < 3; i++) {
		cluster[i] = id[i] / d->cluster[i];
		in[i] = id[i] % d->cluster[i];
	}
	*rank = (uint32_t)joined(in, d->cluster);
	return joined(cluster, d->clusters);
}

uint64_t ppu_cluster_cta(const struct ppu_tmd *t, uint64_t n)
{
	uint32_t cluster[3], in[3], id[3];
	struct dims d;
	unsigned i;

	if (!t->cluster)
		return n;
	d = dims_of(t);
	split(n / d.ctas, d.clusters, cluster);
	split(n % d.ctas, d.cluster, in);
	for (i = 0; i < 3; i++)
		id[i] = cluster[i] * d.cluster[i] + in[i];
	return joined(id, t->grid);
}

uint64_t ppu_cluster_order(const struct ppu_tmd *t, uint64_t index)
{
	uint32_t id[3], rank;
	uint64_t cluster;
	struct dims d;

	if (!t->cluster)
		return index;
	d = dims_of(t);
	split(index, t->grid, id);
	cluster = cluster_of(&d, id, &rank);
	return cluster * d.ctas + rank;
}

bool ppu_cluster_tmd_ok(const struct ppu_tmd *t)
{
	uint64_t ctas = 1;
	unsigned i;

	if (!t->cluster)
		return true;
	if (t->cluster >> 24 || t->kind == PPU_TMD_QUEUE)
		return false;
	for (i = 0; i < 3; i++) {
		uint32_t dim = PPU_CLUSTER_DIM(t->cluster, i);

		if (!dim || t->grid[i] % dim)
			return false;
		ctas *= dim;
	}
	return ctas <= PPU_CLUSTER_MAX;
}

/* ---- CTAs of a cluster on the SM ------------------------------------------------------------------------ */

void ppu_cluster_join(struct ppu_sm *sm, struct ppu_cta *cta)
{
	const uint8_t slot = (uint8_t)(cta - sm->cta);
	uint32_t rank = 0;
	struct dims d;

	cta->peers = 1u << slot;
	cta->rank = 0;
	cta->cluster_ctas = (uint8_t)PPU_CLUSTER_CTAS(cta->task->launch.cluster);
	cta->cluster = cta->index;
	memset(cta->peer, PPU_NO_PEER, sizeof(cta->peer));
	cta->peer[0] = slot;
	if (cta->cluster_ctas == 1)
		return;
	d = dims_of(&cta->task->launch);
	cta->cluster = cluster_of(&d, cta->id, &rank);
	cta->rank = (uint8_t)rank;
	cta->peer[0] = PPU_NO_PEER;
	cta->peer[rank] = slot;
	FOR_SLOTS(i, sm->taken & ~cta->peers) {
		struct ppu_cta *o = &sm->cta[i];

		if (o->task != cta->task || o->cluster != cta->cluster)
			continue;
		o->peers |= 1u << slot;
		o->peer[rank] = slot;
		cta->peers |= 1u << i;
		cta->peer[o->rank] = (uint8_t)i;
	}
}

void ppu_cluster_leave(struct ppu_sm *sm, struct ppu_cta *cta)
{
	const uint32_t slot = (uint32_t)(cta - sm->cta);

	if (cta->cluster_ctas > 1)
		FOR_SLOTS(i, cta->peers & ~(1u << slot)) {
			sm->cta[i].peers &= ~(1u << slot);
			sm->cta[i].peer[cta->rank] = PPU_NO_PEER;
		}
	cta->peers = 0;
	cta->cluster_ctas = 1;
}

uint8_t *ppu_cluster_shared(const struct ppu_sm *sm, const struct ppu_cta *cta, uint64_t off, uint32_t bytes, unsigned *err)
{
	uint64_t number = off >> PPU_CLUSTER_SHIFT;
	const struct ppu_cta *to;

	*err = PPU_ERR_WINDOW_RANGE;
	if (!number || number > PPU_CLUSTER_MAX)
		return NULL;
	*err = PPU_ERR_CLUSTER_CTA;
	if (cta->peer[number - 1] == PPU_NO_PEER)
		return NULL;
	to = &sm->cta[cta->peer[number - 1]];
	*err = PPU_ERR_WINDOW_RANGE;
	off &= PPU_CLUSTER_BYTES - 1;
	return off + bytes > to->shared_bytes ? NULL : to->shared + off;
}

/* ---- the barrier -------------------------------------------------------------------------------------- */

/* All lanes of the cluster may pass. */
static void open_barrier(struct ppu_sm *sm, struct ppu_warp *by)
{
	uint32_t threads = 0;

	FOR_SLOTS(i, by->cta->peers)
		FOR_SLOTS(k, (uint32_t)((1ull << sm->cta[i].num_warps) - 1))
			threads += (uint32_t)__builtin_popcount(sm->warp[sm->cta[i].warp[k]].cl_arrived);
	PPU_SM_TRACE(sm, by, BAR_RELEASE, PPU_CLUSTER_BARRIER, threads, 0);
	FOR_SLOTS(i, by->cta->peers) {
		struct ppu_cta *cta = &sm->cta[i];

		cta->busy_bars &= ~(1u << PPU_CLUSTER_BARRIER);
		ppu_observe_barrier(sm, cta, PPU_CLUSTER_BARRIER);
		FOR_SLOTS(k, (uint32_t)((1ull << cta->num_warps) - 1)) {
			struct ppu_warp *w = &sm->warp[cta->warp[k]];
			uint32_t lanes = w->cl_arrived;

			w->cl_passed |= lanes;
			w->cl_arrived = 0;
			ppu_warp_unpark(sm, w, lanes);
		}
	}
}

static bool all_arrived(const struct ppu_sm *sm, const struct ppu_cta *of)
{
	uint32_t any = 0;

	FOR_SLOTS(i, of->peers)
		FOR_SLOTS(k, (uint32_t)((1ull << sm->cta[i].num_warps) - 1)) {
			const struct ppu_warp *w = &sm->warp[sm->cta[i].warp[k]];

			if (w->live & ~w->cl_arrived)
				return false;
			any |= w->cl_arrived;
		}
	return any;
}

void ppu_cluster_lanes_ended(struct ppu_sm *sm, struct ppu_warp *w)
{
	if (all_arrived(sm, w->cta))
		open_barrier(sm, w);
}

static __attribute__((noinline, cold)) enum ppu_step bad_barrier(struct ppu_sm *sm, struct ppu_warp *w, uint32_t lanes)
{
	unsigned lane = (unsigned)__builtin_ctz(lanes);

	ppu_observe_stuck(sm, w, PPU_ERR_BAD_BARRIER, lane);
	return ppu_sm_fault(sm, w, PPU_ERR_BAD_BARRIER, lane, PPU_CLUSTER_BARRIER, PPU_ACC_EXEC, 0);
}

enum ppu_step ppu_h_clarrive(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	uint32_t twice = mask & (w->cl_arrived | w->cl_passed);

	if (twice)
		return bad_barrier(sm, w, twice);
	FOR_SLOTS(i, w->cta->peers)
		sm->cta[i].busy_bars |= 1u << PPU_CLUSTER_BARRIER;
	w->cl_arrived |= mask;
	sm->ctr[PPU_CTR_BARRIERS]++;
	PPU_SM_TRACE(sm, w, BAR_ARRIVE, PPU_CLUSTER_BARRIER, mask, 0);
	if (all_arrived(sm, w->cta))
		open_barrier(sm, w);
	w->pc++;
	return PPU_GO;
}

/* As ppu_h_bar(): lanes of a warp that were released at this instruction go on together. */
enum ppu_step ppu_h_clwait(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	uint32_t done = mask & w->cl_passed, wait = mask & w->cl_arrived, again = 0, others;

	if (mask & ~(done | wait))
		return bad_barrier(sm, w, mask & ~(done | wait));
	others = ppu_warp_waiting(w, PPU_WAIT(PPU_REASON_YIELD, w->pc), w->live & ~w->active) & w->cl_passed;
	if (done && others)
		again = done;
	if ((again | wait) && ppu_warp_prepare_park(sm, w) != PPU_GO)
		return PPU_SWITCH;
	if (!again)
		w->cl_passed &= ~done;
	return ppu_warp_park(sm, w, again, wait);
}

/* ---- waiting for good --------------------------------------------------------------------------------- */

bool ppu_cluster_may_open(const struct ppu_sm *sm, const struct ppu_cta *cta)
{
	uint32_t waits = 0;

	FOR_SLOTS(k, (uint32_t)((1ull << cta->num_warps) - 1)) {
		const struct ppu_warp *w = &sm->warp[cta->warp[k]];

		waits |= w->parked & w->cl_arrived;
	}
	if (!waits)
		return false;
	FOR_SLOTS(i, cta->peers)
		FOR_SLOTS(k, (uint32_t)((1ull << sm->cta[i].num_warps) - 1))
			switch (sm->warp[sm->cta[i].warp[k]].state) {
			case PPU_WARP_PARKED: case PPU_WARP_DONE: case PPU_WARP_FREE:
				break;
			default:
				return true;
			}
	return false;
}

void ppu_cluster_cta_ended(struct ppu_sm *sm, uint32_t peers)
{
	FOR_SLOTS(i, peers)
		if (sm->cta[i].task && !sm->cta[i].faulted)
			ppu_sm_check_deadlock(sm, &sm->cta[i]);
}
