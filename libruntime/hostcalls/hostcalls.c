/* SPDX-License-Identifier: MIT */
/*
 * Calls of the C library that give memory of the program to the kernel.  Each tells the checker of its memory, and calls the
 * library's own function.  What is not here fails with EFAULT if its memory is watched: Documentation/runtime/ppu-check.md.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "hostcalls/host_calls.h"

#pragma GCC visibility push(default)

static __thread struct ppu_host_thread the_thread __attribute__((tls_model("initial-exec")));

static struct ppu_host_thread *thread(void)
{
	return &the_thread;
}

struct ppu_host_calls ppu_host_calls = { .thread = thread };

static void begin(const void *p, size_t bytes, bool writes)
{
	if (ppu_host_calls.begin && bytes)
		ppu_host_calls.begin(p, bytes, writes);
}

static void end(void)
{
	int err = errno;

	if (ppu_host_calls.end)
		ppu_host_calls.end();
	errno = err;
}

/* A function of one piece of memory: `writes` it, or reads it. */
#define CALL(type, name, params, args, p, bytes, writes) \
	type name params \
	{ \
		static type (*next) params; \
		type got; \
		if (!next) \
			next = (type (*) params)dlsym(RTLD_NEXT, #name); \
		begin(p, bytes, writes); \
		got = next args; \
		end(); \
		return got; \
	}

CALL(ssize_t, read, (int fd, void *p, size_t n), (fd, p, n), p, n, true)
CALL(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n), p, n, false)
CALL(ssize_t, pread, (int fd, void *p, size_t n, off_t at), (fd, p, n, at), p, n, true)
CALL(ssize_t, pwrite, (int fd, const void *p, size_t n, off_t at), (fd, p, n, at), p, n, false)
CALL(ssize_t, pread64, (int fd, void *p, size_t n, off64_t at), (fd, p, n, at), p, n, true)
CALL(ssize_t, pwrite64, (int fd, const void *p, size_t n, off64_t at), (fd, p, n, at), p, n, false)
CALL(ssize_t, recv, (int fd, void *p, size_t n, int flags), (fd, p, n, flags), p, n, true)
CALL(ssize_t, send, (int fd, const void *p, size_t n, int flags), (fd, p, n, flags), p, n, false)
CALL(ssize_t, getrandom, (void *p, size_t n, unsigned flags), (p, n, flags), p, n, true)
CALL(size_t, fread, (void *p, size_t size, size_t n, FILE *f), (p, size, n, f), p, size * n, true)
CALL(size_t, fwrite, (const void *p, size_t size, size_t n, FILE *f), (p, size, n, f), p, size * n, false)

#define VECTOR(name, writes) \
	ssize_t name(int fd, const struct iovec *v, int n) \
	{ \
		static ssize_t (*next)(int, const struct iovec *, int); \
		ssize_t got; \
		if (!next) \
			next = (ssize_t (*)(int, const struct iovec *, int))dlsym(RTLD_NEXT, #name); \
		for (int i = 0; i < n; i++) \
			begin(v[i].iov_base, v[i].iov_len, writes); \
		got = next(fd, v, n); \
		end(); \
		return got; \
	}

VECTOR(readv, true)
VECTOR(writev, false)

#pragma GCC visibility pop
