// SPDX-License-Identifier: Apache-2.0
/*
 * Sets filters, once all events are open. The kernel takes one filter for an event, once, and only
 * for tracepoints. ftrace:function is a tracepoint whose filter knows neither common_pid nor COMM.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/base/bytes.h"
#include "streamer/rings/source_parts.h"

#define NAMED_MAX 4 /* events in the note */

struct filtering {
	struct source *source;
	const char *self; /* NULL: nothing but --filter */
	bool *is_left_in; /* by event: the kernel does not take `self` */
	struct ts_error *err;
};

/* 0 or -errno. */
static int set_filter(int fd, const char *text)
{
	return ioctl(fd, PERF_EVENT_IOC_SET_FILTER, text) ? -errno : 0;
}

static int explain_filter(const struct event *event, int code, struct ts_error *err)
{
	if (code != -EINVAL)
		return ts_error_sys(err, -code, "cannot filter %s by '%s'", event->name,
				    event->filter);
	ts_error_set(err, EINVAL, "cannot filter %s by '%s': the kernel refuses the expression",
		     event->name, event->filter);
	return ts_error_hint(err, "see its fields in tracefs: events/%s/%s/format", event->system,
			     event->tracepoint);
}

static int set_asked(const struct event *event, int fd, struct ts_error *err)
{
	int code = event->filter ? set_filter(fd, event->filter) : 0;

	return code < 0 ? explain_filter(event, code, err) : 0;
}

static int refuse_length(const struct event *event, size_t len, struct ts_error *err)
{
	ts_error_set(err, E2BIG,
		     "cannot leave the recorder out of %s: the filter has %zu bytes, the kernel "
		     "accepts %ld",
		     event->name, len, sysconf(_SC_PAGESIZE) - 1);
	return ts_error_hint(err, "use fewer writers (--threads=numa)");
}

static int put_both(const struct filtering *f, const struct event *event, struct ts_bytes *text)
{
	if (event->filter)
		ts_bytes_printf(text, "(%s) && ", event->filter);
	ts_bytes_printf(text, "%s", f->self);
	ts_bytes_put(text, "", 1);
	if (ts_bytes_failed(text))
		return ts_error_sys(f->err, ENOMEM, "cannot filter %s", event->name);
	if (text->len > (size_t)sysconf(_SC_PAGESIZE))
		return refuse_length(event, text->len - 1, f->err);
	return 0;
}

static int set_both(struct filtering *f, uint32_t nr, int fd)
{
	const struct event *event = &f->source->events->items[nr];
	struct ts_bytes text = {0};
	int code = put_both(f, event, &text);

	if (!code && set_filter(fd, (const char *)text.data) < 0) {
		f->is_left_in[nr] = true;
		code = set_asked(event, fd, f->err);
	}
	ts_bytes_release(&text);
	return code;
}

static int filter_one(struct filtering *f, const struct source_fd *fd)
{
	const struct event *event;

	/* Names and maps of the recorder stay in. */
	if (source_is_sideband(f->source, fd->event))
		return 0;
	event = &f->source->events->items[fd->event];
	if (!f->self)
		return set_asked(event, fd->fd, f->err);
	if (event->tracepoint)
		return set_both(f, fd->event, fd->fd);
	f->is_left_in[fd->event] = true;
	return 0;
}

static void note_left_in(const struct filtering *f, struct ts_notes *notes)
{
	struct ts_bytes names = {0};
	size_t nr = 0;

	for (size_t i = 0; i < f->source->events->nr; i++)
		if (f->is_left_in[i] && nr++ < NAMED_MAX)
			ts_bytes_printf(&names, "%s%s", nr == 1 ? "" : ", ", f->source->names[i]);
	if (nr > NAMED_MAX)
		ts_bytes_printf(&names, " and %zu more", nr - NAMED_MAX);
	ts_bytes_put(&names, "", 1);
	if (nr && !ts_bytes_failed(&names))
		ts_notes_add(
			notes,
			"the recorder is left out of tracepoints only; these events include it: %s",
			(const char *)names.data);
	ts_bytes_release(&names);
}

int source_set_filters(struct source *source, const char *self, struct ts_notes *notes,
		       struct ts_error *err)
{
	struct filtering f = {.source = source, .self = self, .err = err};
	int code = 0;

	f.is_left_in = calloc(source->nr_attrs, sizeof(f.is_left_in[0]));
	if (!f.is_left_in)
		return ts_error_sys(err, ENOMEM, "cannot filter events");
	for (; !code && source->nr_filtered < source->nr_fds; source->nr_filtered++)
		code = filter_one(&f, &source->fds[source->nr_filtered]);
	if (!code)
		note_left_in(&f, notes);
	free(f.is_left_in);
	return code;
}
