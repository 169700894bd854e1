#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/cli/capture/damage.py with DAMAGE_STEPS (40) places a file and way.
DAMAGE_STEPS=${DAMAGE_STEPS:-40} exec "${PYTHON:-python3}" "${abs_srcdir:-.}/tests/cli/capture/damage.py"
