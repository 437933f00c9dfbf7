/* SPDX-License-Identifier: MIT */
#include "devq.h"

#define CODE_BYTES (256u << 10)
#define BLOCK_WORDS 64

int devq_try(struct chan *c, uint32_t count, const struct drm_ppu_channel_create *args,
	     struct drm_ppu_channel_create *out)
{
	*out = *args;
	out->vm_id = c->vm;
	out->type = DRM_PPU_CHANNEL_DEVICE_QUEUE;
	out->gpfifo_entries = count;
	return try_ioctl(c->fd, DRM_IOCTL_PPU_CHANNEL_CREATE, out);
}

struct devq devq_new_args(struct chan *c, uint32_t count, const struct drm_ppu_channel_create *args)
{
	static unsigned number;
	struct devq q = { .c = c, .count = count, .soft = args->devq_initial_get + 1 };
	int err = devq_try(c, count, args, &q.args);

	if (err)
		FAIL("CHANNEL_CREATE of a queue: %s", strerror(err));
	q.id = q.args.channel_id;
	q.hw = q.args.hw_channel;
	q.cpu = mmap(NULL, q.args.ring_size, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd,
		     (off_t)q.args.ring_offset);
	CHECK(q.cpu != MAP_FAILED);
	q.code = bo_new(c->fd, CODE_BYTES, DRM_PPU_PLACEMENT_SYSTEM);
	vm_map(c->fd, c->vm, &q.code, 0x600000000000ull + number++ * 0x1000000ull);
	return q;
}

struct devq devq_new(struct chan *c, uint32_t count, uint32_t flags, uint32_t initial_get)
{
	const struct drm_ppu_channel_create args = {
		.devq_flags = flags, .devq_initial_get = initial_get, .devq_owner = c->id,
	};

	return devq_new_args(c, count, &args);
}

void devq_free(struct devq *q)
{
	struct drm_ppu_channel_destroy a = { .channel_id = q->id };

	DO(q->c->fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, &a);
	munmap(q->cpu, q->args.ring_size);
	bo_free(&q->code);
}

struct drm_ppu_channel_query devq_query(const struct devq *q)
{
	struct drm_ppu_channel_query a = { .channel_id = q->id };

	DO(q->c->fd, DRM_IOCTL_PPU_CHANNEL_QUERY, &a);
	return a;
}

volatile uint64_t *devq_word(const struct devq *q, uint64_t va)
{
	CHECK(va >= q->args.ring_va && va + 8 <= q->args.ring_va + q->args.ring_size);
	return (volatile uint64_t *)(q->cpu + (va - q->args.ring_va));
}

struct cmds devq_block(struct devq *q)
{
	CHECK((q->used + BLOCK_WORDS) * 4 <= CODE_BYTES);
	return (struct cmds){
		.p = (uint32_t *)q->code.map + q->used, .max = BLOCK_WORDS,
		.va = q->code.va + 4ull * q->used,
	};
}

void devq_block_end(struct devq *q, const struct cmds *b)
{
	q->used += b->n;
}

void cmd_refresh(struct cmds *c, uint32_t hw_channel)
{
	cmd_raw(c, PPU_CMD_HDR(PPU_CMD_QUEUE_REFRESH, PPU_CMD_SIZE_QUEUE_REFRESH, 0));
	cmd_raw(c, hw_channel);
}

unsigned devq_insert(struct devq *q, const struct cmds *blocks, unsigned n, struct store *s)
{
	uint64_t old = q->soft, before = old - 1;
	unsigned k = 0;

	s[k++] = (struct store){ q->args.devq_soft_va, old + n };
	for (unsigned i = 0; i < n; i++) {
		uint64_t entry = q->args.devq_ring_va + (old + i) % q->count * 16;

		s[k++] = (struct store){ entry, blocks[i].va };
		s[k++] = (struct store){ entry + 8, blocks[i].n };
	}
	s[k++] = (struct store){ q->args.devq_sem_va + before % q->count * 8, before / q->count + 1 };
	q->soft = old + n;
	return k;
}

unsigned devq_insert_end(struct devq *q, struct store *s)
{
	struct cmds b = devq_block(q);

	cmd_wfi(&b);
	cmd_release(&b, q->args.devq_y_va, q->launches);
	cmd_acquire(&b, PPU_SEM_OP_EQ, q->args.devq_x_va, q->launches + 1);
	devq_block_end(q, &b);
	return devq_insert(q, &b, 1, s);
}

void cmd_stores(struct cmds *c, const struct store *s, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		cmd_release(c, s[i].va, s[i].value);
}

void devq_launch(struct devq *q, unsigned groups, bool refresh, uint64_t count_va)
{
	struct store s[DEVQ_MAX_STORES];
	struct cmds c;

	q->launches++;
	if (refresh) {
		c = chan_block(q->c);
		cmd_refresh(&c, q->hw);
		chan_commit(q->c, &c);
	}
	c = chan_block(q->c);
	for (unsigned g = 0; g < groups; g++) {
		uint64_t last = q->soft + 1;
		struct cmds b[2];

		b[0] = devq_block(q);
		cmd_sem(&b[0], PPU_CMD_SEM_INC, 0, count_va, 0);
		devq_block_end(q, &b[0]);
		b[1] = devq_block(q);
		cmd_acquire(&b[1], PPU_SEM_OP_EQ, q->args.devq_sem_va + last % q->count * 8,
			    last / q->count + 1);
		devq_block_end(q, &b[1]);
		cmd_stores(&c, s, devq_insert(q, b, 2, s));
	}
	cmd_stores(&c, s, devq_insert_end(q, s));
	cmd_wfi(&c);
	cmd_release(&c, q->args.devq_x_va, q->launches);
	cmd_acquire(&c, PPU_SEM_OP_EQ, q->args.devq_y_va, q->launches);
	chan_commit(q->c, &c);
}
