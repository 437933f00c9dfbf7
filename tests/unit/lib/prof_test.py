# SPDX-License-Identifier: MIT
"""Tests of ppu-prof: ppu_prof.sh gives a directory with the program `profiled`. TAP."""

import json
import os
import re
import subprocess
import sys

from tap import failed, is_

TMP = sys.argv[1]
BUILD = os.environ["BUILD"]
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "profiled.cu")
PROF = BUILD + "/bin/ppu-prof"
WARPS = 128         # of 16 blocks of 256 threads

with open(SOURCE, encoding="utf-8") as f:
    LINES = f.read().split("\n")


def line(text, nth=0):
    return [i + 1 for i, l in enumerate(LINES) if text in l][nth]


def run(args, options=(), props="", status=0):
    """What ppu-prof says of one run: JSON, and its text."""
    out = TMP + "/out.json"
    env = dict(os.environ, PPU_PROPS=props)
    done = subprocess.run([PROF, "--json", out, *options, TMP + "/profiled", *args.split()], env=env, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != status:
        print("# " + done.stderr.replace("\n", "\n# "))
        is_(done.returncode, status, "exit status of " + args)
    with open(out, encoding="utf-8") as f:
        j = json.load(f)
    j["stderr"], j["stdout"] = done.stderr, done.stdout
    return j


def sums(j, text, nth=0, kernel=0):
    """Counts of a line of the program."""
    for l in j["kernels"][kernel]["lines"]:
        if l["line"] == line(text, nth) and j["files"][l["file"]]["path"].endswith("profiled.cu"):
            return l["counts"]
    return {}


def memory(j, does, kernel=0):
    """Counts of the loads ("ld.") or stores of global memory."""
    found = {}
    for i in j["kernels"][kernel]["instructions"]:
        if i["text"].startswith(does + ".global") or (" " + does + ".global") in i["text"]:
            for k, v in i["counts"].items():
                found[k] = found.get(k, 0) + v
    return found


def kinds(j):
    return sorted({f["kind"] for k in j["kernels"] for f in k["findings"]})


def totals(j, what):
    """What was counted by instruction is what the device counted, and so is what was seen of addresses."""
    c, s = j["counters"], j["counts"]
    pairs = {"warp_instructions": "warps", "thread_instructions": "threads", "divergent_branches": "divergent", "yields": "yields",
             "barrier_waits": "barriers", "atomic_instructions": "atomics", "memory_reads": "reads", "memory_writes": "writes",
             "l1_hits": "l1_hits", "l1_misses": "l1_misses", "memory_waits": "memory_waits", "memory_lines": "memory_lines"}
    is_({a: s.get(b, 0) for a, b in pairs.items()}, {a: c[a] for a in pairs}, what + ": sums of instructions are the device's counters")
    is_(s.get("cycles", 0), c["sm_busy_ns"], what + ": cycles of issue are the SMs' busy time")
    for l in j["launches"]:
        stalls = sum(v for k, v in l["counts"].items() if k.startswith("stall_"))
        is_(l["issue_cycles"] + stalls, l["warp_cycles"], f"{what}: launch {l['number']}: warps issue or wait for something")


# ---- global memory -----------------------------------------------------------------------------------------

# stride and offset in words: sectors of 32 bytes and lines of 128 that 32 lanes are in, and those that would do
for args, sectors, lines, ideal, ideal_lines, told in (
        ("strided 1", 4, 1, 4, 1, []), ("strided 2", 8, 2, 4, 1, ["sectors"]), ("strided 8", 32, 8, 4, 1, ["sectors"]),
        ("strided 32", 32, 32, 4, 1, ["sectors"]), ("strided 0", 1, 1, 1, 1, []), ("strided 1 1", 5, 2, 4, 1, []),
        ("wide", 16, 4, 16, 4, [])):
    j = run(args)
    m = memory(j, "ld")
    got = [m.get(k, 0) / WARPS for k in ("accesses", "sectors", "lines", "ideal_sectors", "ideal_lines")]
    is_(got, [1, sectors, lines, ideal, ideal_lines], args + ": sectors and lines of an access")
    size = 16 if args == "wide" else 4
    is_((m["bytes"], m["access_lanes"]), (4096 * size, 4096), args + ": bytes that were asked for")
    is_(kinds(j), told, args + ": what is told")
    totals(j, args)
j = run("strided 32")
is_([f["text"] for f in j["kernels"][0]["findings"]],
    [f"line {line('in[i * stride')}: each warp touches 32 sectors where 4 would do: neighbouring threads read addresses 128 bytes apart"],
    "the sentence about it")
is_(f"  profiled.cu: {j['kernels'][0]['findings'][0]['text']}\n" in j["stderr"], True, "is in the text")
k = j["kernels"][0]
is_((k["launches"], k["counts"]["warps"], k["counts"]["threads"] / k["counts"]["warps"]),
    (1, WARPS * len(k["instructions"]), 32), "without branches each warp does each instruction once, with 32 lanes")

j = run("transpose_naive")
w, r = memory(j, "st"), memory(j, "ld")
is_([r["sectors"], w["sectors"], w["ideal_sectors"], w["lines"]], [2048 * 4, 2048 * 32, 2048 * 4, 2048 * 32],
    "naive transpose: reads 4 sectors, writes 32")
is_([f["text"].split(": ", 1)[1] for f in j["kernels"][0]["findings"]],
    ["each warp touches 32 sectors where 4 would do: neighbouring threads write addresses 1024 bytes apart"], "and why it is slow")
totals(j, "naive transpose")
j = run("transpose_banks")
is_(kinds(j), ["banks"], "transpose by way of a tile of 32 words a row: banks")
s = sums(j, "tile[threadIdx.x * PITCH + i]")
is_((s["passes"] / s["shared"], s["most_ways"], s["sectors"] / s["accesses"]), (32, 32, 4), "its reads of the tile: 32 passes")
totals(j, "banks")
j = run("transpose_right")
is_(kinds(j), [], "transpose with 33 words a row: nothing is told")
s = sums(j, "tile[threadIdx.x * PITCH + i]")
is_((s["passes"] / s["shared"], s["most_ways"]), (1, 1), "its reads of the tile: one pass")
totals(j, "right transpose")

# ---- shared memory ------------------------------------------------------------------------------------------

for args, ways, told in (("banks 1", 1, []), ("banks 2", 2, ["banks"]), ("banks 4", 4, ["banks"]), ("banks 32", 32, ["banks"]),
                         ("banks 33", 1, []), ("banks 0", 1, [])):
    j = run(args)
    s = sums(j, "s[threadIdx.x * stride]")
    is_((s["shared"], s["passes"], s["ideal_passes"], s["most_ways"], s["shared_bytes"]), (64, 64 * ways, 64, ways, 64 * 32 * 4),
        args + ": ways of a bank conflict")
    is_(kinds(j), told, args + ": what is told")
# words of 8 bytes: 16 lanes at a time
for args, passes, ways in (("banks8 1", 2, 1), ("banks8 2", 4, 2), ("banks8 16", 32, 16), ("banks8 33", 2, 1)):
    j = run(args)
    s = sums(j, "s[threadIdx.x * stride]")
    is_((s["passes"] / 64, s["ideal_passes"] / 64, s["most_ways"]), (passes, 2, ways), args + ": ways with 8 bytes")

# ---- threads ------------------------------------------------------------------------------------------------

for width in (1, 2, 4, 8, 32):
    j = run(f"rounds {width}")
    s = sums(j, "for (int k = threadIdx.x % width")
    is_(j["counts"].get("parted", 0), WARPS * (width - 1), f"lanes with 1 to {width} rounds: a warp parts {width - 1} times")
    is_(kinds(j), ["divergence"] if width > 1 else [], f"rounds {width}: what is told")
    c = j["counts"]
    is_(c["threads"] + c.get("off", 0) + c.get("away", 0), 32 * c["warps"], f"rounds {width}: lanes execute, are off, or away")
    totals(j, f"rounds {width}")
for n in (1, 10):
    j = run(f"barriers {n}")
    is_(j["counts"]["barriers"], WARPS * n, f"{n} barriers: each warp waits at each")
    is_(kinds(j), [], "where all warps do the same nothing is told")
    totals(j, f"{n} barriers")
j = run("late 400")

c = j["counts"]
is_(kinds(j), ["barrier"], "a warp that comes late: told")
is_(c["stall_barrier"] > 0.1 * j["launches"][0]["warp_cycles"] and c["barrier_lack"] > 0.75 * c["barrier_work"], True,
    "seven warps of eight have little to do")
totals(j, "late")
is_(kinds(run("late 1")), [], "a warp that comes when the others do: nothing")

for width, same in ((1, 1), (2, 2), (8, 8), (32, 32)):
    j = run(f"votes {width}")
    c = j["counts"]
    is_((c["atomics"], c["atomic_lanes"], c.get("collisions", 0), c["most_same"]), (WARPS, 4096, 4096 - 4096 // width, same),
        f"{width} lanes change one word: collisions")
    is_(kinds(j), ["atomics"] if width >= 8 else [], f"votes {width}: what is told")
    totals(j, f"votes {width}")
j = run("votes 32")
f = j["kernels"][0]["findings"][0]
is_((f["line"], j["files"][f["file"]]["path"].endswith("profiled.cu")), (line("atomicAdd"), True), "told of the program's line")

j = run("local")
c = j["counts"]
is_((c["local"], c["local_bytes"], c["local_sectors"]), (WARPS * 17, 4096 * 17 * 4, WARPS * (16 * 4 + 32)),
    "a local array: 16 stores in a row, a load that is all over")
is_(kinds(j), ["local"], "is told")
totals(j, "local")

# ---- blocks, grid, occupancy ---------------------------------------------------------------------------------

is_(kinds(run("block 40")), ["block"], "a block of 40 threads")
is_(kinds(run("block 64")), [], "a block of 64")
is_(kinds(run("grid 4")), ["grid"], "a grid that is too small")
is_(kinds(run("grid 15")), [], "one that is not")
for dynamic, want, limit in ((0, 5, "the grid"), (40000, 2, "shared memory"), (20000, 4, "shared memory"), (49152, 2, "shared memory")):
    j = run(f"shared {dynamic}")
    l = j["launches"][0]
    blocks = int(j["stdout"].split()[1])
    is_((l["blocks_per_sm"], l["limit"]), (want, limit), f"{dynamic} bytes of shared memory: blocks of an SM")
    is_(min(v for k, v in l["limits"].items() if k != "grid"), blocks, "as cudaOccupancyMaxActiveBlocksPerMultiprocessor says")
    is_(l["theoretical_occupancy"], want * 8 / 64, "theoretical occupancy")
    is_(kinds(j), ["occupancy"] if want < 4 else [], "what is told")
# A block alone on its SM: its warps are there until they end.
j = run("grid 1")
l = j["launches"][0]
is_((l["sms"], l["blocks"], l["warps"], l["sm_cycles"]), (1, 1, 2, l["end_ns"] - l["begin_ns"]), "one block: time and cycles")
is_(round(l["warp_cycles"] / l["sm_cycles"] / 64, 4), l["occupancy"], "achieved occupancy")

# ---- arithmetic, time, launches -------------------------------------------------------------------------------

c = run("flops")["counts"]
is_((c["flops_f32"], c["flops_f64"]), (4096 * 3, 4096 * 2), "operations: fma and mul, fma")

j = run("launches 20")
is_((j["kernels"][0]["launches"], len(j["launches"]), kinds(j)), (20, 20, ["gaps"]), "many short launches")
t = j["timeline"]
busy = sum(l["end_ns"] - l["begin_ns"] for l in j["launches"])
is_((t["kernels_ns"], j["kernels"][0]["time_ns"]), (busy, busy), "one after the other: their times add up")
is_(t["path_kernels_ns"] + t["path_copies_ns"] + t["path_gaps_ns"], t["to_ns"] - t["from_ns"], "the critical path is all of the time")
gaps = sum(b["begin_ns"] - a["end_ns"] for a, b in zip(j["launches"], j["launches"][1:]))
is_(t["stream_gaps_ns"], gaps, "gaps of the stream")
is_(sum(l["counts"]["warps"] for l in j["launches"]), j["counters"]["warp_instructions"], "launches add up to the device's counter")

j = run("streams 5000")
streams = {l["stream"] for l in j["launches"]}
is_((len(j["launches"]), streams), (4, {1, 2}), "two streams")
long = [l for l in j["launches"] if l["stream"] == 2]
is_([l["critical"] for l in long], [True, True], "the longer stream is critical")
is_(j["timeline"]["kernels_ns"] < sum(l["end_ns"] - l["begin_ns"] for l in j["launches"]), True, "kernels of two streams run at once")
totals(j, "streams")

# ---- the memory system -----------------------------------------------------------------------------------------

j = run("transpose_naive", ["--memory"])
totals(j, "memory")
s = j["counts"]
is_(s["lines"], j["counters"]["memory_lines"], "lines that follow from addresses are those that the device moved")
waited = sum(i["counts"].get("memory_waits", 0) * i["counts"]["cycles"] // i["counts"]["warps"]
             for i in j["kernels"][0]["instructions"])
is_(s["stall_memory"] + waited, j["counters"]["memory_wait_ns"], "waits are those of the device, without the issue of what waits")
is_(kinds(j), ["memory", "sectors"], "what is told")
j = run("transpose_right", ["--caches"])
totals(j, "caches")
is_(j["counts"]["lines"], j["counters"]["memory_lines"], "lines, by the model of the caches")
is_((j["counts"]["l1_misses"], j["counts"].get("l1_hits", 0)), (2048, 0), "each line is loaded once")
j = run("strided 32", ["--caches"])
is_(memory(j, "ld")["l1_misses"], 4096, "a line for each thread")

# ---- coverage ---------------------------------------------------------------------------------------------------

subprocess.run([PROF, "--lcov", TMP + "/lcov", "--text", "/dev/null", TMP + "/profiled", "covered", "3"], check=True)
with open(TMP + "/lcov", encoding="utf-8") as f:
    parts = [p for p in f.read().split("end_of_record") if "/profiled.cu\n" in p]
is_(len(parts), 1, "lcov: one record of the file")
record = parts[0].split("\n")
da = dict((int(a), int(b)) for a, b in (l[3:].split(",") for l in record if l.startswith("DA:")))
is_(da[line("void covered") + 1], 4096, "lcov: all threads come to the kernel")
is_(da[line("out[i] * 3 + k")], 2048 * 3, "lcov: half of them do three rounds")
is_(da[line("out[i] * 5 + k")], 0, "lcov: nobody is here")
is_(da[line("out[threadIdx.x] = 1")], 0, "lcov: a kernel that was not launched")
fn = dict(l[5:].split(",", 1)[::-1] for l in record if l.startswith("FNDA:"))
is_((fn["covered(int*, int)"], fn["never(int*)"]), ("4096", "0"), "lcov: functions")
brda = [l[5:].split(",") for l in record if l.startswith("BRDA:")]
is_([b[3] for b in brda if int(b[0]) == line("i % 2")], ["2048", "2048"], "lcov: a branch, both ways")
lf, lh = (int([l for l in record if l.startswith(k)][0][3:]) for k in ("LF:", "LH:"))
is_((lf, lh), (len(da), sum(v > 0 for v in da.values())), "lcov: lines found and hit")

# ---- ranges -------------------------------------------------------------------------------------------------------

j = run("ranges")
names = {r["number"]: (r["text"], r["kind"], r["count"], r["parent"]) for r in j["ranges"]}
is_([names[i] for i in sorted(names)],
    [("round", "push", 2, 0), ("some", "push", 2, 1), ("between", "mark", 2, 1), ("the \u00e9nd", "start", 1, 0), ("some", "push", 1, 0)],
    "NVTX: ranges by name, those of a loop are one")
is_([l["range"] for l in j["launches"]], [0, 2, 2, 2, 2, 4, 0], "NVTX: launches by range")
is_(j["stdout"], "levels 0\n", "NVTX: a range that is not in another one has level 0")
is_("      4       2  round\n" in j["stderr"] and "      4       2    some\n" in j["stderr"], True,
    "NVTX: in the text, outer ranges have what inner ones have")
alone = subprocess.run([TMP + "/profiled", "ranges"], check=True, stdout=subprocess.PIPE, text=True,
                       env=dict(os.environ, LD_LIBRARY_PATH=BUILD + "/lib/cuda"))
is_(alone.stdout, "levels -2222\n", "NVTX: without ppu-prof nothing is there")

# ---- the page, modules, other programs ----------------------------------------------------------------------------

j = run("rounds 4", ["--html", TMP + "/page.html"])
with open(TMP + "/page.html", encoding="utf-8") as f:
    page = f.read()
with open(TMP + "/out.json", encoding="utf-8") as f:
    data = f.read()
is_((page.count(data), "src=" in page, "http" in page.replace(data, "").replace("http://www.w3.org/2000/svg", "")), (1, False, False),
    "the page has the JSON, and fetches nothing")
is_(any("<" in l["text"] for l in j["kernels"][0]["instructions"]) or "<" in data, False, "nothing of the program is markup there")

# The device is opened twice, and a child has one of its own: each is counted, and the same module is one.
j = run("again", status=0)
is_((len(j["kernels"]), j["kernels"][0]["launches"], [l["begin_ns"] > 0 for l in j["launches"]]), (1, 3, [True] * 3),
    "a device for the program, again, and for a child")
is_(j["counts"]["warps"], j["counters"]["warp_instructions"], "counters are those of all three")
is_(sorted(l["begin_ns"] for l in j["launches"]), [l["begin_ns"] for l in j["launches"]], "time goes on")
j = run("dies", status=134)
is_((j["complete"], "did not end as usual" in j["stderr"]), (False, True), "a program that aborts")

# Without lines: instructions.
if os.path.exists(TMP + "/records"):
    os.unlink(TMP + "/records")
subprocess.run([BUILD + "/bin/ppu-run", "--quiet", BUILD + "/samples/vector_add.ptx", "vector_add", "64", "64", "buf:16384", "buf:16384",
                "buf:16384", "u32:4096"], check=True, env=dict(os.environ, PPU_PROF=TMP + "/records"))
with open(TMP + "/records", encoding="utf-8") as f:
    records = f.read().split("\n")
is_((records[0], records[-2], sum(r.startswith("insn ") for r in records)), ("open", "end", 19), "PPU_PROF without the command")

# Records that are damaged: what refers to nothing is left out.


def damaged(text, what):
    """What ppu-prof says of these records, as JSON."""
    with open(TMP + "/damaged", "w", encoding="utf-8") as f:
        f.write(text)
    done = subprocess.run([PROF, "--json", TMP + "/out.json", "--lcov", TMP + "/lcov", "--text", "/dev/null", "sh", "-c",
                           'cat "$0" >"$PPU_PROF"', TMP + "/damaged"], check=False, stderr=subprocess.PIPE, text=True)
    is_(done.returncode, 0, "damaged records: " + what)
    if done.returncode:
        return {"kernels": [], "ranges": []}
    with open(TMP + "/out.json", encoding="utf-8") as f:
        return json.load(f)


subprocess.run([PROF, "--text", "/dev/null", "sh", "-c", '"$0" ranges && cp "$PPU_PROF" "$1"', TMP + "/profiled", TMP + "/records"],
               check=True, stdout=subprocess.DEVNULL)
with open(TMP + "/records", encoding="utf-8") as f:
    text = f.read()
lines = text.split("\n")
j = damaged(text, "none")
is_((len(j["kernels"]), len(j["launches"]), len(j["ranges"])), (1, 7, 5), "all is there")
j = damaged("launch of a rocket\n\ncode pc=0 text=exit\nfile number=0\ninsn pc=1\n" + text, "what belongs to nothing")
is_((len(j["kernels"]), len(j["ranges"])), (1, 5), "does no harm to others")
half = len(text) // 2
damaged(text[:half] + "open\n" + text[half:], "one in another")
damaged("device sms=1\nmodule number=1\nkernel number=0 module=9\nlaunch kernel=5 blocks=1\n" + text, "a device without an end")
for kind in ("device", "module", "file", "function", "code", "kernel", "insn", "launch", "range", "end"):
    damaged("\n".join(l for l in lines if not l.startswith(kind + " ") and l != kind), "without " + kind)
for key in ("number", "pc", "insns", "file", "module", "kernel", "range", "parent", "kind", "block", "sms", "lines"):
    for value in ("999999", "4294967295", "x"):
        damaged(re.sub(rf"\b{key}=[0-9]+", f"{key}={value}", text), f"{key}={value}")
damaged(re.sub(r"\bparent=[0-9]+", "parent=2", text), "a range in itself")

# ---- options ----------------------------------------------------------------------------------------------------

j = run("none")
is_((j["kernels"], j["launches"], j["complete"]), ([], [], True), "a program that launches nothing")
j = run("wrong", status=2)
is_(j["program_status"], 2, "the program's status")
done = subprocess.run([PROF, "/bin/true"], check=False, stderr=subprocess.PIPE, text=True)
is_((done.returncode, "nothing was counted" in done.stderr), (0, True), "a program without a PPU")
done = subprocess.run([PROF, "--what"], check=False, stderr=subprocess.PIPE, text=True)
is_((done.returncode, done.stderr), (2, "ppu-prof: there is no option --what (--help says more)\n"), "a wrong option")
done = subprocess.run([PROF, TMP + "/profiled", "none"], check=False, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                      env=dict(os.environ, PPU_CHECK="memcheck"))
is_(done.returncode, 3, "not together with ppu-check: no call works")

# Nothing else changes: the same events at the same times.
for name, command in (("a", []), ("b", [PROF, "--text", "/dev/null"])):
    subprocess.run(command + [BUILD + "/bin/cuda-reduction"], check=True, stdout=subprocess.DEVNULL,
                   env=dict(os.environ, PPU_TRACE=TMP + "/" + name, LD_LIBRARY_PATH=BUILD + "/lib/cuda"))
with open(TMP + "/a", "rb") as a, open(TMP + "/b", "rb") as b:
    one, two = a.read(), b.read()
is_((len(one) > 2000, one == two), (True, True), "the trace is that of the program alone")

sys.exit(1 if failed else 0)
