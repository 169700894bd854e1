// SPDX-License-Identifier: Apache-2.0
/*
 * Functions in place of libgit2's. Criterion starts libgit2, for its pictures of differences, in
 * each process of each test. libgit2 then reads the list of certificates that this machine trusts.
 * That takes a third of the time of a test in the build with sanitizers. No test here asks for such
 * a picture (criterion/new/assert.h).
 */
int git_libgit2_init(void);
int git_libgit2_shutdown(void);

int git_libgit2_init(void)
{
	return 1;
}

int git_libgit2_shutdown(void)
{
	return 0;
}
