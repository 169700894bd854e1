// SPDX-License-Identifier: Apache-2.0
#include "streamer/control/cmd_ctl.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/escape_text.h"
#include "common/base/log.h"
#include "common/options/print_command.h"
#include "streamer/control/control_socket.h"

#define WORDS_MAX 3 /* OUT, the command, its argument */

#define TIMEOUT_NS	    (30 * TS_NS_PER_SEC)
#define SNAPSHOT_TIMEOUT_NS (15 * 60 * TS_NS_PER_SEC)

struct ctl_options {
	const char *words[WORDS_MAX];
	unsigned int nr;
	uint64_t timeout_ns; /* 0: the command's own */
	enum { EVLIST_NAMES, EVLIST_VERBOSE, EVLIST_FREQ } evlist;
};

static int take_word(void *options, char **rest, struct ts_error *err)
{
	struct ctl_options *o = options;

	if (o->nr == WORDS_MAX)
		return ts_error_set(
			err, EINVAL,
			"cannot send '%s', too: tstream ctl sends one command at a time", *rest);
	o->words[o->nr++] = *rest;
	return 0;
}

static int settle_options(void *options, struct ts_error *err)
{
	struct ctl_options *o = options;
	char argument[CONTROL_LINE_BYTES];

	if (o->nr < 2)
		return ts_error_set(err, EINVAL,
				    "cannot send a command: give the recorder's output (its -o) "
				    "and a command, as in cap status");
	if (control_verb_parse(o->words[1], argument) == CONTROL_UNKNOWN || *argument)
		return ts_error_set(err, EINVAL,
				    "cannot send '%s': the commands are status, ping, enable, "
				    "disable, evlist, snapshot, rotate and stop",
				    o->words[1]);
	if (o->evlist && strcmp(o->words[1], "evlist"))
		return ts_error_set(err, EINVAL, "cannot use -v or -F: only evlist has them");
	if (o->evlist && o->nr > 2)
		return ts_error_set(err, EINVAL, "cannot send '%s', too: evlist takes -v or -F",
				    o->words[2]);
	if (o->evlist)
		o->words[o->nr++] = o->evlist == EVLIST_VERBOSE ? "-v" : "-F";
	return 0;
}

#define EVLIST_ROW(is) .at = offsetof(struct ctl_options, evlist), .sets = is

static const struct ts_option option_rows[] = {
	{TS_OPTION_CHOICE, "verbose", 'v', NULL, "evlist: also the attributes of the events",
	 EVLIST_ROW(EVLIST_VERBOSE)},
	{TS_OPTION_CHOICE, "freq", 'F', NULL, "evlist: also their frequencies or periods",
	 EVLIST_ROW(EVLIST_FREQ)},
	{TS_OPTION_TIME, "timeout", 0, "TIME", "how long to wait for the answer",
	 .at = offsetof(struct ctl_options, timeout_ns), .least = TS_NS_PER_MS, .most = UINT64_MAX,
	 .why = "it must be a time with its unit, of at least 1ms, such as 10s"},
	{0},
};

const struct ts_command cmd_ctl_line = {
	.name = "ctl",
	.summary = "control a recorder: status, snapshot, rotate, stop",
	.words = "OUT COMMAND [ARGUMENT]",
	.purpose = "Sends COMMAND to the recorder of OUT.",
	.rows = option_rows,
	.more = "  status              its state, as JSON\n"
		"  ping                does it answer?\n"
		"  enable [EVENT]      start sampling; disable [EVENT]  stop it\n"
		"  evlist              its events\n"
		"  snapshot [NAME]     save its records; prints the path when it is complete\n"
		"  rotate              continue in another directory\n"
		"  stop                end the recording",
	.take_word = take_word,
	.settle = settle_options,
};

/* Connects to OUT.ctl; the hint tells which recorders make it. */
static int connect_beside(const char *output, uint64_t timeout_ns, struct ts_error *err)
{
	char *path = control_socket_path(output);
	int fd;

	if (!path)
		return ts_error_sys(err, ENOMEM, "cannot send a command to %s", output);
	fd = control_socket_connect(path, timeout_ns, err);
	free(path);
	if (fd != -ENOENT)
		return fd;
	return ts_error_hint(err,
			     "record -o %s makes this socket with --switch-output, --overwrite, -M "
			     "or --daemon; to reach a recorder with --socket PATH, give PATH",
			     output);
}

