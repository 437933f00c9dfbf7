# SPDX-License-Identifier: MIT
"""Lab 0: the device from user space.

The machine's device gets other properties in each run, so a program can only learn the right answers from the
registers. The grader's program in the guest (exercise.c) calls the student's functions one by one and reports what
it saw; counters and the log of guest errors come from QEMU."""

import os
import random
import signal

from ppulab import Lab
from ppulab.say import name_of

NEEDS = []                      # of the build: this lab needs nothing but the virtual machine

lab = Lab(0, "Registers from user space", page="00-registers.md", kind="program", student=["regs.c"])
lab.exercise("exercise.c")
lab.program("show", "show.c")   # for the student to look at the device; includes regs.c
lab.skeleton_points = 0

dice = random.Random(os.environ.get("LAB_SEED"))        # None: another number each time
PROPS = {
    "channels": dice.choice([7, 48, 100, 333, 1000]),
    "copy-engines": dice.randint(3, 9),
    "gpcs": dice.randint(2, 9),
    "sms-per-gpc": dice.randint(2, 9),
    "warps-per-sm": dice.choice([8, 16, 32, 48]),
    "watches": dice.randint(100, 900),
}
VRAM_MB = dice.choice([24, 40, 72, 136])                # never a power of two: the BAR is larger
lab.scenario("registers", cmd=["exercise", str(dice.getrandbits(30))], props=PROPS, vram="%dM" % VRAM_MB)


def one(c, r, name, func):
    """The only observation with this name. There is none if the function did not get so far."""
    for step, number in r.rows("died"):
        if step == name.split("_")[0]:
            how = "did not come back" if number == signal.SIGALRM else "died: %s" % signal.strsignal(number)
            c.require(False, "%s %s." % (func, how))
    found = r.rows(name)
    c.require(found, r.dead or "%s was not tried: what comes before it failed." % func)
    return found[0]


@lab.criterion("find", 10, "ppu_find() finds the PPU among other devices", partial=True)
def find(c, runs):
    r = runs["registers"]
    one(c, r, "find", "ppu_find()")
    for err, right in r.rows("find"):
        c.require(err == 0, "ppu_find() returned %s in a directory of four devices, one of them a PPU." % name_of(err))
        c.require(right, "ppu_find() took another device for the PPU: vendor *and* device must match.")
    c.require(one(c, r, "find_real", "ppu_find()")[0],
              "ppu_find(SYSFS_DEVICES) did not give the path of the PPU's directory.")
    if not one(c, r, "find_none", "ppu_find()")[0]:
        c.lose(4, "Where there is no PPU, ppu_find() must return -ENODEV.")
    if not one(c, r, "find_nowhere", "ppu_find()")[0]:
        c.lose(2, "ppu_find() must return an error when the directory does not exist.")
    if one(c, r, "find_left", "ppu_find()")[0] > 0:
        c.lose(3, "ppu_find() leaves files open (closedir): a hundred calls more, and it would fail.")


@lab.criterion("identify", 5, "ppu_identify() knows what it can drive", partial=True)
def identify(c, runs):
    r = runs["registers"]
    real = one(c, r, "identify_real", "ppu_identify()")
    c.require(one(c, r, "identify", "ppu_identify()") == [0] + real,
              "ppu_identify() must say 0 and version %d.%d for this device." % tuple(real))
    if not one(c, r, "identify_other", "ppu_identify()")[0]:
        c.lose(2, "ppu_identify() must return -ENODEV when ID is not the PPU's.")
    if not one(c, r, "identify_new", "ppu_identify()")[0]:
        c.lose(2, "ppu_identify() must return -ENOTSUP for major version 2: the registers may be different there.")
    if one(c, r, "identify_minor", "ppu_identify()") != [0, 1, 0x203]:
        c.lose(2, "Version 0x00010203 is major 1, minor 0x203 (VERSION is major << 16 | minor).")


