#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Cuts, dumps, snapshots and what asks for them, recorded by a program built with ThreadSanitizer: main and writers pass
# streams and rings to each other within a cut, which only a real recording has all of. No race may be reported.
# RACE_SCRIPTS: those of tests/cli that are run.
set -u
source=$(cd "${abs_srcdir:-.}" && pwd)
scripts=${RACE_SCRIPTS:-"overwrite condense rotation triggers memory ctl on_snapshot record_sync"}
folder=$(mktemp -d "${TMPDIR:-/tmp}/tstream-race.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 143' TERM INT
number=0

result()
{
	number=$((number + 1))
	echo "$1 $number - $2"
}

if ! (cd "$folder" && "$source/configure" -q --enable-tsan "CFLAGS=-O1 -g1" && make -s -j"$(nproc)" all &&
	make -s -j"$(nproc)" check TESTS=) >"$folder/build.log" 2>&1; then
	tail -n 20 "$folder/build.log" | sed 's/^/# /'
	result "not ok" "it is built with ThreadSanitizer"
	echo "1..$number"
	exit 1
fi
for script in $scripts; do
	log=$folder/$script.log
	TSTREAM=$folder/tstream abs_srcdir=$source abs_builddir=$folder \
		TSAN_OPTIONS="log_path=$folder/report" "${PYTHON:-python3}" "$source"/tests/cli/*/"$script.py" >"$log" 2>&1
	if grep -q "^not ok" "$log" || ! grep -q "^1\.\." "$log"; then
		grep -A 10 "^not ok" "$log" | sed 's/^/# /'
		result "not ok" "$script.py passes"
	else
		result "ok" "$script.py passes"
	fi
	if ls "$folder"/report* >/dev/null 2>&1; then
		sed 's/^/# /' "$folder"/report* | head -n 100
		rm -f "$folder"/report*
		result "not ok" "$script.py: no race"
	else
		result "ok" "$script.py: no race"
	fi
done
echo "1..$number"
