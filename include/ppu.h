/* SPDX-License-Identifier: MIT */
/*
 * libppu: the runtime of the PPU.  Plain C, in the manner of CUDA and HIP.
 *
 *   void *buf;
 *   ppuModule mod;
 *   ppuFunction fn;
 *   ppuMalloc(&buf, 4096);
 *   ppuModuleLoad(&mod, "kernel.ptx", NULL);
 *   ppuModuleGetFunction(&fn, mod, "scale");
 *   void *args[] = { &buf, &(float){ 2.0f } };
 *   ppuLaunchKernel(fn, ppuDim(4, 1, 1), ppuDim(256, 1, 1), 0, NULL, args, NULL, 0);
 *   ppuMemcpy(host, buf, 4096);
 *
 * Results.  Every call returns an enum ppuResult; PPU_SUCCESS is 0.  Besides the errors named at a
 * call, every call may return PPU_ERROR_INVALID_VALUE (a null pointer where a result goes, a value
 * out of range), PPU_ERROR_INVALID_HANDLE (an object that does not exist or was destroyed),
 * PPU_ERROR_OUT_OF_HOST_MEMORY, PPU_ERROR_DEVICE_LOST, and the error that broke the context: a
 * fault of a kernel or of a channel is sticky, all later calls on its context return it until
 * the context is destroyed.  Asynchronous work reports its faults at the next call that waits or
 * asks.  ppuGetLastErrorDetail() holds the whole story of the thread's last failed call.
 *
 * Threads.  Every call may be made from any thread at any time, unless it says otherwise.  Calls on
 * one object from several threads take effect in some order.  Destroying an object while another
 * thread is inside a call with it is safe; the other call completes or fails cleanly.  Each thread
 * has its own current context and its own last-error detail.
 *
 * Contexts.  A context is one GPU address space with its channels; it owns every other object.
 * Calls that name no object (ppuMalloc, ppuStreamCreate) work in the thread's current context.  A
 * thread that never set one uses the primary context of device 0, created at first use.
 *
 * Addresses.  Device memory and pinned host memory have one 64-bit address each, the same for CPU
 * and GPU, unique in the process: direction and place of a copy follow from its addresses.  The CPU
 * may touch pinned host memory, and must not touch device memory.
 *
 * Time.  Device time is in nanoseconds of the device's own clock.  Host time-outs are in ns too.
 */
#ifndef PPU_H
#define PPU_H

#include <stddef.h>
#include <stdint.h>
#include "ppu_version.h"		/* PPU_VERSION_MAJOR, PPU_VERSION_MINOR */

