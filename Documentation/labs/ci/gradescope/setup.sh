#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Gradescope runs this once, when the autograder's image is made. The zip file that was uploaded is unpacked in
# /autograder/source: this file, run_autograder, ppu-labs-grader.tar.xz and LAB (the number of the lab).
# The grader brings all it runs except Python 3.

set -euo pipefail
root=${AUTOGRADER_ROOT:-/autograder}
if ! command -v python3 >/dev/null; then
	apt-get update
	apt-get install -y --no-install-recommends python3
fi
mkdir -p "$root/grader"
python3 -I - "$root/source/ppu-labs-grader.tar.xz" "$root/grader" <<'EOF'
import sys
import tarfile
tarfile.open(sys.argv[1]).extractall(sys.argv[2])
EOF
rm -f "$root/source/ppu-labs-grader.tar.xz"
