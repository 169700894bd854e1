// SPDX-License-Identifier: Apache-2.0
#include "reader/symbols/jitdump.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/min_max.h"
#include "common/base/path.h"
#include "reader/objects/untrusted_file.h"

#define MAGIC	     0x4a695444	  /* "JiTD" */
#define BYTES_MAX    (1ull << 30) /* of a file; more is not read */
#define RECORDS_MAX  (1u << 24)	  /* of a table */
#define TIMES_OF_CPU 1		  /* flags: a counter of the CPU, not nanoseconds */
#define PREFIX_BYTES 16
#define LOAD_BYTES   40 /* behind the prefix, before the name */
#define MOVE_BYTES   48
#define LINES_BYTES  16
#define UNWIND_BYTES 24

enum record { RECORD_LOAD, RECORD_MOVE, RECORD_DEBUG_INFO, RECORD_CLOSE, RECORD_UNWINDING_INFO };

struct header {
	uint32_t magic, version, bytes, machine, unused, pid;
	uint64_t time_ns, flags;
};

struct prefix {
	uint32_t id, bytes;
	uint64_t time_ns;
};

struct load {
	uint32_t pid, tid;
	uint64_t vma, address, bytes, index;
};

struct move {
	uint32_t pid, tid;
	uint64_t vma, old_address, address, bytes, index;
};

struct unwinding_info { /* .eh_frame, then .eh_frame_hdr */
	uint64_t bytes, header_bytes, mapped_bytes;
};

bool jitdump_is_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *digits;
	size_t len;

	if (!slash || strncmp(slash, "/jit-", 5) != 0)
		return false;
	digits = slash + 5;
	len = strspn(digits, "0123456789");
	return len && !strcmp(digits + len, ".dump");
}

/* --- the file --- */

static bool read_at(struct jitdump *d, uint64_t at, void *to, size_t bytes)
{
	return !fseeko(d->file, (off_t)at, SEEK_SET) && fread(to, bytes, 1, d->file) == 1;
}

static int refuse_dump(struct jitdump *d, struct ts_error *err, const char *path, const char *why)
{
	jitdump_close(d);
	return ts_error_set(err, EINVAL, "cannot use %s: %s", path, why);
}

static int fail_dump(struct jitdump *d, struct ts_error *err, const char *path, int code)
{
	jitdump_close(d);
	return ts_error_sys(err, code, "cannot read %s", path);
}

/* Takes an open file. */
static int begin_dump(struct jitdump *d, FILE *file, const char *path, struct ts_error *err)
{
	struct header header;
	struct stat st;
	bool is_read;

	*d = (struct jitdump){.file = file};
	if (fstat(fileno(file), &st))
		return fail_dump(d, err, path, errno);
	is_read = read_at(d, 0, &header, sizeof(header));
	if (!is_read && ferror(file))
		return fail_dump(d, err, path, EIO);
	if (!is_read || header.magic != MAGIC || header.bytes < sizeof(header))
		return refuse_dump(d, err, path, "it is no jitdump file of this byte order");
	if (header.flags & TIMES_OF_CPU)
		return refuse_dump(d, err, path, "its times are those of a CPU's counter");
	d->at = header.bytes;
	d->pid = header.pid;
	d->end = ts_min((uint64_t)st.st_size, BYTES_MAX);
	return 0;
}

int jitdump_open(struct jitdump *d, const char *path, uid_t owner, const struct harmless *how,
		 struct ts_error *err)
{
	FILE *file = untrusted_file_open(path, owner, how, err);

	return file ? begin_dump(d, file, path, err) : -err->code;
}

int jitdump_find(struct jitdump *d, const char *path, uint32_t pid,
		 const struct symbol_search *search, struct untrusted_file_place *ret,
		 struct ts_error *err)
{
	const struct untrusted_file wanted = {pid, ts_path_name(path), path};
	FILE *file = untrusted_file_find(&wanted, search, ret, err);

	return file ? begin_dump(d, file, ret->path, err) : -err->code;
}

int jitdump_fault(const struct jitdump *d)
{
	return ferror(d->file) ? EIO : 0;
}

void jitdump_close(struct jitdump *d)
{
	if (d->file)
		fclose(d->file);
	d->file = NULL;
}

/* --- records --- */

static bool take_load(struct jitdump *d, uint64_t at, const struct prefix *prefix,
		      struct jitdump_record *ret)
{
	const uint64_t fixed = PREFIX_BYTES + LOAD_BYTES;
	uint64_t name_bytes;
	struct load load;

