# SPDX-License-Identifier: MIT
"""Numbers of the hardware, from its headers in include/hw."""

import os
import re

from . import paths


def listed(header, pattern):
    """All matches of a pattern in a header; ^ and $ match at lines."""
    with open(os.path.join(paths.TOP, "include/hw", header), encoding="utf-8") as f:
        return re.findall(pattern, f.read(), re.M)


# {"COPY": 0x20, ...}: PPU_CMDS
COMMANDS = {name: int(op, 0) for name, op in listed("ppu_cmd.h", r"^C\((\w+),\s*(0x[0-9a-f]+),")}
# {"COPY_FAULT": 13, ...}, {13: ("COPY_FAULT", "a copy touched ..."), ...}: PPU_ERRS
ERRORS = {int(code): (name, text)
          for name, code, text in listed("ppu_fault.h", r'^E\((\w+),\s*(\d+),\s*\w+,\s*"([^"]*)"')}
ERROR_CODES = {name: code for code, (name, _) in ERRORS.items()}
