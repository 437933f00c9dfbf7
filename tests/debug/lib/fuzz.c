/* SPDX-License-Identifier: MIT */
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/eventfd.h>

#include "fuzz.h"
#include "gpu.h"
#include "harness.h"
#include "kcov.h"
#include "uapi_table.h"

#define CODE_VA		0x10000000ull	/* blocks of commands, CODE_STEP bytes apart */
#define CODE_STEP	256
#define CODE_BLOCKS	10
#define CODE_TMD	0x4000	/* where tasks and their programs are in it */
#define CODE_SM		0x6000
#define CODE_SIZE	0x10000ull
#define MAX_ARG		512
#define MAX_ELEMENTS	6
/* Sizes of objects are at most this, or absurdly large: the test is not about the amount of memory. */
#define MAX_OBJECT	(8ull << 20)
#define ABSURD		(1ull << 40)

/*
 * Memory to which calls may write, for each thread. No memory of ours is mapped after it, so that a call with a large
 * size overwrites nothing.
 */
#define ROOM_SIZE	0x10000ull
#define ROOM_GUARD	(1ull << 32)
static _Thread_local char *room;
static _Thread_local unsigned num_arrays;	/* of this call: they are in the second half */

static uint32_t block_words[CODE_BLOCKS];

static int witness = -1, kmsg = -1;
static bool coverage;
static struct drm_ppu_limit before[32];
static uint64_t vram_before;
static unsigned long called[64], worked[64];

/* ---- numbers ---- */

