#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Stands in the summary for the Criterion tests where this build cannot run them.
echo "1..0 # SKIP unit tests are left out: $NO_CRITERION"
