#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The layering: streamer -> common <- reader, never sideways, never upward; tstream.c knows only the commands.
# And what the files of all folders have in common: licence, unique names, include guards.
cd "${abs_srcdir:-.}" || exit 99
number=0

# check SENTENCE OFFENDERS: one test, passed when there are no offenders
check()
{
	number=$((number + 1))
	if [ -z "$2" ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		echo "$2" | sed 's/^/# /'
	fi
}

# includes FOLDER PATTERN: the lines below FOLDER that include what PATTERN matches
includes()
{
	grep -rnE --include='*.[ch]' "^[[:space:]]*#[[:space:]]*include[[:space:]]+[<\"](\.\./)*$2" "$1"
}

sources=$(find common streamer reader tests tstream.c -name '*.[ch]')

# guard HEADER: what its include guard is to be called
guard()
{
	echo "TS_$1" | sed 's,[/.],_,g' | tr a-z A-Z
}

echo 1..7
check "common includes nothing of streamer or reader" "$(includes common '(streamer|reader|tests)/')"
check "streamer includes nothing of reader" "$(includes streamer '(reader|tests)/')"
check "reader includes nothing of streamer" "$(includes reader '(streamer|tests)/')"
check "tstream.c includes only the headers of commands, and what finds near names and drops variables" \
	"$(grep -nE '#[[:space:]]*include[[:space:]]+"' tstream.c |
		grep -vE '"(config\.h|common/(near|environment)\.h|(streamer|reader)/cmd_[a-z]+\.h)"')"
check "every source file begins with its licence" \
	"$(for f in $sources; do head -n 1 "$f" | grep -q 'SPDX-License-Identifier: Apache-2.0' || echo "$f"; done)"
check "the names of source files are unique" \
	"$(echo "$sources" | grep -v '^tests/' | sed 's,.*/,,' | sort | uniq -d)"
check "include guards are called TS_<FOLDER>_<NAME>_H" \
	"$(for f in $(echo "$sources" | grep '\.h$'); do
		grep -m 1 '^#ifndef' "$f" | grep -qx "#ifndef $(guard "$f")" || echo "$f"
	done)"