uint64_t fuzz_next(uint64_t *rng)
{
	uint64_t z = *rng += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

unsigned fuzz_below(uint64_t *rng, unsigned n)
{
	return (unsigned)((fuzz_next(rng) >> 32) * n >> 32);
}

/* A careful call has no mistakes made on purpose, so it gets far. */
static _Thread_local bool careful;

static bool one_in(uint64_t *rng, unsigned n)
{
	return fuzz_below(rng, n) == 0;
}

/* Make a mistake on purpose? */
static bool wrong(uint64_t *rng, unsigned n)
{
	return one_in(rng, n) && !careful;
}

static uint64_t any_number(uint64_t *rng)
{
	if (careful)
		return one_in(rng, 3) ? fuzz_below(rng, 20) : 0;
	switch (fuzz_below(rng, 6)) {
	case 0:
		return 0;
	case 1:
		return 1ull << fuzz_below(rng, 64);
	case 2:
		return (1ull << fuzz_below(rng, 64)) - 1;
	case 3:
		return fuzz_next(rng);
	default:
		return fuzz_below(rng, 20);
	}
}

static uint64_t some_size(uint64_t *rng, bool words)
{
	static const uint64_t usual[] = { 0, 1, 4, 16, 4096, 4096, 8192, 0x10000, 0x200000, 0x201000 };
	uint64_t v;

	if (words && careful)
		return 1 + fuzz_below(rng, 8);
	if (careful)
		return 4096ull << fuzz_below(rng, 5);
	if (!one_in(rng, 4))
		return usual[fuzz_below(rng, sizeof(usual) / sizeof(usual[0]))];
	v = any_number(rng);
	return v < ABSURD ? v % MAX_OBJECT : v;
}

static uint64_t some_va(uint64_t *rng)
{
	if (wrong(rng, 8))
		return any_number(rng);
	switch (fuzz_below(rng, 8)) {
	case 0:
		return any_number(rng) << 12;
	case 1:
	case 2:
		return CODE_VA + fuzz_below(rng, 0x40) * 0x1000ull;
	case 3:
		return 0x20000000ull + fuzz_below(rng, 8) * 0x80000ull;
	default:
		return CODE_VA + fuzz_below(rng, CODE_BLOCKS) * CODE_STEP;
	}
}

static uint64_t some_time(uint64_t *rng)
{
	switch (fuzz_below(rng, 6)) {
	case 0:
		return 0;
	case 1:
		return any_number(rng);
	case 2:
		return one_in(rng, 4) ? INT64_MAX : now_ns();
	default:
		return now_ns() + fuzz_below(rng, 4) * MS;
	}
}

/* ---- objects ---- */

/* What kind of object a field names: fields of one kind share a pool. */
static const char *kind_of(const struct uapi_struct *s, const char *field)
{
	const char *dot = strrchr(field, '.');
	size_t len = strlen(field);

	if (len >= 6 && !strcmp(field + len - 6, "handle"))
		return dot || !strcmp(s->name, "drm_ppu_sync") ? "syncobj" : "gem";
	return dot ? dot + 1 : field;
}

/* Threads may share a file and its pools, and take no lock for it: a thread that forks would keep the lock for ever. */
static struct fuzz_pool *pool_of(struct fuzz *f, const char *kind)
{
	for (unsigned i = 0; i < FUZZ_KINDS; i++) {
		const char *has = NULL;

		if (__atomic_compare_exchange_n(&f->pool[i].kind, &has, kind, false, __ATOMIC_SEQ_CST,
						__ATOMIC_SEQ_CST) || !strcmp(has, kind))
			return &f->pool[i];
	}
	FAIL("more than %d kinds of objects", FUZZ_KINDS);
}

static void add_object(struct fuzz *f, const char *kind, uint32_t id)
{
	struct fuzz_pool *pool = pool_of(f, kind);

	if (id)
		pool->id[__atomic_fetch_add(&pool->count, 1, __ATOMIC_RELAXED) % FUZZ_POOL_SIZE] = id;
}

static uint32_t some_object(struct fuzz *f, const char *kind, uint64_t *rng)
{
	static const char *const objects[] = { "vm_id", "channel_id", "sem_id" };
	struct fuzz_pool *pool;
	unsigned n;

	if (wrong(rng, 8))
		return (uint32_t)any_number(rng);
	/* Optional ones are often left out. */
	if (one_in(rng, 4))
		return 0;
	if (!strcmp(kind, "object_id"))
		kind = objects[fuzz_below(rng, 3)];
	pool = pool_of(f, kind);
	n = pool->count < FUZZ_POOL_SIZE ? pool->count : FUZZ_POOL_SIZE;
	return n ? pool->id[fuzz_below(rng, n)] : 0;
}

/* ---- arguments ---- */

static void put(void *arg, const struct uapi_field *field, uint64_t value)
{
	memcpy((char *)arg + field->offset, &value, field->size < 8 ? field->size : 8);
}

static uint64_t get(const void *arg, const struct uapi_field *field)
{
	uint64_t value = 0;

	memcpy(&value, (const char *)arg + field->offset, field->size < 8 ? field->size : 8);
	return value;
}

static uint64_t some_choice(const struct uapi_field *field, uint64_t *rng)
{
	uint64_t v = field->choices[fuzz_below(rng, field->num_choices)];

	if (one_in(rng, 4))
		return 0;
	if (one_in(rng, 8))
		v |= field->choices[fuzz_below(rng, field->num_choices)];
	if (wrong(rng, 32))
		v ^= any_number(rng);
	return v;
}

static uint64_t some_pointer(uint64_t *rng)
{
	if (wrong(rng, 8))
		return one_in(rng, 2) ? 0 : BAD_PTR;
	if (wrong(rng, 8))
		return (uintptr_t)(room + ROOM_SIZE - 8 * fuzz_below(rng, 8));
	return (uintptr_t)room;
}

static void fill(struct fuzz *f, const struct uapi_struct *s, void *arg, uint64_t *rng, bool *violated);

static void fill_array(struct fuzz *f, const struct uapi_field *field, void *arg, uint64_t *rng)
{
	char *elements = room + ROOM_SIZE / 2 + num_arrays++ * MAX_ELEMENTS * MAX_ARG;
	const struct uapi_struct *s = &uapi_structs[field->element];
	struct drm_ppu_array *array = (void *)((char *)arg + field->offset);
	bool ignored = false;

	CHECK(elements + MAX_ELEMENTS * MAX_ARG <= room + ROOM_SIZE);
	array->stride = (uint32_t)s->size;
	if (wrong(rng, 16))
		array->stride = (uint32_t)(s->size + 8 * (uint64_t)fuzz_below(rng, 4) - 8);
	array->count = fuzz_below(rng, careful ? 3 : MAX_ELEMENTS + 1);
	memset(elements, 0, MAX_ELEMENTS * MAX_ARG);
	for (unsigned i = 0; i < array->count; i++)
		fill(f, s, elements + (size_t)i * s->size, rng, &ignored);
	array->ptr = wrong(rng, 32) ? some_pointer(rng) : (uintptr_t)elements;
	if (wrong(rng, 32))
		array->count = (uint32_t)any_number(rng);
}

static uint64_t some_value(struct fuzz *f, const struct uapi_struct *s, const struct uapi_field *field,
			   uint64_t *rng)
{
	switch (field->kind) {
	case UAPI_CHOICE:
		return some_choice(field, rng);
	case UAPI_ID:
		return some_object(f, kind_of(s, field->name), rng);
	case UAPI_FD:
		return wrong(rng, 8) ? any_number(rng) : (uint64_t)f->eventfd;
	case UAPI_POINTER:
		return some_pointer(rng);
	case UAPI_SIZE:
		return some_size(rng, !strcmp(field->name, "length"));
	case UAPI_OFFSET:
		return careful || one_in(rng, 2) ? 0 : one_in(rng, 2) ? 64 * fuzz_below(rng, 64) : any_number(rng);
	case UAPI_VA:
		return some_va(rng);
	case UAPI_TIME:
		return some_time(rng);
	case UAPI_OUT:
		return one_in(rng, 4) ? any_number(rng) : 0;
	default:
		/* A ring has at least a few entries. */
		return careful && strstr(field->name, "entries") ? 3 + fuzz_below(rng, 16) : any_number(rng);
	}
}

/* Fills a structure; @violated is set if a field that must be zero is not. */
static void fill(struct fuzz *f, const struct uapi_struct *s, void *arg, uint64_t *rng, bool *violated)
{
	for (unsigned i = 0; i < s->num_fields; i++) {
		const struct uapi_field *field = &s->fields[i];
		uint64_t v = 0;

		if (field->kind == UAPI_ARRAY) {
			fill_array(f, field, arg, rng);
			continue;
		}
		if (field->kind == UAPI_ZERO) {
			if (wrong(rng, 48))
				v = 1ull << fuzz_below(rng, (unsigned)(field->size < 8 ? field->size * 8 : 64));
			*violated |= v != 0;
		} else {
			v = some_value(f, s, field, rng);
		}
		put(arg, field, v);
	}
}

/* ---- calls ---- */

static void say(const struct fuzz *f, const char *name, int err)
{
	if (f->verbose)
		printf("# %-24s %s\n", name, err ? strerror(err) : "ok");
}

/* Ids, and offsets to be mapped, that a call returned. */
static void harvest(struct fuzz *f, const struct uapi_struct *s, const void *arg)
{
	for (unsigned i = 0; i < s->num_fields; i++) {
		const struct uapi_field *field = &s->fields[i];
		size_t len = strlen(field->name);

		if (!field->out || field->kind == UAPI_ARRAY)
			continue;
		if (len >= 6 && !strcmp(field->name + len - 6, "offset") && get(arg, field))
			f->offset = get(arg, field);
		else if ((len >= 3 && !strcmp(field->name + len - 3, "_id")) ||
			 (len >= 6 && !strcmp(field->name + len - 6, "handle")))
			add_object(f, kind_of(s, field->name), (uint32_t)get(arg, field));
	}
}

static unsigned call_ioctl(struct fuzz *f, uint64_t *rng)
{
	unsigned i = fuzz_below(rng, uapi_num_ioctls), fresh;
	const struct uapi_ioctl *call = &uapi_ioctls[i];
	char arg[MAX_ARG] = { 0 };
	bool violated = false;
	int err;

	CHECK(call->arg->size <= sizeof(arg) && uapi_num_ioctls <= 64);
	num_arrays = 0;
	fill(f, call->arg, arg, rng, &violated);
	kcov_start();
	err = try_ioctl(f->fd, call->request, arg);
	fresh = kcov_stop();
	say(f, call->name, err);
	called[i]++;
	if (err)
		return fresh;
	worked[i]++;
	harvest(f, call->arg, arg);
	if (violated)
		snprintf(f->complaint, sizeof(f->complaint),
			 "%s worked with something in a field that must be zero", call->name);
	return fresh;
}

/* Memory of the device may have been removed: then the access gives SIGBUS. */
static _Thread_local sigjmp_buf bus;

static void on_bus(int sig)
{
	siglongjmp(bus, sig);
}

static void touch(struct fuzz *f, uint64_t *rng)
{
	struct fuzz_map *map = &f->map[fuzz_below(rng, FUZZ_MAPS)];
	uint64_t size = __atomic_load_n(&map->size, __ATOMIC_SEQ_CST);
	volatile uint32_t *word = (volatile uint32_t *)((char *)map->p + fuzz_below(rng, (unsigned)(size / 4)) * 4ull);

	if (!size || sigsetjmp(bus, 1))
		return;
	*word = (uint32_t)any_number(rng);
	(void)*word;
}

/* A map is in the list when its size is. One for which there is no room is not touched. */
static void add_map(struct fuzz *f, void *p, uint64_t size)
{
	unsigned at = __atomic_fetch_add(&f->num_maps, 1, __ATOMIC_SEQ_CST);

	if (at >= FUZZ_MAPS) {
		__atomic_fetch_sub(&f->num_maps, 1, __ATOMIC_SEQ_CST);
		munmap(p, size);
		return;
	}
	f->map[at].p = p;
	__atomic_store_n(&f->map[at].size, size, __ATOMIC_SEQ_CST);
}

static void map_offset(struct fuzz *f, uint64_t *rng)
{
	uint64_t size = 4096ull << fuzz_below(rng, 4);
	void *p;

	p = mmap(NULL, size, PROT_READ | PROT_WRITE, one_in(rng, 8) ? MAP_PRIVATE : MAP_SHARED, f->fd,
		 (off_t)(one_in(rng, 8) ? any_number(rng) << 12 : f->offset));
	if (p == MAP_FAILED)
		return;
	add_map(f, p, size);
}

/* Submits to a channel of the file's: mostly blocks that it has, of the right length. */
static void ring_work(struct fuzz *f, uint64_t *rng)
{
	struct fuzz_ring *ring = &f->ring[fuzz_below(rng, FUZZ_RINGS)];

	if (!ring->entries || sigsetjmp(bus, 1))
		return;
	for (unsigned n = 1 + fuzz_below(rng, 4); n; n--) {
		volatile struct ppu_gpfifo_entry *e = &ring->entries[ring->put % ring->count];
		unsigned block = fuzz_below(rng, CODE_BLOCKS);

		e->va = wrong(rng, 8) ? some_va(rng) : CODE_VA + block * CODE_STEP;
		e->length = wrong(rng, 8) ? (uint32_t)any_number(rng) : block_words[block];
		e->flags = wrong(rng, 32) ? (uint32_t)any_number(rng) : 0;
		ring->put = (ring->put + 1) % ring->count;
	}
	__sync_synchronize();
	ring->userd[PPU_REG_USERD_GP_PUT / 4] = wrong(rng, 16) ? (uint32_t)any_number(rng) : ring->put;
	if (one_in(rng, 4))
		ring->userd[PPU_REG_USERD_KICK / 4] = 1;
}

static void share(struct fuzz *f, uint64_t *rng)
{
	uint32_t handle = some_object(f, "gem", rng);
	int fd;

	if (drmPrimeHandleToFD(f->fd, handle, DRM_CLOEXEC | DRM_RDWR, &fd))
		return;
	if (!drmPrimeFDToHandle(f->fd, fd, &handle))
		add_object(f, "gem", handle);
	close(fd);
}

static void read_fdinfo(struct fuzz *f)
{
	char path[64], text[4096];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", f->fd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && read(fd, text, sizeof(text)) > 0)
		;
	close(fd);
}

/* Operations on the file and its objects other than the driver's ioctls. */
static unsigned call_other(struct fuzz *f, uint64_t *rng)
{
	struct pollfd p = { .fd = f->fd, .events = POLLIN };
	struct drm_gem_close gem = { .handle = some_object(f, "gem", rng) };
	unsigned what = fuzz_below(rng, 10);
	uint32_t handle;

	kcov_start();
	switch (what) {
	case 0:
		map_offset(f, rng);
		break;
	case 1:
	case 2:
		touch(f, rng);
		break;
	case 3:
		try_ioctl(f->fd, DRM_IOCTL_GEM_CLOSE, &gem);
		break;
	case 4:
		if (!drmSyncobjCreate(f->fd, one_in(rng, 2) ? DRM_SYNCOBJ_CREATE_SIGNALED : 0, &handle))
			add_object(f, "syncobj", handle);
		break;
	case 5:
		share(f, rng);
		break;
	case 6:
		read_fdinfo(f);
		break;
	case 7:
		poll(&p, 1, 0);
		drmSyncobjDestroy(f->fd, some_object(f, "syncobj", rng));
		break;
	default:
		ring_work(f, rng);
	}
	say(f, "(other)", 0);
	return kcov_stop();
}

unsigned fuzz_call(struct fuzz *f, uint64_t number)
{
	uint64_t rng = number;

	careful = fuzz_below(&rng, 3);
	return one_in(&rng, 5) ? call_other(f, &rng) : call_ioctl(f, &rng);
}

/* ---- one program's file ---- */

/* A task: its TMD and its program, at the same place in all files. */
static uint64_t write_task(char *code, unsigned i, const uint64_t insn[2], unsigned threads)
{
	struct ppu_tmd *t = (struct ppu_tmd *)(code + CODE_TMD) + i;

	memcpy(code + CODE_SM + 16 * i, insn, 16);
	*t = (struct ppu_tmd){
		.magic = PPU_TMD_MAGIC, .version = PPU_TMD_VERSION, .size = PPU_TMD_SIZE,
		.kind = PPU_TMD_GRID, .regs_per_thread = 8, .id = i, .code_va = CODE_VA + CODE_SM + 16 * i,
		.code_insns = 1, .grid = { 4, 1, 1 }, .block = { threads, 1, 1 },
	};
	return CODE_VA + CODE_TMD + i * sizeof(*t);
}

/* A block that a channel can run: each does something else. */
static void write_block(struct cmds *c, char *code, unsigned i)
{
	switch (i) {
	case 0:
		cmd_nop(c, 4);
		break;
	case 1:
		cmd_release(c, CODE_VA + 0x8000, 1);
		break;
	case 2:
		cmd_acquire(c, PPU_SEM_OP_EQ, CODE_VA + 0x9000, 1);
		break;
	case 3:
		cmd_copy(c, CODE_VA, CODE_VA + 0xa000, 0x1000);
		break;
	case 4:
		cmd_intr(c, 7);
		break;
	case 5:
		cmd_fill(c, 2, CODE_VA + 0xb000, 5, 64);
		break;
	case 6:
		cmd_copy(c, CODE_VA, 0x7000000000ull, 64);	/* faults */
		break;
	case 7:
		cmd_launch(c, write_task(code, 0, (const uint64_t[]){ I_EXIT }, 64));
		break;
	case 8:
		cmd_launch(c, write_task(code, 1, (const uint64_t[]){ I_BRA_SELF }, 32));	/* no end */
		break;
	default:
		cmd_raw(c, 0xffffffff);			/* no command */
	}
}

static void write_blocks(char *code)
{
	for (unsigned i = 0; i < CODE_BLOCKS; i++) {
		struct cmds c = { .p = (uint32_t *)(code + i * CODE_STEP), .max = CODE_STEP / 4 };

		write_block(&c, code, i);
		block_words[i] = c.n;
	}
}

static void *try_map(struct fuzz *f, uint64_t size, uint64_t offset)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, (off_t)offset);

	return p == MAP_FAILED ? NULL : p;
}

