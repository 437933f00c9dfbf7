/* SPDX-License-Identifier: MIT */
/*
 * Capture: work given to a stream becomes nodes of a graph.  Other streams join the capture by waiting for an
 * event that was recorded in it, and must be joined to the first one again before its end.
 *
 * A stream that is captured has a lane: the nodes for which its next node waits.  An event that was recorded in a
 * captured stream has a mark: the nodes of the stream's lane at that time.
 */
#include <pthread.h>
#include <stdlib.h>

#include <ppu.h>
#include "cuda/graph/capture.h"
#include "cuda/context/context.h"
#include "cuda/context/object.h"
#include "cuda/graph/graph.h"
#include "cuda/graph/work.h"
#include "cuda/stream/event.h"
#include "cuda/stream/stream.h"

struct capture {
	int refs;			/* of lanes and marks */
	struct CUgraph_st *graph;	/* with a reference */
	ppuStream origin;		/* NULL: destroyed */
	struct CUctx_st *ctx;		/* for comparison only */
	CUstreamCaptureMode mode;
	pthread_t thread;
	unsigned long long id;
	bool spoiled, ended;
	bool into;			/* the graph is the program's own */
};

struct lane {
	ppuStream stream;		/* NULL: destroyed */
	bool blocking;			/* the legacy stream would wait for this stream */
	struct capture *cap;
	struct cu_nodes tail;
	struct lane *next;
};

struct cu_mark {
	struct capture *cap;
	struct cu_nodes nodes;
};

/* Guarded by cu_graph_lock, but num_lanes is also read without the lock. */
static struct lane *lanes;
static unsigned int num_lanes;
static unsigned long long last_id;

static __thread CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

static bool none(void)
{
	return !__atomic_load_n(&num_lanes, __ATOMIC_ACQUIRE);
}

static void capture_put(struct capture *cap)
{
	if (--cap->refs)
		return;
	cu_obj_put(cap->graph);
	free(cap);
}

static struct lane *lane_of(ppuStream stream)
{
	struct lane *l = stream ? lanes : NULL;

	while (l && l->stream != stream)
		l = l->next;
	return l;
}

static struct lane *lane_new(const struct cu_stream_use *u, struct capture *cap)
{
	struct lane *l = calloc(1, sizeof(*l));
	unsigned int flags = 0;

	if (!l)
		return NULL;
	ppuStreamGetFlags(u->ppu, &flags);
	l->stream = u->ppu;
	l->blocking = !(flags & PPU_STREAM_NON_BLOCKING);
	l->cap = cap;
	cap->refs++;
	l->next = lanes;
	lanes = l;
	__atomic_add_fetch(&num_lanes, 1, __ATOMIC_RELEASE);
	return l;
}

static void lane_free(struct lane *l)
{
	for (struct lane **p = &lanes; *p; p = &(*p)->next) {
		if (*p == l) {
			*p = l->next;
			break;
		}
	}
	__atomic_sub_fetch(&num_lanes, 1, __ATOMIC_RELEASE);
	cu_nodes_clear(&l->tail);
	capture_put(l->cap);
	free(l);
}

/* The legacy stream would have to wait for all blocking streams.  It cannot wait for a stream that is captured, so
 * during such a capture a call for the legacy stream is an error. */
static CUresult legacy_check(const struct cu_stream_use *u)
{
	if (u->ppu)
		return CUDA_SUCCESS;
	for (struct lane *l = lanes; l; l = l->next) {
		if (l->blocking && l->cap->ctx == u->ctx) {
			l->cap->spoiled = true;
			return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
		}
	}
	return CUDA_SUCCESS;
}

/* Finds the stream's lane.  NULL: the stream is not captured. */
static CUresult usable(const struct cu_stream_use *u, struct lane **lane)
{
	*lane = lane_of(u->ppu);
	if (!*lane)
		return legacy_check(u);
	return (*lane)->cap->spoiled ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
}

bool cu_capturing(const struct cu_stream_use *u)
{
	bool is;

	if (none())
		return false;
	pthread_mutex_lock(&cu_graph_lock);
	is = lane_of(u->ppu);
	pthread_mutex_unlock(&cu_graph_lock);
	return is;
}

static CUresult append(struct lane *l, const struct cu_op *op)
{
	struct CUgraphNode_st *node;
	struct cu_op own;
	CUresult r = cu_op_copy_of(&own, op);

	if (r)
		return r;
	r = cu_graph_append(l->cap->graph, &own, &l->tail, &node);
	cu_op_clear(&own);
	if (r) {
		l->cap->spoiled = true;
		return r;
	}
	cu_nodes_clear(&l->tail);
	return cu_nodes_add(&l->tail, node);
}