@lab.criterion("open", 10, "ppu_open() maps both BARs", partial=True)
def opened(c, runs):
    r = runs["registers"]
    err = one(c, r, "open", "ppu_open()")[0]
    c.require(err == 0, "ppu_open() returned %s where there is a PPU." % name_of(err))
    if not one(c, r, "open_sizes", "ppu_open()")[0]:
        c.lose(4, "ppu_open() must map the whole of a BAR, and say how large it is: the size of the resource file.")
    if not one(c, r, "open_shared", "ppu_open()")[0]:
        c.lose(5, "Stores to the mapping do not reach the device: use MAP_SHARED.")
    if not one(c, r, "open_enable", "ppu_open()")[0]:
        c.lose(3, "ppu_open() did not write 1 to the file enable.")
    real, bars = one(c, r, "open_real", "ppu_open()"), one(c, r, "bars", "ppu_open()")
    c.require(real[0] == 0, "ppu_open(SYSFS_DEVICES) returned %s." % name_of(real[0]))
    if real[1:] != bars:
        c.lose(4, "The real device has BARs of %d and %d bytes; ppu_open() says %d and %d." % (*bars, *real[1:]))


@lab.criterion("unwind", 10, "ppu_open() leaves nothing behind when it fails", partial=True)
def unwind(c, runs):
    r = runs["registers"]
    why = {"notppu": "ID says it is no PPU", "nobar2": "BAR2 cannot be opened", "noenable": "it cannot be enabled"}
    c.require(one(c, r, "open", "ppu_open()")[0] == 0,
              "ppu_open() does not work yet, so there is no failure half-way to look at.")
    one(c, r, "unwind", "ppu_open()")
    # What ppu_find() leaves open costs points in its own criterion, and not here again: one file in each of ten calls.
    found = 10 if r.rows("find_left") and r.rows("find_left")[0][0] > 0 else 0
    for name, err, maps, files in r.rows("unwind"):
        if err >= 0:
            c.lose(4, "ppu_open() must fail when %s." % why[name])
        if maps > 0:
            c.lose(5, "When %s, ppu_open() leaves BARs mapped." % why[name])
        if files > found:
            c.lose(5, "When %s, ppu_open() leaves files open." % why[name])


@lab.criterion("scratch", 5, "SCRATCH is read and written", partial=True)
def scratch(c, runs):
    read, written = one(c, runs["registers"], "scratch", "ppu_scratch_swap()")
    c.require(read, "ppu_scratch_swap() must return what was in SCRATCH before.")
    c.require(written, "ppu_scratch_swap() must leave the new value in SCRATCH.")


@lab.criterion("capabilities", 10, "What ppu_read_caps() says is what the machine was given", partial=True)
def caps(c, runs):
    got = one(c, runs["registers"], "caps", "ppu_read_caps()")
    c.require(any(got), "ppu_read_caps() says that there is nothing.")
    sms = PROPS["gpcs"] * PROPS["sms-per-gpc"]
    want = [("channels", PROPS["channels"]), ("copy_engines", PROPS["copy-engines"]), ("sms", sms),
            ("threads", sms * PROPS["warps-per-sm"] * 32), ("vram_bytes", VRAM_MB << 20), ("device_queues", 1)]
    for (name, value), said in zip(want, got):
        if said != value:
            c.lose(3, "This device has %s = %d; ppu_read_caps() says %d." % (name, value, said))


@lab.criterion("time", 10, "64 bits from two registers", partial=True)
def time(c, runs):
    r = runs["registers"]
    c.require(one(c, r, "time", "ppu_time()")[0],
              "ppu_time() is not between what the grader read before and after: ns, TIME_LO and TIME_HI.")
    c.require(one(c, r, "time_border", "ppu_time()")[0],
              "When the low word had run over, ppu_time() went back by 4.3 s: reading LO keeps HI for the next read, "
              "so LO comes first.")


@lab.criterion("channel registers", 5, "ppu_set_ring() finds the channel and writes a pair", partial=True)
def ring(c, runs):
    r = runs["registers"]
    one(c, r, "ring", "ppu_set_ring()")
    c.require(any(va or entries for _, va, entries in r.rows("ring")),
              "ppu_set_ring() wrote nothing, or to another place: element %d of the array at 0x080000, 0x80 bytes "
              "each, does not have the values of channel %d." % (r.rows("ring")[0][0], r.rows("ring")[0][0]))
    for channel, va, entries in r.rows("ring"):
        if not va:
            c.lose(2, "CH_RING_LO, CH_RING_HI of channel %d do not have the address: element %d of the array at "
                      "0x080000, 0x80 bytes each." % (channel, channel))
        if not entries:
            c.lose(2, "CH_RING_ENTRIES of channel %d is not what was given." % channel)
    if one(c, r, "ring_none", "ppu_set_ring()")[0]:
        c.lose(2, "ppu_set_ring() wrote registers for a channel that this device does not have.")