#ifdef __cplusplus
extern "C" {
#endif


/* The list of all errors: name, code, sentence. */
#define PPU_RESULTS(R) \
R(SUCCESS,                     0, "no error") \
R(ERROR_INVALID_VALUE,         1, "an argument is out of range or not allowed here") \
R(ERROR_INVALID_HANDLE,        2, "the handle names no living object") \
R(ERROR_INVALID_DEVICE,        3, "there is no device of that number") \
R(ERROR_NO_DEVICE,             4, "no PPU was found") \
R(ERROR_NOT_INITIALIZED,       5, "the runtime was shut down or could not be initialised") \
R(ERROR_OUT_OF_DEVICE_MEMORY,  6, "not enough device memory") \
R(ERROR_OUT_OF_HOST_MEMORY,    7, "not enough host memory") \
R(ERROR_OUT_OF_RESOURCES,      8, "not enough channels, semaphores or other objects of the driver") \
R(ERROR_INVALID_CONTEXT,       9, "the object belongs to another context, or the context is gone") \
R(ERROR_INVALID_ADDRESS,      10, "the address range is not one memory allocation of this context") \
R(ERROR_NOT_SUPPORTED,        11, "not supported by this device or version") \
R(ERROR_NOT_READY,            12, "the work is not complete yet") \
R(ERROR_TIMEOUT,              13, "the time limit passed before the work was complete") \
R(ERROR_NOT_FOUND,            14, "there is no symbol of that name") \
R(ERROR_FILE,                 15, "the file cannot be read") \
R(ERROR_INVALID_IMAGE,        16, "the module is neither PTX, assembly nor a sound native binary") \
R(ERROR_COMPILE,              17, "the module does not compile; the log says where") \
R(ERROR_INVALID_CONFIGURATION,18, "the launch's grid, block or shared memory size is impossible") \
R(ERROR_LAUNCH_RESOURCES,     19, "the block needs more registers, shared or local memory than an SM has") \
R(ERROR_PERMISSION,           20, "the driver refuses this to the caller") \
R(ERROR_CONFIGURATION,        21, "a backend option or device property is unknown or out of range") \
R(ERROR_BUSY,                 22, "this cannot change while work or priorities depend on it") \
R(ERROR_ALREADY,              23, "this is so already") \
R(ERROR_ILLEGAL_ADDRESS,      32, "a kernel accessed memory that is not there or not allowed") \
R(ERROR_MISALIGNED_ADDRESS,   33, "a kernel accessed an address not aligned to the access") \
R(ERROR_ILLEGAL_INSTRUCTION,  34, "a kernel came to an illegal instruction or left its program") \
R(ERROR_STACK_OVERFLOW,       35, "a kernel's stack left its local memory") \
R(ERROR_ASSERT,               36, "an assertion failed in a kernel") \
R(ERROR_TRAP,                 37, "a kernel executed a trap") \
R(ERROR_LAUNCH_TIMEOUT,       38, "a kernel ran longer than its watchdog allows") \
R(ERROR_DEADLOCK,             39, "nothing on the device can make progress any more") \
R(ERROR_LAUNCH_FAILED,        40, "a kernel faulted") \
R(ERROR_COPY_FAULT,           41, "a copy touched memory that is not there or not allowed") \
R(ERROR_CHANNEL,              42, "a channel stopped with an error") \
R(ERROR_DEVICE_LOST,          43, "the device was reset or removed") \
R(ERROR_LAUNCH_DEPTH,         44, "a kernel launched a kernel that would have been nested too deeply") \
R(ERROR_SYSTEM,               60, "the operating system refused something unexpectedly") \
R(ERROR_UNKNOWN,              63, "unknown error")

typedef enum ppuResult {
#define PPU_R_(name, code, text) PPU_##name = (code),
	PPU_RESULTS(PPU_R_)
#undef PPU_R_
} ppuResult;

/* An error's name, such as "PPU_ERROR_TRAP", and its sentence.  Static strings; never NULL. */
const char *ppuGetErrorName(ppuResult result);
const char *ppuGetErrorString(ppuResult result);
/* The details of the calling thread's last failed call: for a fault the kind, kernel, file:line, pc, lane, CTA
 * and address; for a compilation the log.  Valid until the thread's next failing call; "" when no call failed.
 * Never NULL. */
const char *ppuGetLastErrorDetail(void);

typedef int ppuDevice;
typedef struct ppuCtx_st *ppuCtx;
typedef struct ppuStream_st *ppuStream;
typedef struct ppuEvent_st *ppuEvent;
typedef struct ppuModule_st *ppuModule;
typedef struct ppuFunction_st *ppuFunction;	/* lives as long as its module */

typedef struct ppuDim3 {
	uint32_t x, y, z;
} ppuDim3;
static inline ppuDim3 ppuDim(uint32_t x, uint32_t y, uint32_t z)
{
	ppuDim3 d = { x, y, z };
	return d;
}

/* ---- start and end ---------------------------------------------------------------------------- */

/*
 * Which device the process uses, and how; decided once.  A zeroed field means: the value of the environment
 * variable that stands at the field, or else the default.
 */
typedef struct ppuInitOptions {
	/* "drm": the kernel driver; "core": the device model inside this process, no VM needed;
	 * "auto": drm, or core when this machine has no PPU, which is then said in a line on standard error.  A PPU
	 * that cannot be used (no driver, no permission) is an error.  PPU_BACKEND; default "auto". */
	const char *backend;
	/* Device properties of the core backend, "name=value" separated by blanks or commas.
	 * PPU_PROPS.  The drm backend refuses any (PPU_ERROR_CONFIGURATION). */
	const char *props;
	/* The core backend writes the device's trace here.  PPU_TRACE. */
	const char *trace;
	/* Render node to use instead of the first of each PPU (drm); with "auto", too, it must be one.
	 * PPU_DRM_NODE. */
	const char *node;
	/* Ring sizes in entries (0: 1024) and channel counts per context (0: 8 compute; copy: see
	 * copy_priorities) the runtime asks for.  PPU_RING_ENTRIES. */
	uint32_t ring_entries, compute_channels, copy_channels;
	/* Bytes of command memory per channel, 0: 256 KiB; not less than 64 KiB. */
	uint32_t pushbuf_bytes;
	uint32_t reserved[8];
	/* Range of stream priorities, "least:greatest", rising or falling ("0:-5", "0:9", "100:199");
	 * the default stream has the least.  PPU_STREAM_PRIORITIES; default "0:-5". */
	const char *stream_priorities;
	/* How copies obey priorities, "name=value" separated by blanks or commas.  PPU_COPY_PRIORITIES.
	 *   mode=on | off | inc-first  off: no semaphores (control run); inc-first: wrong on purpose
	 *   internal=N              internal priorities, 1..64; default: as many as stream priorities
	 *   order=up | down         up (default): the higher number is the more urgent; down: the lower
	 *   channels=N              copy channels per context, 1..64; default: 4 per internal priority
	 *   map=2:1:1               or the internal priority of each channel, one by one
	 *   memory=vram | system    where the semaphores live; default vram
	 * Documentation/runtime/copy-priorities.md explains these settings. */
	const char *copy_priorities;
	/* What stream priorities mean to kernels, "name=value" as above.  PPU_TASK_PRIORITIES.
	 *   depth=N                 nesting depth of new contexts (PPU_LIMIT_NESTING_DEPTH)
	 *   policy=bottom | top | bottom-merge-low   which levels share when there are more than
	 *                           floor(M / N): the greatest (default), the least, the least but
	 *                           counted from the bottom
	 *   default=D               device priority of streams that were given no priority; default:
	 *                           that of the least stream priority
	 * Documentation/runtime/task-priorities.md has examples.  Error CONFIGURATION: N or D + N is above M. */
	const char *task_priorities;
} ppuInitOptions;

/* Initialise the runtime.  The first call counts; later ones do nothing and succeed.  No program needs this
 * call: every other call initialises the runtime with default options.  Errors: NO_DEVICE, CONFIGURATION,
 * PERMISSION. */
ppuResult ppuInit(const ppuInitOptions *options);
/* Destroy every context and close the devices.  No other call may be in progress.  ppuInit() may be
 * called again after it. */
ppuResult ppuShutdown(void);
/* Version of the library, major * 1000 + minor. */
ppuResult ppuGetVersion(int *version);

/* ---- devices ----------------------------------------------------------------------------------- */

typedef struct ppuDeviceProp {
	char name[64];
	char backend[16];		/* "drm" or "core" */
	char location[64];		/* PCI address, or "in process" */
	uint32_t hw_version;		/* major << 16 | minor */
	uint32_t gpcs, sms, warps_per_sm, ctas_per_sm, warp_size;
	uint32_t copy_engines, channels;
	uint32_t device_priorities;	/* M: priorities of tasks inside the device, 0 to M - 1; which end is
					 * the highest is a bit of `features`, PPU_FEAT_PRIO_DOWN */
	uint32_t task_slots;
	uint32_t token_queue_entries;	/* divergence tokens a warp can hold */
	uint64_t vram_bytes;		/* total, used or not */
	uint32_t shared_per_sm, shared_per_block;	/* bytes */
	uint32_t regs_per_sm;		/* 32-bit registers */
	uint32_t max_threads_per_block, max_threads_per_sm;
	uint32_t max_block[3], max_grid[3];
	uint32_t clock_khz;		/* SM clock in device time */
	uint32_t ring_max;		/* entries of a channel's ring */
	uint32_t cores_per_sm, dp_units_per_sm, sfus_per_sm, lsus_per_sm, tex_per_sm, partitions;
	uint32_t va_bits, features;	/* PPU_FEAT_* of the hardware manual */
	uint64_t timeslice_ns;		/* default time slice of a channel */
	int stream_priority_least, stream_priority_greatest;	/* see ppuStreamCreate */
	uint32_t pci_vendor, pci_device;
} ppuDeviceProp;

/* The number of devices, and the properties of one.  Errors: NO_DEVICE, INVALID_DEVICE. */
ppuResult ppuDeviceGetCount(int *count);
ppuResult ppuDeviceGetProperties(ppuDeviceProp *prop, ppuDevice device);
/* Device time now, ns.  Errors: INVALID_DEVICE. */
ppuResult ppuDeviceGetTime(ppuDevice device, uint64_t *ns);
/* VRAM that nobody has, and all of it, in bytes.  No context is needed.  Errors: INVALID_DEVICE, INVALID_VALUE. */
ppuResult ppuDeviceGetMemInfo(ppuDevice device, size_t *free_bytes, size_t *total_bytes);
/*
 * Counters of the device since its reset, over all contexts.  Counters have numbers 0, 1, ... and names
 * ("warp_instructions").  GetCounters reads the first `count` of them, GetCounter reads one by name
 * (NOT_FOUND), GetCounterName tells the name of a number (INVALID_VALUE past the last).  NOT_SUPPORTED where
 * the driver does not expose counters.
 */
ppuResult ppuDeviceGetCounters(ppuDevice device, uint64_t *values, int count);
ppuResult ppuDeviceGetCounter(ppuDevice device, const char *name, uint64_t *value);
ppuResult ppuDeviceGetCounterName(ppuDevice device, int index, const char **name);

/*
 * How the device inside this process executes kernels (device property engine; the manual's hw/engines.md). All of it
 * depends on the host, and nothing that a kernel computes depends on it.  NOT_SUPPORTED elsewhere.
 *
 * EngineStats: like counters, what was translated since the device's reset, and how often host code was entered. The
 * statistic "host_ns" is the host's time that translation took, in whichever thread.
 */
ppuResult ppuDeviceGetEngineStats(ppuDevice device, uint64_t *values, int count);
ppuResult ppuDeviceGetEngineStatName(ppuDevice device, int index, const char **name);
/* A program that is host code now.  A module is one program. */
typedef struct ppuTranslation {
	uint64_t number;		/* 1 is the first that this device made */
	uint64_t code_address;		/* of the program in device memory */
	uint32_t code_instructions;	/* that it has */
	uint32_t entry;			/* what can be reached from this one is translated; UINT32_MAX: all */
	uint32_t instructions, inlined, segments, code_bytes;	/* as the statistics of these names */
	uint64_t memory_bytes, host_ns;
} ppuTranslation;
/* The first one with a number above `after` (0: of all).  NOT_FOUND: there is none. */
ppuResult ppuDeviceGetTranslation(ppuDevice device, uint64_t after, ppuTranslation *translation);
/*
 * The host code of a module of the current context, line by line: each instruction of the device, with the line of
 * PTX that it is from, before the instructions of the host that do it.  line() must not call the runtime.  NOT_FOUND:
 * the module is not host code (now).
 */
ppuResult ppuModuleDumpCode(ppuModule module, void (*line)(void *arg, const char *text), void *arg);

/*
 * What the device counted between two points, for the kernels and copies in between. ppuProfileBegin() and
 * ppuProfileEnd() wait until the current context's work is complete, and read the counters and the device's
 * clock; ppuProfileEnd() leaves the differences in *profile.  Everything on the device counts, other processes'
 * work too.  NOT_SUPPORTED where the driver does not expose counters.
 */
#define PPU_PROFILE_COUNTERS	128
typedef struct ppuProfile {
	uint64_t device_ns;			/* device time from the one call to the other */
	uint32_t count;				/* counters there are */
	uint32_t reserved;
	uint64_t counter[PPU_PROFILE_COUNTERS];	/* by number, as ppuDeviceGetCounterName() names them */
} ppuProfile;
ppuResult ppuProfileBegin(ppuProfile *profile);
ppuResult ppuProfileEnd(ppuProfile *profile);
/*
 * A counter, or a number made of counters, by name (NOT_FOUND; NaN when it divides by 0):
 *   lanes_per_instruction    of 32; less where lanes are idle, have exited or wait for others
 *   divergence               divergent branches per warp instruction
 *   lines_per_access         of 128 bytes, per warp instruction that accesses memory; 1 is coalesced
 *   l1_hit_rate l2_hit_rate constant_hit_rate instruction_hit_rate    0 to 1
 *   sm_busy                  SMs busy on average
 *   stall_rate               part of the time of SMs with work in which no warp could run
 * The rates of memory and caches need the device property cache-model.
 */
ppuResult ppuProfileGet(const ppuProfile *profile, const char *name, double *value);

/* ---- contexts ----------------------------------------------------------------------------------- */

#define PPU_CTX_NO_COPY_PRIORITIES	1u	/* copies of this context ignore priorities (mode=off) */

/* Create a context on a device and make it current in this thread.  Errors: INVALID_DEVICE,
 * OUT_OF_DEVICE_MEMORY (local memory, token queues, save area), OUT_OF_RESOURCES. */
ppuResult ppuCtxCreate(ppuCtx *ctx, unsigned flags, ppuDevice device);
/* Stop what still runs and free everything the context owns: its streams, events, modules and memory become
 * invalid.  Does not wait for work to complete.  This is also the way to get rid of a broken context. */
ppuResult ppuCtxDestroy(ppuCtx ctx);
/* Make ctx current in this thread.  NULL: the primary context again. */
ppuResult ppuCtxSetCurrent(ppuCtx ctx);
/* The context in which calls of this thread work.  Creates the primary context if the thread has none. */
ppuResult ppuCtxGetCurrent(ppuCtx *ctx);
/* The device of the current context. */
ppuResult ppuCtxGetDevice(ppuDevice *device);
/*
 * Peers: the current context uses the device memory of another one (ppuMalloc and variables of modules), at the same
 * addresses, for kernels and copies.  What the peer allocates later is there from the next call on that submits work.  With
 * the kernel driver, memory that another device uses moves to memory of the system.  ALREADY: access was
 * enabled before; NOT_FOUND: it was not; BUSY: the peer's memory cannot move now, because a kernel uses it.
 */
ppuResult ppuDeviceCanAccessPeer(int *can, ppuDevice device, ppuDevice peer);
ppuResult ppuCtxEnablePeer(ppuCtx peer);
ppuResult ppuCtxDisablePeer(ppuCtx peer);
/* Wait until all work submitted so far in the current context is complete. */
ppuResult ppuCtxSynchronize(void);

typedef enum ppuLimit {
	PPU_LIMIT_LOCAL_BYTES,		/* stack: local memory per thread, bytes, that recursive kernels
					 * get; default 1024, at most 512 KiB.  Kernels whose need is
					 * known get what they need */
	PPU_LIMIT_PRINTF_BYTES,		/* buffer of device-side printf, bytes, a power of two; default
					 * 1 MiB.  What kernels print appears on stdout when the host
					 * waits for them; output that does not fit replaces the oldest */
	PPU_LIMIT_HEAP_BYTES,		/* heap of device-side malloc, bytes; default 8 MiB.  To be set
					 * before the first module that calls malloc is loaded */
	PPU_LIMIT_NESTING_DEPTH,	/* N: deepest level of device-side launches, kernels launched by
					 * the CPU being level 1; from 1 to M, the number of device
					 * priorities (1 to 64 if there are none); default 4, or M / 2.
					 * floor(M / N) stream priorities are told apart.  With
					 * NESTING_RESERVE, from 1 to 64 */
	PPU_LIMIT_PENDING_LAUNCHES,	/* device-side launches that are not complete at any time; a
					 * further one fails.  0: as many as the device has room for, in
					 * all contexts.  Default 2048 */
	PPU_LIMIT_NESTING_RESERVE,	/* R: of how many levels each stream priority keeps the device
					 * priorities for itself, 1 to M; then floor(M / R) stream
					 * priorities are told apart, whatever the nesting depth.  The
					 * kernels of deeper levels have device priorities that other
					 * streams have, too, and at last all the highest.  0 (default):
					 * the nesting depth */
	PPU_LIMIT_COUNT
} ppuLimit;
/* Setting a limit waits until the context is idle.  Only NESTING_DEPTH does not wait: it fails (BUSY) when
 * the context is not idle.  NESTING_DEPTH and NESTING_RESERVE fail (BUSY) if they would change what stream priorities
 * mean while a stream has a priority above the least or from ppuStreamSetPriority.
 * The value may be rounded up.  Errors: OUT_OF_DEVICE_MEMORY. */
ppuResult ppuCtxSetLimit(ppuLimit limit, uint64_t value);
ppuResult ppuCtxGetLimit(ppuLimit limit, uint64_t *value);

/* What a task, a kernel that was launched and is not complete, is doing on the device. */
typedef enum ppuTaskState {
	PPU_TASK_STATE_PENDING = 1,	/* accepted, but has not started */
	PPU_TASK_STATE_RUNNING,		/* holds a slot of the task table */
	PPU_TASK_STATE_EVICTED,		/* has started, lost its slot and waits for one */
	PPU_TASK_STATE_SUSPENDED,	/* cannot go on: waits for its children */
	PPU_TASK_STATE_CODE_DONE	/* its own blocks are done, its children are not */
} ppuTaskState;
typedef struct ppuTaskInfo {
	char kernel[64];		/* "" when another kernel launched it */
	uint32_t number;		/* of the device's record; used again when it is complete */
	ppuTaskState state;
	int slot;			/* of the task table, -1: none */
	int parent;			/* number of the task that launched it, -1: the CPU did */
	uint32_t device_priority, depth;
	uint64_t blocks, blocks_done;
	uint32_t blocks_running, blocks_saved;	/* on SMs; taken off them */
} ppuTaskInfo;
/* The tasks of the current context.  *count: in the room in tasks[], out how many were stored.  Submitted
 * kernels whose turn in their stream has not come are no tasks yet.  Errors: NOT_SUPPORTED (older driver). */
ppuResult ppuCtxGetTasks(ppuTaskInfo *tasks, unsigned *count);
/* "RUNNING"; never NULL. */
const char *ppuGetTaskStateName(ppuTaskState state);

/* ---- memory -------------------------------------------------------------------------------------- */

/* Device memory, aligned to 256 bytes, contents undefined.  bytes 0: *ptr = NULL.
 * Errors: OUT_OF_DEVICE_MEMORY. */
ppuResult ppuMalloc(void **ptr, size_t bytes);
/* height rows of width bytes; row i starts at i * *pitch, and *pitch is a multiple of 256.  Errors as ppuMalloc(). */
ppuResult ppuMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height);
/* Free memory of ppuMalloc() or ppuMallocPitch(); waits until the work submitted so far is complete.  NULL: does
 * nothing.  Errors: INVALID_ADDRESS (not the start of an allocation). */
