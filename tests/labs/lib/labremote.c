/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "labremote.h"

_Noreturn void remote_ended(const void *words, size_t n, const char *file)
{
	static const char *const ends[] = { "end wrong ", "end crash ", "end stuck " };
	char said[REMOTE_WORDS + 1], line[REMOTE_WORDS + 1];

	n = n < REMOTE_WORDS ? n : REMOTE_WORDS;
	memcpy(said, words, n);
	said[n] = 0;
	said[strcspn(said, "\n")] = 0;
	for (size_t i = 0; said[i]; i++)
		if (said[i] < ' ' || said[i] > '~' || said[i] == ';')
			said[i] = '?';
	snprintf(line, sizeof(line), "end wrong the program with %s ended before all was done", file);
	for (unsigned i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (!strncmp(said, ends[i], strlen(ends[i])))
			memcpy(line, said, sizeof(said));
	printf("%s\n", line);
	fflush(stdout);
	_exit(3);
}
