# SPDX-License-Identifier: MIT
"""ppu-trace --html against the records: the streams of viewer.html are read here by themselves."""

import base64
import json
import os
import re
import tempfile
from collections import Counter

import trace_file as tf
from trace_json import launches
from trace_tool import check, run, same


class Stream:
    def __init__(self, text):
        self.data, self.at = base64.b64decode(text, validate=True), 0

    def num(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value


class Lane:
    """What a lane shows, with its texts."""

    def __init__(self, page, lane):
        s, t = Stream(lane["d"]), page.start
        self.kind, self.name = lane["k"], lane["n"]
        self.spans, self.marks, self.points, self.first = [], [], [], None
        for _ in range(s.num()):
            t += s.num()
            dur, row, high, look = (s.num() for _ in range(4))
            self.spans.append((t, t + dur, row, high, look, page.text(s)))
        t = page.start
        for _ in range(s.num()):
            t += s.num()
            look = s.num()
            self.marks.append((t, look, page.text(s)))
        count, t = s.num(), page.start
        if count:
            self.first = s.num()
        for _ in range(count):
            t += s.num()
            value = s.num()
            self.points.append((t, value, page.text(s)))
        check(s.at == len(s.data), "html: %s: nothing is left of the stream" % self.name)


class Page:
    def __init__(self, path, *options):
        with tempfile.TemporaryDirectory() as tmp:
            to = os.path.join(tmp, "p.html")
            out = run("--html", to, *options, path)
            self.status, self.err = out.returncode, out.stderr
            with open(to, encoding="utf-8") as f:
                self.html = f.read()
        data = re.search(r'<script type="application/json" id="data">(.*?)</script>', self.html, re.S)
        self.data = json.loads(data.group(1))
        self.texts = self.data["texts"]
        self.start, self.end = self.data["from"], self.data["to"]
        self.lanes = [Lane(self, lane) for lane in self.data["lanes"]]
        s = Stream(self.data["links"])
        self.links = [tuple(s.num() for _ in range(5)) for _ in range(s.num())]

    def text(self, s):
        return re.sub(r"\{\}", lambda _: str(s.num()), self.texts[s.num()])

    def of(self, kind):
        return [lane for lane in self.lanes if lane.kind == kind]

    def number(self, lane):
        return int(re.search(r"\d+", lane.name).group())


def spans(page, recs, what):
    ctas, start = Counter(), {}
    for r in recs:
        if r.name in ("CTA_START", "CTA_RESTORE"):
            start[(r.unit, r.c)] = r
        elif r.name in ("CTA_DONE", "CTA_SAVE") and (r.unit, r.c) in start:
            s = start.pop((r.unit, r.c))
            ctas[(r.unit, s.time, r.time, s.c, s.d, s.a, s.b & 0xffffffff)] += 1
    got = Counter()
    for lane in page.of("sm"):
        for t0, t1, row, high, _, text in lane.spans:
            block, task, _, warps = map(int, re.findall(r"\d+", text)[:4])
            check(warps == high, what + ": a block is as high as its warps") if warps != high else None
            got[(page.number(lane), t0, t1, row, high, block, task)] += 1
    if not start:
        same(what + ": html: blocks of threads, with slots and warps", got, ctas)
    copies, running = Counter(), {}
    for r in recs:
        if r.name == "CE_START":
            running[r.unit] = r
        elif r.name in ("CE_DONE", "CE_ABORT"):
            s = running.pop(r.unit)
            copies[(r.unit, s.time, r.time, "copy %d of channel %d, %d bytes%s"
                    % (s.b, s.a, s.c, ", aborted" if r.name == "CE_ABORT" else ""))] += 1
    same(what + ": html: copies", Counter((page.number(lane), s[0], s[1], s[5]) for lane in page.of("engine")
                                          for s in lane.spans), copies)
    same(what + ": html: slices begin", Counter((page.number(lane), s[0]) for lane in page.of("channel")
                                                for s in lane.spans if s[2] == 0),
         Counter((r.unit, r.time) for r in recs if r.name == "SLICE_START"))
    same(what + ": html: waits begin", Counter((page.number(lane), s[0]) for lane in page.of("channel")
                                               for s in lane.spans if s[2] == 2 and "waits" in s[5]),
         Counter((r.unit, r.time) for r in recs if r.name == "BLOCK"))
    same(what + ": html: launches", Counter((s[0], s[1], int(s[5].split()[4].rstrip(","))) for lane in page.of("front")
                                            for s in lane.spans),
         Counter((start, end, task & 0xffffffff) for (task, start), end in launches(recs).items()))


def marks(page, recs, what):
    names = Counter(text.split()[0] for lane in page.lanes for _, _, text in lane.marks)
    want = Counter(r.name for r in recs)
    for name in ("INTR", "CMD", "DOORBELL", "FAULT", "CHILD_LAUNCH", "WARP_START", "DIV_BRANCH", "BAR_ARRIVE", "RESET"):
        same("%s: html: all of %s" % (what, name), names[name], want[name])
    same(what + ": html: interrupts have a lane", Counter((t, text) for lane in page.lanes if lane.name == "interrupts"
                                                          for t, _, text in lane.marks),
         Counter((r.time, "INTR vector=%d status=%d" % (r.unit, r.a)) for r in recs if r.name == "INTR"))


def values(page, recs, what):
    sem = tf.semaphores(recs)
    want = Counter((r.time, r.d) for r in recs if r.name == "SEM_WRITE" and r.index in sem)
    same(what + ": html: values of semaphores", Counter((t, v) for lane in page.of("sem") for t, v, _ in lane.points), want)
    first = {}
    for r in recs:
        if r.name == "SEM_WRITE":
            first.setdefault(sem[r.index], r.c)
    same(what + ": html: and those before", Counter(lane.first for lane in page.of("sem")), Counter(first.values()))


def compare_html(path, what):
    """Everything, without lanes left out."""
    recs, page = tf.read(path), Page(path, "--from", "0")
    recs.sort(key=lambda r: r.time)
    check(page.status == 0 and not page.err, what + ": --html", page.err)
    for lane in page.lanes:
        times = [s[0] for s in lane.spans]
        check(times == sorted(times), what + ": html: in order") if times != sorted(times) else None
    spans(page, recs, what)
    marks(page, recs, what)
    values(page, recs, what)
    good = all(0 <= a < len(page.lanes) and 0 <= b < len(page.lanes) and t0 <= t1 for _, a, t0, b, t1 in page.links)
    check(good, what + ": html: links have both ends")


def page_alone(path):
    """The page asks for nothing from elsewhere, and a title cannot leave its place."""
    page = Page(path, "--title", '</script><b>"\\&\u00e9')
    same("html: the title", page.data["title"], '</script><b>"\\&\u00e9')
    same("html: two scripts", page.html.count("</script>"), 2)
    check(not re.search(r"""(src|href)=|https?://|@import|fetch\(|XMLHttpRequest""", page.html), "html: it fetches nothing")
    part = Page(path, "--from", "2000", "--to", "9000", "--lanes", "channel:1,engine")
    same("html: --lanes", {lane.name.split()[0] for lane in part.lanes}, {"interrupts", "device", "channel", "copy"})
    times = [t for lane in part.lanes for s in lane.spans for t in s[:2]] + [m[0] for lane in part.lanes for m in lane.marks]
    check(times and min(times) >= 2000 and max(times) <= 9000, "html: --from and --to", times)
