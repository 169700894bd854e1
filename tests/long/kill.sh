#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/cli/recorder/kill.py with KILLS (500) kills of each of its twelve combinations, anywhere in half a second.
KILLS=${KILLS:-500} KILL_WITHIN_S=${KILL_WITHIN_S:-0.5} exec "${PYTHON:-python3}" "${abs_srcdir:-.}/tests/cli/recorder/kill.py"
