# SPDX-License-Identifier: MIT
"""A report of the autograder in the formats that other programs read.

The report itself (format 1) is JSON:
    {"format": 1, "lab", "title", "submission", "points", "max", "bonus",
     "criteria": [{"name", "text", "points", "max", "lost": [sentences]}],
     "error": null or why there was nothing to grade, "log", "versions": {...}, "files": digest of what was graded}"""

import csv
import io
import json
import os
import re
import socket
import xml.etree.ElementTree as xml

from . import sealed_build


SENTENCE = 600


def clean_line(text, limit=SENTENCE):
    """One line of at most so many letters, without what a terminal would obey."""
    return sealed_build.clean(" ".join(str(text).split()), limit)


def write(path, text):
    """Writes the whole file, or nothing; into a device or a pipe, as it comes."""
    special = os.path.exists(path) and not os.path.isfile(path)
    # Machines that share a directory have processes of the same number.
    tmp = path if special else "%s.%s.%d.tmp" % (path, socket.gethostname(), os.getpid())
    with open(tmp, "w", encoding="utf-8") as f:
        f.write(text)
    if not special:
        os.replace(tmp, path)


def as_json(report):
    return json.dumps(report, indent=1, ensure_ascii=False) + "\n"


def lost_text(criterion):
    return "\n".join(criterion["lost"])


def gradescope(report):
    """results.json of Gradescope's autograders."""
    tests = [{
        "name": c["name"] + ": " + c["text"],
        "number": str(i),
        "score": c["points"],
        "max_score": c["max"],
        "status": "passed" if c["points"] == c["max"] else "failed",
        "output": lost_text(c),
        "visibility": "visible",
    } for i, c in enumerate(report["criteria"], 1)]
    if report["bonus"]:
        tests.append({"name": "bonus: " + report["bonus"]["text"], "score": report["bonus"]["points"],
                      "max_score": report["bonus"]["max"], "output": "\n".join(report["bonus"]["lost"]),
                      "visibility": "visible"})
    head = "Lab %d: %s. %d of %d points." % (report["lab"], report["title"], report["points"], report["max"])
    if report["error"]:
        head += "\n" + report["error"]
    score = report["points"] + (report["bonus"]["points"] if report["bonus"] else 0)
    out = {"score": score, "output": head + ("\n\n" + report["log"] if report["log"] else ""),
           "visibility": "visible", "stdout_visibility": "hidden", "tests": tests,
           "extra_data": {"versions": report["versions"]}}
    return json.dumps(out, indent=1, ensure_ascii=False) + "\n"


def junit(report):
    """A criterion is a test case; the test case fails if any point is lost."""
    name = "lab%d" % report["lab"]
    failed = [c for c in report["criteria"] if c["points"] < c["max"]]
    suites = xml.Element("testsuites")
    suite = xml.SubElement(suites, "testsuite", name=name, tests=str(len(report["criteria"])),
                           failures=str(len(failed)), errors="0", skipped="0", time="0")
    properties = xml.SubElement(suite, "properties")
    for key, value in [("points", report["points"]), ("max", report["max"]), *sorted(report["versions"].items())]:
        xml.SubElement(properties, "property", name=key, value=str(value))
    for c in report["criteria"]:
        case = xml.SubElement(suite, "testcase", classname=name, name=c["name"], time="0")
        if c["points"] < c["max"]:
            what = xml.SubElement(case, "failure", type="points",
                                  message="%d of %d points" % (c["points"], c["max"]))
            what.text = lost_text(c)
    xml.SubElement(suite, "system-out").text = "\n".join(filter(None, [report["error"], report["log"]]))
    xml.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(suites, encoding="unicode") + "\n"


def cell(value):
    """A spreadsheet must not read what a student wrote as a formula."""
    text = " ".join(str(value).split())
    return "'" + text if text[:1] in ("=", "+", "-", "@") else text


def points_of(sentence):
    """-8: ... is 8; the first of equal ones is the heaviest."""
    found = re.match(r"-(\d+): ", sentence)
    return int(found.group(1)) if found else 0


def remark(report):
    """Why points are missing, in a line: why nothing was graded, or the criterion that lost most and its heaviest
    sentence."""
    worst = max(report["criteria"], key=lambda c: c["max"] - c["points"], default=None)
    if report["error"] or not worst or worst["points"] == worst["max"]:
        return report["error"] or ""
    return "%s: %s" % (worst["name"], max(worst["lost"], key=points_of, default=""))


def class_csv(reports):
    """One line for each submission: its points, the points of each criterion, and a remark."""
    names = []
    for report in reports:
        names += [c["name"] for c in report["criteria"] if c["name"] not in names]
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["submission", "lab", "points", "max", "bonus", *names, "remark"])
    for report in reports:
        points = {c["name"]: c["points"] for c in report["criteria"]}
        table.writerow([cell(report["submission"]), report["lab"], report["points"], report["max"],
                        report["bonus"]["points"] if report["bonus"] else "",
                        *[points.get(n, "") for n in names], cell(remark(report))])
    return out.getvalue()
