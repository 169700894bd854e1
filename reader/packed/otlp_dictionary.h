/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dictionary of OTLP profiles: the tables that all profiles of a file share. Entries are written as
 * soon as they are known, one part of the message after the other; joined parts are one dictionary.
 *
 *	path            --> stack of the same number + 1, leaf first
 *	function        --> the number of its name among the strings
 *	mapping, location, attribute --> by the order in which they are first needed
 *
 * Only what a stack or a thread needs is in the tables, each entry once.
 *
 * Source: ProfilesDictionary of opentelemetry/proto/profiles/v1development/profiles.proto, v1.11.0;
 * names of attributes are those of the semantic conventions of OpenTelemetry.
 *
 * Threads: one owner.
 */
#ifndef TS_READER_PACKED_OTLP_DICTIONARY_H
#define TS_READER_PACKED_OTLP_DICTIONARY_H

#include <stdint.h>

#include "common/base/error.h"
#include "reader/packed/otlp.pb-c.h"
#include "reader/encoding/packed_file.h"
#include "reader/packed/pprof_locations.h"
#include "reader/packed/pprof_mappings.h"
#include "reader/packed/pprof_strings.h"
#include "reader/tasks/hash_index.h"

enum otlp_attribute { /* keys */
		      OTLP_THREAD_ID,
		      OTLP_THREAD_NAME,
		      OTLP_PROCESS_ID,
		      OTLP_PROCESS_NAME,
		      OTLP_BUILD_ID,
		      OTLP_FRAME_TYPE,
		      OTLP_ATTRIBUTES,
};

struct otlp_value { /* of an attribute; its index is its place + 1 */
	enum otlp_attribute key;
	uint32_t value; /* a number, or that of a text */
};

struct otlp_dictionary {
	struct packed_file *file;
	const struct stack_paths *paths; /* bare ones */
	struct memory *memory;
	struct pprof_strings strings;
	struct pprof_locations locations; /* those of stacks, and those around inlined functions */
	uint32_t *location_indices;	  /* owned; by their number - 1; 0: not needed yet */
	uint32_t *location_numbers;	  /* owned; by index - 1 */
	uint32_t nr_locations, cap_locations;
	struct pprof_mappings mappings;
	uint32_t *mapping_indices; /* owned; by number of a mapping; 0: not needed yet */
	uint32_t nr_mappings;
	struct otlp_value *values; /* owned */
	uint32_t nr_values, cap_values;
	struct hash_index by_value;
	struct name_table texts;	    /* of values */
	uint32_t keys[OTLP_ATTRIBUTES];	    /* strings; 0: not needed yet */
	uint64_t *ids;			    /* owned; room for the longest path */
	int32_t *indices;		    /* the same */
	Otlp__Line *lines, **line_pointers; /* owned, both; room for the most lines of a location */
};

/* The file and the paths must outlive *d. 0 or -ENOMEM; release in both cases. */
int otlp_dictionary_init(struct otlp_dictionary *d, struct packed_file *file,
			 const struct stack_paths *paths, const struct aggregate *a);
void otlp_dictionary_release(struct otlp_dictionary *d); /* accepts a zeroed one; idempotent */

/* The functions below return 0 or errors of packed_file_put(): with *err, but for -EPIPE and -EINTR. */

/* First: writes the empty entries, all stacks, locations, functions and mappings. */
int otlp_dictionary_put_stacks(struct otlp_dictionary *d, struct ts_error *err);
/* Then, for OTLP_THREAD_ID and OTLP_PROCESS_ID: the index of the attribute, written if it is new. */
int otlp_dictionary_number(struct otlp_dictionary *d, enum otlp_attribute key, uint32_t value,
			   int32_t *ret_index, struct ts_error *err);
/* The same for the other keys. */
int otlp_dictionary_text(struct otlp_dictionary *d, enum otlp_attribute key, const char *value,
			 int32_t *ret_index, struct ts_error *err);
/* The index of a string. */
int otlp_dictionary_string(struct otlp_dictionary *d, const char *text, int32_t *ret_index,
			   struct ts_error *err);
/* Last: writes the strings. */
int otlp_dictionary_put_strings(struct otlp_dictionary *d, struct ts_error *err);

#endif