CUresult cu_capture_op(const struct cu_stream_use *u, const struct cu_op *op, bool *captured)
{
	struct lane *l;
	CUresult r;

	if (none())
		return CUDA_SUCCESS;
	pthread_mutex_lock(&cu_graph_lock);
	r = usable(u, &l);
	if (!r && l) {
		r = append(l, op);
		*captured = true;
	}
	pthread_mutex_unlock(&cu_graph_lock);
	return r;
}

/* ---- events --------------------------------------------------------------------------------- */

static void mark_drop(struct cu_mark *m)
{
	if (!m)
		return;
	cu_nodes_clear(&m->nodes);
	capture_put(m->cap);
	free(m);
}

void cu_capture_mark_free(struct cu_mark *m)
{
	if (!m)
		return;
	pthread_mutex_lock(&cu_graph_lock);
	mark_drop(m);
	pthread_mutex_unlock(&cu_graph_lock);
}

static CUresult mark(struct CUevent_st *e, struct lane *l)
{
	struct cu_mark *m = calloc(1, sizeof(*m));
	CUresult r;

	if (!m)
		return CUDA_ERROR_OUT_OF_MEMORY;
	m->cap = l->cap;
	m->cap->refs++;
	r = cu_nodes_merge(&m->nodes, &l->tail);
	if (r) {
		mark_drop(m);
		return r;
	}
	mark_drop(e->mark);
	e->mark = m;
	return CUDA_SUCCESS;
}

CUresult cu_capture_record(const struct cu_stream_use *u, struct CUevent_st *e, bool *captured)
{
	struct lane *l;
	CUresult r;

	pthread_mutex_lock(&cu_graph_lock);
	r = usable(u, &l);
	if (!r && l) {
		r = mark(e, l);
		*captured = true;
	} else if (!r) {
		mark_drop(e->mark);
		e->mark = NULL;
		e->recorded = true;
	}
	pthread_mutex_unlock(&cu_graph_lock);
	return r;
}

