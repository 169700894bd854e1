#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds and runs every test, each where it finds most and disturbs least (docs/decisions/0002-stages-of-check.md); ./bootstrap
# check calls it from the top of the tree, where ./configure is. The last line is "N passed, N failed, N skipped".
set -eu

jobs=$(nproc 2>/dev/null || echo 2)
STAGE_TIMEOUT=${STAGE_TIMEOUT:-1200}
tracefs=/sys/kernel/tracing
AGAIN_MAX=3   # so many scripts may need a second run
SLOWEST=10    # so many are printed
folder=build/check

say()
{
	printf '\n==> %s\n' "$*"
}

now()
{
	date +%s
}

# --- builds ---

# quiet_make FOLDER ARGUMENT...: says something only when it fails
quiet_make()
{
	log=$1/make.log
	make -C "$@" -s --no-print-directory >>"$log" 2>&1 && return 0
	tail -n 40 "$log"
	return 1
}

# build NAME TARGETS [CONFIGURE OPTION...]: configures it the first time; make does so when the build files change
build()
{
	name=$1 targets=$2 source=$PWD begun=$(now)
	shift 2
	say "Building in $folder/$name${*:+ ($*)}"
	mkdir -p "$folder/$name"
	: >"$folder/$name/make.log"
	if [ ! -f "$folder/$name/Makefile" ]; then
		(cd "$folder/$name" && "$source/configure" -q "$@") || return 1
	fi
	for target in $targets; do
		quiet_make "$folder/$name" -j"$jobs" "$target" || return 1
	done
	echo "building $name: $(($(now) - begun))" >>"$folder/stages"
}

# build_beside NAME TARGETS [CONFIGURE OPTION...]: beside and behind what follows; timeout ends all of its processes
build_beside()
{
	nice -n 19 timeout -k 10 "$STAGE_TIMEOUT" sh "$0" build "$@" >"$folder/$1.log" 2>&1 &
	builders="$builders $1:$!"
}

# await_builders: tells how they went; what breaks is counted
await_builders()
{
	for builder in $builders; do
		wait "${builder#*:}" || {
			broken=$((broken + 1))
			echo "not built: $folder/${builder%:*}"
		}
		cat "$folder/${builder%:*}.log"
	done
	builders=
}

# --- tests ---

# count KIND... < .trs files: how many results are of these kinds
count()
{
	grep -cE "^:test-result: ($1)" || true
}

# notes_of FOLDER: what tests there said of what failed
notes_of()
{
	find "$1/tests" -name '*.log' -exec awk '
		/^not ok/ { failed = 1; print; next }
		/^#/ { if (failed) print; next }
		/^FAIL/ { next }
		{ failed = 0 }' {} + | cut -c 1-300 | head -n 60
}

# take_results NAME: sets passed, failed, skipped from what the tests of a stage left, and puts their times away
take_results()
{
	all=$(find "$folder/$1/tests" -name '*.trs' -exec cat {} +)
	passed=$(echo "$all" | count 'PASS|XFAIL')
	failed=$(echo "$all" | count 'FAIL|XPASS|ERROR')
	skipped=$(echo "$all" | count 'SKIP')
	find "$folder/$1/tests" -name '*.time' -exec cat {} + | sed "s/^/$1 /" >>"$folder/times"
	find "$folder/$1/tests" -name '*.time' -delete
}

# told_by NAME TARGET STATUS: what the tests of a stage said; what failed is counted
told_by()
{
	log=$folder/$1/$2.log
	say "Tested in $folder/$1 (make $2)"
	grep -E '^(FAIL|XPASS|ERROR|SKIP): .*( [0-9]+$| - )' "$log" || true
	take_results "$1"
	all_passed=$((all_passed + passed)) all_failed=$((all_failed + failed)) all_skipped=$((all_skipped + skipped))
	if [ "$failed" != 0 ]; then
		notes_of "$folder/$1"
		keep_failed "$1"
	fi
	echo "$passed passed, $failed failed, $skipped skipped"
	if [ "$3" != 0 ] && [ "$failed" = 0 ]; then
		tail -n 20 "$log"
		echo "make $2 in $folder/$1 ended with status $3"
		broken=$((broken + 1))
	fi
	if [ "$3" != 0 ]; then
		echo "the whole output: $log"
	fi
}

# begin_tests NAME: false where that was not built; results of other tests are not left there
begin_tests()
{
	[ -x "$folder/$1/tstream" ] && find "$folder/$1/tests" \( -name '*.trs' -o -name '*.time' \) -delete
}

# test_stage NAME TARGET [MAKE OPTION...]: tests what was built
test_stage()
{
	begin_tests "$1" || return 0
	name=$1 target=$2 status=0 begun=$(now)
	shift
	timeout --foreground -k 10 "$STAGE_TIMEOUT" make -C "$folder/$name" -s --no-print-directory "$@" \
		>"$folder/$name/$target.log" 2>&1 || status=$?
	echo "testing $name ($target): $(($(now) - begun))" >>"$folder/stages"
	told_by "$name" "$target" "$status"
}

# test_beside NAME TARGET [MAKE OPTION...]: beside what follows; a shell has what it starts so ignore ^C, which tests send, so
# that is undone
test_beside()
{
	begin_tests "$1" || return 0
	name=$1 target=$2
	shift
	env --default-signal=INT,QUIT timeout -k 10 "$STAGE_TIMEOUT" make -C "$folder/$name" -s --no-print-directory "$@" \
		>"$folder/$name/$target.log" 2>&1 &
	testers="$testers $name:$target:$!:$(now)"
}

