/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/shrinker.h>

#ifndef PPU_COMPAT_SHRINKER_H
#define PPU_COMPAT_SHRINKER_H

#include <ppu_have.h>

/* What the functions of a shrinker work on. */
#ifdef PPU_HAVE_SHRINKER_ALLOC
#define ppu_shrinker_private(s)	((s)->private_data)
#else
#include <linux/container_of.h>
#include <linux/slab.h>

struct ppu_compat_shrinker {
	struct shrinker base;
	void *private_data;
};

#define ppu_shrinker_private(s) \
	(container_of(s, struct ppu_compat_shrinker, base)->private_data)

static inline struct shrinker *shrinker_alloc(unsigned int flags, const char *name)
{
	struct ppu_compat_shrinker *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return NULL;
	s->base.flags = flags;
	s->base.seeks = DEFAULT_SEEKS;
	return &s->base;
}

/* Without memory for it, there is no shrinker. */
#define shrinker_register(s)	((void)!register_shrinker(s, "drm-ppu"))

static inline void shrinker_free(struct shrinker *s)
{
	unregister_shrinker(s);
	kfree(container_of(s, struct ppu_compat_shrinker, base));
}
#endif

#endif
