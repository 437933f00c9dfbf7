# SPDX-License-Identifier: MIT
"""Lab 1: the PCI function. Probe, remove, and every way in which probe can fail."""

import errno
import os
import random

from ppulab import Lab

lab = Lab(1, "PCI probe and remove", page="01-probe.md", student=["lab_pci.c"])
lab.exercise("exercise.c")
# The bare skeleton refuses every device. That is right for those that must be refused, and it leaves nothing behind.
lab.skeleton_points = 10

dice = random.Random(os.environ.get("LAB_SEED"))        # None: another number each time
CHANNELS, VRAM_MB = dice.choice([48, 100, 333, 1000]), dice.choice([24, 40, 72, 136])
# Newer than any header of this project: a driver that wants its own header's minor version must be noticed.
MINOR = dice.randint(100, 999)
SIZES = {"channels": CHANNELS}
NEWER = dict(SIZES, **{"x-fault-version": 0x10000 | MINOR})
READY = 0x4c414221

lab.scenario("life", cmd=["exercise", "life"])
lab.scenario("sizes", cmd=["exercise", "identity"], props=NEWER, vram="%dM" % VRAM_MB)
lab.scenario("other", cmd=["exercise", "identity"], props={"x-fault-id": 0xffffffff})
lab.scenario("version", cmd=["exercise", "identity"], props={"x-fault-version": 0x20000 | MINOR})


def name_of(number):
    return errno.errorcode.get(number, str(number))


def need_bound(c, r):
    """Most criteria look at a device that has its driver."""
    bound = r.obs["bound"][0]
    c.require(bound, "probe() did not take the device" +
              ("" if bound else ": it returned -%s." % name_of(r.obs["error"][0])))


@lab.criterion("probe", 10, "probe() takes the device", runs=["life"], partial=True)
def probe(c, runs):
    r = runs["life"]
    need_bound(c, r)
    c.require(r.obs["state"][0] == READY, "SCRATCH does not hold LAB_SCRATCH_READY after probe() but 0x%x."
              % r.obs["state"][0])


@lab.criterion("configuration space", 10, "Memory decoding and bus mastering are on", runs=["life"], partial=True)
def command(c, runs):
    need_bound(c, runs["life"])
    memory, master = runs["life"].obs["command"]
    if not memory:
        c.lose(5, "Memory decoding is off in COMMAND while the driver has the device: pci_enable_device_mem() "
                  "switches it on.")
    if not master:
        c.lose(5, "Bus mastering is off in COMMAND while the driver has the device: without pci_set_master() it "
                  "can do no DMA and send no MSI-X message.")


@lab.criterion("DMA mask", 10, "The kernel knows which addresses the device can reach", runs=["life"], partial=True)
def dma_mask(c, runs):
    need_bound(c, runs["life"])
    streaming, coherent = runs["life"].obs["dma"]
    c.require((streaming, coherent) != (32, 32), "The DMA masks still have the default, 32 bits: memory above 4 GiB "
                                                 "would be bounced or refused.")
    for what, bits in (("streaming", streaming), ("coherent", coherent)):
        if not 48 <= bits <= 52:        # an entry of the page tables has 52
            c.lose(5, "The %s DMA mask has %d bits; 48 are wanted, and the device can do no more than 52." % (what, bits))


@lab.criterion("regions", 10, "The BARs are the driver's, as /proc/iomem shows", runs=["life"], partial=True)
def regions(c, runs):
    need_bound(c, runs["life"])
    for bar, own in zip((0, 2), runs["life"].obs["regions"]):
        if not own:
            c.lose(5, "No region \"lab\" begins at BAR%d in /proc/iomem: pci_request_regions() under the name "
                      "KBUILD_MODNAME keeps others away." % bar)


