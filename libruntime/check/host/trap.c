/* SPDX-License-Identifier: MIT */
/*
 * A load or store of a page that is closed is SIGSEGV, with the address.  It is told, the page is opened, and the processor
 * is asked to stop behind the instruction: SIGTRAP, and the page is closed again.
 *
 * The thread that is interrupted is at an instruction that accesses the program's memory.  So it has none of our locks, and is
 * not inside malloc(): the handlers may take locks and memory.  It may be a system call's wrapper (call.c): never, its pages are
 * open.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "check/host/host.h"
#include "check/race/race.h"
#include "hostcalls/host_calls.h"

#ifdef __x86_64__

#define TRAP_FLAG	0x100
#define FAULT_WRITES	2

static struct sigaction old_segv, old_trap;
static pid_t owner;

/* It is not ours: who had the signal before gets it. */
static void pass_on(int sig, siginfo_t *info, void *context, const struct sigaction *old)
{
	if (old->sa_flags & SA_SIGINFO)
		old->sa_sigaction(sig, info, context);
	else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN)
		old->sa_handler(sig);
	else
		sigaction(sig, old, NULL);	/* the instruction is done again, and then it is */
}

/* The runtime's code: it looks at words of the program, which are no accesses of the program. */
static uint64_t our_code, our_code_end;

/* The segment of code that has this function. */
static int find_code(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size, (void)arg;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t from = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && (p->p_flags & PF_X) && (uintptr_t)find_code - from < p->p_memsz) {
			our_code = from;
			our_code_end = from + p->p_memsz;
			return 1;
		}
	}
	return 0;
}

static bool is_ours(uint64_t pc)
{
	return pc >= our_code && pc < our_code_end;
}

static bool see(uint64_t va, ucontext_t *uc)
{
	uint64_t pc = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
	bool writes = uc->uc_mcontext.gregs[REG_ERR] & FAULT_WRITES;
	struct ppu_host_thread *t = ppu_host_calls.thread();
	struct host_range *r = host_range(va);

	if (!r)
		return false;
	if (getpid() != owner || !host_is_closed(r, va)) {	/* another thread has opened it; of a child it is the whole */
		host_let(r, va, false);
		return true;
	}
	if (!t->quiet && !is_ours(pc))
		chk_race_host_access(host_context(r), va, 1, writes, pc, (uint64_t)uc->uc_mcontext.gregs[REG_RSP]);
	host_let(r, va, false);
	if (host_count(r, va, writes) || t->num_steps == PPU_HOST_STEPS)
		return true;
	t->steps[t->num_steps++] = va;
	uc->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
	return true;
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	int err = errno;
	bool seen = false;

	if (info->si_code == SEGV_ACCERR) {
		pthread_mutex_lock(&chk_lock);
		seen = see((uintptr_t)info->si_addr, context);
		pthread_mutex_unlock(&chk_lock);
	}
	errno = err;
	if (!seen)
		pass_on(sig, info, context, &old_segv);
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	struct ppu_host_thread *t = ppu_host_calls.thread();
	ucontext_t *uc = context;
	int err = errno;

	if (!t->num_steps) {
		pass_on(sig, info, context, &old_trap);
		return;
	}
	pthread_mutex_lock(&chk_lock);
	while (t->num_steps)
		host_close_again(t->steps[--t->num_steps], false);
	pthread_mutex_unlock(&chk_lock);
	uc->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	errno = err;
}

bool host_take_signals(void)
{
	struct sigaction now, sa = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_RESTART };

	if (owner)	/* and is still ours? */
		return owner == getpid() && !sigaction(SIGSEGV, NULL, &now) && now.sa_sigaction == on_fault &&
		       !sigaction(SIGTRAP, NULL, &now) && now.sa_sigaction == on_trap;
	dl_iterate_phdr(find_code, NULL);
	owner = getpid();
	sigemptyset(&sa.sa_mask);
	sigaction(SIGSEGV, &sa, &old_segv);
	sa.sa_sigaction = on_trap;
	sigaction(SIGTRAP, &sa, &old_trap);
	return true;
}

#else

bool host_take_signals(void)
{
	return false;
}

#endif

void chk_host_quiet(void)
{
	if (chk_host_watches())
		ppu_host_calls.thread()->quiet = true;
}
