# SPDX-License-Identifier: MIT
"""A second implementation of divergence, written from Documentation/spec/simt.md and Documentation/hw/simt.md.

It runs one warp of a small assembly program and says the same lines as lab 10's `machine`. It shares nothing with the
device: tokens are tuples in a list, lanes are looked at one by one. Row IDs stand where a rule comes from."""

import itertools
import re

MASK32 = 0xffffffff
PC_MAX = (1 << 22) - 1
DATA = 0x100000                         # address of the results, parameter 0
# Types of tokens: the codes are those of a poke and of nothing else here.
TYPES = {1: "sync", 2: "div", 3: "call", 4: "yield", 5: "brk", 6: "cont", 7: "exit"}
TRACKED = {"sync": 1, "div": 2, "call": 4, "yield": 8}                                  # SIMT-24
PUSHES = {"ssy": "sync", "pbrk": "brk", "pcnt": "cont", "pexit": "exit"}
DISABLES = {"sync": "sync", "brk": "brk", "cont": "cont"}
COMPARE = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
}
ARITHMETIC = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b, "or": lambda a, b: a | b, "shl": lambda a, b: a << b,
}


class Fault(Exception):
    pass


class Again(Exception):
    """The driver has moved the tokens: the warp executes the instruction again."""


class Token:
    """type, mask, address, nibble of tracking bits; bad: the device must refuse it."""

    def __init__(self, kind, mask, addr, below=0):
        self.kind, self.mask, self.addr, self.below, self.bad = kind, mask, addr, below, False

    def __str__(self):
        return "%s %x %u/%x" % (self.kind, self.mask, self.addr, self.below)


class Lane:
    def __init__(self, number):
        self.number, self.bit = number, 1 << number
        self.regs, self.preds = {}, {}
        self.why = None                 # (reason, address) while the lane is disabled (SIMT-15); "ended" for good
        self.count = 0                  # YIELDs that did not switch (SIMT-46, A-SIMT-19)
        self.arrived = None             # member mask of the WARPSYNC at which the lane has arrived
        self.released = False           # ... which is complete
        self.asleep = False             # the lane looked, and nothing has changed since

    def get(self, name):
        if re.fullmatch(r"-?(0x[0-9a-f]+|\d+)", name):
            return int(name, 0) & MASK32
        if name == "rz":
            return 0
        if name.startswith("rd"):
            n = int(name[2:])
            return self.regs.get(n, 0) | self.regs.get(n + 1, 0) << 32
        return self.regs.get(int(name[1:]), 0)

    def put(self, name, value):
        if name == "rz":
            return
        if name.startswith("rd"):
            n = int(name[2:])
            self.regs[n], self.regs[n + 1] = value & MASK32, value >> 32 & MASK32
        else:
            self.regs[int(name[1:])] = value & MASK32


class Program:
    """The text: code is a list of (guard, name, operands); directives as machine.c has them."""

    def __init__(self, text):
        self.code, self.labels, self.props, self.pokes = [], {}, {}, []
        self.threads, self.events, self.words = 32, 300, None
        for line in text.split("\n"):
            self._directive(line)
            line = line.partition("//")[0].strip()
            m = re.match(r"(\w+):\s*(.*)", line)
            if m:
                self.labels[m.group(1)] = len(self.code)
                line = m.group(2)
            m = re.match(r"(?:@(!?p\d)\s+)?([\w.]+)\s*(.*)", line)
            if m:
                self.code.append((m.group(1), m.group(2), [o.strip() for o in m.group(3).split(",") if o.strip()]))
        if self.words is None:
            self.words = self.threads

    def _directive(self, line):
        w = line.split()
        if not w or w[0] != "//!":
            return
        if w[1] in ("threads", "events", "words"):
            setattr(self, w[1], int(w[2]))
        elif w[1] == "prop":
            self.props[w[2]] = int(w[3])
        elif w[1] == "poke":
            self.pokes.append((int(w[3]), int(w[4], 16)))


