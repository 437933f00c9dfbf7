/* SPDX-License-Identifier: MIT */
/*
 * Launches by threads, streams and events of threads: what CUDA's compilers call for <<< >>> in
 * device code.  A launch is prepared in a buffer, a TMD with the parameters behind it; TLAUNCH copies
 * both, so that the buffer is free again when TLAUNCH returns.  The device keeps the order within
 * streams (struct ppu_tmd.order): a stream and an event are nothing but a number.
 */
#include "compiler/devabi/cdp.h"

extern "C" {
__attribute__((device, weak)) struct ppu_cdp_module *__ppu_cdp;
}

/* CUDA's constants for streams. */
#define STREAM_NULL		0u
#define STREAM_LEGACY		1u
#define STREAM_PER_THREAD	2u
#define STREAM_TAIL		3u
#define STREAM_FIRE_AND_FORGET	4u

#define TAG_MASK		0xffff000000000000ull	/* of handles: the kind of the object */
#define TAG_STREAM		0x5354000000000000ull
#define TAG_EVENT		0x4556000000000000ull

/* Magic number of the TMD in a buffer whose launch is not possible; id: the error. */
#define NOT_POSSIBLE		0x21444d54u
/* Magic number of the TMD in a buffer that has no kernel yet (the older interface). */
#define NO_KERNEL		0x3f444d54u

/* A kernel that does nothing.  Its task waits for what its order says: an event, or a wait for one. */
extern "C" __attribute__((global, weak)) void __ppu_cdp_mark(void) {}
static __device__ void (*const mark)(void) = __ppu_cdp_mark;

/* ---- errors ---------------------------------------------------------------------------------------- */

static __device__ const u16 cuda_number[] = {
#define E(name, number, cuda, text) number,
	CDP_ERRORS(E)
#undef E
};

#define KEEP	0xffffffffu

/*
 * Returns the last error of this thread; from now on it is `next`, unless that is KEEP.  The error is in the first
 * 16 bytes of the thread's local memory, which the linker keeps free in kernels that can reach this function
 * (PPU_THREAD_SLOT).  Nobody clears these bytes: words 0 to 2 say of which grid and block the error in word 3 is.
 */
LIBRARY u32 __ppu_cdp_last(u32 next)
{
	u64 grid, own_grid;
	u32 block, own_block, error;

	asm volatile("mov.u64 %0, %%gridid;" : "=l"(own_grid));
	asm volatile("mov.u32 %0, %%ctaid_linear;" : "=r"(own_block));
	asm volatile("ld.local.u64 %0, [%1];" : "=l"(grid) : "l"(0ull) : "memory");
	asm volatile("ld.local.u32 %0, [%1+8];" : "=r"(block) : "l"(0ull) : "memory");
	asm volatile("ld.local.u32 %0, [%1+12];" : "=r"(error) : "l"(0ull) : "memory");
	if (grid != own_grid || block != own_block)
		error = 0;
	if (next != KEEP) {
		asm volatile("st.local.u64 [%0], %1;" :: "l"(0ull), "l"(own_grid) : "memory");
		asm volatile("st.local.u32 [%0+8], %1;" :: "l"(0ull), "r"(own_block) : "memory");
		asm volatile("st.local.u32 [%0+12], %1;" :: "l"(0ull), "r"(next) : "memory");
	}
	return error;
}

LIBRARY int __ppu_cdp_error(int error)
{
	if (!error)
		return 0;
	__ppu_cdp_last((u32)error);
	return cuda_number[error];
}

CDP_FN2(int, PeekAtLastError, (void), ())
{
	return cuda_number[__ppu_cdp_last(KEEP)];
}

CDP_FN2(int, GetLastError, (void), ())
{
	return cuda_number[__ppu_cdp_last(CDP_SUCCESS)];
}

/* ---- buffers ----------------------------------------------------------------------------------------- */

DEV struct ppu_cdp_ctx *context(void)
{
	return (struct ppu_cdp_ctx *)__ppu_cdp->ctx;
}

LIBRARY const struct ppu_cdp_ctx *__ppu_cdp_context(void)
{
	return context();
}

extern "C" __device__ void *malloc(u64 bytes);
extern "C" __device__ void free(void *p);

DEV u32 lane(void)
{
	u32 v;

	asm("mov.u32 %0, %%laneid;" : "=r"(v));
	return v;
}

#define NUMBER_MASK	0xffffffffull		/* of a stack's head: number + 1; above: changes */

DEV u64 *buffer_at(const struct ppu_cdp_ctx *c, u64 number)
{
	return (u64 *)(c->buffers + number * PPU_CDP_BUFFER);
}

