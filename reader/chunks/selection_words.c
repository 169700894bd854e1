// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/selection_words.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/regular.h"
#include "common/base/text_file.h"

#define FILE_PREFIX "file://"

static void put_word(struct selection_words *w, const char *word, size_t len)
{
	if (!len)
		return;
	ts_bytes_put(&w->text, word, len);
	ts_bytes_put(&w->text, "", 1);
	w->nr++;
}

static int read_lines(struct selection_words *w, struct ts_text_file *file)
{
	const char *line;
	size_t len;
	int rc;

	while ((rc = ts_text_file_next(file, &line, &len)) > 0)
		put_word(w, line, len);
	return rc;
}

/* Opens without waiting for a writer of a FIFO. -EINVAL: no regular file. */
static int open_file(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -TS_REGULAR_OTHER;
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
	return rc >= 0 ? 0
		       : ts_error_set(err, -rc, "cannot select %s: cannot read %s: %s", what, path,
				      ts_regular_reason(-rc));
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
