#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""ppu-trace --json and --svg against what the records say (trace_file.py reads them independently).

Made-up traces have every case with its answer worked out by hand; real ones, from samples and ppu-run on
the in-process device, are compared record by record."""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import trace_file as tf                                                 # noqa: E402
from trace_file import NAME, Rec, VALUE                                 # noqa: E402
from trace_html import compare_html, page_alone                         # noqa: E402
from trace_json import PID, Json, compare_json, flows, well_formed      # noqa: E402
from trace_svg import SVG, Picture, axis, check_curve, compare_svg, curve     # noqa: E402
from trace_tool import BUILD, check, failed, run, same                  # noqa: E402

CMD = {"SEM_ACQUIRE": 0x01, "SEM_RELEASE": 0x02, "SEM_INC": 0x03, "SEM_DEC": 0x04, "LAUNCH": 0x10, "COPY": 0x20}


S0, S1, GATE = 0x200000000010, 0x200000000020, 0x200000000030
A, E, W, G = (VALUE["PPU_TRB_" + n] for n in ("ACQUIRE", "ENGINE", "WFI", "GATE"))


def cmd(t, ch, op, operand=0, get=0):
    return Rec(t, "CMD", ch, get, CMD[op], operand)


def made_channels():
    """Channels, slices, waits and copies. Two copy engines."""
    return [
        Rec(1000, "RESET"),
        Rec(1000, "CH_ENABLE", 1, 2, 0x1000, 64, 0x2000),
        Rec(1000, "CH_ENABLE", 2, 2, 0x1000, 64, 0x2000),
        Rec(1000, "CH_ENABLE", 3, 1, 0x1000, 64, 0x2000),
        # channel 1: a copy, its slice ends in the middle of it, another channel waits
        Rec(1100, "DOORBELL", 1, 1), Rec(1200, "ENTRY", 1, 0, 0x3000, 10),
        Rec(1300, "SLICE_START", 1, 2, 5000), cmd(1300, 1, "COPY", 0x7000), Rec(1300, "CE_START", 0, 1, 0, 4096, 0x9000),
        # channel 2 waits for a semaphore that channel 1 releases
        Rec(1400, "BLOCK", 2, A, S0, 7),
        Rec(6300, "SLICE_EXPIRE", 1, 2),
        Rec(8300, "CE_DONE", 0, 1, 0, 4096),
        Rec(8300, "BLOCK", 1, E),
        Rec(8400, "UNBLOCK", 1, E), Rec(8400, "SLICE_START", 1, 2, 5000),
        Rec(8400, "SEM_WRITE", 1, 0, S0, 0, 7), cmd(8400, 1, "SEM_RELEASE", S0),
        Rec(8420, "GET", 1, 1), Rec(8420, "EMPTY", 1, 1),
        Rec(8500, "UNBLOCK", 2, A, S0, 7), cmd(8500, 2, "SEM_ACQUIRE", S0),
        # the second engine; a store of the copy engine is seen by a waiter
        Rec(8600, "SLICE_START", 2, 2, 100000), cmd(8600, 2, "COPY", 0x7000),
        Rec(8600, "CE_START", 1, 2, 0, 100, 0x9000),
        Rec(8700, "BLOCK", 3, A, S1, 1),
        Rec(9000, "SEM_WRITE", 1, VALUE["PPU_TRW_CE"], S1, 0, 1),
        Rec(9600, "CE_DONE", 1, 2, 0, 100), Rec(9600, "EMPTY", 2, 1),
        Rec(9700, "UNBLOCK", 3, A, S1, 1), cmd(9700, 3, "SEM_ACQUIRE", S1),
        # a gate that had closed again; opened by the CPU
        Rec(9800, "BLOCK", 3, G, GATE, 0),
        Rec(10500, "SEM_WRITE", 0xffff, VALUE["PPU_TRW_CPU"], GATE, 3, 0),
        Rec(10600, "UNBLOCK", 3, G, GATE, 0),
        # a write nobody waited for, and a channel that is stopped while its copy runs
        Rec(11000, "SEM_WRITE", 1, 0, GATE, 0, 18446744073709551615), cmd(11000, 1, "SEM_DEC", GATE),
        Rec(11100, "SLICE_START", 1, 2, 5000), cmd(11100, 1, "COPY", 0x7000),
        Rec(11100, "CE_START", 0, 1, 1, 8192, 0x9000),
        Rec(12000, "CE_ABORT", 0, 1, 1), Rec(12000, "CH_ERROR", 1, 1, 0, 0x44), Rec(12000, "CH_DISABLE", 1, 4),
        Rec(12100, "INTR", 3, 1), Rec(13000, "BLOCK", 2, W),
        Rec(13500, "UNBLOCK", 2, W),
        Rec(14000, "SLICE_START", 2, 2, 1000), Rec(15000, "SLICE_EXPIRE", 2, 2), Rec(15200, "CH_DISABLE", 2, 3),
        Rec(16000, "SEM_WRITE", 1, 0, S0, 7, 9),
    ]


def test_channels(tmp):
    path = os.path.join(tmp, "channels")
    tf.write(path, made_channels())
    page_alone(path)
    compare_json(path, "channels")
    compare_html(path, "channels")
    j = Json(path)
    got = {(e["tid"], e["ts"], e["ts"] + e["dur"], e["name"]) for e in j.of("X", PID["Channels"])
           if e["tid"] % 2 or e["name"].startswith("waits") or e["name"] == "COPY"}
    same("channels: slices, late parts, waits, copies", got, {
        (3, 1300, 8300, "time slice"), (3, 6300, 8300, "slice over"),
        (3, 8400, 8420, "time slice"), (3, 11100, 12000, "time slice"),
        (5, 8600, 9600, "time slice"), (5, 14000, 15200, "time slice"), (5, 15000, 15200, "slice over"),
        (2, 8300, 8400, "waits: engine"), (4, 1400, 8500, "waits: acquire"), (6, 8700, 9700, "waits: acquire"),
        (6, 9800, 10600, "waits: gate"), (4, 13000, 13500, "waits: wfi"),
        (2, 1300, 8300, "COPY"), (4, 8600, 9600, "COPY"), (2, 11100, 12000, "COPY")})
    stores = {(e["pid"], e["tid"], e["ts"]) for e in j.of("X") if e["name"] == "store to a semaphore"}
    same("channels: stores that are no command", stores, {(2, 1, 9000), (7, 0, 10500)})
    names = {e["args"]["name"] for e in j.events if e["ph"] == "M" and e["name"] == "thread_name"}
    check({"channel 1 copy", "channel 1 copy: slices", "channel 3 compute", "copy engine 1"} <= names,
          "channels: names of threads", names)
    p = compare_svg(path, "channels")
    same("channels: slices in the picture", sorted(round(x, 1) for x, _, _, _ in p.rects("channel:1", ["sl"])),
         [round(p.x(t), 1) for t in (1300, 8400, 11100)])
    wait = p.rects("channel:2", ["wa"])
    check(len(wait) == 1 and abs(wait[0][1] - (p.x(8500) - p.x(1400))) < 0.11 and
          "waits for semaphore 0x%x" % S0 in wait[0][3] and "(7100 ns)" in wait[0][3],
          "channels: a wait has its place and a title that says for what", wait)
    check(any("aborted" in t for t in p.titles("engine:0")), "channels: an aborted copy says so")
    check(any("error" in t for t in p.titles("channel:1")), "channels: an error is marked")
    check(any(t.startswith("16.000 us: 7 to 9, by command 1") for t in p.titles("sem:%d" % S0)),
          "channels: a write's title says time, values and who", p.titles("sem:%d" % S0))
    # Nothing is drawn of the time when nothing happens, unless it is asked for.
    same("channels: the picture begins and ends with what there is to see", (p.start, p.end), (1100, 16000))
    same("channels: or as asked", Picture(path, "--from", "1000").start, 1000)
    # The same, cut: open spans go on beyond the cut, and values are those at the time of the cut.
    p = Picture(path, "--from", "5000", "--to", "9000")
    axis(p, "cut")
    check_curve(p, tf.read(path), S0, "cut")
    same("cut: copies in view", [len(p.rects("engine:%d" % e, ["c0", "c1", "c2"])) for e in (0, 1)], [1, 1])
    same("cut: copy clipped at the left edge", p.rects("engine:0", ["c0"])[0][0], p.left)
    check("engine:0" in p.lanes and "sem:%d" % GATE not in p.lanes, "cut: lanes without content are left out", p.lanes.keys())
    j = Json(path, "--from", "5000", "--to", "9000")
    same("cut: values at the beginning", {(e["name"], e["args"]["value"]) for e in j.of("C") if e["cat"] == "initial"},
         {("sem 0x%x" % S0, 0), ("sem 0x%x" % S1, 0), ("sem 0x%x" % GATE, 3)})
    same("cut: copies that overlap the view", j.spans("Engines", lambda e: e["args"]["event"] == "CE_START"),
         Counter({(0, 1300, 8300, "channel 1 copy 0"): 1, (1, 8600, 9600, "channel 2 copy 0"): 1}))
    # A flow that is cut is left out.
    j = Json(path, "--from", "8450")
    same("cut: flows have both ends", (len(j.of("s")), len(j.of("f")), [e["ts"] for e in j.of("f")]), (2, 2, [9700, 10600]))
    # Choice and names of lanes.
    p = Picture(path, "--lanes", "channel:2-3,sem:%#x" % S0, "--label", "channel:2=<low & slow>", "--title", "a \"b\"")
    same("lanes: only the wanted ones", sorted(p.lanes), sorted(["channel:2", "channel:3", "sem:%d" % S0]))
    check("<low & slow>" in p.texts() and 'a "b"' in p.texts(), "lanes: names given by the user", p.texts())
    p = Picture(path, "--width", "600")
    same("width: as wanted", p.width, 600)


def made_tasks():
    """Tasks and blocks of threads; records of SMs behind their window, as the device writes them."""
    return [
        Rec(500, "TASK_ACCEPT", 4, 0, 0x100, 0x100000001, 1), cmd(500, 4, "LAUNCH", 0x100),
        Rec(1500, "TASK_PEND", 0xffff, 0, 0x100, 0x100000001),
        Rec(1500, "TASK_SCHED", 0, 0, 0x100, 0x100000001, 1),
        Rec(1600, "CTA_START", 0, 0, 0x100000001, 0, 2), Rec(1700, "CTA_START", 1, 1, 0x100000001, 0, 2),
        Rec(10000, "CTA_START", 0, 2, 0x100000001, 2, 2),
        Rec(9000, "DIV_BRANCH", 0, 1 << 24 | 5, 9, 0xffff, 0xff),
        Rec(9500, "CTA_DONE", 1, 1, 0x100000001, 0),
        Rec(10000, "CHILD_LAUNCH", 0, 0, 0x200, 0x100000001, 0x100000002),
        Rec(10000, "TASK_ACCEPT", 4, 2, 0x200, 0x100000002, 2),
        Rec(11000, "TASK_PEND", 0xffff, 0, 0x200, 0x100000002),
        Rec(12000, "CTA_SAVE", 0, 2, 0x100000001, 2, 0),
        Rec(12000, "CTA_DONE", 0, 0, 0x100000001, 0),
        Rec(12000, "TASK_EVICT", 0, 0, 0x100, 0x100000001),
        Rec(12000, "TASK_SCHED", 0, 2, 0x200, 0x100000002, 2),
        Rec(12100, "CTA_START", 0, 0, 0x100000002, 0, 4),
        Rec(20000, "SEM_WRITE", 1, VALUE["PPU_TRW_SM"], S0, 0, 5),
        Rec(19500, "CTA_DONE", 0, 0, 0x100000002, 0),
        Rec(20000, "SEM_WRITE", 0, VALUE["PPU_TRW_TASK"], S1, 0, 1),
        Rec(20000, "TASK_DONE", 0, 2, 0x200, 0x100000002),
        Rec(20000, "TASK_RESUME", 1, 0, 0x100, 0x100000001, 1),
        Rec(20100, "CTA_RESTORE", 1, 2, 0x100000001, 4, 2),
        Rec(25000, "TASK_SCHED", 0, 3, 0x300, 0x100000003, 1), Rec(25100, "CTA_START", 0, 0, 0x100000003, 1, 1),
        Rec(27000, "TASK_ABORT", 0, 1, 0x300, 0x100000003),
        Rec(30000, "CTA_DONE", 1, 2, 0x100000001, 4),
        Rec(30000, "TASK_DONE", 1, 0, 0x100, 0x100000001),
        Rec(31000, "CE_DONE", 0, 9, 4, 512),            # begun before the trace
        Rec(31000, "TASK_SCHED", 0, 1, 0x400, 0x100000004, 1),
        Rec(31100, "CTA_START", 0, 0, 0x100000004, 7, 1),
        Rec(32000, "DOORBELL", 4, 1),                   # the trace ends: both go on
    ]


def greys(p):
    """{priority: grey of its tasks in slot 0}"""
    grey = {}
    for r in p.lanes["task:0"].iter(SVG + "rect"):
        m = re.search(r"priority (\d+)", r.find(SVG + "title").text)
        grey[int(m.group(1))] = int(r.get("fill")[1:3], 16)
    return grey


def test_tasks(tmp):
    path = os.path.join(tmp, "tasks")
    tf.write(path, made_tasks())
    j = Json(path)
    well_formed(j, "tasks")
    same("tasks: slots", j.spans("Task slots", lambda e: e["args"]["event"].startswith("TASK")), Counter({
        (0, 1500, 12000, "task 1 priority 0"): 1, (0, 12000, 20000, "task 2 priority 2"): 1,
        (1, 20000, 30000, "task 1 priority 0"): 1, (0, 25000, 27000, "task 3 priority 3"): 1,
        (0, 31000, 32000, "task 4 priority 1"): 1}))
    same("tasks: blocks", j.spans("SMs", lambda e: e["args"]["event"].startswith("CTA")), Counter({
        (1, 1600, 12000, "task 1 block 0"): 1, (257, 1700, 9500, "task 1 block 1"): 1,
        (3, 10000, 12000, "task 1 block 2"): 1, (1, 12100, 19500, "task 2 block 0"): 1,
        (256 + 1 + 4, 20100, 30000, "task 1 block 2"): 1, (2, 25100, 27000, "task 3 block 0"): 1,
        (8, 31100, 32000, "task 4 block 0"): 1}))
    ended = {e["name"] + "@%d" % e["ts"]: e["args"]["ended_by"] for e in j.of("X") if "ended_by" in e["args"]}
    same("tasks: what ended them", [ended[k] for k in (
        "task 1 priority 0@1500", "task 1 block 2@10000", "task 3 priority 3@25000", "task 4 priority 1@31000")],
        ["TASK_EVICT", "CTA_SAVE", "TASK_ABORT", "end of the trace"])
    flows(j, tf.read(path), "tasks")
    same("tasks: the front end", j.spans("Engines", lambda e: e["tid"] == 0xffff),
         Counter({(0xffff, 500, 1500, "channel 4 task 1"): 1}))
    same("tasks: a launch takes until the task is pending", [(e["ts"], e["dur"]) for e in j.of("X", PID["Channels"])
                                                             if e["name"] == "LAUNCH"], [(500, 1000)])
    same("tasks: a copy from before the trace", j.spans("Engines", lambda e: e["tid"] == 0), Counter({(0, 500, 31000, "channel 9 copy 4"): 1}))
    same("tasks: divergence stands with its warp", [(e["tid"], e["ts"], e["args"]["pc"]) for e in j.of("i", PID["SMs"])],
         [(2, 9000, 5)])
    p = compare_svg(path, "tasks")
    marks = Counter(m.get("class") for m in p.lanes["task:0"].iter(SVG + "path"))
    marks += Counter(m.get("class") for m in p.lanes["task:1"].iter(SVG + "path"))
    same("tasks: evictions and resumes are marked", (marks["ev"], marks["re"]), (1, 1))
    grey = greys(p)
    check(sorted(grey) == [0, 1, 2, 3] and grey[0] > grey[1] > grey[2] > grey[3] and grey[0] - grey[3] > 100,
          "tasks: the higher the priority the darker", grey)
    legend = p.texts()
    check(all(t in legend for t in ("evicted, suspended", "resumed", "task priority 2", "task priority 3 (highest)",
                                    "value of a semaphore")), "tasks: the legend says what things mean", legend)
    tf.write(os.path.join(tmp, "down"), made_tasks(), priority_order=1)      # SP-6
    down = Picture(os.path.join(tmp, "down"))
    grey = greys(down)
    check(grey[0] < grey[1] < grey[2] < grey[3] and "task priority 0 (highest)" in down.texts(),
          "tasks: the lower the number the darker, if numbers go down", grey)
    heights = {r.find(SVG + "title").text.split(",")[0]: float(r.get("height")) for r in p.lanes["sm:0"].iter(SVG + "rect")}
    check(abs(heights["SM 0: block 0 of task 2"] / heights["SM 0: block 2 of task 1"] - 2) < 0.05,
          "tasks: a block is as high as it has warps", heights)
    p = Picture(path, "--arrows")
    same("tasks: arrows", len([e for e in p.root.iter(SVG + "path") if e.get("class") == "ar" and
                               e.find(SVG + "title") is not None]), 1)


def test_reset_and_holders(tmp):
    """A reset ends everything; a channel that was out-sliced while it executed commands writes nothing."""
    path = os.path.join(tmp, "reset")
    tf.write(path, [
        Rec(0, "SLICE_START", 1, 2, 100), Rec(100, "SLICE_EXPIRE", 1, 2), cmd(150, 1, "SEM_INC", S0),
        Rec(200, "SLICE_START", 2, 2, 100), Rec(250, "BLOCK", 2, W), Rec(300, "SLICE_START", 1, 2, 1000),
        Rec(300, "CE_START", 0, 1, 0, 10), Rec(350, "CTA_START", 0, 0, 1, 0, 1), Rec(360, "TASK_SCHED", 0, 0, 0, 1),
        Rec(400, "RESET"), Rec(500, "DOORBELL", 1, 1)], copy_engines=1)
    j = Json(path)
    same("reset: slices", j.spans("Channels", lambda e: e["name"] == "time slice"), Counter({
        (3, 0, 200, "time slice"): 1, (5, 200, 250, "time slice"): 1, (3, 300, 400, "time slice"): 1}))
    open_ = [(e["name"], e["ts"] + e["dur"]) for e in j.of("X") if e["args"].get("ended_by") == "RESET"]
    same("reset: ends what was going on", sorted(open_), sorted([
        ("time slice", 400), ("channel 1 copy 0", 400), ("task 1 block 0", 400), ("waits: wfi", 400),
        ("task 1 priority 0", 400)]))


def test_pause_and_stale(tmp):
    """A paused channel completes its command; one that goes on without a new write was not woken by an old one."""
    path = os.path.join(tmp, "pause")
    tf.write(path, [
        Rec(0, "SLICE_START", 1, 2, 1000), cmd(0, 1, "COPY"), Rec(0, "CE_START", 0, 1, 0, 10),
        Rec(10, "SEM_WRITE", 2, 0, S0, 0, 1), cmd(10, 2, "SEM_INC", S0), Rec(20, "BLOCK", 3, A, S0, 2),
        Rec(50, "CH_DISABLE", 1, VALUE["PPU_TRD_PAUSE"]), Rec(60, "UNBLOCK", 3, A, S0, 2),
        Rec(100, "CE_DONE", 0, 1, 0, 10), Rec(200, "DOORBELL", 1, 1)])
    compare_json(path, "pause")
    compare_html(path, "pause")
    j = Json(path)
    same("pause: the slice lasts as long as the copy", j.spans("Channels", lambda e: e["name"] == "time slice"),
         Counter({(3, 0, 100, "time slice"): 1}))
    same("pause: no flow from an old write", j.of("s") + j.of("f"), [])


def test_contexts(tmp):
    """The same address in two contexts is two semaphores; a block used again is a new context."""
    path = os.path.join(tmp, "contexts")
    sm, cpu, task = (VALUE["PPU_TRW_" + n] for n in ("SM", "CPU", "TASK"))
    tf.write(path, [
        Rec(0, "CH_ENABLE", 1, 2, 0, 64, 0x1000), Rec(0, "CH_ENABLE", 2, 2, 0, 64, 0x2000),
        Rec(10, "SEM_WRITE", 1, 0, S0, 0, 1), cmd(10, 1, "SEM_INC", S0),
        Rec(20, "SEM_WRITE", 2, 0, S0, 5, 6), cmd(20, 2, "SEM_INC", S0),
        Rec(30, "BLOCK", 2, A, S0, 9), Rec(35, "SEM_WRITE", 1, 0, S0, 1, 2), cmd(35, 1, "SEM_INC", S0),
        Rec(40, "SEM_WRITE", 7, sm, S0, 6, 9), Rec(50, "UNBLOCK", 2, A, S0, 9),
        Rec(60, "SEM_WRITE", 0xffff, cpu, S0, 9, 8),
        Rec(62, "TASK_ACCEPT", 1, 0, 0, 77, 1), Rec(64, "TASK_SCHED", 3, 0, 0, 77, 1),
        Rec(66, "SEM_WRITE", 3, task, S0, 2, 3), Rec(66, "TASK_DONE", 3, 0, 0, 77),
        Rec(70, "CH_DISABLE", 1, 2), Rec(80, "CH_ENABLE", 1, 2, 0, 64, 0x1000),
        Rec(90, "SEM_WRITE", 1, 0, S0, 0, 40), cmd(90, 1, "SEM_RELEASE", S0), Rec(100, "EMPTY", 1),
        Rec(110, "CH_DISABLE", 2, 2), Rec(120, "CH_ENABLE", 2, 2, 0, 64, 0x2000),
        Rec(130, "SEM_WRITE", 2, 0, S0, 0, 50), cmd(130, 2, "SEM_RELEASE", S0)])
    compare_json(path, "contexts")
    compare_html(path, "contexts")
    compare_svg(path, "contexts")
    got = [(e["name"][len("sem 0x%x" % S0):], e["args"]["value"]) for e in Json(path).of("C") if e["cat"] == "write"]
    same("contexts: whose word it was", got, [("", 1), (" of context 1", 6), ("", 2), (" of context 1", 9),
                                              (" of context 1", 8), ("", 3), (" of context 2", 40),
                                              (" of context 3", 50)])
    names = Picture(path, "--label", "sem:%#x=S" % (2 << 48 | S0)).texts()
    check("sem 0x%x" % S0 in names and "sem 1:0x%x" % S0 in names and "S" in names, "contexts: names of lanes", names)
    same("contexts: an address means all of them", len(Picture(path, "--lanes", "sem:%#x" % S0).lanes), 4)


def test_long(tmp):
    """The size is bounded by width and lanes; nothing is lost: merged bars state how many bars they replace."""
    path, n = os.path.join(tmp, "long"), 60000
    recs = []
    for i in range(n):
        t = 1000 * i
        recs += [Rec(t, "CE_START", 0, 1, i, 64), Rec(t + 300, "CE_DONE", 0, 1, i, 64),
                 Rec(t + 300, "SEM_WRITE", 1, 0, S0, i, i + 1), Rec(t + 310, "SEM_WRITE", 1, 0, S1, 1 - i % 2, i % 2),
                 Rec(t + 320, "SEM_WRITE", 1, 0, GATE, (i + 2) % 3, i % 3),
                 Rec(t + 400, "CTA_START", i % 2, i, 7, i % 8, 1), Rec(t + 900, "CTA_DONE", i % 2, i, 7, i % 8)]
    tf.write(path, recs)
    recs = tf.read(path)
    p = compare_svg(path, "long")
    check(len(p.text) < 400000, "long: %d records make %d bytes" % (len(recs), len(p.text)))
    q = Picture(path, "--from", "30000000", "--to", "30100000")
    same("long: a part of it is drawn bar by bar", len(q.rects("engine:0", ["c0"])), 101)
    steps = q.rects("engine:0", ["c0"])
    check(all(abs(s[0] - q.x(30000000 + 1000 * i)) < 0.11 for i, s in enumerate(steps[:100])),
          "long: each at its time", steps[:3])
    dark = re.findall(r'class="de" [^>]*fill-opacity="([0-9.]+)"[^>]*><title>\d+ copies', p.text)
    check(dark and all(abs(float(d) - (0.15 + 0.65 * 0.3)) < 0.03 for d in dark),
          "long: merged bars are as dark as they are busy (30%)", dark[:5])
    # SM 0 has a block of one of its 8 warps for 500 of every 2000 ns.
    area = [e for e in p.lanes["sm:0"].iter(SVG + "path") if e.get("class") == "oc"][0].get("d")
    corners = [(float(x), float(y)) for x, y in re.findall(r"H([0-9.]+)V([0-9.]+)", area)]
    bottom = float(re.match(r"M[0-9.]+ ([0-9.]+)", area).group(1))
    high = [bottom - y for x, y in corners if p.left + 5 < x < p.right - 5]
    check(high and all(abs(h - 29 * 0.25 / 8) < 0.25 for h in high), "long: warps in use on the average", high[:5])
    # A word that goes up and down within a pixel is a stroke from the bottom to the top.
    for sem in (S1, GATE):
        at, points = {}, curve(p, sem)[0]
        for x, y in points:
            at.setdefault(x, set()).add(y)
        ends = [f(y for _, y in points) for f in (min, max)]
        flat = [x for x, ys in at.items() if [min(ys), max(ys)] != ends and p.left + 2 < x < p.right - 2]
        check(len(at) > 400 and not flat, "long: values within a pixel are all covered", flat[:5])
    many = [Rec(10 * k, "SEM_WRITE", 1, 0, 0x1000 + 16 * k, 0, 1) for k in range(60)]
    many += [Rec(10 * k, "DOORBELL", k, 1) for k in range(100)]
    many += [Rec(2000, "BLOCK", 1, A, 0x1000 + 16 * 59, 2)]
    tf.write(path, many)
    p = Picture(path)
    kinds = Counter(name.split(":")[0] for name in p.lanes)
    same("long: at most so many lanes of a kind", (kinds["channel"], kinds["sem"]), (64, 24))
    check("sem:%d" % (0x1000 + 16 * 59) in p.lanes, "long: semaphores somebody waited for come first")
    check(any(t.startswith("not shown: 36 semaphores") for t in p.texts()) and
          any(t.startswith("not shown: 36 channels") for t in p.texts()), "long: and the picture says so", p.texts()[-3:])
    same("long: lanes that were asked for are all shown", len(Picture(path, "--lanes", "channel:0-99").lanes), 100)


def test_damaged(tmp):
    """Exit status 3, and a sentence with the offset; 2 for a file that does not exist or an option not understood."""
    path, good = os.path.join(tmp, "bad"), made_channels()
    body = b"".join(r.pack() for r in good)

    def case(data, offset, word, name):
        with open(path, "wb") as f:
            f.write(data)
        for form in ([], ["--json", "-"], ["--svg", "-"]):
            out = run(*form, path)
            check(out.returncode == 3 and "at offset %d:" % offset in out.stderr and word in out.stderr and
                  len(out.stderr.splitlines()) == 1,
                  "damaged: %s %s" % (name, form[0] if form else "text"), "%d: %s" % (out.returncode, out.stderr))

    case(b"", 0, "no device trace", "empty file")
    case(b"hello, world", 0, "no device trace", "another file")
    case(tf.header()[:30], 30, "inside the header", "header cut off")
    case(tf.header(version=9) + body, 8, "version 9", "another version")
    case(tf.header(record_bytes=48) + body, 12, "48 bytes", "another size of records")
    case(tf.header(warps_per_sm=1 << 30) + body, 32, "warps per SM", "impossible device")
    case(tf.header() + body[:100], 148, "inside record 2 (20 of 40 bytes)", "record cut off")
    case(tf.header() + body[:80] + Rec(5, 60000).pack() + body[80:], 48 + 80 + 8, "event number 60000", "unknown event")
    out = run(os.path.join(tmp, "nothing"))
    check(out.returncode == 2 and "No such file" in out.stderr, "no such file: 2", out.stderr)
    tf.write(path, good)
    for args in (["--from", "x"], ["--to", "-1"], ["--lanes", "foo"], ["--lanes", "sm:1-"], ["--label", "sm=1"],
                 ["--width", "10"], ["--from", "9", "--to", "5"], ["--frobnicate"]):
        out = run(*args, path)
        check(out.returncode == 2 and out.stderr and not out.stdout, "wrong command line: 2: " + " ".join(args), out.stderr)
    out = run("--svg", os.path.join(tmp, "no/such/dir"), path)
    check(out.returncode == 2 and "No such file" in out.stderr, "cannot write: 2", out.stderr)
    out = run()
    check(out.returncode == 2 and out.stderr.startswith("usage"), "no trace named: 2")
    tf.write(path, [])
    p, j = Picture(path), Json(path)
    check(not p.lanes and p.status == 0 and not j.of("X"), "an empty trace makes an empty picture")


def test_nonsense(tmp):
    """Records that make no sense: no crash, and the output is well-formed."""
    path, bad = os.path.join(tmp, "nonsense"), []
    for seed in range(40):
        rng = random.Random(seed)
        recs = made_channels() + made_tasks()
        for _ in range(rng.randrange(1, 60)):
            r = rng.choice(recs)
            field = rng.choice(("time", "event", "unit", "a", "b", "c", "d"))
            if field == "event":
                r.event = rng.choice(list(NAME))
            elif field == "unit":
                r.unit = rng.choice((0, 1, 2, 65535))
            elif field == "a":
                r.a = rng.choice((0, 1, 5, 0xffffffff))
            else:
                setattr(r, field, rng.choice((0, 1, 7, 9000, 1 << 47, (1 << 64) - 1)))
        rng.shuffle(recs)
        tf.write(path, recs)
        for args in (["--json", "-"], ["--svg", "-", "--arrows"], []):
            out = run(*args, path)
            try:
                if args and args[0] == "--json":
                    json.loads(out.stdout)
                elif args:
                    ET.fromstring(out.stdout)
            except (ValueError, ET.ParseError) as err:
                bad.append("seed %d %s: %s" % (seed, args, err))
            if out.returncode:
                bad.append("seed %d %s: status %d %s" % (seed, args, out.returncode, out.stderr))
    check(not bad, "nonsense: 40 traces", "\n".join(bad))


def test_text(tmp):
    """Lines in the order of the file, all of them; --from and --to."""
    path = os.path.join(tmp, "text")
    for recs in (made_channels(), made_tasks()):
        tf.write(path, recs)
        lines = run(path).stdout.splitlines()
        same("text: a line for each record", [(int(l.split()[0]), l.split()[1]) for l in lines[1:]],
             [(r.time, r.name) for r in recs])
        lines = run("--from", "9000", "--to", "12000", path).stdout.splitlines()
        same("text: from and to", [int(l.split()[0]) for l in lines[1:]],
             [r.time for r in recs if 9000 <= r.time <= 12000])
    tf.write(path, [Rec(7, "CE_START", 1, 2, 3, 4, 0x55), Rec(8, "BLOCK", 1, G, S0, 7), Rec(9, "CTA_SAVE", 1, 2, 3, 4, 1)])
    lines = run(path).stdout.splitlines()
    same("text: names and values", [" ".join(l.split()) for l in lines[1:]], [
        "7 CE_START engine=1 channel=2 copy_id=3 bytes=4 dst=0x55",
        "8 BLOCK channel=1 reason=gate addr=0x%x value=7" % S0,
        "9 CTA_SAVE sm=1 cta=2 task=0x3 warp_slot=4 reason=children"])


# --- traces of the device ------------------------------------------------------------------------------

def device_trace(tmp, name, command, props):
    path = os.path.join(tmp, name)
    env = dict(os.environ, PPU_BACKEND="core", PPU_TRACE=path, PPU_PROPS=props)
    out = subprocess.run(command, env=env, cwd=tmp, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                         timeout=200, check=False)
    check(out.returncode == 0, name + ": runs", out.stdout + out.stderr)
    return path, out.stdout


def test_kernel(tmp):
    path, _ = device_trace(tmp, "reduction", [
        os.path.join(BUILD, "bin/ppu-run"), "--quiet", os.path.join(BUILD, "samples/reduction.ptx"), "reduction", "4",
        "64", "buf:4000,iota32", "u32:1000", "buf:4"], "gpcs=1 sms-per-gpc=2")
    compare_json(path, "reduction")
    compare_html(path, "reduction")
    compare_svg(path, "reduction")


def test_pipeline(tmp):
    path, _ = device_trace(tmp, "pipeline", [os.path.join(BUILD, "bin/sample-pipeline")],
                           "gpcs=1 sms-per-gpc=2 timeslice=30000")
    compare_json(path, "pipeline")
    compare_html(path, "pipeline")
    compare_svg(path, "pipeline")


def test_copy_priority(tmp):
    """CP-35: the sample's numbers, and that its pictures show what it says."""
    path, out = device_trace(tmp, "copy-priority", [os.path.join(BUILD, "bin/sample-copy-priority")], "copy-engines=1")
    compare_json(path, "copy-priority")
    compare_html(path, "copy-priority")
    compare_svg(path, "copy-priority", "--lanes", "channel,front,engine,task,sm,sem:0-0xffffffffffff")
    frames = [[float(v) for v in line.split()[1:]] for line in out.splitlines() if re.match(r" +\d+ ", line)]
    check(len(frames) == 8 and frames[4][1] < frames[4][0], "CP-35: latency of frame 4 with priorities", out)
    off, on = ([f[i] for f in frames] for i in (0, 1))
    check(max(on) - min(on) < max(off) - min(off) and sum(on) < sum(off), "CP-35: jitter and mean latency", out)
    lanes = {}
    for which in ("off", "on"):
        with open(os.path.join(tmp, "copy-priority-%s.svg" % which), encoding="utf-8") as f:
            root = ET.fromstring(f.read())
        names = ["".join(t.itertext()) for t in root.iter(SVG + "text") if t.get("class") == "na"]
        lanes[which] = names
        engine = [g for g in root.iter(SVG + "g") if g.get("data-lane") == "engine:0"][0]
        copies = [r for r in engine.iter(SVG + "rect")]
        same("CP-35: copies in the picture " + which, len(copies), 8 * (12 + 4))
    stages = ["upload", "decode", "filter", "encode", "download"]
    same("CP-35: lanes without priorities", lanes["off"], stages + ["copy engine 0"])
    same("CP-35: lanes with priorities", lanes["on"], stages + ["copy engine 0"] + [
        "S%d (%s)" % (k + 1, stages[k]) for k in range(1, 5)])


def main():
    with tempfile.TemporaryDirectory(prefix="ppu-trace-") as tmp:
        for test in (test_text, test_channels, test_tasks, test_reset_and_holders, test_pause_and_stale, test_contexts, test_long, test_damaged, test_nonsense,
                     test_kernel, test_pipeline, test_copy_priority):
            test(tmp)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
