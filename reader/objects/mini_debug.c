// SPDX-License-Identifier: Apache-2.0
#include "reader/objects/mini_debug.h"

#include <errno.h>
#include <lzma.h>

#include "common/base/min_max.h"

#define SECTION	      ".gnu_debugdata"
#define LARGEST_BYTES (128u << 20)
#define DECODER_BYTES (128u << 20) /* xz -9 takes 65 MiB of it */
#define FIRST_BYTES   (64u << 10)
#define CANNOT_EXPAND "cannot expand " SECTION " of %s: "

/* Lets the decoder append to *ret, into room that doubles. */
static lzma_ret expand_some(lzma_stream *s, struct ts_bytes *ret, size_t most)
{
	const size_t room = ts_min(ts_max(ret->len, (size_t)FIRST_BYTES), most + 1 - ret->len);
	lzma_ret rc;

	s->next_out = ts_bytes_reserve(ret, room);
	s->avail_out = room;
	if (!s->next_out)
		return LZMA_MEM_ERROR;
	rc = lzma_code(s, LZMA_FINISH);
	ret->len += room - s->avail_out;
	return rc;
}

static int refuse_section(lzma_ret rc, const char *name, struct ts_error *err)
{
	switch (rc) {
	case LZMA_STREAM_END:
		return 0;
	case LZMA_MEM_ERROR:
		return ts_error_sys(err, ENOMEM, "cannot expand " SECTION " of %s", name);
	case LZMA_MEMLIMIT_ERROR:
		return ts_error_set(err, EFBIG, CANNOT_EXPAND "that would take more than %u MiB",
				    name, DECODER_BYTES >> 20);
	case LZMA_BUF_ERROR:
		return ts_error_set(err, EINVAL, CANNOT_EXPAND "it is cut off", name);
	case LZMA_FORMAT_ERROR:
		return ts_error_set(err, EINVAL, CANNOT_EXPAND "it is not of xz", name);
	default:
		return ts_error_set(err, EINVAL, CANNOT_EXPAND "it is damaged", name);
	}
}

int mini_debug_expand(const void *xz, size_t size, size_t most, const char *name,
		      struct ts_bytes *ret, struct ts_error *err)
{
	lzma_stream s = LZMA_STREAM_INIT;
	const size_t before = ret->len;
	lzma_ret rc = lzma_stream_decoder(&s, DECODER_BYTES, 0);

	s.next_in = xz;
	s.avail_in = size;
	while (rc == LZMA_OK && ret->len - before <= most)
		rc = expand_some(&s, ret, before + most);
	lzma_end(&s);
	if (ret->len - before > most)
		return ts_error_set(err, EFBIG, CANNOT_EXPAND "it has more than %zu MiB", name,
				    most >> 20);
	return refuse_section(rc, name, err);
}

static int open_expanded(struct elf_file *ret, const struct elf_section *section, const char *path,
			 struct ts_error *err)
{
	struct ts_bytes image = {0};
	struct elf_section symtab;
	int rc = mini_debug_expand(section->data->d_buf, section->data->d_size, LARGEST_BYTES, path,
				   &image, err);

	if (rc) {
		ts_bytes_release(&image);
		return rc;
	}
	rc = elf_file_own_image(ret, &image, SECTION, err);
	if (!rc && !elf_file_section(ret, SHT_SYMTAB, NULL, &symtab)) {
		elf_file_close(ret);
		return ts_error_set(err, ENOENT,
				    "cannot use " SECTION " of %s: it has no symbol table", path);
	}
	return rc;
}

bool mini_debug_open(struct elf_file *ret, const struct elf_file *object, const char *path,
		     const struct symbol_search *search)
{
	struct elf_section section;
	struct ts_error err;

	if (!elf_file_section(object, SHT_PROGBITS, SECTION, &section)) {
		symbol_search_note_elf(search);
		return false;
	}
	if (!open_expanded(ret, &section, path, &err))
		return true;
	symbol_search_note(search, &err);
	return false;
}
