/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of a command as a table of rows. Parser, help and completions are all made from the
 * rows:
 *
 *	rows -> command_line.c  words become a struct of options, by argp(3); mistakes: sentences
 *	     -> option_help.c   --help
 *	     -> completion.c    completions of shells
 *
 * A test compares the manuals with the rows. A row of the kind TS_OPTION_PART stands for the rows
 * of another table, so options that several commands take are written once.
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
	TS_OPTION_TIME,	   /* the same for a time with its unit, in ns; `why` words a mistake */
	TS_OPTION_READ,	   /* read() does it */
	TS_OPTION_NOTHING, /* accepted; its purpose is met without it */
	TS_OPTION_NOTED,   /* the same, with a note: `why`; a value N is a number, SIZE a size */
	TS_OPTION_REFUSED, /* an option of perf that is refused: `why`, and a remedy in `instead` */
	TS_OPTION_ALIAS,   /* another name of the row before it */
	TS_OPTION_PART,	   /* the rows of `part`, for the struct at `at` */
};

struct ts_option { /* a zeroed row ends the table */
	enum ts_option_kind kind;
	const char *name;  /* without "--"; NULL: only a letter */
	char letter;	   /* 0: only a name */
	const char *value; /* "SIZE"; "[SIZE]": may be left out; NULL: takes none */
	const char *help;  /* a few words; NULL: not shown, or the row before it describes both */
	/* for the help */
	const char *group; /* it begins this group; NULL: the group of the row before it */
	bool is_beside;	   /* on the line of the row before it, if there is room */
	bool is_hidden; /* left out of help and completion, as NOTED and REFUSED rows always are */
	/* for the parser */
	size_t at; /* offset in the struct that the table fills */
	uint64_t sets;
	/*
	 * Gets the struct that the table fills. value: NULL if it was left out. Returns 0, or
	 * -errno with the sentence.
	 */
	int (*read)(void *options, const char *value, struct ts_error *err);
	uint64_t least, most; /* most 0: INT64_MAX */
	bool may_be_next;     /* an optional value may also be the next word */
	const struct ts_option *part;
	const char *why;     /* behind the ':' of the sentence or note; NULL: no note */
	const char *instead; /* the hint; NULL: none */
};

/* One row of a table and of its parts, with the struct that it fills. */
struct ts_option_place {
	const struct ts_option *row; /* never of the kind TS_OPTION_PART */
	const struct ts_option *of;  /* the row whose alias this is; otherwise the row itself */
	void *options;
};

/*
 * Lists all rows of a table, with the rows of its parts in their places. `options`: the struct that
 * the table fills; NULL if nothing is read. Returns an array that ends with a zeroed one and that
 * the caller frees; NULL: out of memory.
 */
struct ts_option_place *ts_options_list(const struct ts_option *table, void *options,
					size_t *ret_nr);

bool ts_option_takes_value(const struct ts_option *row);
bool ts_option_needs_value(const struct ts_option *row);
/* "-s, --sort KEYS", "--threads[=SPEC]". Returns buf. */
const char *ts_option_names(const struct ts_option *row, char buf[TS_OPTION_NAMES]);

/* Do --help and the completions show this row? */
bool ts_option_is_shown(const struct ts_option *row);

/*
 * Applies the row. value NULL: none was given. Returns 0, -EINVAL with a sentence, or the result of
 * read(). `notes` gets options that change nothing.
 */
int ts_option_take(const struct ts_option_place *place, const char *value, struct ts_notes *notes,
		   struct ts_error *err);

#endif
