/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "refresh.h"

static void die(const char *what)
{
	perror(what);
	abort();
}

void refresh_keep(void *memory, size_t bytes)
{
	int fd = memfd_create("kept", MFD_CLOEXEC);
	size_t at = 0;

	if (fd < 0)
		die("memfd_create");
	while (at < bytes) {
		ssize_t n = write(fd, (char *)memory + at, bytes - at);

		if (n <= 0)
			die("write");
		at += (size_t)n;
	}
	if (mmap(memory, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0) != memory)
		die("mmap");
	close(fd);
}

void refresh_back(void *memory, size_t bytes)
{
	if (madvise(memory, bytes, MADV_DONTNEED))
		die("madvise");
}

void refresh_zero(void *memory, size_t bytes)
{
	refresh_back(memory, bytes);
}
