/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PPU as a PCI Express function: configuration space, BARs, MSI-X,
 * properties.
 *
 *   -device ppu[,vram=256M][,gpcs=5]...  all properties: -device ppu,help
 *   BAR0, BAR2, BAR4  registers and USERD pages, VRAM, MSI-X
 *                     (include/hw/ppu_regs.h)
 *   trace-file=PATH   write the device's trace to this file
 *   clock=auto|thread|virtual
 *                     who drives device time (ppu_drive.c); auto: virtual
 *                     under -icount
 */
#include "compat/compat.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "qapi/visitor-impl.h"
#include "qemu/error-report.h"
#include "qemu/host-utils.h"
#include "qemu/log.h"
#include "qemu/module.h"
#include "ppu_device.h"
#include "trace.h"

/* --- BAR0 ----------------------------------------------------------------- */

static bool ppu_is_userd(hwaddr addr)
{
    return addr >= PPU_BAR0_USERD;
}

static uint64_t ppu_bar0_read(void *opaque, hwaddr addr, unsigned size)
{
    PPUState *s = opaque;
    uint64_t val;

    /* Unplugged while the access waited for the BQL, or in D3hot */
    if (!s->core || s->asleep) {
        return ~0ull;
    }
    if (ppu_is_userd(addr) && size == 4) {
        unsigned chid = (addr - PPU_BAR0_USERD) / PPU_USERD_STRIDE;

        if (chid < s->cfg.channels &&
            addr % PPU_USERD_STRIDE == PPU_REG_USERD_GP_PUT &&
            test_bit(chid, s->put_dirty)) {
            return qatomic_read(&s->put_latch[chid]);
        }
        return ppu_core_userd_peek(s->core, addr);
    }
    ppu_drive_lock(s);
    ppu_drive_drain(s);
    ppu_drive_sync_time(s);
    val = ppu_core_mmio_read(s->core, addr, size);
    ppu_drive_unlock(s);
    trace_ppu_reg_read(s, addr, size, val);
    return val;
}

/*
 * The doorbell: one store and a wake-up; everything else waits for the device
 * thread's slice.
 */
static bool ppu_userd_write(PPUState *s, hwaddr addr, uint64_t val)
{
    unsigned chid = (addr - PPU_BAR0_USERD) / PPU_USERD_STRIDE;

    if (chid >= s->cfg.channels) {
        return true;
    }
    switch (addr % PPU_USERD_STRIDE) {
    case PPU_REG_USERD_GP_PUT:
        trace_ppu_doorbell(s, chid, val);
        ppu_drive_doorbell(s, chid, val);
        return true;
    case PPU_REG_USERD_KICK:
        trace_ppu_kick(s, chid);
        ppu_drive_kick(s, chid);
        return true;
    }
    return false;
}

static void ppu_bar0_write(void *opaque, hwaddr addr, uint64_t val,
                           unsigned size)
{
    PPUState *s = opaque;

    if (!s->core || s->asleep) {
        return;
    }
    if (!s->virtual_clock && ppu_is_userd(addr) && size == 4 &&
        ppu_userd_write(s, addr, val)) {
        return;
    }
    trace_ppu_reg_write(s, addr, size, val);
    ppu_drive_lock(s);
    ppu_drive_drain(s);
    ppu_drive_sync_time(s);
    ppu_core_mmio_write(s->core, addr, size, val);
    ppu_drive_unlock(s);
}

static const MemoryRegionOps ppu_bar0_ops = {
    .read = ppu_bar0_read,
    .write = ppu_bar0_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
};

/* --- ports ---------------------------------------------------------------- */

static void ppu_port_irq(void *opaque, unsigned vector)
{
    ppu_irq_raise(opaque, vector);
}

static void ppu_port_trace(void *opaque, const struct ppu_trace_rec *rec)
{
    PPUState *s = opaque;

    ppu_tracefile_put(s->trace, rec);
}

static void ppu_port_workers(void *opaque, void (*fn)(void *, unsigned),
                             void *arg)
{
    PPUState *s = opaque;

    ppu_pool_run(s->pool, fn, arg);
}

