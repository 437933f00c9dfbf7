/* SPDX-License-Identifier: MIT */
#include <stdint.h>

#include "handle.h"

static struct ppu_handle **bucket(struct ppu_registry *reg, const void *p)
{
	uint64_t h = (uintptr_t)p * 0x9e3779b97f4a7c15ull;

	return &reg->bucket[(h >> 32) % PPU_REGISTRY_BUCKETS];
}

void ppu_handle_init(struct ppu_handle *h, unsigned int kind)
{
	h->kind = kind;
	h->refs = 1;
	h->listed = false;
}

void ppu_handle_publish(struct ppu_registry *reg, struct ppu_handle *h)
{
	struct ppu_handle **b = bucket(reg, h);

	pthread_mutex_lock(&reg->lock);
	h->listed = true;
	h->next = *b;
	*b = h;
	pthread_mutex_unlock(&reg->lock);
}

bool ppu_handle_withdraw(struct ppu_registry *reg, struct ppu_handle *h)
{
	struct ppu_handle **p = bucket(reg, h);
	bool was;

	pthread_mutex_lock(&reg->lock);
	was = h->listed;
	while (was && *p != h)
		p = &(*p)->next;
	if (was)
		*p = h->next;
	h->listed = false;
	pthread_mutex_unlock(&reg->lock);
	return was;
}

void *ppu_handle_get(struct ppu_registry *reg, const void *handle, unsigned int kind)
{
	struct ppu_handle *h;

	pthread_mutex_lock(&reg->lock);
	for (h = *bucket(reg, handle); h && (const void *)h != handle; h = h->next)
		;
	if (h && h->kind != kind)
		h = NULL;
	if (h)
		ppu_handle_ref(h);
	pthread_mutex_unlock(&reg->lock);
	return h;
}

struct ppu_handle *ppu_handle_withdraw_all(struct ppu_registry *reg,
					   bool (*which)(const struct ppu_handle *h, const void *arg), const void *arg)
{
	struct ppu_handle *gone = NULL, *h;

	pthread_mutex_lock(&reg->lock);
	for (unsigned int i = 0; i < PPU_REGISTRY_BUCKETS; i++) {
		struct ppu_handle **p = &reg->bucket[i];

		while ((h = *p)) {
			if (!which(h, arg)) {
				p = &h->next;
				continue;
			}
			*p = h->next;
			h->listed = false;
			h->next = gone;
			gone = h;
		}
	}
	pthread_mutex_unlock(&reg->lock);
	return gone;
}