ppuResult ppuFree(void *ptr);
/* Pinned host memory: page aligned, zeroed, read and written by CPU and GPU at the same address; the
 * fast partner of asynchronous copies. */
ppuResult ppuMallocHost(void **ptr, size_t bytes);
ppuResult ppuFreeHost(void *ptr);
/*
 * Make existing memory of the process pinned memory of the current context, at its own address, whatever its
 * alignment; the GPU may then access all of its pages.  The memory must stay mapped until it is unregistered.
 * Unregistering waits until the work submitted so far is complete. flags must be 0.  Errors: INVALID_ADDRESS
 * (not readable and writable, or from ppuMalloc...), INVALID_VALUE (shares a page with registered memory),
 * NOT_SUPPORTED (the driver cannot).
 */
ppuResult ppuHostRegister(void *ptr, size_t bytes, unsigned flags);
ppuResult ppuHostUnregister(void *ptr);
/*
 * Addresses and memory as separate objects, both in units of PPU_MEM_GRANULARITY bytes.  A range of addresses
 * is reserved for all contexts; it can be freed when nothing is mapped there.  A piece of device memory belongs
 * to the current context.  It can be mapped to several places, but in this context only; each place shows the
 * piece from its beginning.  The piece is freed once it is released and mapped nowhere.  Kernels and copies may
 * run across mappings that are side by side.  Unmapping waits for the context's work.  Errors: OUT_OF_RESOURCES
 * (addresses), OUT_OF_DEVICE_MEMORY, INVALID_ADDRESS (not reserved, mapped already, not the start of a
 * mapping).
 */
