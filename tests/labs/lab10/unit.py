# SPDX-License-Identifier: MIT
"""The student's unit of lab 10, as marked source.

The unit is two files of the device's core itself, so the solution is always the
code that the product runs. The markers are not in these files, where they would
disturb everyone who reads the core. They are added here:
each function below is the student's to write, and its body goes into a marked
region. If a function does not exist any more, or has another signature, that is
an error."""

import os
import re
import textwrap

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
CORE = "qemu-device/core/sm"
FILES = ("tokq.c", "diverge.c")

# function -> what the student has to do, lines of text. In the order of the files.
WRITE = {
    "tokq.c": {
        "ppu_tokq_init": """
            An empty queue of `size` entries in `ent`: head in the middle, entry size / 2, tail right below it.""",
        "ppu_tokq_room": """
            Is there room for n pushes at this side? Free entries at the front are those from head to the end of
            the memory, at the back those from tail down to entry 0. OK: n tokens fit at this side. RANGE: they do
            not, but the free entries of both sides together are enough. FULL: not even all of these are enough.""",
        "ppu_tokq_push_front": """
            Write a token at head, then move head up. Its tracking bits: those of the token that was on top, and
            the bit of that token's own type. Return the token as it was written.""",
        "ppu_tokq_push_back": """
            Write a yield token at tail, then move tail down. The new token is now below every other token: the tracking
            bits of those must say so. (Which tokens have the bit already?) Return the new token.""",
        "ppu_tokq_merge": """
            Look for a waiting yield token of this address, beginning with the rear-most one. Only yield tokens
            merge. If there is one: add the lanes to its mask where it stands, *token = the changed token, true.""",
        "ppu_tokq_peek": """
            The token at the front into *token, without taking it off. False: the queue is empty.""",
        "ppu_tokq_pop": """
            Take the token at the front off. False: the queue is empty.""",
        "ppu_tokq_holds": """
            Is a token of this type in the queue? For a type that has a tracking bit, read only the top token;
            for any other type, look at all tokens.""",
        "ppu_tokq_find": """
            The corresponding token of an instruction: this type, this address, and a mask that has all the lanes.
            The tracking bits can save the search.""",
        "ppu_tokq_find_any": """
            The same as ppu_tokq_find(), but for any address: the token nearest to the front; *addr = its address.""",
        "ppu_tokq_recentre": """
            Move the n tokens, in order, so that the rear-most one is at entry (size - n) / 2.
            If that leaves less than `need` free entries at `side`, place them just far enough the other way.
            Source and destination may overlap: in which direction do you copy? Then set head and tail.""",
    },
    "diverge.c": {
        "make_room": """
            Room for n pushes at a side of w->q. Set w->q_dirty: the queue is about to be written.
            OK: w->retried = false, PPU_GO. FULL: the fault PPU_ERR_TOKQ_OVERFLOW, of the lowest active lane:
            return ppu_sm_fault_pc(). RANGE: with sm->core->cfg.tokq_driver, and not yet w->retried, return
            ask_driver(). Else w->retried = false, recentre here, count PPU_CTR_RECENTRES in sm->ctr, trace
            DIV_RECENTRE (number of tokens, ppu_tokq_head_tail() before, and after) and PPU_GO.""",
        "push_yield": """
            A yield token for the lanes at addr. With `merge`, try ppu_tokq_merge() first: a merge needs no room (set
            w->q_dirty, w->retried = false) and is traced as DIV_MERGE. Else make room at the back, push, and trace
            DIV_YIELD_PUSH. Both have the arguments of push_front() above: token, active mask, head_tail.
            PPU_SWITCH when there is no room.""",
        "associated": """
            The lanes that a token wakes: those in its mask that have not ended (w->live), are not active, and wait
            for the token's type at the token's address: ppu_warp_waiting() and PPU_WAIT().""",
        "ppu_diverge_pop": """
            Steps f and g: no lane is active. Set w->pop: the warp is looking for lanes.
            Then, again and again:
             - All live lanes are parked (and there are live ones): ppu_sm_set_state() to PPU_WARP_PARKED,
               ppu_sm_check_deadlock(), PPU_SWITCH.
             - Pop a token. If there is none, but there are live lanes, somebody has written to the queue: corrupt() of
               token 0. If there are no live lanes either, the warp is finished: w->pop = false,
               ppu_sm_warp_done(), PPU_SWITCH.
             - Any program can write to VRAM, so check the token: ppu_tokq_token_ok(), else corrupt().
             - The token wakes no lane: trace DIV_DISCARD (token, 0, head_tail), and take the next token.
             - The token wakes some lanes: w->pop = false; exactly these lanes are active, and parked no more; the program
               counter is the token's address; join_ycount(); trace DIV_POP (token, lanes, head_tail); PPU_GO.""",
        "disable": """
            Step e: the lanes wait for a reason at an address (set_wait()) and are active no more. Trace DIV_DISABLE
            (reason, lanes, mask of those left). If lanes are left, these go on with the next instruction; else pop.""",
        "discard_stale": """
            Before a fallback, tokens at the front for which no lane waits go away. Look at the token at the front: if it is
            not ppu_tokq_token_ok(), corrupt(). Stop at a yield token, at a token with associated lanes, and when
            the queue is empty. Else pop the token and trace DIV_DISCARD as above. PPU_GO.""",
        "diverge": """
            The active lanes go to n targets, group 0 first. An address outside the program (w->prog->n) is the
            fault PPU_ERR_BAD_PC of the group's lowest lane, before anything has changed: ppu_sm_fault() with
            the address and PPU_ACC_EXEC. With more than one group: make room for n - 1 tokens in one go; push a
            divergence token for each other group, the last one first (why?), and its lanes wait for it;
            count PPU_CTR_DIVERGENT, trace DIV_BRANCH (address of group 0, active mask, lanes of group 0).
            Then group 0 alone is active, at its address.""",
        "ppu_h_push": """
            SSY, PBRK, PCNT, PEXIT, PUSH: di->x is the type, di->imm the address, mask the lanes that execute it.
            Make room, push on the front (push_front()), go on with the next instruction.""",
        "ppu_h_disable": """
            SYNC, BRK, CONT, LONGJMP, DISABLE: di->x is the reason, di->imm the address. With a corresponding token
            (ppu_tokq_find()) the lanes of mask wait: disable(). Without such a token it is the
            fallback: discard_stale() first, but only if all active lanes take it; trace DIV_FALLBACK (address, mask, 0);
            then it is a branch: branch().""",
        "ppu_h_exit": """
            With an exit token that has all lanes of mask (ppu_tokq_find_any()), the lanes wait for the token: disable()
            for PPU_REASON_EXIT, at its address.
            Without such a token the lanes have ended for good: end_lanes(), then disable() at address 0, so that
            the reason remains.""",
        "ppu_h_yield": """
            First: does this YIELD switch (yield_switches())? If not, it is a NOP. The token's address is that of the
            next instruction, which must exist: else PPU_ERR_BAD_PC of the lowest lane, ppu_sm_fault_pc().
            push_yield() for mask, merging if cfg.yield_merge; count PPU_CTR_YIELDS; disable().""",
    },
}