DEV u64 *pop(struct ppu_cdp_ctx *c, u32 stack)
{
	u64 old = load_now(&c->head[stack]), seen;

	while (old & NUMBER_MASK) {
		u64 *b = buffer_at(c, (old & NUMBER_MASK) - 1);

		/* another thread may have taken b by now: then the count has changed and the swap fails */
		seen = atom_cas(&c->head[stack], old,
				((old & ~NUMBER_MASK) + NUMBER_MASK + 1) | (load_now(b) & NUMBER_MASK));
		if (seen == old)
			return b;
		old = seen;
	}
	return 0;
}

DEV void push(struct ppu_cdp_ctx *c, u64 *b)
{
	u64 number = ((u64)b - c->buffers) / PPU_CDP_BUFFER + 1;
	u64 *head = &c->head[lane()], old = load_now(head), seen;

	for (;;) {
		*(volatile u64 *)b = old & NUMBER_MASK;
		fence();
		seen = atom_cas(head, old, ((old & ~NUMBER_MASK) + NUMBER_MASK + 1) | number);
		if (seen == old)
			return;
		old = seen;
	}
}

/* A buffer for a TMD and param_bytes of parameters; 0: there is no room.  *heap: malloc's block, 0 if there is none. */
DEV struct ppu_tmd *get_buffer(u64 param_bytes, void **heap)
{
	struct ppu_cdp_ctx *c = context();
	u64 *b = 0;
	u32 k;

	*heap = 0;
	if (param_bytes <= PPU_CDP_BUFFER - PPU_TMD_SIZE) {
		b = pop(c, lane());
		if (!b && load_now(&c->top) < c->num_buffers) {
			u64 n = atom_add(&c->top, 1);

			b = n < c->num_buffers ? buffer_at(c, n) : 0;
		}
		for (k = 1; k < PPU_CDP_STACKS && !b; k++)
			b = pop(c, (lane() + k) % PPU_CDP_STACKS);
	}
	if (!b) {
		*heap = malloc(PPU_TMD_ALIGN - 1 + PPU_TMD_SIZE + param_bytes);
		if (!*heap)
			return 0;
		b = (u64 *)(((u64)*heap + PPU_TMD_ALIGN - 1) & ~(u64)(PPU_TMD_ALIGN - 1));
	}
	return (struct ppu_tmd *)b;
}

DEV void put_buffer(struct ppu_tmd *t)
{
	if (t->data_va)
		free((void *)t->data_va);
	else
		push(context(), (u64 *)t);
}

/* ---- launches -------------------------------------------------------------------------------------------- */

