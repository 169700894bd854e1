/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of a command as a table of rows, of which everything is made that tells of options:
 *
 *	rows -> command_line.c  words become a struct of options, by argp(3); what is wrong becomes a sentence
 *	     -> option_help.c   --help
 *	     -> completion.c    completions of shells
 *
 * A test holds the manuals to them. A row of the kind TS_OPTION_PART stands for the rows of another table,
 * so that what several commands take is written once.
 *
 * Threads: rows are constant; any thread.
 */
#ifndef TS_COMMON_OPTIONS_OPTION_H
#define TS_COMMON_OPTIONS_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/notes.h"

#define TS_OPTION_NAMES 80 /* bytes of "-s, --sort=KEYS" */

enum ts_option_kind {
	TS_OPTION_FLAG,	   /* sets the bool at `at` */
	TS_OPTION_NO_FLAG, /* clears it */
	TS_OPTION_TEXT,	   /* puts the value into the const char * at `at` */
	TS_OPTION_CHOICE,  /* puts `sets` into the enum at `at` */
	TS_OPTION_BITS,	   /* adds `sets` to the bits of the uint64_t at `at` */
	TS_OPTION_NUMBER,  /* a uint64_t, from `least` to `most` */
	TS_OPTION_TIME, /* the same of nanoseconds, of a time with its unit; `why` words what is wrong */
	TS_OPTION_READ,	   /* read() does it */
	TS_OPTION_NOTHING, /* is accepted, and what it asks for is so anyhow */
	TS_OPTION_NOTED,   /* the same, with a note: `why`; a value N is a number, SIZE a size */
	TS_OPTION_REFUSED, /* is perf's, and not there: `why`, and what to do `instead` */
	TS_OPTION_ALIAS,   /* another name of the row before it */
	TS_OPTION_PART,	   /* the rows of `part`, for the struct at `at` */
};

struct ts_option { /* a table ends with one that is zeroed */
	enum ts_option_kind kind;
	const char *name;  /* without "--"; NULL: has a letter only */
	char letter;	   /* 0: has a name only */
	const char *value; /* "SIZE"; "[SIZE]": may be left out; NULL: takes none */
	const char *
		help; /* a few words; NULL: in no help, or beside the row before it, which tells of both */
	/* how the help shows it */
	const char *group; /* it begins this group; NULL: it is of that of the row before it */
	bool is_beside;	   /* on the line of the row before it, where there is room */
	bool is_hidden;	   /* in no help and no completion, as what is noted or refused always is */
	/* what it does */
	size_t at; /* offset in the struct that the table is for */
	uint64_t sets;
	/*
	 * Gets the struct that the table is for. value: NULL where it was left out. 0, or -errno with the
	 * sentence.
	 */
	int (*read)(void *options, const char *value, struct ts_error *err);
	uint64_t least, most; /* most 0: INT64_MAX */
	bool may_be_next;     /* a value that may be left out may also be the next word */
	const struct ts_option *part;
	const char *why;     /* behind the ':' of the sentence or note; NULL: not worth a note */
	const char *instead; /* the hint; NULL: none */
};

/* One row of a table and of its parts, with the struct that it works on. */
struct ts_option_place {
	const struct ts_option *row; /* never of the kind TS_OPTION_PART */
	const struct ts_option *of;  /* the row that an alias is another name of; else the same */
	void *options;
};

/*
 * All rows of a table, parts in the place of their rows. `options`: the struct that the table is for; NULL
 * where nothing is read. Returns an array that ends with a zeroed one, the caller's to free(); NULL: out of memory.
 */
struct ts_option_place *ts_options_list(const struct ts_option *table, void *options,
					size_t *ret_nr);

bool ts_option_takes_value(const struct ts_option *row);
bool ts_option_needs_value(const struct ts_option *row);
/* "-s, --sort KEYS", "--threads[=SPEC]". Returns buf. */
const char *ts_option_names(const struct ts_option *row, char buf[TS_OPTION_NAMES]);

/* What --help and completions tell of. */
bool ts_option_is_shown(const struct ts_option *row);

/*
 * Does what the row says; value NULL: none was given. -EINVAL with a sentence; what read() returns. notes: what
 * changes nothing.
 */
int ts_option_take(const struct ts_option_place *place, const char *value, struct ts_notes *notes,
		   struct ts_error *err);

#endif
