#!/bin/bash
# SPDX-License-Identifier: MIT
# The insertion protocol under all interleavings (tests/model), and copies of the protocol with one mistake each,
# which the model must notice. WQ-56, WQ-57, WQ-60..WQ-66
set -eu
model=$BUILD/model/devq_model
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0 bad=0

say() # ok? text
{
	n=$((n + 1))
	[ "$1" = ok ] || bad=1
	echo "$1 $n - $2"
}

mutant() # name scenario says file expression
{
	local dir=$work/$1 out
	mkdir -p "$dir/include" "$dir/libruntime/compiler"
	cp -r include/. "$dir/include"
	cp -r libruntime/compiler/devabi "$dir/libruntime/compiler/"
	sed -i "$5" "$dir/$4"
	if cmp -s "$4" "$dir/$4"; then
		say "not ok" "mistake $1: the expression changes nothing, bring tests/model/devq_mutants up to date"
		return
	fi
	if ! ${CC:-gcc} -std=gnu11 -O2 -w -fno-strict-aliasing -I"$dir/include" -I"$dir/libruntime" \
			-o "$dir/model" tests/model/*.c; then
		say "not ok" "mistake $1: does not compile"
		return
	fi
	if out=$("$dir/model" "$2" 2>&1); then
		say "not ok" "mistake $1 is not noticed by $2"
	elif [[ $out != *"not ok"*"noticed"*"$3"* ]]; then
		echo "$out" | tail -5 | sed 's/^/# /'
		say "not ok" "mistake $1 is not noticed for what it is"
	else
		say ok "mistake $1: ${out##*noticed: }"
	fi
	rm -rf "$dir"
}

while read -r line; do
	case $line in
	"ok "*) say ok "${line#ok * - }" ;;
	"not ok "*) say "not ok" "${line#not ok * - }" ;;
	esac
done < <("$model" || true)

while IFS='|' read -r name scenario says file expr; do
	case $name in '#'*|'') continue ;; esac
	mutant "$name" "$scenario" "$says" "$file" "$expr"
done < tests/model/devq_mutants
echo "1..$n"
exit $bad
