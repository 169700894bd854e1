#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What the sources of all folders have in common: licence, unique names, include guards, who prints.
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

sources=$(find common streamer reader tests tstream.c -type f -name '*.[ch]' -not -name '*.pb-c.*')

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

# What writes to standard output, to stderr or to a FILE that stands for one of them.
calls='(^|[^[:alnum:]_])(ts_log_note|ts_log_warn|ts_log_say|ts_log_error|v?f?printf|v?dprintf|f?puts|f?putc|putchar|fwrite|perror) *[(]'
calls="$calls|(ts_file_write_all|writev?) *[(]STD(OUT|ERR)_FILENO"

# Beside commands and print_*: a file or a folder, and why.
prints_too='
tstream.c                  the command line itself, before there is a command
common/base/log.c          the messages
common/base/log.h          their declarations
common/base/terminal.c     draws and erases a line of a terminal
reader/commands/sigbus.c   a signal handler, which may call nothing but write
streamer/control/control_serve.c  words its answers into a FILE that is memory
streamer/record/record_loop.c     the loop of the command: what happens is told when it happens
streamer/record/daemon.c          the last words of the process that the caller waits for
'

# printing: the lines that print and stand elsewhere
printing()
{
	files=$(echo "$sources" | grep -Ev '^tests/|/(cmd|print)_[^/]*$')
	allowed=$(echo "$prints_too" | awk 'NF { printf "%s^%s", sep, $1; sep = "|" }')
	grep -nE "$calls" $files /dev/null | grep -Ev "$allowed"
}

echo 1..4
check "every source file begins with its licence" \
	"$(lacking licence)"
check "the names of source files are unique" \
	"$(echo "$sources" | grep -v '^tests/' | sed 's,.*/,,' | sort | uniq -d)"
check "include guards are called TS_<FOLDER>_<NAME>_H" \
	"$(lacking guard)"
check "only commands print" \
	"$(printing)"
