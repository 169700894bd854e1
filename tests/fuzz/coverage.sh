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
	! make -s -j"$(nproc)" $targets tests/programs/deep_calls tests/programs/inlined_calls >>build.log 2>&1; then
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
	*_header) echo common/perf/header common/perf/header_pipe common/perf/event_list ;;
	*_chunk) echo common/stream/chunk common/stream/stream_index common/stream/compress ;;
	*_record) echo common/perf/record reader/samples/sample_brief common/perf/event_list ;;
	*_tasks) echo reader/tasks/tasks reader/tasks/task_table reader/tasks/task_lookup reader/tasks/address_space ;;
	*_inflate) echo common/perf/inflate ;;
	*_stream) echo reader/chunks/range_scan reader/chunks/stream_walk reader/chunks/index_walk reader/chunks/chunk_table reader/order/ordered reader/order/replay reader/chunks/resync ;;
	*_file) echo reader/dump/print_header reader/dump/print_attr reader/dump/print_stats reader/dump/dump_record reader/tracepoints/trace_fields reader/tracepoints/trace_formats ;;
	*_format) echo reader/tracepoints/trace_format reader/tracepoints/trace_format_fields reader/tracepoints/trace_print_format reader/tracepoints/trace_conversions reader/tracepoints/trace_lexer reader/tracepoints/trace_formats reader/tracepoints/trace_part reader/tracepoints/trace_value reader/tracepoints/trace_fields ;;
	*_directory) echo reader/capture/capture reader/trust/loss reader/trust/loss_records reader/trust/loss_rings reader/trust/loss_grid reader/trust/print_loss reader/check/check_stream ;;
	*_symbols) echo reader/symbols/symbol_elf reader/symbols/symbol_text reader/symbols/symbol_table reader/objects/demangle ;;
	*_selection) echo reader/chunks/selection reader/chunks/time_ranges ;;
	*_cfi) echo reader/cfi/cfi reader/cfi/unwind_table ;;
	*_jitdump) echo reader/symbols/jitdump ;;
	*_srcline) echo reader/objects/srcline ;;
	*_lengthened) echo common/perf/lengthened ;;
	*_compact) echo reader/compact/compact_sample common/perf/record ;;
	*_object) echo reader/archive/elf_slim reader/objects/elf_file reader/objects/mini_debug reader/cfi/unwind_module reader/cfi/unwind_section ;;
	*_note) echo reader/capture/account common/stream/timeline_json ;;
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
