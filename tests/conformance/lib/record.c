/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <sys/eventfd.h>

#include "record.h"

static unsigned char *const arena = (unsigned char *)ARENA_ADDR;

static void arena_new(void)
{
	void *p = mmap(arena, ARENA_SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (p != arena)
		FAIL("no memory at %#llx: %s", ARENA_ADDR, strerror(errno));
}

static void arena_map(int fd, uint32_t handle, uint32_t size, uint32_t offset)
{
	struct drm_ppu_gem_mmap_offset a = { .handle = handle };

	CHECK(offset >= ARENA_ARGS && offset < ARENA_SIZE && size <= ARENA_SIZE - offset);
	DO(fd, DRM_IOCTL_PPU_GEM_MMAP_OFFSET, &a);
	CHECK(mmap(arena + offset, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, (off_t)a.offset) ==
	      arena + offset);
}

static void eventfd_at(int fd)
{
	int e = eventfd(0, EFD_CLOEXEC);

	CHECK(e >= 0 && e != fd && dup2(e, fd) == fd);
	close(e);
}

static uint64_t eventfd_sum(int fd)
{
	uint64_t n = 0;

	CHECK(read(fd, &n, sizeof(n)) == sizeof(n));
	return n;
}

/* ---- replaying ---- */

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The next byte of a line; -1: it may be any; -2: there is no more. */
static int hex_byte(const char **text)
{
	const char *p = *text;
	int high, low;

	if (!*p)
		return -2;
	*text = p + 2;
	if (p[0] == '.' && p[1] == '.')
		return -1;
	high = hex_digit(p[0]);
	low = high < 0 ? -1 : hex_digit(p[1]);
	CHECK(low >= 0);
	return high << 4 | low;
}

static void play_put(const char *line, uint32_t offset, const char *hex)
{
	int b;

	for (; (b = hex_byte(&hex)) != -2; offset++) {
		if (b < 0 || offset >= ARENA_SIZE)
			FAIL("bad record: %s", line);
		arena[offset] = (unsigned char)b;
	}
}

/* @model gets what may differ. */
static void play_get(const char *line, unsigned char *model, uint32_t offset, const char *hex)
{
	int b;

	for (; (b = hex_byte(&hex)) != -2; offset++) {
		CHECK(offset < ARENA_SIZE);
		if (b >= 0 && arena[offset] != b)
			FAIL("byte %#x is %02x after %s", offset, arena[offset], line);
		if (offset < ARENA_ARGS)
			model[offset] = arena[offset];
	}
}

struct player {
	int fd;
	const char *call;			/* the last call; NULL: its answer was looked at */
	unsigned char model[ARENA_ARGS];	/* as the arena should be */
};

/* All lines about the answer were seen: nothing else may have changed. */
static void play_settle(struct player *p)
{
	for (uint32_t i = 0; p->call && i < ARENA_ARGS; i++)
		if (arena[i] != p->model[i])
			FAIL("byte %#x changed to %02x: %s", i, arena[i], p->call);
	p->call = NULL;
}

static void play_call(struct player *p, const char *line)
{
	unsigned long req;
	int err, got;

	CHECK(sscanf(line, "call %lx %d", &req, &err) == 2);
	memcpy(p->model, arena, ARENA_ARGS);
	got = try_ioctl(p->fd, req, arena);
	if (got != err)
		FAIL("%s: %s", line, got ? strerror(got) : "it works");
	p->call = line;
}

static void play(struct player *p, const char *line)
{
	unsigned a, b, c;
	int at = 0;

	if (sscanf(line, "get %x %n", &a, &at) == 1 && at) {
		play_get(p->call ? p->call : line, p->model, a, line + at);
		return;
	}
	play_settle(p);
	if (!strncmp(line, "call ", 5)) {
		play_call(p, line);
	} else if (sscanf(line, "put %x %n", &a, &at) == 1 && at) {
		play_put(line, a, line + at);
	} else if (sscanf(line, "look %x %n", &a, &at) == 1 && at) {
		play_get(line, p->model, a, line + at);
	} else if (sscanf(line, "map %u %x %x", &a, &b, &c) == 3) {
		arena_map(p->fd, a, b, c);
	} else if (sscanf(line, "eventfd %u", &a) == 1) {
		eventfd_at((int)a);
	} else if (sscanf(line, "read %u %u", &a, &b) == 2) {
		CHECK_EQ(eventfd_sum((int)a), b);
	} else {
		FAIL("bad record: %s", line);
	}
}

void replay(const char *const *lines, unsigned count)
{
	struct player *p = calloc(1, sizeof(*p));

	CHECK(p);
	p->fd = open_ppu();
	arena_new();
	for (unsigned i = 0; i < count; i++)
		play(p, lines[i]);
	play_settle(p);
	close(p->fd);
	free(p);
}

bool record_has(const char *const *lines, unsigned count, unsigned nr)
{
	unsigned long req;
	int err;

	for (unsigned i = 0; i < count; i++)
		if (sscanf(lines[i], "call %lx %d", &req, &err) == 2 && !err &&
		    _IOC_NR(req) == DRM_COMMAND_BASE + nr)
			return true;
	return false;
}

/* ---- recording ---- */

static void add_line(struct recorder *r, char *line)
{
	r->lines = realloc(r->lines, (r->count + 1) * sizeof(*r->lines));
	CHECK(r->lines && line);
	r->lines[r->count++] = line;
}

__attribute__((format(printf, 2, 3))) static void add(struct recorder *r, const char *fmt, ...)
{
	char line[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	add_line(r, strdup(line));
}

/* @vary: marks of the bytes that may differ, or NULL. */
static void add_bytes(struct recorder *r, const char *word, uint32_t offset, const unsigned char *bytes,
		      uint32_t size, const unsigned char *vary)
{
	char *line = malloc(2ull * size + 64), *p = line;

	CHECK(line);
	p += sprintf(p, "%s %04x ", word, offset);
	for (uint32_t i = 0; i < size; i++)
		p += vary && vary[i] ? sprintf(p, "..") : sprintf(p, "%02x", bytes[i]);
	add_line(r, line);
}

void record_begin(struct recorder *r)
{
	memset(r, 0, sizeof(*r));
	r->fd = open_ppu();
	arena_new();
}

void record_end(struct recorder *r)
{
	close(r->fd);
	CHECK(!munmap(arena, ARENA_SIZE));
}

void *record_arg(struct recorder *r, size_t size)
{
	void *p = arena + r->used;

	CHECK(r->used + size <= ARENA_ARGS);
	memset(p, 0, size);
	r->used += (uint32_t)(size + 7) & ~7u;
	return p;
}

void record_vary(struct recorder *r, const void *p, size_t size)
{
	memset(r->vary + ((const unsigned char *)p - arena), 1, size);
}

/* Runs of bytes that changed, or may change. */
static void add_changes(struct recorder *r, const unsigned char *before, uint32_t size)
{
	for (uint32_t i = 0, n; i < size; i += n) {
		for (n = 0; i + n < size && (arena[i + n] != before[i + n] || r->vary[i + n]); n++)
			;
		if (n)
			add_bytes(r, "get", i, arena + i, n, r->vary + i);
		else
			n = 1;
	}
}

void *record_call(struct recorder *r, unsigned long req, const char *name, int err)
{
	static unsigned char before[ARENA_ARGS];
	int got;

	add_bytes(r, "put", 0, arena, r->used, NULL);
	memcpy(before, arena, ARENA_ARGS);
	got = try_ioctl(r->fd, req, arena);
	if (got != err)
		FAIL("recording %s (line %u): %s instead of %s", name, r->count, strerror(got), strerror(err));
	add(r, "call %08lx %d %s", req, err, name);
	add_changes(r, before, r->used);
	r->used = 0;
	memset(r->vary, 0, sizeof(r->vary));
	return arena;
}

void *record_map(struct recorder *r, uint32_t handle, uint32_t size, uint32_t offset)
{
	arena_map(r->fd, handle, size, offset);
	add(r, "map %u %x %x", handle, size, offset);
	return arena + offset;
}

void record_store(struct recorder *r, uint32_t offset, const void *p, size_t size)
{
	memcpy(arena + offset, p, size);
	add_bytes(r, "put", offset, p, (uint32_t)size, NULL);
}

void record_look(struct recorder *r, uint32_t offset, size_t size)
{
	add_bytes(r, "look", offset, arena + offset, (uint32_t)size, NULL);
}

void record_eventfd(struct recorder *r, int fd)
{
	eventfd_at(fd);
	add(r, "eventfd %d", fd);
}

void record_read(struct recorder *r, int fd)
{
	add(r, "read %d %llu", fd, (unsigned long long)eventfd_sum(fd));
}

/* One string of C, in pieces that fit into a line. */
static void print_line(const char *line)
{
	enum { PIECE = 100 };

	for (size_t i = 0, len = strlen(line); i < len; i += PIECE)
		printf("%s\"%.*s\"", i ? "\n\t" : "\t", PIECE, line + i);
	printf(",\n");
}

/* Two digits are one byte: if one of them differs, both are shown as any. */
static void merge(char *a, const char *b)
{
	int at = 0;
	unsigned off;

	CHECK(strlen(a) == strlen(b));
	if (strncmp(a, "get ", 4) || sscanf(a, "get %x %n", &off, &at) != 1 || !at) {
		if (strcmp(a, b))
			FAIL("two records differ: %s, %s", a, b);
		return;
	}
	for (char *p = a + at; *p; p += 2)
		if (p[0] != b[p - a] || p[1] != b[p - a + 1])
			p[0] = p[1] = '.';
}

void record_print(const struct recorder *a, const struct recorder *b, const char *name)
{
	CHECK_EQ(a->count, b->count);
	printf("static const char *const %s[] = {\n", name);
	for (unsigned i = 0; i < a->count; i++) {
		merge(a->lines[i], b->lines[i]);
		print_line(a->lines[i]);
	}
	printf("};\n");
}
