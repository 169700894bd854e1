// SPDX-License-Identifier: Apache-2.0
#include "streamer/directory/cut.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define NS_PER_STAMP 10000000 /* a hundredth of a second */

int cut_name_check(const char *name, struct ts_error *err)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-+=@%";
	size_t len = strlen(name);

	if (len && len <= CUT_NAME_MAX && name[0] != '.' && strspn(name, allowed) == len)
		return 0;
	return ts_error_set(err, EINVAL,
			    "cannot name a snapshot '%s': a name has 1 to %d letters, digits and "
			    "._-+=@%%, and no dot at its beginning",
			    name, CUT_NAME_MAX);
}

const char *cut_kind_name(enum cut_kind kind)
{
	static const char *const names[] = {
		[CUT_BY_SIGNAL] = "signal", [CUT_BY_SIZE] = "size",
		[CUT_BY_TIME] = "time",	    [CUT_BY_CONTROL] = "control",
		[CUT_BY_EVENT] = "event",   [CUT_BY_PRESSURE] = "pressure",
	};

	return names[kind];
}

void cut_stamp(char text[CUT_STAMP_BYTES], struct timespec now)
{
	struct tm tm;
	size_t len;

	localtime_r(&now.tv_sec, &tm);
	len = strftime(text, CUT_STAMP_BYTES, "%Y%m%d%H%M%S", &tm);
	snprintf(text + len, CUT_STAMP_BYTES - len, "%02u",
		 (unsigned int)(now.tv_nsec / NS_PER_STAMP) % 100);
}
