# SPDX-License-Identifier: MIT
"""The trace of the student's run beside the reference."""


def make(lab, result, where):
    return []
