// SPDX-License-Identifier: Apache-2.0
#include "tests/support/directory_scene.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/directory/directory.h"

#define NOBODY 65534

static void put_part(const struct scratch *s, const char *path, const char *part, const char *text)
{
	char name[128];

	snprintf(name, sizeof(name), "%s/%s", path, part);
	scratch_put(s, name, text);
}

void directory_put(const struct scratch *s, const char *path, const char *data)
{
	put_part(s, path, "data", data);
	put_part(s, path, "data.0", "records");
	put_part(s, path, "tstream.json", "{}");
}

void directory_put_noted(const struct scratch *s, const char *path)
{
	directory_put(s, path, DIRECTORY_DATA);
	put_part(s, path, "tstream.json", "{\"writers\": [{\"stream\": \"data.0\"}]}");
}

bool directory_give_away(const char *path)
{
	return geteuid() != NOBODY && !chown(path, NOBODY, NOBODY);
}

bool directory_has(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

void directory_check(const char *dir, const char *name, const char *text)
{
	char path[128], found[256];
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "re");
	cr_assert_not_null(file, "%s", path);
	len = fread(found, 1, sizeof(found), file);
	cr_assert_eq(len, strlen(text));
	cr_assert_arr_eq(found, text, len);
	fclose(file);
}

int directory_record(const char *path, const char *data, struct ts_error *err)
{
	struct ts_stream_file f = {.fd = -1};
	struct ts_dir d;
	int rc = ts_dir_create(&d, path, err);

	if (!rc)
		rc = ts_dir_create_stream(&d, 0, TS_STREAM_AUTO, &f, err);
	if (!rc)
		rc = ts_dir_replace(&d, TS_DIR_DATA, data, strlen(data), err);
	if (!rc)
		rc = ts_dir_publish(&d, err);
	if (rc)
		ts_dir_discard(&d);
	ts_stream_file_close(&f);
	ts_dir_release(&d);
	return rc;
}
