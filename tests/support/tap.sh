# SPDX-License-Identifier: Apache-2.0
#
# TAP for test scripts in sh:	. "${abs_srcdir:-.}/tests/support/tap.sh"
#
#	run COMMAND...			runs it; $status, $out and $err are what it returned and said
#	ok SENTENCE [COMMAND...]	passed when COMMAND (default: the last status) succeeds
#	is SENTENCE GOT WANTED		passed when they are equal
#	like SENTENCE TEXT PATTERN	passed when a line of TEXT matches the extended regular expression
#	skip SENTENCE REASON		this test cannot run here
#	skip_all REASON			nothing in this script can; ends it
#	done_testing			prints the plan; the last line of the script
#
# $scratch is a folder of the script's own, removed at its end.

tap_number=0
TSTREAM=${TSTREAM:-./tstream}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/tstream-test.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

run()
{
	status=0
	"$@" >"$scratch/out" 2>"$scratch/err" </dev/null || status=$?
	out=$(cat "$scratch/out")
	err=$(cat "$scratch/err")
	case $status in
	132 | 134 | 135 | 136 | 139) tap_note "final: $1 was ended by signal $((status - 128))" ;;
	esac
}

# tap_result OK SENTENCE: prints the line of one test
tap_result()
{
	tap_number=$((tap_number + 1))
	echo "$1 $tap_number - $2"
}

# tap_note TEXT: comment lines, seen in the log of the test
tap_note()
{
	printf '%s\n' "$1" | sed 's/^/# /'
}

ok()
{
	tap_last=$?
	tap_sentence=$1
	shift
	if [ $# -gt 0 ]; then
		"$@" >/dev/null 2>&1
		tap_last=$?
	fi
	if [ "$tap_last" = 0 ]; then
		tap_result ok "$tap_sentence"
	else
		tap_result "not ok" "$tap_sentence"
		tap_note "status $tap_last${*:+ of: $*}"
	fi
}

is()
{
	if [ "$2" = "$3" ]; then
		tap_result ok "$1"
	else
		tap_result "not ok" "$1"
		tap_note "got:    $2"
		tap_note "wanted: $3"
	fi
}

like()
{
	if printf '%s\n' "$2" | grep -qE -- "$3"; then
		tap_result ok "$1"
	else
		tap_result "not ok" "$1"
		tap_note "got:    $2"
		tap_note "wanted a match of: $3"
	fi
}

skip()
{
	tap_result ok "$1 # SKIP $2"
}

skip_all()
{
	echo "1..0 # SKIP $1"
	exit 0
}

done_testing()
{
	echo "1..$tap_number"
}
