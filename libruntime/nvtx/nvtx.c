/* SPDX-License-Identifier: MIT */
/*
 * libnvToolsExt: ranges that a program names, for ppu-prof.  Ranges of one name in the same range are one, and counted: so a
 * loop makes one of them.  Each thread has a stack of ranges that it pushed; started ones belong to all threads.  Without
 * PPU_PROF in the environment nothing is kept.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <nvToolsExt.h>

#define EXPORT __attribute__((visibility("default")))
#define DEPTH 64

enum { PUSHED, STARTED, MARKED };

struct range {
	uint32_t parent;
	int kind;
	uint64_t count;
	char *text;
	uint32_t hash, next;		/* next: number of another one in its bucket; 0: none */
};

struct nvtxDomainRegistration_st {
	char *name;
};

struct nvtxStringRegistration_st {
	char *text;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct range *range;		/* number n is range[n - 1] */
static uint32_t num_ranges, cap_ranges;	/* cap_ranges: 0, or a power of two */
static uint32_t *bucket;		/* cap_ranges of them: numbers, by the hash */
static uint32_t *started;		/* ranges that are open, by handle - 1; 0: ended */
static size_t num_started, cap_started;
static bool kept;

static __thread uint32_t stack[DEPTH];
static __thread int level;

__attribute__((constructor))
static void prepare(void)
{
	const char *path = getenv("PPU_PROF");

	kept = path && *path;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static uint32_t innermost(void)
{
	return level > 0 ? stack[level <= DEPTH ? level - 1 : DEPTH - 1] : 0;
}

static uint32_t newest_started(void)
{
	for (size_t i = num_started; i-- > 0; )
		if (started[i])
			return started[i];
	return 0;
}

/* FNV-1a */
static uint32_t hash_of(uint32_t parent, int kind, const char *text)
{
	uint32_t h = (2166136261u ^ parent) * 16777619u;

	h = (h ^ (uint32_t)kind) * 16777619u;
	while (*text)
		h = (h ^ (unsigned char)*text++) * 16777619u;
	return h ^ h >> 16;
}

static void into_bucket(uint32_t number)
{
	uint32_t *b = &bucket[range[number - 1].hash & (cap_ranges - 1)];

	range[number - 1].next = *b;
	*b = number;
}

static bool grow(void)
{
	uint32_t cap = cap_ranges ? 2 * cap_ranges : 16;
	uint32_t *b = calloc(cap, sizeof(*b));
	struct range *v = b ? realloc(range, cap * sizeof(*v)) : NULL;

	if (!v) {
		free(b);
		return false;
	}
	free(bucket);
	bucket = b;
	range = v;
	cap_ranges = cap;
	for (uint32_t n = 1; n <= num_ranges; n++)
		into_bucket(n);
	return true;
}

/* Locked. 0: no memory. */
static uint32_t range_of(uint32_t parent, int kind, const char *text)
{
	uint32_t h = hash_of(parent, kind, text), n = cap_ranges ? bucket[h & (cap_ranges - 1)] : 0;

	for (; n; n = range[n - 1].next)
		if (range[n - 1].hash == h && range[n - 1].parent == parent && range[n - 1].kind == kind &&
		    !strcmp(range[n - 1].text, text))
			break;
	if (!n) {
		if (num_ranges == cap_ranges && !grow())
			return 0;
		range[num_ranges] = (struct range){ .parent = parent, .kind = kind, .text = strdup(text), .hash = h };
		if (!range[num_ranges].text)
			return 0;
		n = ++num_ranges;
		into_bucket(n);
	}
	range[n - 1].count++;
	return n;
}

static int push(const char *text)
{
	if (!kept)
		return level++;
	pthread_mutex_lock(&lock);
	if (level < DEPTH)
		stack[level] = range_of(innermost(), PUSHED, text);
	pthread_mutex_unlock(&lock);
	return level++;
}

static int pop(void)
{
	return level > 0 ? --level : NVTX_NO_PUSH_POP_TRACKING;
}

static nvtxRangeId_t start(const char *text)
{
	nvtxRangeId_t id = 0;

	if (!kept)
		return 0;
	pthread_mutex_lock(&lock);
	if (num_started == cap_started) {
		size_t cap = cap_started ? 2 * cap_started : 16;
		uint32_t *v = realloc(started, cap * sizeof(*v));

		if (v) {
			started = v;
			cap_started = cap;
		}
	}
	if (num_started < cap_started) {
		started[num_started] = range_of(0, STARTED, text);
		id = ++num_started;
	}
	pthread_mutex_unlock(&lock);
	return id;
}

static void end(nvtxRangeId_t id)
{
	pthread_mutex_lock(&lock);
	if (id && id <= num_started)
		started[id - 1] = 0;
	while (num_started && !started[num_started - 1] && id == num_started)
		num_started--, id--;
	pthread_mutex_unlock(&lock);
}

static void mark(const char *text)
{
	if (!kept)
		return;
	pthread_mutex_lock(&lock);
	range_of(innermost(), MARKED, text);
	pthread_mutex_unlock(&lock);
}

/* What the profiler asks (libruntime/prof/nvtx.c): the range that this thread is in, 0: none; what a range is, NULL: there are
 * no more. */
EXPORT uint32_t ppu_nvtx_current(void);
EXPORT const char *ppu_nvtx_range(uint32_t number, uint32_t *parent, int *kind, uint64_t *count);

uint32_t ppu_nvtx_current(void)
{
	uint32_t n;

	pthread_mutex_lock(&lock);
	n = innermost();
	if (!n)
		n = newest_started();
	pthread_mutex_unlock(&lock);
	return n;
}

const char *ppu_nvtx_range(uint32_t number, uint32_t *parent, int *kind, uint64_t *count)
{
	const char *text = NULL;

	pthread_mutex_lock(&lock);
	if (number && number <= num_ranges) {
		*parent = range[number - 1].parent;
		*kind = range[number - 1].kind;
		*count = range[number - 1].count;
		text = range[number - 1].text;
	}
	pthread_mutex_unlock(&lock);
	return text;
}

/* ---- texts ------------------------------------------------------------------------------------- */

/* malloc'ed; NULL: no memory. */
static char *narrow(const wchar_t *w)
{
	size_t n = w ? wcslen(w) : 0;
	char *text = malloc(4 * n + 1), *t = text;

	for (size_t i = 0; text && i < n; i++) {
		uint32_t c = (uint32_t)w[i];

		if (c < 0x80) {
			*t++ = (char)c;
		} else if (c < 0x800) {
			*t++ = (char)(0xc0 | c >> 6);
			*t++ = (char)(0x80 | (c & 0x3f));
		} else if (c < 0x10000) {
			*t++ = (char)(0xe0 | c >> 12);
			*t++ = (char)(0x80 | (c >> 6 & 0x3f));
			*t++ = (char)(0x80 | (c & 0x3f));
		} else {
			*t++ = (char)(0xf0 | (c >> 18 & 7));
			*t++ = (char)(0x80 | (c >> 12 & 0x3f));
			*t++ = (char)(0x80 | (c >> 6 & 0x3f));
			*t++ = (char)(0x80 | (c & 0x3f));
		}
	}
	if (text)
		*t = 0;
	return text;
}

static const char *text_of(const char *text)
{
	return text ? text : "";
}

/* The message of an event; *made is to be freed. */
static const char *message(const nvtxEventAttributes_t *e, char **made)
{
	*made = NULL;
	switch (e ? e->messageType : NVTX_MESSAGE_UNKNOWN) {
	case NVTX_MESSAGE_TYPE_ASCII:
		return text_of(e->message.ascii);
	case NVTX_MESSAGE_TYPE_UNICODE:
		*made = narrow(e->message.unicode);
		return text_of(*made);
	case NVTX_MESSAGE_TYPE_REGISTERED:
		return e->message.registered ? e->message.registered->text : "";
	default:
		return "";
	}
}

#define WIDE(call) do { \
	char *text_ = narrow(message); \
	call(text_of(text_)); \
	free(text_); \
} while (0)

/* ---- the functions ------------------------------------------------------------------------------ */

EXPORT void nvtxInitialize(const void *reserved)
{
}

EXPORT void nvtxMarkA(const char *message)
{
	mark(text_of(message));
}

EXPORT void nvtxMarkW(const wchar_t *message)
{
	WIDE(mark);
}

EXPORT void nvtxMarkEx(const nvtxEventAttributes_t *event)
{
	char *made;

	mark(message(event, &made));
	free(made);
}

EXPORT nvtxRangeId_t nvtxRangeStartA(const char *message)
{
	return start(text_of(message));
}

EXPORT nvtxRangeId_t nvtxRangeStartW(const wchar_t *message)
{
	nvtxRangeId_t id;

	WIDE(id = start);
	return id;
}

EXPORT nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *event)
{
	char *made;
	nvtxRangeId_t id = start(message(event, &made));

	free(made);
	return id;
}

