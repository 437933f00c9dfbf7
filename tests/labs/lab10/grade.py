# SPDX-License-Identifier: MIT
"""Lab 10: the divergence unit of the SM.

The student's files replace two files of the device's core. A program, `machine`, has them and the rest of the core; it
runs kernels and prints what happened. It runs inside the virtual machine as a user without rights, started by
`exercise`, which contains no code of the student's. The grader compares what was printed with what should be: results
with the `result` line of each kernel, which says what each lane computes by itself; events with kernels/NAME.expect,
made with the device's own unit (`expect.py`). Random programs are compared with a reference that runs each thread
alone, without other threads (tests/unit/lib/simt_prog.c).

The output comes from a process with the student's code in it. That code reaches neither the grader's process nor the
other kernels. But a submission that prints what kernels/*.expect say, instead of doing it, would get these points, and
only a reader of its source would notice. It cannot cheat with random programs of a LAB_SEED that it does not know."""

import os
import sys

from ppulab import Lab

HERE = os.path.dirname(os.path.realpath(__file__))
if HERE not in sys.path:
    sys.path.insert(0, HERE)
import kernels      # noqa: E402
import lanes        # noqa: E402
import unit         # noqa: E402

NEEDS = ["lib/liblab10.a", "lib/libppucore.a", "lib/libppu.a"]      # of the build
RANDOM = 240            # programs

lab = Lab(10, "SIMT: the divergence queue and YIELD", page="10-simt.md", kind="core", student=list(unit.FILES),
          libs=["lab10", "ppu", "ppucore"], cflags=["-Wno-unused-function"], marked=unit.marked,
          package=["qemu-device/core/*.h"])
# The program counts steps of the student's code to find endless loops, and does not use a clock: see lib/labends.c.
lab.program("machine", *unit.FILES, cflags=["-fsanitize-coverage=trace-pc"])
lab.exercise("exercise.c", "lib/labchild.c", libs=["lab10"])
lab.scenario("kernels", cmd=["exercise", "kernels", *kernels.names()], pack=kernels.pack(), timeout=120,
             smp=1, trace="program")
lab.scenario("random", cmd=["exercise", "random", os.environ.get("LAB_SEED") or "1", str(RANDOM)], timeout=120,
             smp=1)
lab.picture("kernels", draw=lanes.draw)
lab.skeleton_points = 0

# name, points, text, groups of the test of the queue alone, kernels
CRITERIA = [
    ("queue order", 10, "The queue alone: last in first out at the front, yields first in first out", ["order"], []),
    ("tracking bits", 6, "Every token knows what is below it", ["tracking"], ["five_tokens"]),
    ("merge and find", 6, "The queue alone: merging, corresponding tokens", ["merge"], []),
    ("recentring", 7, "Tokens move to the middle when an end is reached", ["recentre"],
     ["recentre_back", "recentre_front", "recentre_driver", "yield_ping_pong"]),
    ("if and else", 9, "Branches that part, SYNC", [],
     ["if_else", "if_else_other_side", "nested_ifs", "switch", "uniform", "sync_some"]),
    ("loops", 7, "Break and continue", [], ["break_by_lane", "continue", "nested_loops"]),
    ("calls", 7, "Functions that lanes leave at different places", [],
     ["call_return", "call_indirect", "yield_in_function"]),
    ("exit", 6, "Lanes that end early stay away", [], ["early_exit", "exit_token", "exit_one_by_one"]),
    ("yield", 9, "YIELD lets the others run, in turn", [],
     ["yield_alone", "yield_opts_out", "yield_some", "yield_fifo", "yield_every", "tour"]),
    ("merging yields", 5, "Groups that yield at one address go on together", [],
     ["merge", "merge_off", "merge_keeps_place", "convergence"]),
    ("forward progress", 9, "Lanes that wait for each other all come to their end", [],
     ["spin_lock", "lock_before_if", "chain", "producer_consumer", "park"]),
    ("fallback", 7, "SYNC, BRK, CONT without a token are branches", [],
     ["fallback_live", "fallback_stale", "fallback_some", "fallback_keeps", "address_matters", "two_waits"]),
    ("faults", 5, "A full queue, foreign tokens and bad addresses are faults, and nothing worse", [],
     ["overflow", "corrupt_zero", "corrupt_lanes", "corrupt_address", "corrupt_reserved", "lost_lanes", "bad_pc",
      "yield_last", "deadlock"]),
]


def share(points, part, parts):
    """How many points one of several parts is worth: together they are worth all points."""
    return points * (part + 1) // parts - points * part // parts


def criterion(name, points, text, groups, names):
    def judge(c, runs):
        r = runs["kernels"]
        wrong = [kernels.queue_sentence(r, g) for g in groups] + [kernels.sentence(r, k) for k in names]
        if all(wrong):
            points_of = [points] + [0] * len(wrong)
        else:
            points_of = [max(1, share(points, i, len(wrong))) for i in range(len(wrong))]
        sums = {}
        for lost, sentence in zip(points_of, wrong):
            if sentence:
                sums[sentence] = sums.get(sentence, 0) + lost
        for sentence, lost in sums.items():
            c.lose(lost, sentence)
    lab.criterion(name, points, text, runs=["kernels"])(judge)


for _args in CRITERIA:
    criterion(*_args)


@lab.criterion("random programs", 7, "%d random programs leave what each thread alone leaves" % RANDOM, runs=["random"])
def random_programs(c, runs):
    kernels.judge_random(c, runs["random"], RANDOM)
