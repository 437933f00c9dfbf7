/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backend/plugin.h"
#include "record.h"

#define WORD_BITS	64u

/*
 * A range of memory that the device can write, and a copy of it as of when the state was saved last.  Pages that nobody has
 * used are 0 in both, and take no memory.
 */
struct region {
	uint8_t *host, *copy;
	uint64_t bus, pages;		/* bus: of the first byte; VRAM: 0 */
	uint64_t *changed;		/* bits: written since then, and in the list */
	uint64_t *used;			/* bits: the copy may not be 0 */
	uint32_t *list;
	size_t n, cap;
	int kind;			/* VRAM, BUS, USER */
};

enum { VRAM, BUS, USER };

struct before {				/* what a page was when a state was saved */
	uint32_t region, page;
	uint8_t *bytes;
};

struct save {
	uint8_t *state;
	size_t len;
	uint64_t traced;
	bool error_irq, channel_irq;
	struct before *before;		/* pages that were written up to the next save */
	size_t n, cap;
};

struct record {
	struct be_dev *dev;
	const struct be_debugger *debugger;
	struct region *region;
	uint32_t regions;
	struct save *save;
	uint32_t saves, saves_cap;
	uint64_t acts;			/* of the program, when the first was saved */
	uint64_t traced, most_traced;
	int pagemap;
	bool restored, failed;		/* failed: no memory, so there is no way back */
};

bool ppu_bc_record_wanted(void)
{
	const char *text = getenv("PPU_DEBUG");

	return text && *text;
}

/* ---- regions -------------------------------------------------------------------------------------------- */

