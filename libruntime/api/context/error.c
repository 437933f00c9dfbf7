/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <ppu.h>
#include "api/context/error.h"

static __thread char detail[4096];

const char *ppuGetErrorName(ppuResult result)
{
	switch (result) {
#define R(name, code, text) case PPU_##name: return "PPU_" #name;
	PPU_RESULTS(R)
#undef R
	}
	return "PPU_ERROR_UNKNOWN";
}

const char *ppuGetErrorString(ppuResult result)
{
	switch (result) {
#define R(name, code, text) case PPU_##name: return text;
	PPU_RESULTS(R)
#undef R
	}
	return "unknown error";
}

const char *ppuGetLastErrorDetail(void)
{
	return detail;
}

ppuResult rt_fail(ppuResult res, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(detail, sizeof(detail), fmt, ap);
	va_end(ap);
	return res;
}

ppuResult rt_error(ppuResult res)
{
	return rt_fail(res, "%s", ppuGetErrorString(res));
}

ppuResult rt_errno(int rc, const char *what)
{
	ppuResult res;

	switch (-rc) {
	case 0: return PPU_SUCCESS;
	case ENOMEM: res = PPU_ERROR_OUT_OF_HOST_MEMORY; break;
	case ENOSPC: res = PPU_ERROR_OUT_OF_DEVICE_MEMORY; break;
	case ENODEV: res = PPU_ERROR_DEVICE_LOST; break;
	case EACCES:
	case EPERM: res = PPU_ERROR_PERMISSION; break;
	case EOPNOTSUPP: res = PPU_ERROR_NOT_SUPPORTED; break;
	case ETIME: res = PPU_ERROR_TIMEOUT; break;
	case EBUSY: res = PPU_ERROR_BUSY; break;
	case EFAULT: res = PPU_ERROR_INVALID_ADDRESS; break;
	case EINVAL: res = PPU_ERROR_INVALID_VALUE; break;
	default: res = PPU_ERROR_SYSTEM; break;
	}
	return rt_fail(res, "%s: %s", what, strerror(-rc));
}
