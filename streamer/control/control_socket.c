// SPDX-License-Identifier: Apache-2.0
#include "streamer/control/control_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/min_max.h"
#include "common/base/path.h"

#define SUFFIX	      ".ctl"
#define EVERYBODY     CONTROL_PEERS /* epoll: connections that are no peers yet */
#define WAITS_AT_ONCE 8

char *control_socket_path(const char *output)
{
	size_t len = strlen(output);
	char *path;

	while (len > 1 && output[len - 1] == '/')
		len--;
	return asprintf(&path, "%.*s" SUFFIX, (int)len, output) < 0 ? NULL : path;
}

/* --- addresses: a socket whose path is too long is reached through its directory --- */

struct address {
	struct sockaddr_un un;
	int dir_fd; /* the folder of the socket */
};

static int make_address(struct address *a, const char *path, struct ts_error *err)
{
	const char *name = ts_path_name(path);
	char dir[PATH_MAX];
	int len;

	*a = (struct address){.un.sun_family = AF_UNIX, .dir_fd = -1};
	snprintf(dir, sizeof(dir), "%.*s", name == path ? 1 : (int)(name - path),
		 name == path ? "." : path);
	a->dir_fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (a->dir_fd < 0)
		return ts_error_sys(err, errno, "cannot open %s", dir);
	if (strlen(path) < sizeof(a->un.sun_path)) {
		strcpy(a->un.sun_path, path);
		return 0;
	}
	len = snprintf(a->un.sun_path, sizeof(a->un.sun_path), "/proc/self/fd/%d/%s", a->dir_fd,
		       name);
	if (len < (int)sizeof(a->un.sun_path))
		return 0;
	close(a->dir_fd);
	a->dir_fd = -1;
	ts_error_sys(err, ENAMETOOLONG, "cannot use the socket %s", path);
	return ts_error_hint(err, "give a shorter path with --socket");
}

static void release_address(struct address *a)
{
	if (a->dir_fd >= 0)
		close(a->dir_fd);
}

static int new_socket(int flags)
{
	return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0);
}

/* A connection that answers, or takes what is sent, only later than timeout_ns is given up. */
static int connect_to(const struct address *a, int flags, uint64_t timeout_ns)
{
	const struct timeval limit = {.tv_sec = (time_t)(timeout_ns / TS_NS_PER_SEC),
				      .tv_usec = (suseconds_t)(timeout_ns % TS_NS_PER_SEC / 1000)};
	int fd = new_socket(flags);

	if (fd >= 0) {
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	}
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&a->un, sizeof(a->un)) < 0) {
		int code = errno;

		close(fd);
		errno = code;
		return -1;
	}
	return fd;
}

/* The user at the other end of a connection: (uid_t)-1 if it is unknown. */
static uid_t user_of(int fd)
{
	struct ucred who;
	socklen_t len = sizeof(who);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) ? (uid_t)-1 : who.uid;
}

static bool is_trusted(uid_t user)
{
	return user == 0 || user == geteuid();
}

/* Anybody may have made a socket in a folder that others can write to. */
static int refuse_stranger(int fd, const char *path, struct ts_error *err)
{
	const unsigned int user = user_of(fd);

	close(fd);
	ts_error_set(err, EPERM, "cannot send a command to %s: user %u listens there", path, user);
	return ts_error_hint(err, "if the recorder is that user's, run tstream ctl as that user");
}

int control_socket_connect(const char *path, uint64_t timeout_ns, struct ts_error *err)
{
	struct address a;
	int fd, code = make_address(&a, path, err);

	if (code < 0)
		return code;
	fd = connect_to(&a, 0, timeout_ns);
	code = errno;
	release_address(&a);
	if (fd >= 0)
		return is_trusted(user_of(fd)) ? fd : refuse_stranger(fd, path, err);
	ts_error_sys(err, code == EAGAIN ? ETIMEDOUT : code, "cannot reach a recorder at %s", path);
	return code == ECONNREFUSED
		       ? ts_error_hint(err, "the recorder that made this socket has ended")
		       : -err->code;
}

/* --- the recorder's --- */

