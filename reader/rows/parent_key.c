// SPDX-License-Identifier: Apache-2.0
#include "reader/rows/parent_key.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct match {
	const char *name;
	uint32_t frame;
};

static int compare_matches(const void *a, const void *b)
{
	const struct match *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Equal names have equal numbers. */
static void number_names(struct parents *p, struct match *matches, uint32_t nr)
{
	if (nr)
		qsort(matches, nr, sizeof(*matches), compare_matches);
	for (uint32_t i = 0; i < nr; i++) {
		if (!i || strcmp(matches[i].name, matches[i - 1].name) != 0)
			p->names[p->nr++] = matches[i].name;
		p->of_frame[matches[i].frame] = p->nr - 1;
	}
}

int parents_init(struct parents *p, const struct frames *frames, const regex_t *pattern)
{
	struct match *matches = malloc(((size_t)frames->nr + 1) * sizeof(*matches));
	uint32_t nr = 0;

	*p = (struct parents){0};
	p->of_frame = malloc(((size_t)frames->nr + 1) * sizeof(*p->of_frame));
	p->names = malloc(((size_t)frames->nr + 1) * sizeof(*p->names));
	if (!matches || !p->of_frame || !p->names) {
		free(matches);
		parents_release(p);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < frames->nr; i++) {
		const struct symbol *symbol = frames->items[i].symbol;

		p->of_frame[i] = UINT32_MAX;
		if (symbol && !regexec(pattern, symbol->name, 0, NULL, 0))
			matches[nr++] = (struct match){symbol->name, i};
	}
	number_names(p, matches, nr);
	for (uint32_t i = 0; i < frames->nr; i++)
		if (p->of_frame[i] == UINT32_MAX)
			p->of_frame[i] = p->nr;
	free(matches);
	return 0;
}

uint32_t parents_find(const struct parents *p, const uint32_t *frames, uint32_t nr_frames,
		      bool caller_first)
{
	for (uint32_t i = 0; i < nr_frames; i++) {
		uint32_t found = p->of_frame[frames[caller_first ? nr_frames - 1 - i : i]];

		if (found != p->nr)
			return found;
	}
	return p->nr;
}

const char *parents_name(const struct parents *p, uint32_t number)
{
	return number < p->nr ? p->names[number] : PARENT_KEY_OTHER;
}

void parents_release(struct parents *p)
{
	free(p->of_frame);
	free(p->names);
	*p = (struct parents){0};
}
