#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tstream without a command, with its own two options, and with a command that it does not have.
. "${abs_srcdir:-.}/tests/support/tap.sh"

run "$TSTREAM" --version
is "--version exits 0" "$status" 0
like "--version prints name and version on stdout" "$out" '^tstream [0-9]+\.[0-9]+\.[0-9]+$'

run "$TSTREAM" --help
is "--help exits 0" "$status" 0
like "--help prints the usage on stdout" "$out" '^Usage: tstream COMMAND'
is "--help says nothing on stderr" "$err" ""

run "$TSTREAM"
is "no command is a usage error" "$status" 2
is "no command leaves stdout empty" "$out" ""
like "no command prints the usage on stderr" "$err" '^Usage: tstream COMMAND'

run "$TSTREAM" recrod -a
is "an unknown command is a usage error" "$status" 2
is "an unknown command is named in one sentence with a remedy" "$err" \
	"tstream: cannot run 'recrod': no such command; 'tstream --help' lists them"

# what every command of the table owes: --help on stdout, a wrong option as a usage error
for command in $("$TSTREAM" --help | awk '/^  [a-z]/ { print $1 }'); do
	run "$TSTREAM" "$command" --help
	is "$command --help exits 0" "$status" 0
	like "$command --help prints its usage on stdout" "$out" "^Usage: tstream $command"
	run "$TSTREAM" "$command" --no-such-option
	is "a wrong option of $command is a usage error" "$status" 2
	is "a wrong option of $command leaves stdout empty" "$out" ""
done
done_testing
