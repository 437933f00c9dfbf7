/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include "harness.h"
#include "module.h"
#include "pcidev.h"
#include "sysfile.h"

#define PARAMS "/sys/module/ppu/parameters/"

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char *module_params(void)
{
	char *word[64], path[320], *text, *all = NULL;
	unsigned n = 0;
	struct dirent *e;
	size_t len;
	FILE *f = open_memstream(&all, &len);
	DIR *d = opendir(PARAMS);

	CHECK(d && f);
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), PARAMS "%s", e->d_name);
		text = file_text(path);
		if (!text)		/* may only be given */
			continue;
		text[strcspn(text, "\n")] = 0;
		CHECK(n < sizeof(word) / sizeof(word[0]));
		word[n] = malloc(strlen(e->d_name) + strlen(text) + 2);
		CHECK(word[n]);
		sprintf(word[n++], "%s=%s", e->d_name, text);
		free(text);
	}
	closedir(d);
	qsort(word, n, sizeof(word[0]), by_name);
	for (unsigned i = 0; i < n; i++) {
		fprintf(f, "%s%s", i ? " " : "", word[i]);
		free(word[i]);
	}
	fclose(f);
	return all;
}

void module_unload(void)
{
	WAIT_FOR(!syscall(SYS_delete_module, "ppu", O_NONBLOCK) || errno != EWOULDBLOCK, 20000);
	CHECK(!pci_have_node());
}

void module_load(const char *params)
{
	const char *ko = getenv("PPU_KO") ? getenv("PPU_KO") : "/ppu/kmod/ppu.ko";
	int fd = open(ko, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || syscall(SYS_finit_module, fd, params, 0))
		FAIL("%s: %s", ko, strerror(errno));
	close(fd);
	WAIT_FOR(pci_have_node(), 20000);
}
