# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
#
# For unit tests in bash, which begin with
#	# shellcheck source=tests/unit/lib/shell.sh
#	. "$(dirname "$0")/../lib/shell.sh"
# It goes to the top of the tree, and says where the build is ($build, from the root), what runs there is in process and
# small unless the test says otherwise, and that there is a folder for the test alone ($tmp). The last line of a test is
#	exit $failed

cd "$(dirname "${BASH_SOURCE[0]}")/../../.." || exit 1
build=$(realpath -m "${BUILD:-build}")
export PPU_BACKEND=core PPU_PROPS=gpcs=1,sms-per-gpc=2
unset LD_LIBRARY_PATH		# programs know where their library is
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

result()	# STATUS NAME: what $tmp/out has says why not
{
	if [[ $1 == 0 ]]; then
		echo "ok - $2"
	else
		[[ ! -e $tmp/out ]] || sed 's/^/# /' "$tmp/out"
		echo "not ok - $2"
		failed=1
	fi
}
