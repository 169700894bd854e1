#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds and runs every test of `make check`, each where it finds most and disturbs least (docs/decisions/0002-stages-of-check.md); ./bootstrap
# check calls it from the top of the tree, where ./configure is. The last line is "N passed, N failed, N skipped".
set -eu

jobs=$(nproc 2>/dev/null || echo 2)
LANE_TIMEOUT=${LANE_TIMEOUT:-2400}
export TEST_TIMEOUT="${TEST_TIMEOUT:-400}" # a program waits while scripts have the CPUs
export SCRIPT_TIMEOUT="${SCRIPT_TIMEOUT:-600}"
tracefs=/sys/kernel/tracing
AGAIN_MAX=3   # so many scripts may need a second run
SLOWEST=10    # so many are printed
folder=build/check
own_browser_tools=$PWD/$folder/browser
export PAGE_TOOLS="${PAGE_TOOLS:-$own_browser_tools}"

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

# is_current NAME CONFIGURE-OPTION...: was it configured with these options, later than all sources and makefiles changed?
is_current()
{
	made=$folder/$1/made
	shift
	[ -f "$made" ] && [ "$(cat "$made")" = "$*" ] && [ -z "$(find tstream.c configure.ac configure Makefile.am common streamer reader \
		docs/local.mk tests -newer "$made" \( -name '*.[ch]' -o -name '*.proto' -o -name '*.mk' -o -name 'configure*' -o -name '*.am' -o -type d \) | head -n 1)" ]
}

# gcc takes 0.4 s less for each test without optimization; the one that runs longest then takes half a second more.
UNOPTIMIZED="-O0 -g1 -U_FORTIFY_SOURCE"

# build NAME TARGETS [CONFIGURE OPTION...]: keeping track of headers would take a fourth of a build's time; so make does not, and a
# build begins anew after any change of sources
build()
{
	name=$1 targets=$2 source=$PWD begun=$(now)
	shift 2
	if ! is_current "$name" "$@"; then
		rm -rf "${folder:?}/$name"
		mkdir -p "$folder/$name"
		echo "$*" >"$folder/$name/making"
		(cd "$folder/$name" && "$source/configure" -q --disable-dependency-tracking "$@") || return 1
		mv "$folder/$name/making" "$folder/$name/made"
	fi
	: >"$folder/$name/make.log"
	for target in $targets; do
		flags=
		[ "$name:$target" != asan:programs-of-tests ] || flags=$UNOPTIMIZED
		quiet_make "$folder/$name" -j"$jobs" "$target" ${flags:+"CFLAGS=$flags"} || return 1
	done
	note_time "building $name" "$begun"
}

# browser_tools: once for all checks, from npm; without them a script says skip
browser_tools()
{
	[ "$PAGE_TOOLS" = "$own_browser_tools" ] || return 0
	begun=$(now)
	sh tests/support/browser_tools.sh "$PAGE_TOOLS" || true
	note_time "fetching what drives the browser" "$begun"
}

# note_time WHAT SINCE
note_time()
{
	echo "$1: $(($(now) - $2))" >>"$folder/stages"
}

# --- tests ---

# run_tests NAME TARGET [MAKE OPTION...]: returns the status of make
run_tests()
{
	name=$1 target=$2
	shift
	make -C "$folder/$name" -s --no-print-directory "$@" >"$folder/$name/$target.out" 2>&1 </dev/null
}

# test_stage NAME TARGET [MAKE OPTION...]: tests what was built; a make that fails although no test failed is noted as broken
test_stage()
{
	status=0 begun=$(now)
	run_tests "$@" || status=$?
	if [ "$status" != 0 ] && ! grep -qsE '^# (FAIL|XPASS|ERROR): +[1-9]' "$folder/$1/$2.log"; then
		echo "make $2 in $folder/$1 ended with status $status" | tee -a "$folder/broken"
		tail -n 20 "$folder/$1/$2.out"
	fi
	note_time "testing $1 ($2)" "$begun"
}

# count "KIND|KIND" < .trs files: how many results are of these kinds
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

# take_results NAME: sets passed, failed, skipped from what the tests there left, and puts their times away
take_results()
{
	all=$(find "$folder/$1/tests" -name '*.trs' -exec cat {} +)
	passed=$(echo "$all" | count 'PASS|XFAIL')
	failed=$(echo "$all" | count 'FAIL|XPASS|ERROR')
	skipped=$(echo "$all" | count 'SKIP')
	find "$folder/$1/tests" -name '*.time' -exec cat {} + | sed "s/^/$1 /" >>"$folder/times"
	find "$folder/$1/tests" -name '*.time' -delete
}

# forget_results: of an earlier run
forget_results()
{
	find "$folder" \( -path '*/tests/*.trs' -o -path '*/tests/*.time' -o -path '*/tests/*.log' -o -name 'check-*.log' \) -delete
	rm -f "$folder/again" "$folder/broken"
	: >"$folder/times"
	: >"$folder/stages"
}

