# SPDX-License-Identifier: MIT
"""Words that all graders share: for errors, and for observations that were not made."""

import errno


def err(number):
    """"-EINVAL" for -22; 0, and a number that is no error, stay numbers."""
    return str(number) if number >= 0 else "-" + errno.errorcode.get(-number, str(-number))


def name_of(number):
    """-38: "-38 (ENOSYS)" """
    return "%d (%s)" % (number, errno.errorcode.get(-number, "no error of Linux"))


def rows(c, run, name, what):
    """The observations with this name, line by line; if there is none, the criterion is lost."""
    found = run.rows(name)
    c.require(found, run.dead or "The exercise did not get as far as %s: what comes before it failed." % what)
    return found


def one(c, run, name, what):
    """The first of the observations with this name."""
    return rows(c, run, name, what)[0]
