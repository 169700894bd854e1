// SPDX-License-Identifier: Apache-2.0
#include "reader/objects/untrusted_file.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failure; /* the next fopen() below /proc fails with it; 0: it does not */

/* In place of the library's own. */
FILE *fopen(const char *path, const char *mode)
{
	FILE *(*real)(const char *, const char *) =
		(FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");

	if (!failure || strncmp(path, "/proc/", 6))
		return real(path, mode);
	errno = failure;
	failure = 0;
	return NULL;
}

/* Looks for a file of this process, which is there. */
static FILE *find_file(int code, struct ts_error *err)
{
	char path[] = "/tmp/tstream-untrusted-XXXXXX";
	const struct untrusted_file wanted = {
		.pid = (uint32_t)getpid(), .archived = "none", .path = path};
	const struct symbol_search search = {.pid = wanted.pid};
	struct untrusted_file_place place;
	const int fd = mkstemp(path);
	FILE *file;

	cr_assert_geq(fd, 0);
	close(fd);
	failure = code;
	file = untrusted_file_find(&wanted, &search, &place, err);
	cr_expect_eq(failure, 0, "nothing was opened");
	unlink(path);
	return file;
}

Test(untrusted_file, takes_no_shortage_for_the_end_of_the_process)
{
	const int codes[] = {ENOMEM, EMFILE, ENFILE};

	for (size_t i = 0; i < 3; i++) {
		char text[128];
		struct ts_error err;

		cr_expect_null(find_file(codes[i], &err));
		snprintf(text, sizeof(text), "cannot read /proc/%d/status: %s", getpid(),
			 strerror(codes[i]));
		cr_expect_eq(err.code, codes[i]);
		cr_expect_str_eq(err.text, text);
	}
}

Test(untrusted_file, finds_files_of_a_process_that_has_ended)
{
	const int codes[] = {ENOENT, ESRCH, EACCES};

	for (size_t i = 0; i < 3; i++) {
		struct ts_error err;
		FILE *file = find_file(codes[i], &err);

		cr_assert_not_null(file, "%s", err.text);
		fclose(file);
	}
}
