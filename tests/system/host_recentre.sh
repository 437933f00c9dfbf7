#!/bin/bash
# SPDX-License-Identifier: MIT
#
# SIMT-53, SIMT-54, SIMT-X3, A-SIMT-23: with token-queue-driver=1 the kernel driver moves the divergence tokens of a warp
# in VRAM, and what the warp does is what it does when the device moves them.  SIMT-55: a queue that is really full ends
# its context, says why, and leaves other contexts alone.

cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
tmp=$(mktemp -d)
export TMPDIR=$tmp
trap 'rm -rf "$tmp"' EXIT
status=0

result()	# NAME, by the status of the last command
{
	if [[ $? == 0 ]]; then echo "ok - $1"; else echo "not ok - $1"; status=1; fi
}

# Two groups of lanes YIELD in turn, 250 times each: the queue is recentred at YIELD 129, 256 and 383.
# 256 tokens and one more: there is no room, wherever they are.
mkdir "$tmp/share"
python3 -B - "$tmp/share" <<'END'
import sys

loop = "%s: yield\nadd.u32 r3, r3, 1\nsetp.lt.u32 p2, r3, 250\n@p2 bra %s\n"
with open(sys.argv[1] + "/k.ppus", "w", encoding="ascii") as f:
    f.write(".kernel ping_pong\n.param p u64\ns2r r2, %tid.x\nld.param.u64 rd10, [p]\nmadw.u32 rd4, r2, 4, rd10\n"
            "setp.ge.u32 p1, r2, 4\nmov.u32 r3, 0\n@p1 bra B\n" + loop % ("A", "A") + "bra End\n" +
            loop % ("B", "B") + "End: st.global.u32 [rd4], r3\nexit\n")
    f.write(".kernel overflow\n.param p u64\n" + "ssy End\n" * 257 + "End: exit\n")
END

cat >"$tmp/share/run" <<'END'
cd /sys/kernel/tracing || cd /sys/kernel/debug/tracing
echo 1 >events/ppu/ppu_recentre/enable
ppu-run --backend drm /mnt/share/k.ppus ping_pong 1 8 buf:32,out=/mnt/share/out
cp trace /mnt/share/ftrace
# The other context works before, while and after the first one is killed.
ppu-run --backend drm --repeat 40 --quiet /mnt/share/k.ppus ping_pong 1 8 buf:32,out=/mnt/share/other &
ppu-run --backend drm --quiet /mnt/share/k.ppus overflow 1 32 buf:32 2>/mnt/share/said
echo $? >/mnt/share/killed
wait $!
echo $? >/mnt/share/lived
dmesg >/mnt/share/dmesg
END

scripts/vm --timeout 400 --prop token-queue-driver=1 --prop trace-classes=8 --trace "$tmp/drm" --share "$tmp/share" -- \
	sh /mnt/share/run
result "the guest has run"
printf '\xfa\0\0\0%.0s' {1..8} | cmp - "$tmp/share/out" && cmp "$tmp/share/out" "$tmp/share/other"
result "both groups have yielded 250 times"
[[ $(sed -n 's/.* ppu_recentre: \(.*\)/\1/p' "$tmp/share/ftrace" | sort | uniq -c) == *" 3 sm=0 warp=0 head=128 tail=126 retry" ]]
result "SIMT-53: the driver has moved tokens three times, to the middle of the queue"

"$BUILD/bin/ppu-run" --backend core --prop trace-classes=8 --trace "$tmp/core" "$tmp/share/k.ppus" ping_pong 1 8 \
	buf:32,out="$tmp/core.out" && cmp "$tmp/core.out" "$tmp/share/out"
result "the same result when the device moves them"
for t in core drm; do
	"$BUILD/bin/ppu-trace" "$tmp/$t" | sed -n 's/^ *[0-9]* \(DIV_.*\)/\1/p' >"$tmp/$t.div"
done
n=$(wc -l <"$tmp/core.div")
((n > 1000)) && [[ $(grep -c DIV_RECENTRE "$tmp/core.div") == 3 ]] && head -n "$n" "$tmp/drm.div" | diff "$tmp/core.div" -
result "SIMT-X3: push by push, the same as when the device moves them"

[[ $(cat "$tmp/share/killed") == 4 ]] && grep -q 'divergence queue overflow; kernel overflow' "$tmp/share/said"
result "SIMT-55: a full queue is a fault that the program hears of"
grep -q 'ppu .* fault .*TOKQ_OVERFLOW' "$tmp/share/dmesg"
result "SIMT-55: the driver was told"
[[ $(cat "$tmp/share/lived") == 0 ]]
result "SIMT-55: the other context lives on"
if [[ $status != 0 ]]; then
	sed 's/^/# /' "$tmp/share/said" "$tmp/share/ftrace" | head -n 30
	grep -i ppu "$tmp/share/dmesg" | tail -n 5 | sed 's/^/# /'
fi
exit $status