static void ppu_port_guest_error(void *opaque, const char *sentence)
{
    qemu_log_mask(LOG_GUEST_ERROR, "ppu: %s\n", sentence);
}

struct ppu_core *ppu_new_core(PPUState *s, Error **errp)
{
    struct ppu_ports ports = {
        .opaque = s,
        .raise_irq = ppu_port_irq,
        .trace = s->trace ? ppu_port_trace : NULL,
        .run_workers = s->pool ? ppu_port_workers : NULL,
        .guest_error = ppu_port_guest_error,
    };
    struct ppu_core *core;
    const char *note;
    char *why = NULL;

    ppu_mem_ports(s, &ports);
    ppu_background_ports(&ports);
    core = ppu_core_create(&s->cfg, &ports, memory_region_get_ram_ptr(&s->vram),
                           &why);
    if (!core) {
        error_setg(errp, "ppu: %s", why ? why : "the device cannot be created");
        free(why);
        return NULL;
    }
    note = ppu_config_engine_note(&s->cfg);
    if (note) {
        warn_report_once(
            "ppu: engine=translate: %s, so programs are interpreted", note);
    }
    return core;
}

/* --- life ----------------------------------------------------------------- */

static bool ppu_choose_clock(PPUState *s, Error **errp)
{
    const char *name = s->clock_name ? s->clock_name : "auto";

    if (!strcmp(name, "auto")) {
        s->virtual_clock = icount_enabled();
    } else if (!strcmp(name, "virtual")) {
        s->virtual_clock = true;
    } else if (!strcmp(name, "thread")) {
        s->virtual_clock = false;
    } else {
        error_setg(errp, "ppu: clock=%s is not one of auto, thread, virtual",
                   name);
        return false;
    }
    return true;
}

static bool ppu_init_bars(PPUState *s, Error **errp)
{
    PCIDevice *pdev = PCI_DEVICE(s);
    Error *err = NULL;

    memory_region_init_io(&s->bar0, OBJECT(s), &ppu_bar0_ops, s, "ppu-regs",
                          ppu_core_bar0_size(&s->cfg));
    pci_register_bar(pdev, PPU_BAR_REGS, PCI_BASE_ADDRESS_MEM_TYPE_64,
                     &s->bar0);

    memory_region_init(&s->bar2, OBJECT(s), "ppu-bar2", pow2ceil(s->cfg.vram));
    memory_region_init_ram(&s->vram, OBJECT(s), "ppu-vram", s->cfg.vram, &err);
    if (err) {
        error_propagate(errp, err);
        return false;
    }
    s->vram_named = true;
    memory_region_add_subregion(&s->bar2, 0, &s->vram);
    pci_register_bar(
        pdev, PPU_BAR_VRAM,
        PCI_BASE_ADDRESS_MEM_TYPE_64 | PCI_BASE_ADDRESS_MEM_PREFETCH, &s->bar2);
    return true;
}

static bool ppu_init_msix(PPUState *s, Error **errp)
{
    PCIDevice *pdev = PCI_DEVICE(s);

    memory_region_init(&s->msix_bar, OBJECT(s), "ppu-msix", 0x1000);
    if (msix_init(pdev, PPU_NUM_VECTORS, &s->msix_bar, PPU_BAR_MSIX, 0,
                  &s->msix_bar, PPU_BAR_MSIX, 0x800, 0, errp)) {
        return false;
    }
    for (int v = 0; v < PPU_NUM_VECTORS; v++) {
        msix_vector_use(pdev, v);
    }
    pci_register_bar(pdev, PPU_BAR_MSIX, PCI_BASE_ADDRESS_SPACE_MEMORY,
                     &s->msix_bar);
    return true;
}

/*
 * Undo what ppu_realize() has done. ppu_drive_init() has been called before.
 */
