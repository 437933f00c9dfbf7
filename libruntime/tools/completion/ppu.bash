# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Completion of the tools' command lines, for bash. The options are those that --help names. This file does not need the
# package bash-completion.

# Words of --help that are options.
_ppu_options()
{
	"$1" --help 2>/dev/null </dev/null | grep -oE -- '(^|[ ,(])--?[A-Za-z0-9][A-Za-z0-9-]*=?' | tr -d ' ,(' | sort -u
}

# _ppu_files WORD EXTENSION...: directories, and files with one of the extensions; without any: all files.
_ppu_files()
{
	local word=$1 f
	shift
	compopt -o filenames 2>/dev/null
	while IFS= read -r f; do
		if [[ -d $f || $# == 0 || " $* " == *" ${f##*.} "* ]]; then
			COMPREPLY+=("$f")
		fi
	done < <(compgen -f -- "$word")
}

# The kernels of a module in PTX.
_ppu_kernels()
{
	sed -nE 's/.*\.entry[[:space:]]+([A-Za-z_$][A-Za-z0-9_$]*).*/\1/p' "$1" 2>/dev/null
}

# Fills words with the possible arguments of option $2 of tool $1; false if it takes a file.
_ppu_values()
{
	case $2 in
	--backend) words="core drm" ;;
	--print-after) words="$("$1" --passes 2>/dev/null) all" ;;
	--lanes) words="channel front engine task sm sem" ;;
	--tool) words="memcheck racecheck initcheck synccheck floatcheck" ;;
	--prop|--error-exitcode|--cancellation|--repeat|--device-time-limit|--max-regs|--from|--to|--width|--title|--label|--ignore) words= ;;
	*) return 1 ;;
	esac
}

_ppu()
{
	local tool=$1 word=$2 before=$3 words i module=
	COMPREPLY=()
	if _ppu_values "$tool" "$before"; then
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
		return
	fi
	if [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_ppu_options "$tool")" -- "$word")
		return
	fi
	case ${tool##*/} in
	ppu-as) _ppu_files "$word" ppus ppub ;;
	ppu-cc) _ppu_files "$word" ptx ppus ppub ;;
	ppu-dis) _ppu_files "$word" ppub ;;
	ppu-nvcc) _ppu_files "$word" cu c cpp cc o a so ;;
	ppu-run)
		for ((i = 1; i < COMP_CWORD; i++)); do
			[[ ${COMP_WORDS[i]} != *.@(ptx|ppus|ppub) ]] || module=${COMP_WORDS[i]}
		done
		if [[ -n $module && $before == "$module" ]]; then
			mapfile -t COMPREPLY < <(compgen -W "$(_ppu_kernels "$module")" -- "$word")
		elif [[ -z $module || $before == --trace ]]; then
			_ppu_files "$word" ptx ppus ppub trace
		else
			mapfile -t COMPREPLY < <(compgen -S : -W "u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 bytes buf" -- "$word")
			compopt -o nospace 2>/dev/null
		fi
		;;
	*) _ppu_files "$word" ;;
	esac
}

complete -F _ppu ppu-as ppu-cc ppu-check ppu-dbg ppu-dis ppu-fatbin ppu-info ppu-nvcc ppu-prof ppu-run ppu-smi ppu-top ppu-trace
