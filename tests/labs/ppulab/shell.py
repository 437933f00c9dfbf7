# SPDX-License-Identifier: MIT
"""make lab-shell: a machine with the student's module loaded, to explore."""

import os
import subprocess
import sys

from . import build, model, paths, tree
from .paths import LabError

LOAD = """
for m in %(deps)s; do insmod "$m" || :; done
insmod %(ko)s || echo "lab.ko was not loaded; dmesg may say why"
"""


def guest(path):
    """The place in the guest of a file of the build tree, or of one of the kernel's modules."""
    if path.startswith(paths.BUILD + "/"):
        return "/ppu" + path[len(paths.BUILD):]
    return path[path.index("/lib/modules/"):]


def shell(number, top, command):
    lab = model.load(number)
    top = os.path.abspath(top or os.path.join(paths.student_root(), lab.name))
    files = tree.submitted(lab, top)
    built = build.build(lab, files, os.path.join(paths.OUT, lab.name), paths.shown(top) + "/")
    if built.text:
        print(built.text.rstrip(), flush=True)
    if not built.ok:
        raise LabError("it does not compile")
    setup = "export PATH=/ppu/labs/%s/bin:$PATH\n" % lab.name
    if lab.kind == "module":
        deps = [guest(p) for g, p in built.puts.items() if g.startswith("/lab/deps/")]
        setup += LOAD % {"deps": " ".join(deps), "ko": guest(built.puts["/lab/lab.ko"])}
    argv = [sys.executable, os.path.join(paths.TOP, "scripts/vm"), "--no-module", "--append", "iomem=relaxed"]
    argv += ["--", "sh", "-c", setup + 'exec "$@"', "lab", *command] if command else \
        ["--tty", "--", "sh", "-c", setup + "exec sh -i"]
    return subprocess.run(argv, env=dict(os.environ, BUILD=paths.BUILD), check=False).returncode
