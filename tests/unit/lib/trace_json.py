# SPDX-License-Identifier: MIT
"""ppu-trace --json against the records: every rule of the format a viewer relies on, and every record."""

import json
from collections import Counter, defaultdict
from decimal import Decimal

import trace_file as tf
from trace_tool import check, run, same

PID = {"Channels": 1, "Engines": 2, "Task slots": 3, "SMs": 4, "Semaphores": 5, "Device": 6, "CPU": 7}


def ns(value):
    """Microseconds with three digits behind the point, as nanoseconds: nothing may be rounded."""
    t = value * 1000
    assert t == int(t), value
    return int(t)


class Json:
    def __init__(self, path, *options):
        out = run("--json", "-", *options, path)
        self.status, self.err = out.returncode, out.stderr
        data = json.loads(out.stdout, parse_float=Decimal)
        self.events = data["traceEvents"]
        self.other = data["otherData"]
        for e in self.events:
            for key in ("ts", "dur"):
                if key in e:
                    e[key] = ns(e[key])

    def of(self, ph, pid=None):
        return [e for e in self.events if e["ph"] == ph and pid in (None, e["pid"])]

    def spans(self, pid, pred=lambda e: True):
        return Counter((e["tid"], e["ts"], e["ts"] + e["dur"], e["name"]) for e in self.of("X", PID[pid]) if pred(e))


def well_formed(j, what):
    """Rules of the format that a viewer relies on."""
    bad = []
    names = Counter((e["pid"], e["tid"]) for e in j.events if e["ph"] == "M" and e["name"] == "thread_name")
    for e in j.events:
        if e["ph"] not in "MXiCsf":
            bad.append("phase %s" % e)
        if e["ph"] in "XiCsf" and not isinstance(e.get("ts"), int):
            bad.append("no time: %s" % e)
        if e["ph"] == "X" and e["dur"] < 0:
            bad.append("negative: %s" % e)
        if e["ph"] in "Xi" and names[(e["pid"], e["tid"])] != 1:
            bad.append("no name of the thread: %s" % e)
        if e["ph"] == "i" and e.get("s") != "t":
            bad.append("scope: %s" % e)
        if e["ph"] == "C" and not isinstance(e["args"]["value"], int):
            bad.append("counter: %s" % e)
    check(not bad, what + ": the events have what the format asks for", "\n".join(bad))
    processes = {e["args"]["name"]: e["pid"] for e in j.events if e["ph"] == "M" and e["name"] == "process_name"}
    same(what + ": names of processes", processes, PID)
    bad, threads = [], defaultdict(list)
    for e in j.of("X"):
        threads[(e["pid"], e["tid"])].append((e["ts"], e["ts"] + e["dur"]))
    for where, spans in threads.items():
        open_until = []
        for start, end in sorted(spans, key=lambda s: (s[0], -s[1])):
            while open_until and open_until[-1] <= start:
                open_until.pop()
            if open_until and end > open_until[-1]:
                bad.append("%s: %d to %d is not inside what ends at %d" % (where, start, end, open_until[-1]))
            open_until.append(end)
    check(not bad, what + ": events of a thread are nested", "\n".join(bad))


def flows(j, recs, what):
    """Every flow begins in an event of its thread, and leads from the last write to the wake-up."""
    ends = defaultdict(dict)
    last_x, bad = {}, []
    for e in j.events:
        if e["ph"] == "X":
            last_x[(e["pid"], e["tid"])] = e
        if e["ph"] not in "sf":
            continue
        if e["ph"] in ends[(e["cat"], e["id"])]:
            bad.append("twice: %s" % e)
        ends[(e["cat"], e["id"])][e["ph"]] = e
        x = last_x.get((e["pid"], e["tid"]))
        if e["ph"] == "s" and (not x or x["ts"] != e["ts"]):
            bad.append("leaves no event: %s" % e)
    bad += ["one end: %s" % list(p.values()) for p in ends.values() if set(p) != {"s", "f"}]
    check(not bad, what + ": flows have both ends", "\n".join(bad))
    got = Counter((k[0], p["s"]["ts"], p["f"]["ts"], p["f"]["pid"], p["f"]["tid"]) for k, p in ends.items()
                  if set(p) == {"s", "f"})
    same(what + ": flows", got, expected_flows(recs))


def expected_flows(recs):
    want, blocked, wrote, child, sem = Counter(), {}, {}, {}, tf.semaphores(recs)
    for r in recs:
        if r.name == "SEM_WRITE":
            wrote[sem[r.index]] = r
        elif r.name == "BLOCK":
            blocked[r.unit] = r
        elif r.name == "UNBLOCK" and r.index in sem:
            w = wrote.get(sem[r.index])
            if w and (r.unit not in blocked or w.index > blocked[r.unit].index):
                want[("wake", w.time, r.time, PID["Channels"], 2 * r.unit)] += 1
        elif r.name == "CHILD_LAUNCH" and r.d:
            child[r.d] = r
        elif r.name in ("TASK_SCHED", "TASK_RESUME") and r.c in child:
            want[("child", child.pop(r.c).time, r.time, PID["Task slots"], r.unit)] += 1
    return want


def sem_name(sem):
    return "sem 0x%x" % sem[1] + (" of context %d" % sem[0] if sem[0] else "")


def counters(j, recs, what, start):
    """Semaphores: every write exactly once, one value before the first."""
    sem = tf.semaphores(recs)
    got = Counter((e["name"], e["ts"], e["args"]["value"]) for e in j.of("C", PID["Semaphores"]) if e["cat"] == "write")
    want = Counter((sem_name(sem[r.index]), r.time, r.d) for r in recs if r.name == "SEM_WRITE")
    same(what + ": every semaphore write once", got, want)
    first = {}
    for r in recs:
        if r.name == "SEM_WRITE":
            first.setdefault(sem_name(sem[r.index]), r.c)
    got = Counter((e["name"], e["ts"], e["args"]["value"]) for e in j.of("C") if e["cat"] == "initial")
    same(what + ": and the value before the first", got, Counter((n, start, v) for n, v in first.items()))


