// SPDX-License-Identifier: Apache-2.0
/*
 * The parallel scan of /proc, under ThreadSanitizer where that is built: sixteen threads over
 * whatever runs, and over processes that start and end meanwhile.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "streamer/synthesis/synthesis.h"

#define ROUNDS	 20
#define CHILDREN 40

static void start_short_lives(void)
{
	for (int i = 0; i < CHILDREN; i++)
		if (fork() == 0) {
			usleep((useconds_t)i * 200);
			_exit(0);
		}
}

static void bury_children(void)
{
	while (waitpid(-1, NULL, 0) > 0)
		;
}

/* Whether whole records lie behind one another, and how many they are. */
static long count_records(const struct ts_bytes *b)
{
	const struct perf_event_header *h;
	long nr = 0;

	for (size_t at = 0; at < b->len; at += h->size, nr++) {
		h = (const void *)(b->data + at);
		if (b->len - at < sizeof(*h) || h->size < sizeof(*h) || h->size > b->len - at)
			return -1;
	}
	return nr;
}

static int scan(void)
{
	struct synthesis_options options = {
		.trailer_bytes = 32, .nr_threads = 16, .namespaces = true, .build_ids = true};
	struct synthesis_target all = {.all = true};
	struct synthesis_counts counts;
	struct ts_bytes out = {0};
	struct ts_error err;
	long nr, wanted;
	int rc = synthesis_tasks(&out, &all, &options, &counts, NULL, &err);

	/* FORK and COMM a thread, NAMESPACES, and the maps */
	wanted = (long)(3 * counts.threads + counts.maps);
	nr = rc ? -1 : count_records(&out);
	ts_bytes_release(&out);
	if (rc)
		fprintf(stderr, "%s\n", err.text);
	else if (nr != wanted)
		fprintf(stderr, "%ld records, %ld were counted\n", nr, wanted);
	return rc || nr != wanted;
}

int main(void)
{
	int failed = 0;

	for (int round = 0; round < ROUNDS && !failed; round++) {
		start_short_lives();
		failed = scan();
		bury_children();
	}
	return failed;
}
