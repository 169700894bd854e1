// SPDX-License-Identifier: Apache-2.0
#include "streamer/control/control_socket.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/scratch.h"

static struct scratch scratch;
static struct control_socket s;
static char line[CONTROL_LINE_BYTES];

static void set_up(void)
{
	struct ts_error err;
	char path[64];

	scratch_make(&scratch);
	snprintf(path, sizeof(path), "%s/cap.ctl", scratch.path);
	cr_assert_eq(control_socket_open(&s, path, &err), 0, "%s", err.text);
}

static void tear_down(void)
{
	control_socket_close(&s);
	scratch_remove(&scratch);
}

TestSuite(control_socket, .init = set_up, .fini = tear_down);

/* Sends a message of that length and lets the recorder read it. Returns the peer's descriptor. */
static int send_message(const char *command, size_t len, int *ret_peer)
{
	struct ts_error err;
	char message[4096];
	int fd = control_socket_connect(s.path, TS_NS_PER_SEC, &err);

	cr_assert_geq(fd, 0, "%s", err.text);
	memset(message, 'x', sizeof(message));
	memcpy(message, command, strlen(command));
	cr_assert_eq(send(fd, message, len, 0), (ssize_t)len);
	cr_assert_eq(control_socket_next(&s, line), -1, "the peer connects");
	*ret_peer = control_socket_next(&s, line);
	return fd;
}

Test(control_socket, reads_the_longest_command)
{
	int peer, fd = send_message("snapshot ", CONTROL_LINE_BYTES - 1, &peer);

	cr_expect_geq(peer, 0);
	cr_expect_eq(strlen(line), CONTROL_LINE_BYTES - 1);
	close(fd);
}

Test(control_socket, refuses_a_longer_one)
{
	char answer[CONTROL_LINE_BYTES] = "";
	int peer, fd = send_message("snapshot ", CONTROL_LINE_BYTES, &peer);

	cr_expect_eq(peer, -1);
	cr_expect_gt(recv(fd, answer, sizeof(answer) - 1, MSG_DONTWAIT), 0);
	cr_expect_str_eq(answer, "-cannot take that command: it is too long\n");
	close(fd);
}
