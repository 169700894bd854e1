// SPDX-License-Identifier: Apache-2.0
/*
 *	23 8 68 "tracing" "0.6" | endianness, size of long, page size
 *	"header_page"  u64 length, text		how a page of ftrace's own buffers is laid out
 *	"header_event" u64 length, text
 *	u32 count, each u64 length, format	formats of system "ftrace"
 *	u32 systems, each "name", u32 count, each u64 length, format
 *	u32 kallsyms (none)
 *	u32 length, printk_formats
 *	u64 length, saved_cmdlines
 */
#include "streamer/directory/tracing_data.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/text_file.h"
#include "streamer/events/event_tracepoint.h"

#define FTRACE	      "ftrace" /* its formats have a place of their own */
#define TRACEFS_BYTES 768      /* leaves room for a file of it in a path of read_file() */

struct collector {
	struct ts_bytes *out;
	const char *tracefs;
	struct ts_bytes text; /* scratch */
	struct ts_error *err;
};

static int read_file(struct collector *c, const char *file)
{
	char path[1024];
	int failed;

	snprintf(path, sizeof(path), "%s/%s", c->tracefs, file);
	failed = ts_text_file_read_all(&c->text, AT_FDCWD, path);
	if (!failed)
		return 0;
	ts_error_sys(c->err, -failed, "cannot read %s", path);
	if (failed == -EACCES)
		ts_error_hint(c->err, "run as root, or give read access to the files in %s",
			      c->tracefs);
	return failed;
}

/* u64 length and the whole text of a file. */
static int put_file(struct collector *c, const char *file)
{
	int failed = read_file(c, file);

	if (failed)
		return failed;
	ts_bytes_u64(c->out, c->text.len);
	ts_bytes_put(c->out, c->text.data, c->text.len);
	return 0;
}

static void put_word(struct ts_bytes *out, const char *word)
{
	ts_bytes_put(out, word, strlen(word) + 1);
}

static void put_start(struct ts_bytes *out)
{
	static const uint8_t magic[] = {23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g'};
	const uint8_t sizes[] = {__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, sizeof(long)};

	ts_bytes_put(out, magic, sizeof(magic));
	put_word(out, "0.6");
	ts_bytes_put(out, sizes, sizeof(sizes));
	ts_bytes_u32(out, (uint32_t)sysconf(_SC_PAGESIZE));
}

static int put_headers(struct collector *c)
{
	int failed;

	put_word(c->out, "header_page");
	failed = put_file(c, "events/header_page");
	if (failed)
		return failed;
	put_word(c->out, "header_event");
	return put_file(c, "events/header_event");
}

/* The tracepoints of a list, sorted by system and name, each once. */
struct tracepoints {
	const struct event **items;
	size_t nr;
};

static int by_name(const void *a, const void *b)
{
	const struct event *x = *(const struct event *const *)a;
	const struct event *y = *(const struct event *const *)b;
	int order = strcmp(x->system, y->system);

	return order ? order : strcmp(x->tracepoint, y->tracepoint);
}

static int sort_tracepoints(struct tracepoints *ret, const struct event_list *events)
{
	size_t nr = 0;

	ret->items = calloc(events->nr + 1, sizeof(*ret->items));
	if (!ret->items)
		return -ENOMEM;
	for (size_t i = 0; i < events->nr; i++)
		if (events->items[i].tracepoint)
			ret->items[nr++] = &events->items[i];
	qsort(ret->items, nr, sizeof(*ret->items), by_name);
	ret->nr = 0;
	for (size_t i = 0; i < nr; i++)
		if (!i || by_name(&ret->items[i - 1], &ret->items[i]))
			ret->items[ret->nr++] = ret->items[i];
	return 0;
}

/* How many items, from `from` on, have the system of that item. */
static size_t count_of_system(const struct tracepoints *t, size_t from)
{
	size_t nr = 1;

	while (from + nr < t->nr && !strcmp(t->items[from + nr]->system, t->items[from]->system))
		nr++;
	return nr;
}

static bool is_ftrace(const struct tracepoints *t, size_t i)
{
	return !strcmp(t->items[i]->system, FTRACE);
}

/* u32 count, then the formats of the tracepoints of one system. */
static int put_formats(struct collector *c, const struct tracepoints *t, size_t from, size_t nr)
{
	char file[512];
	int failed = 0;

	ts_bytes_u32(c->out, (uint32_t)nr);
	for (size_t i = from; i < from + nr && !failed; i++) {
		snprintf(file, sizeof(file), "events/%s/%s/format", t->items[i]->system,
			 t->items[i]->tracepoint);
		failed = put_file(c, file);
	}
	return failed;
}

static int put_ftrace(struct collector *c, const struct tracepoints *t)
{
	for (size_t i = 0; i < t->nr; i += count_of_system(t, i))
		if (is_ftrace(t, i))
			return put_formats(c, t, i, count_of_system(t, i));
	ts_bytes_u32(c->out, 0);
	return 0;
}

static int put_systems(struct collector *c, const struct tracepoints *t)
{
	uint32_t nr = 0;
	int failed = 0;

	for (size_t i = 0; i < t->nr; i += count_of_system(t, i))
		nr += is_ftrace(t, i) ? 0 : 1;
	ts_bytes_u32(c->out, nr);
	for (size_t i = 0; i < t->nr && !failed; i += count_of_system(t, i)) {
		if (is_ftrace(t, i))
			continue;
		put_word(c->out, t->items[i]->system);
		failed = put_formats(c, t, i, count_of_system(t, i));
	}
	return failed;
}

/*
 * Files that make printk addresses and pids readable. A capture does without those that we may not
 * read.
 */
static void put_aids(struct collector *c)
{
	struct ts_error unimportant, *err = c->err;

	c->err = &unimportant;
	ts_bytes_u32(c->out, 0); /* kallsyms, which the kernel map replaces */
	if (read_file(c, "printk_formats"))
		ts_bytes_clear(&c->text);
	ts_bytes_u32(c->out, (uint32_t)c->text.len);
	ts_bytes_put(c->out, c->text.data, c->text.len);
	if (put_file(c, "saved_cmdlines"))
		ts_bytes_u64(c->out, 0);
	c->err = err;
}

int tracing_data_collect(struct ts_bytes *out, const char *tracefs, const struct event_list *events,
			 struct ts_error *err)
{
	struct collector c = {.out = out, .tracefs = tracefs, .err = err};
	struct tracepoints t = {0};
	char found[TRACEFS_BYTES];
	int failed = 0;

	if (!tracefs) {
		failed = event_tracefs_find(found, sizeof(found), err);
		c.tracefs = found;
	}
	if (!failed)
		failed = sort_tracepoints(&t, events);
	if (!failed) {
		put_start(out);
		failed = put_headers(&c);
	}
	if (!failed)
		failed = put_ftrace(&c, &t);
	if (!failed)
		failed = put_systems(&c, &t);
	if (!failed)
		put_aids(&c);
	free(t.items);
	if (failed == -ENOMEM || ts_bytes_failed(out) || ts_bytes_failed(&c.text))
		failed = ts_error_set(err, ENOMEM, "cannot describe tracepoints: out of memory");
	ts_bytes_release(&c.text);
	return failed;
}