#define PPU_MEM_GRANULARITY	4096u
typedef struct ppuMem_st *ppuMem;
ppuResult ppuAddressReserve(void **ptr, size_t bytes, size_t align);
ppuResult ppuAddressFree(void *ptr, size_t bytes);
ppuResult ppuMemCreate(ppuMem *mem, size_t bytes);
ppuResult ppuMemRelease(ppuMem mem);
ppuResult ppuMemMap(void *ptr, size_t bytes, ppuMem mem, int read_only);
/*
 * Memory for other processes.  A file stands for it, and can be sent through a Unix socket; the other process makes a ppuMem
 * of the file, which stays its own, and maps it.  ppuPointerExport() takes the start of an allocation of ppuMalloc() or
 * ppuMallocHost(); the file stands for the whole buffer around it, which other allocations may share.  NOT_SUPPORTED:
 * memory of ppuMallocHost() with the device inside the process, and what runs under a debugger there.
 */
ppuResult ppuMemExport(ppuMem mem, int *fd);
ppuResult ppuMemImport(ppuMem *mem, int fd, size_t bytes);
ppuResult ppuPointerExport(const void *ptr, int *fd, size_t *offset, size_t *buffer, uint64_t *bytes);
ppuResult ppuMemUnmap(void *ptr, ppuMem mem);
/* Free and total device memory in bytes, of the device. */
ppuResult ppuMemGetInfo(size_t *free_bytes, size_t *total_bytes);

