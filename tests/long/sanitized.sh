#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Scripts that check runs in the plain build alone, with a program built with AddressSanitizer and UBSan. No report may come.
# SANITIZED_SCRIPTS: those of tests/cli that are run.
. "${abs_srcdir:-.}/tests/support/other_build.sh"

build_with --enable-asan "it is built with sanitizers"
run_scripts "${SANITIZED_SCRIPTS:-help merge_copies directory_held record_refusals record_layouts ctl follow \
	report_notes report_overview list status_line interrupted}" "no report of a sanitizer" \
	SANITIZED=yes ASAN_OPTIONS="log_path=$folder/reports/of" UBSAN_OPTIONS="print_stacktrace=1:log_path=$folder/reports/of"
