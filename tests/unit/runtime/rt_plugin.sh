#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The in-process device is a plug-in: nothing but libppu-core.so contains it, everything finds it, and without it, or
# with one of another version, every tool and library says in one sentence what to install.

cd "$(dirname "$0")/../../.." || exit 1
B=$(realpath "${BUILD:-build}")
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset PPU_CORE_LIB LD_LIBRARY_PATH PPU_PROPS PPU_TRACE
export PPU_BACKEND=core

result()	# text, 0 when good
{
	if [[ $2 -eq 0 ]]; then echo "ok - $1"; else echo "not ok - $1"; failed=1; fi
}

# --- who contains it -----------------------------------------------------------------------------------

for f in "$B"/lib/libppu.so.0 "$B"/lib/libppu.a "$B"/lib/cuda/*.so.1* "$B"/bin/*; do
	[[ -f $f && $f != *.map ]] || continue
	strange=$(nm "$f" 2>/dev/null | grep -E ' [A-TV-Z] (ppu_core_|ppu_config_|ppu_be_core$|ppu_bc_)' | head -1)
	strange+=$(ldd "$f" 2>/dev/null | grep libppu-core)
	[[ -z $strange ]] || result "${f#"$B"/} contains no device: $strange" 1
done
[[ $(nm -D --defined-only "$B/lib/libppu-core.so.0" | awk '{ print $3 }') == ppu_core_plugin ]]
result "only libppu-core.so contains the device, and it exports one name" $?
readelf -d "$B/lib/libppu-core.so.0" | grep -q 'SONAME.*\[libppu-core.so.0\]'
result "its soname has a version" $?

# --- found, in all the ways ------------------------------------------------------------------------------

runs()		# text, command...: it finds a device
{
	local text=$1
	shift
	"$@" >"$dir/out" 2>"$dir/err"
	result "$text" $?
}

run=(vector_add 1 64 buf:256,iota32 buf:256,iota32 buf:256 u32:64)
mkdir -p "$dir/prefix/bin" "$dir/prefix/lib" "$dir/alone" "$dir/beside"
cp "$B/bin/ppu-run" "$B/bin/ppu-info" "$B/bin/sample-vector-add" "$dir/prefix/bin/"
cp "$B/bin/ppu-run" "$B/bin/ppu-info" "$B/bin/sample-vector-add" "$B/bin/cuda-device-query" "$dir/alone/"
cp "$B/lib/libppu-core.so.0" "$dir/prefix/lib/"
cp "$B/lib/libppu-core.so.0" "$B/lib/cuda/libcuda.so.1" "$dir/beside/"
runs "ppu-run finds it in ../lib" "$dir/prefix/bin/ppu-run" "$B/samples/vector_add.ptx" "${run[@]}"
(cd "$dir/alone" && PATH=$dir/prefix/bin:$PATH ppu-info >/dev/null)
result "also when the program is found by PATH" $?
LD_LIBRARY_PATH=$dir/prefix/lib runs "the loader's path" "$dir/alone/ppu-info"
PPU_CORE_LIB=$dir/prefix/lib/libppu-core.so.0 runs "the environment" "$dir/alone/ppu-info"
LD_LIBRARY_PATH=$dir/beside runs "libcuda.so.1 finds it beside itself" "$dir/alone/cuda-device-query"
LD_LIBRARY_PATH=$B/lib/cuda runs "and in the build's directory above" "$dir/alone/cuda-device-query"

# --- missing ---------------------------------------------------------------------------------------------

says()		# text, pattern, command...: fails, with one sentence of that kind
{
	local text=$1 pattern=$2
	shift 2
	if "$@" >"$dir/out" 2>&1 </dev/null; then
		result "$text: it ran" 1
		return
	fi
	[[ $(grep -cE "$pattern" "$dir/out") -eq 1 ]]
	result "$text" $?
	[[ $(grep -cE "$pattern" "$dir/out") -eq 1 ]] || sed 's/^/# /' "$dir/out"
}

missing='a library of its own: install libppu-core\.so\.0, or name it in PPU_CORE_LIB \(.*\)'
says "ppu-run without it" "$missing" "$dir/alone/ppu-run" "$B/samples/vector_add.ptx" "${run[@]}"
says "ppu-info without it" "$missing" "$dir/alone/ppu-info"
ln -s "$B/samples" "$dir/samples"
says "a sample without it" "$missing" "$dir/alone/sample-vector-add"
PPU_CORE_LIB=/nowhere/x.so says "the environment names nothing" "$missing" "$B/bin/ppu-info"
PPU_BACKEND=auto says "neither driver nor plug-in" "no PPU render node in /dev/dri, and .*$missing" "$dir/alone/ppu-info"
mkdir "$dir/cuda" && cp "$B/lib/cuda/libcuda.so.1" "$B"/lib/cuda/libcudart.so.12 "$dir/cuda/"
LD_LIBRARY_PATH=$dir/cuda PPU_CUDA_LOG=$dir/log "$dir/alone/cuda-device-query" >"$dir/out" 2>&1
grep -qE "cuInit\(.*CUDA_ERROR_NO_DEVICE: .*$missing" "$dir/log"
result "libcuda.so.1 without it: the log of cuInit" $?

# A file that is there but cannot be loaded is what the user has to know of.
mkdir -p "$dir/broken/bin" "$dir/broken/lib"
cp "$B/bin/ppu-info" "$dir/broken/bin/"
echo "no library" >"$dir/broken/lib/libppu-core.so.0"
says "one that is no library" "$missing.*" "$dir/broken/bin/ppu-info"
grep -q "/broken/.*lib/libppu-core\.so\.0: .*\(file too short\|ELF\)" "$dir/out"
result "and the sentence names it, and what is wrong with it" $?

# A program with rights that its user lacks takes no library from a place that the user can choose.
printf '%s\n' '#include <sys/auxv.h>' 'unsigned long getauxval(unsigned long t) { return t == AT_SECURE; }' >"$dir/secure.c"
${CC:-cc} -shared -fPIC -o "$dir/secure.so" "$dir/secure.c"
LD_PRELOAD=$dir/secure.so says "setuid: none from ../lib" "$missing" "$dir/prefix/bin/ppu-info"
LD_PRELOAD=$dir/secure.so LD_LIBRARY_PATH=$dir/prefix/lib runs "setuid: the loader's own path" "$dir/alone/ppu-info"

# --- taken without being asked for -------------------------------------------------------------------------

told='^libppu: no PPU here .*: using the device inside this process\. PPU_BACKEND=core does so without this line\.$'
for program in ppu-info sample-vector-add sample-copy-priority; do
	(cd "$dir" && PPU_BACKEND=auto "$B/bin/$program" >out 2>err)
	result "auto, where no PPU is: $program runs" $?
	[[ $(grep -cE "$told" "$dir/err") -eq 1 && $(wc -l <"$dir/err") -eq 1 ]]
	result "and says so in one line" $?
	(cd "$dir" && "$B/bin/$program" >out 2>err)
	[[ $? -eq 0 && ! -s $dir/err ]]
	result "which is not there when it was asked for" $?
	for backend in auto drm; do
		PPU_BACKEND=$backend PPU_DRM_NODE=/dev/dri/none says "$program, $backend: a chosen node that is not there" \
			'render node "/dev/dri/none" that was asked for \(PPU_DRM_NODE\) cannot be opened: No such file' "$B/bin/$program"
		[[ $(grep -cE '^ok:|backend core|using the device' "$dir/out") -eq 0 ]]
		result "and nothing else is used" $?
	done
done
PPU_BACKEND=auto PPU_DRM_NODE=/dev/null says "a chosen node that is none" \
	'"/dev/null", which was asked for \(PPU_DRM_NODE\), is no render node of a PPU: no DRM driver answers' "$B/bin/ppu-info"
LD_LIBRARY_PATH=$B/lib/cuda PPU_BACKEND=auto PPU_DRM_NODE=/dev/dri/none says "libcuda.so.1, too" \
	'^libcuda: the render node "/dev/dri/none" that was asked for' "$B/bin/cuda-device-query"

# --- of another version ------------------------------------------------------------------------------------

fake()		# what its first number is
{
	cat >"$dir/fake.c" <<-EOF
	#include "backend/plugin.h"
	const struct be_plugin ppu_core_plugin = { { $1, sizeof(struct be_ops) }, 0 };
	EOF
	${CC:-cc} -shared -fPIC -Iinclude -Ilibruntime -o "$dir/fake.so" "$dir/fake.c"
}
fake 'BE_ABI_NUMBER + 1' && PPU_CORE_LIB=$dir/fake.so says "another number" \
	"is of another version \(ABI 8, this runtime has 7\): install both of the same version" "$B/bin/ppu-info"
fake BE_ABI_NUMBER && PPU_CORE_LIB=$dir/fake.so says "another table" "but tables of another size\): install both" "$B/bin/ppu-info"
PPU_CORE_LIB=libm.so.6 says "no plug-in at all" "is not PPU's: it has no ppu_core_plugin; install" "$B/bin/ppu-info"

# --- the students' package of the labs -----------------------------------------------------------------------

python3 - "$dir/package" <<'EOF'
import os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, "tests/labs")
from ppulab import release
package = release.Package()
release.add_programs(package, [n for n in release.BINARIES if not n.startswith("qemu/")])
for name, (data, mode) in package.files.items():
    path = os.path.join(sys.argv[1], name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)
    os.chmod(path, mode)
EOF
P=$dir/package/build
runs "students' package: ppu-run runs" "$P/bin/ppu-run" "$B/samples/vector_add.ptx" "${run[@]}"
rm -f "$P/lib/libppu-core.so.0"
says "and without the plug-in it says so" "$missing" "$P/bin/ppu-run" "$B/samples/vector_add.ptx" "${run[@]}"
exit $failed