typedef enum ppuMemoryType {
	PPU_MEMORY_UNREGISTERED,	/* ordinary host memory: no GPU access, copies go through staging */
	PPU_MEMORY_DEVICE,
	PPU_MEMORY_HOST			/* pinned */
} ppuMemoryType;
typedef struct ppuPointerAttributes {
	ppuMemoryType type;
	ppuCtx ctx;			/* NULL when unregistered */
	void *base;			/* start of the allocation */
	size_t bytes;			/* its size */
} ppuPointerAttributes;
/* What ptr points to.  Errors: INVALID_ADDRESS (an address in the runtime's range that is in no allocation of the
 * current context). */
ppuResult ppuPointerGetAttributes(ppuPointerAttributes *attr, const void *ptr);

/*
 * Copies of bytes.  Source and destination are device memory, pinned or ordinary host memory; ranges
 * must not overlap.  Ranges in device or pinned memory are checked against their allocation
 * (INVALID_ADDRESS).
 * Without Async: complete when the call returns.  With Async: in stream order; the call returns early, and
 * pinned memory must stay valid and unchanged until the copy is done.  When the call returns, an Async copy
 * from ordinary memory has read that memory, and one to ordinary memory is complete.
 */
ppuResult ppuMemcpy(void *dst, const void *src, size_t bytes);
ppuResult ppuMemcpyAsync(void *dst, const void *src, size_t bytes, ppuStream stream);
/* height rows of width bytes, the starts of rows dst_pitch and src_pitch bytes apart (>= width). */
ppuResult ppuMemcpy2D(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
		      size_t height);
ppuResult ppuMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
			   size_t width, size_t height, ppuStream stream);
/* Set count elements of elem_bytes (1, 2, 4, 8) in device or pinned memory to value.  The address
 * must be a multiple of elem_bytes. */
ppuResult ppuMemset(void *dst, uint64_t value, unsigned elem_bytes, size_t count);
ppuResult ppuMemsetAsync(void *dst, uint64_t value, unsigned elem_bytes, size_t count,
			 ppuStream stream);
/* The same for height rows of width elements, pitch bytes apart. */
ppuResult ppuMemset2D(void *dst, size_t pitch, uint64_t value, unsigned elem_bytes, size_t width,
		      size_t height);
ppuResult ppuMemset2DAsync(void *dst, size_t pitch, uint64_t value, unsigned elem_bytes,
			   size_t width, size_t height, ppuStream stream);

/* ---- textures ------------------------------------------------------------------------------------ */

typedef enum ppuTextureFormat {		/* of one channel */
	PPU_TEXTURE_U8, PPU_TEXTURE_S8, PPU_TEXTURE_U16, PPU_TEXTURE_S16, PPU_TEXTURE_U32, PPU_TEXTURE_S32,
	PPU_TEXTURE_F16, PPU_TEXTURE_F32
} ppuTextureFormat;
typedef enum ppuTextureAddress {	/* of coordinates outside; wrap and mirror: normalized ones only */
	PPU_TEXTURE_CLAMP, PPU_TEXTURE_WRAP, PPU_TEXTURE_MIRROR, PPU_TEXTURE_BORDER
} ppuTextureAddress;
typedef enum ppuTextureFilter { PPU_TEXTURE_POINT, PPU_TEXTURE_LINEAR } ppuTextureFilter;

/* A smaller picture of the same; zeroed fields as in ppuTextureDesc. */
typedef struct ppuTextureLevel {
	const void *data;
	uint32_t width, height, depth, reserved;
	uint64_t pitch, slice_pitch;
} ppuTextureLevel;

/* Zeroed fields mean: tight rows and slices, one row, one slice, clamp, point filter, no further levels. */
typedef struct ppuTextureDesc {
	const void *data;		/* device memory or pinned host memory; stays the caller's */
	uint32_t width, height, depth;	/* texels; depth: also the number of layers */
	uint64_t pitch, slice_pitch;	/* bytes from row to row, from slice to slice */
	ppuTextureFormat format;
	uint32_t channels;		/* 1, 2, 4 */
	ppuTextureAddress address[3];	/* of x, y, z */
	ppuTextureFilter filter;	/* linear: f16, f32 or normalized_read only */
	int normalized_coordinates;	/* the texture spans [0, 1) */
	int normalized_read;		/* 8- and 16-bit integers become [0, 1] or [-1, 1] */
	float border[4];		/* colour outside, for PPU_TEXTURE_BORDER */
	int srgb;			/* U8 with normalized_read: the first three channels have the curve of sRGB */
	/* Further levels, for fetches that name a level (lod) or gradients: lod + bias, between min and max. */
	uint32_t num_levels;		/* of `levels`; at most 31 */
	const ppuTextureLevel *levels;
	ppuTextureFilter level_filter;	/* linear: between the two nearest levels */
	float level_bias, min_level, max_level;
} ppuTextureDesc;

/* What kernels pass to tex, suld, sust and txq: a 64-bit number. */
typedef uint64_t ppuTexture;

/* Make a texture (or surface) of memory.  Later kernels see what is stored in the memory later.  Errors:
 * INVALID_ADDRESS (the data is not inside one allocation), OUT_OF_DEVICE_MEMORY. */
ppuResult ppuTextureCreate(ppuTexture *texture, const ppuTextureDesc *desc);
/* Waits for the context's work.  The memory stays.  Errors: INVALID_HANDLE. */
ppuResult ppuTextureDestroy(ppuTexture texture);

/* ---- streams ------------------------------------------------------------------------------------- */

