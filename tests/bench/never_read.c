// SPDX-License-Identifier: Apache-2.0
/*
 * The cost of the kernel alone for a load: the events of `tstream record -e EVENTS -a` go into rings
 * that nobody reads.
 *
 *	never_read full|overwritten EVENTS RING_BYTES
 *
 * Attrs, owners, rings and watermarks are the recorder's own (source.h); only the writers are
 * missing.
 *
 * full: rings are mapped as the recorder maps them. They are full after a moment, and every further
 * record is dropped before it is written.
 *
 * overwritten: rings are mapped for reading only, so that the kernel writes each record over an old
 * one. It makes, writes and announces every record, as it must when a recorder loses none: the floor
 * of a recorder that keeps everything.
 *
 * Prints "ready" when it records; at SIGINT or SIGTERM how many records were dropped, and ends.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "streamer/rings/ring.h"
#include "streamer/rings/source.h"
#include "streamer/targets/privilege.h"

#define SIDEBAND_BYTES (64u * 1024)

struct floor {
	struct event_list events;
	struct event_options options;
	struct target target;
	struct privilege privilege;
	struct layout_writer writer; /* it only says which CPUs there are */
	struct layout layout;
	struct source source;
	size_t ring_bytes;
	bool overwrites;
};

static void die(const char *what)
{
	fprintf(stderr, "never_read: %s\n", what);
	exit(1);
}

static void prepare(struct floor *f, const char *events)
{
	struct ts_notes notes = {0};
	struct ts_error err;

	privilege_read(&f->privilege);
	f->writer.cpus = hwloc_bitmap_alloc();
	hwloc_bitmap_set_range(f->writer.cpus, 0, (int)sysconf(_SC_NPROCESSORS_ONLN) - 1);
	f->writer.sideband_cpus = f->writer.cpus;
	f->layout = (struct layout){.writers = &f->writer, .nr = 1};
	f->target.kind = TARGET_SYSTEM;
	f->options.inherit = true;
	if (event_parse(&f->events, events, NULL, &err))
		die(err.text);
	event_default_clock(&f->events, NULL, &f->options);
	if (event_options_settle(&f->options, 0, &notes, &err) ||
	    source_init(&f->source, &f->events, &f->options, &f->target, &f->layout, &f->privilege,
			&err))
		die(err.text);
	ts_notes_release(&notes);
}

static void map_ring(const struct floor *f, const struct source_ring *r)
{
	size_t bytes = r->kind == TS_RING_SAMPLES ? f->ring_bytes : SIDEBAND_BYTES;
	int prot = f->overwrites ? PROT_READ : PROT_READ | PROT_WRITE;

	if (mmap(NULL, (size_t)sysconf(_SC_PAGESIZE) + bytes, prot, MAP_SHARED, r->fd, 0) ==
	    MAP_FAILED)
		die("cannot map a ring");
}

static void open_all(struct floor *f)
{
	struct ts_notes notes = {0};
	struct ts_error err;

	if (source_open_owners(&f->source, ring_watermark_bytes(f->ring_bytes, false),
			       ring_watermark_bytes(SIDEBAND_BYTES, false), &err))
		die(err.text);
	for (size_t i = 0; i < f->source.nr_rings; i++)
		map_ring(f, &f->source.rings[i]);
	if (source_open_events(&f->source, &notes, &err) ||
	    source_enable_sideband(&f->source, &err) || source_enable(&f->source, NULL, &err))
		die(err.text);
	ts_notes_release(&notes);
}

static void print_dropped(struct floor *f)
{
	struct source_lost *rows;
	struct ts_error err;
	uint64_t dropped = 0;
	size_t nr;

	source_disable_all(&f->source);
	if (source_read_lost(&f->source, &rows, &nr, &err))
		die(err.text);
	for (size_t i = 0; i < nr; i++)
		dropped += rows[i].records;
	free(rows);
	printf("%llu\n", (unsigned long long)dropped);
}

int main(int argc, char **argv)
{
	struct floor f = {0};
	sigset_t ends;
	int got;

	if (argc != 4 || (strcmp(argv[1], "full") && strcmp(argv[1], "overwritten")))
		die("usage: never_read full|overwritten EVENTS RING_BYTES");
	f.overwrites = !strcmp(argv[1], "overwritten");
	f.ring_bytes = strtoull(argv[3], NULL, 10);
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	prepare(&f, argv[2]);
	open_all(&f);
	puts("ready");
	fflush(stdout);
	sigwait(&ends, &got);
	print_dropped(&f);
	source_release(&f.source);
	event_list_release(&f.events);
	hwloc_bitmap_free(f.writer.cpus);
	return 0;
}
