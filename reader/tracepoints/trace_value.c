// SPDX-License-Identifier: Apache-2.0
#include "reader/tracepoints/trace_value.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "common/perf/record.h"

/* Where the bytes of an array are. `field` itself lies inside the payload. */
static uint64_t locate(const struct tep_format_field *field, const uint8_t *raw, uint32_t *ret_len)
{
	uint32_t place;

	*ret_len = (uint32_t)field->size;
	if (!(field->flags & TEP_FIELD_IS_DYNAMIC))
		return (uint64_t)field->offset;
	place = ts_record_load_u32(raw + field->offset);
	*ret_len = place >> 16;
	return (place & 0xffff) + (field->flags & TEP_FIELD_IS_RELATIVE
					   ? (uint64_t)field->offset + (uint64_t)field->size
					   : 0);
}

bool trace_value_is_inside(const struct tep_format_field *field, const uint8_t *raw,
			   uint32_t raw_size)
{
	uint32_t len;

	if (field->offset < 0 || field->size < 0 ||
	    (uint64_t)field->offset + (uint64_t)field->size > raw_size)
		return false;
	if (field->flags & TEP_FIELD_IS_DYNAMIC && field->size < 4)
		return false;
	return locate(field, raw, &len) + len <= raw_size;
}

static bool is_text(const struct tep_format_field *field, const uint8_t *bytes, size_t len)
{
	if (!(field->flags & TEP_FIELD_IS_STRING))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isprint(bytes[i]) && !isspace(bytes[i]))
			return false;
	return true;
}

static void put_array(const struct tep_format_field *field, const uint8_t *raw,
		      struct ts_bytes *out)
{
	uint32_t len;
	const uint8_t *bytes = raw + locate(field, raw, &len);
	size_t text_bytes = strnlen((const char *)bytes, len);

	if (is_text(field, bytes, text_bytes)) {
		ts_bytes_put(out, bytes, text_bytes);
		return;
	}
	ts_bytes_put(out, "ARRAY[", 6);
	for (uint32_t i = 0; i < len; i++)
		ts_bytes_printf(out, i ? ", %02x" : "%02x", bytes[i]);
	ts_bytes_put(out, "]", 1);
}

static bool is_number(const struct tep_format_field *field)
{
	return field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8;
}

static void put_signed(const struct tep_format_field *field, uint64_t value, struct ts_bytes *out)
{
	const unsigned int unused_bits = 64 - 8 * (unsigned int)field->size;

	if (field->size == 4 && field->flags & TEP_FIELD_IS_LONG)
		ts_bytes_printf(out, "0x%" PRIx64, value);
	else
		ts_bytes_printf(out, field->size == 2 ? "%2" PRId64 : "%" PRId64,
				(int64_t)(value << unused_bits) >> unused_bits);
}

void trace_value_put(const struct tep_format_field *field, const uint8_t *raw, struct ts_bytes *out)
{
	uint64_t value = 0; /* little endian, as every capture that is read */

	if (field->flags & TEP_FIELD_IS_ARRAY) {
		put_array(field, raw, out);
		return;
	}
	if (is_number(field))
		memcpy(&value, raw + field->offset, (size_t)field->size);
	if (field->flags & TEP_FIELD_IS_SIGNED && !(field->flags & TEP_FIELD_IS_POINTER) &&
	    is_number(field))
		put_signed(field, value, out);
	else if (field->flags & (TEP_FIELD_IS_POINTER | TEP_FIELD_IS_LONG))
		ts_bytes_printf(out, "0x%" PRIx64, value);
	else
		ts_bytes_printf(out, "%" PRIu64, value);
}
