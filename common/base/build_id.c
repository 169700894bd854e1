// SPDX-License-Identifier: Apache-2.0
/*
 * The program headers of an ELF file name the segments that hold notes (PT_NOTE). A note has three
 * words (name size, descriptor size, type), then a name and a descriptor, each padded to 4 bytes.
 * The build-id is the note of type 3 with the name "GNU".
 */
#include "common/base/build_id.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/text_file.h"

#define NOTES_MAX_BYTES	    16384 /* of one segment; the build-id is among the first notes */
#define PROGRAM_HEADERS_MAX 256

static size_t pad4(size_t len)
{
	return (len + 3) & ~(size_t)3;
}

static bool is_build_id(const Elf32_Nhdr *note, const uint8_t *name)
{
	return note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof(ELF_NOTE_GNU) &&
	       !memcmp(name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) && note->n_descsz > 0 &&
	       note->n_descsz <= TS_BUILD_ID_MAX;
}

bool ts_build_id_of_notes(const void *notes, size_t len, struct ts_build_id *ret)
{
	const uint8_t *at = notes;
	Elf32_Nhdr note; /* the same in 64-bit files */

	*ret = (struct ts_build_id){0};
	while (len >= sizeof(note)) {
		size_t name_len, whole;

		memcpy(&note, at, sizeof(note));
		if (note.n_namesz > len || note.n_descsz > len)
			return false;
		name_len = pad4(note.n_namesz);
		whole = sizeof(note) + name_len + pad4(note.n_descsz);
		if (sizeof(note) + name_len + note.n_descsz > len)
			return false;
		if (is_build_id(&note, at + sizeof(note))) {
			memcpy(ret->bytes, at + sizeof(note) + name_len, note.n_descsz);
			ret->len = (uint8_t)note.n_descsz;
			return true;
		}
		if (whole >= len)
			return false;
		at += whole;
		len -= whole;
	}
	return false;
}

bool ts_build_id_of_notes_file(const char *path, struct ts_build_id *ret)
{
	struct ts_bytes text = {0};

	*ret = (struct ts_build_id){0};
	if (!ts_text_file_read_all(&text, AT_FDCWD, path))
		ts_build_id_of_notes(text.data, text.len, ret);
	ts_bytes_release(&text);
	return ret->len > 0;
}

/* The source of an ELF file: memory, or a descriptor. */
struct source {
	const uint8_t *image; /* NULL: read fd */
	size_t len;
	int fd;
	int code; /* -errno of a read() that failed; 0: none did */
};

/* Copies up to len bytes from offset; returns the number of bytes copied. */
static size_t source_read(struct source *s, uint64_t offset, void *to, size_t len)
{
	ssize_t got;

	if (!s->image) {
		if (offset > INT64_MAX)
			return 0;
		do
			got = pread(s->fd, to, len, (off_t)offset);
		while (got < 0 && errno == EINTR);
		if (got < 0)
			s->code = -errno;
		return got < 0 ? 0 : (size_t)got;
	}
	if (offset >= s->len)
		return 0;
	if (len > s->len - offset)
		len = s->len - offset;
	memcpy(to, s->image + offset, len);
	return len;
}

/* The place of the program headers, 32 or 64 bit. */
struct program_headers {
	uint64_t offset;
	uint16_t nr, entry_bytes;
	bool is_64;
};

static bool read_elf_header(struct source *s, struct program_headers *ret)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr e32;
		Elf64_Ehdr e64;
	} h;
	size_t got = source_read(s, 0, &h, sizeof(h));
	int native = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

	if (got < sizeof(h.e32) || memcmp(h.ident, ELFMAG, SELFMAG) || h.ident[EI_DATA] != native)
		return false;
	ret->is_64 = h.ident[EI_CLASS] == ELFCLASS64;
	if (ret->is_64 && got < sizeof(h.e64))
		return false;
	ret->offset = ret->is_64 ? h.e64.e_phoff : h.e32.e_phoff;
	ret->nr = ret->is_64 ? h.e64.e_phnum : h.e32.e_phnum;
	ret->entry_bytes = ret->is_64 ? h.e64.e_phentsize : h.e32.e_phentsize;
	return ret->entry_bytes >= (ret->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)) &&
	       ret->nr <= PROGRAM_HEADERS_MAX;
}

