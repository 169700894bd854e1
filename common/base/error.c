// SPDX-License-Identifier: Apache-2.0
#include "common/base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void set_text(struct ts_error *err, int code, const char *fmt, va_list args)
{
	err->code = code;
	err->hint[0] = '\0';
	vsnprintf(err->text, sizeof(err->text), fmt, args);
}

int ts_error_set(struct ts_error *err, int code, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	set_text(err, code, fmt, args);
	va_end(args);
	return -code;
}

int ts_error_sys(struct ts_error *err, int code, const char *fmt, ...)
{
	char reason[128];
	va_list args;
	size_t len;

	va_start(args, fmt);
	set_text(err, code, fmt, args);
	va_end(args);
	len = strlen(err->text);
	snprintf(err->text + len, sizeof(err->text) - len, ": %s",
		 strerror_r(code, reason, sizeof(reason)));
	return -code;
}

bool ts_error_is_shortage(int code)
{
	return code == ENOMEM || code == EMFILE || code == ENFILE;
}

bool ts_error_is_of_machine(int code)
{
	return ts_error_is_shortage(code) || code == EIO;
}

int ts_error_hint(struct ts_error *err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(err->hint, sizeof(err->hint), fmt, args);
	va_end(args);
	return -err->code;
}
