// SPDX-License-Identifier: Apache-2.0
#include "common/base/environment.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SYSTEM_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/*
 * The look of the terminal, of texts and of times, and the reader of stderr. glibc checks the file
 * of TZ.
 */
static const char *const harmless[] = {"COLUMNS",  "JOURNAL_STREAM", "LANG", "LINES",
				       "NO_COLOR", "TERM",	     "TZ"};

static bool is_harmless(const char *variable)
{
	const size_t len = strcspn(variable, "=");

	if (variable[len] != '=')
		return false;
	for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++)
		if (strlen(harmless[i]) == len && !strncmp(variable, harmless[i], len))
			return true;
	return !strncmp(variable, "LC_", 3);
}

static size_t count_variables(char *const *environment)
{
	size_t nr = 0;

	while (environment[nr])
		nr++;
	return nr;
}

/* Makes a new array: the caller's array stays, for ts_environment_of_caller(). */
int ts_environment_distrust(void)
{
	static char path[] = "PATH=" SYSTEM_PATH;
	char **kept = calloc(count_variables(environ) + 2, sizeof(*kept));
	size_t nr = 0;

	if (!kept)
		return -ENOMEM;
	for (char **v = environ; *v; v++)
		if (is_harmless(*v))
			kept[nr++] = *v;
	kept[nr] = path;
	environ = kept;
	return 0;
}

char *const *ts_environment_of_caller(int argc, char *const argv[])
{
	return argv + argc + 1;
}

const char *ts_environment_value(char *const *environment, const char *name)
{
	const size_t len = strlen(name);

	for (size_t i = 0; environment[i]; i++)
		if (!strncmp(environment[i], name, len) && environment[i][len] == '=')
			return environment[i] + len + 1;
	return NULL;
}
