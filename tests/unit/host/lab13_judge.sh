#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Lab 13 as it is graded, without a machine: the judge asks a program with engines what they do. The solution passes each test;
# messages that are none, results of its own and moves that were not made get an engine nothing.
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
flags="-std=gnu11 -O1 -w -fsanitize-coverage=trace-pc -Iinclude -Itests/labs/lab13 -Itests/labs/lib"
# shellcheck disable=SC2086 # several words
${CC:-cc} $flags -o "$tmp/judge" tests/labs/lab13/remote.c tests/labs/lib/labremote.c "$BUILD/lib/liblab13.a" -lm -lpthread || exit 1
python3 - "$tmp" <<'END' || exit 1
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, "tests/labs")
from ppulab import model, tree
from ppulab.selftest import mistake, wrongs
lab = model.load(13)
files = tree.solution(lab)
for name in ("solution", "prints_results", "forges_messages", "is_done_at_once"):
    wrong = next((w for w in wrongs(lab) if w["name"] == name), None)
    with open("%s/%s.c" % (sys.argv[1], name), "w", encoding="utf-8") as f:
        f.write((mistake(files, wrong) if wrong else files)["engine.c"])
END
for name in solution prints_results forges_messages is_done_at_once; do
	# shellcheck disable=SC2086
	${CC:-cc} $flags -o "$tmp/$name" "$tmp/$name.c" "$BUILD/lib/liblab13serve.a" || exit 1
done

# Engines, a test: what the judge printed.
ask() {
	python3 - "$tmp/judge $2" "$tmp/$1" <<'END'
import socket, subprocess, sys
ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
quiet = subprocess.DEVNULL
engines = subprocess.Popen([sys.argv[2]], stdin=theirs, stdout=quiet, stderr=quiet)
theirs.close()
try:
    print(subprocess.run(sys.argv[1].split(), stdin=ours, stdout=subprocess.PIPE, text=True, timeout=60).stdout.replace("going on\n", "").strip())
finally:
    engines.kill()
END
}

n=0 failed=0
expect() {
	n=$((n + 1))
	said=$(ask "$1" "$2" 2>&1)
	case $said in
	"$3"*) echo "ok $n - $1: $2" ;;
	*)
		echo "# $said"
		echo "not ok $n - $1: $2"
		failed=1
		;;
	esac
}
for t in copy overlap fill rows time engines faults stop "random 5 270"; do
	expect solution "$t" "end done"
done
expect prints_results copy "end wrong the program with engine.c ended before all was done"
expect prints_results "random 5 270" "end wrong the program with engine.c ended before all was done"
expect forges_messages copy "end wrong the program with engine.c ended before all was done"
expect is_done_at_once copy "end wrong after a copy of 1 bytes from"
echo "1..$n"
exit $failed