class Queue:
    """The tokens, oldest end first: tokens[0] lies at entry tail + 1 (SIMT-30 to SIMT-33)."""

    def __init__(self, size):
        self.size, self.tokens = size, []
        self.head, self.tail = size // 2, size // 2 - 1

    def __len__(self):
        return len(self.tokens)

    def front(self):
        return self.tokens[-1]

    def room(self, front, need):
        return self.head + need <= self.size if front else self.tail + 1 >= need

    def recentre(self, front, need):
        """SIMT-53; where the middle leaves too little room at the side of the push, just far enough from there."""
        n = len(self.tokens)
        first = (self.size - n) // 2
        first = min(first, self.size - n - need) if front else max(first, need)
        self.tail, self.head = first - 1, first + n

    def push_front(self, token):
        if self.tokens:                                                                 # SIMT-25
            token.below = self.front().below | TRACKED.get(self.front().kind, 0)
        self.tokens.append(token)
        self.head += 1

    def push_back(self, token):
        for t in self.tokens:                                                           # SIMT-27
            t.below |= TRACKED["yield"]
        self.tokens.insert(0, token)
        self.tail -= 1

    def pop(self):
        self.head -= 1
        return self.tokens.pop()

    def find(self, kind, addr, mask):
        """The corresponding token (A-SIMT-8); addr None: any, the nearest to the front."""
        for t in reversed(self.tokens):
            if t.kind == kind and (addr is None or t.addr == addr) and mask & ~t.mask == 0:
                return t
        return None


