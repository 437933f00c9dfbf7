# SPDX-License-Identifier: MIT
"""Sphinx's configuration for `make docs`. The pages are the Markdown files of the tree as they are; what HTML needs
besides is added here, when a page is read: tables of contents, and links to folders as links to their index."""

import functools
import os
import re
import sys

from pygments.lexers.special import TextLexer

sys.path.insert(0, os.path.join(os.environ["PPU_TOP"], "scripts"))
from ppu_script import version as ppu_version       # noqa: E402

project = "PPU"
author = "the PPU project"
version = release = ppu_version()
extensions = ["myst_parser"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
root_doc = "index"
include_patterns = ["index.md", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSES/README.md", "Documentation/**",
                    "reference/**", "kmod/locking.rst"]
# Model answers are in the source tree, and not on a site that students read.
TEACHERS = "Documentation/labs/teach"
exclude_patterns = [TEACHERS]
myst_heading_anchors = 6
highlight_language = "none"         # indented blocks are commands, output, C, ...
pygments_style = "friendly"
c_id_attributes = ["PPU_LAUNCH_DEV", "PPU_LAUNCH_FN", "PPU_QUEUE_FN", "__user", "__iomem", "__rcu", "__must_check", "__maybe_unused"]
html_theme = "furo"
html_title = "PPU %s" % release
html_copy_source = False
html_show_copyright = False
html_static_path = ["static"]
html_css_files = ["ppu.css"]
html_theme_options = {"light_css_variables": {"font-stack": "sans-serif", "font-stack--monospace": "monospace"}}
# Links to source files are downloads of them; a Markdown page outside the manual is one, too.
suppress_warnings = ["myst.header"]

# Folders of the manual in reading order; what is not named comes after, by name.
FOLDERS = "hw", "uapi", "runtime", "labs", "spec", "contributing"
FIRST = "README", "Documentation/overview", "Documentation/where", "Documentation/glossary"


def links_of(text):
    """Pages of the same folder, in the order in which a page names them."""
    return [m for m in re.findall(r"\]\(([\w.-]+)\.md[)#]", text) if m != "index"]


def toctree(entries, caption=None):
    head = "\n\n```{toctree}\n:hidden:\n:maxdepth: 1\n"
    return head + (":caption: %s\n" % caption if caption else "") + "\n" + "\n".join(entries) + "\n```\n"


def pages_in(srcdir, folder):
    return sorted(os.path.splitext(n)[0] for n in os.listdir(os.path.join(srcdir, folder)) if n.endswith((".md", ".rst")))


def front_page(srcdir):
    """The tables of contents that make the navigation: one for each part of the manual."""
    doc = os.path.join(srcdir, "Documentation")
    above = [p for p in FIRST if os.path.exists(os.path.join(srcdir, p + ".md"))]
    rest = ["Documentation/" + p for p in pages_in(srcdir, "Documentation") if "Documentation/" + p not in above]
    folders = [f for f in sorted(os.listdir(doc), key=lambda f: (FOLDERS.index(f) if f in FOLDERS else 99, f))
               if os.path.isdir(os.path.join(doc, f)) and pages_in(doc, f)]
    text = toctree(above + rest, "The manual")
    for folder in folders:
        names = pages_in(doc, folder)
        if "index" in names:
            text += toctree(["Documentation/%s/index" % folder])
        else:
            text += toctree(["Documentation/%s/%s" % (folder, n) for n in names], folder.capitalize())
    last = [p for p in ("reference/index", "CONTRIBUTING", "CHANGELOG", "LICENSES/README")
            if any(os.path.exists(os.path.join(srcdir, p + s)) for s in (".md", ".rst"))]
    return text + toctree(last + ["Index of names <genindex>"], "Reference")


@functools.lru_cache(maxsize=None)
def html_anchors(path):
    """Places that a page marks by <a id="...">: the reader of Markdown knows only headings."""
    if not os.path.exists(path):
        return frozenset()
    with open(path, encoding="utf-8") as f:
        return frozenset(re.findall(r'<a id="([^"]+)">', f.read()))


def read_page(app, docname, source):
    text = source[0]
    srcdir, folder = str(app.srcdir), os.path.dirname(docname)

    def to_index(match):
        shown, link = match.groups()
        there = os.path.exists(os.path.join(srcdir, folder, link, "index.md"))
        return "[%s](%sindex.md)" % (shown, link) if there else shown

    text = re.sub(r"\[([^]]*)\]\(((?:[\w.-]+/)+)\)", to_index, text)

    def to_html(match):
        shown, link, anchor = match.groups()
        if anchor not in html_anchors(os.path.normpath(os.path.join(srcdir, folder, link + ".md"))):
            return match.group(0)
        return '<a href="%s.html#%s">%s</a>' % (link, anchor, shown.replace("\\", ""))

    text = re.sub(r"\[([^]`]*)\]\(([\w./-]+)\.md#([\w-]+)\)", to_html, text)

    def to_front(match):
        """The README of the tree is the front page."""
        shown, link, anchor = match.groups()
        if os.path.normpath(os.path.join(folder, link)) != "README.md":
            return match.group(0)
        return "[%s](%s%s)" % (shown, os.path.relpath("index.md", folder or "."), anchor or "")

    text = re.sub(r"\[([^]]*)\]\(([\w./-]*README\.md)(#[\w-]+)?\)", to_front, text)

    def to_download(match):
        """A page that is not part of the manual, such as the README of a folder, is a file of the tree like any other."""
        shown, link = match.groups()
        page = os.path.normpath(os.path.join(folder, link))
        if page.startswith(TEACHERS + "/"):
            return "%s (`%s`)" % (shown, page)
        if page in app.env.project.docnames or os.path.splitext(page)[0] in app.env.project.docnames:
            return match.group(0)
        if not os.path.exists(os.path.join(srcdir, page)):
            return match.group(0)
        return "{download}`%s <%s>`" % (shown.replace("`", "").replace("\\", ""), link)

    text = re.sub(r"\[([^]]*)\]\(([\w./-]+\.(?:md|rst))(?:#[\w-]+)?\)", to_download, text)
    if docname == "index":
        text += front_page(srcdir)
    elif docname.startswith("Documentation/") and docname.endswith("/index"):
        names = [n for n in pages_in(srcdir, folder) if n != "index"]
        order = [n for n in dict.fromkeys(links_of(text)) if n in names]
        text += toctree(order + [n for n in names if n not in order])
    source[0] = text


def setup(app):
    app.add_lexer("ppus", TextLexer)    # our assembly
    app.connect("source-read", read_page)
    return {"parallel_read_safe": True}
