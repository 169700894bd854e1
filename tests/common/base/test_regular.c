// SPDX-License-Identifier: Apache-2.0
#include "common/base/regular.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/magic.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char folder[] = "/tmp/tstream-regular.XXXXXX";

static int make_folder(void)
{
	int fd;

	cr_assert_not_null(mkdtemp(folder));
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert_geq(fd, 0);
	cr_assert_eq(mkdirat(fd, "in", 0700), 0);
	cr_assert_eq(close(openat(fd, "in/file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600)), 0);
	cr_assert_eq(mkfifoat(fd, "in/fifo", 0600), 0);
	cr_assert_eq(symlinkat("file", fd, "in/link"), 0);
	cr_assert_eq(symlinkat("in", fd, "around"), 0);
	return fd;
}

static void remove_folder(int fd)
{
	unlinkat(fd, "around", 0);
	unlinkat(fd, "in/link", 0);
	unlinkat(fd, "in/fifo", 0);
	unlinkat(fd, "in/file", 0);
	unlinkat(fd, "in", AT_REMOVEDIR);
	rmdir(folder);
	close(fd);
}

/* From now on openat2() fails with this code. */
static void take_openat2_away(uint32_t code)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | code),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {sizeof(filter) / sizeof(*filter), filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		cr_skip_test("no filter of system calls can be set here");
	cr_assert_eq(syscall(SYS_openat2, AT_FDCWD, ".", NULL, 0), -1);
	cr_assert_eq(errno, (int)code);
}

static void expect_refused(int fd, const char *path, int code)
{
	cr_assert_eq(ts_regular_open(fd, path), -code, "%s: not %s", path, ts_regular_reason(code));
}

static void expect_files_alone(void)
{
	int dir_fd = make_folder(), fd = ts_regular_open(dir_fd, "in/file");
	struct stat st;

	cr_assert_geq(fd, 0);
	cr_assert(!fstat(fd, &st) && S_ISREG(st.st_mode));
	cr_assert_eq(fcntl(fd, F_GETFL) & (O_PATH | O_ACCMODE), O_RDONLY);
	close(fd);
	expect_refused(dir_fd, "in/fifo", TS_REGULAR_OTHER);
	expect_refused(dir_fd, "in", TS_REGULAR_OTHER);
	expect_refused(dir_fd, "in/link", TS_REGULAR_LINK);
	expect_refused(dir_fd, "around/file", TS_REGULAR_LINK);
	expect_refused(dir_fd, "nowhere", ENOENT);
	expect_refused(dir_fd, "in/file/more", ENOTDIR);
	cr_assert_lt(ts_regular_open(dir_fd, "../in/file"), 0);
	cr_assert_lt(ts_regular_open(dir_fd, "/etc/passwd"), 0);
	remove_folder(dir_fd);
}

Test(regular, opens_files_beneath_a_directory_and_nothing_else)
{
	expect_files_alone();
}

Test(regular, does_so_without_openat2)
{
	take_openat2_away(ENOSYS);
	expect_files_alone();
}

Test(regular, does_so_where_a_filter_refuses_openat2)
{
	take_openat2_away(EPERM);
	expect_files_alone();
}

Test(regular, follows_links_before_the_name_of_a_path_alone)
{
	int dir_fd = make_folder(), fd = ts_regular_open_path(dir_fd, "around/file");

	cr_assert_geq(fd, 0);
	close(fd);
	cr_assert_eq(ts_regular_open_path(dir_fd, "around/link"), -TS_REGULAR_LINK);
	cr_assert_eq(ts_regular_open_path(dir_fd, "around/fifo"), -TS_REGULAR_OTHER);
	remove_folder(dir_fd);
}

Test(regular, judges_type_and_filesystem)
{
	static const uint64_t made[] = {PROC_SUPER_MAGIC, SYSFS_MAGIC,	       DEBUGFS_MAGIC,
					TRACEFS_MAGIC,	  CGROUP2_SUPER_MAGIC, SECURITYFS_MAGIC};
	static const mode_t others[] = {S_IFIFO, S_IFCHR, S_IFBLK, S_IFSOCK, S_IFDIR};

	cr_assert_eq(ts_regular_judge(S_IFREG | 0644, TMPFS_MAGIC), 0);
	cr_assert_eq(ts_regular_judge(S_IFREG | 0644, EXT4_SUPER_MAGIC), 0);
	cr_assert_eq(ts_regular_judge(S_IFREG, TS_REGULAR_AUTOFS), -TS_REGULAR_UNASKED);
	cr_assert_eq(ts_regular_judge_filesystem(TS_REGULAR_AUTOFS), -TS_REGULAR_UNASKED);
	cr_assert_eq(ts_regular_judge(S_IFLNK | 0777, TMPFS_MAGIC), -TS_REGULAR_LINK);
	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++)
		cr_assert_eq(ts_regular_judge(S_IFREG, made[i]), -TS_REGULAR_KERNEL);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		cr_assert_eq(ts_regular_judge(others[i], TMPFS_MAGIC), -TS_REGULAR_OTHER);
}

Test(regular, has_words_for_every_refusal)
{
	static const int codes[] = {TS_REGULAR_OTHER,	TS_REGULAR_LINK, TS_REGULAR_KERNEL,
				    TS_REGULAR_UNASKED, ENOENT,		 99999};

	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		for (size_t j = 0; j < i; j++)
			cr_assert_str_neq(ts_regular_reason(codes[i]), ts_regular_reason(codes[j]));
}
