# SPDX-License-Identifier: Apache-2.0
# Builds and runs what tests/local.mk lists.

check_LIBRARIES += libsupport.a
libsupport_a_SOURCES = $(support_sources)

run_programs = $(race_tests) $(fuzz_tests)
run_cli = $(cli_tests)
if HAVE_CRITERION
run_programs += $(unit_tests)
else
run_programs_too = tests/no_unit_tests.sh
endif
if READER
run_programs += $(reader_race_tests) $(reader_fuzz_tests)
run_cli += $(reader_cli_tests)
if HAVE_CRITERION
run_programs += $(reader_unit_tests)
endif
endif

check_PROGRAMS += $(run_programs)
check_PROGRAMS += tests/demo/workload
tests_demo_workload_LDADD =
LDADD = libsupport.a $(archives) $(CRITERION_LIBS) $(all_libs)

# preloaded by scripts, so a shared object of its own
preloads = tests/support/without_pmu.so tests/support/witness.so
check_DATA = $(preloads)
CLEANFILES += $(preloads)
EXTRA_DIST += $(preloads:.so=.c)
$(preloads): %.so: %.c
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) $(AM_CPPFLAGS) $(WARN_CFLAGS) $(CFLAGS) -shared -fPIC -o $@ $<

dist_check_SCRIPTS = $(quick_tests) $(cli_tests) $(reader_cli_tests) $(long_tests) $(vm_tests) $(perf_tests) $(bench_scripts)

check_programs = $(run_programs) $(run_programs_too)
check_unit = $(check_programs) $(quick_tests)
TESTS = $(check_unit) $(run_cli)
# of all scripts, those that may run beside others; those whose parts are left out of this build are left out here, too
sharing_scripts = $(filter $(quick_tests) $(run_cli),$(sharing_tests))
other_scripts = $(filter-out $(sharing_tests),$(quick_tests) $(run_cli))
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

fuzz-coverage:
	@$(srcdir)/tests/fuzz/coverage.sh

.PHONY: fuzz-coverage check-unit check-programs check-quick check-sharing check-scripts check-long check-vm check-perf bench
check-unit: all
	@VERBOSE=1 $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(check_unit)' TEST_SUITE_LOG=check-unit.log

check-programs: all
	@VERBOSE=1 $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(check_programs)' TEST_SUITE_LOG=check-programs.log

check-quick: all
	@VERBOSE=1 $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(quick_tests)' TEST_SUITE_LOG=check-quick.log

check-sharing: all
	@VERBOSE=1 $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(sharing_scripts)' TEST_SUITE_LOG=check-sharing.log

check-scripts: all
	@VERBOSE=1 $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(other_scripts)' TEST_SUITE_LOG=check-scripts.log

check-long: all
	@VERBOSE=1 $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(long_tests)' TEST_SUITE_LOG=check-long.log

check-vm: all
	@VERBOSE=1 $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(vm_tests)' TEST_SUITE_LOG=check-vm.log

check-perf: all
	@VERBOSE=1 $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(perf_tests)' TEST_SUITE_LOG=check-perf.log

bench: all
	@$(AM_TESTS_ENVIRONMENT) \
	for script in $(bench_scripts); do $(srcdir)/$$script || exit 1; done

MOSTLYCLEANFILES = check-unit.log check-programs.log check-quick.log check-sharing.log check-scripts.log check-long.log check-vm.log check-perf.log
