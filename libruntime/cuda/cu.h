/* SPDX-License-Identifier: MIT */
/*
 * The CUDA Driver API over libppu: inside.
 *
 *   calls.c    the exported functions: log, per-thread variants, then i_NAME below
 *   proc.c     cuGetProcAddress
 *   object.c   handles: what is one, who may still use it
 *   error.c    ppuResult -> CUresult
 *   device.c   devices and their attributes
 *   context.c  contexts, each thread's stack of them, primary contexts, limits
 *   memory.c   allocations     pointer.c  what is known of one    register.c  the program's own memory
 *   pool.c     pools           managed.c  managed memory          vmm.c       reserved addresses, mappings
 *   copy.c     copies, fills   array.c    arrays                  texture.c   textures, surfaces; texref.c
 *   jit.c      options, logs   module.c   modules                 link.c      several inputs to one
 *   library.c  modules without a context; kernels of them
 *   function.c attributes      occupancy.c                        launch.c, oldlaunch.c
 *   stream.c   streams         host.c     host functions          event.c     memop.c  waiting for words
 *   op.c       work for a stream, done now or kept in a graph
 *   graph.c    graphs          node.c     what nodes do           exec.c      graphs to be launched
 *   capture.c  streams whose work becomes a graph                 userobj.c   what graphs keep alive
 *
 * A handle is the address of a struct that begins with struct cu_obj.  Handles are looked up in a registry
 * before use (common/handle.h), so that a stale or invented one gives CUDA_ERROR_INVALID_HANDLE (or _CONTEXT).
 *
 * Locks: the registry's (object.c) is innermost; context.c has one for primary contexts.  No lock is held
 * during a call into libppu that may wait.
 */
#ifndef PPU_CU_H
#define PPU_CU_H

#include <stdbool.h>
#include <time.h>
#include <ppu.h>
#define PPU_CUDA_NO_NAMES
#include <cuda.h>
#include "common/handle.h"

#pragma GCC visibility push(hidden)

#define CU_SHARED_DEFAULT	49152	/* bytes of shared memory a block gets without asking for more */

/* ---- object.c ------------------------------------------------------------------------------- */
enum cu_kind {
	CU_CTX = 1, CU_STREAM, CU_EVENT, CU_MODULE, CU_FUNCTION, CU_LINK, CU_ARRAY, CU_TEXREF, CU_POOL, CU_LIBRARY,
	CU_KERNEL, CU_GRAPH, CU_NODE, CU_EXEC, CU_USER_OBJECT
};
struct cu_obj {
	struct ppu_handle handle;	/* its kind: enum cu_kind; one reference is the registry's */
	struct CUctx_st *ctx;		/* its owner, with a reference; NULL for contexts themselves */
	unsigned long long ctx_id;	/* the owner's id then: a primary context may have another life */
	void (*release)(void *obj);	/* frees what the struct points to, may be NULL */
};
/* A zeroed struct of `size` bytes that is not yet a handle; NULL: no memory. */
void *cu_obj_new(enum cu_kind kind, size_t size, struct CUctx_st *ctx, void (*release)(void *));
void cu_obj_publish(void *obj);
bool cu_obj_withdraw(void *obj);	/* false: was no handle any more.  Drops the registry's reference */
void *cu_obj_get(const void *handle, enum cu_kind kind);	/* with a reference; NULL: no such handle */
/* The same as the calls do it: NOT_INITIALIZED, or INVALID_HANDLE for what is none. */
CUresult cu_obj_find(const void *handle, enum cu_kind kind, void *obj);	/* obj: where the pointer goes */
CUresult cu_obj_destroy(const void *handle, enum cu_kind kind);	/* withdraws it */
void cu_obj_ref(void *obj);
void cu_obj_put(void *obj);
/* The context it was made in still exists, so what libppu has behind it does. */
bool cu_obj_alive(const void *obj);
/* All handles of a context end. */
void cu_obj_withdraw_all(const struct CUctx_st *ctx);

/* ---- error.c -------------------------------------------------------------------------------- */
CUresult cu_result(ppuResult res);
/*
 * Why the thread's call fails, for PPU_CUDA_LOG.  Forgotten when the next call begins, so that it
 * never tells of an earlier one; "": nothing but the error's name is known.
 */
