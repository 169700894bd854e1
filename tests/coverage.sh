#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# How much of the code all tests run, scripts included: lines and branches by folder (make coverage; as long as make check, and
# a build). It is a lower bound: of a process that is killed nothing is counted. FOLDER: where it is built (coverage/ in the
# build folder); TESTS: only these.
source=$(cd "${abs_srcdir:-.}" && pwd)
folder=${FOLDER:-${abs_builddir:-.}/coverage}
jobs=$(nproc)

command -v gcovr >/dev/null || {
	echo "coverage: gcovr is not installed: apt-get install gcovr" >&2
	exit 1
}
mkdir -p "$folder"
cd "$folder" || exit 1
[ -f Makefile ] ||
	"$source/configure" -q CFLAGS="-O0 -g --coverage -fprofile-update=prefer-atomic" LDFLAGS=--coverage || exit 1
for target in all programs-of-scripts programs-of-tests; do
	make -s -j"$jobs" $target >build.log 2>&1 || {
		tail -n 20 build.log >&2
		exit 1
	}
done
find . -name '*.gcda' -delete
chmod -R a+rwX . # tests run as other users, too, and what is counted of them lies beside the objects
if [ -n "${TESTS-}" ]; then
	make -s check-these these="$TESTS"
else
	make -s check-programs -j"$jobs"
	make -s -k check-scripts check-sharing check-waiting check-sanitized
fi >tests.log 2>&1
gcovr --root "$source" --exclude-throw-branches --exclude '.*/tests/.*' --csv -o files.csv . 2>gcovr.log || {
	tail -n 5 gcovr.log >&2
	exit 1
}
awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	{
		folder = $column["filename"]
		if (!sub(/\/[^\/]*$/, "", folder))
			folder = "."
		add(folder); add("all")
	}
	function add(to)
	{
		if (!(to in lines))
			order[++nr] = to
		lines[to] += $column["line_total"]; run[to] += $column["line_covered"]
		branches[to] += $column["branch_total"]; taken[to] += $column["branch_covered"]
	}
	function percent(part, of) { return of ? 100 * part / of : 100 }
	END {
		print "  lines  run  branches  taken  folder"
		for (i = 1; i <= nr; i++)
			printf "%7d %3.0f%%  %8d   %3.0f%%  %s\n", lines[order[i]], percent(run[order[i]], lines[order[i]]),
				branches[order[i]], percent(taken[order[i]], branches[order[i]]), order[i]
	}' files.csv
echo "by file: $folder/files.csv; what the tests said: $folder/tests.log"
