// SPDX-License-Identifier: Apache-2.0
#include "streamer/plan/record_options.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "common/base/clock.h"

static struct record_options options;
static struct ts_error err;

static void release(void)
{
	record_options_release(&options);
}

TestSuite(record_options, .fini = release);

/* Reads a command line: words separated by single spaces. */
static int read_line(const char *line)
{
	static char copy[1024];
	static char *argv[64];
	int argc = 0;

	cr_assert_lt(strlen(line), sizeof(copy));
	strcpy(copy, line);
	argv[argc++] = (char *)"tstream record";
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	release();
	return record_options_read(&options, argc, argv, &err);
}

Test(record_options, lets_the_command_begin_at_the_first_word_that_is_no_option)
{
	cr_assert_eq(read_line("-a -e cpu-clock ls -l -a"), 0, "%s", err.text);
	cr_assert_str_eq(options.command[0], "ls");
	cr_assert_str_eq(options.command[1], "-l");
	cr_assert_str_eq(options.command[2], "-a");
	cr_assert_null(options.command[3]);
	cr_assert_eq(options.target.kind, TARGET_SYSTEM);
}

Test(record_options, takes_two_dashes_for_the_end_of_the_options)
{
	cr_assert_eq(read_line("-e cpu-clock -- -strange name"), 0, "%s", err.text);
	cr_assert_str_eq(options.command[0], "-strange");
	cr_assert_eq(options.target.kind, TARGET_COMMAND);
}

Test(record_options, has_the_defaults_of_the_manual)
{
	cr_assert_eq(read_line("true"), 0);
	cr_expect_str_eq(options.output, "tstream.data");
	cr_expect_eq(options.flush_ns, TS_NS_PER_SEC);
	cr_expect_null(options.threads);
	cr_expect_eq(options.compress_level, 0);
	cr_expect_eq(options.delay_ms, 0);
	cr_expect_eq(options.io, RECORD_IO_AUTO);
	cr_expect_eq(options.level, TS_LOG_NORMAL);
	cr_expect_eq(options.events.nr, 1);
	cr_expect(options.event.inherit);
}

Test(record_options, knows_options_with_and_without_their_value)
{
	cr_assert_eq(read_line("--threads -z --aio true"), 0, "%s", err.text);
	cr_expect_str_eq(options.threads, "");
	cr_expect_eq(options.compress_level, -1);
	cr_assert_eq(read_line("--threads= -z9 --aio=4 true"), 0, "%s", err.text);
	cr_expect_str_eq(options.threads, "");
	cr_expect_eq(options.compress_level, 9);
	cr_assert_eq(read_line("--threads=0-3/3:4-7/4 --compression-level=3 true"), 0);
	cr_expect_str_eq(options.threads, "0-3/3:4-7/4");
	cr_expect_eq(options.compress_level, 3);
	cr_assert_eq(read_line("--compression-level true"), 0);
	cr_expect_eq(options.compress_level, -1);
	cr_assert_eq(read_line("--compression-level=-1 true"), 0);
	cr_expect_eq(options.compress_level, -1);
	cr_assert_eq(read_line("-z1 true"), 0);
	cr_expect_eq(options.compress_level, 1);
}

Test(record_options, collects_events_and_their_filters_in_order)
{
	cr_assert_eq(read_line("-e cpu-clock,task-clock -e context-switches true"), 0);
	cr_assert_eq(options.events.nr, 3);
	cr_expect_str_eq(options.events.items[2].name, "context-switches");
	cr_expect_lt(read_line("--filter a==1 -e cpu-clock true"), 0);
	cr_expect_lt(read_line("-e cpu-clock --filter a==1 true"), 0);
}