class Warp:
    def __init__(self, program):
        self.p = program
        prop = program.props.get
        self.branch_first, self.merge = prop("branch-first", 0), prop("yield-merge", 1)
        self.every = prop("yield-every", 1)
        self.q = Queue(prop("token-queue-entries", 256))
        self.lanes = [Lane(i) for i in range(program.threads)]                          # SIMT-1
        self.all = (1 << program.threads) - 1
        self.active, self.pc = self.all, 0
        self.memory, self.log, self.num_events, self.retried = {}, [], 0, False
        self.divergent = self.yields = self.recentres = self.instructions = 0
        self.end = None

    # ---- what it says

    def say(self, text, pc=None):
        self.num_events += 1
        if self.num_events <= self.p.events or text.startswith("recentre"):
            self.log.append("%4u: %s" % (self.pc if pc is None else pc, text))

    def at(self):
        return "h=%d t=%d" % (self.q.head, self.q.tail)

    def mask_lanes(self, mask):
        return [l for l in self.lanes if mask & l.bit]

    # ---- tokens

    def make_room(self, front, need=1):
        """For all tokens that one instruction pushes."""
        if self.q.room(front, need):
            return
        if len(self.q) + need > self.q.size:                                            # SIMT-55
            raise Fault("TOKQ_OVERFLOW")
        if self.p.props.get("token-queue-driver") and not self.retried:
            # The driver knows no side: it takes the middle. If that is not enough, the device moves them.
            self.retried = True
            self.recentre(front, 0)
            raise Again
        self.recentre(front, need)

    def recentre(self, front, need):
        before = self.at()
        self.q.recentre(front, need)
        self.recentres += 1
        self.say("recentre %u %s -> %s" % (len(self.q), before, self.at()))

    def push(self, kind, mask, addr):
        self.make_room(True)
        token = Token(kind, mask, addr)
        self.q.push_front(token)
        self.say("push %s @%d %s" % (token, self.q.head - 1, self.at()))

    def check(self, token):
        if token.bad or not token.mask or token.mask & ~self.all or token.addr >= len(self.p.code):
            raise Fault("TOKQ_CORRUPT")

    def waiting(self, token):
        """SIMT-62, SIMT-63."""
        return sum(l.bit for l in self.mask_lanes(token.mask) if l.why == (token.kind, token.addr))

    def disable(self, mask, kind, addr, of=None):
        """addr may be a function of the lane."""
        for l in self.mask_lanes(mask):
            l.why = (kind, addr(l) if callable(addr) else addr)
        self.active &= ~mask
        self.say("disable %s %x left=%x" % (kind if of is None else of, mask, self.active))

    def resume(self):
        """Steps f and g, after an instruction that disabled lanes (SIMT-61 to SIMT-63)."""
        if self.active:
            self.pc += 1
            return
        if self.all_parked():
            self.pc = next(l.why[1] for l in self.lanes if l.arrived is not None)       # of the lowest lane that waits
            raise Fault("DEADLOCK")
        while len(self.q):
            token = self.q.front()
            self.check(token)
            lanes = self.waiting(token)
            self.q.pop()
            if not lanes:
                self.say("discard %s %s" % (token, self.at()))                          # SIMT-38
                continue
            self.active, self.pc = lanes, token.addr
            count = max(l.count for l in self.mask_lanes(lanes))                        # A-SIMT-19
            for l in self.mask_lanes(lanes):
                l.why, l.count = None, count
            self.say("pop %s -> %x %s" % (token, lanes, self.at()))
            return
        if any(l.why != "ended" for l in self.lanes):
            raise Fault("TOKQ_CORRUPT")
        self.end = "done"

    # ---- branches

    def split(self, groups, first, last=None):
        """groups: {target: mask}; all but the first wait behind a divergence token (SIMT-5, SIMT-18)."""
        order = sorted((g for g in groups if g != first), key=lambda g: (g == last, groups[g] & -groups[g]), reverse=True)
        of = self.active
        self.make_room(True, len(order))
        for target in order:
            for l in self.mask_lanes(groups[target]):
                l.why = ("div", target)
            self.push("div", groups[target], target)
        self.active = groups[first]
        if len(groups) > 1:
            self.divergent += 1
            self.say("branch %u %x of %x" % (first, groups[first], of))
        self.pc = first

    def legal(self, *targets):
        if any(t >= len(self.p.code) for t in targets):
            raise Fault("BAD_PC")

    def branch(self, taken, target):
        self.legal(target)
        groups = {}
        for mask, where in ((taken, target), (self.active & ~taken, self.pc + 1)):
            if mask:
                groups[where] = groups.get(where, 0) | mask
        choice = target if self.branch_first else self.pc + 1                           # SIMT-6
        self.split(groups, choice if choice in groups else next(iter(groups)))

    def indirect(self, mask, target_of):
        groups = {}
        for l in self.mask_lanes(mask):
            groups[target_of(l)] = groups.get(target_of(l), 0) | l.bit
        self.legal(*groups)
        if self.active & ~mask:
            groups[self.pc + 1] = groups.get(self.pc + 1, 0) | self.active & ~mask
        self.split(groups, self.first_of(groups, mask), last=self.pc + 1 if self.active & ~mask else None)

    def first_of(self, groups, mask):
        """Groups run in the order of their lowest lanes; lanes that do not take part go on before, or after (SIMT-6)."""
        if self.active & ~mask and not self.branch_first:
            return self.pc + 1
        return min((g for g in groups if groups[g] & mask), key=lambda g: groups[g] & -groups[g])

    def discard_stale(self):
        """SIMT-50 as A-SIMT-7 reads it."""
        while len(self.q):
            token = self.q.front()
            self.check(token)
            if token.kind == "yield" or self.waiting(token):
                return
            self.q.pop()
            self.say("discard %s %s" % (token, self.at()))

    # ---- instructions that disable

    def sync(self, mask, kind, target):
        self.legal(target)
        if self.q.find(kind, target, mask):
            self.disable(mask, kind, target)
            self.resume()
            return
        if mask == self.active:
            self.discard_stale()
        self.say("fallback %u %x" % (target, mask))                                     # SIMT-49, SIMT-51
        self.branch(mask, target)

    def ret(self, mask, reg):
        groups = {}
        for l in self.mask_lanes(mask):
            groups[l.get(reg)] = groups.get(l.get(reg), 0) | l.bit
        waits = {a: m for a, m in groups.items() if self.q.find("call", a, m)}
        stay = sum(waits.values())
        others = mask & ~stay
        self.legal(*groups)
        if others:
            if others == self.active:
                self.discard_stale()
            lowest = next(l for l in self.lanes if others & l.bit)
            self.say("fallback %u %x" % (lowest.get(reg), others))                      # SIMT-64
        if stay:
            self.disable(stay, "call", lambda l: l.get(reg))
        if others:
            self.indirect(others, lambda l: l.get(reg))
        else:
            self.resume()

    def exit(self, mask):
        where = {}
        for l in self.mask_lanes(mask):
            token = self.q.find("exit", None, l.bit)
            where[l.number] = token.addr if token else None
        self.disable(mask, "exit", lambda l: where[l.number])
        for l in self.mask_lanes(mask):
            if where[l.number] is None:
                l.why = "ended"
        if any(l.why == "ended" for l in self.mask_lanes(mask)):
            for l in self.lanes:
                l.asleep = False        # those that wait look again
        self.resume()

    def wait_behind_all(self, mask, addr, merge):
        """The back push of a YIELD, or of lanes that park (SIMT-36, SIMT-40, A-SIMT-25)."""
        yields = itertools.takewhile(lambda t: t.kind == "yield", self.q.tokens)       # SIMT-33
        same = next((t for t in yields if t.addr == addr), None) if merge else None
        if same:
            same.mask |= mask                                                           # SIMT-41
            self.say("merge %s %s" % (same, self.at()))
        else:
            self.make_room(False)
            token = Token("yield", mask, addr)
            self.q.push_back(token)
            self.say("yield %s @%d %s" % (token, self.q.tail + 1, self.at()))
        self.disable(mask, "yield", addr)

    def do_yield(self, mask):
        group = self.mask_lanes(self.active)
        count = max(l.count for l in group) + 1
        if count < self.every:
            for l in group:
                l.count = count
            self.pc += 1
            return
        self.legal(self.pc + 1)
        self.wait_behind_all(mask, self.pc + 1, self.merge)
        self.yields += 1
        for l in group:
            l.count = 0
        self.resume()

    # ---- WARPSYNC

    def warpsync(self, mask, member):
        for l in self.mask_lanes(mask):
            if not l.released:
                l.arrived = member
        if self.complete(member):
            for l in self.lanes:
                l.released = l.released or l.arrived == member
        # Lanes that are released at this very instruction leave it together.
        here = any(l.released and l.why == ("yield", self.pc) for l in self.lanes if not self.active & l.bit)
        done = sum(l.bit for l in self.mask_lanes(mask) if l.released)
        if not here:
            for l in self.mask_lanes(done):
                l.arrived, l.released, l.asleep = None, False, False
        stay = mask if here else mask & ~done
        if stay:
            for l in self.mask_lanes(stay & ~done):
                l.asleep = True
            self.wait_behind_all(stay, self.pc, True)
            self.resume()
        else:
            self.pc += 1

    def complete(self, member):
        """Members that have ended are not waited for, nor those that the warp does not have."""
        return all(l.arrived == member and not l.released or l.why == "ended" for l in self.lanes if member & l.bit)

    def all_parked(self):
        waiting = [l for l in self.lanes if l.why != "ended"]
        return bool(waiting) and all(l.asleep and not l.released for l in waiting)

    # ---- everything else

    def address(self, lane, operand):
        m = re.fullmatch(r"\[(\w+)(?:\+(\d+))?\]", operand)
        return lane.get(m.group(1)) + int(m.group(2) or 0)

    def compute(self, l, name, o):
        base, _, rest = name.partition(".")
        if base == "mov":
            l.put(o[0], l.get(o[1]))
        elif base in ARITHMETIC:
            l.put(o[0], ARITHMETIC[base](l.get(o[1]), l.get(o[2])))
        elif base == "madw":
            l.put(o[0], l.get(o[1]) * l.get(o[2]) + l.get(o[3]))
        elif base == "setp":
            l.preds[o[0]] = COMPARE[rest.split(".")[0]](l.get(o[1]), l.get(o[2]))
        elif base == "s2r":
            l.put(o[0], {"%tid.x": l.number, "%activemask": self.active}[o[1]])
        elif name.startswith("ld.param"):
            l.put(o[0], DATA)
        elif name == "ld.global.u32":
            l.put(o[0], self.memory.get(self.address(l, o[1]), 0))
        elif name == "st.global.u32":
            self.memory[self.address(l, o[0])] = l.get(o[1])
        elif name.startswith("atom.global."):
            at = self.address(l, o[1])
            old, a = self.memory.get(at, 0), l.get(o[2])
            self.memory[at] = {"add": lambda: (old + a) & MASK32, "exch": lambda: a,
                               "cas": lambda: l.get(o[3]) if old == a else old}[name.split(".")[2]]()
            l.put(o[0], old)
        else:
            raise ValueError("the model does not know '%s'" % name)

    def poke(self):
        """Somebody else writes tokens while the warp sleeps."""
        for entry, word in self.p.pokes:
            token = self.q.tokens[entry - self.q.tail - 1]
            token.kind, token.mask = TYPES.get(word & 15, "?"), word >> 4 & MASK32
            token.addr, token.below = word >> 36 & PC_MAX, word >> 58 & 15
            token.bad = word >> 62 != 0

    def target(self, name):
        return self.p.labels[name] if name in self.p.labels else int(name, 0)

    def step(self):
        self.legal(self.pc)
        guard, name, o = self.p.code[self.pc]
        mask = self.active
        if guard:
            mask = sum(l.bit for l in self.mask_lanes(self.active)
                       if bool(l.preds.get(guard.strip("!"), False)) != guard.startswith("!"))
        self.instructions += 1
        if name == "bra":
            self.branch(mask, self.target(o[0]))
        elif not mask or name in ("nop", "membar"):
            self.pc += 1
        elif name in PUSHES:
            self.push(PUSHES[name], mask, self.target(o[0]))
            self.pc += 1
        elif name in DISABLES:
            self.sync(mask, DISABLES[name], self.target(o[0]))
        elif name in ("cal", "calx"):
            self.call(mask, o, name == "calx")
        elif name == "brx":
            self.indirect(mask, lambda l: l.get(o[0]))
        elif name == "ret":
            self.ret(mask, o[0])
        elif name == "exit":
            self.exit(mask)
        elif name == "yield":
            self.do_yield(mask)
        elif name == "warpsync":
            self.warpsync(mask, int(o[0], 0))
        elif name == "trap":
            raise Fault("TRAP")
        else:
            if name == "nanosleep":
                self.poke()
            else:
                for l in self.mask_lanes(mask):
                    self.compute(l, name, o)
            self.pc += 1

    def call(self, mask, o, indirect):
        groups = {l.get(o[1]) for l in self.mask_lanes(mask)} if indirect else {self.target(o[1])}
        self.make_room(True, len(groups | ({self.pc + 1} if self.active & ~mask else set())))
        for l in self.mask_lanes(mask):
            l.put(o[0], self.pc + 1)
        self.push("call", mask, self.pc + 1)
        if indirect:
            self.indirect(mask, lambda l: l.get(o[1]))
        else:
            self.branch(mask, self.target(o[1]))

    def run(self, limit=100000):
        while not self.end:
            try:
                self.step()
                self.retried = False
            except Again:
                pass
            except Fault as fault:
                self.end = "fault %s pc=%u" % (fault, self.pc)
            if self.instructions > limit:
                raise ValueError("no end after %u instructions" % limit)

    def report(self):
        """The lines of `machine`."""
        out = self.log + ["events %u" % self.num_events]
        for i in range(0, self.p.words, 8):
            words = [self.memory.get(DATA + 4 * k, 0) for k in range(i, min(i + 8, self.p.words))]
            out.append("words %u: %s" % (i, " ".join(map(str, words))))
        out += ["counters divergent=%u yields=%u recentres=%u" % (self.divergent, self.yields, self.recentres),
                "instructions %u" % self.instructions, "end " + self.end]
        return "\n".join(out) + "\n"


def run(text):
    warp = Warp(Program(text))
    warp.run()
    return warp.report()
