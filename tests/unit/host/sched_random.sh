#!/bin/sh
# SPDX-License-Identifier: MIT
# 10^5 random workloads for the scheduler, without sanitizers (test_sched_random runs some thousands with them).
exec "$BUILD/unit-fast/test_sched_random"
