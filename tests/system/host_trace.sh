#!/bin/bash
# SPDX-License-Identifier: MIT
#
# From the guest to a picture: sample-copy-priority in a machine whose device writes a trace, and the commands it
# prints.  CP-35 with the driver between, on one copy engine.

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

scripts/vm --timeout 400 --env PPU_BACKEND=drm --prop copy-engines=1 --trace "$tmp/t" -- sample-copy-priority >"$tmp/out"
result "CP-35: latency and jitter are smaller with priorities, through the driver"
sed 's/^/# /' "$tmp/out" | tail -n 3

# timelines: ..., then ppu-trace --svg off.svg --from N --to N t and --svg on.svg --from N --to N t
read -r off_from off_to on_from on_to < <(sed -n \
	's/^timelines: .*off.svg --from \([0-9]*\) --to \([0-9]*\) .*on.svg --from \([0-9]*\) --to \([0-9]*\) .*/\1 \2 \3 \4/p' \
	"$tmp/out")
[[ -n $on_to ]] && ((off_from < off_to && off_to < on_from && on_from < on_to))
result "the sample says where its two runs stand in the trace"
"$BUILD/bin/ppu-trace" --svg "$tmp/off.svg" --from "$off_from" --to "$off_to" "$tmp/t" &&
	"$BUILD/bin/ppu-trace" --svg "$tmp/on.svg" --json "$tmp/on.json" --from "$on_from" --to "$on_to" "$tmp/t"
result "the trace from the machine is drawn"

python3 -B - "$tmp" <<'END'
import json, sys, xml.etree.ElementTree as ET

SVG, tmp, ok = "{http://www.w3.org/2000/svg}", sys.argv[1], True
for name in ("off", "on"):
    lanes = {g.get("data-lane"): g for g in ET.parse("%s/%s.svg" % (tmp, name)).getroot().iter(SVG + "g")}
    copies = len(list(lanes["engine:0"].iter(SVG + "rect")))
    # 8 frames: an upload of 12 copies, and one copy from each of the other stages
    print("# %s: %d copies" % (name, copies))
    ok = ok and copies == 8 * (12 + 4)
with open(tmp + "/on.json", encoding="ascii") as f:
    events = json.load(f)["traceEvents"]
copies = [e for e in events if e["ph"] == "X" and e["args"]["event"] == "CE_START"]
# Each semaphore of a priority goes up and down once for each of its copies.
ups = [e for e in events if e["ph"] == "X" and e["name"] == "SEM_INC"]
downs = [e for e in events if e["ph"] == "X" and e["name"] == "SEM_DEC"]
print("# on: %d copies, %d increments, %d decrements" % (len(copies), len(ups), len(downs)))
sys.exit(not (ok and len(copies) == 8 * (12 + 4) and len(ups) == len(downs) == 8 * 4))
END
result "with every copy, and the semaphores of the priorities"
exit $status
