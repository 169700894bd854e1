// SPDX-License-Identifier: Apache-2.0
/*
 * A cut, as all writers make it at the same time. writer_cut.c has the part of one writer,
 * rotation.h the reason.
 */
#include <errno.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/wakeup.h"
#include "streamer/machine/cpu_visit.h"
#include "streamer/recording/crew.h"

int crew_open_cuts(struct crew *c, struct size_limit *switch_at, struct ts_error *err)
{
	c->switch_at = switch_at;
	c->cut_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return c->cut_fd < 0 ? ts_error_sys(err, errno, "cannot record") : 0;
}

void crew_close_cuts(struct crew *c)
{
	if (c->cut_fd > 0)
		close(c->cut_fd);
	c->cut_fd = -1;
}

int crew_make_next(struct crew *c, struct ts_dir *dir, struct ts_error *err)
{
	enum ts_stream_io io = c->plan->options->io_buffered ? TS_STREAM_BUFFERED : TS_STREAM_AUTO;
	int code = 0;

	for (size_t i = 0; i < c->plan->layout.nr && !code; i++) {
		struct crew_stream *s = &c->streams[i];

		code = ts_dir_create_stream(dir, (unsigned int)i, io, &s->next, err);
		if (!code && (s->next.direct != s->file.direct || s->next.align != s->file.align))
			code = ts_error_set(err, EXDEV,
					    "cannot go on in %s: it is on another filesystem now",
					    dir->path);
	}
	return code;
}

void crew_drop_next(struct crew *c)
{
	for (size_t i = 0; i < c->plan->layout.nr; i++)
		ts_stream_file_close(&c->streams[i].next);
}

void crew_hold(struct crew *c)
{
	for (size_t i = 0; i < c->plan->layout.nr; i++)
		writer_hold(c->streams[i].writer);
}

void crew_cut(struct crew *c, uint64_t time_ns, uint32_t cut, bool dumps)
{
	for (size_t i = 0; i < c->plan->layout.nr; i++)
		writer_cut(c->streams[i].writer, time_ns, cut, dumps, &c->streams[i].next);
}

void crew_unhold(struct crew *c)
{
	for (size_t i = 0; i < c->plan->layout.nr; i++)
		writer_unhold(c->streams[i].writer);
}

/*
 * A record gets its time before it is in its ring, and the kernel is not interrupted between the
 * two. So once each CPU has run something else, no record from before the cut is under way. The
 * barrier waits for that. Where the kernel has no barrier (nohz_full), we go to each CPU.
 */
void crew_wait_for_cpus(const struct crew *c)
{
	struct cpu_visit visit;

	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) == 0)
		return;
	cpu_visit_begin(&visit);
	for (size_t i = 0; i < c->plan->source.nr_rings; i++)
		if (!c->plan->source.rings[i].is_absent)
			cpu_visit_go(&visit, c->plan->source.rings[i].cpu);
	cpu_visit_end(&visit);
}

static bool all_are_over(const struct crew *c)
{
	for (size_t i = 0; i < c->plan->layout.nr; i++)
		if (!writer_cut_is_over(c->streams[i].writer))
			return false;
	return true;
}

/* Writers may need buffers meanwhile. A writer that failed may never report the end of its cut. */
int crew_wait(struct crew *c, struct ts_error *err)
{
	struct pollfd fds[] = {
		{.fd = c->cut_fd, .events = POLLIN},
		{.fd = c->supply.fd, .events = POLLIN},
		{.fd = c->failure.fd, .events = POLLIN},
	};

	for (size_t i = 0; i < c->plan->layout.nr; i++)
		writer_settle_cut(c->streams[i].writer);
	while (!all_are_over(c)) {
		if (poll(fds, 3, -1) < 0 && errno != EINTR)
			return ts_error_sys(err, errno, "cannot wait for writers");
		if (fds[2].revents)
			return -EIO; /* the writer has the sentence */
		if (fds[1].revents)
			buffer_supply_serve(&c->supply);
		ts_wakeup_take(c->cut_fd);
	}
	return 0;
}

/* Streams reach the disk before their directory has its name. */
int crew_sync(struct crew *c, struct ts_error *err)
{
	for (size_t i = 0; i < c->plan->layout.nr; i++) {
		if (fdatasync(c->streams[i].file.fd))
			return ts_error_sys(err, errno, "cannot sync %s to the disk",
					    c->streams[i].path);
		buffer_supply_serve(&c->supply);
	}
	return 0;
}

uint64_t crew_next_bytes(const struct crew *c)
{
	uint64_t bytes = 0;
	struct stat st;

	for (size_t i = 0; i < c->plan->layout.nr; i++)
		if (fstat(c->streams[i].next.fd, &st) == 0)
			bytes += (uint64_t)st.st_size;
	return bytes;
}

void crew_begin_next(struct crew *c)
{
	for (size_t i = 0; i < c->plan->layout.nr; i++) {
		ts_stream_file_close(&c->streams[i].file);
		c->streams[i].file = c->streams[i].next;
		c->streams[i].next.fd = -1;
		writer_begin_next(c->streams[i].writer);
	}
}