@lab.criterion("counter", 5, "A debug counter is read", partial=True)
def counter(c, runs):
    r = runs["registers"]
    got, want = one(c, r, "counter", "ppu_counter()")
    c.require(got == want, "The device sent %d interrupt messages; by ppu_counter() it was %d." % (want, got))
    end = one(c, r, "counter_end", "ppu_counter()")[0]
    c.require(end == r.counters["interrupts"],
              "QEMU says that the device sent %d messages in all, ppu_counter() %d." % (r.counters["interrupts"], end))


@lab.criterion("measure", 5, "Counting accesses without counting one's own", partial=True)
def measure(c, runs):
    r = runs["registers"]
    one(c, r, "reads", "ppu_reads_made()")
    c.require(any(got for got, _ in r.rows("reads")), "ppu_reads_made() always says 0.")
    for got, want in r.rows("reads"):
        c.require(got == want, "ppu_reads_made() says %d for something that made %d register reads%s." %
                  (got, want, ": it counts its own" if got > want else ""))


@lab.criterion("interrupt causes", 10, "ppu_intr_take() clears what it takes, and nothing else", partial=True)
def intr(c, runs):
    r = runs["registers"]
    one(c, r, "intr", "ppu_intr_take()")
    c.require(any(taken for _, _, taken, _ in r.rows("intr")), "ppu_intr_take() took nothing.")
    for pending, mask, taken, left in r.rows("intr"):
        case = "With 0x%x pending, ppu_intr_take(0x%x)" % (pending, mask)
        if taken != pending & mask:
            c.lose(5, "%s must return 0x%x, and returned 0x%x." % (case, pending & mask, taken))
        if left & mask & pending:
            c.lose(5, "%s left 0x%x pending." % (case, left & mask))
        if left & ~mask != pending & ~mask:
            c.lose(10, "%s cleared causes that are not in the mask (0x%x): writing 1 clears, so a bit that is to stay "
                       "must be written as 0." % (case, pending & ~mask & ~left))


@lab.criterion("VRAM", 10, "ppu_vram_check() tells good memory from bad", partial=True)
def vram(c, runs):
    r = runs["registers"]
    good = one(c, r, "vram_good", "ppu_vram_check()")[0]
    c.require(good == -1, "ppu_vram_check() must return -1 for memory that is good; it returned %d." % good)
    if not one(c, r, "vram_alias", "ppu_vram_check()")[0]:
        c.lose(5, "Two pages of the memory were one and the same, and ppu_vram_check() did not notice: write "
                  "everything, each word with a value of its own, before reading.")
    bad, guards, same = one(c, r, "vram_real", "ppu_vram_check()")
    if bad != -1:
        c.lose(5, "ppu_vram_check() finds fault with the device's VRAM at 0x%x." % bad)
    if not guards:
        c.lose(5, "ppu_vram_check() wrote outside of the range that it was given.")
    if same > 16:
        c.lose(5, "%d words of the range in VRAM were never written." % same)
    if one(c, r, "vram_end", "ppu_vram_check()")[0] != -1:
        c.lose(3, "ppu_vram_check() finds fault with the last 64 KiB of the VRAM.")


@lab.criterion("clean accesses", 5, "Only aligned accesses of 4 or 8 bytes, to registers that there are")
def clean(c, runs):
    r = runs["registers"]
    good = sum(row[0] for name in ("scratch", "time") for row in r.rows(name))
    good += any(r.rows("caps") and r.rows("caps")[0])
    c.require(good, "There are no register accesses to look at yet: ppu_scratch_swap(), ppu_read_caps() and ppu_time() "
                    "do nothing.")
    for line in r.errors:
        c.require(False, "QEMU's log of guest errors has: %s. Registers take aligned accesses of 4 or 8 bytes only; "
                         "volatile uint32_t is such an access." % line.strip())
