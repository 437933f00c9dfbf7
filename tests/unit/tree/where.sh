#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Documentation/where.md is right: each function is defined in the file that the page names after the function.
# doc_links.sh checks the links.
exec python3 -B - "$PPU_TOP" <<'END'
import os, re, sys

# Where a function of this name is defined: C, Python, shell.
C = r"^(?![#\s]|return\b|else\b)(?:[\w\s*]|__attribute__\(\([^()]*\)\))*?\b%s\((?![^;{]*;)"
PYTHON = r"^\s*def %s\("
SHELL = r"^%s\(\)"
PLACE = re.compile(r"((?:`\w+\(\)`, )*`\w+\(\)`) in \[([^]]+)\]\(([^)]+)\)")


def defines(path, name):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    first = text.split("\n", 1)[0]
    if path.endswith((".c", ".h", ".cu")):
        form = C
    elif path.endswith(".py") or "python" in first:
        form = PYTHON
    else:
        form = SHELL
    return re.search(form % re.escape(name), text, re.M) is not None


def mistakes(page, text):
    """(findings, number of functions named)"""
    bad, count = [], 0
    for line in text.splitlines():
        if not line.startswith("| ") or line.startswith("| what "):
            continue
        where = line.split(" | ")[1]
        for names, shown, target in PLACE.findall(where):
            path = os.path.normpath(os.path.join(os.path.dirname(page), target))
            if shown != os.path.basename(path) or not os.path.isfile(path):
                bad.append("%s is no file called %s" % (target, shown))
                continue
            for name in re.findall(r"`(\w+)\(\)`", names):
                count += 1
                if not defines(path, name):
                    bad.append("%s() is not defined in %s" % (name, target))
        if where.count("()`") != sum(n.count("()`") for n, _, _ in PLACE.findall(where)) or "](" not in where:
            bad.append("a function without its file: " + where)
    return bad, count


page = os.path.join(sys.argv[1], "Documentation/where.md")
with open(page, encoding="utf-8") as f:
    text = f.read()
bad, count = mistakes(page, text)
for b in bad:
    print("# " + b)
entries = len(re.findall(r"^\| (?!what )", text, re.M))
print("%s - %d functions of %d entries are where the map says" % ("not ok" if bad or entries < 60 else "ok", count, entries))
# Test of this test: a call or a declaration is not a definition, and neither is a definition in another file.
planted = [("`ppu_intr_raise()` in [fault.c](../qemu-device/core/base/fault.c)", 1),
           ("`ppu_fault_record()` in [fault.h](../qemu-device/core/base/fault.h)", 1),
           ("`ppu_rank_count()` in [wdu.c](../qemu-device/core/tasks/wdu.c)", 1),
           ("`doorbell()` in [chan.c](../qemu-device/core/host/hostif.c)", 1),
           ("`doorbell()`, [chan.c](../qemu-device/core/host/chan.c)", 1),
           ("`doorbell()` in [chan.c](../qemu-device/core/host/chan.c)", 0)]
wrong = [p for p, want in planted if len(mistakes(page, "| x | %s | y | z |" % p)[0]) != want]
for w in wrong:
    print("# " + w)
print("%s - planted mistakes are found" % ("not ok" if wrong else "ok"))
sys.exit(bool(bad or wrong or entries < 60))
END
