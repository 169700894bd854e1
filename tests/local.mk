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
unit_tests += tests/common/test_error
reader_unit_tests += tests/reader/test_symbol_table
reader_unit_tests += tests/reader/test_symbol_elf
unit_tests += tests/common/test_units
unit_tests += tests/common/test_cpus
unit_tests += tests/common/test_notes
unit_tests += tests/common/test_log
unit_tests += tests/streamer/test_control
unit_tests += tests/streamer/test_workload
unit_tests += tests/common/test_record
unit_tests += tests/common/test_event_name
EXTRA_DIST += tests/run-program.sh
EXTRA_DIST += tests/no_unit_tests.sh
EXTRA_DIST += tests/support/tap.sh

# How they are built and run: tests/rules.mk
check_LIBRARIES += libsupport.a
libsupport_a_SOURCES = $(support_sources)

run_programs = $(race_tests)
run_cli = $(cli_tests)
run_quick = $(quick_tests)
if HAVE_CRITERION
run_programs += $(unit_tests)
else
run_quick += tests/no_unit_tests.sh
endif
if READER
run_programs += $(reader_race_tests)
run_cli += $(reader_cli_tests)
if HAVE_CRITERION
run_programs += $(reader_unit_tests)
endif
endif

check_PROGRAMS += $(run_programs)
check_PROGRAMS += tests/demo/workload
tests_demo_workload_LDADD =
LDADD = libsupport.a $(archives) $(CRITERION_LIBS) $(all_libs)
dist_check_SCRIPTS = $(quick_tests) $(cli_tests) $(reader_cli_tests) $(long_tests) $(vm_tests) $(bench_scripts)

check_unit = $(run_programs) $(run_quick)
TESTS = $(check_unit) $(run_cli)
TEST_EXTENSIONS = .sh .py
tap_driver = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(tap_driver)
LOG_COMPILER = $(SHELL) $(srcdir)/tests/run-program.sh
SH_LOG_DRIVER = $(tap_driver)
PY_LOG_DRIVER = $(tap_driver)
PY_LOG_COMPILER = $(PYTHON)
AM_TESTS_ENVIRONMENT = TSTREAM='$(abs_builddir)/tstream'; export TSTREAM;
AM_TESTS_ENVIRONMENT += abs_srcdir='$(abs_srcdir)'; export abs_srcdir;
AM_TESTS_ENVIRONMENT += abs_builddir='$(abs_builddir)'; export abs_builddir;
AM_TESTS_ENVIRONMENT += PYTHONDONTWRITEBYTECODE=1; export PYTHONDONTWRITEBYTECODE;
AM_TESTS_ENVIRONMENT += NO_CRITERION='$(no_criterion)'; export NO_CRITERION;
AM_TESTS_ENVIRONMENT += CLANG_FORMAT='$(CLANG_FORMAT)'; export CLANG_FORMAT;
if TSAN
AM_TESTS_ENVIRONMENT += TSAN_BUILD=yes; export TSAN_BUILD;
endif

.PHONY: check-unit check-long check-vm bench
check-unit: all
	@VERBOSE=1 $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(check_unit)' TEST_SUITE_LOG=check-unit.log

check-long: all
	@VERBOSE=1 $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(long_tests)' TEST_SUITE_LOG=check-long.log

check-vm: all
	@VERBOSE=1 $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(vm_tests)' TEST_SUITE_LOG=check-vm.log

bench: all
	@$(AM_TESTS_ENVIRONMENT) \
	for script in $(bench_scripts); do $(srcdir)/$$script || exit 1; done

MOSTLYCLEANFILES = check-unit.log check-long.log check-vm.log
unit_tests += tests/streamer/test_lines
unit_tests += tests/streamer/test_kallsyms
