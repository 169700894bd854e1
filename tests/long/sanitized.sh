#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Scripts that check runs in the plain build alone, with a program built with AddressSanitizer and UBSan. No report may come.
# SANITIZED_SCRIPTS: those of tests/cli that are run.
set -u
source=$(cd "${abs_srcdir:-.}" && pwd)
scripts=${SANITIZED_SCRIPTS:-"help merge_copies directory_held record_refusals record_layouts ctl follow
	report_notes report_overview list status_line interrupted"}
folder=$(mktemp -d "${TMPDIR:-/tmp}/tstream-sanitized.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 143' TERM INT
number=0

result()
{
	number=$((number + 1))
	echo "$1 $number - $2"
}

if ! (cd "$folder" && "$source/configure" -q --enable-asan "CFLAGS=-O1 -g1" && make -s -j"$(nproc)" all &&
	make -s -j"$(nproc)" check TESTS=) >"$folder/build.log" 2>&1; then
	tail -n 20 "$folder/build.log" | sed 's/^/# /'
	result "not ok" "it is built with sanitizers"
	echo "1..$number"
	exit 1
fi
for script in $scripts; do
	log=$folder/$script.log
	TSTREAM=$folder/tstream abs_srcdir=$source abs_builddir=$folder \
		SANITIZED=yes \
		ASAN_OPTIONS="log_path=$folder/report" UBSAN_OPTIONS="print_stacktrace=1:log_path=$folder/report" "${PYTHON:-python3}" "$source"/tests/cli/*/"$script.py" >"$log" 2>&1
	if grep -q "^not ok" "$log" || ! grep -q "^1\.\." "$log"; then
		grep -A 10 "^not ok" "$log" | sed 's/^/# /'
		result "not ok" "$script.py passes"
	else
		result "ok" "$script.py passes"
	fi
	if ls "$folder"/report* >/dev/null 2>&1; then
		sed 's/^/# /' "$folder"/report* | head -n 100
		rm -f "$folder"/report*
		result "not ok" "$script.py: no report of a sanitizer"
	else
		result "ok" "$script.py: no report of a sanitizer"
	fi
done
echo "1..$number"
