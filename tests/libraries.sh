#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The program loads the libraries that it promises and no others; a recorder (--disable-reader) none of the reader's.
# What hwloc itself loads is its own affair.
. "${abs_srcdir:-.}/tests/support/tap.sh"
program=${TSTREAM:-./tstream}
alone=${abs_builddir:-.}/tests/recorder_alone
recorder='liburing libzstd libhwloc libnuma libcap libm libc ld-linux.* linux-vdso'
reader='libelf libdw liblzma libtraceevent libstdc\+\+ libgcc_s libprotobuf-c libz'

# needed PROGRAM: the libraries it asks for, without directory and version
needed()
{
	objdump -p "$1" | awk '$1 == "NEEDED" { sub(/\.so.*/, "", $2); print $2 }' | sort -u
}

# needs_only WHAT PROGRAM LIBRARY...
needs_only()
{
	what=$1 direct=$(needed "$2")
	shift 2
	is "$what asks for libraries" "${direct:+yes}" yes
	is "$what needs only those that it promises" "$(echo "$direct" | grep -vxE "$(echo $* | tr ' ' '|')")" ""
	echo "#" $direct
}

[ -z "${SANITIZED-}${TSAN_BUILD-}" ] || skip_all "a sanitizer brings its own libraries"
if [ "${READER-yes}" = yes ]; then
	needs_only "recorder and reader" "$program" "$recorder $reader"
else
	needs_only "a recorder" "$program" "$recorder"
fi
needs_only "a recorder of the same archives" "$alone" "$recorder"
run "$alone" record -M 16M -o "$scratch/cap" -- true
like "it says what it cannot do" "$err" "cannot use -M: this tstream was built without merge, which writes snapshots"
run "$alone" report
is "it has no reader" "$status" 2
done_testing
