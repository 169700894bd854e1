#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What ./bootstrap demo shows: the workload's processes and functions, found again in the report, by its own account.
. "${abs_srcdir:-.}/tests/support/tap.sh"

workload=${abs_builddir:-.}/tests/demo/workload
capture=$scratch/capture

run "$TSTREAM" record -v --threads -o "$capture" -- "$workload" 1
if [ "$status" != 0 ] && echo "$err" | grep -q perf_event_paranoid; then
	skip_all "this user may not record: $(echo "$err" | head -n 1)"
fi
is "records the workload" "$status" 0
like "says how much it captured" "$err" '^\[ tstream record: [0-9.]+ s, [1-9][0-9]* samples, .* MB/s, .*lost'
is "by a writer for each CPU" "$(echo "$err" | grep -c '^  writer [0-9]*: CPUs [0-9]*, ')" "$(getconf _NPROCESSORS_ONLN)"
samples=$(echo "$err" | sed -n 's/.* s, \([0-9]*\) samples,.*/\1/p')

run "$TSTREAM" report -i "$capture" --no-children --sort comm
is "reports what ran" "$status" 0
like "finds the processes that compute" "$out" '^ +[0-9.]+%  compute *$'
like "finds the processes that make system calls" "$out" '^ +[0-9.]+%  syscalls *$'

run "$TSTREAM" report -i "$capture" --no-children
is "reports where the time went" "$status" 0
for function in sort_numbers multiply_matrices; do
	like "finds $function in the processes that compute" "$out" "%  compute +workload +\[\.\] $function *\$"
done
is "finds it nowhere else" "$(echo "$out" | grep -c '%  syscalls .*sort_numbers')" 0

run "$TSTREAM" report -i "$capture" --stats
is "reports every sample that was captured" "$(echo "$out" | awk '/SAMPLE events:/ { print $3; exit }')" "$samples"
done_testing
