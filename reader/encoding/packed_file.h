/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A result of protobuf messages, written one field after the other: fields go into a block, and full
 * blocks into the file. So only a block of the outermost message is in memory.
 *
 *	packed_file_put()         a field that is a message
 *	packed_file_put_head()    the head of a field whose bytes follow; packed_file_put_parts() puts them
 *	packed_file_close()       the end
 *	packed_file_release()     in any case
 *
 * The length of a message stands before it. packed_field_bytes() tells it without writing.
 *
 * Threads: one owner.
 */
#ifndef TS_READER_ENCODING_PACKED_FILE_H
#define TS_READER_ENCODING_PACKED_FILE_H

#include <protobuf-c/protobuf-c.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "common/base/error.h"
#include "reader/commands/result_file.h"
#include "reader/runtime/progress.h"

struct packed_file {
	struct result_file *to;		 /* outlives it */
	const struct progress *progress; /* outlives it */
	uint64_t most_bytes; /* of the file: a field that does not fit is refused; 0: any */
	struct ts_bytes block;
	uint64_t nr_written; /* bytes before the block */
};

/*
 * A field of the message that is being written. All functions that write return 0 or -errno with *err;
 * -EPIPE: the reader of standard output went away, and -EINTR: it was stopped; then *err is not set.
 * -EFBIG: the file would be larger than most_bytes.
 */
int packed_file_put(struct packed_file *f, uint32_t field, const ProtobufCMessage *message,
		    struct ts_error *err);
/* Only the number of a field and the number of its bytes, which are written next. */
int packed_file_put_head(struct packed_file *f, uint32_t field, uint64_t nr_bytes,
			 struct ts_error *err);
/* The fields of a message, as parts of the message that is being written. */
int packed_file_put_parts(struct packed_file *f, const ProtobufCMessage *message,
			  struct ts_error *err);
/* Whole fields that were packed elsewhere. */
int packed_file_put_bytes(struct packed_file *f, const uint8_t *bytes, size_t nr,
			  struct ts_error *err);
int packed_file_close(struct packed_file *f, struct ts_error *err);
void packed_file_release(struct packed_file *f); /* accepts a zeroed one; idempotent */

/* The bytes of a field with its head, whose message has so many bytes. */
uint64_t packed_field_bytes(uint32_t field, uint64_t nr_bytes);

#endif
