// SPDX-License-Identifier: Apache-2.0
#include "reader/encoding/packed_file.h"

#include <errno.h>
#include <inttypes.h>

#define BLOCK_BYTES (256u << 10)
#define OF_BYTES    2 /* the type of a field that has a length */

static uint64_t tag_of(uint32_t field)
{
	return (uint64_t)field << 3 | OF_BYTES;
}

/* Of a number as ts_bytes_varint() puts it. */
static unsigned int varint_bytes(uint64_t value)
{
	return (64 - (unsigned int)__builtin_clzll(value | 1) + 6) / 7;
}

static int tell_memory(const struct packed_file *f, struct ts_error *err)
{
	return ts_error_sys(err, ENOMEM, "cannot write %s", f->to->path);
}

static int pass(struct packed_file *f, struct ts_error *err)
{
	if (f->block.len < BLOCK_BYTES)
		return 0;
	f->nr_written += f->block.len;
	return progress_is_stopped(f->progress) ? -EINTR
						: result_file_write_block(f->to, &f->block, err);
}

/* The bytes of a field are known before they are written, and those of inner fields are among them. */
static int check_size(const struct packed_file *f, uint64_t nr_bytes, struct ts_error *err)
{
	if (!f->most_bytes || f->nr_written + f->block.len + nr_bytes <= f->most_bytes)
		return 0;
	ts_error_set(err, EFBIG,
		     "cannot write %s: it would have more than %" PRIu64
		     " bytes, which its readers refuse",
		     f->to->path, f->most_bytes);
	return ts_error_hint(err, "select less, as with --time=0%%-50%%");
}

int packed_file_put_head(struct packed_file *f, uint32_t field, uint64_t nr_bytes,
			 struct ts_error *err)
{
	const int rc = check_size(f, packed_field_bytes(field, nr_bytes), err);

	if (rc)
		return rc;
	ts_bytes_varint(&f->block, tag_of(field));
	ts_bytes_varint(&f->block, nr_bytes);
	return ts_bytes_failed(&f->block) ? tell_memory(f, err) : pass(f, err);
}

int packed_file_put_parts(struct packed_file *f, const ProtobufCMessage *message,
			  struct ts_error *err)
{
	uint8_t *to = ts_bytes_reserve(&f->block, protobuf_c_message_get_packed_size(message));

	if (!to)
		return tell_memory(f, err);
	f->block.len += protobuf_c_message_pack(message, to);
	return pass(f, err);
}

int packed_file_put_bytes(struct packed_file *f, const uint8_t *bytes, size_t nr,
			  struct ts_error *err)
{
	const int rc = check_size(f, nr, err);

	if (rc)
		return rc;
	ts_bytes_put(&f->block, bytes, nr);
	return ts_bytes_failed(&f->block) ? tell_memory(f, err) : pass(f, err);
}

int packed_file_put(struct packed_file *f, uint32_t field, const ProtobufCMessage *message,
		    struct ts_error *err)
{
	const int rc =
		packed_file_put_head(f, field, protobuf_c_message_get_packed_size(message), err);

	return rc ? rc : packed_file_put_parts(f, message, err);
}

int packed_file_close(struct packed_file *f, struct ts_error *err)
{
	return f->block.len ? result_file_write_block(f->to, &f->block, err) : 0;
}

void packed_file_release(struct packed_file *f)
{
	ts_bytes_release(&f->block);
}

uint64_t packed_field_bytes(uint32_t field, uint64_t nr_bytes)
{
	return varint_bytes(tag_of(field)) + varint_bytes(nr_bytes) + nr_bytes;
}
