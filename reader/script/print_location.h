/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the place of a sample: an address with its symbol and object, or the frames of a call
 * chain. Each thread makes each distinct text once (text_cache.h), because most samples of a
 * program repeat a few places.
 *
 * Threads: a `struct places` belongs to one thread; its tasks and symbols are shared.
 */
#ifndef TS_READER_SCRIPT_PRINT_LOCATION_H
#define TS_READER_SCRIPT_PRINT_LOCATION_H

#include "common/base/bytes.h"
#include "common/perf/record.h"
#include "reader/script/script_fields.h"
#include "reader/script/text_cache.h"
#include "reader/symbols/symbol.h"
#include "reader/tasks/tasks.h"

#define PLACES_MOMENTS 256 /* threads whose moment is remembered; power of two */

/* The kind of a remembered text: bits of text_key.d above those of the fields. */
#define TEXT_FRAME (1u << 28)
#define TEXT_TRACE (1u << 29)
#define TEXT_IP	   (1u << 30)
#define TEXT_CHAIN (1u << 31)

struct places_moment { /* private */
	uint32_t pid, tid;
	struct task_moment moment; /* until_ns 0: free */
};

struct places {
	/* constant */
	const struct tasks *tasks;
	struct symbols *syms;
	unsigned int max_stack;	    /* frames of a chain */
	bool with_inlined;	    /* inlined functions are frames of a chain */
	bool with_source_paths;	    /* whole paths of source files, not only names */
	const char *const *stop_at; /* chains end behind a function of these names; NULL: none */
	/* the thread's own */
	struct task_moment kernel;
	struct places_moment moments[PLACES_MOMENTS];
	struct text_cache texts;
	struct text_cache frames; /* lines of chains that cost more than a copy */
};

void places_release(struct places *p); /* accepts a zeroed one; idempotent */

/* The name of a thread at a time; NULL: no record names it. */
const char *places_comm(struct places *p, const struct ts_sample_id *sid);
/* Prints " address symbol+0xoff (object)" of the sampled address, as far as `fields` has them. */
void places_put_ip(struct places *p, uint32_t fields, uint16_t misc, const struct ts_sample *sample,
		   struct ts_bytes *out);
/* Prints a line for each frame. */
void places_put_chain(struct places *p, uint32_t fields, const struct ts_sample *sample,
		      struct ts_bytes *out);
/* Prints "address" of the data, with symbol and object if `with_places`. */
void places_put_addr(struct places *p, uint32_t fields, bool with_places, uint16_t misc,
		     const struct ts_sample *sample, struct ts_bytes *out);

#endif