/* The stream's next node will wait for the mark's nodes.  A stream that is in no capture joins the mark's capture. */
static CUresult join(const struct cu_stream_use *u, struct lane *l, const struct cu_mark *m)
{
	if (m->cap->ended)
		return CUDA_ERROR_CAPTURED_EVENT;
	if (m->cap->spoiled)
		return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	if (l && l->cap != m->cap) {
		l->cap->spoiled = m->cap->spoiled = true;
		return CUDA_ERROR_STREAM_CAPTURE_MERGE;
	}
	if (!l && !u->ppu) {
		m->cap->spoiled = true;
		return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
	}
	if (!l)
		l = lane_new(u, m->cap);
	return l ? cu_nodes_merge(&l->tail, &m->nodes) : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cu_capture_wait(const struct cu_stream_use *u, struct CUevent_st *e, bool *captured)
{
	struct lane *l;
	CUresult r;

	pthread_mutex_lock(&cu_graph_lock);
	r = usable(u, &l);
	if (!r && e->mark) {
		r = join(u, l, e->mark);
		*captured = true;
	} else if (!r && l && e->recorded) {
		l->cap->spoiled = true;		/* the event waits for work that is not in the graph */
		r = CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
	} else if (l) {
		*captured = true;		/* the event was never recorded: nothing to wait for */
	}
	pthread_mutex_unlock(&cu_graph_lock);
	return r;
}

CUresult cu_capture_event_check(struct CUevent_st *e)
{
	CUresult r = CUDA_SUCCESS;

	pthread_mutex_lock(&cu_graph_lock);
	if (e->mark) {
		e->mark->cap->spoiled |= !e->mark->cap->ended;
		r = CUDA_ERROR_CAPTURED_EVENT;
	}
	pthread_mutex_unlock(&cu_graph_lock);
	return r;
}

/* ---- what must not happen during a capture ---------------------------------------------------- */

CUresult cu_capture_forbids(const struct cu_stream_use *u)
{
	struct lane *l;
	CUresult r;

	if (none())
		return CUDA_SUCCESS;
	pthread_mutex_lock(&cu_graph_lock);
	l = lane_of(u->ppu);
	r = l ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : legacy_check(u);
	if (l)
		l->cap->spoiled = true;
	pthread_mutex_unlock(&cu_graph_lock);
	return r ? r : cu_capture_unsafe();
}

CUresult cu_capture_unsafe(void)
{
	CUresult r = CUDA_SUCCESS;

	if (none() || thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED)
		return CUDA_SUCCESS;
	pthread_mutex_lock(&cu_graph_lock);
	for (struct lane *l = lanes; l; l = l->next) {
		bool mine = pthread_equal(l->cap->thread, pthread_self());

		if (l->cap->mode == CU_STREAM_CAPTURE_MODE_RELAXED ||
		    (!mine && (thread_mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL ||
			       l->cap->mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)))
			continue;
		l->cap->spoiled = true;
		r = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	}
	pthread_mutex_unlock(&cu_graph_lock);
	return r;
}

/* Locked.  Nobody can end the capture any more: of destroyed streams nothing stays. */
static void abandon(struct capture *cap)
{
	cap->spoiled = true;
	cap->origin = NULL;
	for (struct lane *l = lanes, *next; l; l = next) {
		next = l->next;
		if (l->cap == cap && !l->stream)
			lane_free(l);
	}
}

void cu_capture_stream_gone(ppuStream stream)
{
	struct lane *l;

	if (none())
		return;
	pthread_mutex_lock(&cu_graph_lock);
	l = lane_of(stream);
	if (l && l->cap->origin == stream) {
		abandon(l->cap);
		lane_free(l);
	} else if (l && l->cap->origin) {	/* what it did stays, and must still be joined */
		l->stream = NULL;
		l->blocking = false;
	} else if (l) {
		lane_free(l);
	}
	pthread_mutex_unlock(&cu_graph_lock);
}

CUresult i_cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
	CUstreamCaptureMode before = thread_mode;

	if (!mode || (int)*mode < 0 || *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
		return CUDA_ERROR_INVALID_VALUE;
	thread_mode = *mode;
	*mode = before;
	return CUDA_SUCCESS;
}

/* ---- begin and end -------------------------------------------------------------------------- */

/* Locked.  g: the program's graph, with a reference that becomes the capture's; NULL: a new graph. */
static CUresult begin(const struct cu_stream_use *u, CUstreamCaptureMode mode, struct CUgraph_st *g,
		      struct cu_nodes *tail)
{
	struct capture *cap = calloc(1, sizeof(*cap));
	struct lane *l;

	if (!cap || (!g && !(cap->graph = cu_graph_new()))) {
		free(cap);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	cap->into = g;
	if (g)
		cap->graph = g;
	cap->refs = 1;
	cap->origin = u->ppu;
	cap->ctx = u->ctx;
	cap->mode = mode;
	cap->thread = pthread_self();
	cap->id = ++last_id;
	l = lane_new(u, cap);
	if (l && !g) {
		cu_obj_ref(cap->graph);		/* the capture's reference; the first one is the handle's */
		cu_obj_publish(cap->graph);	/* cuStreamGetCaptureInfo shows it */
	}
	if (l && tail) {
		l->tail = *tail;
		*tail = (struct cu_nodes){ 0 };
	}
	capture_put(cap);
	return l ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult begin_capture(CUstream stream, CUstreamCaptureMode mode, CUgraph graph, const CUgraphNode *deps,
			      size_t num)
{
	struct cu_nodes tail = { 0 };
	struct CUgraph_st *g = NULL;
	struct cu_stream_use u;
	CUresult r;

	if ((int)mode < 0 || mode > CU_STREAM_CAPTURE_MODE_RELAXED)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_stream_get(stream, &u);
	if (r)
		return r;
	if (graph) {
		r = cu_obj_find(graph, CU_GRAPH, &g);
		if (r == CUDA_ERROR_INVALID_HANDLE)
			r = CUDA_ERROR_INVALID_VALUE;
	}
	pthread_mutex_lock(&cu_graph_lock);
	if (!r && !u.ppu)
		r = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	if (!r && lane_of(u.ppu))
		r = CUDA_ERROR_ILLEGAL_STATE;
	if (!r && g)
		r = cu_graph_deps(g, deps, num, &tail);
	if (!r) {
		r = begin(&u, mode, g, &tail);
		g = NULL;
	}
	cu_nodes_clear(&tail);
	pthread_mutex_unlock(&cu_graph_lock);
	cu_obj_put(g);
	cu_stream_put(&u);
	return r;
}

CUresult i_cuStreamBeginCapture(CUstream stream)
{
	return begin_capture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL, NULL, NULL, 0);
}

CUresult i_cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode)
{
	return begin_capture(stream, mode, NULL, NULL, 0);
}

CUresult i_cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode *deps,
				       const CUgraphEdgeData *edges, size_t num, CUstreamCaptureMode mode)
{
	(void)edges;		/* there is only one kind of edge */
	return graph ? begin_capture(stream, mode, graph, deps, num) : CUDA_ERROR_INVALID_VALUE;
}

/* Adds to `seen` all nodes for which nodes of `seen` wait. */
static CUresult ancestors(struct cu_nodes *seen)
{
	CUresult r = CUDA_SUCCESS;

	for (size_t i = 0; !r && i < seen->num; i++)
		r = cu_nodes_merge(seen, &seen->node[i]->deps);
	return r;
}

