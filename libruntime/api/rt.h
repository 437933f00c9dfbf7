/* SPDX-License-Identifier: MIT */
/*
 * Inside the runtime.
 *
 *   init.c     options, devices, primary contexts        object.c  handles: registry and reference counts
 *   context.c  contexts, waiting, faults                  error.c   names, sentences, last-error detail
 *   va.c       the window of addresses                    chan.c    channels, command memory, jobs
 *   mem.c      allocations  register.c  the user's own    copy.c    copies and fills
 *   vmm.c      reserved addresses and what is mapped there        coop.c    cooperative kernels
 *   stream.c   streams      event.c  events               prio.c    stream -> device priorities
 *   copyprio.c stream -> copy priorities, semaphores of copies     host.c  host functions in streams
 *   module.c   loading, functions                         launch.c  launches, occupancy
 *   tasks.c    what kernels are doing                     limit.c    limits of contexts
 *   queue.c    device-owned work queues
 *   cdp.c      launches by threads                        devlib.c  printf, assert, malloc of kernels
 *
 * Order of work.  Each channel has a 64-bit word in memory (its timeline).  Each job, one command
 * block in one ring entry, ends with a release of the channel's next number to that word.  So the
 * completion of any work is a pair (channel, number), what a stream or an event stands for is a
 * vector with one number per channel (struct rt_need), and a job begins with one acquire for each
 * channel in its stream's vector that is not its own.  Numbers wait only for numbers handed out
 * earlier: no cycle, no deadlock, whatever the assignment of streams to channels.  (The semaphores
 * that order copies by priority add none: see copyprio.c.)
 *
 * Locks, outermost first: init.c's, queue.c's, a struct rt_stage's, ctx->lock, the registry's and va.c's.  Nobody sleeps
 * with ctx->lock held: rt_wait() drops it.
 */
#ifndef PPU_RT_H
#define PPU_RT_H

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <ppu.h>
#include <ppu_image.h>
#include <hw/ppu_cmd.h>
#include <hw/ppu_mmu.h>
#include <hw/ppu_tmd.h>
#include "backend/backend.h"
#include "common/range.h"

#pragma GCC visibility push(hidden)

#define RT_MAX_COMPUTE	16u			/* channels per context */
#define RT_MAX_COPY	64u			/* copy channels, and internal priorities of copies */
#define RT_MAX_LANE	4u			/* threads for host functions */
#define RT_MAX_CHAN	(RT_MAX_COMPUTE + RT_MAX_COPY + RT_MAX_LANE)
#define RT_MAX_PRIORITY	1000000			/* of streams, in numbers */
#define RT_SEM_BO	65536u			/* bytes of a page group of 16-byte slots */
#define RT_STAGE_SLOTS	4
#define RT_STAGE_BYTES	(1u << 20)

/* ---- object.c ------------------------------------------------------------------------------- */
enum rt_kind { RT_CTX = 1, RT_STREAM, RT_EVENT, RT_MODULE, RT_FUNCTION, RT_MEM };
struct rt_obj {
	enum rt_kind kind;
	int refs;
	bool listed;
	void (*release)(struct rt_obj *obj);
	struct rt_obj *next;	/* hash chain */
};
void rt_obj_init(struct rt_obj *obj, enum rt_kind kind, void (*release)(struct rt_obj *));
void rt_obj_publish(struct rt_obj *obj);		/* its address is a valid handle from now on */
bool rt_obj_withdraw(struct rt_obj *obj);		/* false: was no handle any more */
void *rt_obj_get(const void *handle, enum rt_kind kind);	/* + reference, NULL: no such handle */
void rt_obj_ref(struct rt_obj *obj);
void rt_obj_put(struct rt_obj *obj);