/* Finds the segment of program header i; returns true if the segment holds notes. */
static bool read_note_segment(struct source *s, const struct program_headers *ph, unsigned i,
			      uint64_t *ret_offset, uint64_t *ret_len)
{
	union {
		Elf32_Phdr p32;
		Elf64_Phdr p64;
	} p;
	size_t len = ph->is_64 ? sizeof(p.p64) : sizeof(p.p32);

	if (source_read(s, ph->offset + (uint64_t)i * ph->entry_bytes, &p, len) != len)
		return false;
	*ret_offset = ph->is_64 ? p.p64.p_offset : p.p32.p_offset;
	*ret_len = ph->is_64 ? p.p64.p_filesz : p.p32.p_filesz;
	return (ph->is_64 ? p.p64.p_type : p.p32.p_type) == PT_NOTE;
}

static bool build_id_of_source(struct source *s, struct ts_build_id *ret)
{
	uint8_t notes[NOTES_MAX_BYTES];
	struct program_headers ph;
	uint64_t offset, len;

	*ret = (struct ts_build_id){0};
	if (!read_elf_header(s, &ph))
		return false;
	for (unsigned i = 0; i < ph.nr; i++) {
		if (!read_note_segment(s, &ph, i, &offset, &len))
			continue;
		if (len > sizeof(notes))
			len = sizeof(notes);
		if (ts_build_id_of_notes(notes, source_read(s, offset, notes, len), ret))
			return true;
	}
	return false;
}

int ts_build_id_of_fd(int fd, struct ts_build_id *ret)
{
	struct source s = {.fd = fd};

	return build_id_of_source(&s, ret) ? 1 : s.code;
}

bool ts_build_id_of_image(const void *image, size_t len, struct ts_build_id *ret)
{
	return build_id_of_source(&(struct source){.image = image, .len = len}, ret);
}

static struct ts_build_id_cache_entry *slot_of(const struct ts_build_id_cache *c, uint32_t maj,
					       uint32_t min, uint64_t ino)
{
	uint64_t hash = (ino ^ (uint64_t)maj << 40 ^ (uint64_t)min << 20) * 0x9e3779b97f4a7c15ULL;
	size_t i = hash >> 32 & (c->nr_slots - 1);

	while (c->slots[i].ino &&
	       (c->slots[i].ino != ino || c->slots[i].maj != maj || c->slots[i].min != min))
		i = (i + 1) & (c->nr_slots - 1);
	return &c->slots[i];
}

const struct ts_build_id *ts_build_id_cache_find(const struct ts_build_id_cache *c, uint32_t maj,
						 uint32_t min, uint64_t ino)
{
	struct ts_build_id_cache_entry *e = c->nr ? slot_of(c, maj, min, ino) : NULL;

	return e && e->ino ? &e->id : NULL;
}

/* Doubles the table once half of its slots are used. */
static bool grow_cache(struct ts_build_id_cache *c)
{
	struct ts_build_id_cache bigger = {.nr_slots = c->nr_slots ? c->nr_slots * 2 : 256};

	if (c->nr * 2 < c->nr_slots)
		return true;
	bigger.slots = calloc(bigger.nr_slots, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (size_t i = 0; i < c->nr_slots; i++)
		if (c->slots[i].ino)
			*slot_of(&bigger, c->slots[i].maj, c->slots[i].min, c->slots[i].ino) =
				c->slots[i];
	bigger.nr = c->nr;
	free(c->slots);
	*c = bigger;
	return true;
}

void ts_build_id_cache_add(struct ts_build_id_cache *c, uint32_t maj, uint32_t min, uint64_t ino,
			   const struct ts_build_id *id)
{
	struct ts_build_id_cache_entry *e;

	if (!grow_cache(c))
		return;
	e = slot_of(c, maj, min, ino);
	c->nr += e->ino ? 0 : 1;
	*e = (struct ts_build_id_cache_entry){.maj = maj, .min = min, .ino = ino, .id = *id};
}

void ts_build_id_cache_release(struct ts_build_id_cache *c)
{
	free(c->slots);
	*c = (struct ts_build_id_cache){0};
}
