# shellcheck shell=sh
# SPDX-License-Identifier: MIT
#
# Every sample verifies itself, and shows what it claims.  Sourced with
#   BIN      directory of the programs, an absolute path      PPU_BACKEND  in the environment
# by the test in the guest and the one on the host.  TAP on standard output.

work=$(mktemp -d /tmp/samples-XXXXXX)
trap 'rm -rf "$work"' EXIT

# run PROGRAM: its output in $work/PROGRAM; status 0 only if it ended well and its last line says so
run()
{
	(cd "$work" && timeout -s KILL 250 "$BIN/$1") >"$work/$1" 2>&1 || return 1
	tail -n 1 "$work/$1" | grep -q '^ok: '
}
verdict()	# NAME PROGRAM, by the status of the last command
{
	if [ $? -eq 0 ]; then
		echo "ok - $1"
	else
		sed 's/^/# /' "$work/$2"
		echo "not ok - $1"
	fi
}

n=0
for sample in "$BIN"/sample-*; do
	[ -x "$sample" ] || continue
	run "${sample##*/}"
	verdict "${sample##*/}" "${sample##*/}"
	n=$((n + 1))
done
[ $n -eq 13 ] || echo "not ok - $n samples are built, not 13"

# Effects, by what the samples printed: the programs' own checks are not all there is.
last()		# PROGRAM PATTERN: the parts of the last line that the groups of the pattern match
{
	tail -n 1 "$work/$1" | sed -n "s/.*$2.*/\\1 \\2 \\3/p"
}
N='\([0-9.]*\)'
last sample-pipeline "one stream $N us, two streams $N us\(\)" | awk '{ good = $1 > 1.2 * $2 } END { exit !good }'
verdict "two streams of sample-pipeline overlap: a fifth faster than one" sample-pipeline
last sample-copy-priority "took $N us, with priorities $N us\(\)" | awk '{ good = $1 > 1.5 * $2 } END { exit !good }'
verdict "a frame of sample-copy-priority passes in two thirds of the time" sample-copy-priority
last sample-priority-pipeline "after $N, $N and $N us" | awk '{ good = $1 > 2 * $2 && $1 > 2 * $3 } END { exit !good }'
verdict "the first frame of sample-priority-pipeline is finished in half the time" sample-priority-pipeline
last sample-priority-pipeline "pipeline: $N, $N and $N priorities" | grep -q '^1 3 6$'
verdict "with one, three and six priorities" sample-priority-pipeline

# Where the effect is not there the sample says so.
fails()		# NAME PROGRAM: it ends with an error, and with its FAILED line
{
	! run "$2" && tail -n 1 "$work/$2" | grep -q '^FAILED: '
	verdict "$1" "$2"
}
PPU_COPY_PRIORITIES=mode=off fails "without copy priorities sample-copy-priority fails" sample-copy-priority