/* ---- error.c -------------------------------------------------------------------------------- */
/* Record the detail of a failure for this thread and return it. */
ppuResult rt_fail(ppuResult res, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
ppuResult rt_error(ppuResult res);			/* the same with the standard sentence */
ppuResult rt_errno(int rc, const char *what);	/* negative errno of a backend call */

/* ---- init.c --------------------------------------------------------------------------------- */
struct rt_device {
	const struct be_ops *be;
	struct be_dev *dev;
	ppuDeviceProp prop;
	struct ppuCtx_st *primary;
};
extern ppuInitOptions rt_opt;		/* resolved: no zero fields where a default exists */
extern struct rt_copy_conf rt_copy_conf;
extern struct rt_prio_conf rt_prio_conf;
ppuResult rt_init(void);
ppuResult rt_device(ppuDevice n, struct rt_device **dev);

/* ---- va.c ----------------------------------------------------------------------------------- */
int rt_va_alloc(uint64_t size, uint64_t align, uint64_t *va);
void rt_va_free(uint64_t va, uint64_t size, bool mapped);
bool rt_va_inside(const void *p);	/* device or pinned memory, of whatever context */

/* ---- context.c ------------------------------------------------------------------------------ */
struct rt_need {
	uint64_t seq[RT_MAX_CHAN];	/* by struct rt_chan's index; 0 from ctx->num_chan on */
};

struct rt_alloc {
	uint64_t va, bytes, room;	/* bytes as asked for, room as taken from the chunk */
	ppuMemoryType type;
	struct rt_chunk *chunk;
	struct be_bo *user;		/* registered memory of the process; chunk is NULL then */
	struct ppuMem_st *mem;		/* what is mapped there by vmm.c; chunk is NULL then */
};

/* Like device memory, but not the user's to free. */
#define RT_MEMORY_MODULE ((ppuMemoryType)16)

enum rt_heap { RT_HEAP_DATA, RT_HEAP_CODE, RT_HEAP_HOST, RT_HEAPS };

struct rt_slots {		/* a buffer of 16-byte slots {u64 value, u64 time} */
	struct rt_slots *next;
	struct be_bo *bo;
	uint64_t va;
	uint32_t num_free;
	uint16_t free[RT_SEM_BO / 16];
};
struct rt_slot {
	struct rt_slots *home;
	uint32_t index;
};
struct rt_retired_slot {	/* free once its last writer is through */
	struct rt_slot slot;
	struct rt_need need;
	struct rt_retired_slot *next;
};

/* ---- copyprio.c ----------------------------------------------------------------------------- */
enum rt_copy_mode { RT_COPY_ON, RT_COPY_OFF, RT_COPY_INC_FIRST };
struct rt_copy_conf {
	enum rt_copy_mode mode;
	bool down;			/* 1 is the highest internal priority */
	bool system;			/* semaphores in system memory, else in VRAM */
	bool mapped;			/* of_channel was given by the user */
	unsigned count;			/* internal priorities, numbered from 1 */
	unsigned channels;
	uint8_t of_channel[RT_MAX_COPY];	/* the internal priority of each */
};

/* Copy priorities of a context; all but `next` is fixed at its creation. */
struct rt_copyprio {
	struct rt_copy_conf conf;
	int lowest, highest, step;	/* numbers in use; lowest + step is nearer to highest */
	unsigned used, semaphores;
	struct be_bo *bo;		/* the semaphores */
	uint64_t va;
	struct rt_copy_level {		/* by number */
		unsigned channels;	/* 0: not in use */
		unsigned next;		/* deals its channels out to streams */
		uint64_t sem_va;	/* 0: has none */
		struct be_sem *sem;
		struct rt_stage *stage;
	} level[RT_MAX_COPY + 1];
};

struct ppuCtx_st {
	struct rt_obj obj;
	pthread_mutex_t lock;
	struct rt_device *device;
	const struct be_ops *be;
	struct be_vm *vm;
	uint32_t stack;			/* PPU_LIMIT_LOCAL_BYTES: what recursive kernels get at least */
	bool dead;
	ppuResult broken;		/* sticky */
	char *detail;
	struct ppuCtx_st *next;		/* list of all */

	struct rt_chan *chan[RT_MAX_CHAN];	/* in the order they were made */
	unsigned num_chan;
	struct rt_chan *compute[RT_MAX_COMPUTE], *copies[RT_MAX_COPY];	/* by number, NULL: not made yet */
	struct rt_copyprio copy;
	struct rt_lane *lane[RT_MAX_LANE];
	pthread_cond_t host_cond;	/* a host function was given or is done, or the context is dead */
	uint64_t host_done;
	uint32_t next_slot;		/* assignment of streams to channels */
	struct ppuStream_st *streams;	/* all but the default one */
	struct ppuStream_st *null_stream, *load_stream;
	struct rt_need orphans;		/* what destroyed blocking streams left to wait for */

	struct rt_slots *slots;
	struct rt_retired_slot *retired;

	struct rt_chunk *chunks[RT_HEAPS];
	struct rt_alloc *allocs;	/* by address */
	size_t num_allocs, cap_allocs;

	struct ppuModule_st *modules;
	struct ppuFunction_st **funcs;	/* by number, for faults */
	uint32_t num_funcs, cap_funcs, launches;
	struct ppuEvent_st *events;
	struct rt_devlib *devlib;	/* printf, assert, malloc of kernels */
	uint64_t cdp_va;		/* struct ppu_cdp_ctx; 0: no module launches */
	bool depth_chosen;		/* PPU_LIMIT_NESTING_DEPTH was set */
	struct rt_queue *queues;	/* device-owned */
	struct ppuMem_st *mems;		/* vmm.c */
	uint64_t coop_va;		/* coop.c: barrier of cooperative kernels, 0: not made yet */
	struct rt_need coop;		/* the last of them */
};

/* The current context with a reference. */
ppuResult rt_current(struct ppuCtx_st **ctx);
ppuResult rt_ctx_create(struct rt_device *dev, unsigned flags, struct ppuCtx_st **ctx);
void rt_ctx_destroy(struct ppuCtx_st *ctx);	/* ends it; the caller's reference stays */
/* Lock; fails (unlocked) when the context is gone or broken. */
ppuResult rt_enter(struct ppuCtx_st *ctx);
static inline void rt_leave(struct ppuCtx_st *ctx) { pthread_mutex_unlock(&ctx->lock); }

bool rt_done(struct ppuCtx_st *ctx, const struct rt_need *need);
void rt_merge(struct ppuCtx_st *ctx, struct rt_need *to, const struct rt_need *from);
/* Everything submitted so far. */
void rt_everything(struct ppuCtx_st *ctx, struct rt_need *need);
extern const struct be_limits rt_no_limit;
/* Called locked; drops the lock while asleep. */
ppuResult rt_wait(struct ppuCtx_st *ctx, const struct rt_need *need, const struct be_limits *lim);
ppuResult rt_wait_all(struct ppuCtx_st *ctx);
/* Look for a reason why work is not going on; PPU_SUCCESS when there is none. */
ppuResult rt_check(struct ppuCtx_st *ctx);

ppuResult rt_slot_alloc(struct ppuCtx_st *ctx, struct rt_slot *slot);
void rt_slot_unused(struct rt_slot slot);	/* nothing was submitted that writes it */
void rt_slot_retire(struct ppuCtx_st *ctx, struct rt_slot slot, const struct rt_need *need);
static inline uint64_t rt_slot_va(struct rt_slot s) { return s.home->va + s.index * 16; }
static inline volatile uint64_t *rt_slot_ptr(struct rt_slot s)
{
	return (volatile uint64_t *)(uintptr_t)rt_slot_va(s);
}

/* ---- chan.c --------------------------------------------------------------------------------- */
struct rt_chan {
	struct ppuCtx_st *ctx;
	struct be_chan *be;		/* NULL: a lane's timeline */
	struct rt_lane *lane;
	unsigned index;			/* in ctx->chan and in struct rt_need */
	unsigned cls, number;		/* PPU_CLASS_*; number among the channels of the class */
	int priority;			/* internal priority of a copy channel */
	struct rt_slot word;		/* the timeline */
	struct be_sem *sem;
	uint64_t seq;			/* last number handed out */
	uint32_t put;
	/* command memory: a ring of bytes, positions count without wrapping */
	uint64_t pb_va, pb_head, pb_tail;
	uint32_t pb_bytes;
	uint8_t *pb;
	struct rt_entry {
		uint64_t seq, pb_end;
	} *entry;			/* by ring index */
	uint32_t tail, num;		/* oldest entry not known to be complete; how many */
};

#define RT_JOB_CUTS	6u
/* A job under construction: between begin and end the context stays locked. */
struct rt_job {
	struct ppuStream_st *stream;
	struct rt_chan *chan;
	uint8_t *data, *data_end;	/* room before the commands, 256-byte aligned */
	uint64_t data_va;
	uint32_t *w, *start, *limit;	/* commands */
	uint64_t start_va;
	/* The ring entries it takes, but for the last one: where each ends. */
	unsigned num_cuts;
	uint32_t *cut[RT_JOB_CUTS];
};
#define RT_JOB_MAX_DATA	(256u + PPU_PARAM_MAX)
/* cls: PPU_CLASS_COMPUTE or _COPY; data_bytes of room for a TMD and parameters. */
ppuResult rt_job_open(struct rt_job *job, struct ppuStream_st *stream, unsigned cls,
		      uint32_t data_bytes);
/* The same for a job of up to so many ring entries; rt_job_cut(): what follows is in the next one. */
ppuResult rt_job_open_cut(struct rt_job *job, struct ppuStream_st *stream, unsigned cls,
			  uint32_t data_bytes, unsigned entries);
void rt_job_depend(struct rt_job *job);		/* the acquires of what the stream waits for */
/* Opened, with its acquires. */
ppuResult rt_job_begin(struct rt_job *job, struct ppuStream_st *stream, unsigned cls,
		       uint32_t data_bytes);
void rt_job_cut(struct rt_job *job);
void rt_job_end(struct rt_job *job);
/* A job in the channel the stream used last, else in one of class cls. */
unsigned rt_last_class(struct ppuStream_st *stream, unsigned cls);
void rt_emit(struct rt_job *job, uint32_t header, const uint32_t *operands, unsigned n);
void rt_emit_va(struct rt_job *job, uint32_t header, uint64_t va);
void rt_emit64(struct rt_job *job, uint64_t v);
/* The channel for a stream's work of a class; made at first use. */
ppuResult rt_chan_pick(struct ppuStream_st *stream, unsigned cls, struct rt_chan **chan);
void rt_chan_free(struct rt_chan *chan);
static inline bool rt_chan_done(const struct rt_chan *c, uint64_t seq)
{
	return __atomic_load_n(rt_slot_ptr(c->word), __ATOMIC_ACQUIRE) >= seq;
}

/* ---- host.c --------------------------------------------------------------------------------- */
ppuResult rt_host_refuse(void);		/* an error when the caller is a host function */
bool rt_host_used(const struct ppuCtx_st *ctx);	/* there ever was one in the context */
/* rt_wait() for a lane. */
ppuResult rt_host_wait(struct ppuCtx_st *ctx, struct rt_chan *chan, uint64_t seq, const struct be_limits *lim);
/* The device has nothing to do: could a host function change that?  Sleeps a while, at most until that
 * host time, when one is on its way.  done_before: ctx->host_done from before the question came up. */
bool rt_host_may_go_on(struct ppuCtx_st *ctx, uint64_t done_before, uint64_t until);
void rt_host_join(struct ppuCtx_st *ctx);	/* unlocked, the context is dead */
void rt_host_free(struct ppuCtx_st *ctx);

/* ---- mem.c ---------------------------------------------------------------------------------- */
ppuResult rt_alloc(struct ppuCtx_st *ctx, enum rt_heap heap, uint64_t bytes, uint64_t align,
		   ppuMemoryType type, uint64_t *va);
void rt_free(struct ppuCtx_st *ctx, uint64_t va);
void rt_heap_fini(struct ppuCtx_st *ctx);
ppuResult rt_alloc_add(struct ppuCtx_st *ctx, const struct rt_alloc *a);
struct rt_alloc rt_alloc_take(struct ppuCtx_st *ctx, struct rt_alloc *a);
/* register.c: the context's entry is gone already. */
void rt_unregister(struct ppuCtx_st *ctx, const struct rt_alloc *a);
struct rt_alloc *rt_find(struct ppuCtx_st *ctx, const void *p);
/* vmm.c: the same for a mapping; then all memory that is mapped nowhere. */
void rt_unmap(struct ppuCtx_st *ctx, const struct rt_alloc *a);
void rt_mems_fini(struct ppuCtx_st *ctx);
struct ppuMem_st {
	struct rt_obj obj;
	struct ppuCtx_st *ctx;		/* no reference */
	struct ppuMem_st *next;
	struct be_bo *bo;
	uint64_t bytes;
	unsigned users;			/* the handle and mappings */
};
/* Where [p, p + bytes) lies; INVALID_ADDRESS when it is ours but not inside one allocation. */
ppuResult rt_classify(struct ppuCtx_st *ctx, const void *p, uint64_t bytes, ppuMemoryType *type);

/* ---- copy.c --------------------------------------------------------------------------------- */
struct rt_rect {
	uint64_t dst, src, dst_pitch, src_pitch, width, rows;
};
/* Unlocked; wait: complete on return. */
ppuResult rt_copy(struct ppuStream_st *stream, const struct rt_rect *r, bool wait);
/* Pinned slots that copies of ordinary memory go through; one set for each internal priority, so
 * that nobody waits for the lock of a lower one. */
struct rt_stage {
	pthread_mutex_t lock;
	void *mem;
	struct rt_need need[RT_STAGE_SLOTS];
	unsigned next;
};
struct rt_stage *rt_stage_new(void);
void rt_stage_free(struct rt_stage *stage);

/* ---- copyprio.c ----------------------------------------------------------------------------- */
ppuResult rt_copyprio_parse(const char *text, unsigned channels, unsigned levels, struct rt_copy_conf *conf);
ppuResult rt_copyprio_new(struct ppuCtx_st *ctx, bool off);
void rt_copyprio_free(struct ppuCtx_st *ctx);
void rt_copyprio_alias(struct ppuStream_st *stream);	/* locked: choose its copy channel */
/* A job for one copy or fill, with what its priority asks for before and after it. */
ppuResult rt_copy_begin(struct rt_job *job, struct ppuStream_st *stream);
void rt_copy_end(struct rt_job *job);

/* ---- stream.c, event.c, prio.c --------------------------------------------------------------- */
struct ppuStream_st {
	struct rt_obj obj;
	struct ppuCtx_st *ctx;
	struct ppuStream_st *next;
	unsigned flags;
	int priority;			/* as the user says it */
	unsigned level;			/* the same counted from 0, the least */
	uint32_t device_priority;	/* of its tasks */
	bool assigned;			/* by the user; else it is the default one */
	bool is_null;
	unsigned slot;			/* chooses its compute channel */
	unsigned copy_chan;		/* number of its copy channel */
	struct rt_queue *queue;		/* device-owned; NULL: none yet */
	int last_chan;			/* index, -1: none yet */
	struct rt_need need;		/* what its next job waits for = what it stands for */
};
/* A stream by handle (NULL: the current context's default one), with references to it and its
 * context.  rt_stream_put() gives both back. */
ppuResult rt_stream(ppuStream handle, struct ppuStream_st **stream);
void rt_stream_put(struct ppuStream_st *stream);
struct ppuStream_st *rt_stream_new(struct ppuCtx_st *ctx, unsigned flags, int priority);
/* Locked.  Its next work also waits for the default stream, or that for the blocking ones. */
void rt_stream_join(struct ppuStream_st *stream);
/* Its work so far is done when number `seq` of a channel or lane is. */
void rt_stream_stands(struct ppuStream_st *stream, const struct rt_chan *chan, uint64_t seq);

struct ppuEvent_st {
	struct rt_obj obj;
	struct ppuCtx_st *ctx;
	struct ppuEvent_st *next;
	unsigned flags;
	bool recorded, has_slot;
	struct rt_need need;
	struct rt_slot slot;		/* device time of the mark, in the first word */
};

/* An event of ctx by handle, with references to it and its context. */
ppuResult rt_event(ppuEvent handle, struct ppuEvent_st **event);
void rt_event_put(struct ppuEvent_st *event);
/* Locked: the mark is what the stream stands for now, its time in slot. */
void rt_event_mark(struct ppuEvent_st *event, const struct ppuStream_st *stream, struct rt_slot slot);

ppuResult rt_prio_parse(const char *text, int *least, int *greatest);
unsigned rt_prio_levels(const ppuDeviceProp *prop);
ppuResult rt_prio_level(const ppuDeviceProp *prop, int priority, unsigned *level);
/* The option task_priorities. */
struct rt_prio_conf {
	unsigned policy;		/* enum rt_prio_policy */
	uint32_t depth;			/* of new contexts, 0: as rt_prio_depth() thinks */
	bool has_fixed;
	uint32_t fixed;			/* device priority of streams that were given none */
};
ppuResult rt_taskprio_parse(const char *text, struct rt_prio_conf *conf);
uint32_t rt_prio_depth(const ppuDeviceProp *prop);	/* nesting depth of new contexts */
/* Can contexts have it?  If not, a sentence in why[RT_PRIO_REFUSAL]. */
#define RT_PRIO_REFUSAL	200
bool rt_prio_depth_ok(const ppuDeviceProp *prop, uint64_t depth, char *why);
/* Locked.  own: the user said so. */
void rt_prio_assign(struct ppuStream_st *stream, int priority, unsigned level, bool own);
void rt_prio_refresh(struct ppuCtx_st *ctx);		/* locked: the depth is another */
/* priomap.c: device priority of a level (0: the least) of so many, M device priorities, nesting depth N; any
 * function will do (SP-27).  False: N is 0 or above M, or there is no such level. */
typedef uint32_t (*rt_prio_map_fn)(uint32_t m, uint32_t n, uint32_t levels, uint32_t level);
enum rt_prio_policy { RT_PRIO_BOTTOM, RT_PRIO_TOP, RT_PRIO_BOTTOM_MERGE_LOW, RT_PRIO_POLICIES };
extern const rt_prio_map_fn rt_prio_policies[RT_PRIO_POLICIES];
bool rt_prio_map(rt_prio_map_fn map, uint32_t m, uint32_t n, uint32_t levels, uint32_t level, uint32_t *device);

/* ---- module.c ------------------------------------------------------------------------------- */
struct ppuFunction_st {
	struct rt_obj obj;
	struct ppuModule_st *mod;	/* lives at least as long as this is published */
	struct ppuFunction_st *next;
	const struct ppu_symbol *sym;
	uint32_t number;		/* in ctx->funcs */
};
struct ppuModule_st {
	struct rt_obj obj;
	struct ppuCtx_st *ctx;
	struct ppuModule_st *next;
	struct ppu_image *img;
	uint64_t code_va, data_va, kernels_va, cdp_va;
	struct ppuFunction_st *funcs;
	bool launches;			/* its code can launch kernels */
	char *name;
};
/* Locked.  Its code and variables go, its functions' handles end. */
void rt_module_unload(struct ppuModule_st *mod);
/* Locked.  The number that faults of a kernel are told by. */
ppuResult rt_module_number(struct ppuModule_st *mod, const struct ppu_symbol *kernel, uint32_t *number);
/* "file:line" of an instruction, or "" */
void rt_module_where(const struct ppuModule_st *mod, uint32_t pc, char *buf, size_t len);
/* The kernel or function an instruction is in, NULL: none. */
const char *rt_module_function(const struct ppuModule_st *mod, uint32_t pc);

/* Most threads a block of a kernel can have. */
uint32_t rt_max_threads(const struct ppu_symbol *kernel, const ppuDeviceProp *prop);

/* ---- queue.c -------------------------------------------------------------------------------- */
struct rt_queue {
	struct rt_queue *next;
	struct ppuStream_st *owner;	/* NULL: whoever needs one may have it */
	bool special;			/* made with options: for its owner only */
	bool assist;			/* the device refreshes it */
	struct rt_chan *chan;		/* stopped when the queue is in error */
	struct be_devq be;
	uint32_t count, block_bytes, flags;	/* PPU_STREAM_QUEUE_* */
	uint64_t mem;			/* struct ppu_queue, its state, command memory */
	uint64_t launches;		/* the last number handed out */
	struct rt_need last;		/* ... and when it is complete */
	uint64_t pair[2];		/* words of struct ppu_queue as the last launch left them */
	bool pair_known[2];
};
/* Unlocked.  Before a launch that needs one: the stream has a queue. */
ppuResult rt_queue_prepare(struct ppuStream_st *stream);
/* Unlocked.  Tell a module's copy of the library about its kernels. */
ppuResult rt_queue_bind(struct ppuModule_st *mod, uint8_t *data);
/* Locked.  A launch: entries it takes, what its TMD says, what goes before it, it. */
unsigned rt_queue_parts(const struct rt_queue *queue);
void rt_queue_tmd(const struct rt_queue *queue, struct ppu_tmd *tmd);
void rt_queue_before(struct rt_job *job, struct rt_queue *queue, uint64_t threads);
void rt_queue_launch(struct rt_job *job, struct rt_queue *queue, uint64_t tmd_va);
void rt_queue_disown(struct ppuStream_st *stream);	/* locked: the stream goes */
bool rt_queue_has(const struct ppuCtx_st *ctx, uint32_t hw_channel);
void rt_queues_stop(struct ppuCtx_st *ctx);
void rt_queues_free(struct ppuCtx_st *ctx);

/* ---- limit.c -------------------------------------------------------------------------------- */
void rt_limits_init(struct ppuCtx_st *ctx, uint32_t *limits);	/* BE_VM_LIMITS of them */
/* Locked.  A module is loaded: local memory for its kernels, if it can be had at once. */
void rt_local_expect(struct ppuModule_st *mod);
/* Locked; may wait for all work.  CUDA's device runtime comes in: while nobody has chosen a nesting depth or given a
 * stream a priority, there are as many levels as CUDA has, or as there are device priorities. */
void rt_depth_expect(struct ppuCtx_st *ctx);
/* Locked.  Value of a limit; local memory that a kernel is given. */
uint64_t rt_limit(struct ppuCtx_st *ctx, ppuLimit limit);
uint32_t rt_local_of(const struct ppuCtx_st *ctx, const struct ppu_symbol *kernel);
/* Locked; may wait for all work.  Now it must be there. */
ppuResult rt_local_ensure(const struct ppuFunction_st *func);

/* ---- coop.c --------------------------------------------------------------------------------- */
/* Unlocked: does the grid fit, and is the barrier there?  Locked: tell the kernel of it. */
ppuResult rt_coop_check(ppuFunction function, const struct ppuCtx_st *ctx, ppuDim3 grid, ppuDim3 block, size_t dynamic);
ppuResult rt_coop_prepare(struct ppuCtx_st *ctx);
void rt_coop_tmd(const struct ppuCtx_st *ctx, struct ppu_tmd *t);

/* ---- devlib.c ------------------------------------------------------------------------------- */
ppuResult rt_devlib_new(struct ppuCtx_st *ctx);
void rt_devlib_free(struct ppuCtx_st *ctx);
/* Unlocked.  Point the library's variables in a module's data to the context's states. */
ppuResult rt_devlib_bind(struct ppuModule_st *mod, uint8_t *data);
/* Locked; drops the lock to write.  Print what kernels printed. */
void rt_devlib_flush(struct ppuCtx_st *ctx);
/* Is the instruction the library's failed assertion?  Its text, once flushed. */
bool rt_devlib_is_assert(const struct ppuModule_st *mod, uint32_t pc);
const char *rt_devlib_assertion(const struct ppuCtx_st *ctx);
/* Locked.  PPU_LIMIT_PRINTF_BYTES and _HEAP_BYTES. */
ppuResult rt_devlib_get_limit(struct ppuCtx_st *ctx, ppuLimit limit, uint64_t *value);
ppuResult rt_devlib_set_limit(struct ppuCtx_st *ctx, ppuLimit limit, uint64_t value);

/* ---- cdp.c ---------------------------------------------------------------------------------- */
/* Unlocked; one at a time.  A module that launches kernels: mod->cdp_va is what it is told. */
ppuResult rt_cdp_bind(struct ppuModule_st *mod);
/* Unlocked.  Limits have changed: kernels can ask for them. */
ppuResult rt_cdp_limits(struct ppuCtx_st *ctx);

#pragma GCC visibility pop
#endif
