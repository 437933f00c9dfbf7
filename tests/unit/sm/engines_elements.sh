#!/bin/sh
# SPDX-License-Identifier: MIT
# Elements of arrays on both engines, without sanitizers: the host code that is tested has none anyway.
exec "$BUILD/unit-fast/test_engines_elements"
