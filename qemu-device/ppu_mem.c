/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The core's ports to memory: guest RAM as the function's DMA sees it, and
 * dirty tracking.
 *
 * The core keeps the pointers it gets.  A change of the DMA address space (bus
 * master bit, memory map) makes the listener tell the core to forget these
 * pointers.  RAM only: the port refuses what would be MMIO, so there is no way
 * back into a device from here.  A translating IOMMU in front of the function
 * can change without such a notice; the device refuses to be created behind
 * one (ppu_pci.c).
 */
#include "compat/compat.h"
#include "qemu/rcu.h"
#include "ppu_device.h"

static AddressSpace *ppu_dma_as(PPUState *s)
{
    return pci_get_address_space(PCI_DEVICE(s));
}

static void *ppu_map(void *opaque, uint64_t bus, uint64_t *len, bool write)
{
    PPUState *s = opaque;
    hwaddr xlat, plen = *len;
    MemoryRegion *mr;

    RCU_READ_LOCK_GUARD();
    mr = address_space_translate(ppu_dma_as(s), bus, &xlat, &plen, write,
                                 MEMTXATTRS_UNSPECIFIED);
    if (!plen || !memory_region_is_ram(mr) || memory_region_is_ram_device(mr) ||
        (write && memory_region_is_rom(mr))) {
        return NULL;
    }
    *len = plen;
    return (uint8_t *)memory_region_get_ram_ptr(mr) + xlat;
}

static void ppu_mark_dirty(void *opaque, uint64_t bus, uint64_t len)
{
    PPUState *s = opaque;

    RCU_READ_LOCK_GUARD();
    while (len) {
        hwaddr xlat, plen = len;
        MemoryRegion *mr = address_space_translate(
            ppu_dma_as(s), bus, &xlat, &plen, true, MEMTXATTRS_UNSPECIFIED);

        if (!plen || !memory_region_is_ram(mr)) {
            return;
        }
        memory_region_set_dirty(mr, xlat, plen);
        bus += plen;
        len -= plen;
    }
}

static void ppu_vram_dirty(void *opaque, uint64_t off, uint64_t len)
{
    PPUState *s = opaque;

    memory_region_set_dirty(&s->vram, off, len);
}

void ppu_mem_ports(PPUState *s, struct ppu_ports *ports)
{
    ports->map = ppu_map;
    ports->mark_dirty = ppu_mark_dirty;
    ports->vram_dirty = ppu_vram_dirty;
}

static void ppu_map_changed(MemoryListener *l)
{
    PPUState *s = container_of(l, PPUState, listener);

    ppu_drive_lock(s);
    ppu_core_invalidate_maps(s->core);
    qemu_mutex_unlock(&s->lock);
}

void ppu_mem_listen(PPUState *s, bool on)
{
    if (on == s->listening) {
        return;
    }
    if (on) {
        s->listener.name = "ppu";
        s->listener.commit = ppu_map_changed;
        memory_listener_register(&s->listener, ppu_dma_as(s));
    } else {
        memory_listener_unregister(&s->listener);
    }
    s->listening = on;
}
