# SPDX-License-Identifier: MIT
"""scripts/lab slides: a lecture for each lab, made from the lab's page and from the model answers.

A deck is Markdown as pandoc reads it: a heading of the second level begins a slide, `::: notes` is for who speaks. It
has what the page says, without how to start, without hints, cut where a slide would be too long; then the questions, with
their answers as notes. With pandoc there is HTML as well, with the notes and without: one file each, with nothing from
elsewhere, a screen or a printed page for each slide."""

import argparse
import os
import re
import shutil
import subprocess

from . import model, paths
from .paths import LabError, OUT, TOP

PAGES = os.path.join(TOP, "Documentation/labs")
TEACH = os.path.join(PAGES, "teach")
CSS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "slides.css")
LINES = 16              # a slide has at most so many lines, unless one table or drawing has more
WIDTH = 100             # characters of a line of text on a slide
NO_SLIDES = ("Hints", "Questions", "Start")
ITEM = re.compile(r"^\d+\. ", re.M)


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def sections(text):
    """[(heading, text)] of a page; the first has the page's title."""
    parts = re.split(r"^(#{1,2}) (.*)\n", text, flags=re.M)
    return [(parts[i + 1].strip(), parts[i + 2].strip("\n")) for i in range(1, len(parts), 3)]


def items(text):
    """The points of a numbered list."""
    found = ITEM.split(text)[1:]
    return [re.split(r"\n(?=\S)", t.strip("\n"))[0].strip() for t in found]


def questions(lab):
    return next((items(t) for h, t in sections(read(os.path.join(PAGES, lab.page))) if h == "Questions"), [])


def answers_file(lab):
    return os.path.join(TEACH, "answers-%02d.md" % lab.number)


def answers(lab):
    """The model answers, in the order of the questions."""
    path = answers_file(lab)
    return items(read(path)) if os.path.exists(path) else []


def blocks(text):
    """Paragraphs, lists, tables and drawings of a section; what is indented or stands in a table stays together."""
    out = []
    for part in re.split(r"\n\s*\n", text):
        if not part.strip():
            continue
        if out and part.startswith("    ") and out[-1].startswith("    "):
            out[-1] += "\n\n" + part
        else:
            out.append(part)
    return out


def height(block):
    """About how many lines a block takes on a slide."""
    if block.startswith(("|", "    ")):
        return block.count("\n") + 1
    return sum(1 + len(l) // WIDTH for l in re.split(r"\n(?=[-*\d])", block)) + 1


def table_parts(block):
    """A long table as several, each with the head."""
    rows = block.split("\n")
    if not block.startswith("|") or len(rows) <= LINES:
        return [block]
    head, body, n = rows[:2], rows[2:], LINES - 4
    return ["\n".join(head + body[i:i + n]) for i in range(0, len(body), n)]


def slides_of(heading, text):
    """[(heading, text)] of slides that are not too long."""
    out, now, used = [], [], 0
    for block in (b for part in blocks(text) for b in table_parts(part)):
        if now and used + height(block) > LINES:
            out.append(now)
            now, used = [], 0
        now.append(block)
        used += height(block)
    out += [now] if now else []
    return [(heading if not i else "%s (%d)" % (heading, i + 1), "\n\n".join(b)) for i, b in enumerate(out)]


def links(text):
    """Links to other pages become words: a slide stands alone. Pictures stay."""
    return re.sub(r"(?<!!)\[(?:\.\./)*([^\]]*)\]\([^)]*\)", r"\1", text)


def without_start(text):
    """The opening of a page, without how a student begins."""
    return re.split(r"^\*\*Start\*\*", text, flags=re.M)[0].strip()


def discussion(lab):
    """Slides with two questions each; the answers are notes."""
    told, out = answers(lab), []
    asked = questions(lab)
    for i in range(0, len(asked), 2):
        text = "\n".join("%d. %s" % (k + 1, asked[k]) for k in range(i, min(i + 2, len(asked))))
        notes = "\n\n".join("(%d) %s" % (k + 1, told[k]) for k in range(i, min(i + 2, len(told))))
        out.append(("To discuss", text + ("\n\n::: notes\n%s\n:::" % notes if notes else "")))
    return out


def deck(lab):
    """[(heading, text)] of all slides."""
    parts = [(h, t) for h, t in sections(read(os.path.join(PAGES, lab.page)))]
    title, opening = parts[0]
    out = slides_of(title, without_start(opening))
    for heading, text in parts[1:]:
        if heading not in NO_SLIDES:
            out += slides_of(heading, text)
    return [(h, links(t)) for h, t in out + discussion(lab)]


def markdown(lab):
    head = "%% %s\n%% PPU labs\n\n" % sections(read(os.path.join(PAGES, lab.page)))[0][0]
    return head + "\n\n".join("## %s\n\n%s" % s for s in deck(lab)) + "\n"


def html(text, target):
    """One file, with its pictures and its style in it."""
    res = subprocess.run(["pandoc", "--standalone", "--self-contained", "--section-divs", "--to", "html5",
                          "--from", "markdown+lists_without_preceding_blankline",
                          "--metadata", "lang=en", "--css", CSS, "--resource-path", PAGES, "-o", target],
                         input=text, capture_output=True, text=True, check=False)
    if res.returncode:
        raise LabError("pandoc: " + res.stderr.strip())


def without_notes(text):
    return re.sub(r"\n\n::: notes\n.*?\n:::", "", text, flags=re.S)


def main(argv):
    ap = argparse.ArgumentParser(prog="lab slides", description=__doc__.split("\n", maxsplit=1)[0])
    ap.add_argument("numbers", type=int, nargs="*", metavar="N", help="labs (all)")
    ap.add_argument("--out", default=os.path.join(OUT, "slides"), metavar="DIR", help="where to (build/labs/slides)")
    args = ap.parse_args(argv)
    os.makedirs(args.out, exist_ok=True)
    for n in args.numbers or model.numbers():
        lab = model.load(n)
        made, text = os.path.join(args.out, lab.name), markdown(lab)
        with open(made + ".md", "w", encoding="utf-8") as f:
            f.write(text)
        if shutil.which("pandoc"):
            html(without_notes(text), made + ".html")
            html(text, made + "-notes.html")
        print("  %-7s %s: %d slides" % ("SLIDES", paths.shown(made), len(deck(lab))))
    if not shutil.which("pandoc"):
        print("  HTML is made of them by pandoc, which is not installed (Debian's package pandoc).")
    return 0
