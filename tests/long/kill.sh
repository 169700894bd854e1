#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/cli/kill.py with KILLS (500) kills of each of its twelve combinations.
KILLS=${KILLS:-500} exec "${PYTHON:-python3}" "${abs_srcdir:-.}/tests/cli/kill.py"
