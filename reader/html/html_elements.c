// SPDX-License-Identifier: Apache-2.0
#include "reader/html/html_elements.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "common/base/min_max.h"
#include "reader/html/base64.h"
#include "reader/runtime/text.h"
#include "reader/runtime/workers.h"

#define LEVEL	    6
#define ROOM	    (64u << 10)
#define BATCH	    4096u      /* numbers at once */
#define BLOCK_BYTES (3u << 18) /* of base64 at once; a multiple of 3 */

#define ELEMENT_BEGIN "<script type=\"application/octet-stream\" id=\"%s\">"
#define ELEMENT_END   "</script>\n"

/* --- adding --- */

static struct html_element *add_element(struct html_elements *e, const char *id)
{
	struct html_element *item = &e->items[e->nr++];

	assert(e->nr <= HTML_ELEMENTS_MOST);
	*item = (struct html_element){0};
	snprintf(item->id, sizeof(item->id), "%s", id);
	memory_hold(e->memory, &item->packed);
	return item;
}

void html_elements_add(struct html_elements *e, const char *id, struct ts_bytes *bytes)
{
	struct html_element *item = add_element(e, id);

	item->bytes = *bytes;
	*bytes = (struct ts_bytes){.resize = bytes->resize, .source = bytes->source};
}

unsigned int html_elements_add_column(struct html_elements *e, const char *id,
				      html_numbers *numbers, const void *source, uint64_t nr,
				      uint64_t most)
{
	unsigned int plane = 0;

	for (; most; most >>= 8, plane++) {
		char name[32];
		struct html_element *item;

		snprintf(name, sizeof(name), "%s.%u", id, plane);
		item = add_element(e, name);
		item->numbers = numbers;
		item->source = source;
		item->nr = nr;
		item->plane = plane;
	}
	return plane;
}

/* --- compressing --- */

struct packing {
	struct html_elements *elements;
	const struct progress *progress;
	atomic_uint next;
};

/* Appends what zlib makes of a piece; the last one ends the stream. Returns a code of zlib. */
static int deflate_piece(struct html_element *item, z_stream *z, const uint8_t *from, size_t len,
			 bool is_last)
{
	int code;

	z->next_in = (uint8_t *)from;
	z->avail_in = (uInt)len;
	do {
		z->next_out = ts_bytes_reserve(&item->packed, ROOM);
		if (!z->next_out)
			return Z_MEM_ERROR;
		z->avail_out = ROOM;
		code = deflate(z, is_last ? Z_FINISH : Z_NO_FLUSH);
		item->packed.len += ROOM - z->avail_out;
	} while (code == Z_OK && (z->avail_in || !z->avail_out || is_last));
	return code == Z_BUF_ERROR || code == Z_STREAM_END ? Z_OK : code; /* nothing was left */
}

static int deflate_plane(struct html_element *item, z_stream *z, const struct progress *progress)
{
	uint64_t numbers[BATCH];
	uint8_t bytes[BATCH];
	int code = Z_OK;

	for (uint64_t at = 0; code == Z_OK && at < item->nr; at += BATCH) {
		const size_t nr = ts_min(item->nr - at, BATCH);

		if (progress_is_stopped(progress))
			return Z_OK; /* the owner asks, too */
		item->numbers(item->source, at, nr, numbers);
		for (size_t i = 0; i < nr; i++)
			bytes[i] = (uint8_t)(numbers[i] >> 8 * item->plane);
		code = deflate_piece(item, z, bytes, nr, false);
	}
	return code == Z_OK ? deflate_piece(item, z, bytes, 0, true) : code;
}

static int deflate_bytes(struct html_element *item, z_stream *z)
{
	int code = Z_OK;

	if (ts_bytes_failed(&item->bytes))
		return Z_MEM_ERROR;
	for (size_t at = 0; code == Z_OK && at < item->bytes.len; at += ROOM)
		code = deflate_piece(item, z, item->bytes.data + at,
				     ts_min(item->bytes.len - at, ROOM), false);
	return code == Z_OK ? deflate_piece(item, z, NULL, 0, true) : code;
}

static void pack_element(struct html_element *item, const struct progress *progress)
{
	z_stream z = {0};

	item->code = deflateInit(&z, LEVEL);
	if (item->code != Z_OK)
		return;
	item->code = item->numbers ? deflate_plane(item, &z, progress) : deflate_bytes(item, &z);
	deflateEnd(&z);
	ts_bytes_release(&item->bytes);
}

/* Takes one element after the other. */
static void pack_some(void *arg, unsigned int n)
{
	struct packing *p = arg;
	unsigned int i;

	(void)n;
	while ((i = atomic_fetch_add_explicit(&p->next, 1, memory_order_relaxed)) < p->elements->nr)
		if (!p->elements->items[i].packed.len)
			pack_element(&p->elements->items[i], p->progress);
}

int html_elements_pack(struct html_elements *e, const struct progress *progress,
		       unsigned int nr_workers, struct ts_error *err)
{
	struct packing p = {.elements = e, .progress = progress};

	workers_run((unsigned int)ts_min(nr_workers, HTML_ELEMENTS_WORKERS), pack_some, &p);
	if (progress_is_stopped(progress))
		return -EINTR;
	for (unsigned int i = 0; i < e->nr; i++)
		if (e->items[i].code != Z_OK)
			return ts_error_sys(err, e->items[i].code == Z_MEM_ERROR ? ENOMEM : EIO,
					    "cannot compress the data of the page");
	return 0;
}

/* --- writing --- */

uint64_t html_elements_bytes(const struct html_elements *e)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < e->nr; i++)
		sum += sizeof(ELEMENT_BEGIN) + strlen(e->items[i].id) + sizeof(ELEMENT_END) +
		       base64_bytes(e->items[i].packed.len);
	return sum;
}

static int write_element(const struct html_element *item, const struct progress *progress,
			 struct result_file *to, struct ts_error *err)
{
	struct ts_bytes out = {0};
	int rc = 0;

	ts_bytes_printf(&out, ELEMENT_BEGIN, item->id);
	for (size_t at = 0; !rc && at < item->packed.len; at += BLOCK_BYTES) {
		base64_put(&out, item->packed.data + at,
			   ts_min(item->packed.len - at, BLOCK_BYTES));
		rc = progress_is_stopped(progress) ? -EINTR
						   : result_file_write_block(to, &out, err);
	}
	text_put(&out, ELEMENT_END);
	if (!rc)
		rc = result_file_write_block(to, &out, err);
	ts_bytes_release(&out);
	return rc;
}

int html_elements_write(const struct html_elements *e, const struct progress *progress,
			struct result_file *to, struct ts_error *err)
{
	int rc = 0;

	for (unsigned int i = 0; !rc && i < e->nr; i++)
		rc = write_element(&e->items[i], progress, to, err);
	return rc;
}

void html_elements_cut(struct html_elements *e, unsigned int nr)
{
	while (e->nr > nr) {
		struct html_element *item = &e->items[--e->nr];

		ts_bytes_release(&item->bytes);
		ts_bytes_release(&item->packed);
	}
}

void html_elements_release(struct html_elements *e)
{
	html_elements_cut(e, 0);
}
