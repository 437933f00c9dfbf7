# SPDX-License-Identifier: MIT
"""Results of a test in Python, as TAP."""

failed = []


def is_(got, want, name):
    """Says whether got is want; what is not is in `failed`."""
    if got == want:
        print("ok - " + name)
    else:
        failed.append(name)
        print("not ok - %s: %r instead of %r" % (name, got, want))
