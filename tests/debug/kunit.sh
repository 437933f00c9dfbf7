#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The driver's unit tests inside the kernel (kmod/kunit): each test of each suite, as KUnit reports it.

results=/sys/kernel/debug/kunit
module=/ppu/debug/kmod/ppu_kunit.ko

[ -d $results ] || mount -t debugfs debugfs /sys/kernel/debug
if ! insmod $module; then
	echo "not ok - $module can be loaded"
	exit 1
fi
for suite in ppu_pt ppu_bind_size ppu_patience ppu_uobj; do
	if [ ! -f $results/$suite/results ]; then
		echo "not ok - $suite: there is no such suite"
		continue
	fi
	# The tests are indented below their suite, whose own line says no more than they do.
	awk -v suite=$suite '
		/^ +(not )?ok [0-9]+ / {
			state = $1 == "ok" ? "ok" : "not ok"
			sub(/^ +(not )?ok [0-9]+ (- )?/, "")
			print state " - " suite ": " $0
			n++
			next
		}
		{ print "# " $0 }
		END { if (!n) print "not ok - " suite ": ran no test" }' $results/$suite/results
done
rmmod ppu_kunit
