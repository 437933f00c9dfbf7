#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/ptx/rebaseline.py shows a changed listing, says what the change means, and writes only after a yes.
set -e
golden=tests/ptx/golden
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp $golden/*.s $golden/*.ir $golden/*.txt "$dir"
# The old listing added 5, multiplied differently, and computed something else.
sed -i 's/add.u32 r4, r0, 5/add.u32 r4, r0, 6/; s/mul.u32 r4, r4, 0/and.u32 r4, r4, 0/' "$dir/fold.s"
cp "$dir/fold.s" "$dir/was"

fail() {
	cat "$dir/shown"
	echo "golden_rebaseline: $1"
	exit 1
}

tests/ptx/rebaseline.py --golden "$dir" "$BUILD" < /dev/null > "$dir/shown" 2>&1 && fail "no answer, and it goes on"
cmp -s "$dir/fold.s" "$dir/was" || fail "no answer, and the file is written"
echo n | tests/ptx/rebaseline.py --golden "$dir" "$BUILD" > "$dir/shown"
cmp -s "$dir/fold.s" "$dir/was" || fail "the answer is no, and the file is written"
grep -q '^-	add.u32 r4, r0, 6$' "$dir/shown" || fail "the difference is not shown"
grep -q 'folds: -1 and.u32, +1 mul.u32$' "$dir/shown" || fail "the instructions are not compared"
grep -q 'folds: computes SOMETHING ELSE$' "$dir/shown" || fail "what it computes is not compared"
# Another instruction with the same result.
sed -i 's/add.u32 r4, r0, 6/add.u32 r4, r0, 5/' "$dir/fold.s"
echo y | tests/ptx/rebaseline.py --golden "$dir" "$BUILD" > "$dir/shown"
grep -q 'folds: computes the same (exit status 0)$' "$dir/shown" || fail "the same is not the same"
cmp -s "$dir/fold.s" $golden/fold.s || fail "the answer is yes, and the file is not written"
echo "ok"