/*
 * A stream is a sequence of work, done in order; different streams overlap.  The NULL stream is the
 * context's default stream: its work waits for all earlier work of the context's other streams and
 * their later work waits for it, except for streams made with PPU_STREAM_NON_BLOCKING.
 */
#define PPU_STREAM_DEFAULT	0u
#define PPU_STREAM_NON_BLOCKING	1u

/* priority: from `least` (an ordinary stream, 0) to `greatest`; numerically lower is more urgent, unless
 * another range was configured.  The priority orders both kernels and copies.  Values outside the range are
 * an error.  Errors: OUT_OF_RESOURCES. */
ppuResult ppuStreamCreate(ppuStream *stream, unsigned flags, int priority);
ppuResult ppuStreamGetPriorityRange(int *least, int *greatest);
ppuResult ppuStreamGetPriority(ppuStream stream, int *priority);
/* The device priority of the stream's kernels; 0 is the lowest, and children have 1 more for each level.  On a device
 * with PPU_FEAT_PRIO_DOWN the highest is 0, and children have 1 less. */
ppuResult ppuStreamGetDevicePriority(ppuStream stream, uint32_t *priority);
/* Work submitted from now on has this priority; the order inside the stream stays. */
ppuResult ppuStreamSetPriority(ppuStream stream, int priority);
ppuResult ppuStreamGetFlags(ppuStream stream, unsigned *flags);
/* The handle becomes invalid at once; work already submitted completes. */
ppuResult ppuStreamDestroy(ppuStream stream);
/* Wait for all work submitted to the stream so far.  Sleeps. */
ppuResult ppuStreamSynchronize(ppuStream stream);
/* The same with limits: TIMEOUT when the device's clock passes device_deadline (ns, absolute) or
 * the host waited host_timeout ns.  UINT64_MAX: no limit.  The work goes on. */
ppuResult ppuStreamSynchronizeUntil(ppuStream stream, uint64_t device_deadline,
				    uint64_t host_timeout);
/* SUCCESS when all is complete, else NOT_READY.  Does not wait.  (The core backend lets some device
 * time pass in each call that finds unfinished work.) */
ppuResult ppuStreamQuery(ppuStream stream);
/* Later work of the stream waits for the event as last recorded.  An event never recorded has no effect. */
ppuResult ppuStreamWaitEvent(ppuStream stream, ppuEvent event);

typedef void (*ppuHostFn)(void *arg);
/*
 * Call fn(arg) in a thread of the library when the stream's work so far is complete; later work of the stream
 * waits until the function has returned.  Functions of different streams come in no fixed order and may hold
 * each other up.  A function may submit work.  It must not wait for work (NOT_SUPPORTED), as copies of ordinary
 * memory do, and must not end a context.  The function is not called when the context is broken or destroyed
 * before.
 */
ppuResult ppuLaunchHostFunc(ppuStream stream, ppuHostFn fn, void *arg);

/*
 * Words in memory that a stream writes or waits for.  The device's host interface does it: no SM is occupied.  A word is
 * device or pinned memory, aligned to its size.  A wait ends when the device sees the word compare true; it also sees what
 * the CPU stores to pinned memory, after a moment.  Who may write the word is the program's business: a stream may wait
 * for ever, and so do calls that wait for the stream, and streams that share its channel.
 */
typedef enum ppuWordKind {
	PPU_WORD_WRITE,
	PPU_WORD_WAIT_GEQ,	/* (signed)(word - value) >= 0 */
	PPU_WORD_WAIT_EQ,
	PPU_WORD_WAIT_AND,	/* word & value */
	PPU_WORD_WAIT_NOR	/* ~(word | value); needs PPU_FEAT_SEM_NOR, else NOT_SUPPORTED */
} ppuWordKind;
typedef struct ppuWordOp {
	uint64_t address, value;
	ppuWordKind kind;
	uint32_t bytes;		/* 4 or 8 */
} ppuWordOp;
/* In their order, behind the stream's earlier work; each before the stream's later work. */
ppuResult ppuStreamWordOps(ppuStream stream, const ppuWordOp *ops, size_t count);

/* ---- copy priorities -------------------------------------------------------------------------------- */

/*
 * Copies obey stream priorities by semaphore commands that the runtime puts around them; the device knows of no
 * copy priority.  A stream's priority chooses an internal priority, and this chooses a copy channel.  Internal
 * priorities are numbers 1..N; each context has its own.
 */
typedef struct ppuCopyConfig {
	uint32_t enabled;		/* 0: mode off, no semaphores */
	uint32_t priorities;		/* N */
	uint32_t priorities_used;	/* P: priorities with a channel; there are P - 1 semaphores, or none */
	uint32_t channels;		/* copy channels; each is made at its first use */
	int lowest, highest;		/* numbers of the least and the most urgent one in use */
	uint32_t semaphores;
	uint32_t in_vram;		/* 1: the semaphores are in device memory */
} ppuCopyConfig;
/* The configuration of the current context. */
ppuResult ppuCtxGetCopyConfig(ppuCopyConfig *config);
/*
 * The semaphore of an internal priority: its address in the context, and its present value.  The value is the
 * number of copies of that priority that are at the head of their channel and neither wait nor are done.
 * Either pointer may be NULL.  NOT_FOUND: the priority has no semaphore (the lowest, one without channels, mode
 * off).
 */
ppuResult ppuCtxGetCopySemaphore(int priority, void **address, uint64_t *value);

typedef struct ppuStreamCopyInfo {
	uint32_t channel;	/* copy channel of the context, 0.. */
	uint32_t hw_channel;	/* the device's number of the channel, as in traces */
	int priority;		/* internal priority of that channel */
} ppuStreamCopyInfo;
/* The channel that the stream's copies use.  Makes the channel if there is none yet.  Errors:
 * OUT_OF_RESOURCES. */
ppuResult ppuStreamGetCopyInfo(ppuStream stream, ppuStreamCopyInfo *info);

/* ---- events --------------------------------------------------------------------------------------- */

#define PPU_EVENT_DEFAULT		0u
#define PPU_EVENT_DISABLE_TIMING	1u	/* orders only, and is cheaper */

/* An event of the current context. */
ppuResult ppuEventCreate(ppuEvent *event, unsigned flags);
ppuResult ppuEventDestroy(ppuEvent event);
/* Mark the present end of the stream's work.  Recording again replaces the former mark.  Errors: INVALID_CONTEXT
 * (the stream is of another context than the event). */
