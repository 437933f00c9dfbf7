# SPDX-License-Identifier: MIT
"""Cut the skeleton or the solution of a lab out of one marked source.

A directive is a whole line: white space, a comment starter (`//`, `;` or `#`),
`LAB`, and one of

    N write: text       the student writes this in lab N; the text goes on in the
             text       directives right below; then comes the solution, then perhaps
    instead             and what the skeleton has in place of the solution, then
    end
    N hidden            the same, but the skeleton does not say that there is something to write
    N given             ... end     is there from lab N on
    N before            ... end     is there before lab N
    N file              in the first lines: the whole file is there from lab N on

Regions do not nest."""

import re

DIRECTIVE = re.compile(r"^(\s*)(//|;|#)LAB(?:[ \t]+(.*?))?\s*$")
NUMBERED = re.compile(r"^(\d+)\s+(write|hidden|given|before|file)\b\s*(:?)\s*(.*)$")
FILE_WITHIN = 5         # lines in which `N file` may stand


class CutError(Exception):
    """A mistake in the markers; its text begins with FILE:LINE."""

    def __init__(self, name, line, text):
        super().__init__("%s:%d: %s" % (name, line, text))


class Region:
    def __init__(self, kind, lab, line, starter):
        self.kind = kind
        self.lab = lab
        self.line = line
        self.starter = starter
        self.text = []          # of a write region
        self.solution = []
        self.instead = []
        self.part = "text" if kind == "write" else "solution"


def todo(region):
    """The comment that the skeleton has in place of a solution."""
    lines = ["TODO lab %d: %s" % (region.lab, region.text[0])] + region.text[1:]
    body = [l for l in region.instead + region.solution if l.strip()]
    indent = re.match(r"\s*", body[0]).group() if body else ""
    if region.starter != "//":
        return ["%s%s %s" % (indent, region.starter, l) for l in lines]
    if len(lines) == 1:
        return ["%s/* %s */" % (indent, lines[0])]
    return [indent + "/*"] + ["%s * %s" % (indent, l) for l in lines] + [indent + " */"]


def chosen(region, lab, solved, without):
    """The lines of a region that belong to this cut."""
    if region.lab in without:
        lab = 0
    if region.kind == "given":
        return region.solution if lab >= region.lab else []
    if region.kind == "before":
        return region.solution if lab < region.lab else []
    if lab < region.lab:
        return []
    if lab > region.lab or solved:
        return region.solution
    return (todo(region) if region.kind == "write" else []) + region.instead


class Cutter:
    def __init__(self, name, lab, solved, without):
        self.name = name
        self.lab = lab
        self.solved = solved
        self.without = without  # labs that this one does not build on
        self.out = []
        self.region = None
        self.since = 0          # the first lab that has the file
        self.seam = False       # a region has just ended or begun

    def fail(self, line, text):
        raise CutError(self.name, line, text)

    def emit(self, line):
        # If a region is gone, the blank lines around it become one.
        if self.seam and not line.strip() and (not self.out or not self.out[-1].strip()):
            return
        self.seam = False
        self.out.append(line)

    def begin(self, number, kind, colon, text, line, starter):
        if kind == "file":
            if line > FILE_WITHIN or self.region:
                self.fail(line, "`LAB %d file` must stand in the first %d lines" % (number, FILE_WITHIN))
            self.since = number
            return
        if self.region:
            self.fail(line, "`LAB %d %s` inside the region that began in line %d: regions do not nest; is a "
                            "`LAB end` missing?" % (number, kind, self.region.line))
        if kind == "write" and not (colon and text):
            self.fail(line, "`LAB %d write` needs `: ` and what the student has to do" % number)
        if kind != "write" and (colon or text):
            self.fail(line, "text after `LAB %d %s`" % (number, kind))
        self.region = Region(kind, number, line, starter)
        if kind == "write":
            self.region.text.append(text)

    def end(self):
        for line in chosen(self.region, self.lab, self.solved, self.without):
            self.emit(line)
        self.region = None
        self.seam = True

    def directive(self, rest, line, starter):
        region = self.region
        m = NUMBERED.match(rest)
        if m:
            self.seam = True
            self.begin(int(m.group(1)), m.group(2), m.group(3), m.group(4), line, starter)
        elif rest == "end":
            if not region:
                self.fail(line, "`LAB end` without a region")
            self.end()
        elif rest == "instead":
            if not region or region.kind not in ("write", "hidden"):
                self.fail(line, "`LAB instead` outside a `LAB N write` or `LAB N hidden` region")
            if region.part == "instead":
                self.fail(line, "a second `LAB instead` in the region that began in line %d" % region.line)
            region.part = "instead"
        elif region and region.part == "text" and rest:
            region.text.append(rest)
        else:
            self.fail(line, "unknown directive `LAB %s` (there are: N write: TEXT, N hidden, N given, N before, N file, "
                            "instead, end)" % rest)

    def line(self, text, number):
        m = DIRECTIVE.match(text)
        if m:
            self.directive(m.group(3) or "", number, m.group(2))
        elif not self.region:
            self.emit(text)
        else:
            if self.region.part == "text":
                self.region.part = "solution"
            getattr(self.region, self.region.part).append(text)


def cut(text, lab, solved, name="source", without=frozenset()):
    """The text as it is in lab `lab`, solved or not; None: lab `lab` does not have the file yet. without: labs that are to
    be as if they came later."""
    cutter = Cutter(name, lab, solved, without)
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        cutter.line(line, number)
    if cutter.region:
        cutter.fail(cutter.region.line, "the region `LAB %d %s` has no `LAB end`"
                    % (cutter.region.lab, cutter.region.kind))
    if lab < cutter.since or cutter.since in without:
        return None
    while len(cutter.out) > 1 and not cutter.out[-1].strip() and not cutter.out[-2].strip():
        cutter.out.pop()
    return "\n".join(cutter.out)


def owners(text):
    """The labs in which there is something to write in this source."""
    labs = set()
    for line in text.split("\n"):
        m = DIRECTIVE.match(line)
        m = m and NUMBERED.match(m.group(3) or "")
        if m and m.group(2) in ("write", "hidden"):
            labs.add(int(m.group(1)))
    return labs
