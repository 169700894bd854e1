#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Cuts, dumps, snapshots and what asks for them, recorded by a program built with ThreadSanitizer: main and writers pass
# streams and rings to each other within a cut, which only a real recording has all of. No race may be reported.
# RACE_SCRIPTS: those of tests/cli that are run.
. "${abs_srcdir:-.}/tests/support/other_build.sh"

build_with --enable-tsan "it is built with ThreadSanitizer"
run_scripts "${RACE_SCRIPTS:-overwrite condense rotation triggers memory ctl on_snapshot record_sync}" "no race" \
	TSAN_OPTIONS="log_path=$folder/reports/of"
