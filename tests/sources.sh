#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What the sources of all folders have in common: licence, unique names, include guards.
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

sources=$(find common streamer reader tests tstream.c -type f -name '*.[ch]')

# lacking licence|guard: the sources whose first line is not the licence; the headers whose guard is not TS_<FOLDER>_<NAME>_H.
# An empty file lacks either.
lacking()
{
	awk -v what="$1" '
		function guard(path) { gsub(/[\/.]/, "_", path); return "#ifndef TS_" toupper(path) }
		what == "licence" && FNR == 1 && /SPDX-License-Identifier: Apache-2.0/ { has[FILENAME] }
		what == "guard" && /^#ifndef/ && !(FILENAME in looked) { looked[FILENAME]; if ($0 == guard(FILENAME)) has[FILENAME] }
		END {
			for (i = 2; i < ARGC; i++)
				if (!(ARGV[i] in has) && (what == "licence" || ARGV[i] ~ /\.h$/))
					print ARGV[i]
		}' /dev/null $sources || echo "awk cannot read them all"
}

echo 1..3
check "every source file begins with its licence" \
	"$(lacking licence)"
check "the names of source files are unique" \
	"$(echo "$sources" | grep -v '^tests/' | sed 's,.*/,,' | sort | uniq -d)"
check "include guards are called TS_<FOLDER>_<NAME>_H" \
	"$(lacking guard)"
