// SPDX-License-Identifier: Apache-2.0
#include "reader/report/report_output.h"

#include <errno.h>
#include <unistd.h>

#include "common/base/file_io.h"

void report_output_watch(struct report_output *o)
{
	report_output_unwatch(o);
	if (!o->pager.pid)
		interrupt_thread_start(&o->interrupt, o->progress, o->draws);
}

void report_output_unwatch(struct report_output *o)
{
	interrupt_thread_end(&o->interrupt);
}

int report_output_check(const struct progress *p, const char *path, struct ts_error *err)
{
	if (!progress_is_stopped(p))
		return 0;
	return ts_error_set(err, EINTR, "cannot report %s: interrupted before it was read", path);
}

int report_output_write(void *output, const struct ts_bytes *text)
{
	const struct report_output *o = output;

	if (ts_bytes_failed(text))
		return -ENOMEM;
	return ts_file_write_all(o->pager.fd, text->data, text->len);
}

int report_output_flush(struct report_output *o, struct ts_error *err)
{
	int rc;

	if (!o->goes_on || isatty(STDOUT_FILENO))
		interrupt_thread_end(&o->interrupt);
	if (!o->has_begun)
		pager_start(&o->pager);
	o->has_begun = true;
	rc = report_output_write(o, &o->text);
	ts_bytes_clear(&o->text);
	if (rc && rc != -EPIPE)
		return ts_error_sys(err, -rc, "cannot write the report");
	return rc;
}

int report_output_fd(const struct report_output *o)
{
	return o->pager.fd;
}

void report_output_end(struct report_output *o)
{
	pager_end(&o->pager);
}

void report_output_release(struct report_output *o)
{
	ts_bytes_release(&o->text);
}
