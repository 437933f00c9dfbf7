/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QTest testcase for the PPU: what a driver does first, in QEMU's own tree
 * (tests/qtest).  scripts/qemu-series builds and runs it there.
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "libqtest.h"
#include "libqos/pci.h"
#include "libqos/pci-pc.h"
#include "hw/pci/pci_regs.h"
#include "hw/misc/ppu/include/hw/ppu_regs.h"
#include "hw/misc/ppu/include/hw/ppu_cmd.h"
#include "hw/misc/ppu/include/hw/ppu_mmu.h"

#define SLOT 4
#define MESSAGE_ADDR 0x100000 /* in guest memory */
#define MESSAGE_DATA 0x5000
#define STEP_NS (10 * 1000 * 1000)

/* A context whose addresses from 0 on are VRAM, and what lies there */
#define TABLES 0x10000
#define INSTANCE 0x20000
#define RING 0x30000
#define BLOCK 0x40000
#define WORD 0x80000
#define PAGES 512

typedef struct Machine {
    QTestState *qts;
    QPCIBus *bus;
    QPCIDevice *dev;
    QPCIBar regs, vram;
} Machine;

static uint32_t reg(Machine *m, uint64_t off)
{
    return qpci_io_readl(m->dev, m->regs, off);
}

static void set_reg(Machine *m, uint64_t off, uint32_t val)
{
    qpci_io_writel(m->dev, m->regs, off, val);
}

static void set_vram(Machine *m, uint64_t off, const void *from, size_t len)
{
    qpci_memwrite(m->dev, m->vram, off, from, len);
}

static Machine start(const char *props)
{
    Machine m;

    m.qts = qtest_initf("-M q35 -m 64M -nodefaults "
                        "-device ppu,addr=%x.0,vram=64M,"
                        "clock=virtual%s", SLOT, props);
    m.bus = qpci_new_pc(m.qts, NULL);
    m.dev = qpci_device_find(m.bus, QPCI_DEVFN(SLOT, 0));
    g_assert_nonnull(m.dev);
    qpci_device_enable(m.dev);
    m.regs = qpci_iomap(m.dev, PPU_BAR_REGS, NULL);
    m.vram = qpci_iomap(m.dev, PPU_BAR_VRAM, NULL);
    return m;
}

static void stop(Machine *m)
{
    g_free(m->dev);
    qpci_free_pc(m->bus);
    qtest_quit(m->qts);
}

static void test_identity(void)
{
    Machine m = start("");

    g_assert_cmphex(qpci_config_readw(m.dev, PCI_VENDOR_ID), ==,
                    PPU_PCI_VENDOR_ID);
    g_assert_cmphex(qpci_config_readw(m.dev, PCI_DEVICE_ID), ==,
                    PPU_PCI_DEVICE_ID);
    g_assert_cmphex(qpci_find_capability(m.dev, PCI_CAP_ID_EXP, 0), !=, 0);
    g_assert_cmphex(reg(&m, PPU_REG_ID), ==, PPU_ID_MAGIC);
    g_assert_cmpuint(reg(&m, PPU_REG_CAP_VRAM_MB), ==, 64);
    set_reg(&m, PPU_REG_SCRATCH, 4711);
    g_assert_cmpuint(reg(&m, PPU_REG_SCRATCH), ==, 4711);
    set_reg(&m, PPU_REG_RESET, 1);
    g_assert_cmpuint(reg(&m, PPU_REG_SCRATCH), ==, 0);
    stop(&m);
}

static void test_properties(void)
{
    Machine m = start(",gpcs=2,channels=16,x-fault-id=42");

    g_assert_cmpuint(reg(&m, PPU_REG_CAP_GPCS), ==, 2);
    g_assert_cmpuint(reg(&m, PPU_REG_CAP_CHANNELS), ==, 16);
    g_assert_cmpuint(reg(&m, PPU_REG_ID), ==, 42);
    stop(&m);
}

/* In D3hot nobody answers, and the way back is a reset */
static void test_power(void)
{
    Machine m = start(",pm=on");
    uint8_t ctrl = qpci_find_capability(m.dev, PCI_CAP_ID_PM, 0) + PCI_PM_CTRL;

    set_reg(&m, PPU_REG_SCRATCH, 4711);
    qpci_config_writew(m.dev, ctrl, 3);
    g_assert_cmphex(reg(&m, PPU_REG_ID), ==, UINT32_MAX);
    g_assert_cmphex(qpci_io_readl(m.dev, m.vram, WORD), ==, UINT32_MAX);
    qpci_config_writew(m.dev, ctrl, 0);
    g_assert_cmphex(qpci_config_readw(m.dev, PCI_COMMAND) & PCI_COMMAND_MEMORY,
                    ==, 0);
    g_assert_cmphex(qpci_config_readl(m.dev, PCI_BASE_ADDRESS_0) & ~0xf, ==, 0);
    stop(&m);
}

