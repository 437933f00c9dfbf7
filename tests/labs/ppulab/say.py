# SPDX-License-Identifier: MIT
"""What graders say in the same words: errors, and observations that were not made."""

import errno


def err(number):
    """-22: "-EINVAL"; 0 and what is no error as a number."""
    return str(number) if number >= 0 else "-" + errno.errorcode.get(-number, str(-number))


def name_of(number):
    """-38: "-38 (ENOSYS)" """
    return "%d (%s)" % (number, errno.errorcode.get(-number, "no error of Linux"))


def rows(c, run, name, what):
    """The observations of that name, line by line; without one the criterion is lost."""
    found = run.rows(name)
    c.require(found, run.dead or "The exercise did not get as far as %s: what comes before it failed." % what)
    return found


def one(c, run, name, what):
    """The first of them."""
    return rows(c, run, name, what)[0]