LIBRARY const struct ppu_cdp_kernel *__ppu_cdp_kernel(const void *address)
{
	const struct ppu_cdp_kernel *k = (const struct ppu_cdp_kernel *)__ppu_cdp->kernels;
	u32 low = 0, high = __ppu_cdp->num_kernels, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (k[middle].tmd.entry_pc < (u64)address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < __ppu_cdp->num_kernels && k[low].tmd.entry_pc == (u64)address ? &k[low] : 0;
}

/* The checks that the host makes before a launch (api/launch/launch.c). */
DEV u32 check(const struct ppu_cdp_kernel *k, const struct dim3 *g, const struct dim3 *b, u32 shared)
{
	const struct ppu_cdp_ctx *c = context();
	u64 threads = (u64)b->x * b->y * b->z;

	if (!k)
		return CDP_FUNCTION;
	if (!g->x || !g->y || !g->z || g->x > c->max_grid[0] || g->y > c->max_grid[1] || g->z > c->max_grid[2])
		return CDP_CONFIGURATION;
	if (!threads || b->x > c->max_block[0] || b->y > c->max_block[1] || b->z > c->max_block[2] ||
	    threads > c->max_threads)
		return CDP_CONFIGURATION;
	if (k->wanted[0] && (b->x != k->wanted[0] || b->y != k->wanted[1] || b->z != k->wanted[2]))
		return CDP_CONFIGURATION;
	if ((k->own_threads && threads > k->own_threads) || shared > k->max_dynamic)
		return CDP_CONFIGURATION;
	return threads > k->max_threads ? CDP_RESOURCES : CDP_SUCCESS;
}

/* Fills in the TMD of a buffer.  An error of the arguments is reported when the buffer is launched. */
DEV void fill(struct ppu_tmd *t, void *heap, const struct ppu_cdp_kernel *k, const struct dim3 *g, const struct dim3 *b,
	      u32 shared)
{
	u32 error = check(k, g, b, shared), i;

	if (error) {
		t->magic = NOT_POSSIBLE;
		t->id = error;
	} else {
		for (i = 0; i < PPU_TMD_SIZE / 8; i++)
			((u64 *)t)[i] = ((const u64 *)&k->tmd)[i];
		t->grid[0] = g->x;
		t->grid[1] = g->y;
		t->grid[2] = g->z;
		t->block[0] = b->x;
		t->block[1] = b->y;
		t->block[2] = b->z;
		t->shared_bytes += shared;
		t->shared_dyn_bytes = shared;
		t->param_va = (u64)(t + 1);
		t->id = k->tmd.id | (u32)own_id();
		t->envreg[PPU_CDP_ENV_LOCAL] = env_local();
		if (k->recursive && env_local() > t->local_per_thread)
			t->local_per_thread = (u32)env_local();
	}
	t->data_va = (u64)heap;
}

LIBRARY void *__cudaCDP2GetParameterBufferV2(const void *kernel, struct dim3 grid, struct dim3 block, u32 shared)
{
	const struct ppu_cdp_kernel *k = __ppu_cdp_kernel(kernel);
	void *heap;
	struct ppu_tmd *t = get_buffer(k ? k->tmd.param_bytes : PPU_PARAM_MAX, &heap);

	if (!t) {
		__ppu_cdp_error(CDP_PENDING);
		return 0;
	}
	fill(t, heap, k, &grid, &block, shared);
	return t + 1;
}

LIBRARY void *cudaGetParameterBufferV2(const void *kernel, struct dim3 grid, struct dim3 block, u32 shared)
{
	return __cudaCDP2GetParameterBufferV2(kernel, grid, block, shared);
}

/* The order of launches into stream s; false: s is no stream. */
DEV bool order_of(stream_t s, u64 *order)
{
	switch (s) {
	case STREAM_NULL: case STREAM_LEGACY: case STREAM_PER_THREAD:
		*order = PPU_ORDER_CTA;
		return true;
	case STREAM_TAIL:
		*order = PPU_ORDER_TAIL;
		return true;
	case STREAM_FIRE_AND_FORGET:
		*order = PPU_ORDER_NONE;
		return true;
	default:
		*order = s;
		return (s & TAG_MASK) == TAG_STREAM;
	}
}

/* Launches, and translates TLAUNCH's answer. */
DEV u32 task_launch(struct ppu_tmd *t)
{
	int answer;

	asm volatile("tlaunch.u32 %0, %1;" : "=r"(answer) : "l"(t) : "memory");
	switch (answer) {
	case PPU_LAUNCH_OK:		return CDP_SUCCESS;
	case PPU_LAUNCH_DEPTH:		return CDP_DEPTH;
	case PPU_LAUNCH_POOL:
	case PPU_LAUNCH_PENDING:	return CDP_PENDING;
	case PPU_LAUNCH_TMD:		return CDP_CONFIGURATION;
	case PPU_LAUNCH_LIMITS:		return CDP_RESOURCES;
	case PPU_LAUNCH_CODE:		return CDP_FUNCTION;
	default:			return CDP_FAILURE;
	}
}

LIBRARY int __ppu_cdp_start(struct ppu_tmd *t)
{
	return __ppu_cdp_error(task_launch(t));
}

CDP_FN(int, LaunchDeviceV2, (void *buffer, stream_t stream), (buffer, stream))
{
	struct ppu_tmd *t = (struct ppu_tmd *)buffer - 1;
	u32 error = CDP_SUCCESS;
	u64 order;

	if (!buffer)
		return __ppu_cdp_error(CDP_INVALID_VALUE);
	if (t->magic != PPU_TMD_MAGIC)
		error = t->magic == NOT_POSSIBLE ? (u32)t->id : (u32)CDP_INVALID_VALUE;
	else if (!order_of(stream, &order))
		error = CDP_HANDLE;
	if (!error) {
		t->order = order;
		error = task_launch(t);
	}
	put_buffer(t);
	return __ppu_cdp_error(error);
}

/* The older interface: the buffer comes first, kernel and dimensions come with the launch. */
CDP_FN2(void *, GetParameterBuffer, (u64 align, u64 bytes), (align, bytes))
{
	void *heap;
	struct ppu_tmd *t = bytes <= PPU_PARAM_MAX ? get_buffer(bytes, &heap) : 0;

	if (!t) {
		__ppu_cdp_error(bytes <= PPU_PARAM_MAX ? CDP_PENDING : CDP_INVALID_VALUE);
		return 0;
	}
	t->magic = NO_KERNEL;
	t->data_va = (u64)heap;
	t->param_bytes = (u32)bytes;
	return t + 1;
}

CDP_FN(int, LaunchDevice, (const void *kernel, void *buffer, struct dim3 grid, struct dim3 block, u32 shared, stream_t stream),
       (kernel, buffer, grid, block, shared, stream))
{
	struct ppu_tmd *t = (struct ppu_tmd *)buffer - 1;
	const struct ppu_cdp_kernel *k = __ppu_cdp_kernel(kernel);
	bool enough;

	if (!buffer || t->magic != NO_KERNEL)
		return __ppu_cdp_error(CDP_INVALID_VALUE);
	enough = !k || t->param_bytes >= k->tmd.param_bytes;
	fill(t, (void *)t->data_va, k, &grid, &block, shared);
	if (!enough) {
		t->magic = NOT_POSSIBLE;
		t->id = CDP_INVALID_VALUE;
	}
	return __cudaCDP2LaunchDeviceV2(buffer, stream);
}

CDP_FN2(int, DeviceSynchronize, (void), ())
{
	u32 answer;

	asm volatile("tsync.u32 %0;" : "=r"(answer) : : "memory");
	return answer ? __ppu_cdp_error(CDP_FAILURE) : 0;
}

/* ---- streams and events --------------------------------------------------------------------------------- */

DEV bool at_greatest_depth(void)
{
	u32 depth, most;

	asm("mov.u32 %0, %%depth;" : "=r"(depth));
	asm("mov.u32 %0, %%max_depth;" : "=r"(most));
	return depth >= most;
}

/* Launches a task that only waits.  At the greatest depth there are no tasks to wait for. */
DEV int launch_mark(u64 order, u64 after)
{
	const struct dim3 one = { 1, 1, 1 };
	void *heap;
	struct ppu_tmd *t;
	u32 error;

	if (at_greatest_depth())
		return 0;
	t = get_buffer(0, &heap);
	if (!t)
		return __ppu_cdp_error(CDP_PENDING);
	fill(t, heap, __ppu_cdp_kernel((const void *)mark), &one, &one, 0);
	t->order = order;
	t->after = after;
	error = task_launch(t);
	put_buffer(t);
	return __ppu_cdp_error(error);
}

DEV int create(u64 *handle, u64 tag)
{
	if (!handle)
		return __ppu_cdp_error(CDP_INVALID_VALUE);
	*handle = tag | atom_add(&context()->handles, 1);
	return 0;
}

DEV int destroy(u64 handle, u64 tag)
{
	return (handle & TAG_MASK) == tag ? 0 : __ppu_cdp_error(CDP_HANDLE);
}

#define STREAM_NON_BLOCKING	1u	/* the only kind there is in device code */
CDP_FN2(int, StreamCreateWithFlags, (u64 *stream, u32 flags), (stream, flags))
{
	return flags == STREAM_NON_BLOCKING ? create(stream, TAG_STREAM) : __ppu_cdp_error(CDP_INVALID_VALUE);
}

CDP_FN2(int, StreamDestroy, (u64 stream), (stream))
{
	return destroy(stream, TAG_STREAM);
}

#define EVENT_DISABLE_TIMING	2u	/* the only kind of events; blocking synchronisation (1) has no effect */
CDP_FN2(int, EventCreateWithFlags, (u64 *event, u32 flags), (event, flags))
{
	return (flags & ~1u) == EVENT_DISABLE_TIMING ? create(event, TAG_EVENT) : __ppu_cdp_error(CDP_INVALID_VALUE);
}

CDP_FN2(int, EventDestroy, (u64 event), (event))
{
	return destroy(event, TAG_EVENT);
}

/* Tail and fire-and-forget launches have no events. */
DEV bool order_of_ordered(stream_t s, u64 *order)
{
	return order_of(s, order) && *order != PPU_ORDER_NONE && *order != PPU_ORDER_TAIL;
}

CDP_FN(int, EventRecord, (u64 event, stream_t stream), (event, stream))
{
	u64 order;

	if ((event & TAG_MASK) != TAG_EVENT || !order_of_ordered(stream, &order))
		return __ppu_cdp_error(CDP_HANDLE);
	return launch_mark(event, order);
}

CDP_FN(int, EventRecordWithFlags, (u64 event, stream_t stream, u32 flags), (event, stream, flags))
{
	return flags ? __ppu_cdp_error(CDP_INVALID_VALUE) : __cudaCDP2EventRecord(event, stream);
}

CDP_FN(int, StreamWaitEvent, (stream_t stream, u64 event, u32 flags), (stream, event, flags))
{
	u64 order;

	if ((event & TAG_MASK) != TAG_EVENT || !order_of_ordered(stream, &order))
		return __ppu_cdp_error(CDP_HANDLE);
	return flags ? __ppu_cdp_error(CDP_INVALID_VALUE) : launch_mark(order, event);
}
