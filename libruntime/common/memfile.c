/* SPDX-License-Identifier: MIT */
/* Files in memory that several processes map. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memfile.h"

#define SEALS	(F_SEAL_SHRINK | F_SEAL_GROW)

int ppu_memfile_new(const char *name, uint64_t bytes)
{
	int low = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int fd = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, 3);
	int rc = fd < 0 || ftruncate(fd, (off_t)bytes) || fcntl(fd, F_ADD_SEALS, SEALS) ? -errno : fd;

	if (low >= 0)
		close(low);
	if (rc < 0 && fd >= 0)
		close(fd);
	return rc;
}

bool ppu_memfile_is(int fd, uint64_t bytes)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat st;

	return seals >= 0 && (seals & SEALS) == SEALS && !fstat(fd, &st) && (uint64_t)st.st_size >= bytes;
}
