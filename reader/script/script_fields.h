/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields that script prints, by type of event: the default fields, the fields of -F, and the
 * check that the events of a capture have the data for them. The rules are perf's.
 *
 *	script_fields_init()	sets the default fields
 *	script_fields_parse()	applies each -F: "comm,tid", "+addr,-period", "trace:event,trace"
 *	script_fields_check()	drops fields that the events lack, refuses those asked for by name
 *
 * Threads: the main thread makes the style; then it is constant.
 *
 * Source: tools/perf/builtin-script.c of Linux 6.1.
 */
#ifndef TS_READER_SCRIPT_SCRIPT_FIELDS_H
#define TS_READER_SCRIPT_SCRIPT_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/notes.h"
#include "common/perf/header.h"

enum script_field {
	FIELD_COMM = 1u << 0,
	FIELD_TID = 1u << 1,
	FIELD_PID = 1u << 2,
	FIELD_TIME = 1u << 3,
	FIELD_CPU = 1u << 4,
	FIELD_EVENT = 1u << 5,
	FIELD_TRACE = 1u << 6,
	FIELD_IP = 1u << 7,
	FIELD_SYM = 1u << 8,
	FIELD_DSO = 1u << 9,
	FIELD_ADDR = 1u << 10,
	FIELD_SYMOFF = 1u << 11,
	FIELD_PERIOD = 1u << 12,
	FIELD_IREGS = 1u << 13,
	FIELD_UREGS = 1u << 14,
	FIELD_BRSTACK = 1u << 15, /* also its other forms */
	FIELD_DATA_SRC = 1u << 16,
	FIELD_WEIGHT = 1u << 17,
	FIELD_BPF_OUTPUT = 1u << 18,
	FIELD_PHYS_ADDR = 1u << 19,
	FIELD_MISC = 1u << 20,
	FIELD_TOD = 1u << 21,
	FIELD_DATA_PAGE_SIZE = 1u << 22,
	FIELD_CODE_PAGE_SIZE = 1u << 23,
	FIELD_INS_LAT = 1u << 24,
	FIELD_SRCLINE = 1u << 25,
	FIELD_INLINE = 1u << 26, /* no field: prints inlined functions as frames */
	FIELD_EMPTY = 1u << 27,	 /* fields of processor traces or guests, always empty here */
};

/* PERF_TYPE_HARDWARE .. PERF_TYPE_BREAKPOINT, then all others. */
#define SCRIPT_TYPE_OTHER 6
#define SCRIPT_TYPES	  7

struct script_fields {	    /* fields of one type of event */
	uint32_t shown;	    /* enum script_field bits */
	uint32_t wanted;    /* asked for by name: refused if events lack them */
	bool is_set;	    /* -F was given */
	bool must_exist;    /* "type:" without a list: the capture must have such events */
	uint32_t dismissed; /* asked for all types, but meaningless for this one */
};

struct script_style {
	struct script_fields types[SCRIPT_TYPES];
	bool with_flags; /* the column of -F flags */
	/* set by script_fields_check() */
	unsigned int name_width; /* of the longest event name */
	bool with_chains;	 /* call chains are printed */
};

void script_fields_init(struct script_style *style);
/* Applies one -F. Returns 0, or -EINVAL with a sentence. */
int script_fields_parse(struct script_style *style, const char *text, struct ts_error *err);
/*
 * Fits the fields to the events of a capture. hide_chains: -G. Returns -EINVAL with a sentence if
 * the events lack a field that was asked for. Even then, warnings name the fields that were left
 * out or are empty.
 */
int script_fields_check(struct script_style *style, const struct ts_header *header,
			bool hide_chains, struct ts_notes *warnings, struct ts_error *err);

static inline unsigned int script_type(const struct ts_event *event)
{
	return event->attr.type < SCRIPT_TYPE_OTHER ? event->attr.type : SCRIPT_TYPE_OTHER;
}

#endif
