// SPDX-License-Identifier: Apache-2.0
#include "streamer/recording/memory_segments.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "streamer/control/cut_request.h"
#include "streamer/recording/recording.h"

Test(memory_segments, says_that_nothing_is_held_where_a_snapshot_has_no_segment)
{
	struct memory_segments h = {.is_on = true, .root = "/dev/shm/tstream.0.1"};
	struct rotation_kept segments = {0};
	struct ts_error err = {0};

	cr_assert_eq(memory_segments_save(&h, &segments, 0, "cap", "", &err), -EAGAIN);
	cr_expect_str_eq(err.text, "cannot write a snapshot of cap: no segment is held in "
				   "/dev/shm/tstream.0.1");
	cr_expect(strstr(err.hint, "ask again"), "%s", err.hint);
	cr_expect(h.has_failed, "it was asked for and not made");
}

Test(memory_segments, refuses_one_snapshot_too_many_before_the_cut)
{
	static struct recording r = {.rotation = {.is_on = true, .is_held = true}};
	struct record_options options = {.output = "cap"};
	struct record_plan plan = {.options = &options};
	const struct cut_cause cause = {.kind = CUT_BY_CONTROL};
	struct ts_error err = {0};

	r.plan = &plan;
	r.history.is_on = true;
	r.history.runner.waiting = MEMORY_SEGMENTS_SAVINGS_MAX;
	cr_expect_eq(cut_request_make(&r, &cause, &err), CUT_REQUEST_REFUSED);
	cr_expect_eq(err.code, EBUSY);
	cr_expect(strstr(err.text, "8 others are being written"), "%s", err.text);
	cr_expect_not(r.history.has_failed, "whoever asked was told");
}

/* Takes the words that a runner would get over this socket, each with its NUL. */
static size_t take_words(int fd, char *ret, size_t max)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	char byte;
	struct iovec part = {.iov_base = &byte, .iov_len = 1};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	int words_fd;
	ssize_t len;

	cr_assert_eq(recvmsg(fd, &message, MSG_CMSG_CLOEXEC), 1);
	memcpy(&words_fd, CMSG_DATA(&control.header), sizeof(words_fd));
	len = pread(words_fd, ret, max, 0);
	close(words_fd);
	cr_assert_gt(len, 0);
	return (size_t)len;
}

/* The path of the first segment that a snapshot of `since_ns` takes. */
static const char *first_saved(uint64_t since_ns)
{
	static char words[1024];
	struct kept_item items[] = {{.path = "/hold/held.1", .end_ns = 10},
				    {.path = "/hold/held.2", .end_ns = 20},
				    {.path = "/hold/held.3", .end_ns = 30}};
	struct rotation_kept segments = {.items = items, .nr = 3};
	struct memory_segments h = {.is_on = true, .root = "/hold"};
	struct ts_error err = {0};
	const char *first;
	size_t len;
	int fds[2];

	cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	h.runner.fd = fds[0];
	cr_expect_eq(memory_segments_save(&h, &segments, since_ns, "cap", "", &err), 0, "%s",
		     err.text);
	len = take_words(fds[1], words, sizeof(words));
	first = memmem(words, len, "/hold/", strlen("/hold/"));
	cr_assert_not_null(first);
	cr_expect_str_eq(words + len - sizeof("/hold/held.3"), "/hold/held.3");
	free(h.savings[0].path);
	close(fds[0]);
	close(fds[1]);
	return first;
}

Test(memory_segments, saves_from_the_first_segment_of_that_time)
{
	cr_expect_str_eq(first_saved(0), "/hold/held.1");
	cr_expect_str_eq(first_saved(15), "/hold/held.2");
}

Test(memory_segments, saves_the_newest_where_the_wall_clock_was_set)
{
	cr_expect_str_eq(first_saved(31), "/hold/held.3");
}

/* So many words are more than execve(2) takes with any limit of the stack. */
#define MANY	   8000
#define PATH_BYTES 1000

static void hold_too_much(struct memory_segments *h, struct rotation_kept *segments)
{
	static const struct record_options options = {.memory = {.is_on = true, .bytes = 8u << 20}};
	static const struct caller_state caller = {.blocked = false};
	static struct kept_item items[MANY];
	static char path[PATH_BYTES];
	struct ts_error err;
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL); /* as the recorder does for its runners */
	memset(path, 'x', sizeof(path) - 1);
	for (size_t i = 0; i < MANY; i++)
		items[i].path = path;
	*segments = (struct rotation_kept){.items = items, .nr = MANY};
	cr_assert_eq(memory_segments_start(h, &options, -1, &caller, &err), 0, "%s", err.text);
	h->root = strdup("/hold");
	h->path = strdup("/hold/held");
}

Test(memory_segments, names_the_remedy_where_a_snapshot_has_too_many_segments)
{
	static struct memory_segments h;
	struct on_snapshot hook = {.is_on = false};
	struct rotation_kept segments;
	struct ts_notes notes = {0};
	struct ts_error err;
	struct pollfd ended;

	hold_too_much(&h, &segments);
	cr_assert_eq(memory_segments_save(&h, &segments, 0, "cap", "", &err), 0, "%s", err.text);
	ended = (struct pollfd){.fd = h.runner.fd, .events = POLLIN};
	cr_assert_eq(poll(&ended, 1, -1), 1);
	memory_segments_collect(&h, &segments, &hook, &notes);
	cr_assert_eq(notes.nr, 1);
	cr_expect(strstr(notes.items[0], "more segments are held than one merge takes"), "%s",
		  notes.items[0]);
	cr_expect(strstr(notes.items[0], "--before"), "%s", notes.items[0]);
	cr_expect(h.has_failed);
	ts_notes_release(&notes);
	memory_segments_close(&h);
}

Test(memory_segments, names_the_remedy_where_too_many_segments_are_held_at_the_end)
{
	static const struct record_options options = {.output = "cap"};
	static struct memory_segments h;
	struct on_snapshot hook = {.is_on = false};
	struct rotation_kept segments;
	struct ts_notes notes = {0};
	struct ts_error err;

	hold_too_much(&h, &segments);
	cr_expect_eq(memory_segments_finish(&h, &segments, &options, false, &hook, &notes, &err),
		     -EIO);
	cr_expect_str_eq(err.hint,
			 "they are more than the merge of a recorder takes: tstream rescue -o OUT "
			 "/hold; next time make fewer snapshots (of triggers, see "
			 "--min-interval), or hold less with -M");
	memory_segments_close(&h);
}