static void ppu_cleanup(PPUState *s)
{
    PCIDevice *pdev = PCI_DEVICE(s);

    ppu_drive_stop(s);
    ppu_mem_check_later(s, false);
    ppu_mem_listen(s, false); /* until now the thread used the maps */
    ppu_drive_destroy(s);
    if (s->vram_named) {
        /* The RAM goes later (RCU); the next device here has the same name */
        vmstate_unregister_ram(&s->vram, DEVICE(s));
        /* A region in a container holds its owner, which is this device */
        memory_region_del_subregion(&s->bar2, &s->vram);
        s->vram_named = false;
    }
    ppu_power_exit(s);
    if (msix_present(pdev)) {
        msix_unuse_all_vectors(pdev);
        msix_uninit(pdev, &s->msix_bar, &s->msix_bar);
    }
    if (s->core) {
        ppu_core_destroy(s->core);
        s->core = NULL;
    }
    ppu_pool_free(s->pool);
    s->pool = NULL;
    ppu_tracefile_close(s->trace);
    s->trace = NULL;
    free(s->blob);
    s->blob = NULL;
    pcie_aer_exit(pdev); /* does nothing if there is none */
}

/*
 * Advanced error reporting: the device has no errors of its own to report, but
 * pcie_aer_inject_error has, to try drivers. No header log: nothing to migrate
 * but configuration space.
 */
static bool ppu_init_aer(PCIDevice *pdev, Error **errp)
{
    pcie_cap_deverr_init(pdev);
    return pcie_aer_init(pdev, PCI_ERR_VER, PCI_CONFIG_SPACE_SIZE,
                         PCI_ERR_SIZEOF, errp) >= 0;
}

static bool ppu_set_up(PPUState *s, Error **errp)
{
    PCIDevice *pdev = PCI_DEVICE(s);

    if (s->trace_path) {
        s->trace = ppu_tracefile_open(s->trace_path, &s->cfg, errp);
        if (!s->trace) {
            return false;
        }
    }
    if (s->cfg.workers > 1) {
        s->pool = ppu_pool_new(s->cfg.workers - 1);
    }
    if (!ppu_init_bars(s, errp)) {
        return false;
    }
    s->core = ppu_new_core(s, errp);
    if (!s->core) {
        return false;
    }
    if (pcie_endpoint_cap_init(pdev, 0) < 0) {
        error_setg(errp, "ppu: no room for the PCI Express capability");
        return false;
    }
    pcie_cap_flr_init(pdev);
    if (s->aer && !ppu_init_aer(pdev, errp)) {
        return false;
    }
    return ppu_init_msix(s, errp) && ppu_power_init(s, errp);
}

static void ppu_realize(PCIDevice *pdev, Error **errp)
{
    PPUState *s = PPU(pdev);
    char *why = NULL;

    ppu_config_workers(&s->cfg, g_get_num_processors());
    if (ppu_config_check(&s->cfg, &why)) {
        error_setg(errp, "ppu: %s", why ? why : "bad property value");
        free(why);
        return;
    }
    if (!ppu_choose_clock(s, errp)) {
        return;
    }
    if (!ppu_mem_direct(s, errp)) {
        return;
    }
    ppu_drive_init(s);
    if (!ppu_set_up(s, errp)) {
        ppu_cleanup(s);
        return;
    }
    ppu_mem_check_later(s, true);
    ppu_mem_listen(s, true);
    ppu_drive_start(s);
    trace_ppu_realize(s, s->cfg.vram, s->cfg.channels,
                      s->virtual_clock ? "virtual" : "thread");
}

static void ppu_exit(PCIDevice *pdev)
{
    trace_ppu_exit(PPU(pdev));
    ppu_cleanup(PPU(pdev));
}

/* Everything but VRAM and configuration space is as it was at first */
void ppu_forget_state(PPUState *s)
{
    ppu_drive_lock(s);
    bitmap_zero(s->put_dirty, PPU_MAX_CHANNELS);
    bitmap_zero(s->kick_dirty, PPU_MAX_CHANNELS);
    ppu_core_reset(s->core);
    ppu_irq_clear(s);
    ppu_drive_rebase(s);
    ppu_drive_unlock(s);
}

static void ppu_reset(DeviceState *dev)
{
    PPUState *s = PPU(dev);

    trace_ppu_reset(s);
    ppu_forget_state(s);
    ppu_power_reset(s);
}