Test(record_options, reads_sizes_times_and_numbers)
{
	cr_assert_eq(read_line("-m 4M --flush 250ms -r 7 -D 1500 -c 1000 -e cpu-clock true"), 0);
	cr_expect_gt(options.ring_pages, 0);
	cr_expect_eq(options.flush_ns, 250 * TS_NS_PER_MS);
	cr_expect_eq(options.realtime, 7);
	cr_expect_eq(options.delay_ms, 1500);
	cr_expect_eq(options.event.period, 1000);
	cr_expect_eq(options.sideband_pages, 0);
	cr_assert_eq(read_line("-m :4M true"), 0);
	cr_expect(!options.ring_pages && options.sideband_pages);
	cr_assert_eq(read_line("-m 4:8 true"), 0);
	cr_expect(options.ring_pages == 4 && options.sideband_pages == 8);
	cr_assert_eq(read_line("-D 0 true"), 0);
	cr_expect_eq(options.delay_ms, 0);
	cr_assert_eq(read_line("-D -1 -F max -e cpu-clock true"), 0);
	cr_expect_eq(options.delay_ms, RECORD_DELAY_FOREVER);
	cr_expect_eq(options.event.freq, EVENT_FREQ_MAX);
}

Test(record_options, says_that_waiting_for_a_command_that_cannot_come_samples_nothing)
{
	cr_assert_eq(read_line("-D -1 -e cpu-clock true"), 0);
	cr_expect_eq(options.notes.nr, 1);
	cr_assert_eq(read_line("-D -1 --control fd:0 -e cpu-clock true"), 0);
	cr_expect_eq(options.notes.nr, 0);
}

Test(record_options, accepts_what_writers_always_do_with_a_note)
{
	cr_assert_eq(read_line("--aio --affinity=node -a"), 0);
	cr_expect_eq(options.notes.nr, 2);
}

Test(record_options, says_what_has_nothing_to_do)
{
	static const char *const idle[] = {
		"-o /dev/null --min-free 99% -a",
		"-o /dev/null --sync 1s -a",
		"--max-size 0 -a",
		"--exclude-self true",
		"--exclude-self -p 1",
	};
	static const char *const busy[] = {
		"-o cap --min-free 99% -a", "-o cap --sync 1s -a",    "--max-size 1M -a",
		"--exclude-self -a true",   "--exclude-self -C 0 -a", "-o /dev/null -a",
	};

	for (size_t i = 0; i < sizeof(idle) / sizeof(idle[0]); i++) {
		cr_assert_eq(read_line(idle[i]), 0, "%s", idle[i]);
		cr_expect_eq(options.notes.nr, 1, "%s", idle[i]);
		cr_expect_not_null(strstr(options.notes.items[0], "changes nothing"));
	}
	for (size_t i = 0; i < sizeof(busy) / sizeof(busy[0]); i++) {
		cr_assert_eq(read_line(busy[i]), 0, "%s", busy[i]);
		cr_expect_eq(options.notes.nr, 0, "%s", busy[i]);
	}
}

Test(record_options, prefers_named_tasks_to_everything)
{
	cr_assert_eq(read_line("-a -p 1,2"), 0, "%s", err.text);
	cr_expect_eq(options.target.kind, TARGET_PIDS);
	cr_expect_eq(options.target.nr_ids, 2);
	cr_expect_eq(options.notes.nr, 1);
	cr_expect_lt(read_line("-p 1 -t 1"), 0);
}

Test(record_options, raises_verbosity_with_each_v)
{
	cr_assert_eq(read_line("-v true"), 0);
	cr_expect_eq(options.level, TS_LOG_VERBOSE);
	cr_assert_eq(read_line("-vv true"), 0);
	cr_expect_eq(options.level, TS_LOG_DEBUG);
	cr_assert_eq(read_line("-q true"), 0);
	cr_expect_eq(options.level, TS_LOG_QUIET);
}

Test(record_options, counts_nothing_else_once_help_is_asked_for)
{
	cr_assert_eq(read_line("--help -F x"), 0);
	cr_expect(options.help);
	cr_assert_eq(read_line("-h"), 0);
	cr_expect(options.help);
}

