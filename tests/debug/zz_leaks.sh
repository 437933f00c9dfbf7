#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The last test on the debug kernel: what leaked while the tests before it ran, and what the driver leaves behind when
# it goes; and whether the checkers were still on. A leak is planted first; if it is not found, the search for leaks
# does not work.

leaks=/sys/kernel/debug/kmemleak
planted=/ppu/debug/planted/ppu_planted.ko

grep '\[ppu\]' /proc/kallsyms | sort >/tmp/symbols
insmod $planted what=leak || exit
if rmmod ppu; then
	echo "ok - the driver unloads"
else
	lsmod
	echo "not ok - the driver unloads"
fi

# An object counts once it is five seconds old, and once two scans saw it with
# the same contents.
sleep 6
echo scan >$leaks
echo scan >$leaks
cat $leaks >/tmp/leaks
rmmod ppu_planted

# Records of leaks, without the planted ones, and with names for the addresses
# of the driver, which is gone.
awk '
	FILENAME == "/tmp/symbols" { at[n] = $1; name[n++] = $3; next }
	/^unreferenced object/ { if (!ours) printf "%s", record; record = ""; ours = 0 }
	/\[ppu_planted\]/ { ours = 1 }
	$2 ~ /^0xffff/ && length($2) == 18 {
		a = substr($2, 3)
		for (i = n - 1; i > 0 && at[i] > a; i--) { }
		if (n && at[0] <= a) $0 = $0 " " name[i] " [ppu]"
	}
	{ record = record $0 "\n" }
	END { if (!ours) printf "%s", record }' /tmp/symbols /tmp/leaks >/tmp/real-leaks

if grep -q 'plant_leak.*\[ppu_planted\]' /tmp/leaks; then
	echo "ok - a planted leak is found"
else
	head -n 40 /tmp/leaks
	echo "not ok - a planted leak is found"
fi
if [ -s /tmp/real-leaks ]; then
	grep -c '^unreferenced object' /tmp/real-leaks | sed 's/$/ unreferenced objects; the first ones:/'
	head -n 120 /tmp/real-leaks
	echo "not ok - no leak over the life of the driver"
else
	echo "ok - no leak over the life of the driver"
fi

# Lockdep switches itself off at its first report, or when it runs out of room:
# then the rest of the tests ran unchecked.
if grep -q '^ debug_locks: *1' /proc/lockdep_stats; then
	echo "ok - lockdep was on to the end"
else
	grep -E 'debug_locks|\[max' /proc/lockdep_stats
	echo "not ok - lockdep was on to the end"
fi
# 4096: a module from outside the kernel's tree.
taint=$(cat /proc/sys/kernel/tainted)
# 4096: a module from outside the tree; 262144: KUnit ran (kunit.sh).
if [ $((taint & ~(4096 | 262144))) -eq 0 ]; then
	echo "ok - the kernel is not tainted"
else
	echo "not ok - the kernel is not tainted: $taint"
fi