# told_by NAME: what the tests there said; what failed is counted
told_by()
{
	say "Tested in $folder/$1"
	find "$folder/$1" -maxdepth 1 -name 'check-*.log' -exec grep -hE '^(FAIL|XPASS|ERROR|SKIP): .*( [0-9]+$| - )' {} + || true
	take_results "$1"
	all_passed=$((all_passed + passed)) all_failed=$((all_failed + failed)) all_skipped=$((all_skipped + skipped))
	if [ "$failed" != 0 ]; then
		notes_of "$folder/$1"
		keep_failed "$1"
	fi
	echo "$passed passed, $failed failed, $skipped skipped"
}

# --- two lanes ---

# What has a CPU for itself: scripts that wait for time to pass beside each other, those that record one after the other. Then it
# helps the other, which has more to do.
first_lane()
{
	test_stage plain check-waiting -j4
	test_stage plain check-scripts
	build tsan "all programs-of-tests" --enable-tsan CFLAGS="-O1 -g1" || return 1
	test_stage tsan check-programs -j2
}

# What takes the rest: what compares texts asks for little when the first lane asks for much, compilers for less; programs are for
# an ordinary nice value. At the end this lane is alone, and some of its tests wait: so three run at a time.
second_lane()
{
	browser_tools
	nice -n 10 sh "$0" test_stage plain check-sharing -j2
	nice -n 19 sh "$0" build asan "all programs-of-scripts programs-of-tests" --enable-asan CFLAGS="-O1 -g1" || return 1
	test_stage asan check-programs -j3
	test_stage asan check-sanitized -j3
}

# begin_lane NAME: a shell has what it starts beside itself ignore ^C, which tests send, so that is undone; timeout ends all of the
# processes of a lane, also when it is ended itself
begin_lane()
{
	env --default-signal=INT,QUIT timeout -k 10 "$LANE_TIMEOUT" sh "$0" "$1" >"$folder/$1.log" 2>&1 </dev/null &
	lanes="$lanes $!"
}

run_lanes()
{
	begin_lane first_lane
	begin_lane second_lane
	for lane in $lanes; do
		wait "$lane" || echo "a lane ended with status $?" | tee -a "$folder/broken"
	done
	lanes=
	cat "$folder/first_lane.log" "$folder/second_lane.log"
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
		find "$folder/$name/tests" -name '*.trs' -delete
		status=0
		run_tests "$name" check-these these="$test" || status=$?
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

# hold_folder: a lock until this script ends, on descriptor 9
hold_folder()
{
	mkdir -p "$folder"
	exec 9>"$folder/held"
	flock -n 9 && return 0
	echo "tests/check.sh: another check runs in $PWD/$folder: wait for its end, or end it" >&2
	exit 1
}

# mount_tracefs: the tests read tracepoints there; root mounts it where it is missing, and clean_up unmounts it again
mount_tracefs()
{
	if [ "$(id -u)" = 0 ] && [ -d "$tracefs" ] && [ ! -d "$tracefs/events" ]; then
		mount -t tracefs tracefs "$tracefs" && mounted=yes
	fi
}

# clean_up: lanes that still run when this script ends, and the mount
clean_up()
{
	# shellcheck disable=SC2086
	if [ -n "$lanes" ]; then
		kill $lanes 2>/dev/null || true
		wait $lanes || true
	fi
	[ -z "$mounted" ] || umount "$tracefs"
}

# show_times: the minutes of each stage, some of which run beside each other, and the scripts that took longest
show_times()
{
	say "Minutes by stage, of two lanes"
	awk -F ': ' '{ printf "%5.1f  %s\n", $2 / 60, $1 }' "$folder/stages"
	printf '%5.1f  %s\n' "$(awk -v s=$(($(now) - began)) 'BEGIN { print s / 60 }')" "all"
	say "The slowest: seconds, of which CPU time"
	sort -k 2 -rn "$folder/times" | head -n "$SLOWEST" | awk '{ printf "%6.1f %6.1f  %s (%s)\n", $2, $3, $4, $1 }'
}

# Sanitizers find mistakes where the whole program need not be quick: all programs of tests, and scripts for which it makes no
# difference, run in such builds alone. All other scripts run in the plain build, made as an installed one is.
check()
{
	lanes= mounted= needed= all_passed=0 all_failed=0 all_skipped=0 began=$(now)
	trap clean_up EXIT
	trap 'exit 130' INT TERM HUP QUIT
	forget_results
	mount_tracefs || true
	say "Building in $folder, then testing: scripts that record, and beside them what does not mind"
	if build plain "all programs-of-scripts" --enable-werror; then
		run_lanes
		again_tests=$(make -C "$folder/plain" -s --no-print-directory print-again)
		for name in plain asan tsan; do
			[ ! -d "$folder/$name/tests" ] || told_by "$name"
		done
	else
		echo "the program was not built" | tee -a "$folder/broken"
	fi
	run_again
	show_times
	say "All stages"
	if [ -n "$needed" ]; then
		echo "$needed"
	fi
	if [ -f "$folder/broken" ]; then
		cat "$folder/broken"
		all_failed=$((all_failed + $(wc -l <"$folder/broken")))
	fi
	echo "$all_passed passed, $all_failed failed, $all_skipped skipped"
	[ "$all_failed" = 0 ]
}

case ${1-} in
build | test_stage | first_lane | second_lane) "$@" ;;
*)
	hold_folder
	check 9>&- # what it starts may outlive it, and does not inherit the lock: the shell keeps it on a descriptor of its own
	;;
esac
