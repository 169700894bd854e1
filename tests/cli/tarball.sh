#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What is committed is in the tarball, so that a build of the tarball is a build of the project.
. "${abs_srcdir:-.}/tests/support/tap.sh"

cd "${abs_srcdir:-.}" || exit 99
[ -e .git ] && git ls-files >"$scratch/list" 2>/dev/null || skip_all "this is no git checkout"

run make -s -C "$abs_builddir" distdir distdir="$scratch/dist"
is "make distdir succeeds" "$status" 0
missing=$(grep -vxE '\.git(ignore|attributes)' "$scratch/list" | while read -r file; do
	[ ! -e "$file" ] || [ -e "$scratch/dist/$file" ] || echo "$file"
done)
is "every committed file is in it (docs/local.mk, tests/local.mk: EXTRA_DIST)" "$missing" ""
done_testing
