#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A picture of a warp: its lanes over device time, yours below the reference, the first difference marked.

    lanes.py TRACE SVG          one trace, with the divergence events of one warp (machine -t TRACE KERNEL)"""

import html
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.dont_write_bytecode = True
from ppulab import trace as traces      # noqa: E402

TOKENS = ("DIV_PUSH", "DIV_YIELD_PUSH", "DIV_MERGE", "DIV_POP", "DIV_DISCARD")
REASONS = ["none", "sync", "div", "call", "yield", "brk", "cont", "exit", "longjmp"] + ["r%d" % i for i in range(9, 16)]
ROW, LEFT, WIDTH, GAP = 14, 90, 1280, 34
ENDED = "ended"
# States differ by pattern as well as by shade.
STYLE = """text{font:11px sans-serif;fill:#000}.ti{font-size:14px;font-weight:bold}.s{fill:#555;font-size:9px}
.active{fill:#111}.wait{fill:#ddd;stroke:#888;stroke-width:.5}.yield{fill:url(#y);stroke:#888;stroke-width:.5}
.ended{fill:none;stroke:#bbb;stroke-width:.5}.pc{font-size:10px;text-anchor:start}.diff{stroke:#d00;stroke-width:2;
stroke-dasharray:5 3}.difft{fill:#d00;font-weight:bold}"""


def read(path):
    """[(time, event, pc, b, c, d)]: the divergence events of the only warp."""
    return [(e.time, e.name, e.a & 0x3fffff, e.b, e.c, e.d) for e in traces.read(path)
            if e.name.startswith(("DIV_", "WARP_"))]


def bits(mask):
    return [i for i in range(32) if mask >> i & 1]


class Warp:
    """What each lane did: rows[lane] = [(from, to, state)]; marks: where the warp continued, [(time, pc)];
    tokens: [(time, number)]."""

    def __init__(self, events):
        self.rows, self.marks, self.tokens = {}, [], [(0, 0)]
        self.state, self.since = {}, {}
        self.end = 1 + max([e[0] for e in events], default=0)
        for event in events:
            self.step(*event)
        for lane in list(self.state):
            self.change(self.end, lane, None)

    def change(self, time, lane, state):
        old = self.state.get(lane)
        if old is not None and time > self.since[lane]:
            self.rows.setdefault(lane, []).append((self.since[lane], time, old))
        if old != state:
            self.state[lane], self.since[lane] = state, time
        elif time > self.since[lane]:
            self.since[lane] = time

    def step(self, time, event, pc, b, c, d):
        if event == "WARP_START":
            for lane in bits(b):
                self.rows[lane] = []
                self.change(time, lane, "active")
            self.marks.append((time, pc))
        elif event == "DIV_BRANCH":
            for lane in bits(c & ~d):
                self.change(time + 1, lane, "div")
            self.marks.append((time + 1, b))
        elif event == "DIV_DISABLE":
            for lane in bits(c):
                self.change(time + 1, lane, ENDED if b == 7 else REASONS[b & 15])
        elif event == "DIV_POP":
            for lane in bits(c):
                self.change(time + 1, lane, "active")
            self.marks.append((time + 1, pc))
        if event in TOKENS:
            head, tail = d & 0xffffffff, d >> 32
            tail -= (tail >> 31) << 32
            self.tokens.append((time + 1, head - tail - 1))


def first_difference(want, got):
    """The times of the first event that differs, in each of the two traces; None if none differs."""
    for i in range(max(len(want), len(got))):
        w = want[i] if i < len(want) else None
        g = got[i] if i < len(got) else None
        if w is None or g is None or w[1:] != g[1:]:
            return (w or want[-1] if want else (0,))[0], (g or got[-1] if got else (0,))[0]
    return None


class Picture:
    def __init__(self, scale):
        self.out, self.y, self.scale = [], 24, scale

    def x(self, time):
        return LEFT + time * self.scale

    def text(self, x, y, text, css=""):
        self.out.append('<text x="%.1f" y="%.1f" class="%s">%s</text>' % (x, y, css, html.escape(text)))

    def box(self, lane, begin, end, state, y):
        css = state if state in ("active", "yield", ENDED) else "wait"
        does = state if state in ("active", ENDED) else "waits, " + state
        what = "lane %d: %s, %d to %d ns" % (lane, does, begin, end)
        self.out.append('<rect x="%.1f" y="%.1f" width="%.1f" height="%d" class="%s"><title>%s</title></rect>'
                        % (self.x(begin), y, self.x(end) - self.x(begin), ROW - 2, css, what))
        if state != "active" and self.x(end) - self.x(begin) > 7 * len(state):
            self.text(self.x(begin) + 3, y + ROW - 4.5, state, "s")

    def marks(self, warp, y):
        last = -100
        for time, pc in warp.marks:
            if self.x(time) - last > 8 + 7 * len(str(pc)):
                self.text(self.x(time), y, str(pc), "pc")
                last = self.x(time)

    def warp(self, title, warp, difference):
        self.text(8, self.y, title, "ti")
        top = self.y + 14
        self.text(8, top + 9, "goes on at pc")
        self.marks(warp, top + 9)
        y = top + ROW
        for lane in sorted(warp.rows):
            self.text(8, y + ROW - 4, "lane %d" % lane)
            for begin, end, state in warp.rows[lane]:
                self.box(lane, begin, end, state, y)
            y += ROW
        self.text(8, y + ROW - 3, "tokens")
        for i, (time, n) in enumerate(warp.tokens):
            end = warp.tokens[i + 1][0] if i + 1 < len(warp.tokens) else warp.end
            if self.x(end) - self.x(time) >= 8:
                self.text(self.x(time), y + ROW - 3, str(n), "pc")
        y += ROW
        if difference is not None:
            at = self.x(difference + 1)
            self.out.append('<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" class="diff"/>' % (at, top - 6, at, y))
            self.text(at + 4, top - 3, "first difference", "difft")
        self.y = y + GAP

    def svg(self):
        return ('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">\n'
                '<!-- SPDX-License-Identifier: MIT -->\n<style>%s</style>\n'
                '<defs><pattern id="y" width="6" height="6" patternUnits="userSpaceOnUse" '
                'patternTransform="rotate(45)"><rect width="6" height="6" fill="#fff"/>'
                '<rect width="2.5" height="6" fill="#bbb"/></pattern></defs>\n'
                '<rect width="100%%" height="100%%" fill="#fff"/>\n'
                '%s\n</svg>\n' % (WIDTH, self.y, WIDTH, self.y, STYLE, "\n".join(self.out)))


def draw(reference, trace, path):
    """Draws both traces into an SVG file; with reference None only one."""
    got = read(trace)
    want = read(reference) if reference else got
    diff = first_difference(want, got) or (None, None)
    both = [Warp(want), Warp(got)]
    picture = Picture((WIDTH - LEFT - 20) / max(w.end for w in both))
    if reference:
        picture.warp("Reference", both[0], diff[0])
    picture.warp("Your unit", both[1], diff[1])
    picture.text(8, picture.y - 12, "Black: active. Grey: waits, for the reason that is written there; hatched: has "
                 "yielded. Time in warp instructions, from left to right.", "s")
    with open(path, "w", encoding="utf-8") as f:
        f.write(picture.svg())


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: lanes.py TRACE SVG")
    draw(None, *sys.argv[1:])
