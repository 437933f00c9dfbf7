/* SPDX-License-Identifier: MIT */
/*
 * NVTX of programs that were compiled with the vendor's own nvtx3 headers.  They need no library: at the first call they look
 * for one in NVTX_INJECTION64_PATH, which ppu-prof sets, and let it fill tables of function pointers.  The names and numbers are those
 * of that interface.
 */
#include <stdint.h>
#include <nvToolsExt.h>

#define EXPORT __attribute__((visibility("default")))

typedef void (*function)(void);

enum { EXPORT_CALLBACKS = 1 };
enum { MODULE_CORE = 1, MODULE_DOMAINS = 5 };

/* Table 1 of what a program gives out. */
struct callbacks {
	size_t size;
	/* A module's functions, by number: where their pointers are.  1: it has them. */
	int (*table)(int module, function ***slot, unsigned int *n);
};

typedef const void *(*get_export)(uint32_t table);

EXPORT int InitializeInjectionNvtx2(get_export get);

static const function core[] = {
	NULL, (function)nvtxMarkEx, (function)nvtxMarkA, (function)nvtxMarkW, (function)nvtxRangeStartEx, (function)nvtxRangeStartA,
	(function)nvtxRangeStartW, (function)nvtxRangeEnd, (function)nvtxRangePushEx, (function)nvtxRangePushA,
	(function)nvtxRangePushW, (function)nvtxRangePop,
};

static const function domains[] = {
	NULL, (function)nvtxDomainMarkEx, (function)nvtxDomainRangeStartEx, (function)nvtxDomainRangeEnd,
	(function)nvtxDomainRangePushEx, (function)nvtxDomainRangePop, NULL, NULL, NULL, NULL, (function)nvtxDomainRegisterStringA,
	(function)nvtxDomainRegisterStringW, (function)nvtxDomainCreateA, (function)nvtxDomainCreateW, (function)nvtxDomainDestroy,
};

static void fill(const struct callbacks *c, int module, const function *with, unsigned int count)
{
	function **slot;
	unsigned int n;

	if (!c->table(module, &slot, &n))
		return;
	for (unsigned int i = 0; i < count && i < n; i++)
		if (with[i] && slot[i])
			*slot[i] = with[i];
}

/* 1: the tables are filled. */
int InitializeInjectionNvtx2(get_export get)
{
	const struct callbacks *c = get(EXPORT_CALLBACKS);

	if (!c || c->size < sizeof(*c) || !c->table)
		return 0;
	fill(c, MODULE_CORE, core, sizeof(core) / sizeof(core[0]));
	fill(c, MODULE_DOMAINS, domains, sizeof(domains) / sizeof(domains[0]));
	return 1;
}
