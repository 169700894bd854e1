/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Build-ids from ELF notes: of a file, of the kernel, of this process's vdso.
 *
 * Only the notes are read, 32 and 64 bit, in this machine's byte order. Nothing is trusted, because
 * the files belong to the recorded processes.
 *
 * Threads: pure functions that read files; a cache has one owner.
 *
 * Source: elf(5), include/uapi/linux/elf.h.
 */
#ifndef TS_COMMON_BASE_BUILD_ID_H
#define TS_COMMON_BASE_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TS_BUILD_ID_MAX 20 /* bytes; a longer one counts as none, as in the kernel */

struct ts_build_id {
	uint8_t bytes[TS_BUILD_ID_MAX];
	uint8_t len; /* 0: none */
};

static inline bool ts_build_id_equal(const struct ts_build_id *a, const struct ts_build_id *b)
{
	return a->len == b->len && !memcmp(a->bytes, b->bytes, a->len);
}

/* All these functions return whether they found a build-id; if not, *ret has len 0. */

/* Searches notes as they lie in a PT_NOTE segment, or in /sys/kernel/notes. */
bool ts_build_id_of_notes(const void *notes, size_t len, struct ts_build_id *ret);
/* Searches a file of such notes. */
bool ts_build_id_of_notes_file(const char *path, struct ts_build_id *ret);
/* Searches an ELF file that is open for reading. -errno: it cannot be read, so it may have one. */
int ts_build_id_of_fd(int fd, struct ts_build_id *ret);
/* Searches a whole ELF image in memory. */
bool ts_build_id_of_image(const void *image, size_t len, struct ts_build_id *ret);

/*
 * The build-ids of files that were already read. Files without a build-id are remembered as well;
 * files that could not be read for lack of memory or descriptors must not be.
 */
struct ts_build_id_cache_entry {
	uint32_t maj, min;
	uint64_t ino; /* 0: a free slot */
	struct ts_build_id id;
};

struct ts_build_id_cache {
	struct ts_build_id_cache_entry *slots; /* open addressing */
	size_t nr_slots;		       /* power of two */
	size_t nr;
};

/* The entry of a file (ino is not 0), or NULL. */
const struct ts_build_id *ts_build_id_cache_find(const struct ts_build_id_cache *c, uint32_t maj,
						 uint32_t min, uint64_t ino);
/* Remembers a build-id. Without memory it remembers nothing, and the file is read again later. */
void ts_build_id_cache_add(struct ts_build_id_cache *c, uint32_t maj, uint32_t min, uint64_t ino,
			   const struct ts_build_id *id);
void ts_build_id_cache_release(struct ts_build_id_cache *c);

#endif