/* The object with the blocks, mapped on both sides. */
static void make_code(struct fuzz *f, uint32_t vm)
{
	struct drm_ppu_gem_create a = { .size = CODE_SIZE };
	struct drm_ppu_gem_mmap_offset o = { 0 };
	char *code;

	if (try_ioctl(f->fd, DRM_IOCTL_PPU_GEM_CREATE, &a))
		return;
	o.handle = a.handle;
	add_object(f, "gem", a.handle);
	if (try_ioctl(f->fd, DRM_IOCTL_PPU_GEM_MMAP_OFFSET, &o))
		return;
	code = try_map(f, CODE_SIZE, o.offset);
	if (!code)
		return;
	write_blocks(code);
	add_map(f, code, CODE_SIZE);
	vm_try_op(f->fd, vm, DRM_PPU_VM_BIND_OP_MAP, a.handle, 0, CODE_VA, CODE_SIZE, 0);
}

/* @ring: for its ring and USERD page; NULL: a kernel-submit channel. */
static void make_channel(struct fuzz *f, struct drm_ppu_channel_create a, struct fuzz_ring *ring)
{
	if (try_ioctl(f->fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a))
		return;
	add_object(f, "channel_id", a.channel_id);
	if (!ring)
		return;
	f->offset = a.userd_offset;
	ring->count = a.gpfifo_entries;
	ring->userd = try_map(f, PPU_USERD_STRIDE, a.userd_offset);
	if (ring->userd)
		ring->entries = try_map(f, a.ring_size, a.ring_offset);
}

