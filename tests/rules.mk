# SPDX-License-Identifier: Apache-2.0
# Builds and runs what tests/local.mk lists.

check_LIBRARIES += libsupport.a
check_DATA =
libsupport_a_SOURCES = $(support_sources)

if READER
race_tests += $(reader_race_tests)
fuzz_tests += $(reader_fuzz_tests)
unit_tests += $(reader_unit_tests)
cli_tests += $(reader_cli_tests)
endif
run_programs = $(race_tests)
if !TSAN
run_programs += $(fuzz_tests)
endif
if HAVE_CRITERION
run_programs += $(unit_tests)
else
run_programs_too = tests/no_unit_tests.sh
endif

check_PROGRAMS += $(run_programs)
check_PROGRAMS += tests/demo/workload
tests_demo_workload_CFLAGS = $(AM_CFLAGS) -fno-omit-frame-pointer
tests_demo_workload_LDADD =

# tstream as --disable-reader builds it, of the same archives: the two sources that know the difference are compiled again
check_PROGRAMS += tests/recorder_alone
tests_recorder_alone_SOURCES = $(tstream_SOURCES) streamer/plan/option_conflicts.c
tests_recorder_alone_CPPFLAGS = $(AM_CPPFLAGS) -UWITH_READER
tests_recorder_alone_LDADD = libstreamer.a libcommon.a $(recorder_libs)

LDADD = libsupport.a $(archives) $(CRITERION_LIBS) $(all_libs)

# Criterion loads it in place of the library that it asks for (configure.ac).
if WITHOUT_GIT
git_library = tests/without_git/$(GIT_SONAME)
check_DATA += $(git_library)
CLEANFILES += $(git_library)
$(git_library): tests/support/without_git.c
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) $(WARN_CFLAGS) $(CFLAGS) -shared -fPIC -Wl,-soname,$(GIT_SONAME) -o $@ $<
endif

# preloaded by scripts, so a shared object of its own
preloads = tests/programs/without_pmu.so tests/programs/witness.so
preloads += tests/programs/failing_call.so
check_DATA += $(preloads)
CLEANFILES += $(preloads)
EXTRA_DIST += $(preloads:.so=.c)
$(preloads): %.so: %.c
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) $(AM_CPPFLAGS) $(WARN_CFLAGS) $(CFLAGS) -shared -fPIC -o $@ $<

dist_check_SCRIPTS = $(quick_tests) $(cli_tests) $(reader_cli_tests) $(long_tests) $(vm_tests) $(perf_tests) $(viewer_tests) $(bench_scripts)

check_programs = $(run_programs) $(run_programs_too)
check_unit = $(check_programs) $(quick_tests)
TESTS = $(check_unit) $(cli_tests)
# Kinds of scripts (tests/check.sh runs them), of those that this build has.
run_scripts = $(quick_tests) $(cli_tests)
sanitized_scripts = $(filter $(run_scripts),$(sanitized_tests))
sharing_scripts = $(filter-out $(sanitized_tests),$(filter $(run_scripts),$(sharing_tests)))
waiting_scripts = $(filter $(run_scripts),$(waiting_tests))
other_scripts = $(filter-out $(sanitized_tests) $(sharing_tests) $(waiting_tests),$(run_scripts))
script_programs = $(filter-out $(run_programs),$(check_PROGRAMS))
TEST_EXTENSIONS = .sh .py
tap_driver = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(tap_driver)
watched = $(SHELL) $(srcdir)/tests/watched.sh
LOG_COMPILER = $(watched) $(SHELL) $(srcdir)/tests/run-program.sh
SH_LOG_DRIVER = $(tap_driver)
SH_LOG_COMPILER = $(watched)
PY_LOG_DRIVER = $(tap_driver)
# -S: scripts need nothing but Python's own library. Where pip has put a list of certificates, looking for more takes 70 ms.
PY_LOG_COMPILER = $(watched) $(PYTHON) -S
# A test may run make: the variables of this one are hidden from it.
AM_TESTS_ENVIRONMENT = unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL;
AM_TESTS_ENVIRONMENT += TSTREAM='$(abs_builddir)/tstream'; export TSTREAM;
AM_TESTS_ENVIRONMENT += abs_srcdir='$(abs_srcdir)'; export abs_srcdir;
AM_TESTS_ENVIRONMENT += abs_builddir='$(abs_builddir)'; export abs_builddir;
AM_TESTS_ENVIRONMENT += PYTHONDONTWRITEBYTECODE=1; export PYTHONDONTWRITEBYTECODE;
AM_TESTS_ENVIRONMENT += NO_CRITERION='$(no_criterion)'; export NO_CRITERION;
AM_TESTS_ENVIRONMENT += CLANG_FORMAT='$(CLANG_FORMAT)'; export CLANG_FORMAT;
AM_TESTS_ENVIRONMENT += BUILD_CFLAGS='$(CFLAGS)'; export BUILD_CFLAGS;
if !READER
AM_TESTS_ENVIRONMENT += READER=no; export READER;
endif
if ASAN
AM_TESTS_ENVIRONMENT += SANITIZED=yes; export SANITIZED;
endif
if TSAN
AM_TESTS_ENVIRONMENT += TSAN_BUILD=yes; export TSAN_BUILD;
endif

