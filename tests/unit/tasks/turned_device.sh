#!/bin/sh
# SPDX-License-Identifier: MIT
# SP-6: the tests of tasks, children, preemption and priorities pass on a device of which 0 is the highest priority
# (property priority-order); tests/unit/lib/bench.h and rt_turn.h say how.  Then with both directions turned at once.
# At last the traces of two samples are compared record by record: they differ in the numbers of priorities only.
PPU_TURNED_DEVICE=1
export PPU_TURNED_DEVICE
for t in test_tmu test_tmu_random test_children test_wdu test_taskq test_preempt test_rt_prio test_rt_copyprio test_rt_cdp; do
	"$BUILD/unit/$t" || exit 1
done
PPU_TURNED=1 "$BUILD/unit/test_rt_prio" || exit 1

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
for sample in quicksort priority-pipeline; do
	for order in 0 1; do
		PPU_BACKEND=core PPU_PROPS=priority-order=$order PPU_TRACE="$tmp/$order" \
			"$BUILD/bin/sample-$sample" "$tmp" >"$tmp/$order.said" || exit 1
	done
	cmp "$tmp/0.said" "$tmp/1.said" || exit 1
	PYTHONPATH=tests/unit/lib python3 -B - "$tmp/0" "$tmp/1" <<'END' || exit 1
import sys
import trace_file as tf

SAYS = {tf.EVENT[n] for n in ("TASK_ACCEPT", "TASK_SCHED", "TASK_EVICT", "TASK_RESUME", "TASK_DONE", "TASK_CEILING")}
up, down = (open(name, "rb").read() for name in sys.argv[1:])
heads = [tf.HEAD.unpack_from(d) for d in (up, down)]
M = heads[0][-2]
assert heads[0][:-1] == heads[1][:-1] and (heads[0][-1], heads[1][-1]) == (0, 1), heads
assert len(up) == len(down)
used = set()
for a, b in zip(tf.REC.iter_unpack(up[tf.HEAD.size:]), tf.REC.iter_unpack(down[tf.HEAD.size:])):
    if a[1] in SAYS:
        used.add(a[3])
        b = b[:3] + (M - 1 - b[3],) + b[4:]
    assert a == b, (a, b)
assert len(used) > 3, used
END
done