	if (prefix->bytes < fixed || !read_at(d, at + PREFIX_BYTES, &load, sizeof(load)) ||
	    load.bytes >= prefix->bytes - fixed || load.address + load.bytes < load.address)
		return false;
	name_bytes = ts_min(prefix->bytes - fixed - load.bytes, (uint64_t)JITDUMP_NAME_MAX);
	if (!read_at(d, at + fixed, ret->name, name_bytes))
		return false;
	ret->name[name_bytes - 1] = '\0';
	ret->is_move = false;
	ret->pid = load.pid;
	ret->index = load.index;
	ret->address = load.address;
	ret->bytes = load.bytes;
	ret->offset = at + prefix->bytes - load.bytes;
	ret->lines = d->lines;
	ret->unwinding = d->unwinding;
	d->lines = d->unwinding = (struct jitdump_part){0};
	return true;
}

static bool take_move(struct jitdump *d, uint64_t at, const struct prefix *prefix,
		      struct jitdump_record *ret)
{
	struct move move;

	if (prefix->bytes < PREFIX_BYTES + MOVE_BYTES ||
	    !read_at(d, at + PREFIX_BYTES, &move, sizeof(move)) ||
	    move.address + move.bytes < move.address)
		return false;
	ret->is_move = true;
	ret->pid = move.pid;
	ret->index = move.index;
	ret->address = move.address;
	ret->bytes = move.bytes;
	return true;
}

/*
 * Notes lines or unwinding information for the next code. A part that does not fit its record
 * counts as missing.
 */
static void take_info(struct jitdump *d, uint64_t at, const struct prefix *prefix)
{
	const uint64_t fixed = PREFIX_BYTES + UNWIND_BYTES;
	struct unwinding_info info;

	if (prefix->id == RECORD_DEBUG_INFO && prefix->bytes > PREFIX_BYTES + LINES_BYTES)
		d->lines = (struct jitdump_part){at + PREFIX_BYTES + LINES_BYTES,
						 prefix->bytes - PREFIX_BYTES - LINES_BYTES};
	if (prefix->id != RECORD_UNWINDING_INFO || prefix->bytes < fixed ||
	    !read_at(d, at + PREFIX_BYTES, &info, sizeof(info)))
		return;
	if (info.bytes <= prefix->bytes - fixed && info.header_bytes <= info.bytes)
		d->unwinding = (struct jitdump_part){at + fixed, info.bytes - info.header_bytes};
}

bool jitdump_read(struct jitdump *d, const struct jitdump_part *part, void *to)
{
	return !part->bytes || read_at(d, part->at, to, part->bytes);
}

bool jitdump_next(struct jitdump *d, struct jitdump_record *ret)
{
	struct prefix prefix;

	while (d->at < d->end && read_at(d, d->at, &prefix, sizeof(prefix))) {
		const uint64_t at = d->at;

		if (prefix.bytes < PREFIX_BYTES || prefix.bytes > d->end - at ||
		    prefix.id == RECORD_CLOSE)
			break;
		d->at += prefix.bytes;
		d->nr_read++;
		ret->time_ns = prefix.time_ns;
		if (prefix.id == RECORD_LOAD)
			return take_load(d, at, &prefix, ret);
		if (prefix.id == RECORD_MOVE)
			return take_move(d, at, &prefix, ret);
		take_info(d, at, &prefix);
	}
	return false;
}

int jitdump_load(struct symbol_table *t, const char *path, const struct harmless *how,
		 struct ts_error *err)
{
	struct jitdump_record record;
	struct jitdump d;
	/* its owner was checked when it was found */
	int rc = jitdump_open(&d, path, UNTRUSTED_FILE_ANYBODY, how, err);

	if (rc)
		return rc;
	while (!t->failed && t->nr < RECORDS_MAX && jitdump_next(&d, &record))
		if (!record.is_move && record.bytes)
			symbol_table_add(t, record.offset, record.bytes, UINT64_MAX, STB_GLOBAL,
					 STT_FUNC, record.name, strlen(record.name));
	rc = jitdump_fault(&d);
	jitdump_close(&d);
	symbol_table_finish(t, false);
	if (t->failed)
		rc = symbol_table_lack(t);
	if (rc == MEMORY_REFUSED)
		return symbol_limits_refuse(path, err);
	return rc ? ts_error_sys(err, rc, "cannot read %s", path) : 0;
}
