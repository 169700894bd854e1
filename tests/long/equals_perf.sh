#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/cli/report/report_equals_perf.py with all sets of keys in captures of perf and of tstream.
REPORT_KEYS=all exec "${PYTHON:-python3}" "${abs_srcdir:-.}/tests/cli/report/report_equals_perf.py"
