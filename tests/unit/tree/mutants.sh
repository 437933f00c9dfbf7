#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts/mutants on a tree of three files: a mistake that the test notices, one that it does not, one that hangs, one that
# does not compile, one that does not apply.
set -u
top=$(pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
tree=$work/tree
export MUTANTS_DIR="$work/scratch" TEST_TIMEOUT=20
unset CC BUILD MAKEFLAGS MFLAGS MAKELEVEL
n=0
fails=0

is() {	# is TEXT COMMAND...
	n=$((n + 1))
	text=$1
	shift
	if "$@"; then
		echo "ok $n - $text"
	else
		fails=$((fails + 1))
		echo "not ok $n - $text"
		sed 's/^/# /' "$work/out"
	fi
}

mutants() {
	(cd "$tree" && scripts/mutants "$@") >"$work/out" 2>&1
	status=$?
}

says() {
	grep -q -- "$1" "$work/out"
}

patch_of() {	# patch_of NAME WHAT-STANDS-THERE THE-MISTAKE ROW
	printf 'SPDX-License-Identifier: MIT\n\nBreaks: %s\nRow: %s\nTests: test_f\n\n' "$1" "$4" >"$tree/tests/mutants/part/$1.patch"
	printf -- '--- a/f.c\n+++ b/f.c\n@@ -1,4 +1,4 @@\n int f(int x)\n {\n-%s\n+%s\n }\n' "$2" "$3" \
		>>"$tree/tests/mutants/part/$1.patch"
}

mkdir -p "$tree/scripts" "$tree/tests/mutants/part" "$tree/tests/unit/part" "$tree/Documentation/spec"
cp "$top/scripts/mutants" "$top/scripts/ppu_script.py" "$tree/scripts/"
mkdir "$tree/include"
cp "$top/include/ppu_version.h" "$tree/include/"
printf 'int f(int x)\n{\n\treturn x + x;\n}\n' >"$tree/f.c"
cat >"$tree/tests/unit/part/test_f.c" <<'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
int f(int x);
int main(void)
{
	/* The machine's memory is a sparse file: no limit for files may forbid that. */
	int right = f(3) == 6 && !ftruncate(memfd_create("memory", 0), 1ll << 36);

	printf("%sok 1 - part:f\n", right ? "" : "not ");
	return !right;
}
END
printf 'build/unit/test_f: f.c tests/unit/part/test_f.c\n\t@mkdir -p $(@D)\n\tcc -o $@ $^\n' >"$tree/Makefile"
printf 'build/\n' >"$tree/.gitignore"
printf '### WQ-1\n' >"$tree/Documentation/spec/wq.md"
patch_of seen '	return x + x;' '	return x * 3;' WQ-1
git -C "$tree" init -q
git -C "$tree" add -A

mutants
is "a mistake that the test notices" [ $status = 0 ]
is "is reported with the test that failed" says '^ok 1 - part/seen: test_f: part:f'
patch_of unseen '	return x + x;' '	return x * 2;' WQ-1
patch_of hangs '	return x + x;' '	for (;;);' WQ-1
patch_of broken '	return x + x;' '	return y;' WQ-1
patch_of stale '	return x * 4;' '	return x;' WQ-1
mutants -j2
is "with others that it does not notice the run fails" [ $status = 1 ]
is "not noticed" says 'not ok .* part/unseen: not noticed by test_f'
is "a hang is noticed" says '^ok .* part/hangs: test_f: ends with 124'
is "what does not compile says so" says 'not ok .* part/broken: does not build: .*y'
is "what does not apply says so" says 'not ok .* part/stale: does not apply'
is "the sum" says '^# 5 mistakes, 2 noticed, 3 not'
is "nothing has changed in the tree" git -C "$tree" diff --quiet
mutants --resume
is "resume leaves out what was noticed" says '^# 5 mistakes, 2 noticed, 3 not, 2 of them in earlier runs'
mkdir -p "$MUTANTS_DIR"
(
	flock 9
	mutants
	is "two runs do not share their copies" says '^Bail out! Another run uses'
	exit $fails
) 9>"$MUTANTS_DIR/lock"
fails=$?
n=$((n + 1))
mutants 'part/(seen|hangs)$'
is "only those that match" says '^# 2 mistakes, 2 noticed, 0 not'
patch_of floods '	return x + x;' \
	'	extern int system(const char *); return system("head -c 200000000 /dev/zero >build/flood; sleep 99");' WQ-1
export MUTANTS_MOST_BYTES=100000000
mutants part/floods
is "what fills the disk is ended, and noticed" says '^ok 1 - part/floods: test_f: fills the disk'
unset MUTANTS_MOST_BYTES
rm "$tree"/tests/mutants/part/floods.patch

running() {
	ls -l /proc/[0-9]*/exe 2>/dev/null | grep -q "$MUTANTS_DIR"
}
mutants_end() {	# with a limit of time, and whatever it leaves
	(cd "$tree" && timeout -k 1 "$1" scripts/mutants part/lost) >"$work/out" 2>&1
	status=$?
}
patch_of lost '	return x + x;' \
	'	extern int fork(void), setsid(void); if (!fork()) setsid(); for (;;);' WQ-1
sed -i 's/^Tests: /&TEST_TIMEOUT=2 /' "$tree/tests/mutants/part/lost.patch"
mutants_end 60
is "a hang with a child that holds the output is noticed" says '^ok 1 - part/lost: test_f: ends with 124'
! running
is "and the child has ended" [ $? = 0 ]
sed -i 's/TEST_TIMEOUT=2 /TEST_TIMEOUT=99 /' "$tree/tests/mutants/part/lost.patch"
mutants_end 10
is "who ends the run ends its tests" [ $status = 124 ]
! running
is "with their children" [ $? = 0 ]
rm "$tree"/tests/mutants/part/lost.patch

mutants --check
is "the check fails" [ $status = 1 ]
is "for what does not apply, and for nothing else" [ "$(grep -c . "$work/out")" = 1 ]
rm "$tree"/tests/mutants/part/stale.patch
patch_of norow '	return x + x;' '	return 1;' WQ-99
mutants --check
is "a row that does not exist" says 'norow.patch:1: there is no row or trap WQ-99'
rm "$tree"/tests/mutants/part/norow.patch "$tree"/tests/mutants/part/broken.patch "$tree"/tests/mutants/part/unseen.patch

sed -i 's/^{$/{ \/* body *\//' "$tree/f.c"
mutants --check
is "a line beside the mistakes has changed" [ $status = 1 ]
mutants --renew
mutants --check
is "renewed patches apply" [ $status = 0 ]
git -C "$tree" add -A
sed -i 's/x + x/x - 2/' "$tree/f.c"
mutants --add part/added
is "a change becomes a patch" grep -q '^+	return x - 2;' "$tree/tests/mutants/part/added.patch"
is "and is taken back" git -C "$tree" diff --quiet
mutants --random 1 seen
is "a random slip is tried, and noticed" says '^ok 1 - random/f.c:3: test_f: part:f'
mkdir "$tree/d"
printf 'int g(int x)\n{\n\treturn x < 0;\n}\n' >"$tree/d/g.c"
printf '# Comment\nd: test_f\n' >"$tree/tests/mutants/nearest"
git -C "$tree" add -A
mutants --random 1 d/
is "also in a file that no patch touches, by the tests near to its folder" says 'random/d/g.c:3: not noticed by test_f'
mutants --at d/g.c:3
is "each slip of a line: another comparison" says '^# survived: random/d/g.c:3: d/g.c:3, return x <= 0;'
mutants --at f.c:1-9
is "and of several lines; what no line can have is not planted" says '^# [1-9] mistakes, [1-9] noticed, 0 not'
mutants --list --at d/g.c:3 --at f.c:3
is "those of several places are only listed" [ "$(cut -d' ' -f1 "$work/out" | sort -u | tr '\n' ' ')" = "random/d/g.c:3 random/f.c:3 " ]
mutants --at d/g.c:1
is "no slip, no run" [ $status = 1 ]
printf 'd/g.c: TEST_TIMEOUT=3 test_f\n' >>"$tree/tests/mutants/nearest"
mutants --check
is "such a list may say more of a file" [ "$(grep -c nearest: "$work/out")" = 0 ]
printf 'd/h.c: test_f\nf.c: test_h\n' >>"$tree/tests/mutants/nearest"
mutants --check
is "but no file that does not exist" says '^tests/mutants/nearest:1: there is no d/h.c'
is "and no such test" says '^tests/mutants/nearest:1: no test is called test_h'

sed -i '/test_h/d; /h\.c/d' "$tree/tests/mutants/nearest"
printf 'int g(int x);\n#include <stdio.h>\nint main(void)\n{\n\tputs(g(0) ? "not ok 1 - g" : "ok 1 - g");\n\treturn g(0);\n}\n' \
	>"$tree/tests/unit/part/test_g.c"
printf '#include <stdio.h>\nint main(void)\n{\n\tputs("not ok 1 - never");\n\treturn 1;\n}\n' >"$tree/tests/unit/part/test_b.c"
printf 'build/unit/test_%s: d/g.c tests/unit/part/test_%s.c\n\t@mkdir -p $(@D)\n\tcc -o $@ $^\n' g g b b >>"$tree/Makefile"
printf 'd: part/*\n' >"$tree/tests/mutants/wider"
git -C "$tree" add -A
mutants --check
is "a list of wider tests has no flaw" [ "$(grep -c wider: "$work/out")" = 0 ]
mutants --random 1 d/
is "what the near tests do not notice is tried with all of its area" \
	says '^ok 1 - random/d/g.c:3: test_g: g (not noticed by the near tests)'
is "a test that fails anyhow is no witness" says '^# Fails without a mistake, too: test_b'
is "the sum tells both shares" says '^# d  *1 slips, near tests noticed 0 (0 %), with those of the area 1 (100 %)'
mutants --resume --random 1 d/
is "a run that goes on counts what it had" says '^# all  *1 slips, near tests noticed 0 (0 %), with those of the area 1 (100 %)'

mkdir "$tree/libruntime"
printf 'int s(int x)\n{\n\treturn x + 0;\n}\n' >"$tree/libruntime/s.c"
printf 'build/obj/%%.o: %%.c\n\t@mkdir -p $(@D)\n\tcc -O2 -c -o $@ $<\n' >>"$tree/Makefile"
printf 'libruntime: test_f\n' >>"$tree/tests/mutants/nearest"
git -C "$tree" add -A
mutants --at libruntime/s.c:3
is "the compiler makes the same code of a slip" says '^ok 1 - random/libruntime/s.c:3: the compiler makes the same code'
is "then it is no slip" [ "$(grep -c 'slips, near' "$work/out")" = 0 ]

sed -i 's/== 6/== 7/' "$tree/tests/unit/part/test_f.c"
mutants seen
is "a test that fails anyhow proves nothing" says '^Bail out! Fails without a mistake: test_f'
is "and the run fails" [ $status = 1 ]
echo "1..$n"
exit $((fails != 0))
