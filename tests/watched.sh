#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# watched.sh COMMAND... TEST: runs it, and leaves in TEST.time, in the build folder, "SECONDS CPU-SECONDS TEST", of it and of all
# processes that it has waited for. Two things fail a test so that it is not run again: a sanitizer's report of any process, also of
# one whose standard error nobody reads, and a script that has not ended after SCRIPT_TIMEOUT seconds. Without that variable there is
# no limit, and ^C on a terminal ends it.
for test; do :; done

# watch_reports: all sanitizers write to a folder; a log_path of the environment would lead reports past it
watch_reports()
{
	reports=$(mktemp -d "${TMPDIR:-/tmp}/tstream-reports.XXXXXX") || exit 99
	trap 'rm -rf "$reports"' EXIT
	trap 'exit 130' INT TERM
	chmod 1777 "$reports" # of whichever user
	export ASAN_OPTIONS="${ASAN_OPTIONS-}:print_stacktrace=1:log_path=$reports/report"
	export UBSAN_OPTIONS="${UBSAN_OPTIONS-}:print_stacktrace=1:log_path=$reports/report"
	export TSAN_OPTIONS="${TSAN_OPTIONS-}:log_path=$reports/report"
	export LSAN_OPTIONS="${LSAN_OPTIONS-}:print_suppressions=0" # which is not a report
}

# tell_reports: as comments, for the test has told its plan; the status fails it
tell_reports()
{
	[ -n "$(ls -A "$reports")" ] || return 0
	echo "not ok - a process has a report of a sanitizer"
	cat "$reports"/* | sed 's/^/# /'
	echo "# final: a sanitizer's report"
	status=1
}

begun=$(date +%s.%N)
if [ -n "${SANITIZED-}${TSAN_BUILD-}" ]; then
	watch_reports
fi
limit=
case $test in
*.sh | *.py) limit=${SCRIPT_TIMEOUT:+timeout -k 10 $SCRIPT_TIMEOUT} ;;
esac
$limit "$@"
status=$?
if [ -n "$limit" ] && { [ "$status" = 124 ] || [ "$status" = 137 ]; }; then
	echo "not ok - it did not end within $SCRIPT_TIMEOUT s, or was killed"
	echo "# final: it did not end"
fi
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
if [ -n "${reports-}" ]; then
	tell_reports
fi
exit $status