/* Does the origin stream wait for everything that other streams did in the capture? */
static CUresult joined(const struct lane *origin)
{
	struct cu_nodes seen = { 0 };
	CUresult r = cu_nodes_merge(&seen, &origin->tail);

	if (!r)
		r = ancestors(&seen);
	for (struct lane *l = lanes; !r && l; l = l->next)
		for (size_t i = 0; !r && l->cap == origin->cap && i < l->tail.num; i++)
			if (!cu_nodes_have(&seen, l->tail.node[i]))
				r = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
	cu_nodes_clear(&seen);
	return r;
}

/* Locked.  Ends the capture, also a spoiled one; *graph: its graph, or NULL after an error. */
static CUresult finish(struct lane *origin, CUgraph *graph)
{
	struct capture *cap = origin->cap;
	CUresult r = cap->spoiled ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : joined(origin);
	struct lane *l = lanes;

	cap->refs++;
	cap->ended = true;
	while (l) {
		struct lane *next = l->next;

		if (l->cap == cap)
			lane_free(l);
		l = next;
	}
	*graph = r ? NULL : cap->graph;
	if (!cap->into && r)
		cu_graph_withdraw(cap->graph);
	capture_put(cap);
	return r;
}

CUresult i_cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
	struct cu_stream_use u;
	CUgraph known;
	struct lane *l;
	CUresult r = cu_stream_get(stream, &u);

	if (r)
		return r;
	if (graph)
		*graph = NULL;
	pthread_mutex_lock(&cu_graph_lock);
	l = lane_of(u.ppu);
	/* Who captures into a graph of his own knows which it is. */
	if (!graph && !(l && l->cap->into))
		r = CUDA_ERROR_INVALID_VALUE;
	else if (!l)
		r = CUDA_ERROR_ILLEGAL_STATE;
	else if (l->cap->origin != u.ppu)
		r = CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
	else if (l->cap->mode != CU_STREAM_CAPTURE_MODE_RELAXED && !pthread_equal(l->cap->thread, pthread_self()))
		r = CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
	else
		r = finish(l, graph ? graph : &known);
	pthread_mutex_unlock(&cu_graph_lock);
	cu_stream_put(&u);
	return r;
}

/* ---- looking -------------------------------------------------------------------------------- */

CUresult i_cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
				     const CUgraphNode **deps, const CUgraphEdgeData **edges, size_t *num)
{
	struct cu_stream_use u;
	struct lane *l;
	CUresult r;

	if (!status)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_stream_get(stream, &u);
	if (r)
		return r;
	pthread_mutex_lock(&cu_graph_lock);
	l = lane_of(u.ppu);
	if (!l)
		r = legacy_check(&u);
	*status = !l ? CU_STREAM_CAPTURE_STATUS_NONE : l->cap->spoiled ? CU_STREAM_CAPTURE_STATUS_INVALIDATED :
		  CU_STREAM_CAPTURE_STATUS_ACTIVE;
	if (*status == CU_STREAM_CAPTURE_STATUS_ACTIVE) {
		if (id)
			*id = l->cap->id;
		if (graph)
			*graph = l->cap->graph;
		if (deps)
			*deps = l->tail.node;
		if (edges)
			*edges = NULL;
		if (num)
			*num = l->tail.num;
	}
	pthread_mutex_unlock(&cu_graph_lock);
	cu_stream_put(&u);
	return r;
}

CUresult i_cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
				     const CUgraphNode **deps, size_t *num)
{
	return i_cuStreamGetCaptureInfo_v3(stream, status, id, graph, deps, NULL, num);
}

CUresult i_cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id)
{
	return i_cuStreamGetCaptureInfo_v3(stream, status, id, NULL, NULL, NULL, NULL);
}

CUresult i_cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
	return i_cuStreamGetCaptureInfo_v3(stream, status, NULL, NULL, NULL, NULL, NULL);
}

CUresult i_cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *deps, size_t num, unsigned int flags)
{
	struct cu_nodes set = { 0 };
	struct cu_stream_use u;
	struct lane *l;
	CUresult r;

	if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_stream_get(stream, &u);
	if (r)
		return r;
	pthread_mutex_lock(&cu_graph_lock);
	r = usable(&u, &l);
	if (!r && !l)
		r = CUDA_ERROR_ILLEGAL_STATE;
	if (!r)
		r = cu_graph_deps(l->cap->graph, deps, num, &set);
	if (!r && flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES)
		cu_nodes_clear(&l->tail);
	if (!r)
		r = cu_nodes_merge(&l->tail, &set);
	cu_nodes_clear(&set);
	pthread_mutex_unlock(&cu_graph_lock);
	cu_stream_put(&u);
	return r;
}

CUresult i_cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode *deps, const CUgraphEdgeData *edges,
						size_t num, unsigned int flags)
{
	(void)edges;		/* there is only one kind of edge */
	return i_cuStreamUpdateCaptureDependencies(stream, deps, num, flags);
}