ppuResult ppuEventRecord(ppuEvent event, ppuStream stream);
/* Wait until the work before the mark is complete.  Returns at once if the event was never recorded. */
ppuResult ppuEventSynchronize(ppuEvent event);
/* SUCCESS when the work before the mark is complete or the event was never recorded, else NOT_READY.  Does not
 * wait. */
ppuResult ppuEventQuery(ppuEvent event);
/* Device time of the mark, ns.  Errors: NOT_READY, NOT_SUPPORTED (made without timing),
 * INVALID_VALUE (not recorded). */
ppuResult ppuEventGetTime(ppuEvent event, uint64_t *ns);
/* end - start in device time, in ns and in ms; may be negative.  Errors as ppuEventGetTime(). */
ppuResult ppuEventElapsedNs(int64_t *ns, ppuEvent start, ppuEvent end);
ppuResult ppuEventElapsedTime(float *ms, ppuEvent start, ppuEvent end);

/* ---- modules ---------------------------------------------------------------------------------------- */

typedef enum ppuModuleKind {
	PPU_MODULE_AUTO,	/* native binary by its magic; text with a .version directive: PTX; else assembly */
	PPU_MODULE_PTX,
	PPU_MODULE_BINARY,	/* PPUB, as ppu-as and ppu-cc write it */
	PPU_MODULE_ASSEMBLY
} ppuModuleKind;

typedef struct ppuModuleOptions {
	ppuModuleKind kind;
	const char *name;	/* of the file, for messages; NULL: "module" */
	uint32_t max_regs;	/* registers per thread the compiler may use, 0: 255 */
	uint32_t no_yield;	/* 1: the compiler inserts no YIELD (for experiments) */
	char *log;		/* room for messages of the compiler, NUL-terminated; or NULL */
	size_t log_bytes;	/* size of that room */
	uint32_t reserved[8];
} ppuModuleOptions;

/* Load code from memory (bytes 0: text up to its NUL) into the current context: compile if it is text,
 * place code and variables in device memory, resolve addresses.  The data is not needed afterwards.
 * options may be NULL.  Errors: INVALID_IMAGE, COMPILE, OUT_OF_DEVICE_MEMORY. */
ppuResult ppuModuleLoadData(ppuModule *module, const void *data, size_t bytes,
			    const ppuModuleOptions *options);
/* Load from a file; the suffix .ptx, .ppus or .ppub decides the kind when options do not.  Errors: FILE. */
ppuResult ppuModuleLoad(ppuModule *module, const char *path, const ppuModuleOptions *options);
/* Waits for the context's work, then frees code, variables and function handles. */
ppuResult ppuModuleUnload(ppuModule module);
/* A kernel by name.  Errors: NOT_FOUND. */
ppuResult ppuModuleGetFunction(ppuFunction *function, ppuModule module, const char *name);
/* A variable in global or constant memory: address and size; either may be NULL.  Errors: NOT_FOUND. */
ppuResult ppuModuleGetGlobal(void **ptr, size_t *bytes, ppuModule module, const char *name);
/* Names of the kernels, by number from 0; INVALID_VALUE past the last. */
ppuResult ppuModuleGetFunctionName(ppuModule module, unsigned index, const char **name);

typedef struct ppuFunctionAttributes {
	uint32_t regs;			/* registers per thread */
	uint32_t shared_bytes;		/* static shared memory per block */
	uint32_t local_bytes;		/* local memory per thread */
	uint32_t max_threads_per_block;	/* by registers, shared memory and its own declaration */
	uint32_t max_dynamic_shared;	/* dynamic shared memory that a launch may ask for */
	uint32_t barriers;
	uint32_t param_bytes, num_params;
	uint32_t code_insns;		/* instructions of the kernel itself */
	uint32_t recursive;
	uint64_t code_address;		/* of the module's code */
	uint32_t entry_pc;		/* instruction index of the kernel in that code */
	uint32_t cluster[3];		/* blocks of a cluster, as the kernel says; 0: launches may say it */
	uint32_t cluster_most;		/* most blocks of a cluster; 0: not said */
	uint32_t cluster_explicit;	/* 1: a launch must say the cluster */
} ppuFunctionAttributes;
ppuResult ppuFunctionGetAttributes(ppuFunctionAttributes *attr, ppuFunction function);
/* Offset and size of parameter `index` in the parameter buffer. */
ppuResult ppuFunctionGetParam(ppuFunction function, uint32_t index, size_t *offset, size_t *bytes);
const char *ppuFunctionGetName(ppuFunction function);	/* NULL for an invalid handle */
/* How many blocks of block_threads threads and dynamic_shared bytes of dynamic shared memory fit on an SM. */
ppuResult ppuOccupancyMaxActiveBlocks(int *blocks, ppuFunction function, uint32_t block_threads,
				      size_t dynamic_shared);

/* How many clusters of such blocks the device holds at once; 0: no SM holds one. */
ppuResult ppuOccupancyMaxActiveClusters(int *clusters, ppuFunction function, uint32_t block_threads, ppuDim3 cluster,
					size_t dynamic_shared);

/* ---- launch -------------------------------------------------------------------------------------------- */

/*
 * Run a kernel: grid blocks of block threads, with dynamic_shared bytes of shared memory on top of the static
 * ones.  The arguments are either params, one pointer to each parameter's value, or a packed buffer laid out as
 * the kernel's parameters are (its size up to the kernel's parameter size); the other is NULL.  Both NULL: a
 * kernel without parameters.  The arguments are copied before the call returns.  Asynchronous: the call does
 * not wait, unless the stream's ring is full.  Errors: INVALID_CONFIGURATION, LAUNCH_RESOURCES.
 */
ppuResult ppuLaunchKernel(ppuFunction function, ppuDim3 grid, ppuDim3 block, size_t dynamic_shared,
			  ppuStream stream, void **params, const void *packed, size_t packed_bytes);

/*
 * The same for a kernel whose blocks wait for each other: all of them are on the SMs at once, or the launch fails
 * (LAUNCH_RESOURCES).  The kernel finds an address in %envreg2 (low half) and %envreg1; the second word there is
 * a barrier for the blocks to count in, 0 but for its highest bit before and after each kernel.  Cooperative
 * kernels of a context run one after another.
 */
ppuResult ppuLaunchCooperativeKernel(ppuFunction function, ppuDim3 grid, ppuDim3 block, size_t dynamic_shared,
				     ppuStream stream, void **params, const void *packed, size_t packed_bytes);

