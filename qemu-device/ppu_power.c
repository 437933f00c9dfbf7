/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Power management (property pm): the states D0 and D3hot.
 *
 * In D3hot the function has no power but for configuration space and the
 * refresh of VRAM.  All other state is lost at once: nothing runs, and no
 * message is sent.  No access to memory space is answered.  The root complex
 * makes all ones of such a read, and so does the device here: its registers in
 * ppu_pci.c, the other BARs by a region that covers them.  The way back to D0
 * resets the function, configuration space too (No_Soft_Reset is 0).
 *
 * The state is stored where a guest reads it, in configuration space, and
 * migrates with that.  pci_pm_init() is not used: QEMU has it since 10.0 only,
 * and it unmaps the BARs, so that reads give zeroes.
 */
#include "compat/compat.h"
#include "qapi/error.h"
#include "ppu_device.h"
#include "trace.h"

#define PPU_D0 0
#define PPU_D3HOT 3

static uint64_t ppu_off_read(void *opaque, hwaddr addr, unsigned size)
{
    return ~0ull;
}

static void ppu_off_write(void *opaque, hwaddr addr, uint64_t val,
                          unsigned size)
{
}

static const MemoryRegionOps ppu_off_ops = {
    .read = ppu_off_read,
    .write = ppu_off_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
};

static void ppu_cover(PPUState *s, MemoryRegion *cover, MemoryRegion *bar)
{
    memory_region_init_io(cover, OBJECT(s), &ppu_off_ops, s, "ppu-off",
                          memory_region_size(bar));
    memory_region_set_enabled(cover, false);
    memory_region_add_subregion_overlap(bar, 0, cover, 1);
}

/* When the BARs are there */
bool ppu_power_init(PPUState *s, Error **errp)
{
    PCIDevice *pdev = PCI_DEVICE(s);
    int cap;

    if (!s->pm) {
        return true;
    }
    cap = pci_add_capability(pdev, PCI_CAP_ID_PM, 0, PCI_PM_SIZEOF, errp);
    if (cap < 0) {
        return false;
    }
    s->pm_cap = cap;
    /* Version 3 of the capability; neither D1 nor D2, and no PME */
    pci_set_word(pdev->config + cap + PCI_PM_PMC, 3);
    pci_set_word(pdev->wmask + cap + PCI_PM_CTRL, PCI_PM_CTRL_STATE_MASK);
    ppu_cover(s, &s->vram_off, &s->bar2);
    ppu_cover(s, &s->msix_off, &s->msix_bar);
    return true;
}

/* A region in a container holds its owner, which is the device */
void ppu_power_exit(PPUState *s)
{
    if (s->pm_cap) {
        memory_region_del_subregion(&s->bar2, &s->vram_off);
        memory_region_del_subregion(&s->msix_bar, &s->msix_off);
        s->pm_cap = 0;
    }
}

static unsigned ppu_power_state(PPUState *s)
{
    return pci_get_word(PCI_DEVICE(s)->config + s->pm_cap + PCI_PM_CTRL) &
           PCI_PM_CTRL_STATE_MASK;
}

static void ppu_power_set_state(PPUState *s, unsigned state)
{
    pci_set_word_by_mask(PCI_DEVICE(s)->config + s->pm_cap + PCI_PM_CTRL,
                         PCI_PM_CTRL_STATE_MASK, state);
}

/* The state in configuration space is the state that we are in */
static void ppu_power_apply(PPUState *s)
{
    bool asleep = ppu_power_state(s) == PPU_D3HOT;

    if (asleep != s->asleep) {
        trace_ppu_power(s, asleep ? PPU_D3HOT : PPU_D0);
        s->asleep = asleep;
        memory_region_set_enabled(&s->vram_off, asleep);
        memory_region_set_enabled(&s->msix_off, asleep);
    }
    if (asleep) {
        ppu_forget_state(s);
        msix_reset(PCI_DEVICE(s)); /* or what is pending could still be sent */
    }
}

/* The function is being reset: it is in D0 then */
void ppu_power_reset(PPUState *s)
{
    if (s->pm_cap) {
        ppu_power_set_state(s, PPU_D0);
        ppu_power_apply(s);
    }
}

/* Configuration space was written */
void ppu_power_written(PPUState *s)
{
    unsigned state = s->pm_cap ? ppu_power_state(s) : PPU_D0;

    if (state != PPU_D0 && state != PPU_D3HOT) {
        /* A state that we do not have: nothing changes */
        ppu_power_set_state(s, s->asleep ? PPU_D3HOT : PPU_D0);
    } else if (state == PPU_D3HOT && !s->asleep) {
        ppu_power_apply(s);
    } else if (state == PPU_D0 && s->asleep) {
        pci_device_reset(PCI_DEVICE(s));
    }
}

/* Configuration space was loaded */
void ppu_power_loaded(PPUState *s)
{
    if (s->pm_cap) {
        ppu_power_apply(s);
    }
}
