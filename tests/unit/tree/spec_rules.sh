#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the checks of scripts/spec: a small tree without mistakes passes, and each mistake that is planted in the tree
# is reported once, by the check that is meant for it.
exec python3 -B - "$PPU_TOP" <<'END'
import os, re, shutil, subprocess, sys, tempfile

ROWS = "".join("### %s\n\n**Row.** %s · DEV · [source](index.md#sources): W 1 · [code and tests](coverage-wq.md#%s)\n\nText.\n\n"
               "*Check:* 1.\n\n" % (r, c, r.lower()) for r, c in (("WQ-1", "CORE"), ("WQ-2", "SUP/opt"), ("WQ-3", "MENT")))
TREE = {
    "Documentation/spec/wq.md": "# Rows\n\n" + ROWS,
    "Documentation/spec/wq-notes.md": "# Notes\n\n### WQ-X1\n\n**Scenario.** A.\n\n### A-WQ-1\n\n**Reading.** B.\n\n"
                                      "### TRAP-1\n\n**Mistake.** C.\n",
    "Documentation/page.md": "# Page\n\nSee [WQ-1](spec/wq.md#wq-1), `WQ-2` and [method 400](spec/wq.md).\n\n    step 404\n",
    "kmod/a.c": "/* Step 404 (WQ-1). */\nconst char *s = \"step 404\";\n// the PCI Express document, section 2.1\n",
    "tests/b.c": "/* WQ-1..2: both. */\n",
    "tests/c.py": "# figure 6A is WQ-X1\n'''method 400 (WQ-1)'''\nx = 'step 404'\n",
}
EXISTS, TESTED, NAMED, STALE = "every name that is used exists", "named by a test", "references name a row", "up to date"
PLANTED = [
    (EXISTS, "tests/b.c", "/* WQ-4 */\n"), (EXISTS, "Documentation/page.md", "[WQ-1..9](spec/wq.md#wq-1)\n"),
    (EXISTS, "kmod/a.c", "/* TRAP-2 */\n"), (EXISTS, "Documentation/spec/wq-notes.md", "\n### WQ-X1\n\n**Again.** D.\n"),
    (TESTED, "tests/b.c", None),
    (NAMED, "kmod/a.c", "/* Step 404: x. */\n"), (NAMED, "kmod/a.c", "// see\n// steps f and g\n"),
    (NAMED, "tests/c.py", "# requirements.md has it\n"), (NAMED, "tests/c.py", "# trap 1\n"),
    (NAMED, "Documentation/page.md", "As WQ-2 says.\n"), (NAMED, "Documentation/page.md", "Figure 6A.\n"),
    (NAMED, "Documentation/page.md", "[WQ-2](spec/wq.md#wq-1)\n"), (NAMED, "Documentation/page.md", "- list\n  of method 450\n"),
    (NAMED, "Documentation/page.md", "[method 450](page.md)\n"),
    (STALE, "kmod/new.c", "/* WQ-1 */\n"), (STALE, "Documentation/spec/coverage.md", "x\n"),
]


def spec(top, *args):
    return subprocess.run([sys.executable, "-B", os.path.join(top, "scripts/spec"), *args], capture_output=True, text=True)


def failing(top):
    return re.findall(r"^not ok - specification: (.*)", spec(top, "--check").stdout, re.M)


def tree(top, plant=None):
    shutil.rmtree(top, ignore_errors=True)
    for name, text in TREE.items():
        os.makedirs(os.path.dirname(os.path.join(top, name)), exist_ok=True)
        with open(os.path.join(top, name), "w", encoding="utf-8") as f:
            f.write(text)
    os.makedirs(os.path.join(top, "scripts"))
    with open(os.path.join(sys.argv[1], "scripts/spec"), encoding="utf-8") as f:
        text = re.sub(r"(?s)^UNTESTED = \{.*?^\}", "UNTESTED = {}", f.read(), flags=re.M)
    with open(os.path.join(top, "scripts/spec"), "w", encoding="utf-8") as f:
        f.write(text)
    shutil.copy(os.path.join(sys.argv[1], "scripts/ppu_script.py"), os.path.join(top, "scripts"))
    spec(top)
    if plant:
        _, name, text = plant
        with open(os.path.join(top, name), "a" if text else "w", encoding="utf-8") as f:
            f.write(text or "")
        if plant[0] != STALE:
            spec(top)


bad = []
with tempfile.TemporaryDirectory() as where:
    top = os.path.join(where, "tree")
    tree(top)
    said = failing(top)
    bad += ["a tree without mistakes: " + s for s in said]
    for plant in PLANTED:
        tree(top, plant)
        said = failing(top)
        if len(said) != 1 or plant[0] not in said[0]:
            bad.append("%s %r: %s" % (plant[1], plant[2], said))
    tree(top)
    with open(os.path.join(top, "Documentation/page.md"), "w", encoding="utf-8") as f:
        f.write("# WQ-1\n\nWQ-1..2, `WQ-1` and A-WQ-1.\n")
    spec(top, "--link", os.path.join(top, "Documentation/page.md"))
    with open(os.path.join(top, "Documentation/page.md"), encoding="utf-8") as f:
        text = f.read()
    if text != "# WQ-1\n\n[WQ-1..2](spec/wq.md#wq-1), `WQ-1` and [A-WQ-1](spec/wq-notes.md#a-wq-1).\n":
        bad.append("--link: %r" % text)
for b in bad:
    print("# " + b)
print(("not ok" if bad else "ok") + " - scripts/spec finds %d planted mistakes" % len(PLANTED))
sys.exit(bool(bad))
END