INCLUDE = """\
//LAB 10 write: Each LAB_TODO() below says, when it is reached, what is not written yet.
//LAB instead
#include "lab10.h"
//LAB end
"""


class UnitError(Exception):
    pass


def wrap(name, text, function, task):
    """Puts the body of one function into a marked region."""
    m = re.search(r"^[a-z][^\n;{}]*\b%s\((?:[^;{}]*)\)\n\{\n(.*?)^\}\n" % re.escape(function), text, re.M | re.S)
    if not m:
        raise UnitError("%s/%s has no function %s() any more: change tests/labs/lab10/unit.py" % (CORE, name, function))
    lines = []
    for item in re.split(r"\n\s*(?=- )", task.strip()):
        lines += textwrap.wrap(" ".join(item.split()), 104 - 14 * (not lines), break_on_hyphens=False)
    todo = "//LAB 10 write: %s\n" % lines[0] + "".join("//LAB      %s\n" % l for l in lines[1:])
    body = m.group(1).rstrip("\n")
    marked = "%s%s\n//LAB instead\n\tLAB_TODO();\n//LAB end\n" % (todo, body)
    return text[:m.start(1)] + marked + text[m.end(1):]


def mark(name, text):
    """One file of the core, with markers."""
    for function, task in WRITE[name].items():
        text = wrap(name, text, function, task)
    includes = [m.end() for m in re.finditer(r'^#include "[^"]*"\n', text, re.M)]
    if not includes:
        raise UnitError("%s/%s includes nothing: where would lab10.h go?" % (CORE, name))
    return text[:includes[-1]] + INCLUDE + text[includes[-1]:]


def there():
    """Are the core's files here? A student's package does not have them."""
    return all(os.path.exists(os.path.join(TOP, CORE, f)) for f in FILES)


def marked():
    """{file name: marked text}; None if the core's files are not here, as in a student's package."""
    if not there():
        return None
    out = {}
    for name in FILES:
        with open(os.path.join(TOP, CORE, name), encoding="utf-8") as f:
            out[name] = mark(name, f.read())
    return out
