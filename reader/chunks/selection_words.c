// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/selection_words.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/base/regular.h"
#include "common/base/text_file.h"

#define FILE_PREFIX "file://"
#define FILE_MIB    16 /* most bytes of one file: a pipe may go on for ever */

/* A name ends with its first NUL. */
static void put_word(struct selection_words *w, const char *word, size_t len)
{
	len = strnlen(word, len);
	if (!len)
		return;
	ts_bytes_put(&w->text, word, len);
	ts_bytes_put(&w->text, "", 1);
	w->nr++;
}

static int read_lines(struct selection_words *w, struct ts_text_file *file)
{
	size_t len, nr_bytes = 0;
	const char *line;
	int rc;

	while ((rc = ts_text_file_next(file, &line, &len)) > 0) {
		nr_bytes += len + 1;
		if (nr_bytes > FILE_MIB << 20)
			return -EFBIG;
		put_word(w, line, len);
	}
	return rc;
}

/*
 * A regular file, or a pipe: one without a name was inherited, a FIFO may be anybody's who can write
 * to its folder.
 */
static int judge_file(const struct stat *st, uint64_t filesystem)
{
	if (S_ISREG(st->st_mode))
		return 0;
	if (!S_ISFIFO(st->st_mode))
		return -TS_REGULAR_OTHER;
	return filesystem == PIPEFS_MAGIC || !st->st_uid || st->st_uid == geteuid() ? 0 : -EPERM;
}

/* Waits for the writer of a FIFO. */
static int open_file(const char *path)
{
	struct statfs filesystem;
	struct stat st;
	int fd, rc;

	if (stat(path, &st) || statfs(path, &filesystem))
		return -errno;
	rc = judge_file(&st, (uint64_t)filesystem.f_type);
	if (rc)
		return rc;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (S_ISFIFO(st.st_mode) ? 0 : O_NONBLOCK));
	if (fd < 0)
		return -errno;
	rc = fstat(fd, &st) || fstatfs(fd, &filesystem)
		     ? -errno
		     : judge_file(&st, (uint64_t)filesystem.f_type);
	if (!rc)
		return fd;
	close(fd);
	return rc;
}

static int refuse_file(int code, const char *path, const char *what, struct ts_error *err)
{
	if (code == EFBIG)
		return ts_error_set(err, code,
				    "cannot select %s: cannot read %s: it has more than %d MiB",
				    what, path, FILE_MIB);
	if (code == EPERM)
		return ts_error_set(err, code,
				    "cannot select %s: cannot read %s: it is a FIFO of another "
				    "user",
				    what, path);
	return ts_error_set(err, code, "cannot select %s: cannot read %s: %s", what, path,
			    ts_regular_reason(code));
}

static int put_file(struct selection_words *w, const char *path, const char *what,
		    struct ts_error *err)
{
	struct ts_text_file file;
	const int fd = open_file(path);
	int rc = fd;

	if (fd >= 0) {
		ts_text_file_start(&file, fd);
		rc = read_lines(w, &file);
		ts_text_file_close(&file);
	}
	return rc < 0 ? refuse_file(-rc, path, what, err) : 0;
}

static int put_list(struct selection_words *w, char *list, const char *what, struct ts_error *err)
{
	const size_t prefix = strlen(FILE_PREFIX);
	int rc = 0;

	for (char *word; !rc && (word = strsep(&list, ","));)
		if (strncmp(word, FILE_PREFIX, prefix))
			put_word(w, word, strlen(word));
		else
			rc = put_file(w, word + prefix, what, err);
	return rc;
}

static int index_words(struct selection_words *w)
{
	const char *at = (const char *)w->text.data;

	w->items = calloc(w->nr + 1, sizeof(*w->items));
	if (!w->items || ts_bytes_failed(&w->text))
		return -ENOMEM;
	for (size_t i = 0; i < w->nr; i++, at += strlen(at) + 1)
		w->items[i] = at;
	return 0;
}

int selection_words_read(struct selection_words *w, const char *list, const char *what,
			 struct ts_error *err)
{
	char *copy;
	int rc;

	if (!list)
		return 0;
	copy = strdup(list);
	rc = copy ? put_list(w, copy, what, err)
		  : ts_error_sys(err, ENOMEM, "cannot read the selection");
	free(copy);
	if (rc)
		return rc;
	if (index_words(w))
		return ts_error_sys(err, ENOMEM, "cannot read the selection");
	return w->nr ? 0
		     : ts_error_set(err, EINVAL, "cannot select %s '%s': the list is empty", what,
				    list);
}

void selection_words_release(struct selection_words *w)
{
	ts_bytes_release(&w->text);
	free(w->items);
	*w = (struct selection_words){0};
}
