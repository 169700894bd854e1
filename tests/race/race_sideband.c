// SPDX-License-Identifier: Apache-2.0
/*
 * Writers and main exchange messages about side-band, under ThreadSanitizer where that is built: runs
 * that main puts into a ring, times since when records may be missing, and files whose build-ids main
 * reads.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/min_max.h"
#include "common/base/thread.h"
#include "common/perf/record.h"
#include "streamer/rings/file_ids.h"
#include "streamer/rings/ring_fed.h"
#include "streamer/watch/sideband_gap.h"

#define WRITERS	  4
#define ROUNDS	  20000 /* of each writer */
#define FILES	  1000
#define MAP_BYTES 112
#define RUN	  7 /* records */

struct scene;

struct writer { /* its thread's, but for the ring */
	struct ts_thread thread;
	struct scene *scene;
	unsigned number;
	struct ring ring;
	uint64_t run[2 * RUN];	/* of the ring: main's and the writer's in turn */
	uint64_t given, copied; /* records; main's, the writer's */
	const char *problem;
};

struct scene {
	struct sideband_gap gap;
	struct file_ids ids;
	_Atomic unsigned nr_left; /* writers that have not ended */
	struct writer writers[WRITERS];
};

/* Each file has another one. */
static struct ts_build_id id_of(uint64_t ino)
{
	struct ts_build_id id = {.len = 20};

	memcpy(id.bytes, &ino, sizeof(ino));
	return id;
}

static void make_map(uint8_t *record, uint64_t ino)
{
	const struct perf_event_header hdr = {
		.type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER, .size = MAP_BYTES};
	const uint32_t prot = PROT_READ | PROT_EXEC;

	memset(record, 0, MAP_BYTES);
	memcpy(record, &hdr, sizeof(hdr));
	memcpy(record + 48, &ino, sizeof(ino));
	memcpy(record + 64, &prot, sizeof(prot));
	memcpy(record + 72, "/x", 3);
}

/* True if the record of that file got a build-id. Another file's is a problem. */
static bool put_file(struct writer *w, uint64_t ino)
{
	const struct ts_build_id id = id_of(ino);
	_Alignas(8) uint8_t record[MAP_BYTES];

	make_map(record, ino);
	file_ids_put_run(&w->scene->ids, record, MAP_BYTES);
	if (!(ts_record_load_header(record).misc & PERF_RECORD_MISC_MMAP_BUILD_ID))
		return false;
	if (record[40] != id.len || memcmp(record + 44, id.bytes, id.len))
		w->problem = "a record got the build-id of another file";
	return true;
}

static void copy_run(struct writer *w)
{
	uint64_t got[2 * RUN];
	size_t len;

	while (ring_fed_copy(&w->ring, got, 16 * (1 + w->copied % RUN), &len) == RING_COPY_DONE)
		for (size_t i = 0; i < len / 16; i++)
			if (got[2 * i + 1] != w->copied++)
				w->problem = "a record was not copied in its turn";
}

static void run_writer(void *arg)
{
	struct writer *w = arg;

	for (uint64_t i = 0; i < ROUNDS; i++) {
		sideband_gap_report(&w->scene->gap, ROUNDS - i);
		put_file(w, 1 + i % FILES);
		copy_run(w);
	}
	atomic_fetch_sub(&w->scene->nr_left, 1);
}

/* --- main --- */

static void give_run(struct writer *w)
{
	const struct perf_event_header hdr = {.type = PERF_RECORD_COMM, .size = 16};

	if (!ring_fed_is_free(&w->ring))
		return;
	for (size_t i = 0; i < RUN; i++) {
		memcpy(&w->run[2 * i], &hdr, sizeof(hdr));
		w->run[2 * i + 1] = w->given++;
	}
	ring_fed_give(&w->ring, w->run, sizeof(w->run));
}

/* Of some files the first look fails. */
static void answer_files(struct file_ids *ids)
{
	static const struct ts_build_id none;
	_Alignas(8) uint8_t record[FILE_IDS_RECORD_BYTES];

	while (file_ids_take(ids, record)) {
		uint64_t ino = ts_record_load_u64(record + 48);
		struct ts_build_id id = id_of(ino);
		bool was_read = ino % 3 || ts_record_load_header(record).size != MAP_BYTES;

		file_ids_answer(ids, record, was_read, was_read ? &id : &none);
	}
}

/* The earliest of all times that were taken, with the one before. */
static uint64_t take_gap(struct sideband_gap *g, uint64_t earliest_ns)
{
	uint64_t since_ns = sideband_gap_take(g);

	return since_ns && (!earliest_ns || since_ns < earliest_ns) ? since_ns : earliest_ns;
}

static uint64_t play(struct scene *s)
{
	uint64_t earliest_ns = 0;
	bool has_ended;

	do {
		has_ended = !atomic_load(&s->nr_left);
		earliest_ns = take_gap(&s->gap, earliest_ns);
		answer_files(&s->ids);
		for (size_t i = 0; i < WRITERS && !has_ended; i++)
			give_run(&s->writers[i]);
	} while (!has_ended);
	return earliest_ns;
}

static bool start(struct scene *s, struct ts_error *err)
{
	const struct ring_id id = {.kind = TS_RING_SIDEBAND};
	bool ok = !sideband_gap_init(&s->gap, err) && !file_ids_init(&s->ids, err);

	atomic_init(&s->nr_left, WRITERS);
	for (unsigned i = 0; i < WRITERS && ok; i++) {
		struct writer *w = &s->writers[i];

		w->scene = s;
		w->number = i;
		ring_fed_init(&w->ring, &id);
		ok = !ts_thread_start(&w->thread, "writer", NULL, 0, run_writer, w, err);
	}
	return ok;
}

static const char *look(struct scene *s, uint64_t earliest_ns)
{
	struct writer *w = &s->writers[0];
	size_t nr = 0;

	for (size_t i = 0; i < WRITERS; i++) {
		copy_run(&s->writers[i]);
		if (s->writers[i].problem)
			return s->writers[i].problem;
		if (s->writers[i].copied != s->writers[i].given)
			return "records that main gave are missing";
	}
	for (uint64_t ino = 1; ino <= FILES; ino++)
		nr += put_file(w, ino);
	if (nr < FILES / 3)
		return "files that main has read have no build-id";
	if (earliest_ns != 1 || sideband_gap_take(&s->gap))
		return "the earliest time was not taken, or something was left";
	return w->problem;
}

int main(void)
{
	static struct scene s;
	const char *problem;
	struct ts_error err;
	uint64_t earliest_ns;

	if (!start(&s, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	earliest_ns = play(&s);
	for (size_t i = 0; i < WRITERS; i++)
		ts_thread_join(&s.writers[i].thread);
	problem = look(&s, earliest_ns);
	if (problem)
		fprintf(stderr, "%s\n", problem);
	file_ids_release(&s.ids);
	sideband_gap_release(&s.gap);
	return problem != NULL;
}