# await_testers: tells how they went
await_testers()
{
	for tester in $testers; do
		status=0
		IFS=: read -r name target pid begun <<-END
			${tester}
		END
		wait "$pid" || status=$?
		echo "testing $name ($target): $(($(now) - begun))" >>"$folder/stages"
		told_by "$name" "$target" "$status"
	done
	testers=
}

# --- second runs ---

# may_run_again TEST: is it a script whose comparison with perf, with time or with the machine may fail for their sake?
may_run_again()
{
	echo " $again_tests " | grep -q " $1 "
}

# is_final LOG: what is never tried again: a sanitizer's report, a program that a signal ended, one that did not end
is_final()
{
	grep -qE '^# final: ' "$1" || ! grep -qE '^1\.\.' "$1"
}

# keep_failed NAME: notes which scripts of the stage failed, and what each said first
keep_failed()
{
	for trs in $(grep -lE '^:test-result: (FAIL|XPASS|ERROR)' $(find "$folder/$1/tests" -name '*.trs')); do
		test=${trs#"$folder/$1/"} test=${test%.trs} log=${trs%.trs}.log
		for suffix in .py .sh; do
			if [ -f "$test$suffix" ] && may_run_again "$test$suffix" && ! is_final "$log"; then
				echo "$1 $test$suffix $(count 'FAIL|XPASS|ERROR' <"$trs") $(grep -m 1 '^not ok' "$log" | cut -c 1-150)" \
					>>"$folder/again"
			fi
		done
	done
}

# run_again: scripts that may be, alone, once; those that pass then no longer count as failed
run_again()
{
	[ -s "$folder/again" ] || return 0
	nr=$(wc -l <"$folder/again")
	if [ "$nr" -gt "$AGAIN_MAX" ]; then
		needed="$nr scripts failed that may run again, more than $AGAIN_MAX: none is run again"
		return 0
	fi
	needed=
	while read -r name test nr_failed said; do
		say "Running $test again in $folder/$name"
		begin_tests "$name"
		status=0
		make -C "$folder/$name" -s --no-print-directory check-these these="$test" >"$folder/$name/again.log" 2>&1 </dev/null ||
			status=$?
		take_results "$name"
		if [ "$status" = 0 ] && [ "$failed" = 0 ]; then
			all_failed=$((all_failed - nr_failed)) all_passed=$((all_passed + nr_failed))
			needed="$needed${needed:+; }$test ($said)"
		else
			notes_of "$folder/$name"
		fi
	done <"$folder/again"
	needed=${needed:+needed a second run: $needed}
}

# --- the whole ---

# mount_tracefs: the tests read tracepoints there; root mounts it where it is missing, and clean_up unmounts it again
mount_tracefs()
{
	if [ "$(id -u)" = 0 ] && [ -d "$tracefs" ] && [ ! -d "$tracefs/events" ]; then
		mount -t tracefs tracefs "$tracefs" && mounted=yes
	fi
}

# clean_up: what still runs beside this script when it ends, and the mount
clean_up()
{
	for other in $builders; do
		kill "${other#*:}" 2>/dev/null || true
	done
	for other in $testers; do
		kill "$(echo "$other" | cut -d: -f3)" 2>/dev/null || true
	done
	[ -z "$mounted" ] || umount "$tracefs"
}

# show_times: the minutes of each stage, some of which run beside each other, and the scripts that took longest
show_times()
{
	say "Minutes by stage"
	awk -F ': ' '{ printf "%5.1f  %s\n", $2 / 60, $1 }' "$folder/stages"
	printf '%5.1f  %s\n' "$(awk -v s=$(($(now) - began)) 'BEGIN { print s / 60 }')" "all"
	say "The slowest: seconds, of which CPU time"
	sort -k 2 -rn "$folder/times" | head -n "$SLOWEST" | awk '{ printf "%6.1f %6.1f  %s (%s)\n", $2, $3, $4, $1 }'
}

# Sanitizers find mistakes where the whole program need not be quick: all programs of tests, and scripts for which it makes no
# difference, run in such builds alone. What compares with perf and time runs in the build that is installed.
check()
{
	broken=0 builders= testers= mounted= needed= all_passed=0 all_failed=0 all_skipped=0 began=$(now)
	trap clean_up EXIT
	trap 'exit 130' INT TERM
	mkdir -p "$folder"
	rm -f "$folder/again" "$folder/times" "$folder/stages"
	mount_tracefs || true
	build plain "all programs-of-scripts" --enable-werror || broken=$((broken + 1))
	again_tests=$(make -C "$folder/plain" -s --no-print-directory print-again 2>/dev/null) || again_tests=
	build_beside asan "all programs-of-scripts programs-of-tests" --enable-asan CFLAGS="-O1 -g1"
	build_beside tsan "all programs-of-tests" --enable-tsan CFLAGS="-O1 -g1"
	build_beside recorder all --disable-reader CFLAGS=-O0
	test_stage plain check-sharing -j2
	await_builders
	test_stage plain check-waiting -j4
	test_stage plain check-scripts
	test_beside asan check-programs -j2
	test_beside tsan check-programs -j2
	await_testers
	test_stage asan check-sanitized -j2
	test_stage recorder check-quick quick_tests=tests/libraries.sh
	run_again
	show_times
	say "All stages"
	if [ -n "$needed" ]; then
		echo "$needed"
	fi
	failed=$((all_failed + broken))
	echo "$all_passed passed, $failed failed, $all_skipped skipped"
	[ "$failed" = 0 ]
}

if [ "${1-}" = build ]; then
	shift
	build "$@"
else
	check
fi
