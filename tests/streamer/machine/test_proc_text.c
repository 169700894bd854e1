// SPDX-License-Identifier: Apache-2.0
#include "streamer/machine/proc_text.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>

Test(proc_text, takes_a_line_of_a_mapped_file_apart)
{
	const char *line = "7fc835003000-7fc835159000 r-xp 00026000 fe:1f 332835      "
			   "               /usr/lib/a b.so (deleted)";
	struct proc_map m;

	cr_assert(proc_parse_map(line, strlen(line), &m));
	cr_assert_eq(m.start, 0x7fc835003000);
	cr_assert_eq(m.end, 0x7fc835159000);
	cr_assert_eq(m.prot, PROT_READ | PROT_EXEC);
	cr_assert_eq(m.flags, MAP_PRIVATE);
	cr_assert_eq(m.pgoff, 0x26000);
	cr_assert_eq(m.maj, 0xfe);
	cr_assert_eq(m.min, 0x1f);
	cr_assert_eq(m.ino, 332835);
	cr_assert_eq(m.name_len, strlen("/usr/lib/a b.so (deleted)"));
	cr_assert_eq(memcmp(m.name, "/usr/lib/a b.so (deleted)", m.name_len), 0);
}

Test(proc_text, takes_anonymous_and_shared_memory_apart)
{
	const char *line = "7f0000000000-7f0000001000 -w-s 00000000 00:00 0 ";
	struct proc_map m;

	cr_assert(proc_parse_map(line, strlen(line), &m));
	cr_assert_eq(m.prot, PROT_WRITE);
	cr_assert_eq(m.flags, MAP_SHARED);
	cr_assert_eq(m.name_len, 0);
}

Test(proc_text, takes_addresses_of_the_upper_half_apart)
{
	const char *line =
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0      [vsyscall]";
	struct proc_map m;

	cr_assert(proc_parse_map(line, strlen(line), &m));
	cr_assert_eq(m.start, 0xffffffffff600000);
	cr_assert_eq(m.prot, PROT_EXEC);
	cr_assert_eq(memcmp(m.name, "[vsyscall]", m.name_len), 0);
}

Test(proc_text, refuses_every_beginning_of_a_line)
{
	const char *line = "7fc835003000-7fc835159000 r-xp 00026000 fe:00 332835 /lib";
	struct proc_map m;

	for (size_t len = 0; len < strlen("7fc835003000-7fc835159000 r-xp 00026000 fe:00 332835");
	     len++)
		cr_assert_not(proc_parse_map(line, len, &m), "%zu bytes", len);
	cr_assert(proc_parse_map(line, strlen(line), &m));
}

Test(proc_text, refuses_a_map_that_ends_before_it_starts)
{
	const char *line = "2000-1000 r-xp 00000000 00:00 0 ";
	struct proc_map m;

	cr_assert_not(proc_parse_map(line, strlen(line), &m));
}

Test(proc_text, ends_a_name_at_the_last_parenthesis)
{
	const char *text = "4711 (a) S 1 (b)) S 815 4711 4711 0 -1 4194304 100 0 0 0 1 2 3 4 20 0 "
			   "17 0 5000 123456 99 18446744073709551615";
	struct proc_stat st;

	cr_assert(proc_parse_stat(text, &st));
	cr_assert_str_eq(st.comm, "a) S 1 (b)");
	cr_assert_eq(st.ppid, 815);
	cr_assert_eq(st.nr_threads, 17);
	cr_assert_eq(st.vsize_bytes, 123456);
}

Test(proc_text, cuts_a_name_to_what_records_hold)
{
	const char *text = "3 (kworker/0:1-events_highpri) I 2 0 0 0 -1 69238880 0 0 0 0 0 0 0 0 "
			   "0 -20 1 0 5 0 0 18446744073709551615";
	struct proc_stat st;

	cr_assert(proc_parse_stat(text, &st));
	cr_assert_str_eq(st.comm, "kworker/0:1-eve");
	cr_assert_eq(st.vsize_bytes, 0);
}

Test(proc_text, refuses_a_stat_that_was_cut)
{
	struct proc_stat st;

	cr_assert_not(proc_parse_stat("", &st));
	cr_assert_not(proc_parse_stat("12 (name", &st));
	cr_assert_not(proc_parse_stat("12 (name) S 1 2 3", &st));
}

Test(proc_text, finds_the_process_of_a_thread)
{
	cr_assert_eq(proc_parse_tgid("Name:\tx\nUmask:\t0022\nTgid:\t42\nNgid:\t0\n"), 42);
	cr_assert_eq(proc_parse_tgid("Name:\tTgid: 7\n"), 0);
}
