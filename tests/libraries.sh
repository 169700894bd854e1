#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The program loads the libraries that it promises and no others; a recorder (--disable-reader) none of the reader's.
# What hwloc itself loads is its own affair.
program=${TSTREAM:-./tstream}
config=${abs_builddir:-.}/config.h
recorder='liburing libzstd libhwloc libnuma libjson-c libcap libm libc ld-linux.* linux-vdso'
reader='libelf libdw liblzma libtraceevent libstdc\+\+ libgcc_s'

# names: the libraries on stdin (ldd's output) without directory and version
names()
{
	awk '{ print $1 }' | sed 's,.*/,,; s/\.so.*//' | sort -u
}

if ldd "$program" | grep -qE 'lib(a|t|ub)san'; then
	echo "1..0 # SKIP a sanitizer brings its own libraries"
	exit 0
fi

echo 1..1
allowed=$recorder
kind="a recorder"
if grep -q '^#define WITH_READER' "$config"; then
	allowed="$recorder $reader"
	kind="recorder and reader"
fi
direct=$(objdump -p "$program" | awk '$1 == "NEEDED" { print $2 }' | names)
extra=$(echo "$direct" | grep -vxE "$(echo $allowed | tr ' ' '|')")
if [ -n "$direct" ] && [ -z "$extra" ]; then
	echo "ok 1 - $kind needs only the libraries it promises"
else
	echo "not ok 1 - $kind needs only the libraries it promises"
	echo "# beyond them:" $extra
fi
echo "#" $direct
