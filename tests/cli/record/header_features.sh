#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What the header of a capture says of this machine, by perf's own reading of it: the same as in a
# capture that perf made.
. "${abs_srcdir:-.}/tests/support/tap.sh"

command -v perf >/dev/null || skip_all "perf is not installed"
# a workload of some tenths of a second, so that there are samples
cat >"$scratch/load" <<'LOAD'
i=0
while [ $i -lt 50000 ]; do i=$((i + 1)); done
LOAD
perf record -q -e cpu-clock -o "$scratch/perfs" sh "$scratch/load" >"$scratch/log" 2>&1 ||
	skip_all "perf cannot record here: $(tail -n 1 "$scratch/log")"

run "$TSTREAM" record -e cpu-clock -o "$scratch/ours" sh "$scratch/load"
is "recording succeeds" "$status" 0

# header CAPTURE: every line of the header, by perf
header()
{
	perf report --header-only -I -i "$1" 2>"$scratch/complaints" </dev/null
	if [ -s "$scratch/complaints" ]; then
		echo "perf complains: $(cat "$scratch/complaints")"
	fi
}

header "$scratch/perfs" >"$scratch/perfs.text"
header "$scratch/ours" >"$scratch/ours.text"

# lines PATTERN: those of both that match; free memory changes from one capture to the next
lines()
{
	theirs=$(grep -E "$1" "$scratch/perfs.text" | sed 's/, free = .*//')
	ours=$(grep -E "$1" "$scratch/ours.text" | sed 's/, free = .*//')
}

# same SENTENCE PATTERN: the lines that match are the same; where perf has none there is no test
same()
{
	lines "$2"
	if [ -z "$theirs" ]; then
		skip "$1" "perf has no such line here"
	else
		is "$1" "$ours" "$theirs"
	fi
}

is "perf reads our header without complaint" "$(grep 'perf complains' "$scratch/ours.text")" ""
same "the host's name" '^# hostname : '
same "the kernel's release" '^# os release : '
same "the architecture" '^# arch : '
same "the number of CPUs" '^# nrcpus (online|avail) : '
same "the CPUs' description" '^# cpudesc : '
same "the CPUs' model" '^# cpuid : '
same "the memory in all" '^# total memory : '
same "sockets, dies and cores" '^# (sibling (sockets|dies|threads|cores)|CPU [0-9]+:)'
same "the CPUs of each memory node" '^# node[0-9]+ cpu list'
same "the caches, in their order" '^#  L[0-9] '
same "the memory blocks of each node" '^# memory nodes|^#  +[0-9]+ \[.*\]: '

pmus()
{
	grep '^# pmu mappings' "$1" | sed 's/^# pmu mappings: *//' | tr ',' '\n' | tr -d ' ' | sort
}
is "the PMUs, in any order" "$(pmus "$scratch/ours.text")" "$(pmus "$scratch/perfs.text")"

like "the command line begins with the program's file" \
	"$(grep '^# cmdline : ' "$scratch/ours.text")" '^# cmdline : /.*tstream record -e cpu-clock -o '
like "the clock can be turned into wall-clock time" \
	"$(cat "$scratch/ours.text")" '^# reference time: .* \(TOD\) = .* \(monotonic\)$'
like "the capture says that it is a directory" \
	"$(cat "$scratch/ours.text")" '^# directory data version : 1$'

# times: of the first and the last sample, as perf script prints them
sample_times()
{
	perf script -i "$scratch/ours" -F time 2>/dev/null </dev/null | tr -d ' :' | sort -n | sed -n '1p;$p'
}
is "the times of the first and the last sample are those of the samples" \
	"$(sed -n 's/^# time of \(first\|last\) sample : //p' "$scratch/ours.text")" "$(sample_times)"

# buildids CAPTURE: those that both kinds of capture must have
buildids()
{
	perf buildid-list -i "$1" 2>/dev/null </dev/null | grep -E '\[(kernel\.kallsyms|vdso)\]'
}
if [ "$(id -u)" = 0 ]; then
	like "the running kernel's build-id is there" "$(buildids "$scratch/ours")" 'kernel\.kallsyms'
	kernel=$(perf buildid-list --kernel)
	is "and is that of the running kernel" \
		"$(buildids "$scratch/ours" | grep kernel | cut -d ' ' -f 1)" "$kernel"
else
	skip "the running kernel's build-id is there" "an ordinary user records user space only"
fi
done_testing
