/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands from outside through a Unix socket, OUT.ctl: what `tstream ctl` speaks.
 *
 * SOCK_SEQPACKET: a message is a command, as --control has them, at most CONTROL_LINE_BYTES - 1; then one
 * message comes back and the connection ends: '+' and what there is to say, or '-' and why not. Only
 * processes of the recorder's owner and of root are listened to (SO_PEERCRED), and the socket has mode
 * 0600. Nobody is waited for: who does not read is not answered.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_CONTROL_CONTROL_SOCKET_H
#define TS_STREAMER_CONTROL_CONTROL_SOCKET_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/base/error.h"
#include "streamer/control/control_serve.h"
#include "streamer/watch/control.h"

#define CONTROL_PEERS	     16		/* at once; one more, and who only waits goes */
#define CONTROL_ANSWER_BYTES (64 << 10) /* longer answers are cut off */

struct control_peer {
	int fd;	       /* -1: none */
	char *awaited; /* owned; the path that it is to be told of; NULL */
};

struct control_socket {
	int epoll_fd; /* readable: somebody comes or says something; -1: there is no socket */
	int listen_fd;
	char *path; /* owned */
	dev_t dev;  /* of path, which is removed at the end if it is still ours */
	ino_t ino;
	struct control_peer peers[CONTROL_PEERS];
};

/* OUT.ctl; owned by the caller, NULL: out of memory. */
char *control_socket_path(const char *output);
/* The address of a socket, also where its path is too long for one; *ret_dir_fd is to be closed then. */
int control_socket_connect(const char *path, struct ts_error *err);

/* Replaces what a killed recorder left. -EADDRINUSE: somebody listens there. */
int control_socket_open(struct control_socket *s, const char *path, struct ts_error *err);
/* The next command, into `line` (CONTROL_LINE_BYTES), and who asks; -1: there is none. */
int control_socket_next(struct control_socket *s, char *line);
void control_socket_answer(struct control_socket *s, int peer, const struct control_answer *answer);
/* For who waits for that path. */
void control_socket_tell(struct control_socket *s, const char *path, bool is_complete);
void control_socket_close(struct control_socket *s); /* accepts { .epoll_fd = -1 }; idempotent */

#endif
