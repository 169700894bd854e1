// SPDX-License-Identifier: Apache-2.0
#include "streamer/control/cmd_ctl.h"

#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/log.h"
#include "streamer/control/control_socket.h"

#define WORDS_MAX 3 /* OUT, the command, its argument */

struct ctl_options {
	const char *words[WORDS_MAX];
	unsigned int nr;
};

static const struct argp_option option_table[] = {
	{NULL, 'h', NULL, 0, "give this help list", -1},
	{0},
};

static error_t check_words(const struct ctl_options *o, struct argp_state *state)
{
	char argument[CONTROL_LINE_BYTES];

	if (o->nr < 2)
		argp_error(state, "cannot tell a recorder nothing: name what its -o named, and a "
				  "command, as in cap status");
	else if (control_parse(o->words[1], argument) == CONTROL_UNKNOWN || *argument)
		argp_error(state,
			   "cannot tell a recorder '%s': status, ping, enable, disable, evlist, "
			   "snapshot, rotate and stop are there",
			   o->words[1]);
	return 0;
}

static error_t take_option(int key, char *arg, struct argp_state *state)
{
	struct ctl_options *o = state->input;

	switch (key) {
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return 0;
	case ARGP_KEY_ARG:
		if (o->nr == WORDS_MAX)
			argp_error(state, "cannot tell a recorder '%s', too: one command at a time",
				   arg);
		else
			o->words[o->nr++] = arg;
		return 0;
	case ARGP_KEY_END:
		return check_words(o, state);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* OUT.ctl, or the socket itself. */
static int connect_to(const char *output, struct ts_error *err)
{
	struct stat st;
	char *path;
	int fd;

	if (stat(output, &st) == 0 && S_ISSOCK(st.st_mode))
		return control_socket_connect(output, err);
	path = control_socket_path(output);
	fd = path ? control_socket_connect(path, err)
		  : ts_error_sys(err, ENOMEM, "cannot ask %s", output);
	free(path);
	return fd;
}

static int ask(int fd, const struct ctl_options *o, char *answer, size_t bytes,
	       struct ts_error *err)
{
	const char *argument = o->nr > 2 ? o->words[2] : "";
	char line[CONTROL_LINE_BYTES];
	ssize_t len;

	len = snprintf(line, sizeof(line), "%s%s%s", o->words[1], *argument ? " " : "", argument);
	if (len >= (ssize_t)sizeof(line))
		return ts_error_set(err, EINVAL,
				    "cannot tell a recorder '%.40s...': it is too long", argument);
	/* a recorder that refuses us has answered already */
	if (send(fd, line, (size_t)len, MSG_NOSIGNAL) < 0 && errno != EPIPE)
		return ts_error_sys(err, errno, "cannot ask %s", o->words[0]);
	do
		len = recv(fd, answer, bytes - 1, 0);
	while (len < 0 && errno == EINTR);
	if (len <= 0)
		return ts_error_set(err, ECONNRESET, "the recorder of %s ended before it answered",
				    o->words[0]);
	answer[len] = '\0';
	return 0;
}

static int tell(const struct ctl_options *o)
{
	char answer[CONTROL_ANSWER_BYTES + 1];
	struct ts_error err = {0};
	int fd = connect_to(o->words[0], &err), code;

	code = fd < 0 ? fd : ask(fd, o, answer, sizeof(answer), &err);
	if (fd >= 0)
		close(fd);
	if (code < 0) {
		ts_log_error(&err);
		return 1;
	}
	fputs(answer + 1, answer[0] == '+' ? stdout : stderr);
	return answer[0] == '+' && fflush(stdout) == 0 ? 0 : 1;
}

int cmd_ctl(int argc, char **argv)
{
	const struct argp argp = {
		.options = option_table,
		.parser = take_option,
		.args_doc = "OUT COMMAND [ARGUMENT]",
		.doc = "Tells the recorder of OUT what to do.\v"
		       "  status              what it does, as JSON\n"
		       "  ping                is it there?\n"
		       "  enable [EVENT]      samples on; disable [EVENT]  off\n"
		       "  evlist [-v|-F]      its events\n"
		       "  snapshot [NAME]     save what it has; prints the path when that is "
		       "complete\n"
		       "  rotate              go on in another directory\n"
		       "  stop                end the recording",
	};
	struct ctl_options options = {0};

	argv[0] = (char *)"tstream ctl"; /* what its usage and argp's complaints begin with */
	argp_err_exit_status = 2;
	if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &options))
		return 2;
	return tell(&options);
}