/* Some objects of each kind, so that short programs get far. */
bool fuzz_open(struct fuzz *f, bool verbose)
{
	struct drm_ppu_channel_create user = {
		.flags = DRM_PPU_CHANNEL_USER_SUBMIT, .gpfifo_entries = 8,
	}, kernel = { .type = DRM_PPU_CHANNEL_COPY, .gpfifo_entries = 8, .timeout_ms = 50 };
	static const uint32_t type[FUZZ_RINGS] = { DRM_PPU_CHANNEL_COPY, DRM_PPU_CHANNEL_COMPUTE };
	struct drm_ppu_vm_create vm = { .watchdog_ms = 20 };
	struct drm_ppu_sem_create sem = { 0 };
	struct drm_ppu_group_create group = { 0 };
	uint32_t handle;

	memset(f, 0, sizeof(*f));
	f->verbose = verbose;
	f->fd = find_ppu();
	if (f->fd < 0)
		return false;
	f->eventfd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (!try_ioctl(f->fd, DRM_IOCTL_PPU_VM_CREATE, &vm)) {
		add_object(f, "vm_id", vm.vm_id);
		make_code(f, vm.vm_id);
	}
	user.vm_id = kernel.vm_id = vm.vm_id;
	for (unsigned i = 0; i < FUZZ_RINGS; i++) {
		user.type = type[i];
		make_channel(f, user, &f->ring[i]);
	}
	make_channel(f, kernel, NULL);
	if (!try_ioctl(f->fd, DRM_IOCTL_PPU_SEM_CREATE, &sem))
		add_object(f, "sem_id", sem.sem_id);
	if (!try_ioctl(f->fd, DRM_IOCTL_PPU_GROUP_CREATE, &group))
		add_object(f, "group_id", group.group_id);
	for (unsigned i = 0; i < 2; i++)
		if (!drmSyncobjCreate(f->fd, i ? 0 : DRM_SYNCOBJ_CREATE_SIGNALED, &handle))
			add_object(f, "syncobj", handle);
	return true;
}