void cu_why_forget(void);
void cu_why_set(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
const char *cu_why(void);
const char *cu_error_name(CUresult res);	/* NULL: no such code */

/* ---- device.c ------------------------------------------------------------------------------- */
CUresult cu_ready(void);			/* cuInit was called */
CUresult cu_device(CUdevice device, ppuDeviceProp *prop);

/* ---- context.c ------------------------------------------------------------------------------ */
struct CUctx_st {
	struct cu_obj obj;
	ppuCtx ppu;			/* NULL: a primary context that is not active */
	CUdevice device;
	unsigned int flags;
	unsigned long long id;		/* unique in the process; a new one at each activation */
	bool primary, dead;
	unsigned int retained;		/* primary */
	unsigned int attached;		/* by cuCtxAttach */
	CUfunc_cache cache;
	CUsharedconfig shared;
	ppuFunction waiter;		/* memop.c; of the context whose id is waiter_id */
	unsigned long long waiter_id;
};
/* The calling thread's current context, made libppu's too; with a reference. */
CUresult cu_current(struct CUctx_st **ctx);
/* Frees device memory of a context that need not be the current one; nothing when that is gone. */
void cu_free_in(struct CUctx_st *ctx, unsigned long long id, void *mem);
/* The thread's own default stream of a context; made at first use. */
CUresult cu_thread_stream(struct CUctx_st *ctx, ppuStream *stream);

/* ---- calls.c -------------------------------------------------------------------------------- */
/* The running call takes stream 0 as the thread's own. */
extern __thread bool cu_per_thread;
struct cu_symbol {
	const char *symbol, *base;
	int since;
	bool per_thread;
	void *address;
};
extern const struct cu_symbol cu_symbols[];	/* ends with symbol NULL */

/* ---- stream.c ------------------------------------------------------------------------------- */
struct CUstream_st {
	struct cu_obj obj;
	ppuStream ppu;
	unsigned long long id;
	int sync_policy;		/* as set, of no effect */
};
/* What a stream argument means.  `own` holds the references; give them back with cu_stream_put(). */
struct cu_stream_use {
	struct CUctx_st *ctx;
	struct CUstream_st *own;	/* NULL: one of the default streams */
	ppuStream ppu;
};
CUresult cu_stream_get(CUstream handle, struct cu_stream_use *use);
void cu_stream_put(struct cu_stream_use *use);

/* ---- op.c ----------------------------------------------------------------------------------- */
/*
 * A piece of work for a stream, with all it needs of its own: arguments are copied.  It is run at once, or
 * becomes a node of a graph.
 */
struct cu_op {
	CUgraphNodeType type;
	union {
		struct {
			struct CUfunc_st *function;	/* with a reference */
			ppuDim3 grid, block;
			unsigned int shared_bytes;
			bool cooperative;
			int priority;			/* of a node, as set */
			void *args;			/* packed */
			size_t arg_bytes;
			void **params;			/* one pointer into args for each parameter */
		} kernel;
		CUDA_MEMCPY3D copy;
		CUDA_MEMSET_NODE_PARAMS fill;
		CUDA_HOST_NODE_PARAMS host;
		struct CUevent_st *event;		/* with a reference */
		struct CUgraph_st *child;		/* with a reference; nobody else changes it */
		CUDA_MEM_ALLOC_NODE_PARAMS alloc;
		CUdeviceptr free;
		struct {
			unsigned int count;
			CUstreamBatchMemOpParams *ops;
		} mem;
	};
};
CUresult cu_op_kernel(struct cu_op *op, CUfunction function, ppuDim3 grid, ppuDim3 block, unsigned int shared_bytes,
		      bool cooperative, void **params, void **extra);
CUresult cu_op_event(struct cu_op *op, CUgraphNodeType type, CUevent event);
CUresult cu_op_mem(struct cu_op *op, unsigned int count, const CUstreamBatchMemOpParams *ops);
CUresult cu_op_copy_of(struct cu_op *to, const struct cu_op *from);
void cu_op_clear(struct cu_op *op);
CUresult cu_op_run(const struct cu_op *op, const struct cu_stream_use *u);
/* Run it in the stream, or add it to the stream's capture; wait: until it is done.  The op stays the caller's. */
CUresult cu_op_submit(const struct cu_op *op, CUstream stream, bool wait);

/* How each kind is run. */
CUresult cu_run_kernel(const struct cu_op *op, const struct cu_stream_use *u);
CUresult cu_run_copy(const CUDA_MEMCPY3D *copy, const struct cu_stream_use *u);
CUresult cu_run_fill(const CUDA_MEMSET_NODE_PARAMS *fill, const struct cu_stream_use *u);
CUresult cu_run_mem(const struct cu_op *op, const struct cu_stream_use *u);

/* ---- event.c -------------------------------------------------------------------------------- */
struct CUevent_st {
	struct cu_obj obj;
	ppuEvent ppu;
	unsigned int flags;
	bool recorded;			/* in a stream that was not captured */
	struct cu_mark *mark;		/* capture.c: a place in a capture, NULL: none */
};

/* ---- capture.c ------------------------------------------------------------------------------ */
/* Is the stream's work being captured?  Then a capture that an earlier call spoiled counts, too. */
bool cu_capturing(const struct cu_stream_use *u);
/* Adds a copy of the op to the stream's capture; *captured stays false when there is none. */
CUresult cu_capture_op(const struct cu_stream_use *u, const struct cu_op *op, bool *captured);
CUresult cu_capture_record(const struct cu_stream_use *u, struct CUevent_st *event, bool *captured);
CUresult cu_capture_wait(const struct cu_stream_use *u, struct CUevent_st *event, bool *captured);
/* What must not be done with a stream that is captured spoils the capture. */
CUresult cu_capture_forbids(const struct cu_stream_use *u);
CUresult cu_capture_event_check(struct CUevent_st *event);
/* Calls that could wait for captured work or end it: allowed by the thread's mode? */
CUresult cu_capture_unsafe(void);
void cu_capture_stream_gone(ppuStream stream);
void cu_capture_mark_free(struct cu_mark *mark);

/* ---- memory.c ------------------------------------------------------------------------------- */
/* Device or pinned memory of the current context. */
bool cu_is_ours(CUdeviceptr ptr, ppuPointerAttributes *attr);

/* ---- array.c -------------------------------------------------------------------------------- */
struct CUarray_st {
	struct cu_obj obj;
	CUDA_ARRAY3D_DESCRIPTOR desc;
	void *mem;
	size_t pitch, element, width, height, depth;	/* bytes of an element; height and depth at least 1 */
};
size_t cu_format_bytes(CUarray_format format);	/* 0: unknown */

/* ---- function.c ----------------------------------------------------------------------------- */
/* A function by handle, or that of a kernel in the current context; with a reference. */
CUresult cu_function_get(CUfunction function, struct CUfunc_st **f);
CUresult cu_function_attributes(CUfunction function, struct CUfunc_st **f, ppuFunctionAttributes *a);
/* Bytes of dynamic shared memory that a launch may ask for as things are. */
int cu_function_max_dynamic(const struct CUfunc_st *f, const ppuFunctionAttributes *a);

/* ---- library.c ------------------------------------------------------------------------------ */
/* The function of a kernel (a handle of either kind) in the current context; INVALID_HANDLE: no kernel. */
CUresult cu_kernel_function(const void *kernel, CUfunction *function);

/* ---- pool.c, managed.c, vmm.c, register.c ----------------------------------------------------- */
/* Frees what cuMemFree was given when it is of that kind; *was: it is. */
CUresult cu_pool_free(CUdeviceptr ptr, bool *was);
CUresult cu_managed_free(CUdeviceptr ptr, bool *was);
CUmemoryPool cu_pool_of(CUdeviceptr ptr);	/* NULL: of none */
void cu_pool_idle(const struct CUctx_st *ctx);	/* the context has nothing to do just now */
bool cu_graph_owns(CUdeviceptr ptr);		/* memory of a MEM_ALLOC node */
bool cu_is_managed(CUdeviceptr ptr);
bool cu_is_registered(const void *ptr, unsigned int *flags, CUdeviceptr *device);

/* ---- jit.c ---------------------------------------------------------------------------------- */
#define CU_LOG_BYTES 65536
struct cu_jit {
	unsigned int max_regs;
	bool verbose;
	char *info, *error;		/* the caller's buffers, NULL: none */
	size_t info_bytes, error_bytes;
	void **info_used, **error_used;	/* where their fill is told, NULL: nowhere */
	void **wall_time;		/* a float of milliseconds is stored in the pointer's place */
	void **threads;			/* out: most threads of a block that the code allows */
	struct timespec start;
};
CUresult cu_jit_parse(struct cu_jit *jit, unsigned int num, const CUjit_option *options, void **values);
/* Give the caller its log and numbers.  text: what the compiler said. */
void cu_jit_done(struct cu_jit *jit, CUresult res, const char *text);

/* ---- fatbin.c ------------------------------------------------------------------------------- */
/* An image that a PPU can load: PTX text or a binary of ours.  Containers are taken apart. */
struct cu_image {
	const void *data;
	size_t bytes;
	bool ptx;
	void *owned;			/* to be freed, or NULL */
};
/* bytes 0: the image says itself how long it is. */
CUresult cu_image_find(struct cu_image *img, const void *data, size_t bytes);

/* ---- module.c ------------------------------------------------------------------------------- */
/* The bytes of a file, with a NUL behind them; to be freed. */
CUresult cu_read_file(const char *path, void **data, size_t *bytes);

struct CUmod_st {
	struct cu_obj obj;
	ppuModule ppu;
	struct CUfunc_st **functions;	/* handed out so far, each with a reference */
	unsigned int num_functions;
	struct CUtexref_st **refs;	/* the same of its texture and surface references */
	unsigned int num_refs;
};
CUresult cu_module_add_ref(struct CUmod_st *m, struct CUtexref_st *ref);
struct CUfunc_st {
	struct cu_obj obj;
	struct CUmod_st *module;	/* no reference: its unloading ends this handle */
	ppuFunction ppu;
	int max_dynamic, carveout;	/* as set; -1: default */
	struct cu_old_launch *old;	/* oldlaunch.c, NULL: never used that way */
};
void cu_old_launch_free(struct cu_old_launch *old);

/* The functions themselves. */
#define CU_I_(symbol, base, since, ...) CUresult i_##symbol(CU_PARAMS(__VA_ARGS__));
#define CU_I_PT_(symbol, pt, base, since, ...) CUresult i_##symbol(CU_PARAMS(__VA_ARGS__));
#define CU_I_V_(symbol, base, since) CUresult i_##symbol(void);
CU_CALLS(CU_I_, CU_I_PT_, CU_I_V_)
#undef CU_I_
#undef CU_I_V_
#undef CU_I_PT_

#pragma GCC visibility pop
#endif
