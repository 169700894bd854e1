// SPDX-License-Identifier: Apache-2.0
#include "common/base/units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit times[] = {
	{"ns", 1},
	{"us", 1000},
	{"ms", 1000000},
	{"s", 1000000000},
	{"m", 60000000000ULL},
	{"h", 3600000000000ULL},
	{"d", 86400000000000ULL},
};

/* Reads the number at the beginning of text; *ret_rest is the text behind it. */
static int leading_u64(const char *text, uint64_t *ret, const char **ret_rest)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*ret = strtoull(text, &end, 10);
	*ret_rest = end;
	return errno ? -ERANGE : 0;
}

static int scale_number(uint64_t number, uint64_t factor, uint64_t *ret)
{
	if (__builtin_mul_overflow(number, factor, &number))
		return -ERANGE;
	*ret = number;
	return 0;
}

int ts_units_parse_u64(const char *text, uint64_t *ret)
{
	const char *rest;
	uint64_t number;
	int rc = leading_u64(text, &number, &rest);

	if (rc)
		return rc;
	if (*rest)
		return -EINVAL;
	*ret = number;
	return 0;
}

int ts_units_parse_size(const char *text, uint64_t *ret_bytes)
{
	static const char letters[] = "BKMGT";
	const char *rest, *letter;
	uint64_t number;
	int rc = leading_u64(text, &number, &rest);

	if (rc)
		return rc;
	if (!*rest) {
		*ret_bytes = number;
		return 0;
	}
	letter = strchr(letters, toupper((unsigned char)*rest));
	if (!letter || rest[1])
		return -EINVAL;
	return scale_number(number, 1ULL << (10 * (letter - letters)), ret_bytes);
}

int ts_units_parse_pages(const char *text, size_t page_bytes, uint64_t *ret_pages,
			 bool *ret_rounded)
{
	uint64_t bytes, pages, power = 1;
	int rc = ts_units_parse_u64(text, &pages);
	bool exact = true;

	if (rc == -EINVAL) {
		rc = ts_units_parse_size(text, &bytes);
		pages = rc ? 0 : bytes / page_bytes + (bytes % page_bytes != 0);
		exact = !rc && bytes % page_bytes == 0;
	}
	if (rc)
		return rc;
	if (pages > UINT64_MAX / 2 / page_bytes)
		return -ERANGE;
	while (power < pages)
		power *= 2;
	*ret_rounded = power != pages || !exact;
	*ret_pages = power;
	return 0;
}

/* The nanoseconds of a unit; 0: no unit has this name. */
static uint64_t worth_of(const char *unit, uint64_t plain_ns)
{
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (!strcmp(unit, times[i].name))
			return times[i].factor;
	return *unit ? 0 : plain_ns;
}

int ts_units_parse_time(const char *text, uint64_t plain_ns, uint64_t *ret_ns)
{
	const char *rest, *digits;
	uint64_t number, worth;
	int rc = leading_u64(text, &number, &rest);

	if (rc)
		return rc;
	digits = rest + (*rest == '.');
	rest = digits + (*rest == '.' ? strspn(digits, "0123456789") : 0);
	worth = worth_of(rest, plain_ns);
	if (!worth || (digits[-1] == '.' && rest == digits))
		return -EINVAL;
	rc = scale_number(number, worth, &number);
	for (; !rc && digits < rest; digits++) {
		worth /= 10;
		if (__builtin_add_overflow(number, worth * (uint64_t)(*digits - '0'), &number))
			rc = -ERANGE;
	}
	if (!rc)
		*ret_ns = number;
	return rc;
}

/* Drops zeros that say nothing: "1.250" becomes "1.25", "2.000" becomes "2". */
static void trim_zeros(char *text)
{
	size_t len = strlen(text);

	if (!strchr(text, '.'))
		return;
	while (text[len - 1] == '0')
		text[--len] = '\0';
	if (text[len - 1] == '.')
		text[--len] = '\0';
}

const char *ts_units_format_size(char buf[TS_UNITS_TEXT], uint64_t bytes)
{
	static const char letters[] = "\0KMGT";
	double value = (double)bytes;
	size_t unit = 0, len;

	while (value >= 1024 && unit < sizeof(letters) - 2) {
		value /= 1024;
		unit++;
	}
	snprintf(buf, TS_UNITS_TEXT, "%.1f", value);
	trim_zeros(buf);
	len = strlen(buf);
	buf[len] = letters[unit];
	buf[len + 1] = '\0';
	return buf;
}