/* Removes the socket of a killed recorder of this user; any other file stays. Waits for nobody. */
static int remove_stale(const struct address *a, const char *path, struct ts_error *err)
{
	struct stat st;
	int fd;

	if (fstatat(a->dir_fd, ts_path_name(path), &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	if (st.st_uid != geteuid())
		return ts_error_set(err, EEXIST,
				    "cannot make the socket %s: a file of another user is there",
				    path);
	if (!S_ISSOCK(st.st_mode))
		return ts_error_set(err, EEXIST,
				    "cannot make the socket %s: it exists and is not a socket",
				    path);
	fd = connect_to(a, SOCK_NONBLOCK, 0);
	if (fd >= 0 || errno == EAGAIN) { /* EAGAIN: so many wait there already */
		if (fd >= 0)
			close(fd);
		return ts_error_set(err, EADDRINUSE,
				    "cannot make the socket %s: another recorder listens there",
				    path);
	}
	return unlinkat(a->dir_fd, ts_path_name(path), 0) < 0
		       ? ts_error_sys(err, errno, "cannot replace the socket %s", path)
		       : 0;
}

static int listen_at(struct control_socket *s, const char *path, struct ts_error *err)
{
	struct address a;
	struct stat st;
	mode_t mask;
	int code = make_address(&a, path, err);

	if (code < 0)
		return code;
	code = remove_stale(&a, path, err);
	s->dir_fd = a.dir_fd;
	s->listen_fd = code < 0 ? -1 : new_socket(0);
	if (s->listen_fd >= 0) {
		mask = umask(0177);
		code = bind(s->listen_fd, (const struct sockaddr *)&a.un, sizeof(a.un));
		umask(mask);
		if (code < 0 || listen(s->listen_fd, CONTROL_PEERS) < 0 ||
		    fstatat(a.dir_fd, ts_path_name(path), &st, AT_SYMLINK_NOFOLLOW) < 0)
			code = ts_error_sys(err, errno, "cannot make the socket %s", path);
	}
	if (code < 0)
		return code;
	s->dev = st.st_dev;
	s->ino = st.st_ino;
	s->path = strdup(path);
	return s->path ? 0 : ts_error_sys(err, ENOMEM, "cannot make the socket %s", path);
}

static int watch_client(struct control_socket *s, int fd, uint32_t number)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = number};

	return epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

int control_socket_open(struct control_socket *s, const char *path, struct ts_error *err)
{
	int code;

	*s = (struct control_socket){.epoll_fd = -1, .listen_fd = -1, .dir_fd = -1};
	for (int i = 0; i < CONTROL_PEERS; i++)
		s->peers[i].fd = -1;
	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	code = s->epoll_fd < 0 ? ts_error_sys(err, errno, "cannot make the socket %s", path)
			       : listen_at(s, path, err);
	if (!code && watch_client(s, s->listen_fd, EVERYBODY) < 0)
		code = ts_error_sys(err, errno, "cannot make the socket %s", path);
	if (code < 0)
		control_socket_close(s);
	return code;
}

static void send_text(int fd, const char *text, size_t len)
{
	ssize_t rc = send(fd, text, len, MSG_DONTWAIT | MSG_NOSIGNAL);

	(void)rc; /* a peer that does not read, or has gone, gets no answer */
}

static void end_peer(struct control_peer *p)
{
	close(p->fd);
	free(p->awaited);
	*p = (struct control_peer){.fd = -1};
}

/* A free place. If all are taken, the place of a peer that waits for no snapshot. -1: all wait. */
static int find_place(struct control_socket *s)
{
	int place = -1;

	for (int i = 0; i < CONTROL_PEERS; i++) {
		if (s->peers[i].fd < 0)
			return i;
		if (!s->peers[i].awaited)
			place = i;
	}
	if (place >= 0)
		end_peer(&s->peers[place]);
	return place;
}

static void let_in(struct control_socket *s)
{
	int fd = accept4(s->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	int place = fd < 0 ? -1 : find_place(s);

	if (place >= 0 && watch_client(s, fd, (uint32_t)place) == 0)
		s->peers[place].fd = fd;
	else if (fd >= 0)
		close(fd);
}

/* NULL: the command of that length is read. */
static const char *refusal_of(const struct control_peer *p, size_t len)
{
	if (!is_trusted(user_of(p->fd)))
		return "-cannot take commands of this user: the recorder is another's\n";
	return len < CONTROL_LINE_BYTES ? NULL : "-cannot take that command: it is too long\n";
}

/* False: the peer has gone, or its command is refused. */
static bool read_command(const struct control_peer *p, char *line)
{
	/* MSG_TRUNC: the length is that of the message, also where it is longer than the line. */
	ssize_t len = recv(p->fd, line, CONTROL_LINE_BYTES - 1, MSG_DONTWAIT | MSG_TRUNC);
	const char *refusal;

	if (len <= 0 || p->awaited)
		return false;
	refusal = refusal_of(p, (size_t)len);
	if (refusal) {
		send_text(p->fd, refusal, strlen(refusal));
		return false;
	}
	line[len] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return true;
}

int control_socket_next(struct control_socket *s, char *line)
{
	struct epoll_event events[WAITS_AT_ONCE];
	int nr = epoll_wait(s->epoll_fd, events, WAITS_AT_ONCE, 0);

	for (int i = 0; i < nr; i++) {
		uint32_t number = events[i].data.u32;

		if (number == EVERYBODY)
			let_in(s);
		else if (s->peers[number].fd >= 0 && read_command(&s->peers[number], line))
			return (int)number;
		else if (s->peers[number].fd >= 0)
			end_peer(&s->peers[number]);
	}
	return -1;
}

/*
 * Has the connection room for `len` bytes, so that sending them waits for nobody? More room is asked
 * for; net.core.wmem_max limits it for users without privileges. The kernel doubles what is asked
 * for, for its own needs.
 */
static bool has_room(int fd, size_t len)
{
	const int asked = (int)len;
	int room = 0;
	socklen_t size = sizeof(room);

	if (len > CONTROL_ANSWER_BYTES)
		return false;
	if (len > CONTROL_MESSAGE_BYTES &&
	    setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &asked, sizeof(asked)))
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &asked, sizeof(asked));
	return !getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, &size) && (size_t)room / 2 >= len;
}