/*
 * Checks that the driver's accounts of this process are as they were before all programs; if not, @what names the
 * difference.
 */
static bool nothing_left(char *what, size_t size)
{
	struct drm_ppu_limit now[32] = { 0 };
	struct drm_ppu_query q = {
		.type = DRM_PPU_QUERY_LIMITS, .size = sizeof(now), .ptr = (uintptr_t)now,
	};
	uint64_t vram = get_param(witness, DRM_PPU_PARAM_VRAM_AVAIL);

	DO(witness, DRM_IOCTL_PPU_QUERY, &q);
	for (unsigned i = 0; i < 32; i++) {
		if (now[i].used == before[i].used)
			continue;
		snprintf(what, size, "after its file was closed %llu of resource %u are left of the program",
			 (unsigned long long)(now[i].used - before[i].used), i);
		return false;
	}
	if (vram >= vram_before) {
		/* More VRAM may be free: the memory of an earlier test is freed late. */
		vram_before = vram;
		return true;
	}
	snprintf(what, size, "after its file was closed %lld bytes of VRAM are missing",
		 (long long)(vram_before - vram));
	return false;
}

static void read_kernel_log(struct fuzz *f)
{
	static const char *const bad[] = {
		"BUG:", "WARNING:", "KASAN", "UBSAN", "general protection", "refcount_t:", "INFO: task", "Oops",
	};
	char line[2048];
	ssize_t n;

	while (kmsg >= 0 && (n = read(kmsg, line, sizeof(line) - 1)) > 0) {
		line[n] = 0;
		for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
			if (strstr(line, bad[i]) && !f->complaint[0])
				snprintf(f->complaint, sizeof(f->complaint), "the kernel complained: %.400s",
					 line);
	}
}

