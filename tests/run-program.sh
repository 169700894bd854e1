#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# run-program.sh PROGRAM: run one test program and print TAP for automake's driver.
# A program in race/ or fuzz/ is a plain main(): 0 passed, 77 cannot run here (its last line says why), else failed.
# Any other is Criterion's and counts each of its tests. TEST_TIMEOUT (seconds, 120) bounds either.
program=$1
name=${program##*/}
limit=${TEST_TIMEOUT:-120}
out=$(mktemp "${TMPDIR:-/tmp}/tstream-test.XXXXXX") || exit 99
run=
# ThreadSanitizer of gcc 12 cannot start where the kernel randomizes more than 28 bits of an address.
if [ -n "${TSAN_BUILD-}" ] && setarch -R true 2>/dev/null; then
	run="setarch -R"
fi
trap 'rm -f "$out" "$out.said"' EXIT

case $program in
*/race/* | */fuzz/*)
	echo 1..1
	timeout -k 5 "$limit" $run "$program" >"$out" 2>&1
	status=$?
	case $status in
	0) echo "ok 1 - $name" ;;
	77) echo "ok 1 - $name # SKIP $(tail -n 1 "$out")" ;;
	124 | 137) echo "not ok 1 - $name: exit status $status: still running after $limit s, or killed" ;;
	*) echo "not ok 1 - $name: exit status $status" ;;
	esac
	sed 's/^/# /' "$out"
	;;
*)
	# Not by a pipe: whatever a broken test leaves running would hold it open for ever.
	timeout -k 5 "$limit" $run "$program" -q --tap="$out" </dev/null >"$out.said" 2>&1
	status=$?
	sed 's/^/# /' "$out.said"
	if [ -s "$out" ]; then
		cat "$out"
	else
		echo 1..1
		echo "not ok 1 - $name: exit status $status and no result (124 or 137: still running after $limit s, or killed)"
	fi
	;;
esac
exit 0