Test(record_options, takes_the_size_to_end_at)
{
	cr_assert_eq(read_line("--max-size=3M true"), 0);
	cr_expect_eq(options.max_bytes, 3u << 20);
	cr_expect_lt(read_line("--max-size big true"), 0);
}

Test(record_options, takes_what_is_to_stay_free)
{
	cr_assert_eq(read_line("true"), 0);
	cr_expect_eq(options.min_free.kind, MIN_FREE_DEFAULT);
	cr_assert_eq(read_line("--min-free=3% true"), 0);
	cr_expect_eq(options.min_free.kind, MIN_FREE_PERCENT);
	cr_assert_eq(read_line("--min-free 0 true"), 0);
	cr_expect_eq(options.min_free.kind, MIN_FREE_BYTES);
	cr_expect_lt(read_line("--min-free some true"), 0);
}

Test(record_options, adds_fields_to_samples)
{
	cr_assert_eq(read_line("-d -R -W --phys-data --data-page-size true"), 0, "%s", err.text);
	cr_expect_eq(options.event.sample_bits, PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC |
							PERF_SAMPLE_RAW | EVENT_SAMPLE_WEIGHT |
							PERF_SAMPLE_PHYS_ADDR |
							PERF_SAMPLE_DATA_PAGE_SIZE);
	cr_assert_eq(read_line("--code-page-size --transaction true"), 0, "%s", err.text);
	cr_expect_eq(options.event.sample_bits,
		     PERF_SAMPLE_CODE_PAGE_SIZE | PERF_SAMPLE_TRANSACTION);
	cr_expect_eq(options.notes.nr, 0);
}

Test(record_options, counts_threads_with_and_without_samples)
{
	cr_assert_eq(read_line("-s -n true"), 0);
	cr_expect(options.event.thread_counts && options.event.no_samples);
	cr_expect_eq(options.notes.nr, 0);
	cr_assert_eq(read_line("-n true"), 0);
	cr_expect_eq(options.notes.nr, 1, "nothing will be sampled");
}

Test(record_options, takes_a_user_by_name_and_number)
{
	cr_assert_eq(read_line("-u root"), 0, "%s", err.text);
	cr_expect_eq(options.target.kind, TARGET_USER);
	cr_expect_eq(options.target.uid, 0);
	cr_assert_eq(read_line("-u 4321"), 0, "%s", err.text);
	cr_expect_eq(options.target.uid, 4321);
	cr_expect_lt(read_line("-u 0 -p 1"), 0);
	cr_expect_lt(read_line("-t 1 -u 0"), 0);
	cr_expect_lt(read_line("-u nobodyhasthisname true"), 0);
}

Test(record_options, accepts_options_of_perf_that_are_always_so_with_a_note)
{
	cr_assert_eq(read_line("-B --namespaces --mmap-flush 1M --vmlinux=x true"), 0, "%s",
		     err.text);
	cr_expect_eq(options.notes.nr, 4);
	cr_expect_lt(read_line("--mmap-flush much true"), 0);
}

Test(record_options, reads_what_memory_is_to_hold)
{
	cr_assert_eq(read_line("-M 256M true"), 0, "%s", err.text);
	cr_expect(options.memory.is_on && options.memory.bytes == 256 << 20);
	cr_expect_eq(options.memory.span_ns, 0);
	cr_expect_eq(options.compress_level, -1);
	cr_assert_eq(read_line("-z0 --memory=15m true"), 0, "%s", err.text);
	cr_expect_eq(options.memory.bytes, 0);
	cr_expect_eq(options.memory.span_ns, 900 * UINT64_C(1000000000));
	cr_expect_eq(options.compress_level, 0);
	cr_assert_eq(read_line("-M 256M -o /dev/null true"), 0, "%s", err.text);
	cr_expect_not(options.memory.is_on);
	cr_expect_lt(read_line("-M 7M true"), 0);
	cr_expect_lt(read_line("-M 9s true"), 0);
	cr_expect_lt(read_line("-M 64M --overwrite true"), 0);
}

