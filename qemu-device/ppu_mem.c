/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The core's ports to memory: guest RAM as the function's DMA sees it, and
 * dirty tracking.
 *
 * The core keeps the pointers it gets.  A change of the DMA address space (bus
 * master bit, memory map) makes the listener tell the core to forget these
 * pointers.  RAM only: the port refuses what would be MMIO, so there is no way
 * back into a device from here.  A translating IOMMU in front of the function
 * can change without such a notice, so the device refuses to be behind one.
 */
#include "compat/compat.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/rcu.h"
#include "ppu_device.h"
#include "trace.h"

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
        trace_ppu_map_refused(s, bus, *len, write);
        return NULL;
    }
    *len = plen;
    trace_ppu_map(s, bus, plen, write);
    return (uint8_t *)memory_region_get_ram_ptr(mr) + xlat;
}

/*
 * Memory was written through a pointer.  It is dirty for migration, and what
 * TCG has translated from it is no longer the code that is there: unlike
 * memory_region_set_dirty(), the end of a mapping takes care of both.
 */
static void ppu_written(AddressSpace *as, MemoryRegion *mr, hwaddr off,
                        hwaddr len)
{
    memory_region_ref(mr); /* as address_space_map() does */
    address_space_unmap(as, (uint8_t *)memory_region_get_ram_ptr(mr) + off, len,
                        true, len);
}

static void ppu_mark_dirty(void *opaque, uint64_t bus, uint64_t len)
{
    PPUState *s = opaque;

    RCU_READ_LOCK_GUARD();
    while (len) {
        hwaddr xlat, plen = len;
        MemoryRegion *mr = address_space_translate(
            ppu_dma_as(s), bus, &xlat, &plen, true, MEMTXATTRS_UNSPECIFIED);

        if (!plen || !memory_region_is_ram(mr) ||
            memory_region_is_ram_device(mr)) {
            return;
        }
        ppu_written(ppu_dma_as(s), mr, xlat, plen);
        bus += plen;
        len -= plen;
    }
}

static void ppu_vram_dirty(void *opaque, uint64_t off, uint64_t len)
{
    PPUState *s = opaque;

    ppu_written(&address_space_memory, &s->vram, off, len);
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

    trace_ppu_maps_dropped(s);
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
    trace_ppu_listen(s, on);
}

/* --- no IOMMU ------------------------------------------------------------- */

bool ppu_mem_direct(PPUState *s, Error **errp)
{
    AddressSpace *as = pci_device_iommu_address_space(PCI_DEVICE(s));

    if (as == &address_space_memory) {
        return true;
    }
    error_setg(errp,
               "ppu: the device does not work behind an IOMMU, since it keeps "
               "pointers to memory; use a machine without an IOMMU, or a bus "
               "that bypasses it (-machine q35,default-bus-bypass-iommu=on)");
    return false;
}

static void ppu_machine_done(Notifier *n, void *unused)
{
    PPUState *s = container_of(n, PPUState, machine_done);
    Error *err = NULL;

    if (!ppu_mem_direct(s, &err)) {
        error_report_err(err);
        exit(EXIT_FAILURE);
    }
}

/* An IOMMU may come after us on the command line: look when all are there */
void ppu_mem_check_later(PPUState *s, bool on)
{
    if (on == s->checks_later) {
        return;
    }
    if (on) {
        s->machine_done.notify = ppu_machine_done;
        qemu_add_machine_init_done_notifier(&s->machine_done);
    } else {
        qemu_remove_machine_init_done_notifier(&s->machine_done);
    }
    s->checks_later = on;
}
