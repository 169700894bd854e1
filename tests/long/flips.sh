#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/cli/capture/flips.py with FLIPS (400) wrong bits in each capture.
FLIPS=${FLIPS:-400} exec "${PYTHON:-python3}" "${abs_srcdir:-.}/tests/cli/capture/flips.py"