def refused(c, r, points, what):
    """The device of this run must not be taken."""
    bound, err = r.obs["bound"]
    if bound:
        c.lose(points, "probe() took %s." % what)
    elif err != errno.ENODEV:
        c.lose(points // 2, "probe() refused %s with -%s; it should be -ENODEV." % (what, name_of(err)))
    # The same mistake for each device: it costs points once.
    held = r.rows("gone.held")
    if held and not any("and kept what" in s for _, s in c.lost):
        c.lose(points - points // 2, "probe() refused %s and kept what %s() at %s had got." % (what, *held[0]))


def kept_by_remove(c, r):
    """What remove() keeps is in the way of the probes after it. Their criterion says so."""
    for function, where in r.rows("removed.held")[:1]:
        c.lose(0, "That is because remove() had kept what %s() at %s had got." % (function, where))


@lab.criterion("identity", 15, "A device that is no PPU, or has another major version, is refused",
               runs=["other", "version", "sizes"], partial=True)
def identity(c, runs):
    refused(c, runs["other"], 5, "a device whose ID reads 0xffffffff")
    refused(c, runs["version"], 5, "a device of version 2.%d" % MINOR)
    if not runs["sizes"].obs["bound"][0]:
        c.lose(5, "probe() did not take a device of version 1.%d: only another major version is a stranger." % MINOR)


@lab.criterion("sizes", 5, "The kernel's log says what was found", runs=["sizes"], partial=True)
def sizes(c, runs):
    r = runs["sizes"]
    c.require(r.obs["bound"][0], "probe() did not take the device of version 1.%d." % MINOR)
    said = " ".join(str(w) for w in r.obs["log"])
    want = "PPU version 1.%d, %d MiB of VRAM, %d channels" % (MINOR, VRAM_MB, CHANNELS)
    c.require(said == want, "The kernel's log should say \"%s\", it says \"%s\"." % (want, said or "nothing"))


@lab.criterion("reset", 5, "The state in which the device was left before is gone", runs=["life"], partial=True)
def reset(c, runs):
    need_bound(c, runs["life"])
    _, status, sched = runs["life"].obs["state"]
    c.require(not status and not sched, "After probe() INTR_STATUS is 0x%x and SCHED_CTRL 0x%x, as they were left "
                                        "before: RESET makes the device new." % (status, sched))


def quiet(c, row, when, points):
    master, enable, scratch, owned = row
    for bad, what in ((master, "bus mastering is still on"), (enable, "INTR_ENABLE is 0x%x" % enable),
                      (scratch, "SCRATCH is 0x%x, so the device was not reset" % scratch),
                      (owned, "/proc/iomem still has regions of lab")):
        if bad:
            c.lose(points, "%s, %s." % (when, what))


def given_back(c, r, prefix, when, points):
    for function, where in r.rows(prefix + ".held"):
        c.lose(points, "%s, what %s() at %s got has not been given back." % (when, function, where))
    for where, *text in r.rows(prefix + ".bad"):
        c.lose(points, "%s, something was given back wrongly: %s, at %s." % (when, " ".join(map(str, text)), where))


def complaints(c, r, points):
    """The kernel's complaints cost points once: where the first one came; if nobody knows where, in remove()."""
    first = next((when for when, number in r.rows("complained") if number), None if r.dead else "remove")
    if r.complaints and first == c.name:
        c.lose(points, "The kernel complains: %s" % r.complaints[0].strip())


@lab.criterion("remove", 15, "remove() leaves the device quiet and gives everything back", runs=["life"], partial=True)
def remove(c, runs):
    r = runs["life"]
    need_bound(c, r)
    quiet(c, r.obs["removed.quiet"], "After remove()", 5)
    given_back(c, r, "removed", "After remove()", 5)
    complaints(c, r, 5)


# The error of each function when the witness makes the function fail. Probe must pass the error on, not replace it.
ERRORS = {"pci_enable_device_mem": errno.ENOMEM, "pci_enable_device": errno.ENOMEM, "pcim_enable_device": errno.ENOMEM,
          "pci_request_regions": errno.EBUSY, "pci_request_mem_regions": errno.EBUSY, "pci_request_region": errno.EBUSY,
          "pci_request_selected_regions": errno.EBUSY, "pcim_iomap_regions": errno.ENOMEM,
          "dma_set_mask_and_coherent": errno.EIO}


@lab.criterion("unwinding", 15, "Whatever fails in probe(), nothing is left and the next probe() works",
               runs=["life"], partial=True)
def unwinding(c, runs):
    r = runs["life"]
    need_bound(c, r)
    if not r.rows("failure"):
        c.fail(r.dead or "No acquisition of probe() could be made to fail.")
        kept_by_remove(c, r)
        return
    for function, where, err, bound in r.rows("failure"):
        what = "%s() at %s" % (function, where)
        if bound or not err:
            c.lose(8, "probe() went on though %s had failed." % what)
        elif ERRORS.get(function, err) != err:
            c.lose(3, "%s failed with -%s, probe() returned -%s: the reason is lost."
                   % (what, name_of(ERRORS[function]), name_of(err)))
    for function, where, kept, at in r.rows("leak"):
        c.lose(5, "When %s() at %s failed, what %s() at %s had got was kept." % (function, where, kept, at))
    for row in r.rows("failed.quiet"):
        quiet(c, row, "After a probe() that failed", 5)
    for where, *text in r.rows("failed.bad"):
        c.lose(5, "When probe() failed, it gave back what it did not have: %s, at %s."
               % (" ".join(map(str, text)), where))
    for function, where, err in r.rows("next"):
        if err:
            c.lose(8, "After %s() at %s had failed once, the next probe() returned -%s."
                   % (function, where, name_of(err)))
    r.obs["failures"]
    if not r.rows("failed.bad"):
        complaints(c, r, 5)


@lab.criterion("again", 5, "Bound and unbound 20 times, pulled out, reloaded", runs=["life"], partial=True)
def again(c, runs):
    r = runs["life"]
    need_bound(c, r)
    times, err = r.obs["again"]
    if err:
        c.fail("Bound once more, for the %d. time, probe() failed with -%s." % (times + 1, name_of(err)))
        kept_by_remove(c, r)
        return
    given_back(c, r, "many", "Bound and unbound %d times" % times, 5)
    c.require(not r.obs["pulled"][0], "Taken out of the kernel and found again, the device was not probed.")
    c.require(r.obs["reloaded"][0], "After lab.ko was unloaded and loaded again, the device was not probed.")
    given_back(c, r, "unloaded", "After lab.ko was unloaded", 5)
    complaints(c, r, 5)
