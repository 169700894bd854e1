/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Build-ids from ELF notes: of a file, of the kernel, of this process's vdso.
 *
 * Only the notes are read, 32 and 64 bit, of this machine's byte order; nothing is trusted, as the
 * files belong to whom we record.
 *
 * Threads: pure but for reading; a cache has one owner.
 *
 * Source: elf(5), include/uapi/linux/elf.h.
 */
#ifndef STREAMER_BUILD_ID_H
#define STREAMER_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_MAX_BYTES 20

struct build_id {
	uint8_t bytes[BUILD_ID_MAX_BYTES];
	uint8_t len; /* 0: none */
};

/* All return whether a build-id was found; *ret has len 0 otherwise. */

/* Among notes as they lie in a PT_NOTE segment, or in /sys/kernel/notes. */
bool build_id_of_notes(const void *notes, size_t len, struct build_id *ret);
/* In a file of such notes. */
bool build_id_of_notes_file(const char *path, struct build_id *ret);
/* In an ELF file that is open for reading. */
bool build_id_of_fd(int fd, struct build_id *ret);
/* In an ELF image that lies whole in memory. */
bool build_id_of_image(const void *image, size_t len, struct build_id *ret);

/* The build-ids of files already looked at; those without one are remembered as well. */
struct build_id_cache_entry {
	uint32_t maj, min;
	uint64_t ino; /* 0: a free slot */
	struct build_id id;
};

struct build_id_cache {
	struct build_id_cache_entry *slots; /* open addressing */
	size_t nr_slots;		    /* power of two */
	size_t nr;
};

/* The entry of a file (ino is not 0), or NULL. */
const struct build_id *build_id_cache_find(const struct build_id_cache *c, uint32_t maj,
					   uint32_t min, uint64_t ino);
/* Remembers; without memory it forgets, so that the file is read again. */
void build_id_cache_add(struct build_id_cache *c, uint32_t maj, uint32_t min, uint64_t ino,
			const struct build_id *id);
void build_id_cache_release(struct build_id_cache *c);

#endif