static void send_answer(int fd, bool is_good, const char *text)
{
	static const char no_memory[] = "-cannot answer: out of memory\n";
	char *message;
	const int len = asprintf(&message, "%c%s", is_good ? '+' : '-', text);

	if (len < 0) {
		send_text(fd, no_memory, strlen(no_memory));
		return;
	}
	if (is_good && !has_room(fd, (size_t)len)) {
		char refusal[CONTROL_LINE_BYTES];

		snprintf(refusal, sizeof(refusal),
			 "cannot send the answer: the socket has no room for %d bytes\n"
			 "  hint: raise net.core.wmem_max, or ask for less\n",
			 len);
		send_answer(fd, false, refusal);
	} else {
		for (int at = 0; at < len; at += CONTROL_MESSAGE_BYTES)
			send_text(fd, message + at,
				  (size_t)ts_min((uint64_t)(len - at), CONTROL_MESSAGE_BYTES));
	}
	free(message);
}

void control_socket_answer(struct control_socket *s, int peer, const struct control_answer *answer)
{
	struct control_peer *p = &s->peers[peer];
	char *sentence;

	if (answer->err.code &&
	    asprintf(&sentence, "%s%s%s\n", answer->err.text, *answer->err.hint ? "\n  hint: " : "",
		     answer->err.hint) > 0) {
		send_answer(p->fd, false, sentence);
		free(sentence);
	} else if (answer->awaited && (p->awaited = strdup(answer->awaited)) != NULL) {
		return;
	} else {
		send_answer(p->fd, true, answer->text ? answer->text : "");
	}
	end_peer(p);
}

void control_socket_tell(struct control_socket *s, const char *path, bool is_complete)
{
	char text[PATH_MAX + 64];

	snprintf(text, sizeof(text),
		 is_complete ? "%s\n" : "cannot write %s: the recorder says why\n", path);
	for (int i = 0; i < CONTROL_PEERS; i++) {
		struct control_peer *p = &s->peers[i];

		if (p->fd < 0 || !p->awaited || strcmp(p->awaited, path) != 0)
			continue;
		send_answer(p->fd, is_complete, text);
		end_peer(p);
	}
}

void control_socket_close(struct control_socket *s)
{
	struct stat st;

	if (s->epoll_fd < 0)
		return;
	for (int i = 0; i < CONTROL_PEERS; i++)
		if (s->peers[i].fd >= 0)
			end_peer(&s->peers[i]);
	if (s->path && fstatat(s->dir_fd, ts_path_name(s->path), &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    st.st_dev == s->dev && st.st_ino == s->ino)
		unlinkat(s->dir_fd, ts_path_name(s->path), 0);
	if (s->dir_fd >= 0)
		close(s->dir_fd);
	if (s->listen_fd >= 0)
		close(s->listen_fd);
	close(s->epoll_fd);
	free(s->path);
	*s = (struct control_socket){.epoll_fd = -1, .listen_fd = -1, .dir_fd = -1};
}
