# SPDX-License-Identifier: MIT
"""Shared by the Python scripts here, as lib.sh is by the shell scripts: places, the version, --help and
--version for scripts that need no more of a command line than words."""

import argparse
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
BUILD = os.path.join(TOP, os.environ.get("BUILD", "build"))
CACHE = os.path.join(TOP, os.environ.get("PPU_CACHE") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "ppu"))


def version():
    """The version of the tree, which include/ppu_version.h states."""
    with open(os.path.join(TOP, "include/ppu_version.h"), encoding="utf-8") as f:
        numbers = re.findall(r"^#define PPU_VERSION_(?:MAJOR|MINOR|PATCH)\s+(\d+)", f.read(), re.M)
    return ".".join(numbers)


def parser(doc):
    """An argument parser with the script's __doc__ as the text of --help, and --version."""
    name = os.path.basename(sys.argv[0])
    ap = argparse.ArgumentParser(prog=name, description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--version", action="version", version="%s (PPU) %s" % (name, version()))
    return ap


def arguments(doc, words):
    """The command line of a script whose arguments are words: a list of (name, help); a name may end in * or
    + for several, in ? for one that may be missing."""
    ap = parser(doc)
    for name, text in words:
        many = {"nargs": name[-1]} if name[-1] in "*+?" else {}
        ap.add_argument(name.rstrip("*+?"), help=text, **many)
    return ap.parse_args()