def copies(j, recs, what):
    want, running = Counter(), {}
    for r in recs:
        if r.name == "CE_START":
            running[r.unit] = r
        elif r.name in ("CE_DONE", "CE_ABORT"):
            s = running.pop(r.unit)
            want[(r.unit, s.time, r.time, "channel %d copy %d" % (s.a, s.b))] += 1
    assert not running
    copies_of = j.spans("Engines", lambda e: e["args"]["event"] == "CE_START")
    same(what + ": every copy once, from start to end", copies_of, want)
    same(what + ": sizes of copies", Counter(e["args"]["bytes"] for e in j.of("X", PID["Engines"]) if "bytes" in e["args"]),
         Counter(r.c for r in recs if r.name == "CE_START"))


def slices(j, recs, what):
    got = Counter((e["tid"] // 2, e["ts"], e["args"]["slice_ns"]) for e in j.of("X", PID["Channels"])
                  if e["name"] == "time slice")
    same(what + ": every slice once", got, Counter((r.unit, r.time, r.b) for r in recs if r.name == "SLICE_START"))
    got = Counter((e["tid"] // 2, e["ts"]) for e in j.of("X", PID["Channels"]) if e["name"] == "slice over")
    assert set(got) <= set((r.unit, r.time) for r in recs if r.name == "SLICE_EXPIRE")
    # A channel never has an engine while it waits or has nothing to do.
    bad = []
    for e in j.of("X", PID["Channels"]):
        if e["name"] != "time slice":
            continue
        for r in recs:
            if r.unit == e["tid"] // 2 and e["ts"] < r.time < e["ts"] + e["dur"] and \
                    r.name in ("BLOCK", "EMPTY", "SLICE_START"):
                bad.append("%s %d inside %d+%d" % (r.name, r.time, e["ts"], e["dur"]))
    check(not bad, what + ": slices end with the first wait", "\n".join(bad))


def launches(recs):
    """The front end: {(task, start): end} of launches by a command, until the task is pending."""
    out, accepted = {}, {}
    for r in recs:
        if r.name == "TASK_ACCEPT":
            accepted[r.unit] = r
        elif r.name == "CMD" and r.b == 0x10 and r.unit in accepted and accepted[r.unit].time == r.time:
            out[(accepted[r.unit].c, r.time)] = None
        elif r.name == "TASK_PEND":
            for key in out:
                if key[0] == r.c and out[key] is None:
                    out[key] = r.time
    return out


def front_end(j, recs, what):
    want = Counter((0xffff, start, end, task & 0xffffffff) for (task, start), end in launches(recs).items())
    got = Counter((e["tid"], e["ts"], e["ts"] + e["dur"], int(e["name"].split()[-1])) for e in j.of("X", PID["Engines"])
                  if e["args"]["event"] == "TASK_ACCEPT")
    same(what + ": every launch once on the front end", got, want)
    got = Counter((e["ts"], e["ts"] + e["dur"]) for e in j.of("X", PID["Channels"]) if e["name"] == "LAUNCH")
    same(what + ": and on its channel", got, Counter((start, end) for (_, start), end in launches(recs).items()))


def others(j, recs, what):
    """Commands, waits, tasks, blocks of threads, and instants for all the rest: as many as records."""
    x = Counter(e["args"]["event"] for e in j.of("X"))
    begins = ("SLICE_START", "CE_START", "BLOCK", "TASK_SCHED", "TASK_RESUME", "CTA_START", "CTA_RESTORE", "CMD",
              "CHILD_LAUNCH")
    same(what + ": what lasts, by kind", Counter({k: v for k, v in x.items() if k in begins}),
         Counter(r.name for r in recs if r.name in begins))
    got = Counter((e["name"], e["ts"]) for e in j.of("i"))
    shown = begins + ("CE_DONE", "CE_ABORT", "CTA_DONE", "CTA_SAVE", "UNBLOCK", "SEM_WRITE", "SLICE_EXPIRE")
    expire = Counter((e["name"], e["ts"]) for e in j.of("i") if e["name"] == "SLICE_EXPIRE")
    same(what + ": everything else is an instant", got - expire,
         Counter((r.name, r.time) for r in recs if r.name not in shown) -
         Counter({("TASK_ACCEPT", t): n for t, n in Counter(t for _, t in launches(recs)).items()}))
    ctas, start, open_cta = Counter(), {}, {}
    for r in recs:
        if r.name in ("CTA_START", "CTA_RESTORE"):
            open_cta[(r.unit, r.c)] = r
        elif r.name in ("CTA_DONE", "CTA_SAVE"):
            start = open_cta.pop((r.unit, r.c))
            ctas[(256 * r.unit + 1 + r.c, start.time, r.time, "task %d block %d" % (start.b & 0xffffffff, start.a))] += 1
    if not open_cta:
        same(what + ": blocks of threads, from start to end",
             j.spans("SMs", lambda e: e["args"]["event"] in ("CTA_START", "CTA_RESTORE")), ctas)


def compare_json(path, what):
    recs, j = tf.read(path), Json(path)
    check(j.status == 0 and not j.err, what + ": --json", j.err)
    well_formed(j, what)
    counters(j, recs, what, recs[0].time)
    copies(j, recs, what)
    slices(j, recs, what)
    front_end(j, recs, what)
    others(j, recs, what)
    flows(j, recs, what)
