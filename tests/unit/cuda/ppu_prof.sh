#!/bin/bash
# SPDX-License-Identifier: MIT
#
# ppu-prof: the numbers of profiled.cu against those that follow from its text and from the device's counters; each thing that
# costs too much is told, and nothing of its twin; then outputs and options.

cd "$(dirname "$0")/../../.." || exit 1
build=$(realpath "${BUILD:-build}")
export PPU_BACKEND=core
unset LD_LIBRARY_PATH PPU_CHECK PPU_PROF PPU_PROPS
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

if ! "$build/cuda/bin/ppu-nvcc" -std=c++17 -lineinfo -o "$tmp/profiled" tests/unit/lib/profiled.cu >"$tmp/out" 2>&1; then
	sed 's/^/# /' "$tmp/out"
	echo "not ok - the program is built"
	exit 1
fi
echo "ok - the program is built"
BUILD=$build python3 -B tests/unit/lib/prof_test.py "$tmp"
status=$?

# The older form of NVTX, which is linked; and C.
cat >"$tmp/old.c" <<'EOF'
#include <stdio.h>
#include <nvToolsExt.h>

/* What a program has that was compiled with the vendor's header: pointers that a library fills. */
typedef void (*function)(void);
static function push, *slot[16] = { [9] = &push };

static int table(int module, function ***slots, unsigned *n)
{
	*slots = slot;
	*n = 16;
	return module == 1;
}

static const struct { size_t size; int (*table)(int, function ***, unsigned *); } callbacks = { sizeof(callbacks), table };

static const void *get(unsigned number)
{
	return number == 1 ? &callbacks : NULL;
}

int InitializeInjectionNvtx2(const void *(*get)(unsigned));

int main(void)
{
	nvtxDomainHandle_t d = nvtxDomainCreateA("some");
	nvtxEventAttributes_t e = {
		.version = NVTX_VERSION, .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE, .messageType = NVTX_MESSAGE_TYPE_REGISTERED,
		.message.registered = nvtxDomainRegisterStringA(d, "inner"),
	};
	int a = nvtxRangePush("outer"), b = nvtxDomainRangePushEx(d, &e), c = nvtxDomainRangePop(d), f = nvtxRangePop();

	nvtxDomainDestroy(d);
	printf("%d %d %d %d %d", a, b, c, f, nvtxRangePop());
	printf(" %d", InitializeInjectionNvtx2(get));
	printf(" %d\n", push == (function)nvtxRangePushA);
	return 0;
}
EOF
${CC:-cc} -Wall -Werror -I "$build/cuda/include" -o "$tmp/old" "$tmp/old.c" -L "$build/lib/cuda" -lnvToolsExt >"$tmp/out" 2>&1 &&
	LD_LIBRARY_PATH=$build/lib/cuda "$tmp/old" >"$tmp/out" 2>&1 && [[ $(<"$tmp/out") == "0 1 1 0 -2 1 1" ]]
if [[ $? == 0 ]]; then
	echo "ok - NVTX: a program in C that links it"
else
	sed 's/^/# /' "$tmp/out"
	echo "not ok - NVTX: a program in C that links it"
	status=1
fi

# The device is opened twice in a range, which a child has, too: each range is told once, also if there are many.
cat >"$tmp/twice.c" <<'EOF'
#include <stdio.h>
#include <nvToolsExt.h>
#include <ppu.h>

int main(void)
{
	char name[32];

	nvtxRangePushA("whole");
	for (int i = 0; i < 2; i++) {
		nvtxRangePushA("each");
		if (i)
			nvtxMarkA("late");
		if (ppuInit(0) || ppuShutdown())
			return 1;
		nvtxRangePop();
		for (int k = 0; k < 200; k++) {
			snprintf(name, sizeof(name), "mark %d", k % 100);
			nvtxMarkA(name);
		}
	}
	return ppuInit(0) || ppuShutdown();
}
EOF
want='"ranges":[
{"number":1,"parent":0,"kind":"push","count":2,"text":"whole"},
{"number":2,"parent":1,"kind":"push","count":4,"text":"each"},
{"number":3,"parent":1,"kind":"mark","count":8,"text":"mark 0"},'
${CC:-cc} -Wall -Werror -I "$build/cuda/include" -I include -o "$tmp/twice" "$tmp/twice.c" -L "$build/lib/cuda" -lnvToolsExt \
	-L "$build/lib" -lppu >"$tmp/out" 2>&1 &&
	LD_LIBRARY_PATH=$build/lib/cuda:$build/lib "$build/bin/ppu-prof" --json "$tmp/json" sh -c '"$0" && "$0"' "$tmp/twice" \
		>"$tmp/out" 2>&1 && [[ $(<"$tmp/json") == *"$want"* ]] &&
	[[ $(grep -c '"parent":1,"kind":"mark","count":8,"text":"mark' "$tmp/json") == 100 ]] &&
	[[ $(grep -c '"kind":' "$tmp/json") == 103 ]] && grep -q '"parent":2,"kind":"mark","count":2,"text":"late"' "$tmp/json"
if [[ $? == 0 ]]; then
	echo "ok - NVTX: ranges of a device that is opened again"
else
	sed 's/^/# /' "$tmp/out" "$tmp/json"
	echo "not ok - NVTX: ranges of a device that is opened again"
	status=1
fi
exit $status
