/* SPDX-License-Identifier: MIT */
/*
 * For the exercise programs of labs 4 to 8, 11 and 12: the lab driver's DRM device, with its ioctls and commands as
 * functions. All functions return 0 or -errno unless they say otherwise. Only one thread at a time may
 * use a struct ld_block.
 */
#ifndef LABDRM_H
#define LABDRM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <hw/ppu_cmd.h>

/* The path of the lab driver's render node; lab_fatal() if there is none. */
const char *ld_path(void);
int ld_open(void);			/* file descriptor or -errno */
int ld_must_open(void);			/* lab_fatal() on failure */

/* Buffers. ld_map(): MAP_SHARED, read and write; NULL on failure. */
int ld_bo(int fd, uint64_t size, uint32_t *handle);
int ld_bo_close(int fd, uint32_t handle);
int ld_mmap_offset(int fd, uint32_t handle, uint64_t *offset);
void *ld_map(int fd, uint32_t handle, size_t bytes);
int ld_va(int fd, uint32_t handle, uint64_t *va);
int ld_copy(int fd, uint32_t src, uint64_t src_at, uint32_t dst, uint64_t dst_at, uint64_t bytes);

/* Channels. */
int ld_chan(int fd, uint32_t class, uint32_t entries, uint32_t *id);
int ld_chan_with(int fd, uint32_t class, uint32_t entries, uint32_t priority, uint32_t slice_us, uint32_t *id);
int ld_chan_close(int fd, uint32_t id);
int ld_submit(int fd, uint32_t chan, uint32_t handle, uint64_t offset, uint32_t words, uint64_t *seqno);
int ld_submit_sync(int fd, uint32_t chan, uint32_t handle, uint64_t offset, uint32_t words,
		   uint32_t in_syncobj, uint32_t out_syncobj, uint64_t *seqno);
int ld_wait(int fd, uint32_t chan, uint64_t seqno, int64_t timeout_ns);
#define LD_LONG		20000000000ll	/* ns; for a wait that will end */

/* Address spaces (lab 7). */
int ld_bind(int fd, uint32_t handle, uint64_t va, uint64_t offset, uint64_t bytes, uint32_t flags);
int ld_unbind(int fd, uint64_t va, uint64_t bytes);
int ld_fault(int fd, uint32_t *code, uint32_t *chan, uint64_t *va);

/* A row of commands in a mapped buffer, from `base` words on. */
struct ld_block {
	volatile uint32_t *words;
	uint32_t used;
};

void ld_acquire(struct ld_block *b, uint64_t va, uint64_t value, unsigned int op);
void ld_release(struct ld_block *b, uint64_t va, uint64_t value);
void ld_copy_cmd(struct ld_block *b, uint64_t src, uint64_t dst, uint64_t bytes);
void ld_fill_cmd(struct ld_block *b, uint64_t dst, uint32_t value, uint64_t count);
void ld_word(struct ld_block *b, uint32_t word);

#endif
