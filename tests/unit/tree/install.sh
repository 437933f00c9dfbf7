#!/bin/bash
# SPDX-License-Identifier: MIT
#
# make install into an empty DESTDIR. Then only what lies there is used: programs are compiled with pkg-config and
# run on the device in their process, the tools run, the pages and the completion are looked at.
cd "$PPU_TOP" || exit 1
B=${BUILD:-build}
[[ $B == /* ]] || B=$PPU_TOP/$B
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
D=$dir/root
lib=$D/usr/lib/x86_64-linux-gnu
cc=${CC:-cc}
failed=0
export PPU_BACKEND=core PKG_CONFIG_SYSROOT_DIR=$D PKG_CONFIG_LIBDIR=$lib/pkgconfig
# libdrm is installed in the system: ask pkg-config for it without the other root.
libdrm=$(env -u PKG_CONFIG_SYSROOT_DIR -u PKG_CONFIG_LIBDIR pkg-config --variable pcfiledir libdrm)

# ok NAME COMMAND...: shows the output of COMMAND when it fails.
ok()
{
	local name=$1
	shift
	if "$@" >"$dir/out" 2>&1 </dev/null; then
		echo "ok - $name"
	else
		sed 's/^/# /' "$dir/out"
		echo "not ok - $name"
		failed=1
	fi
}
prints() { local text=$1; shift; "$@" 2>&1 | tee /dev/stderr | grep -q -- "$text"; }

ok "make install" env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make BUILD="$B" install install-dkms DESTDIR="$D" \
	prefix=/usr libdir=/usr/lib/x86_64-linux-gnu
ok "nothing names the build tree" bash -c '! grep -rlI -- "$1" "$2"' - "$PPU_TOP" "$D"
ok "libppu and the plug-in with the device are there, and libcuda finds it beside itself" \
	bash -c '[[ -f $1/libppu.so.0 && -f $1/libppu-core.so.0 && -f $2/libppu-core.so.0 ]]' - "$lib" "$D/usr/lib/ppu/cuda/lib64"

# --- libppu
cat >"$dir/prog.c" <<'C'
#include <stdio.h>
#include <string.h>
#include <ppu.h>
#include <hw/ppu_regs.h>
#include <drm/ppu_drm.h>

int main(void)
{
	unsigned in[64], out[64];
	void *buf;
	int version, i;

	for (i = 0; i < 64; i++)
		in[i] = i * 3;
	if (ppuGetVersion(&version) || version != PPU_VERSION_MAJOR * 1000 + PPU_VERSION_MINOR)
		return 1;
	if (ppuMalloc(&buf, sizeof(in)) || ppuMemcpy(buf, in, sizeof(in)) || ppuMemcpy(out, buf, sizeof(out)))
		return printf("%s\n", ppuGetLastErrorDetail());
	return memcmp(in, out, sizeof(in)) != 0;
}
C
flags() { PKG_CONFIG_LIBDIR=$PKG_CONFIG_LIBDIR:$libdrm pkg-config "$@"; }
uapi=$(env -u PKG_CONFIG_SYSROOT_DIR -u PKG_CONFIG_LIBDIR pkg-config --cflags libdrm)
# shellcheck disable=SC2046,SC2086
ok "pkg-config ppu: a program compiles and links" $cc -Wall -Werror -o "$dir/prog" "$dir/prog.c" $uapi $(flags --cflags --libs ppu)
ok "and runs in process" env LD_LIBRARY_PATH="$lib" "$dir/prog"
# shellcheck disable=SC2046,SC2086
ok "the version is that of the tree" test "$(pkg-config --modversion ppu)" = "$("$D/usr/bin/ppu-run" --version | sed 's/.* //')"

# --- the CUDA directory
# shellcheck disable=SC2046
ok "pkg-config ppu-cuda: a Driver API program" $cc -o "$dir/cuda" libruntime/samples/cuda/device-query.c $(pkg-config --cflags --libs ppu-cuda) -ldl
ok "and runs" prints "PPU" env LD_LIBRARY_PATH="$D/usr/lib/ppu/cuda/lib64" "$dir/cuda"
cat >"$dir/add.cu" <<'C'
#include <cstdio>
__global__ void add(int *p) { p[threadIdx.x] += threadIdx.x; }
int main()
{
	int *p, h[32] = { 0 };
	if (cudaMalloc(&p, sizeof(h)) || cudaMemcpy(p, h, sizeof(h), cudaMemcpyHostToDevice))
		return 1;
	add<<<1, 32>>>(p);
	if (cudaMemcpy(h, p, sizeof(h), cudaMemcpyDeviceToHost))
		return 2;
	return h[31] != 31;
}
C
ok "the installed ppu-nvcc compiles CUDA C++" "$D/usr/bin/ppu-nvcc" -o "$dir/add" "$dir/add.cu"
ok "and the program runs" "$dir/add"

# --- tools, pages, completion, driver
ok "ppu-run runs an installed sample" prints "^000000e0: 00000070" env LD_LIBRARY_PATH="$lib" "$D/usr/bin/ppu-run" \
	"$D/usr/share/ppu/samples/vector_add.ptx" vector_add 1 64 buf:256,iota32 buf:256,iota32 buf:256 u32:64
pages()
{
	local tool text
	for tool in "$D"/usr/bin/*; do
		[[ -s $D/usr/share/man/man1/${tool##*/}.1 ]] || { echo "no page of ${tool##*/}"; return 1; }
	done
	text=$(mandoc -Tlint "$D"/usr/share/man/man1/*.1)
	[[ -z $text ]] || { echo "$text"; return 1; }
}
ok "every tool has a manual page without a warning" pages
complete_line()		# the words of a command line, the last to be completed
{
	# shellcheck source=/dev/null
	. "$D/usr/share/bash-completion/completions/ppu-run"
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
	PATH=$D/usr/bin:$PATH _ppu "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" 2>/dev/null
	echo "${COMPREPLY[@]}"
}
ok "completion: options" prints "^--device-time-limit$" complete_line ppu-run --dev
ok "completion: values" prints "^core$" complete_line ppu-run --backend co
ok "completion: kernels of a module" prints "^vector_add$" complete_line ppu-run \
	"$D/usr/share/ppu/samples/vector_add.ptx" vec
ok "completion: passes of the compiler" prints "reconv" complete_line ppu-cc --print-after re
ok "the driver's sources have the version" grep -q "^PACKAGE_VERSION=\"$(pkg-config --modversion ppu)\"$" "$D"/usr/src/ppu-*/dkms.conf
ok "and all files that Kbuild names" bash -c 'cd "$1"/usr/src/ppu-* && for o in $(sed -n "/^ppu-y/,/^$/p" Kbuild | grep -o "[a-z_/]*\.o"); do
	[[ -e ${o%.o}.c ]] || { echo "no ${o%.o}.c"; exit 1; }; done' - "$D"
exit $failed
