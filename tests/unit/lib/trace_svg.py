# SPDX-License-Identifier: MIT
"""ppu-trace --svg against the records: lanes, places, values, and that nothing is left out."""

import re
import xml.etree.ElementTree as ET

import trace_file as tf
from trace_tool import check, run, same
from trace_file import UNIT

SVG = "{http://www.w3.org/2000/svg}"


class Picture:
    def __init__(self, path, *options):
        out = run("--svg", "-", *options, path)
        self.status, self.err, self.text = out.returncode, out.stderr, out.stdout
        self.root = ET.fromstring(out.stdout)
        a = self.root.attrib
        self.start, self.end = int(a["data-from"]), int(a["data-to"])
        self.left, self.right = float(a["data-left"]), float(a["data-right"])
        self.width = int(a["width"])
        self.lanes = {g.get("data-lane"): g for g in self.root.iter(SVG + "g") if g.get("data-lane")}

    def x(self, t):
        t = min(max(t, self.start), self.end)
        return self.left + (self.right - self.left) * (t - self.start) / max(self.end - self.start, 1)

    def rects(self, lane, classes):
        return [(float(r.get("x")), float(r.get("width")), r.get("class"), r.find(SVG + "title").text)
                for r in self.lanes[lane].iter(SVG + "rect") if r.get("class") in classes]

    def titles(self, lane):
        return [t.text for t in self.lanes[lane].iter(SVG + "title")]

    def texts(self):
        return ["".join(t.itertext()) for t in self.root.iter(SVG + "text")]


def expected_lanes(recs, start, end):
    """Lanes that show something in the view."""
    lanes, sem, accepted = set(), tf.semaphores(recs), None
    for r in recs:
        kind = {"channel": "channel", "engine": "engine", "sm": "sm"}.get(UNIT[r.event])
        if r.name in ("CE_START", "CTA_START", "CTA_RESTORE", "CMD", "DOORBELL", "BLOCK", "SLICE_START"):
            lanes.add("%s:%d" % (kind, r.unit))
        elif r.name in ("TASK_SCHED", "TASK_RESUME"):
            lanes.add("task:%d" % r.unit)
        if r.name == "CMD" and r.b == 0x10 and accepted and (accepted.unit, accepted.time) == (r.unit, r.time):
            lanes.add("front:0")
        if r.name in ("CE_START", "CE_DONE", "CE_ABORT"):
            lanes |= {"engine:%d" % r.unit, "channel:%d" % r.a}
        elif r.name == "TASK_ACCEPT":
            accepted = r
        elif r.name == "SEM_WRITE":
            lanes.add("sem:%d" % tf.sem_id(sem[r.index]))
    return lanes


COUNT = re.compile(r"^(\d+) (copies|time slices|launches|waits and copies|tasks|blocks|times over the slice), ")


def counted(rects):
    """The number of things that bars stand for; the titles of merged bars state it."""
    total = 0
    for _, _, _, title in rects:
        m = COUNT.match(title)
        total += int(m.group(1)) if m else 1
    return total


def curve(p, sem):
    """[(x, y)] corners of a semaphore's curve, and its lowest and highest value."""
    path = [e for e in p.lanes["sem:%d" % sem].iter(SVG + "path") if e.get("class") == "se"][0]
    points, x, y = [], 0.0, 0.0
    for op, args in re.findall(r"([MHV])([^MHV]*)", path.get("d")):
        numbers = [float(v) for v in args.split()]
        if op == "M":
            x, y = numbers
        elif op == "H":
            x = numbers[0]
        else:
            y = numbers[0]
        points.append((x, y))
    assert path.get("data-addr") == "0x%x" % (sem & 0xffffffffffff)
    return points, int(path.get("data-min")), int(path.get("data-max"))


def value_at(points, x):
    """The curve's height behind x."""
    y = points[0][1]
    for px, py in points:
        if px <= x:
            y = py
    return y


def check_curve(p, recs, sem, what):
    points, low, high = curve(p, sem)
    of = tf.semaphores(recs)
    writes = [r for r in recs if r.name == "SEM_WRITE" and tf.sem_id(of[r.index]) == sem]
    seen = [r for r in writes if p.start <= r.time <= p.end]
    before = [r for r in writes if r.time < p.start]
    first = before[-1].d if before else writes[0].c
    values = [first] + [r.d for r in seen]
    same(what + ": lowest and highest value", (low, high), (min(values), max(values)))
    ys = [y for _, y in points]
    bottom, top = max(ys), min(ys)
    bad = []

    def level(v):
        return bottom - (bottom - top) * (v - low) / (high - low) if high > low else bottom

    if abs(value_at(points, p.left) - level(first)) > 0.11 and p.x(seen[0].time if seen else p.end) > p.left + 1:
        bad.append("begins at %s instead of %s" % (value_at(points, p.left), first))
    for i, r in enumerate(seen):
        # Where the next write is in the same pixel, the value cannot be seen.
        after = p.x(seen[i + 1].time) if i + 1 < len(seen) else p.right
        if after - p.x(r.time) < 1.2:
            continue
        at = (p.x(r.time) + after) / 2
        if abs(value_at(points, at) - level(r.d)) > 0.11:
            bad.append("%d ns: drawn at %.1f, value %d is at %.1f" % (r.time, value_at(points, at), r.d, level(r.d)))
        if not any(abs(x - p.x(r.time)) < 1.1 for x, _ in points):
            bad.append("no step at %d ns" % r.time)
    check(not bad, what + ": steps at the right time to the right value", "\n".join(bad))
    check(all(points[i][0] <= points[i + 1][0] for i in range(len(points) - 1)) and points[-1][0] == p.right,
          what + ": the curve goes on to the end")