EXPORT void nvtxRangeEnd(nvtxRangeId_t id)
{
	end(id);
}

EXPORT int nvtxRangePushA(const char *message)
{
	return push(text_of(message));
}

EXPORT int nvtxRangePushW(const wchar_t *message)
{
	int n;

	WIDE(n = push);
	return n;
}

EXPORT int nvtxRangePushEx(const nvtxEventAttributes_t *event)
{
	char *made;
	int n = push(message(event, &made));

	free(made);
	return n;
}

EXPORT int nvtxRangePop(void)
{
	return pop();
}

EXPORT void nvtxNameCategoryA(uint32_t category, const char *name)
{
}

EXPORT void nvtxNameCategoryW(uint32_t category, const wchar_t *name)
{
}

EXPORT void nvtxNameOsThreadA(uint32_t thread, const char *name)
{
}

EXPORT void nvtxNameOsThreadW(uint32_t thread, const wchar_t *name)
{
}

/* ---- domains: all have the same ranges ------------------------------------------------------------ */

EXPORT nvtxDomainHandle_t nvtxDomainCreateA(const char *name)
{
	nvtxDomainHandle_t d = calloc(1, sizeof(*d));

	if (d)
		d->name = strdup(text_of(name));
	return d;
}

EXPORT nvtxDomainHandle_t nvtxDomainCreateW(const wchar_t *name)
{
	char *text = narrow(name);
	nvtxDomainHandle_t d = nvtxDomainCreateA(text);

	free(text);
	return d;
}

