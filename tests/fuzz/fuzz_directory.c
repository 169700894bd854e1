// SPDX-License-Identifier: Apache-2.0
/*
 * The input is a whole capture directory: for each name of `names` the length of its file (u32; 0:
 * there is none) and the file.
 *
 * The directory is opened, its chunks are cut, its losses are printed, and it is checked, as by
 * `report --loss` and `check`. Their output has no control characters and no damage without a
 * sentence. If an input ends the program, its folder stays in /tmp.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file_io.h"
#include "reader/capture/account.h"
#include "reader/check/check.h"
#include "reader/check/print_check.h"
#include "reader/trust/loss.h"
#include "reader/trust/print_loss.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/seeds.h"
#include "tests/support/scratch.h"

static const char *const names[] = {"data", "data.0", "data.1", "tstream.json"};

#define NR_NAMES (sizeof(names) / sizeof(names[0]))

static void check(int holds)
{
	if (!holds)
		abort();
}

static void write_file(const char *folder, const char *name, const uint8_t *data, size_t size)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	check(fd >= 0 && !ts_file_write_all(fd, data, size));
	close(fd);
}

/* Chunks get the checksums that they should have, in every other input. */
static void write_part(const char *folder, const char *name, const uint8_t *data, size_t size,
		       int is_sealed)
{
	uint8_t *copy = malloc(size);

	check(copy != NULL);
	memcpy(copy, data, size);
	if (is_sealed && !strncmp(name, "data.", 5))
		seal_stream(copy, size);
	write_file(folder, name, copy, size);
	free(copy);
}

static void write_all(const char *folder, const uint8_t *data, size_t size)
{
	size_t at = 0;

	for (size_t i = 0; i < NR_NAMES && size - at >= 4; i++) {
		size_t len = ts_record_load_u32(data + at);

		at += 4;
		len = len < size - at ? len : size - at;
		if (len)
			write_part(folder, names[i], data + at, len, size % 2);
		at += len;
	}
}

static void check_text(struct ts_bytes *out)
{
	check(!ts_bytes_failed(out));
	for (size_t i = 0; i < out->len; i++)
		check(out->data[i] == '\n' || out->data[i] >= ' ');
	ts_bytes_clear(out);
}

static void tell_loss(const struct capture *c, const struct chunk_table *t, struct ts_bytes *out)
{
	const struct loss_style style = {.columns = 80, .lines = 24};
	struct loss_json json = {0};
	struct account account;
	struct ts_error err;
	struct loss loss;

	check(!account_read(&account, c));
	check(!loss_open(&loss, c, t, &err));
	print_loss_table(&loss, c->path, &style, out);
	check(!print_loss_map(&loss, &style, out));
	print_loss_bias(&loss, out);
	check_text(out);
	check(!loss_json_add(&json, c->path, &loss, &account) && !loss_json_print(&json, out));
	check_text(out);
	loss_json_close(&json);
	account_release(&account);
	loss_close(&loss);
}

static void look_at_streams(const struct capture *c)
{
	struct account account;
	uint64_t missing;

	account_read(&account, c);
	for (size_t i = 0; i < account.nr_streams; i++)
		account_check(&account.streams[i], c, &missing);
	account_release(&account);
}

static void read_capture(const char *path, struct ts_bytes *out)
{
	struct ts_error err = {0};
	struct chunk_table table;
	struct capture c;

	if (capture_open(&c, path, &err)) {
		check(err.code && err.text[0]);
		return;
	}
	check(!chunk_table_open(&table, &c, 1, CHUNK_TABLE_COUNTS, NULL, &err));
	tell_loss(&c, &table, out);
	look_at_streams(&c);
	chunk_table_close(&table);
	capture_close(&c);
}

static void check_capture(const char *path, struct ts_bytes *out)
{
	struct ts_error err = {0};
	struct check c;

	if (check_open(&c, path, 1, NULL, NULL, &err)) {
		check(err.code && err.text[0]);
		return;
	}
	print_check(&c, NULL, false, out);
	check_text(out);
	check(!print_check_json(&c, NULL, out));
	check_text(out);
	check_close(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_bytes out = {0};
	struct scratch folder;

	scratch_make(&folder);
	write_all(folder.path, data, size);
	read_capture(folder.path, &out);
	check_capture(folder.path, &out);
	scratch_remove(&folder);
	ts_bytes_release(&out);
	return 0;
}

static void put_part(struct ts_bytes *part, struct ts_bytes *out)
{
	ts_bytes_u32(out, (uint32_t)part->len);
	ts_bytes_put(out, part->data, part->len);
	ts_bytes_clear(part);
}

/* A complete capture, one of a killed recorder, one of perf's, and one with a stream too few. */
void fuzz_seed(uint32_t nr, struct ts_bytes *out)
{
	struct ts_bytes part = {0};

	seed_file(nr / 4 * 4, &part);
	put_part(&part, out);
	for (uint32_t i = 0; i < 2; i++) {
		if (nr % 4 == 2)
			seed_foreign_stream(nr + i, &part);
		else if (nr % 4 != 3 || !i)
			seed_own_stream(nr / 4 + i, &part);
		put_part(&part, out);
	}
	if (nr % 4 == 0 || nr % 4 == 3)
		seed_note(nr, &part);
	put_part(&part, out);
	ts_bytes_release(&part);
}