static void *reserve(uint64_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static uint64_t bitmap_bytes(const struct region *r)
{
	return (r->pages + WORD_BITS - 1) / WORD_BITS * 8;
}

static void region_fini(struct region *r)
{
	if (r->copy)
		munmap(r->copy, r->pages << PPU_PAGE_SHIFT);
	if (r->changed)
		munmap(r->changed, bitmap_bytes(r));
	if (r->used)
		munmap(r->used, bitmap_bytes(r));
	free(r->list);
}

static bool add_region(struct record *rec, int kind, uint8_t *host, uint64_t bus, uint64_t bytes)
{
	struct region *r = realloc(rec->region, (rec->regions + 1) * sizeof(*r));

	if (!r)
		return false;
	rec->region = r;
	r += rec->regions++;
	*r = (struct region){ .kind = kind, .host = host, .bus = bus, .pages = (bytes + PPU_PAGE_SIZE - 1) >> PPU_PAGE_SHIFT };
	r->copy = reserve(r->pages << PPU_PAGE_SHIFT);
	r->changed = reserve(bitmap_bytes(r));
	r->used = reserve(bitmap_bytes(r));
	return r->copy && r->changed && r->used;
}

static void mark(struct record *rec, struct region *r, uint64_t at, uint64_t len)
{
	uint64_t page = at >> PPU_PAGE_SHIFT, last = (at + len - 1) >> PPU_PAGE_SHIFT;

	for (; len && page <= last && page < r->pages; page++) {
		if (r->changed[page / WORD_BITS] >> page % WORD_BITS & 1)
			continue;
		if (r->n == r->cap) {
			size_t cap = r->cap ? 2 * r->cap : 1024;
			uint32_t *list = realloc(r->list, cap * sizeof(*list));

			if (!list) {
				rec->failed = true;
				return;
			}
			r->list = list;
			r->cap = cap;
		}
		r->changed[page / WORD_BITS] |= 1ull << page % WORD_BITS;
		r->list[r->n++] = (uint32_t)page;
	}
}

static void vram_dirty(void *opaque, uint64_t off, uint64_t len)
{
	struct record *rec = ((struct be_dev *)opaque)->record;

	if (rec)
		mark(rec, &rec->region[VRAM], off, len);
}

static void mark_dirty(void *opaque, uint64_t bus, uint64_t len)
{
	struct record *rec = ((struct be_dev *)opaque)->record;

	for (uint32_t i = BUS; rec && i < rec->regions; i++) {
		struct region *r = &rec->region[i];

		if (bus >= r->bus && bus - r->bus < r->pages << PPU_PAGE_SHIFT) {
			mark(rec, r, bus - r->bus, len);
			return;
		}
	}
}

void ppu_bc_record_ports(struct ppu_ports *ports)
{
	ports->vram_dirty = vram_dirty;
	ports->mark_dirty = mark_dirty;
}

/* ---- which pages are used ---------------------------------------------------------------------------------- */

/* Memory of the process itself: pages that are there, or were put out.  *end: up to where that is known. */
static bool is_there(const struct record *rec, const struct region *r, uint64_t page, uint64_t *end)
{
	uint64_t word[512], first;
	size_t want = r->pages - page < 512 ? r->pages - page : 512, i;
	ssize_t n = pread(rec->pagemap, word, want * 8, (off_t)(((uintptr_t)r->host >> PPU_PAGE_SHIFT) + page) * 8);

	if (n < 8) {			/* who cannot know takes all for used */
		*end = r->pages;
		return true;
	}
	first = word[0] >> 62;
	for (i = 1; i < (size_t)n / 8 && !(word[i] >> 62) == !first; i++)
		;
	*end = page + i;
	return first;
}

/* The next run of pages that may not be 0, from *page on: [*page, *end).  False: there is none. */
static bool next_used(const struct record *rec, const struct region *r, uint64_t *page, uint64_t *end)
{
	if (r->kind == USER) {
		*end = r->pages;
		return *page < r->pages;
	}
	if (r->kind == BUS) {
		off_t at = lseek(rec->dev->memfd, (off_t)(*page << PPU_PAGE_SHIFT), SEEK_DATA);

		if (at < 0)
			return false;
		*page = (uint64_t)at >> PPU_PAGE_SHIFT;
		at = lseek(rec->dev->memfd, at, SEEK_HOLE);
		*end = at < 0 ? r->pages : ((uint64_t)at + PPU_PAGE_SIZE - 1) >> PPU_PAGE_SHIFT;
		return *page < r->pages;
	}
	while (*page < r->pages) {
		if (is_there(rec, r, *page, end))
			return true;
		*page = *end;
	}
	return false;
}

/* ---- beginning ----------------------------------------------------------------------------------------------- */

static uint8_t *copy_of(const struct region *r, uint64_t page)
{
	return r->copy + (page << PPU_PAGE_SHIFT);
}

static uint8_t *host_of(const struct region *r, uint64_t page)
{
	return r->host + (page << PPU_PAGE_SHIFT);
}

static void take(struct region *r, uint64_t page)
{
	if (memcmp(copy_of(r, page), host_of(r, page), PPU_PAGE_SIZE) != 0) {
		memcpy(copy_of(r, page), host_of(r, page), PPU_PAGE_SIZE);
		r->used[page / WORD_BITS] |= 1ull << page % WORD_BITS;
	}
}

/* Pages that nobody uses any more are 0. */
static void clear(struct region *r, uint64_t page, uint64_t end)
{
	for (; page < end; page++) {
		if (page % WORD_BITS == 0 && !r->used[page / WORD_BITS]) {
			page += WORD_BITS - 1;
			continue;
		}
		if (r->used[page / WORD_BITS] >> page % WORD_BITS & 1)
			memset(copy_of(r, page), 0, PPU_PAGE_SIZE);
		r->used[page / WORD_BITS] &= ~(1ull << page % WORD_BITS);
	}
}

static void sync_copy(const struct record *rec, struct region *r)
{
	uint64_t page = 0, end, before = 0;

	for (; next_used(rec, r, &page, &end); page = end) {
		clear(r, before, page);
		for (before = end; page < end; page++)
			take(r, page);
	}
	clear(r, before, r->pages);
	while (r->n) {
		page = r->list[--r->n];
		r->changed[page / WORD_BITS] &= ~(1ull << page % WORD_BITS);
	}
}

static void drop_before(struct save *s)
{
	while (s->n)
		free(s->before[--s->n].bytes);
}

static void drop_save(struct record *rec)
{
	struct save *s = &rec->save[--rec->saves];

	drop_before(s);
	free(s->before);
	free(s->state);
}

/* The program has done something to the device: what was saved is of no use any more. */
static void begin(struct record *rec)
{
	struct be_dev *dev = rec->dev;

	while (rec->saves)
		drop_save(rec);
	while (rec->regions > USER)
		region_fini(&rec->region[--rec->regions]);
	for (struct be_bo *bo = dev->users; bo && !rec->failed; bo = bo->next_user)
		rec->failed = !add_region(rec, USER, bo->user, BUS_USER + (uintptr_t)bo->user, bo->size);
	for (uint32_t i = 0; i < rec->regions && !rec->failed; i++)
		sync_copy(rec, &rec->region[i]);
	rec->acts = dev->acts;
	rec->debugger->begin(rec->debugger->arg);
}

/* ---- save and restore ------------------------------------------------------------------------------------------ */

static bool note(struct save *s, uint32_t region, uint32_t page, const uint8_t *bytes)
{
	uint8_t *b;

	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 256;
		struct before *v = realloc(s->before, cap * sizeof(*v));

		if (!v)
			return false;
		s->before = v;
		s->cap = cap;
	}
	b = malloc(PPU_PAGE_SIZE);
	if (!b)
		return false;
	memcpy(b, bytes, PPU_PAGE_SIZE);
	s->before[s->n++] = (struct before){ region, page, b };
	return true;
}

