/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a capture that the user wants: --time, --last, --cpu, --pid, --tid, --comm, --dso,
 * --symbol.
 *
 * Time and CPU decide which samples exist at all, so a chunk that cannot hold any is not read. The
 * other filters decide which samples are shown. Samples that they leave out still count in the
 * total of percentages, as with perf. Names and maps always come from the whole capture.
 *
 *	text of the command line -> selection_settle() before a capture is there: reads the lists
 *	                         -> selection_open()   with its header and times, for each capture
 *
 * Threads: immutable once opened; any number of threads may ask.
 */
#ifndef TS_READER_CHUNKS_SELECTION_H
#define TS_READER_CHUNKS_SELECTION_H

#include <hwloc.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "common/base/error.h"
#include "common/perf/record.h"
#include "reader/chunks/selection_words.h"
#include "reader/chunks/time_ranges.h"

/* As on the command line; NULL: everything. Lists are separated by commas. */
struct selection_text {
	const char *time, *last, *cpus, *pids, *tids, *comms, *dsos, *symbols;
	const char *symbol_part; /* a part of the function's name */
	bool is_known;		 /* samples of no known function do not exist */
	struct selection_words comm_names, dso_names, symbol_names; /* owned; of the lists */
};

struct selection_numbers {
	uint32_t *items;
	size_t nr; /* 0: all */
};

struct selection {
	struct selection_text text; /* the strings are the command line's; the names are borrowed */
	struct time_ranges times;
	uint64_t until_ns;   /* of a running capture: nothing later; 0: everything */
	hwloc_bitmap_t cpus; /* NULL: all */
	struct selection_numbers pids, tids;
};

/* Is anything left out? */
bool selection_text_is_some(const struct selection_text *text);
/*
 * Reads the lists of names, once for all captures, and checks whether selection_open() will accept
 * the text. -EINVAL with a sentence, -ENOMEM. The caller releases the text, even after failure.
 */
int selection_settle(struct selection_text *text, struct ts_error *err);
void selection_text_release(struct selection_text *text); /* accepts a zeroed one; idempotent */
/*
 * The text was settled and must outlive *s. first_ns and last_ns are the times of the first and the
 * last sample. -EINVAL if the events lack a field that the selection needs.
 */
int selection_open(struct selection *s, const struct selection_text *text,
		   const struct ts_events *events, uint64_t first_ns, uint64_t last_ns,
		   struct ts_error *err);
/* Leaves out everything later than until_ns. Up to this time all streams are complete. */
int selection_end_at(struct selection *s, uint64_t until_ns, struct ts_error *err);
void selection_close(struct selection *s); /* accepts a zeroed one; idempotent */

/* May the selection want samples of this time span and CPU (UINT32_MAX: any)? */
bool selection_may_match(const struct selection *s, uint64_t from_ns, uint64_t to_ns, uint32_t cpu);

/* By time and CPU. Records that are left out count as if they did not exist. */
static inline bool selection_takes_record(const struct selection *s, const struct ts_sample_id *sid)
{
	return time_ranges_take(&s->times, sid->time_ns) &&
	       (!s->cpus || hwloc_bitmap_isset(s->cpus, sid->cpu));
}

/* By thread; comm is NULL where no record names it. */
bool selection_takes_thread(const struct selection *s, uint32_t pid, uint32_t tid,
			    const char *comm);
/* By place: the short or the long name of the object, and the function; NULL: unknown. */
bool selection_takes_place(const struct selection *s, const char *object, const char *object_path,
			   const char *function);
static inline bool selection_has_places(const struct selection *s)
{
	return s->text.dso_names.nr || s->text.symbol_names.nr || s->text.symbol_part;
}

/*
 * Appends the selection: "Selected: time 10%-20%, CPU 0-3, pid 17", without a newline. Appends
 * nothing if everything is selected.
 */
void selection_describe(const struct selection *s, struct ts_bytes *out);
/* Appends it as a comment: "# Selected: ..." with a newline. */
void selection_print(const struct selection *s, struct ts_bytes *out);

#endif