static void ppu_write_config(PCIDevice *pdev, uint32_t addr, uint32_t val,
                             int len)
{
    pci_default_write_config(pdev, addr, val, len);
    pcie_cap_flr_write_config(pdev, addr, val, len);
    if (pdev->exp.aer_cap) {
        pcie_aer_write_config(pdev, addr, val, len);
    }
    ppu_power_written(PPU(pdev));
}

/*
 * --- counters as QOM properties: qom-get /machine/... counter-doorbells --
 */

static void ppu_get_counter(Object *obj, Visitor *v, const char *name,
                            void *opaque, Error **errp)
{
    PPUState *s = PPU(obj);
    uint64_t val = 0;

    if (s->core) {
        ppu_drive_lock(s);
        val = ppu_core_counter(s->core, (uintptr_t)opaque);
        qemu_mutex_unlock(&s->lock);
    }
    visit_type_uint64(v, name, &val, errp);
}

/* The same for the engine's statistics: engine-translations, ... */
static void ppu_get_engine(Object *obj, Visitor *v, const char *name,
                           void *opaque, Error **errp)
{
    PPUState *s = PPU(obj);
    uintptr_t i = (uintptr_t)opaque;
    uint64_t val = 0;

    if (s->core) {
        ppu_drive_lock(s);
        val = i < PPU_ENG_COUNT ? ppu_core_engine_stat(s->core, i)
                                : ppu_core_engine_ns(s->core);
        qemu_mutex_unlock(&s->lock);
    }
    visit_type_uint64(v, name, &val, errp);
}

/* Properties of which some values have names: a number, or such a name. */
static const struct ppu_named {
    const char *name;
    size_t offset;
    uint32_t def;
} ppu_named[] = {
#define PPU_NAMED_u32(c, name, def)
#define PPU_NAMED_u64(c, name, def)
#define PPU_NAMED_size(c, name, def)
#define PPU_NAMED_named(c, name, def) { name, offsetof(PPUState, cfg.c), def },
#define P(c, name, type, def, min, max, doc) PPU_NAMED_##type(c, name, def)
    PPU_PROPS(P)
#undef P
};

static uint32_t *ppu_named_value(Object *obj, const struct ppu_named *named)
{
    return (void *)((char *)PPU(obj) + named->offset);
}

static void ppu_get_named(Object *obj, Visitor *v, const char *name,
                          void *opaque, Error **errp)
{
    visit_type_uint32(v, name, ppu_named_value(obj, opaque), errp);
}

/*
 * A visitor of JSON gives an option once, and may have a number or a string.
 * That of -global has no types, and gives its string as often as it is asked.
 */
static char *ppu_number_or_name(Visitor *v, const char *name, Error **errp)
{
    GenericAlternate *alt = NULL;
    bool number = false;
    uint32_t val;
    char *text = NULL;

    if (v->start_alternate) {
        if (!visit_start_alternate(v, name, &alt, sizeof(*alt), errp)) {
            return NULL;
        }
        number = alt->type == QTYPE_QNUM;
    }
    if (!number) {
        visit_type_str(v, name, &text, errp);
    } else if (visit_type_uint32(v, name, &val, errp)) {
        text = g_strdup_printf("%u", val);
    }
    if (v->start_alternate) {
        visit_end_alternate(v, (void **)&alt);
        g_free(alt);
    }
    return text;
}

static void ppu_set_named(Object *obj, Visitor *v, const char *name,
                          void *opaque, Error **errp)
{
    const struct ppu_named *named = opaque;
    g_autofree char *text = NULL;
    char *why = NULL;

    if (DEVICE(obj)->realized) {
        error_setg(errp, "ppu: property %s cannot change any more", name);
        return;
    }
    text = ppu_number_or_name(v, name, errp);
    if (text && ppu_config_set(&PPU(obj)->cfg, named->name, text, &why)) {
        error_setg(errp, "ppu: %s", why ? why : "bad property value");
        free(why);
    }
}

