// SPDX-License-Identifier: Apache-2.0
/*
 * A cut as all writers make it at the same time. What one of them does is in writer_cut.c, why it is
 * done in rotation.h.
 */
#include <errno.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "streamer/machine/cpu_visit.h"
#include "streamer/recording/crew.h"

int crew_make_next(struct recording *r, struct ts_dir *dir, struct ts_error *err)
{
	enum ts_stream_io io = r->plan->options->io_buffered ? TS_STREAM_BUFFERED : TS_STREAM_AUTO;
	struct ts_stream_file *files = r->rotation.files;
	int code = 0;

	for (size_t i = 0; i < r->plan->layout.nr && !code; i++) {
		const struct ts_stream_file *now = &r->streams[i].file;

		code = ts_dir_create_stream(dir, (unsigned int)i, io, &files[i], err);
		if (!code && (files[i].direct != now->direct || files[i].align != now->align))
			code = ts_error_set(err, EXDEV,
					    "cannot go on in %s: it is on another filesystem now",
					    dir->path);
	}
	return code;
}

void crew_drop_next(struct recording *r)
{
	for (size_t i = 0; i < r->plan->layout.nr; i++)
		ts_stream_file_close(&r->rotation.files[i]);
}

void crew_hold(struct recording *r)
{
	for (size_t i = 0; i < r->plan->layout.nr; i++)
		writer_hold(r->streams[i].writer);
}

void crew_cut(struct recording *r, uint64_t time_ns, uint32_t cut, bool dumps)
{
	for (size_t i = 0; i < r->plan->layout.nr; i++)
		writer_cut(r->streams[i].writer, time_ns, cut, dumps, &r->rotation.files[i]);
}

void crew_unhold(struct recording *r)
{
	for (size_t i = 0; i < r->plan->layout.nr; i++)
		writer_unhold(r->streams[i].writer);
}

/*
 * A record has its time before it is in its ring, and the kernel is not interrupted between the two:
 * when each CPU has been elsewhere since, none from before the cut is under way. The barrier waits for
 * that; where the kernel has none (nohz_full), we go to each CPU.
 */
void crew_wait_for_cpus(const struct recording *r)
{
	struct cpu_visit visit;

	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) == 0)
		return;
	cpu_visit_begin(&visit);
	for (size_t i = 0; i < r->plan->source.nr_rings; i++)
		if (!r->plan->source.rings[i].is_absent)
			cpu_visit_go(&visit, r->plan->source.rings[i].cpu);
	cpu_visit_end(&visit);
}

static bool all_are_over(const struct recording *r)
{
	for (size_t i = 0; i < r->plan->layout.nr; i++)
		if (!writer_cut_is_over(r->streams[i].writer))
			return false;
	return true;
}

/* Writers may need buffers meanwhile; one that failed may never tell. */
int crew_wait(struct recording *r, struct ts_error *err)
{
	struct pollfd fds[] = {
		{.fd = r->rotation.cut_fd, .events = POLLIN},
		{.fd = r->supply.fd, .events = POLLIN},
		{.fd = r->failure.fd, .events = POLLIN},
	};
	uint64_t count;
	ssize_t n;

	for (size_t i = 0; i < r->plan->layout.nr; i++)
		writer_settle_cut(r->streams[i].writer);
	while (!all_are_over(r)) {
		if (poll(fds, 3, -1) < 0 && errno != EINTR)
			return ts_error_sys(err, errno, "cannot wait for writers");
		if (fds[2].revents)
			return -EIO; /* the writer has the sentence */
		if (fds[1].revents)
			supply_serve(&r->supply);
		n = read(r->rotation.cut_fd, &count, sizeof(count));
		(void)n;
	}
	return 0;
}

/* They reach the disk before their directory has its name. */
int crew_sync(struct recording *r, struct ts_error *err)
{
	for (size_t i = 0; i < r->plan->layout.nr; i++) {
		if (fdatasync(r->streams[i].file.fd))
			return ts_error_sys(err, errno, "cannot sync %s to the disk",
					    r->streams[i].path);
		supply_serve(&r->supply);
	}
	return 0;
}

uint64_t crew_next_bytes(const struct recording *r)
{
	uint64_t bytes = 0;
	struct stat st;

	for (size_t i = 0; i < r->plan->layout.nr; i++)
		if (fstat(r->rotation.files[i].fd, &st) == 0)
			bytes += (uint64_t)st.st_size;
	return bytes;
}

void crew_begin_next(struct recording *r)
{
	for (size_t i = 0; i < r->plan->layout.nr; i++) {
		ts_stream_file_close(&r->streams[i].file);
		r->streams[i].file = r->rotation.files[i];
		r->rotation.files[i].fd = -1;
		writer_begin_next(r->streams[i].writer);
	}
}