fuzz-coverage:
	@$(srcdir)/tests/fuzz/coverage.sh

coverage:
	@$(AM_TESTS_ENVIRONMENT) $(srcdir)/tests/coverage.sh

# What scripts start, and the tests that are programs.
programs-of-scripts: $(script_programs) $(check_DATA)
programs-of-tests: $(run_programs) $(git_library)

# $(call run_tests,WHAT THEY NEED,TESTS): one after the other, for in parallel both would build the archives. check-TESTS itself would
# build what any test needs, not these alone.
run_tests = @$(MAKE) $(AM_MAKEFLAGS) all $(addprefix && $(MAKE) $(AM_MAKEFLAGS) ,$(1)) && \
	VERBOSE=1 $(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(2)' TEST_SUITE_LOG=$@.log \
	check_PROGRAMS= check_LIBRARIES= check_DATA=

.PHONY: fuzz-coverage coverage programs-of-scripts programs-of-tests check-unit check-programs check-quick check-sharing check-waiting \
	check-scripts check-sanitized check-these check-long check-vm check-perf check-viewers bench print-again browser-tools
check-unit:
	$(call run_tests,programs-of-tests programs-of-scripts,$(check_unit))
check-programs:
	$(call run_tests,programs-of-tests,$(check_programs))
check-quick:
	$(call run_tests,programs-of-scripts,$(quick_tests))
check-sharing:
	$(call run_tests,programs-of-scripts,$(sharing_scripts))
check-waiting:
	$(call run_tests,programs-of-scripts,$(waiting_scripts))
check-scripts:
	$(call run_tests,programs-of-scripts,$(other_scripts))
check-sanitized:
	$(call run_tests,programs-of-scripts,$(sanitized_scripts))
# make check-these these="tests/cli/recorder/ctl.py tests/cli/capture/merge.py"
check-these:
	$(call run_tests,programs-of-scripts,$(these))
check-long:
	$(call run_tests,programs-of-scripts programs-of-tests,$(long_tests))
check-vm:
	$(call run_tests,programs-of-scripts,$(vm_tests))
check-perf:
	$(call run_tests,programs-of-scripts,$(perf_tests))
check-viewers:
	$(call run_tests,programs-of-scripts,$(viewer_tests))

# What tests/cli/report/page_in_browser.py needs beside Chromium and node; bootstrap check makes a folder of its own
browser-tools:
	$(SHELL) $(srcdir)/tests/support/browser_tools.sh browser

print-again:
	@echo $(again_tests)

bench: all
	@$(AM_TESTS_ENVIRONMENT) \
	for script in $(bench_scripts); do $(srcdir)/$$script || exit 1; done

MOSTLYCLEANFILES = check-*.log

distclean-local:
	rm -rf browser

# The times that tests/watched.sh leaves
mostlyclean-local:
	test ! -d tests || find tests -name '*.time' -delete
