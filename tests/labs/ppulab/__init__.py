# SPDX-License-Identifier: MIT
"""Graders of the course labs: tests/labs/labN/grade.py says what a lab is made
of with these; scripts/lab runs it."""

from .model import Criterion, Lab, Scenario
from .paths import LabError

__all__ = ["Criterion", "Lab", "LabError", "Scenario"]
