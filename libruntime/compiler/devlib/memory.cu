/* SPDX-License-Identifier: MIT */
/* Functions of C's library that compilers call by themselves. */
#include "compiler/devabi/dev.h"

DEV bool together(const void *a, const void *b, u64 n)	/* the work can be done in words of 8 bytes */
{
	return !(((u64)a | (u64)b | n) & 7);
}

LIBRARY void *memcpy(void *to, const void *from, u64 n)
{
	u64 i;

	if (together(to, from, n)) {
		for (i = 0; i < n / 8; i++)
			((volatile u64 *)to)[i] = ((const u64 *)from)[i];
	} else {
		for (i = 0; i < n; i++)
			((volatile u8 *)to)[i] = ((const u8 *)from)[i];
	}
	return to;
}

LIBRARY void *memmove(void *to, const void *from, u64 n)
{
	u64 i;

	if ((u64)to <= (u64)from || (u64)to >= (u64)from + n)
		for (i = 0; i < n; i++)
			((volatile u8 *)to)[i] = ((const u8 *)from)[i];
	else
		for (i = n; i-- > 0;)
			((volatile u8 *)to)[i] = ((const u8 *)from)[i];
	return to;
}

LIBRARY void *memset(void *to, int value, u64 n)
{
	u64 i;

	for (i = 0; i < n; i++)
		((volatile u8 *)to)[i] = (u8)value;
	return to;
}

LIBRARY int memcmp(const void *a, const void *b, u64 n)
{
	u64 i;

	for (i = 0; i < n; i++)
		if (((const u8 *)a)[i] != ((const u8 *)b)[i])
			return ((const u8 *)a)[i] < ((const u8 *)b)[i] ? -1 : 1;
	return 0;
}

LIBRARY u64 strlen(const char *s)
{
	u64 n = 0;

	while (((volatile const char *)s)[n])
		n++;
	return n;
}