/* The copies become those of now; what they were belongs to the last save. */
static bool settle(struct record *rec)
{
	struct save *last = rec->saves ? &rec->save[rec->saves - 1] : NULL;
	bool ok = true;

	for (uint32_t i = 0; i < rec->regions; i++) {
		struct region *r = &rec->region[i];

		while (r->n) {
			uint32_t page = r->list[--r->n];

			r->changed[page / WORD_BITS] &= ~(1ull << page % WORD_BITS);
			if (!memcmp(copy_of(r, page), host_of(r, page), PPU_PAGE_SIZE))
				continue;
			if (last)
				ok &= note(last, i, page, copy_of(r, page));
			take(r, page);
		}
	}
	return ok;
}

static int record_save(struct be_dev *dev)
{
	struct record *rec = dev->record;
	struct save s = { .traced = rec->traced, .error_irq = dev->error_irq, .channel_irq = dev->channel_irq };

	if (rec->failed)
		return -ENOMEM;
	if (rec->saves == rec->saves_cap) {
		uint32_t cap = rec->saves_cap ? 2 * rec->saves_cap : 64;
		struct save *v = realloc(rec->save, cap * sizeof(*v));

		if (!v)
			return -ENOMEM;
		rec->save = v;
		rec->saves_cap = cap;
	}
	if (!settle(rec) || ppu_core_save_as(dev->core, PPU_SAVE_EXACT, &s.state, &s.len)) {
		rec->failed = true;
		return -ENOMEM;
	}
	rec->save[rec->saves++] = s;
	return 0;
}

static void put(struct region *r, uint32_t page, const uint8_t *bytes)
{
	memcpy(host_of(r, page), bytes, PPU_PAGE_SIZE);
	if (bytes != copy_of(r, page)) {
		memcpy(copy_of(r, page), bytes, PPU_PAGE_SIZE);
		r->used[page / WORD_BITS] |= 1ull << page % WORD_BITS;
	}
}

static void put_changed(struct region *r)
{
	while (r->n) {
		uint32_t page = r->list[--r->n];

		r->changed[page / WORD_BITS] &= ~(1ull << page % WORD_BITS);
		put(r, page, copy_of(r, page));
	}
}

static int record_restore(struct be_dev *dev, unsigned number)
{
	struct record *rec = dev->record;
	const struct save *s;
	char *err = NULL;

	if (number >= rec->saves)
		return -ENOENT;
	if (rec->failed)
		return -ENOMEM;		/* pages that were written are missing */
	for (uint32_t i = 0; i < rec->regions; i++)
		put_changed(&rec->region[i]);
	for (;;) {
		struct save *last = &rec->save[rec->saves - 1];

		/* It is the last one now: nothing was written behind it.  What others have noted is undone. */
		for (size_t i = last->n; i-- > 0;)
			put(&rec->region[last->before[i].region], last->before[i].page, last->before[i].bytes);
		drop_before(last);
		if (rec->saves - 1 == number)
			break;
		drop_save(rec);
	}
	s = &rec->save[number];
	ppu_core_vram_changed(dev->core);
	if (ppu_core_load(dev->core, s->state, s->len, &err)) {
		fprintf(stderr, "ppu: going back in time: %s\n", err ? err : "no memory");
		abort();	/* the device is lost, and the program stands in the midst of it */
	}
	rec->traced = s->traced;
	dev->error_irq = s->error_irq;
	dev->channel_irq = s->channel_irq;
	for (uint32_t i = 0; i < rec->regions; i++)
		put_changed(&rec->region[i]);
	rec->restored = true;
	return 0;
}

