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
	"tstream: cannot run 'recrod': no such command; 'tstream --help' lists them
  hint: did you mean record?"
run "$TSTREAM" frobnicate
is "one that is near to none has no guess" "$err" \
	"tstream: cannot run 'frobnicate': no such command; 'tstream --help' lists them"
run "$TSTREAM" help
is "help is --help" "$status $out" "0 $("$TSTREAM" --help)"

# what every command of the table owes: --help on stdout, a wrong option as a usage error
for command in $("$TSTREAM" --help | awk '/^  [a-z]/ { print $1 }'); do
	run "$TSTREAM" "$command" --help
	is "$command --help exits 0" "$status" 0
	like "$command --help prints its usage on stdout" "$out" "^Usage: tstream $command"
	help=$out
	run "$TSTREAM" "$command" -h
	is "$command -h is $command --help" "$status $out" "0 $help"
	run "$TSTREAM" "$command" --no-such-option
	is "a wrong option of $command is a usage error" "$status" 2
	is "a wrong option of $command leaves stdout empty" "$out" ""
done

# what cannot be printed is no success
for arguments in --version --help "record --help" "list --help" "list sw"; do
	status=0
	err=$("$TSTREAM" $arguments 2>&1 >/dev/full) || status=$?
	is "$arguments into a full device fails" "$status" 1
	like "$arguments into a full device says so" "$err" "^tstream: cannot .*: No space left on device$"
	status=0
	err=$("$TSTREAM" $arguments 2>&1 >&-) || status=$?
	is "$arguments without a standard output fails" "$status" 1
	like "$arguments without a standard output says so" "$err" "^tstream: cannot .*: Bad file descriptor$"
	is "and in one sentence" "$(echo "$err" | grep -cvE "^tstream: note: |^  hint: ")" 1
done
done_testing
