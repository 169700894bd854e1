// SPDX-License-Identifier: Apache-2.0
#include "reader/order/time_windows.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define CHUNKS	      20000u
#define LISTED_MOST   6u /* times the chunks */
#define LARGE_RECORDS 100000u
#define LINE_BYTES    65536u
#define NR_LINES      1000u

struct seen { /* of the windows, by one worker */
	size_t nr_windows, nr_listed;
	uint64_t next_ns; /* where the last window ended */
};

static struct chunk chunks[CHUNKS];
static struct capture_stream stream;
static struct capture capture = {
	.path = (char *)(uintptr_t) "made", .streams = &stream, .nr_streams = 1};
static struct chunk_table table = {.capture = &capture, .chunks = chunks, .nr = CHUNKS};

static void make_chunks(uint64_t (*end_of)(size_t i))
{
	for (size_t i = 0; i < CHUNKS; i++)
		chunks[i] = (struct chunk){.flags = CHUNK_SAMPLES,
					   .nr_records = LARGE_RECORDS,
					   .raw_bytes = 8 * LARGE_RECORDS,
					   .time_min_ns = 10 * (i + 1),
					   .time_max_ns = end_of(i)};
}

static uint64_t soon(size_t i)
{
	return 10 * (i + 1) + 9;
}

static uint64_t never(size_t i)
{
	return i % 2 ? UINT64_MAX - 1 : soon(i);
}

static void *open_job(void *arg, struct ts_error *err)
{
	(void)err;
	return arg;
}

static void close_job(void *state)
{
	(void)state;
}

static bool is_listed(const struct ordered_window *w, const struct chunk *chunk)
{
	for (size_t i = 0; i < w->nr_chunks; i++)
		if (w->chunks[i] == chunk)
			return true;
	return false;
}

static int see_window(void *state, const struct ordered_window *w, struct window_text *text,
		      struct ts_error *err)
{
	struct seen *seen = state;

	(void)text, (void)err;
	cr_assert_eq(w->from_ns, seen->next_ns);
	cr_assert_gt(w->to_ns, w->from_ns);
	cr_assert(is_listed(w, &chunks[1]) || chunks[1].time_max_ns < w->from_ns);
	seen->next_ns = w->to_ns;
	seen->nr_windows++;
	seen->nr_listed += w->nr_chunks;
	return 0;
}

/* A window of many megabytes, in which `seen` counts the most memory that its text took. */
static int fill_window(void *state, const struct ordered_window *w, struct window_text *text,
		       struct ts_error *err)
{
	static uint8_t line[LINE_BYTES] = {[LINE_BYTES - 1] = '\n'};
	struct seen *seen = state;

	(void)w;
	for (size_t i = 0; i < NR_LINES; i++) {
		ts_bytes_put(&text->bytes, line, sizeof(line));
		if (text->bytes.cap > seen->nr_listed)
			seen->nr_listed = text->bytes.cap;
		if (time_windows_pass(text, err))
			return -err->code;
		seen->nr_windows++;
	}
	return 0;
}

static struct seen run(void)
{
	struct seen seen = {0};
	const struct time_windows_job job = {
		.arg = &seen, .open = open_job, .format = see_window, .close = close_job};
	struct ts_error err;

	cr_assert_eq(time_windows_run(&table, ORDERED_ALL, 1, STDOUT_FILENO, &job, &err), 0);
	cr_assert_eq(seen.next_ns, UINT64_MAX);
	return seen;
}

Test(time_windows, cuts_time_where_chunks_end)
{
	struct seen seen;

	make_chunks(soon);
	seen = run();
	cr_assert_gt(seen.nr_windows, CHUNKS / 10);
	cr_assert_leq(seen.nr_listed, 2 * CHUNKS);
}

Test(time_windows, lists_chunks_that_never_end_a_few_times_only)
{
	struct seen seen;

	make_chunks(never);
	seen = run();
	cr_assert_gt(seen.nr_windows, 10);
	cr_assert_leq(seen.nr_listed, LISTED_MOST * CHUNKS);
}

static int fill(const char *path, int flags, struct seen *seen)
{
	const struct time_windows_job job = {
		.arg = seen, .open = open_job, .format = fill_window, .close = close_job};
	struct ts_error err;
	int fd = open(path, flags), rc;

	make_chunks(soon);
	table.nr = 1;
	rc = time_windows_run(&table, ORDERED_ALL, 2, fd, &job, &err);
	close(fd);
	return rc;
}

Test(time_windows, writes_a_long_window_in_parts)
{
	struct seen seen = {0};

	cr_assert_eq(fill("/dev/null", O_WRONLY, &seen), 0);
	cr_assert_eq(seen.nr_windows, NR_LINES);
	cr_assert_lt(seen.nr_listed, LINE_BYTES * NR_LINES / 4);
}

Test(time_windows, ends_a_long_window_that_cannot_be_written)
{
	struct seen seen = {0};

	cr_assert_eq(fill("/dev/null", O_RDONLY, &seen), -EBADF);
	cr_assert_lt(seen.nr_windows, NR_LINES / 4);
}
