# SPDX-License-Identifier: Apache-2.0
#
# Register a test with one line in its list, each line complete in itself:
#
#	unit_tests += tests/common/test_chunk          Criterion, source tests/common/test_chunk.c
#	reader_unit_tests += tests/reader/test_scan    the same, needs the reader
#	race_tests += tests/race/race_ring             plain main(), 0 passed, 77 skipped; also under --enable-tsan
#	reader_race_tests += tests/race/race_workers   the same, needs the reader
#	support_sources += tests/support/fake_ring.c tests/support/fake_ring.h     linked into all of them
#	quick_tests += tests/layers.sh                 script printing TAP, a second or two, part of check-unit
#	cli_tests += tests/cli/record_errors.sh        script printing TAP, part of check
#	reader_cli_tests += tests/cli/interop.py       the same, needs the reader
#	long_tests += tests/cli/kill.py                part of check-long only
#	vm_tests += tests/vm/layouts.sh                part of check-vm only
#	bench_scripts += tests/bench/close.sh          run by make bench
#	EXTRA_DIST += tests/cli/expected.txt           what a script reads
#
# Scripts are executable and find TSTREAM (the program), abs_srcdir and abs_builddir in their environment.

unit_tests =
reader_unit_tests =
race_tests =
reader_race_tests =
support_sources =
quick_tests =
cli_tests =
reader_cli_tests =
long_tests =
vm_tests =
bench_scripts =

quick_tests += tests/layers.sh
quick_tests += tests/code_format.sh
quick_tests += tests/libraries.sh
cli_tests += tests/cli/front_door.sh
cli_tests += tests/cli/bootstrap.sh
reader_cli_tests += tests/cli/script_equals_perf.py
reader_cli_tests += tests/cli/kill.py
bench_scripts += tests/bench/record_close.py
bench_scripts += tests/bench/read_stacks.py
unit_tests += tests/common/test_error
reader_unit_tests += tests/reader/test_symbol_table
reader_unit_tests += tests/reader/test_symbol_elf
reader_unit_tests += tests/reader/test_text
reader_unit_tests += tests/reader/test_dump_record
unit_tests += tests/common/test_units
unit_tests += tests/common/test_cpus
unit_tests += tests/common/test_notes
unit_tests += tests/streamer/test_layout
unit_tests += tests/streamer/test_ring
unit_tests += tests/streamer/test_buffer
unit_tests += tests/streamer/test_walk
unit_tests += tests/streamer/test_wait
unit_tests += tests/streamer/test_sink
race_tests += tests/race/race_writer
unit_tests += tests/streamer/test_drain
unit_tests += tests/streamer/test_writer
support_sources += tests/support/stream_check.c tests/support/stream_check.h
support_sources += tests/support/fake_ring.c tests/support/fake_ring.h
unit_tests += tests/streamer/test_event
unit_tests += tests/streamer/test_source
unit_tests += tests/streamer/test_event_attr
unit_tests += tests/streamer/test_target
unit_tests += tests/streamer/test_privilege
unit_tests += tests/common/test_log
unit_tests += tests/streamer/test_control
unit_tests += tests/streamer/test_workload
unit_tests += tests/common/test_record
unit_tests += tests/common/test_header
unit_tests += tests/common/test_header_perf
unit_tests += tests/common/test_tasks
unit_tests += tests/common/test_tasks_model
support_sources += tests/support/task_model.c tests/support/task_model.h
support_sources += tests/support/task_records.c tests/support/task_records.h
unit_tests += tests/common/test_event_name
EXTRA_DIST += tests/run-program.sh
check_PROGRAMS += tests/bench/close_loop
EXTRA_DIST += tests/bench/benchlib.py
check_PROGRAMS += tests/support/numbered_calls
check_PROGRAMS += tests/support/many_modules
EXTRA_DIST += tests/no_unit_tests.sh
EXTRA_DIST += tests/support/tap.sh

# How they are built and run: tests/rules.mk
unit_tests += tests/streamer/test_lines
unit_tests += tests/streamer/test_kallsyms
support_sources += tests/support/records.c tests/support/records.h
unit_tests += tests/common/test_chunk
unit_tests += tests/common/test_stream
unit_tests += tests/common/test_laying
unit_tests += tests/streamer/test_proc_text
unit_tests += tests/streamer/test_build_id
unit_tests += tests/streamer/test_kmodules
unit_tests += tests/streamer/test_synthesis
unit_tests += tests/streamer/test_synthesis_bpf
unit_tests += tests/common/test_compress
unit_tests += tests/common/test_inflate
unit_tests += tests/common/test_directory
unit_tests += tests/streamer/test_features
unit_tests += tests/streamer/test_tracing_data
check_PROGRAMS += tests/cli/lay_capture
cli_tests += tests/cli/format_example.py
cli_tests += tests/cli/format_perf.py
EXTRA_DIST += tests/support/stream_doc.py
EXTRA_DIST += tests/support/xxh3.py
EXTRA_DIST += tests/support/tap.py
cli_tests += tests/cli/laying_kill.py
reader_cli_tests += tests/cli/format_report.py