void fuzz_drop(struct fuzz *f)
{
	for (unsigned i = 0; i < f->num_maps; i++)
		munmap(f->map[i].p, f->map[i].size);
	for (unsigned i = 0; i < FUZZ_RINGS; i++) {
		if (f->ring[i].userd)
			munmap((void *)f->ring[i].userd, PPU_USERD_STRIDE);
		if (f->ring[i].entries)
			munmap((void *)f->ring[i].entries, f->ring[i].count * sizeof(struct ppu_gpfifo_entry));
	}
	close(f->fd);
	close(f->eventfd);
}

void fuzz_close(struct fuzz *f)
{
	char left[256];
	uint64_t end;

	fuzz_drop(f);
	end = now_ns() + 20000 * MS * time_scale();
	while (!nothing_left(left, sizeof(left)) && !f->complaint[0]) {
		if (now_ns() > end)
			snprintf(f->complaint, sizeof(f->complaint), "%s", left);
		usleep(200);
	}
	read_kernel_log(f);
}

void fuzz_thread(void)
{
	if (!room)
		room = mmap(NULL, ROOM_SIZE + ROOM_GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			    -1, 0);
	CHECK(room != MAP_FAILED && !mprotect(room, ROOM_SIZE, PROT_READ | PROT_WRITE));
	coverage = kcov_open();
}

void fuzz_thread_end(void)
{
	munmap(room, ROOM_SIZE + ROOM_GUARD);
	room = NULL;
	kcov_close();
}

void fuzz_signals(void)
{
	struct sigaction sa = { .sa_handler = on_bus };

	sigaction(SIGBUS, &sa, NULL);
}

void fuzz_init(void)
{
	struct drm_ppu_query q = {
		.type = DRM_PPU_QUERY_LIMITS, .size = sizeof(before), .ptr = (uintptr_t)before,
	};

	fuzz_thread();
	fuzz_signals();
	witness = open_ppu();
	DO(witness, DRM_IOCTL_PPU_QUERY, &q);
	vram_before = get_param(witness, DRM_PPU_PARAM_VRAM_AVAIL);
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (kmsg >= 0)
		lseek(kmsg, 0, SEEK_END);
}

bool fuzz_has_coverage(void)
{
	return coverage;
}

unsigned fuzz_points(void)
{
	return kcov_total();
}

void fuzz_report(void)
{
	for (unsigned i = 0; i < uapi_num_ioctls; i++)
		printf("# %-24s %8lu calls, %8lu worked\n", uapi_ioctls[i].name, called[i], worked[i]);
}