/*
 * The same with blocks in clusters: the blocks of a cluster are on one SM at the same time, have a barrier and see each
 * other's shared memory.  grid is a multiple of cluster, which has up to 16 blocks; all 0: as the kernel says.  Errors:
 * INVALID_CONFIGURATION, LAUNCH_RESOURCES: no SM holds so large a cluster.
 */
ppuResult ppuLaunchClusterKernel(ppuFunction function, ppuDim3 grid, ppuDim3 block, ppuDim3 cluster, int cooperative,
				 size_t dynamic_shared, ppuStream stream, void **params, const void *packed,
				 size_t packed_bytes);

/*
 * The same, and two events (with timing, of the stream's context) get the device time just before the kernel is
 * handed to the device and just after it is complete.  Their difference is the time of the kernel alone.
 * ppuEventRecord() around a launch does not tell this time when the device was idle in between.
 */
ppuResult ppuLaunchKernelTimed(ppuFunction function, ppuDim3 grid, ppuDim3 block, size_t dynamic_shared,
			       ppuStream stream, void **params, const void *packed, size_t packed_bytes,
			       ppuEvent start, ppuEvent end);

/*
 * Graphs that threads launch.  A graph is a list of nodes, which run one after the other: kernels, copies and fills of
 * device memory.  Kernels launch it by its handle, any number that the program chose (Documentation/runtime/
 * dynamic-parallelism.md); 0: they cannot.  ppuGraphCreate() copies the arguments.  All kernels are of the current context.
 */
typedef struct ppuGraph_st *ppuGraph;

typedef enum ppuGraphNodeKind { PPU_GRAPH_KERNEL, PPU_GRAPH_COPY, PPU_GRAPH_FILL } ppuGraphNodeKind;

typedef struct ppuGraphNode {
	ppuGraphNodeKind kind;
	/* PPU_GRAPH_KERNEL, as in ppuLaunchClusterKernel(). */
	ppuFunction function;
	ppuDim3 grid, block, cluster;
	size_t dynamic_shared;
	const void *packed;
	size_t packed_bytes;
	/* PPU_GRAPH_COPY, PPU_GRAPH_FILL: boxes of bytes in memory that kernels can reach. */
	uint64_t dst, dst_pitch, dst_slice, src, src_pitch, src_slice;
	uint64_t width, height, depth;
	unsigned value, element;	/* of a fill: element bytes (1, 2, 4) of value */
	/* PPU_GRAPH_KERNEL, if not 0: PPU_GRAPH_DEVICE_NODE bytes of device memory, by whose address kernels change the node. */
	uint64_t device_node;
	int off;			/* such a node is not launched until a kernel switches it on */
} ppuGraphNode;

#define PPU_GRAPH_DEVICE_NODE	16

ppuResult ppuGraphCreate(ppuGraph *graph, uint64_t handle, const ppuGraphNode *nodes, size_t num);
/* Runs the graph in a stream, with what its kernels launch into its tail. */
ppuResult ppuGraphLaunch(ppuGraph graph, ppuStream stream);
/* Waits for the context. */
ppuResult ppuGraphDestroy(ppuGraph graph);

/* ---- kernels that make work ---------------------------------------------------------------------- */

/*
 * A kernel that calls functions of <ppu_queue.h> puts work into a device-owned queue, which runs when the
 * kernel has ended.  For the stream, and for whoever waits, the launch is complete when all that work is
 * complete.  Each stream that launches such kernels gets a queue at the first launch, without a call for it.
 * Documentation/runtime/device-queues.md tells the rest.
 */
#define PPU_STREAM_QUEUE_SPLIT		1u	/* launches take four ring entries, one command in each */
#define PPU_STREAM_QUEUE_NO_SPARE	2u	/* groups may take the last entry, too: the end may find no room */
#define PPU_STREAM_QUEUE_NO_TERMINATOR	4u	/* kernels must call ppuQueueFinish(), or the queue fails */
#define PPU_STREAM_QUEUE_NO_ASSIST	8u	/* the driver makes room as entries are done, not the device */
typedef struct ppuQueueOptions {
	uint32_t entries;		/* 3 to ring_max, two of them never usable; 0: 1024 */
	uint32_t block_bytes;		/* command memory of an entry: commands, 256 bytes and the parameters for each
					 * launch; 512 to 65536; 0: 1024 */
	uint32_t flags;			/* PPU_STREAM_QUEUE_*, for tests and experiments */
	uint32_t initial_get;		/* the entry the queue begins with */
	uint32_t reserved[4];
} ppuQueueOptions;
/* Give the stream a new queue.  If the stream has one already, wait for its work, then replace it. options
 * NULL: the defaults.  Errors: OUT_OF_RESOURCES (no channel left), OUT_OF_DEVICE_MEMORY. */
ppuResult ppuStreamSetQueue(ppuStream stream, const ppuQueueOptions *options);

typedef struct ppuQueueInfo {
	uint32_t channel;		/* the device's number of the channel, for traces */
	uint32_t entries, block_bytes, flags;
	int assist;			/* the device makes room as entries are done */
	uint64_t launches;		/* launches of kernels given to it so far */
	uint32_t get;			/* GP_GET */
	uint32_t launch_channel;	/* the channel that launches are put into: number, GP_GET, GP_PUT */
	uint32_t launch_get, launch_put;
	uint64_t soft, shadow;		/* entries reserved so far; first entry that may not be yet */
	uint64_t x, y;			/* the two semaphores */
	/* GPU virtual addresses: of the ring, of its first entry's command memory (may be copied from with
	 * ppuMemcpy), of the semaphores: one u64 for each entry, X, Y, and of the two counters */
	uint64_t ring_address, blocks_address, semaphores_address, x_address, y_address;
	uint64_t soft_address, shadow_address;
} ppuQueueInfo;
/* What the stream's queue is, and its present state.  Errors: NOT_FOUND (the stream has no queue). */
ppuResult ppuStreamGetQueue(ppuStream stream, ppuQueueInfo *info);
/* Read the ring, semaphores or counters of the stream's queue.  Errors: INVALID_ADDRESS. */
ppuResult ppuStreamReadQueue(ppuStream stream, uint64_t address, void *to, size_t bytes);
/* Device-owned queues of the current context. */
ppuResult ppuCtxGetQueueCount(int *count);

#ifdef __cplusplus
}
#endif
#endif
