// SPDX-License-Identifier: Apache-2.0
#include "streamer/recording/rotation_kept.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/path.h"
#include "common/directory/output_place.h"

size_t rotation_kept_surplus(const struct rotation_kept *k, uint64_t more_bytes, uint64_t now_ns)
{
	uint64_t times = k->is_read ? 2 : 1, bytes = k->bytes + more_bytes;
	size_t nr = 0;

	while (nr + 1 < k->nr &&
	       ((k->max_files && k->nr - nr > k->max_files) ||
		(k->max_bytes && bytes > k->max_bytes * times) ||
		(k->max_age_ns && now_ns - k->items[nr].end_ns > k->max_age_ns * times)))
		bytes -= k->items[nr++].bytes;
	return nr;
}

size_t rotation_kept_since(const struct rotation_kept *k, uint64_t since_ns)
{
	size_t first = 0;

	while (first < k->nr && k->items[first].end_ns < since_ns)
		first++;
	return first;
}

static void drop_oldest(struct rotation_kept *k)
{
	k->bytes -= k->items[0].bytes;
	k->begin_ns = k->items[0].end_ns;
	free(k->items[0].path);
	k->nr--;
	memmove(k->items, k->items + 1, k->nr * sizeof(*k->items));
}

static bool has_bounds(const struct rotation_kept *k)
{
	return k->max_files || k->max_bytes || k->max_age_ns || k->is_list;
}

static bool reserve_item(struct rotation_kept *k)
{
	size_t more = k->cap ? k->cap * 2 : 16;
	struct kept_item *moved;

	if (k->nr < k->cap)
		return true;
	moved = realloc(k->items, more * sizeof(*moved));
	if (!moved)
		return false;
	k->items = moved;
	k->cap = more;
	return true;
}

/* False: out of memory. */
static bool reserve(struct rotation_kept *k)
{
	if (!k->spare)
		k->spare = malloc(PATH_MAX);
	return k->spare && reserve_item(k);
}

int rotation_kept_reserve(struct rotation_kept *k, struct ts_error *err)
{
	if (!has_bounds(k) || reserve(k))
		return 0;
	ts_error_sys(err, ENOMEM, "cannot go on in another directory");
	return ts_error_hint(err,
			     "the recording stays in its directory: free memory and ask again");
}

/* Takes the reserved room. */
static void take_in(struct rotation_kept *k, const char *path, uint64_t bytes)
{
	struct kept_item *item = &k->items[k->nr++];
	char *shorter;

	snprintf(k->spare, PATH_MAX, "%s", path);
	shorter = realloc(k->spare, strlen(k->spare) + 1);
	*item = (struct kept_item){
		.path = shorter ? shorter : k->spare, .bytes = bytes, .end_ns = ts_clock_now_ns()};
	item->name = ts_path_name(item->path);
	k->spare = NULL;
	k->bytes += bytes;
}

bool rotation_kept_add(struct rotation_kept *k, int parent_fd, const char *path, uint64_t bytes,
		       struct ts_notes *notes)
{
	if (!has_bounds(k))
		return true;
	if (!reserve(k)) {
		ts_notes_add(notes,
			     "%s will be neither removed nor combined with others: out of "
			     "memory",
			     path);
		return false;
	}
	take_in(k, path, bytes);
	rotation_kept_make_room(k, parent_fd, 0, notes);
	return true;
}

void rotation_kept_make_room(struct rotation_kept *k, int parent_fd, uint64_t more_bytes,
			     struct ts_notes *notes)
{
	struct ts_error err;

	for (size_t nr = rotation_kept_surplus(k, more_bytes, ts_clock_now_ns()); nr > 0; nr--) {
		if (ts_output_place_remove(parent_fd, k->items[0].name, k->items[0].path, &err) < 0)
			ts_notes_add(notes, "%s", err.text);
		drop_oldest(k);
	}
}

void rotation_kept_release(struct rotation_kept *k)
{
	while (k->nr)
		drop_oldest(k);
	free(k->items);
	free(k->spare);
	k->items = NULL;
	k->spare = NULL;
	k->cap = 0;
}
