// SPDX-License-Identifier: Apache-2.0
#include "reader/parquet/parquet_values.h"

#include <endian.h>
#include <string.h>

#include "common/base/min_max.h"
#include "reader/parquet/thrift_compact.h"

#define BLOCK 128 /* differences with one smallest one */
#define PART  32  /* differences of as many bits */
#define PARTS (BLOCK / PART)

void parquet_values_put(struct ts_bytes *out, uint64_t value, unsigned int bytes)
{
	const uint64_t little = htole64(value);

	ts_bytes_put(out, &little, bytes);
}

void parquet_values_put_text(struct ts_bytes *out, const char *text)
{
	const size_t len = strlen(text);

	ts_bytes_u32(out, htole32((uint32_t)len));
	ts_bytes_put(out, text, len);
}

/* --- runs --- */

static void put_run(struct ts_bytes *out, uint64_t nr, uint64_t value, unsigned int bytes)
{
	ts_bytes_varint(out, nr << 1);
	parquet_values_put(out, value, bytes);
}

void parquet_runs_add(struct parquet_runs *r, uint8_t level, uint32_t nr)
{
	if (!nr)
		return;
	if (level != r->level)
		parquet_runs_end(r);
	r->level = level;
	r->nr += nr;
}

void parquet_runs_end(struct parquet_runs *r)
{
	if (r->nr)
		put_run(r->out, r->nr, r->level, 1);
	r->nr = 0;
}

/* --- places --- */

static unsigned int bytes_of(uint32_t most)
{
	unsigned int bytes = 1;

	while (bytes < sizeof(most) && most >> 8 * bytes)
		bytes++;
	return bytes;
}

/* Packed values come in groups of eight. */
void parquet_values_put_places(struct ts_bytes *out, const uint64_t *places, size_t nr,
			       uint32_t nr_entries)
{
	const unsigned int bytes = bytes_of(nr_entries ? nr_entries - 1 : 0);
	const uint64_t nr_groups = (nr + 7) / 8;
	const uint8_t width = (uint8_t)(8 * bytes);

	ts_bytes_put(out, &width, 1);
	if (nr_entries == 1) {
		put_run(out, nr, 0, bytes);
		return;
	}
	ts_bytes_varint(out, nr_groups << 1 | 1);
	for (size_t i = 0; i < nr; i++)
		parquet_values_put(out, places[i], bytes);
	ts_bytes_zero(out, (8 * nr_groups - nr) * bytes);
}

/* --- differences --- */

/* Whole bytes: zstd finds these again. */
static uint8_t bits_of(uint64_t most)
{
	return most ? (uint8_t)((64 - __builtin_clzll(most) + 7) / 8 * 8) : 0;
}

static int64_t least_of(const int64_t *values, size_t nr)
{
	int64_t least = values[0];

	for (size_t i = 1; i < nr; i++)
		if (values[i] < least)
			least = values[i];
	return least;
}

/* A block of nr <= BLOCK differences: the smallest one, the bits of each part, the parts that have some. */
static void put_block(struct ts_bytes *out, const int64_t *differences, size_t nr, uint64_t mask)
{
	const int64_t least = least_of(differences, nr);
	uint64_t above[BLOCK] = {0};
	uint8_t bits[PARTS] = {0};

	for (size_t i = 0; i < nr; i++) {
		above[i] = ((uint64_t)differences[i] - (uint64_t)least) & mask;
		bits[i / PART] = ts_max(bits[i / PART], bits_of(above[i]));
	}
	thrift_zigzag(out, least);
	ts_bytes_put(out, bits, sizeof(bits));
	for (size_t i = 0; i < (nr + PART - 1) / PART * PART;
	     i++) /* a part that has begun is whole */
		parquet_values_put(out, above[i], bits[i / PART] / 8);
}

static int64_t difference_of(uint64_t value, uint64_t before, unsigned int bytes)
{
	const uint64_t difference = value - before;

	return bytes == 4 ? (int32_t)difference : (int64_t)difference;
}

void parquet_values_put_differences(struct ts_bytes *out, const uint64_t *values, size_t nr,
				    unsigned int bytes)
{
	const uint64_t mask = bytes == 4 ? UINT32_MAX : UINT64_MAX;

	ts_bytes_varint(out, BLOCK);
	ts_bytes_varint(out, PARTS);
	ts_bytes_varint(out, nr);
	thrift_zigzag(out, nr ? difference_of(values[0], 0, bytes) : 0);
	for (size_t from = 1; from < nr; from += BLOCK) {
		const size_t nr_here = ts_min(nr - from, (size_t)BLOCK);
		int64_t differences[BLOCK];

		for (size_t i = 0; i < nr_here; i++)
			differences[i] =
				difference_of(values[from + i], values[from + i - 1], bytes);
		put_block(out, differences, nr_here, mask);
	}
}
