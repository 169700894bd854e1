#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# timed.sh COMMAND... TEST: runs it, and leaves in TEST.time, in the build folder, "SECONDS CPU-SECONDS TEST", of it and of all
# processes that it has waited for.
for test; do :; done
begun=$(date +%s.%N)
"$@"
status=$?
case $test in
"$abs_builddir"/*) name=${test#"$abs_builddir"/} ;;
"$abs_srcdir"/*) name=${test#"$abs_srcdir"/} ;;
*) name=${test#./} name=${name#"${srcdir:-.}"/} ;;
esac
time=$abs_builddir/$name.time
mkdir -p "${time%/*}"
times >"$time" # not in a pipe: that would be another shell, with children of its own
date +%s.%N | awk -v begun="$begun" -v name="$name" '
	function seconds(text, parts) { split(text, parts, /[ms]/); return parts[1] * 60 + parts[2] }
	FILENAME != "-" { cpu = seconds($1) + seconds($2); next }
	{ printf "%.1f %.1f %s\n", $1 - begun, cpu, name }' "$time" - >"$time.new"
mv "$time.new" "$time"
exit $status