/* Connects to OUT.ctl, or to the socket itself. */
static int connect_to(const char *output, uint64_t timeout_ns, struct ts_error *err)
{
	struct stat st;

	return stat(output, &st) == 0 && S_ISSOCK(st.st_mode)
		       ? control_socket_connect(output, timeout_ns, err)
		       : connect_beside(output, timeout_ns, err);
}

/* With -M a snapshot is answered when it is written. */
static uint64_t timeout_of(const struct ctl_options *o)
{
	if (o->timeout_ns)
		return o->timeout_ns;
	return !strcmp(o->words[1], "snapshot") || !strcmp(o->words[1], "rotate")
		       ? SNAPSHOT_TIMEOUT_NS
		       : TIMEOUT_NS;
}

static int refuse_silence(const struct ctl_options *o, struct ts_error *err)
{
	ts_error_set(err, ETIMEDOUT, "the recorder of %s has not answered for %g s", o->words[0],
		     (double)timeout_of(o) / TS_NS_PER_SEC);
	return ts_error_hint(err, "it may still obey; --timeout has tstream ctl wait longer");
}

/* Reads up to the end of the connection. 0, or -errno; *ret_answer is the caller's in both cases. */
static int read_answer(int fd, char **ret_answer, size_t *ret_len)
{
	FILE *answer = open_memstream(ret_answer, ret_len);
	char message[CONTROL_MESSAGE_BYTES];
	size_t len = 0;
	ssize_t got = 0;
	int code;

	if (!answer)
		return -ENOMEM;
	do {
		got = recv(fd, message, sizeof(message), 0);
		code = got < 0 ? errno : 0;
		len += got > 0 ? fwrite(message, 1, (size_t)got, answer) : 0;
	} while ((got > 0 && len <= CONTROL_ANSWER_BYTES) || code == EINTR);
	if (fclose(answer) && !code)
		code = ENOMEM;
	return -(len > CONTROL_ANSWER_BYTES ? EMSGSIZE : code);
}

static int ask_recorder(int fd, const struct ctl_options *o, char **ret_answer,
			struct ts_error *err)
{
	const char *argument = o->nr > 2 ? o->words[2] : "";
	char line[CONTROL_LINE_BYTES];
	size_t answered;
	ssize_t len;
	int rc;

	len = snprintf(line, sizeof(line), "%s%s%s", o->words[1], *argument ? " " : "", argument);
	if (len >= (ssize_t)sizeof(line))
		return ts_error_set(err, EINVAL, "cannot send '%.40s...': it is too long",
				    argument);
	/* a recorder that refuses us has answered already */
	if (send(fd, line, (size_t)len, MSG_NOSIGNAL) < 0 && errno != EPIPE)
		return errno == EAGAIN ? refuse_silence(o, err)
				       : ts_error_sys(err, errno, "cannot send a command to %s",
						      o->words[0]);
	rc = read_answer(fd, ret_answer, &answered);
	if (rc == -EAGAIN)
		return refuse_silence(o, err);
	if (rc == -ECONNRESET || (!rc && !answered))
		return ts_error_set(err, ECONNRESET, "the recorder of %s ended before it answered",
				    o->words[0]);
	if (rc)
		return ts_error_sys(err, -rc, "cannot read the answer of %s", o->words[0]);
	ts_escape_text(*ret_answer, answered, "\n");
	return 0;
}

static int tell_recorder(const struct ctl_options *o)
{
	char *answer = NULL;
	struct ts_error err = {0};
	int fd = connect_to(o->words[0], timeout_of(o), &err), code;
	bool is_good;

	code = fd < 0 ? fd : ask_recorder(fd, o, &answer, &err);
	if (fd >= 0)
		close(fd);
	if (code < 0) {
		free(answer);
		ts_log_error(&err);
		return 1;
	}
	is_good = answer[0] == '+';
	fputs(answer + 1, is_good ? stdout : stderr);
	free(answer);
	return is_good && fflush(stdout) == 0 ? 0 : 1;
}

int cmd_ctl(int argc, char **argv)
{
	struct ctl_options options = {0};
	int status = ts_print_command(&cmd_ctl_line, &options, argc, argv);

	return status == TS_COMMAND_GOES_ON ? tell_recorder(&options) : status;
}