/* The save goes; what was written behind it is noted for the one before. */
static void record_forget(struct be_dev *dev, unsigned number)
{
	struct record *rec = dev->record;
	struct save *to = &rec->save[number - 1], *s = &rec->save[number];

	if (!number || number >= rec->saves)
		return;
	for (size_t i = 0; i < to->n; i++) {
		uint32_t page = to->before[i].page;

		rec->region[to->before[i].region].changed[page / WORD_BITS] |= 1ull << page % WORD_BITS;
	}
	for (size_t i = 0, old = to->n; i < s->n || i < old; i++) {
		if (i < s->n && !(rec->region[s->before[i].region].changed[s->before[i].page / WORD_BITS] >>
				  s->before[i].page % WORD_BITS & 1) &&
		    !note(to, s->before[i].region, s->before[i].page, s->before[i].bytes))
			rec->failed = true;
	}
	for (size_t i = 0; i < to->n; i++) {
		uint32_t page = to->before[i].page;

		rec->region[to->before[i].region].changed[page / WORD_BITS] &= ~(1ull << page % WORD_BITS);
	}
	/* Those that are changed now are in the lists. */
	for (uint32_t i = 0; i < rec->regions; i++)
		for (size_t k = 0; k < rec->region[i].n; k++)
			rec->region[i].changed[rec->region[i].list[k] / WORD_BITS] |=
				1ull << rec->region[i].list[k] % WORD_BITS;
	drop_before(s);
	free(s->before);
	free(s->state);
	memmove(s, s + 1, (rec->saves - number - 1) * sizeof(*s));
	rec->saves--;
}

/* ---- running ------------------------------------------------------------------------------------------------------ */

/* Has the program written to memory that the device sees, while it looked how far the device is? */
static bool program_wrote(const struct record *rec)
{
	for (uint32_t i = BUS; i < rec->regions; i++) {
		const struct region *r = &rec->region[i];
		uint64_t page = 0, end;

		for (; next_used(rec, r, &page, &end); page = end)
			if (memcmp(copy_of(r, page), host_of(r, page), (end - page) << PPU_PAGE_SHIFT) != 0)
				return true;
	}
	return false;
}

void ppu_bc_record_run(struct be_dev *dev, uint64_t until)
{
	struct record *rec = dev->record;
	uint64_t next;

	if (rec->acts != dev->acts)
		begin(rec);
	while ((next = ppu_core_next_event(dev->core)) <= until && next != PPU_TIME_NEVER) {
		ppu_core_run(dev->core, next);
		rec->debugger->event(rec->debugger->arg);
	}
	if (until != PPU_TIME_NEVER)
		ppu_core_run(dev->core, until);
}

bool ppu_bc_record_leave(struct be_dev *dev)
{
	struct record *rec = dev->record;

	rec->restored = false;
	if (rec->acts == dev->acts)
		rec->debugger->leave(rec->debugger->arg);
	if (rec->restored)
		return true;
	/* Whoever waits again while the device works has perhaps done nothing in between. */
	if (ppu_core_next_event(dev->core) == PPU_TIME_NEVER || !rec->saves || !settle(rec))
		dev->acts++;
	return false;
}

void ppu_bc_record_enter(struct be_dev *dev)
{
	if (dev->record && dev->record->acts == dev->acts && program_wrote(dev->record))
		dev->acts++;
}

bool ppu_bc_record_traced(struct be_dev *dev)
{
	struct record *rec = dev->record;

	if (!rec)
		return true;
	if (rec->traced++ < rec->most_traced)
		return false;
	rec->most_traced = rec->traced;
	return true;
}