Test(record_options, says_what_to_do_instead_of_options_of_perf_that_are_not_here)
{
	static const char *const refused[] = {
		"-I? true",	   "-j nosuch true",	"-S true",
		"-S1 true",	   "--off-cpu true",	"--group true",
		"--synth no true", "--per-thread -p 1", "--clang-path=x true",
	};

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		cr_expect_lt(read_line(refused[i]), 0, "%s", refused[i]);
		cr_expect_eq(strncmp(err.text, "cannot use -", 12), 0, "%s", err.text);
		cr_expect_neq(err.hint[0], 0, "%s", refused[i]);
	}
}

Test(record_options, reads_when_to_go_on_in_another_directory)
{
	cr_assert_eq(read_line("--switch-output true"), 0, "%s", err.text);
	cr_expect(options.switch_output.is_on && !options.switch_output.bytes);
	cr_assert_eq(read_line("--switch-output=signal true"), 0, "%s", err.text);
	cr_expect_eq(options.switch_output.every_ns, 0);
	cr_assert_eq(read_line("--switch-output=2m true"), 0, "%s", err.text);
	cr_expect_eq(options.switch_output.every_ns, 120 * UINT64_C(1000000000));
	cr_assert_eq(read_line("--switch-output=2M true"), 0, "%s", err.text);
	cr_expect_eq(options.switch_output.bytes, 2 << 20);
	cr_assert_eq(read_line("--switch-output=1d --switch-max-files=3 --keep-bytes=1G "
			       "--timestamp-filename true"),
		     0, "%s", err.text);
	cr_expect_eq(options.switch_max_files, 3);
	cr_expect_eq(options.keep_bytes, 1 << 30);
	cr_expect(options.timestamp_filename);
}

Test(record_options, refuses_what_is_no_time_to_go_on)
{
	static const char *const refused[] = {"100", "1ms", "500B", "10k", "soon", "0s", "-1s", ""};
	char line[64];

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		snprintf(line, sizeof(line), "--switch-output=%s true", refused[i]);
		cr_expect_lt(read_line(line), 0, "%s", line);
	}
	cr_expect_lt(read_line("--switch-output --switch-max-files=0 true"), 0);
	cr_expect_lt(read_line("--switch-output --keep-bytes=0 true"), 0);
}

Test(record_options, reads_registers_and_branches)
{
	cr_assert_eq(read_line("-I --user-regs=SP -b true"), 0, "%s", err.text);
	cr_expect_eq(options.event.branches, PERF_SAMPLE_BRANCH_ANY);
	cr_expect(options.event.intr_regs && options.event.user_regs);
	cr_assert_eq(read_line("-j any_call,u true"), 0, "%s", err.text);
	cr_expect_eq(options.event.branches, PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_USER);
	cr_expect_lt(read_line("-b -j any true"), 0);
}

Test(record_options, leaves_a_sentence_for_each_refusal)
{
	static const char *const bad[] = {
		"",
		"-F 0 true",
		"-F x true",
		"-c 0 true",
		"-m x true",
		"-m 1,2 true",
		"-m 1: true",
		"-m :1:1 true",
		"-z23 true",
		"-D x true",
		"--flush 0s true",
		"--flush 1 true",
		"--io aio true",
		"-r 100 true",
		"-o - true",
		"-S true",
		"--aux-sample true",
		"--control x true",
		"--affinity x true",
		"-k x true",
		"-e nosuch true",
		"-e prog.o true",
		"-C x true",
		"-p x",
		"-t 0",
		"--call-graph lbr true",
		"--aio=x true",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		cr_expect_lt(read_line(bad[i]), 0, "%s", bad[i]);
		cr_expect_eq(strncmp(err.text, "cannot ", 7), 0, "%s: %s", bad[i], err.text);
	}
}
