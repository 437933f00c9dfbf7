#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The tests by which lab 13 judges a student's copy engines: the device's own engines pass them. CP-31, HW-76.
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
lab=$BUILD/obj/tests/labs
unit=$BUILD/obj/tests/unit/lib
failed=0
# Without lab13/ce.o, which would call a student's engines: host/ce.o of the library stands there.
if ! ${CC:-cc} -o "$tmp/machine" "$lab"/lab13/machine.o "$lab"/lab13/area.o "$lab"/lab13/tests.o "$lab"/lab13/tests_time.o \
	"$lab"/lib/labends.o "$lab"/lib/labrnd.o "$unit"/bench.o "$unit"/ptmem.o "$BUILD"/lib/libppudriver.a "$BUILD"/lib/libppucore.a \
	-lm -lpthread >"$tmp/out" 2>&1; then
	sed 's/^/# /' "$tmp/out"
	echo "not ok - the tests of lab 13 can be linked with the device's own engines"
	exit 1
fi
for t in copy overlap fill rows time engines faults stop "random 5 270"; do
	# shellcheck disable=SC2086 # several words
	end=$("$tmp/machine" $t 2>&1 | tail -n 1)
	if [ "$end" = "end done" ]; then
		echo "ok - lab 13, test $t"
	else
		echo "# $end"
		echo "not ok - lab 13, test $t"
		failed=1
	fi
done
echo "1..9"
exit $failed
