#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What is committed is in the tarball, so that a build of the tarball is a build of the project.
. "${abs_srcdir:-.}/tests/support/tap.sh"

cd "${abs_srcdir:-.}" || exit 99
[ -e .git ] && git ls-files >"$scratch/list" 2>/dev/null || skip_all "this is no git checkout"

# distdir starts a cp for each file that is not there yet. So what it would copy of the sources is there, by one cp, and it is
# told not to begin with an empty folder; what is missing it copies itself, or fails.
mkdir "$scratch/dist"
make -s -C "$abs_builddir" --eval='listed: ; @printf "%s\n" $(patsubst $(srcdir)/%,%,$(DISTFILES))' listed |
	while read -r file; do
		[ -f "$abs_builddir/$file" ] || [ ! -f "$file" ] || echo "$file"
	done | sort -u | xargs cp -p --parents -t "$scratch/dist"
run make -s -C "$abs_builddir" distdir distdir="$scratch/dist" am__remove_distdir=:
is "make distdir succeeds" "$status" 0
missing=$(grep -vxE '\.git(ignore|attributes|-blame-ignore-revs)' "$scratch/list" | while read -r file; do
	[ ! -e "$file" ] || [ -e "$scratch/dist/$file" ] || echo "$file"
done)
is "every committed file is in it (docs/local.mk, tests/local.mk: EXTRA_DIST)" "$missing" ""
done_testing
