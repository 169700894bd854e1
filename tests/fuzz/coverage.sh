#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# coverage.sh: what the fuzz targets reach, as a table of lines run in common/ and reader/, for docs/fuzzing.md.
#
# For each target: its seeds as they are (FUZZ_SEEDS, 400 of them), then the same and FUZZ_SECONDS (10) of mutations. Builds with
# gcov in a folder of its own, fuzz-coverage, beside where it is called; needs only gcc. make fuzz-coverage runs it.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
seconds=${FUZZ_SECONDS:-10}
seeds=${FUZZ_SEEDS:-400}
mkdir -p fuzz-coverage
cd fuzz-coverage

targets=
abs_builddir=$PWD
export abs_builddir
for file in "$source"/tests/fuzz/fuzz_*.c; do
	targets="$targets tests/fuzz/$(basename "$file" .c)"
done
if ! { [ -f Makefile ] || "$source/configure" -q CFLAGS="-O1 -g --coverage"; } >build.log 2>&1 ||
	! make -s -j"$(nproc)" $targets tests/support/deep_calls tests/support/inlined_calls >>build.log 2>&1; then
	tail -n 20 build.log >&2
	exit 1
fi

# covered FILE...: "run of all" lines of these sources, by what was left in the folder
covered()
{
	for file; do
		object=$file.gcda
		[ -f "$object" ] || continue
		gcov -n "$object" 2>/dev/null | awk -v name="$file.c'" '
			/^File / { is_it = index($0, name) }
			/^Lines executed/ && is_it { split($0, part, /[:% ]+/); print part[3], $NF; is_it = 0 }'
	done | awk '{ run += $1 / 100 * $2; all += $2 } END { if (all) printf "%d %% of %d", 100 * run / all, all }'
}

# sources TARGET: the files whose lines are counted, those that it is about
sources()
{
	case $1 in
	*_header) echo common/header common/header_pipe common/event_list ;;
	*_chunk) echo common/chunk common/stream_index common/compress ;;
	*_record) echo common/record common/sample_brief common/event_list ;;
	*_tasks) echo common/tasks common/task_table common/task_lookup common/address_space ;;
	*_inflate) echo common/inflate ;;
	*_stream) echo reader/scan reader/hop reader/chunk_table reader/ordered reader/replay reader/resync ;;
	*_file) echo reader/print_header reader/print_attr reader/print_stats reader/dump_record reader/tracefields ;;
	*_format) echo reader/trace_format reader/trace_expression reader/trace_words reader/tracefields ;;
	*_directory) echo reader/capture reader/loss reader/loss_records reader/loss_grid reader/print_loss reader/check_stream ;;
	*_symbols) echo reader/symbol_elf reader/symbol_text reader/symbol_table reader/demangle ;;
	*_selection) echo reader/selection reader/time_ranges ;;
	*_cfi) echo reader/cfi reader/unwind_table ;;
	*_jitdump) echo reader/jitdump ;;
	*_srcline) echo reader/srcline ;;
	*_note) echo reader/account common/timeline_json ;;
	*) echo "coverage.sh does not say which files $1 is about" >&2; return 1 ;;
	esac
}

echo "| target | files | lines that $seeds seeds run | with $seconds s of mutations |"
echo "|---|---|---|---|"
for target in $targets; do
	files=$(sources "$target")
	find . -name '*.gcda' -delete
	FUZZ_SEEDS=$seeds "$target" >/dev/null
	before=$(covered $files)
	FUZZ_SECONDS=$seconds "$target" >/dev/null
	echo "| $(basename "$target") | $(echo $files | sed 's/ /, /g') | $before | $(covered $files) |"
done
