// SPDX-License-Identifier: Apache-2.0
#include "reader/tracepoints/trace_conversions.h"

#include <ctype.h>
#include <string.h>

static bool add_wanted(struct trace_conversions *c, enum trace_wanted wanted)
{
	if (c->nr == TRACE_CONVERSIONS_MAX)
		return false;
	c->wanted[c->nr++] = wanted;
	return true;
}

/* At most three digits: "%020d" is printed in the width that it gives. */
static const char *skip_digits(const char *at)
{
	for (int i = 0; i < 3 && isdigit((unsigned char)*at); i++)
		at++;
	return at;
}

const char *trace_conversions_take(const char *at, struct trace_conversions *c)
{
	bool has_precision = false;

	if (*at == '%')
		return at + 1;
	at += strspn(at, "-+ #0");
	if (*at == '*' && !add_wanted(c, TRACE_WANTED_WIDTH))
		return NULL;
	at = *at == '*' ? at + 1 : skip_digits(at);
	if (*at == '.') {
		at++;
		has_precision = *at == '*';
		if (has_precision && !add_wanted(c, TRACE_WANTED_ANY))
			return NULL;
		at = has_precision ? at + 1 : skip_digits(at);
	}
	for (int i = 0; i < 2 && *at && strchr("hlzjtLq", *at); i++)
		at++;
	if (!*at || !strchr(has_precision ? "s" : "diuxXocps", *at) ||
	    !add_wanted(c, TRACE_WANTED_ANY))
		return NULL;
	return at + 1;
}
