#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Links in the documentation work: links between pages and to pictures lead to something that exists, and the index of
# the hardware pages names every one of them.
exec python3 -B - "$PPU_TOP" <<'END'
import os, re, sys

top = sys.argv[1]
pages = [os.path.join(top, n) for n in os.listdir(top) if n.endswith(".md")]
for where, _, names in os.walk(os.path.join(top, "Documentation")):
    pages += [os.path.join(where, n) for n in names if n.endswith(".md")]
broken = []
for page in sorted(pages):
    with open(page, encoding="utf-8") as f:
        text = re.sub(r"```.*?```", "", f.read(), flags=re.S)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link):
            continue
        target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        if not os.path.exists(target):
            broken.append("%s: %s" % (os.path.relpath(page, top), link))
        elif anchor and target.endswith(".md"):
            with open(target, encoding="utf-8") as f:
                target_text = f.read()
            heads = re.findall(r"^#+ (.*)$", target_text, re.M)
            anchors = [re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in heads]
            if anchor not in anchors + re.findall(r'<a id="([^"]+)">', target_text):
                broken.append("%s: %s: no such heading" % (os.path.relpath(page, top), link))
for b in broken:
    print("# " + b)
print(("not ok" if broken else "ok") + " - links of %d pages" % len(pages))
with open(os.path.join(top, "Documentation/hw/index.md"), encoding="utf-8") as f:
    index = f.read()
missing = [n for n in os.listdir(os.path.join(top, "Documentation/hw"))
           if n.endswith(".md") and n != "index.md" and "(%s)" % n not in index]
print(("not ok" if missing else "ok") + " - the index of the hardware pages is complete " + " ".join(missing))
sys.exit(bool(broken or missing))
END