def axis(p, what):
    scale = {"ns": 1, "us": 1000, "ms": 1000000}
    bad, n = [], 0
    for t in p.root.iter(SVG + "text"):
        if t.get("class") != "ax":
            continue
        value, unit = t.text.split()
        n += 1
        if abs(float(t.get("x")) - p.x(int(value) * scale[unit])) > 0.06:
            bad.append("%s at %s" % (t.text, t.get("x")))
    check(not bad and n >= 2, what + ": the time axis", bad or "%d ticks" % n)


ORDER = ("channel", "front", "engine", "task", "sm", "sem")
SHAPES = ("rect", "circle", "path")


def legible(p, what):
    """Lanes are named and in order, everything in them says what it is, slices lie behind what happens in them."""
    kinds = [ORDER.index(name.split(":")[0]) for name in p.lanes]
    check(kinds == sorted(kinds), what + ": kinds of lanes in order", list(p.lanes))
    names = [t for t in p.root.iter(SVG + "text") if t.get("class") == "na"]
    ys = [float(t.get("y")) for t in names]
    check(len(names) == len(p.lanes) and ys == sorted(set(ys)) and all("".join(t.itertext()) for t in names),
          what + ": every lane has its name beside it", ys)
    mute, behind = [], []
    for name, g in p.lanes.items():
        shapes = [e for e in g.iter() if e.tag in [SVG + s for s in SHAPES]]
        mute += ["%s: %s" % (name, e.attrib) for e in shapes if not (e.findtext(SVG + "title") or "").strip()]
        order = [e.get("class") for e in shapes]
        slices = [i for i, c in enumerate(order) if c == "sl"]
        others = [i for i, c in enumerate(order) if c in ("bu", "wa", "we", "ww", "cm")]
        if slices and others and max(slices) > min(others):
            behind.append(name)
    check(not mute, what + ": everything has a title", "\n".join(mute))
    check(not behind, what + ": time slices are the background", behind)


def without_colour(p, what):
    """What differs in meaning differs in pattern, not only in colour."""
    shape = {}
    for pattern in p.root.iter(SVG + "pattern"):
        shape[pattern.get("id")] = [(e.tag, e.get("d"), e.get("cx"), e.get("r")) for e in pattern]
    style = p.root.find(SVG + "style").text
    look = dict(re.findall(r"\.(\w\w)\{fill:url\(#(\w+)\)", style))
    for group in (("wa", "we", "ww"), ("c1", "c2", "c3", "c4", "c5")):
        shapes = [str(shape[look[c]]) for c in group]
        check(len(set(shapes)) == len(group), what + ": %s differ without colour" % " ".join(group), shapes)


def ticks(p, recs, name, event, cls, what):
    """Strokes of a channel: none is left out, and each is at its time, or less than two pixels off with others."""
    channel = int(name.split(":")[1])
    times = [r.time for r in recs if r.name == event and r.unit == channel and p.start <= r.time <= p.end]
    drawn, total = [], 0
    for e in p.lanes[name].iter(SVG + "path"):
        if e.get("class") == cls:
            m = re.search(r"and (\d+) more up to here", e.findtext(SVG + "title"))
            total += 1 + (int(m.group(1)) if m else 0)
            drawn.append(float(re.match(r"M([0-9.]+) ", e.get("d")).group(1)))
    same("%s: %s shows every %s" % (what, name, event), total, len(times))
    far = [t for t in times if not any(-0.1 < p.x(t) - x < 2.1 for x in drawn)]
    check(not far, "%s: %s: each %s at its time" % (what, name, event), far[:5])


def compare_svg(path, what, *options):
    recs = tf.read(path)
    p = Picture(path, *options)
    check(p.status == 0 and not p.err, what + ": --svg", p.err)
    same(what + ": one lane for each unit", sorted(p.lanes), sorted(expected_lanes(recs, p.start, p.end)))
    axis(p, what)
    legible(p, what)
    without_colour(p, what)
    for name in p.lanes:
        kind, number = name.split(":")
        number = int(number)
        mine = [r for r in recs if r.unit == number]
        if kind == "engine":
            want, cls = max(sum(r.name == "CE_START" for r in mine),
                            sum(r.name in ("CE_DONE", "CE_ABORT") for r in mine)), ["c%d" % i for i in range(6)] + ["de"]
        elif kind == "front":
            want, cls = sum(r.name == "CMD" and r.b == 0x10 for r in recs), ["ta", "de"]
        elif kind == "task":
            want, cls = sum(r.name in ("TASK_SCHED", "TASK_RESUME") for r in mine), ["ta", "de"]
        elif kind == "channel":
            ticks(p, recs, name, "CMD", "cm", what)
            ticks(p, recs, name, "DOORBELL", "db", what)
            continue
        elif kind == "sem":
            check_curve(p, recs, number, "%s, sem 0x%x" % (what, number))
            continue
        else:
            continue
        same("%s: %s shows all of its work" % (what, name), counted(p.rects(name, cls)), want)
    return p
