// SPDX-License-Identifier: MIT
/* Memory that may be read but not written, that is shared with another process, or that does not exist. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "exercise.h"
#include "lablib.h"

#define SEED	99

static uint8_t *pages(unsigned int n)
{
	uint8_t *at = mmap(NULL, n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		lab_fatal("the exercise has no memory left");
	nobody(at, n * PAGE);
	return at;
}

static void read_only(void)
{
	uint8_t *at = pages(1);
	int ret;

	lab_step("copying from read-only memory");
	fill(at, PAGE, SEED);
	mprotect(at, PAGE, PROT_READ);
	nobody(window, PAGE);
	ret = dma(at, 0, PAGE, true);
	lab_obs("from_readonly", "%d %zu", -ret, wrong_bytes(window, PAGE, SEED));
	lab_step("copying to read-only memory");
	fill(window, PAGE, SEED + 1);
	ret = dma(at, 0, PAGE, false);
	lab_obs("to_readonly", "%d %zu", -ret, wrong_bytes(at, PAGE, SEED));
}

/* After fork() parent and child share each page until one of them writes: then the writer gets a page of its own. */
static void shared_by_fork(void)
{
	uint8_t *at = pages(1), seen = 0;
	int ret, ask[2], tell[2];
	size_t bytes;
	void *vram = (void *)lab_bar_map(2, &bytes);
	pid_t pid;

	lab_step("copying to memory that a child process has, too");
	if (pipe(ask) || pipe(tell))
		lab_fatal("the exercise cannot make a pipe");
	/* The driver maps VRAM write-combining, this program does not. A child would not get such a mapping. */
	madvise(vram, bytes, MADV_DONTFORK);
	pid = fork();
	if (pid < 0)
		lab_fatal("the exercise cannot make a child process");
	if (!pid) {
		uint8_t good;

		close(ask[1]);
		if (read(ask[0], &seen, 1) < 0)
			_exit(1);
		good = touched_bytes(at, PAGE) == 0;
		_exit(write(tell[1], &good, 1) != 1);
	}
	close(ask[0]);
	close(tell[1]);
	fill(window, PAGE, SEED + 2);
	ret = dma(at, 0, PAGE, false);
	close(ask[1]);
	if (read(tell[0], &seen, 1) != 1)
		seen = 2;
	waitpid(pid, NULL, 0);
	lab_obs("fork", "%d %zu %d", -ret, wrong_bytes(at, PAGE, SEED + 2), seen);
}

static void refused(const char *what, const void *user, size_t bytes, bool to_vram)
{
	int ret;

	lab_step("a copy that must be refused: %s", what);
	ret = dma(user, 0, bytes, to_vram);
	lab_obs("refused", "%s %d %d %u", what, to_vram, -ret, pinned());
}

void rights(void)
{
	uint8_t *at = pages(4);

	read_only();
	shared_by_fork();
	munmap(at + 2 * PAGE, PAGE);
	for (int to_vram = 0; to_vram < 2; to_vram++) {
		refused("nothing-is-mapped-there", at + 2 * PAGE, 16, to_vram);
		refused("the-third-of-four-pages-is-not-mapped", at, 4 * PAGE, to_vram);
		refused("the-kernel's-memory", (void *)0xffff888000100000, 64, to_vram);
		refused("the-end-of-the-address-space", (void *)(uintptr_t)-PAGE, 2 * PAGE, to_vram);
	}
}
