// SPDX-License-Identifier: Apache-2.0
#include "common/base/spelling.h"

#include <string.h>

#define SLIPS_MAX	  2
#define LETTERS_OF_A_SLIP 3

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Row by row: row[j] is the number of slips from the letters of `from` seen so far to the first j
 * letters of `to`.
 */
static size_t count_slips(const char *from, const char *to)
{
	size_t rows[3][TS_SPELLING_BYTES_MAX] = {{0}};
	size_t from_len = strlen(from), to_len = strlen(to);

	for (size_t j = 0; j <= to_len; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= from_len; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3],
		       *two_above = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= to_len; j++) {
			row[j] = smaller(above[j - 1] + (from[i - 1] != to[j - 1]),
					 smaller(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
				row[j] = smaller(row[j], two_above[j - 2] + 1);
		}
	}
	return rows[from_len % 3][to_len];
}

/* Words with another name: only that name is meant. */
static const char *known_name(const char *word)
{
	return !strcmp(word, "tgid") ? "pid" : NULL;
}

void ts_spelling_try(struct ts_spelling *near, const char *name)
{
	size_t len = strlen(near->word), nr_slips;
	const char *known = known_name(near->word);

	if (known && strcmp(name, known) != 0)
		return;
	if (len >= TS_SPELLING_BYTES_MAX || strlen(name) >= TS_SPELLING_BYTES_MAX)
		return;
	nr_slips = count_slips(known ? known : near->word, name);
	if (nr_slips > SLIPS_MAX || nr_slips * LETTERS_OF_A_SLIP > len ||
	    (*near->name && nr_slips >= near->nr_slips))
		return;
	strcpy(near->name, name);
	near->nr_slips = nr_slips;
}

const char *ts_spelling_found(const struct ts_spelling *near)
{
	return *near->name ? near->name : NULL;
}
