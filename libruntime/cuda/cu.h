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
 *   memory.c   allocations, pointers      copy.c  copies and fills      array.c  arrays
 *   jit.c      options and logs           module.c  modules             link.c  several inputs to one
 *   function.c attributes, occupancy, launches
 *   stream.c   streams and host calls     event.c
 *
 * A handle is the address of a struct that begins with struct cu_obj.  Handles are looked up in a table
 * before use, so that a stale or invented one gives CUDA_ERROR_INVALID_HANDLE (or _CONTEXT).
 *
 * Locks: the table's (object.c) is innermost; context.c has one for primary contexts.  No lock is held
 * during a call into libppu that may wait.
 */
#ifndef PPU_CU_H
#define PPU_CU_H

#include <stdbool.h>
#include <time.h>
#include <ppu.h>
#define PPU_CUDA_NO_NAMES
#include <cuda.h>

#pragma GCC visibility push(hidden)

#define CU_SHARED_DEFAULT	49152	/* bytes of shared memory a block gets without asking for more */

/* ---- object.c ------------------------------------------------------------------------------- */
enum cu_kind { CU_CTX = 1, CU_STREAM, CU_EVENT, CU_MODULE, CU_FUNCTION, CU_LINK, CU_ARRAY };
struct cu_obj {
	enum cu_kind kind;
	int refs;			/* one of the table's while it is a handle, one per user */
	struct CUctx_st *ctx;		/* its owner, with a reference; NULL for contexts themselves */
	unsigned long long ctx_id;	/* the owner's id then: a primary context may have another life */
	void (*release)(void *obj);	/* frees what the struct points to, may be NULL */
	struct cu_obj *next;		/* hash chain */
};
/* A zeroed struct of `size` bytes that is not yet a handle; NULL: no memory. */
void *cu_obj_new(enum cu_kind kind, size_t size, struct CUctx_st *ctx, void (*release)(void *));
void cu_obj_publish(void *obj);
bool cu_obj_withdraw(void *obj);	/* false: was no handle any more.  Drops the table's reference */
void *cu_obj_get(const void *handle, enum cu_kind kind);	/* with a reference; NULL: no such handle */
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
	CUfunc_cache cache;
	CUsharedconfig shared;
};
/* The calling thread's current context, made libppu's too; with a reference. */
CUresult cu_current(struct CUctx_st **ctx);
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
};
/* What a stream argument means.  `own` holds the references; give them back with cu_stream_put(). */
struct cu_stream_use {
	struct CUctx_st *ctx;
	struct CUstream_st *own;	/* NULL: one of the default streams */
	ppuStream ppu;
};
CUresult cu_stream_get(CUstream handle, struct cu_stream_use *use);
void cu_stream_put(struct cu_stream_use *use);

/* ---- event.c -------------------------------------------------------------------------------- */
struct CUevent_st {
	struct cu_obj obj;
	ppuEvent ppu;
	unsigned int flags;
};

/* ---- memory.c ------------------------------------------------------------------------------- */
/* Device or pinned memory of the current context. */
bool cu_is_ours(CUdeviceptr ptr, ppuPointerAttributes *attr);

/* ---- copy.c --------------------------------------------------------------------------------- */
/* height rows times depth slices; pitch and slice in bytes. */
struct cu_side {
	uint64_t at, pitch, slice;
};
CUresult cu_copy(const struct cu_side *dst, const struct cu_side *src, size_t width, size_t height, size_t depth,
		 CUstream stream, bool wait);

/* ---- array.c -------------------------------------------------------------------------------- */
struct CUarray_st {
	struct cu_obj obj;
	CUDA_ARRAY3D_DESCRIPTOR desc;
	void *mem;
	size_t pitch, element, width, height, depth;	/* bytes of an element; height and depth at least 1 */
};

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
};
struct CUfunc_st {
	struct cu_obj obj;
	struct CUmod_st *module;	/* no reference: its unloading ends this handle */
	ppuFunction ppu;
	int max_dynamic, carveout;	/* as set; -1: default */
};

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
