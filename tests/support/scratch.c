// SPDX-License-Identifier: Apache-2.0
#include "tests/support/scratch.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void need(int done, const char *what)
{
	if (done)
		return;
	perror(what);
	abort();
}

void scratch_make(struct scratch *s)
{
	strcpy(s->path, "/tmp/tstream-test.XXXXXX");
	need(mkdtemp(s->path) != NULL, s->path);
}

void scratch_put(const struct scratch *s, const char *name, const char *text)
{
	char path[512], *slash = path + strlen(s->path) + 1;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", s->path, name);
	for (; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		mkdir(path, 0700);
	}
	file = fopen(path, "w");
	need(file != NULL, path);
	need(fputs(text, file) >= 0 && fclose(file) == 0, path);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

void scratch_remove(const struct scratch *s)
{
	nftw(s->path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

void scratch_enter(struct scratch *s)
{
	scratch_make(s);
	need(chdir(s->path) == 0, s->path);
}

void scratch_leave(struct scratch *s)
{
	need(chdir("/") == 0, "/");
	scratch_remove(s);
}
