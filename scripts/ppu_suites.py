# SPDX-License-Identifier: MIT
"""What scripts/clients and scripts/races have in common: they run programs of others, keep what came of each outside of the
tree, and write tables of it into a page."""

import fcntl
import json
import os
import re
import signal
import subprocess
import tempfile

MOST_OUTPUT = 4 << 20


def run(command, cwd, seconds, env=None, typed=""):
    """(status or None after so many seconds, output). What a program started ends with it: make leaves it running."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as keyboard:
        keyboard.write(typed.encode())
        keyboard.seek(0)
        with subprocess.Popen(command, cwd=cwd, stdin=keyboard, stdout=output, stderr=subprocess.STDOUT,
                              env=env, start_new_session=True) as process:
            try:
                status = process.wait(seconds)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                status = None
        output.seek(0)
        return status, output.read(MOST_OUTPUT).decode(errors="replace")


class Results:
    """What is known of programs, by their names: a file in a directory outside of the tree."""

    def __init__(self, place, name):
        self.path = os.path.join(place, name + ".json")

    def load(self):
        try:
            with open(self.path, encoding="utf-8") as f:
                return json.load(f)
        except FileNotFoundError:
            return {}

    def add(self, found):
        """Another run may add at the same time."""
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with open(self.path + ".lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with open(self.path + ".new", "w", encoding="utf-8") as f:
                json.dump(dict(self.load(), **found), f, indent=1, sort_keys=True)
            os.replace(self.path + ".new", self.path)


# ---- the page --------------------------------------------------------------------------------------------------------------

def cell(text):
    return re.sub(r"\s+", " ", text).replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")


def write_tables(page, name, tables):
    """Between the marks of that name."""
    begin, end = "<!-- %s: begin -->" % name, "<!-- %s: end -->" % name
    with open(page, encoding="utf-8") as f:
        text = f.read()
    before, rest = text.split(begin)
    with open(page, "w", encoding="utf-8") as f:
        f.write(before + begin + "\n" + tables + "\n" + end + rest.split(end)[1])


# ---- the command line ------------------------------------------------------------------------------------------------------

def say_suites(suites, width):
    for name, suite in suites.items():
        print("%-*s%s (%s)" % (width, name, suite.what, suite.url))


def places(ap, suites, words):
    """(suite, directory) of each SUITE=DIR; errors end the script."""
    for word in words:
        name, _, place = word.partition("=")
        if name not in suites:
            ap.error("there is no suite '%s'; scripts/%s --list names them" % (name, ap.prog))
        if not os.path.isdir(place):
            ap.error("%s is no directory: %s=DIR names a copy of %s" % (place or "''", name, suites[name].url))
        yield name, os.path.abspath(place)
