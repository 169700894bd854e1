# SPDX-License-Identifier: Apache-2.0
#
# For long tests that run scripts of tests/cli with tstream built in another way:
#
#	. "${abs_srcdir:-.}/tests/support/other_build.sh"
#	build_with --enable-tsan "it is built with ThreadSanitizer"	ends the test if that fails
#	run_scripts "$scripts" "no race" NAME=VALUE...			with these in the environment
#
# $folder is the test's own, and the build is in it. A sanitizer with log_path=$folder/reports/of has its reports found.
set -u
source=$(cd "${abs_srcdir:-.}" && pwd)
folder=$(mktemp -d "${TMPDIR:-/tmp}/tstream-build.XXXXXX")
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/reports"
trap 'exit 143' TERM INT
number=0

result()
{
	number=$((number + 1))
	echo "$1 $number - $2"
}

build_with()
{
	(cd "$folder" && "$source/configure" -q "$1" "CFLAGS=-O1 -g1" && make -s -j"$(nproc)" all &&
		make -s -j"$(nproc)" check TESTS=) >"$folder/build.log" 2>&1 && return
	tail -n 20 "$folder/build.log" | sed 's/^/# /'
	result "not ok" "$2"
	echo "1..$number"
	exit 1
}

run_scripts()
{
	scripts=$1 clean=$2
	shift 2
	for script in $scripts; do
		log=$folder/$script.log
		env TSTREAM="$folder/tstream" abs_srcdir="$source" abs_builddir="$folder" "$@" \
			"${PYTHON:-python3}" "$source"/tests/cli/*/"$script.py" >"$log" 2>&1
		if grep -q "^not ok" "$log" || ! grep -q "^1\.\." "$log"; then
			grep -A 10 "^not ok" "$log" | sed 's/^/# /'
			result "not ok" "$script.py passes"
		else
			result "ok" "$script.py passes"
		fi
		if ls "$folder"/reports/* >/dev/null 2>&1; then
			sed 's/^/# /' "$folder"/reports/* | head -n 100
			rm -f "$folder"/reports/*
			result "not ok" "$script.py: $clean"
		else
			result "ok" "$script.py: $clean"
		fi
	done
	echo "1..$number"
}
