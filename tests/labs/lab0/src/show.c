/* SPDX-License-Identifier: MIT */
/* Lab 0, given: look at the device with the functions of regs.c. */
#include <inttypes.h>
#include "regs.c"

static void show_caps(const struct ppu *p)
{
	struct ppu_caps caps;
	unsigned int major = 0, minor = 0;

	if (!ppu_identify(p, &major, &minor))
		printf("a PPU, version %u.%u\n", major, minor);
	ppu_read_caps(p, &caps);
	printf("BAR0 %zu bytes, BAR2 %zu bytes\n", p->regs_bytes, p->vram_bytes);
	printf("%u channels, %u copy engines, %u SMs for %u threads, %" PRIu64 " MiB of VRAM, device queues: %s\n",
	       caps.channels, caps.copy_engines, caps.sms, caps.threads, caps.vram_bytes >> 20,
	       caps.device_queues ? "yes" : "no");
}

static void read_once(void *arg)
{
	const struct ppu *p = arg;

	(void)p->regs[PPU_REG_ID / 4];
}

static void show_registers(const struct ppu *p)
{
	ppu_scratch_swap(p, 0x12345678);
	printf("SCRATCH keeps 0x%x\n", ppu_scratch_swap(p, 0));
	printf("device time: %" PRIu64 " ns, ", ppu_time(p));
	printf("then %" PRIu64 " ns\n", ppu_time(p));
	printf("register reads so far: %" PRIu64 "; one read makes %" PRIu64 "\n",
	       ppu_counter(p, PPU_CTR_MMIO_READS), ppu_reads_made(p, read_once, (void *)p));
	p->regs[PPU_REG_INTR_TEST / 4] = 0x15;
	printf("of the pending causes 0x15, 0x4 taken: 0x%x; ", ppu_intr_take(p, 0x4));
	printf("the others: 0x%x\n", ppu_intr_take(p, ~0u));
	printf("the first MiB of VRAM: %s\n", ppu_vram_check(p, 0, 1 << 20) < 0 ? "good" : "bad");
}

int main(void)
{
	struct ppu ppu;
	int err = ppu_open(&ppu, SYSFS_DEVICES);

	if (err) {
		printf("no device: %s\n", strerror(-err));
		return 1;
	}
	show_caps(&ppu);
	show_registers(&ppu);
	ppu_close(&ppu);
	return 0;
}
