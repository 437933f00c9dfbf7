/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "devq.h"

void *devq_dev;
uint32_t devq_host[DEVQ_WORDS];
struct rt_spy devq_spy;
ppuModule devq_module;

static void start(const char *props, const char *trace)
{
	const char *build = getenv("BUILD"), *more = getenv("DEVQ_PROPS");
	char path[256], all[256];
	ppuInitOptions o = { .backend = "core", .props = all, .trace = trace };

	snprintf(all, sizeof(all), "%s %s", props ? props : "gpcs=1 sms-per-gpc=1", more ? more : "");
	OK(ppuInit(&o));
	rt_spy_start(&devq_spy);
	snprintf(path, sizeof(path), "%s/unit/devq%s.ptx", build ? build : "build",
		 getenv("DEVQ_UNFENCED") ? "_unfenced" : "");
	OK(ppuModuleLoad(&devq_module, path, NULL));
	OK(ppuMalloc(&devq_dev, sizeof(devq_host)));
	OK(ppuMemset(devq_dev, 0, 4, DEVQ_WORDS));
}

void devq_start(const char *props, uint32_t entries, uint32_t flags, uint32_t initial_get)
{
	ppuQueueOptions o = { .entries = entries, .flags = flags, .initial_get = initial_get };

	start(props, NULL);
	if (entries)
		OK(ppuStreamSetQueue(NULL, &o));
}

void devq_start_traced(const char *props, const char *trace)
{
	start(props, trace);
}

void devq_stop(void)
{
	OK(ppuShutdown());
	rt_spy_stop(&devq_spy);
}

ppuResult devq_launch(const char *name, uint32_t grid, uint32_t block, const uint64_t *args)
{
	ppuFunctionAttributes a;
	void *params[16];
	ppuFunction f;

	OK(ppuModuleGetFunction(&f, devq_module, name));
	OK(ppuFunctionGetAttributes(&a, f));
	for (unsigned i = 0; i < a.num_params; i++)
		params[i] = (void *)&args[i];
	return ppuLaunchKernel(f, ppuDim(grid, 1, 1), ppuDim(block, 1, 1), 0, NULL, a.num_params ? params : NULL, NULL, 0);
}

void devq_fetch(void)
{
	OK(ppuMemcpy(devq_host, devq_dev, sizeof(devq_host)));
}

uint64_t devq_u64(unsigned word)
{
	return devq_host[word] | (uint64_t)devq_host[word + 1] << 32;
}

void devq_put(unsigned word, const void *data, size_t bytes)
{
	OK(ppuMemcpy((char *)devq_dev + 4 * word, data, bytes));
}

ppuQueueInfo devq_info(void)
{
	ppuQueueInfo info;

	OK(ppuStreamGetQueue(NULL, &info));
	return info;
}

struct ppu_gpfifo_entry devq_entry(uint32_t index)
{
	struct ppu_gpfifo_entry e;

	OK(ppuStreamReadQueue(NULL, devq_info().ring_address + index * sizeof(e), &e, sizeof(e)));
	return e;
}

uint64_t devq_sem(uint32_t index)
{
	uint64_t v;

	OK(ppuStreamReadQueue(NULL, devq_info().semaphores_address + index * 8, &v, sizeof(v)));
	return v;
}

static size_t command(const ppuQueueInfo *q, const uint32_t *w, char *to, size_t len)
{
	uint64_t va = PPU_CMD_SIZE(*w) >= 3 ? w[1] | (uint64_t)w[2] << 32 : 0;
	uint64_t value = PPU_CMD_SIZE(*w) >= 5 ? w[3] | (uint64_t)w[4] << 32 : 0;
	unsigned op = PPU_CMD_OP(*w);
	const char *cmp = op == PPU_CMD_SEM_RELEASE ? "=" : PPU_CMD_FLAGS(*w) ? "?" : "==";
	char word[32];

	if (va - q->semaphores_address < 8ull * q->entries)
		snprintf(word, sizeof(word), "sem%llu", (unsigned long long)(va - q->semaphores_address) / 8);
	else
		snprintf(word, sizeof(word), "%s", va == q->x_address ? "X" : va == q->y_address ? "Y" : "word");
	switch (op) {
	case PPU_CMD_SEM_ACQUIRE:
		return (size_t)snprintf(to, len, "acquire(%s%s%llu)", word, cmp, (unsigned long long)value);
	case PPU_CMD_SEM_RELEASE:
		return (size_t)snprintf(to, len, "release(%s%s%llu)", word, cmp, (unsigned long long)value);
	case PPU_CMD_LAUNCH: return (size_t)snprintf(to, len, "launch");
	case PPU_CMD_WFI: return (size_t)snprintf(to, len, "wfi");
	case PPU_CMD_NOP: return (size_t)snprintf(to, len, "nop");
	case PPU_CMD_COPY: return (size_t)snprintf(to, len, "copy");
	case PPU_CMD_COPY_2D: return (size_t)snprintf(to, len, "copy2d");
	case PPU_CMD_FILL: return (size_t)snprintf(to, len, "fill");
	case PPU_CMD_SEM_INC: return (size_t)snprintf(to, len, "inc");
	case PPU_CMD_SEM_DEC: return (size_t)snprintf(to, len, "dec");
	case PPU_CMD_TIMESTAMP: return (size_t)snprintf(to, len, "stamp");
	}
	ck_abort_msg("unknown command %u", op);
}

const char *devq_block(uint32_t index)
{
	struct ppu_gpfifo_entry e = devq_entry(index);
	ppuQueueInfo q = devq_info();
	static char text[1024];
	uint32_t words[256];
	size_t n = 0;

	if (!e.va && !e.length)
		return "";
	ck_assert_uint_eq(e.flags, 0);
	ck_assert_uint_gt(e.length, 0);
	ck_assert_uint_le(e.length, 256);
	if (e.va - q.ring_address < q.semaphores_address - q.ring_address)	/* what the driver wrote */
		OK(ppuStreamReadQueue(NULL, e.va, words, 4ull * e.length));
	else
		OK(ppuMemcpy(words, (void *)(uintptr_t)e.va, 4ull * e.length));
	*text = 0;
	for (uint32_t at = 0; at < e.length; at += PPU_CMD_SIZE(words[at])) {
		ck_assert_uint_gt(PPU_CMD_SIZE(words[at]), 0);
		ck_assert_uint_le(at + PPU_CMD_SIZE(words[at]), e.length);
		if (at)
			text[n++] = ' ';
		n += command(&q, words + at, text + n, sizeof(text) - n);
		ck_assert_uint_lt(n, sizeof(text) - 64);
	}
	return text;
}
