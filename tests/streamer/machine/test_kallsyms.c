// SPDX-License-Identifier: Apache-2.0
#include "streamer/machine/kallsyms.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int load_text(struct kallsyms *k, const char *text)
{
	struct ts_error err;
	char path[64];
	int fd = memfd_create("kallsyms", 0);
	int failed;

	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	failed = kallsyms_load(k, path, &err);
	close(fd);
	return failed;
}

Test(kallsyms, prefers_text_to_stext_whichever_comes_first)
{
	struct kallsyms k;

	cr_assert_eq(load_text(&k, "ffffffff81001000 T _stext\n"
				   "ffffffff81000000 T _text\n"
				   "ffffffff81000000 T _text_of_another\n"
				   "ffffffff82000000 T _etext\n"),
		     0);
	cr_assert_str_eq(k.reference, "_text");
	cr_assert_eq(k.start, 0xffffffff81000000);
	cr_assert_eq(k.end, 0xffffffff82000000);
	cr_assert_not(k.hidden);
	kallsyms_release(&k);
}

Test(kallsyms, takes_nothing_from_hidden_addresses)
{
	struct kallsyms k;

	cr_assert_eq(load_text(&k, "0000000000000000 T _text\n"
				   "0000000000000000 t bpf_prog_6deef7357e7b4530\t[bpf]\n"),
		     0);
	cr_assert(k.hidden);
	cr_assert_null(k.reference);
	cr_assert_eq(kallsyms_nr_bpf(&k), 0);
	kallsyms_release(&k);
}

Test(kallsyms, finds_bpf_symbols_by_address_whatever_their_order)
{
	struct kallsyms k;

	cr_assert_eq(load_text(&k, "ffffffff81000000 T _text\n"
				   "ffffffffc0009000 t bpf_trampoline_42\t[bpf]\n"
				   "ffffffffc0001000 t bpf_prog_01_a\t[bpf]\n"
				   "ffffffffc0005000 t not_ours\t[bpfilter]"),
		     0);
	cr_assert_eq(kallsyms_nr_bpf(&k), 2);
	cr_assert_str_eq(kallsyms_find_bpf(&k, 0xffffffffc0001000), "bpf_prog_01_a");
	cr_assert_str_eq(kallsyms_find_bpf(&k, 0xffffffffc0009000), "bpf_trampoline_42");
	cr_assert_null(kallsyms_find_bpf(&k, 0xffffffffc0005000));
	kallsyms_release(&k);
}

Test(kallsyms, says_which_file_cannot_be_read)
{
	struct kallsyms k;
	struct ts_error err;

	cr_assert_eq(kallsyms_load(&k, "/nonexistent/kallsyms", &err), -ENOENT);
	cr_assert_str_eq(err.text, "cannot read /nonexistent/kallsyms: No such file or directory");
}