EXPORT void nvtxDomainDestroy(nvtxDomainHandle_t domain)
{
	if (domain)
		free(domain->name);
	free(domain);
}

EXPORT void nvtxDomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
	nvtxMarkEx(event);
}

EXPORT nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
	return nvtxRangeStartEx(event);
}

EXPORT void nvtxDomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id)
{
	end(id);
}

EXPORT int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
	return nvtxRangePushEx(event);
}

EXPORT int nvtxDomainRangePop(nvtxDomainHandle_t domain)
{
	return pop();
}

EXPORT void nvtxDomainNameCategoryA(nvtxDomainHandle_t domain, uint32_t category, const char *name)
{
}

EXPORT void nvtxDomainNameCategoryW(nvtxDomainHandle_t domain, uint32_t category, const wchar_t *name)
{
}

/* A string stays as long as the program: nothing takes it back. */
EXPORT nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t domain, const char *text)
{
	nvtxStringHandle_t s = calloc(1, sizeof(*s));

	if (s)
		s->text = strdup(text_of(text));
	if (s && !s->text) {
		free(s);
		return NULL;
	}
	return s;
}

EXPORT nvtxStringHandle_t nvtxDomainRegisterStringW(nvtxDomainHandle_t domain, const wchar_t *text)
{
	char *made = narrow(text);
	nvtxStringHandle_t s = nvtxDomainRegisterStringA(domain, made);

	free(made);
	return s;
}