/* x-NAME was once NAME, which still works */
static void ppu_add_old_names(Object *obj)
{
    static const char *const names[] = {
#define P(c, name, type, def, min, max, doc) name,
        PPU_PROPS(P)
#undef P
    };

    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        if (g_str_has_prefix(names[i], "x-")) {
            object_property_add_alias(obj, names[i] + 2, obj, names[i]);
        }
    }
}

static void ppu_instance_init(Object *obj)
{
    static const char *const stats[] = {
#define S(name, text, doc) "engine-" text,
        PPU_ENGINE_STATS(S)
#undef S
        "engine-host_ns"
    };
    static const char *const names[] = {
#define C(name, text, doc) [PPU_CTR_##name] = "counter-" text,
        PPU_COUNTERS(C)
#undef C
    };

    PCI_DEVICE(obj)->cap_present |= QEMU_PCI_CAP_EXPRESS;
    ppu_add_old_names(obj);
    for (unsigned i = 0; i < PPU_CTR_COUNT; i++) {
        object_property_add(obj, names[i], "uint64", ppu_get_counter, NULL,
                            NULL, (void *)(uintptr_t)i);
    }
    for (unsigned i = 0; i < ARRAY_SIZE(ppu_named); i++) {
        *ppu_named_value(obj, &ppu_named[i]) = ppu_named[i].def;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(stats); i++) {
        object_property_add(obj, stats[i], "uint64", ppu_get_engine, NULL, NULL,
                            (void *)(uintptr_t)i);
    }
}

#define PPU_QPROP_u32(c, name, def) \
    DEFINE_PROP_UINT32(name, PPUState, cfg.c, def),
#define PPU_QPROP_named(c, name, def) /* ppu_set_named() */
#define PPU_QPROP_u64(c, name, def) \
    DEFINE_PROP_UINT64(name, PPUState, cfg.c, def),
#define PPU_QPROP_size(c, name, def) \
    DEFINE_PROP_SIZE(name, PPUState, cfg.c, def),

PPU_PROPERTY_LIST ppu_properties[] = {
#define P(c, name, type, def, min, max, doc) PPU_QPROP_##type(c, name, def)
    PPU_PROPS(P)
#undef P
        DEFINE_PROP_STRING("trace-file", PPUState, trace_path),
    DEFINE_PROP_STRING("clock", PPUState, clock_name),
    DEFINE_PROP_BOOL("aer", PPUState, aer, false),
    DEFINE_PROP_BOOL("pm", PPUState, pm, false), PPU_PROPERTY_END
};

static void ppu_class_init(ObjectClass *klass, PPU_CLASS_DATA *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    PCIDeviceClass *k = PCI_DEVICE_CLASS(klass);

    k->realize = ppu_realize;
    k->exit = ppu_exit;
    k->config_write = ppu_write_config;
    k->vendor_id = PPU_PCI_VENDOR_ID;
    k->device_id = PPU_PCI_DEVICE_ID;
    k->revision = PPU_PCI_REVISION;
    k->class_id = PPU_PCI_CLASS;
    for (unsigned i = 0; i < ARRAY_SIZE(ppu_named); i++) {
        object_class_property_add(klass, ppu_named[i].name, "uint32 or name",
                                  ppu_get_named, ppu_set_named, NULL,
                                  (void *)&ppu_named[i]);
    }
    dc->desc = "PPU, a GPU that can be opened";
    dc->vmsd = &vmstate_ppu;
    device_class_set_legacy_reset(dc, ppu_reset);
    device_class_set_props(dc, ppu_properties);
    set_bit(DEVICE_CATEGORY_DISPLAY, dc->categories);
}

static const InterfaceInfo ppu_interfaces[] = { { INTERFACE_PCIE_DEVICE }, {} };

static const TypeInfo ppu_type = {
    .name = TYPE_PPU,
    .parent = TYPE_PCI_DEVICE,
    .instance_size = sizeof(PPUState),
    .instance_init = ppu_instance_init,
    .class_init = ppu_class_init,
    .interfaces = (InterfaceInfo *)ppu_interfaces,
};

static void ppu_register_types(void)
{
    type_register_static(&ppu_type);
}
type_init(ppu_register_types)
