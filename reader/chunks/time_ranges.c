// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/time_ranges.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/min_max.h"

#define NSEC_PER_SEC 1000000000u
#define MAX_SECONDS  (UINT64_MAX / NSEC_PER_SEC - 1)

struct bounds { /* of the samples */
	uint64_t first_ns, last_ns;
};

bool time_ranges_are_shares(const char *text)
{
	return strchr(text, '%') != NULL;
}

static int add_range(struct time_ranges *r, uint64_t from_ns, uint64_t to_ns)
{
	struct time_range *grown = realloc(r->items, (r->nr + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	r->items = grown;
	grown[r->nr++] = (struct time_range){from_ns, to_ns};
	return 0;
}

/* --- seconds --- */

/* "12.34" of len characters in ns. An empty text leaves *ret alone. */
static bool read_seconds(const char *text, size_t len, uint64_t *ret)
{
	uint64_t seconds = 0, nanos = 0, unit = NSEC_PER_SEC;
	size_t i = 0;

	for (; i < len && isdigit((unsigned char)text[i]); i++) {
		seconds = 10 * seconds + (uint64_t)(text[i] - '0');
		if (seconds > MAX_SECONDS)
			return false;
	}
	if (i < len && text[i] != '.')
		return false;
	for (i++; i < len; i++) {
		unit /= 10;
		if (!unit || !isdigit((unsigned char)text[i]))
			return false;
		nanos += unit * (uint64_t)(text[i] - '0');
	}
	if (len)
		*ret = seconds * NSEC_PER_SEC + nanos;
	return true;
}

/* "START,STOP" of len characters. A STOP of 0 means the end, as an empty one does. */
static int add_seconds(struct time_ranges *r, const char *text, size_t len)
{
	const char *comma = memchr(text, ',', len);
	uint64_t from = 0, to = 0;
	size_t at;

	if (!comma)
		return -EINVAL;
	at = (size_t)(comma - text);
	if (!read_seconds(text, at, &from) || !read_seconds(comma + 1, len - at - 1, &to) ||
	    (to && to < from) || (r->nr && r->items[r->nr - 1].to_ns >= from))
		return -EINVAL;
	return add_range(r, from, to ? to : UINT64_MAX);
}

static int parse_seconds(struct time_ranges *r, const char *text)
{
	int rc = 0;

	for (size_t len; !rc && *text; text += len) {
		text += strspn(text, " ");
		len = strcspn(text, " ");
		if (len)
			rc = add_seconds(r, text, len);
	}
	return rc;
}

/* --- shares --- */

/* "10%" up to `end`, as a fraction. */
static bool read_share(const char *text, const char *end, double *ret)
{
	char *stop;
	double percent = strtod(text, &stop);

	*ret = percent / 100;
	return stop != text && stop + 1 == end && *stop == '%' && isfinite(percent);
}

/*
 * Adds a share. It ends 1 ns before the next one would begin, unless it ends with the last sample.
 */
static int add_share(struct time_ranges *r, double from, double to, const struct bounds *b)
{
	double total = (double)(b->last_ns - b->first_ns);
	struct time_range range;

	if (from < 0 || to > 1 || from > to)
		return -EINVAL;
	range.from_ns = b->first_ns + (uint64_t)round(from * total);
	range.to_ns = b->first_ns + (uint64_t)round(to * total);
	if (range.to_ns > range.from_ns && range.to_ns != b->last_ns)
		range.to_ns--;
	return add_range(r, range.from_ns, range.to_ns);
}

/* "10%/2" up to `end`: the second slice of a tenth. */
static int add_slice(struct time_ranges *r, const char *text, const char *end,
		     const struct bounds *b)
{
	const char *slash = memchr(text, '/', (size_t)(end - text));
	double share;
	char *stop;
	long n;

	if (!slash || !read_share(text, slash, &share) || share <= 0)
		return -EINVAL;
	n = strtol(slash + 1, &stop, 10);
	if (stop != end || !isdigit((unsigned char)slash[1]) || n < 1)
		return -EINVAL;
	return add_share(r, share * (double)(n - 1), share * (double)n, b);
}

/* "10%-20%" up to `end`. */
static int add_span(struct time_ranges *r, const char *text, const char *end,
		    const struct bounds *b)
{
	const char *dash = memchr(text, '-', (size_t)(end - text));
	double from, to;

	if (!dash || !read_share(text, dash, &from) || !read_share(dash + 1, end, &to))
		return -EINVAL;
	return add_share(r, from, to, b);
}

static int parse_shares(struct time_ranges *r, const char *text, const struct bounds *b)
{
	bool are_slices = strchr(text, '/'), are_spans = strchr(text, '-');
	double share;
	int rc = 0;

	if (!are_slices && !are_spans)
		return read_share(text, text + strlen(text), &share) && share > 0
			       ? add_share(r, 0, share, b)
			       : -EINVAL;
	while (!rc && *text) {
		const char *end = text + strcspn(text, ",");

		rc = are_slices ? add_slice(r, text, end, b) : add_span(r, text, end, b);
		text = *end ? end + 1 : end;
	}
	return rc;
}

/* --- the whole --- */

int time_ranges_parse(struct time_ranges *r, const char *text, uint64_t first_ns, uint64_t last_ns,
		      struct ts_error *err)
{
	const struct bounds b = {first_ns, last_ns < first_ns ? first_ns : last_ns};
	int rc;

	*r = (struct time_ranges){0};
	rc = time_ranges_are_shares(text) ? parse_shares(r, text, &b) : parse_seconds(r, text);
	if (!rc && !r->nr)
		rc = -EINVAL;
	if (!rc)
		return 0;
	time_ranges_release(r);
	if (rc == -ENOMEM)
		return ts_error_sys(err, ENOMEM, "cannot read the times '%s'", text);
	return ts_error_set(err, EINVAL,
			    "cannot select the times '%s': give START,STOP in seconds, 10%%-20%% "
			    "or 10%%/2, in order",
			    text);
}

int time_ranges_clip(struct time_ranges *r, uint64_t from_ns, uint64_t to_ns)
{
	size_t nr = 0;

	if (!r->nr)
		return add_range(r, from_ns, to_ns);
	for (size_t i = 0; i < r->nr; i++) {
		const struct time_range clipped = {ts_max(r->items[i].from_ns, from_ns),
						   ts_min(r->items[i].to_ns, to_ns)};

		if (clipped.from_ns <= clipped.to_ns)
			r->items[nr++] = clipped;
	}
	if (!nr) /* an empty list would mean all times */
		r->items[nr++] = (struct time_range){UINT64_MAX, 0};
	r->nr = nr;
	return 0;
}

void time_ranges_release(struct time_ranges *r)
{
	free(r->items);
	*r = (struct time_ranges){0};
}

bool time_ranges_overlap(const struct time_ranges *r, uint64_t from_ns, uint64_t to_ns)
{
	for (size_t i = 0; i < r->nr; i++)
		if (from_ns <= r->items[i].to_ns && to_ns >= r->items[i].from_ns)
			return true;
	return !r->nr;
}