/* ---- for the debugger ------------------------------------------------------------------------------------------------ */

void ppu_bc_record_free(struct be_dev *dev)
{
	struct record *rec = dev->record;

	if (!rec)
		return;
	dev->record = NULL;
	while (rec->saves)
		drop_save(rec);
	while (rec->regions)
		region_fini(&rec->region[--rec->regions]);
	if (rec->pagemap >= 0)
		close(rec->pagemap);
	free(rec->region);
	free(rec->save);
	free(rec);
}

void ppu_bc_record_observe(struct be_dev *dev)
{
	const struct be_debugger *d = dev->record ? dev->record->debugger : NULL;

	if (d)
		d->also(d->arg, dev->observer);
	ppu_core_observe(dev->core, d ? &d->observer : dev->observer);
}

static int record_attach(struct be_dev *dev, const struct be_debugger *d)
{
	struct record *rec;

	ppu_bc_lock(dev);
	ppu_bc_record_free(dev);
	rec = d ? calloc(1, sizeof(*rec)) : NULL;
	if (rec) {
		rec->dev = dev;
		rec->debugger = d;
		rec->pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
		rec->acts = dev->acts - 1;
		rec->failed = !add_region(rec, VRAM, dev->vram, 0, dev->cfg.vram) ||
			      !add_region(rec, BUS, dev->sys, BUS_BASE, BUS_SIZE);
		dev->record = rec;
	}
	ppu_bc_record_observe(dev);
	ppu_bc_unlock(dev);
	return d && !rec ? -ENOMEM : 0;
}

static uint64_t mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 29;
}

static uint64_t digest_bytes(const void *p, uint64_t len, uint64_t h)
{
	const uint8_t *b = p;
	uint64_t x;

	for (; len >= 8; b += 8, len -= 8) {
		memcpy(&x, b, 8);
		h = mix(h, x);
	}
	for (; len; len--)
		h = mix(h, *b++);
	return h;
}

static uint64_t record_digest(struct be_dev *dev)
{
	static const uint8_t zero[PPU_PAGE_SIZE];
	const struct record *rec = dev->record;
	uint64_t sum, page, end;
	uint8_t *state;
	size_t len;

	if (ppu_core_save_as(dev->core, PPU_SAVE_ANY_TIME, &state, &len))
		return 0;
	sum = digest_bytes(state, len, 1);
	free(state);
	for (uint32_t i = 0; i < rec->regions; i++) {
		const struct region *r = &rec->region[i];

		for (page = 0; next_used(rec, r, &page, &end); page = end)
			for (; page < end; page++)
				if (memcmp(host_of(r, page), zero, PPU_PAGE_SIZE) != 0)
					sum += digest_bytes(host_of(r, page), PPU_PAGE_SIZE, page + i);
	}
	return sum;
}

static bool look_cta(struct be_dev *dev, uint32_t sm, uint32_t slot, struct ppu_look_cta *c)
{
	return ppu_core_look_cta(dev->core, sm, slot, c);
}

static bool look_warp(struct be_dev *dev, uint32_t sm, uint32_t slot, struct ppu_look_warp *w)
{
	return ppu_core_look_warp(dev->core, sm, slot, w);
}

static bool look_register(struct be_dev *dev, uint32_t sm, uint32_t slot, uint32_t reg, uint32_t *lanes)
{
	return ppu_core_look_register(dev->core, sm, slot, reg, lanes);
}

static uint64_t look_memory(struct be_dev *dev, const struct ppu_look_place *at, void *buf, uint64_t len)
{
	return ppu_core_look_memory(dev->core, at, buf, len);
}

static uint64_t now(struct be_dev *dev)
{
	return ppu_core_time(dev->core);
}

static void only(struct be_dev *dev, const struct ppu_only *o)
{
	ppu_core_only(dev->core, o);
}

const struct be_debug_ops ppu_bc_debug_ops = {
	.attach = record_attach, .save = record_save, .restore = record_restore, .forget = record_forget,
	.digest = record_digest, .look_cta = look_cta, .look_warp = look_warp, .look_register = look_register,
	.look_memory = look_memory, .now = now, .only = only,
};
