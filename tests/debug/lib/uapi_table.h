/* SPDX-License-Identifier: MIT */
/*
 * The driver's uAPI as a table: every structure, every field, every ioctl.
 * gen-uapi-table makes it from the uAPI header and its comments.
 */
#ifndef PPU_DEBUG_UAPI_TABLE_H
#define PPU_DEBUG_UAPI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum uapi_kind {
	UAPI_NUMBER,	/* any number */
	UAPI_CHOICE,	/* one of uapi_field.choices, or several as bits */
	UAPI_ZERO,	/* must be zero: the ioctl fails with EINVAL if it is not */
	UAPI_ID,	/* id or handle of an object; the name says of which kind */
	UAPI_FD,	/* file descriptor */
	UAPI_POINTER,	/* user pointer */
	UAPI_SIZE,	/* bytes or words */
	UAPI_STRIDE,	/* size of an array's element */
	UAPI_OFFSET,	/* offset in an object */
	UAPI_VA,	/* GPU virtual address */
	UAPI_TIME,	/* absolute time */
	UAPI_ARRAY,	/* struct drm_ppu_array of uapi_structs[element] */
	UAPI_OUT,	/* only written by the kernel */
};

struct uapi_field {
	const char *name;
	size_t offset, size;
	enum uapi_kind kind;
	bool out;			/* the kernel writes it (too) */
	const uint64_t *choices;
	unsigned num_choices;
	int element;
};

struct uapi_struct {
	const char *name;
	size_t size;
	const struct uapi_field *fields;
	unsigned num_fields;
};

struct uapi_ioctl {
	const char *name;
	unsigned long request;
	const struct uapi_struct *arg;
};

extern const struct uapi_struct uapi_structs[];
extern const struct uapi_ioctl uapi_ioctls[];
extern const unsigned uapi_num_ioctls;

#endif
