/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands from outside through a Unix socket, OUT.ctl, for `tstream ctl`. The other way is --control
 * (streamer/watch/perf_control.h).
 *
 * The socket is SOCK_SEQPACKET: a message is a command in the words of control_verb.h, of at most
 * CONTROL_LINE_BYTES - 1 bytes; a longer one is refused. The recorder replies with '+' and the
 * answer, or with '-' and the reason of a refusal, in messages of at most CONTROL_MESSAGE_BYTES, and
 * ends the connection. Only processes of the recorder's owner and of root may command (SO_PEERCRED),
 * and the socket has mode 0600. The recorder never waits for a peer: the connection has room for the
 * whole answer, and an answer that is longer is refused. A peer, for its part, trusts only a
 * recorder of its own user or of root, and waits for it a limited time.
 *
 * Threads: main thread only.
 */
#ifndef TS_STREAMER_CONTROL_CONTROL_SOCKET_H
#define TS_STREAMER_CONTROL_CONTROL_SOCKET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/error.h"
#include "streamer/control/control_serve.h"

#define CONTROL_PEERS	      16 /* at once; one more replaces a peer that awaits nothing */
#define CONTROL_MESSAGE_BYTES (32 << 10)
#define CONTROL_ANSWER_BYTES  (16 << 20) /* longer ones are refused */

struct control_peer {
	int fd;	       /* -1: none */
	char *awaited; /* owned; the peer waits until that path is written; NULL */
};

struct control_socket {
	int epoll_fd; /* readable: a peer connects or sends; -1: there is no socket */
	int listen_fd;
	int dir_fd; /* the folder of path */
	char *path; /* owned */
	dev_t dev;  /* of path, which is removed at the end if it is still ours */
	ino_t ino;
	struct control_peer peers[CONTROL_PEERS];
};

/* OUT.ctl; owned by the caller; NULL: out of memory. */
char *control_socket_path(const char *output);
/*
 * Connects to the socket at `path`, however long. Nothing waits longer than timeout_ns there, nor
 * later on the connection (EAGAIN). Returns the caller's descriptor, or -errno. -EPERM: neither
 * this user nor root listens there. -ENOENT: there is no socket.
 */
int control_socket_connect(const char *path, uint64_t timeout_ns, struct ts_error *err);

/*
 * Makes the socket in place of one that a killed recorder of this user left. -EADDRINUSE: another
 * recorder listens there. -EEXIST: another file, or another user's, stands there.
 */
int control_socket_open(struct control_socket *s, const char *path, struct ts_error *err);
/*
 * Reads the next command into `line` (CONTROL_LINE_BYTES). Returns the number of its peer; -1:
 * none.
 */
int control_socket_next(struct control_socket *s, char *line);
void control_socket_answer(struct control_socket *s, int peer, const struct control_answer *answer);
/* Answers the peers that wait for that path. */
void control_socket_tell(struct control_socket *s, const char *path, bool is_complete);
void control_socket_close(struct control_socket *s); /* accepts { .epoll_fd = -1 }; idempotent */

#endif
