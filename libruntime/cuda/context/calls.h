/* SPDX-License-Identifier: MIT */
/* The functions of the Driver API: i_NAME does the work of the exported NAME, which logs and calls it. */
#ifndef PPU_CUDA_CALLS_INT_H
#define PPU_CUDA_CALLS_INT_H

#include <stdbool.h>
#define PPU_CUDA_NO_NAMES
#include <cuda.h>

#pragma GCC visibility push(hidden)

struct cu_symbol {
	const char *symbol, *base;
	int since;
	bool per_thread;
	void *address;
};
extern const struct cu_symbol cu_symbols[];	/* ends with symbol NULL */

struct ppu_arg;
/* Logs a call, with the reason that cu_why() has. */
void cu_log_call(const char *symbol, CUresult r, unsigned int num, const struct ppu_arg *args);

/* Prototypes of the functions i_NAME. */
#define CU_I_(symbol, base, since, ...) CUresult i_##symbol(CU_PARAMS(__VA_ARGS__));
#define CU_I_PT_(symbol, pt, base, since, ...) CUresult i_##symbol(CU_PARAMS(__VA_ARGS__));
#define CU_I_V_(symbol, base, since) CUresult i_##symbol(void);
CU_CALLS(CU_I_, CU_I_PT_, CU_I_V_)
#undef CU_I_
#undef CU_I_V_
#undef CU_I_PT_

#pragma GCC visibility pop
#endif