static void enable_messages(Machine *m)
{
    qpci_msix_enable(m->dev);
    for (int v = 0; v < PPU_NUM_VECTORS; v++) {
        uint64_t off = m->dev->msix_table_off + v * PCI_MSIX_ENTRY_SIZE;

        qpci_io_writel(m->dev, m->dev->msix_table_bar, off,
                       MESSAGE_ADDR + 4 * v);
        qpci_io_writel(m->dev, m->dev->msix_table_bar, off + 4, 0);
        qpci_io_writel(m->dev, m->dev->msix_table_bar, off + 8,
                       MESSAGE_DATA + v);
        qpci_io_writel(m->dev, m->dev->msix_table_bar, off + 12, 0);
    }
}

static void test_messages(void)
{
    Machine m = start("");

    enable_messages(&m);
    set_reg(&m, PPU_REG_INTR_ENABLE, PPU_INTR_ALL);
    set_reg(&m, PPU_REG_INTR_TEST, PPU_INTR_WATCH);
    g_assert_cmphex(qtest_readl(m.qts, MESSAGE_ADDR + 4 * PPU_VEC_WATCH), ==,
                    MESSAGE_DATA + PPU_VEC_WATCH);
    g_assert_cmphex(qtest_readl(m.qts, MESSAGE_ADDR + 4 * PPU_VEC_ERROR), ==,
                    0);
    qpci_msix_disable(m.dev);
    stop(&m);
}

static void make_context(Machine *m)
{
    uint64_t entry, pages[PAGES];
    struct ppu_inst_block inst = {
        .magic = cpu_to_le32(PPU_INST_MAGIC),
        .version = cpu_to_le32(PPU_INST_VERSION),
        .pt_root = cpu_to_le64(TABLES),
        .context_id = cpu_to_le32(1),
        .max_depth = cpu_to_le32(4),
    };

    for (int level = 0; level < 3; level++) {
        entry = cpu_to_le64((TABLES + 4096 * (level + 1)) | PPU_PTE_VALID);
        set_vram(m, TABLES + 4096 * level, &entry, sizeof(entry));
    }
    for (int i = 0; i < PAGES; i++) {
        pages[i] = cpu_to_le64((uint64_t)i << 12 | PPU_PTE_VALID);
    }
    set_vram(m, TABLES + 4096 * 3, pages, sizeof(pages));
    set_vram(m, INSTANCE, &inst, sizeof(inst));
    set_reg(m, PPU_REG_CTX_INST_LO, INSTANCE);
    set_reg(m, PPU_REG_CTX_INST_HI, 0);
    set_reg(m, PPU_REG_CTX_CMD, PPU_CTX_CMD_LOAD);
    g_assert_cmphex(reg(m, PPU_REG_CTX_STATUS) & PPU_CTX_LOADED, !=, 0);
}

static void make_channel(Machine *m)
{
    set_reg(m, PPU_BAR0_CHCFG + PPU_REG_CH_INST_LO, INSTANCE);
    set_reg(m, PPU_BAR0_CHCFG + PPU_REG_CH_INST_HI, 0);
    set_reg(m, PPU_BAR0_CHCFG + PPU_REG_CH_RING_LO, RING);
    set_reg(m, PPU_BAR0_CHCFG + PPU_REG_CH_RING_HI, 0);
    set_reg(m, PPU_BAR0_CHCFG + PPU_REG_CH_RING_ENTRIES, 8);
    set_reg(m, PPU_BAR0_CHCFG + PPU_REG_CH_CLASS, PPU_CLASS_COMPUTE);
    set_reg(m, PPU_BAR0_CHCFG + PPU_REG_CH_CMD, PPU_CH_CMD_ENABLE);
}

/* A channel executes a semaphore release; then a value of GP_PUT is refused */
static void test_channel(void)
{
    Machine m = start("");
    uint32_t words[] = {
        cpu_to_le32(PPU_CMD_SEM_RELEASE | 5 << 8),
        cpu_to_le32(WORD), 0, cpu_to_le32(0x12345678), 0
    };
    uint32_t ring[] = {
        cpu_to_le32(BLOCK), 0, cpu_to_le32(ARRAY_SIZE(words)), 0
    };

    make_context(&m);
    make_channel(&m);
    set_vram(&m, BLOCK, words, sizeof(words));
    set_vram(&m, RING, ring, sizeof(ring));
    set_reg(&m, PPU_BAR0_USERD + PPU_REG_USERD_GP_PUT, 1);
    qtest_clock_step(m.qts, STEP_NS);
    g_assert_cmpuint(reg(&m, PPU_BAR0_USERD + PPU_REG_USERD_GP_GET), ==, 1);
    g_assert_cmphex(qpci_io_readl(m.dev, m.vram, WORD), ==, 0x12345678);

    set_reg(&m, PPU_BAR0_USERD + PPU_REG_USERD_GP_PUT, 1000);
    qtest_clock_step(m.qts, STEP_NS);
    g_assert_cmphex(reg(&m, PPU_BAR0_CHCFG + PPU_REG_CH_STATUS) &
                    PPU_CHS_FAULTED, !=, 0);
    stop(&m);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);

    qtest_add_func("/ppu/identity", test_identity);
    qtest_add_func("/ppu/properties", test_properties);
    qtest_add_func("/ppu/power", test_power);
    qtest_add_func("/ppu/messages", test_messages);
    qtest_add_func("/ppu/channel", test_channel);

    return g_test_run();
}
