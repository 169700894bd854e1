#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every example of the manual pages (between .EX and .EE) runs as it stands there, in a folder of its own.
. "${abs_srcdir:-.}/tests/support/tap.sh"

[ "$(id -u)" = 0 ] || skip_all "needs the right to record everything"
mkdir "$scratch/bin"
ln -s "$TSTREAM" "$scratch/bin/tstream"
PATH=$scratch/bin:$PATH
cd "$scratch" || exit 99
for page in "$abs_srcdir"/docs/tstream.1 "$abs_srcdir"/docs/tstream-record.1; do
	sed -n '/^\.EX/,/^\.EE/{/^\.E/!p}' "$page" | sed 's/\\-/-/g' >"$scratch/examples"
	while read -r line; do
		run sh -c "$line"
		is "${page##*/}: $line" "$status" 0
	done <"$scratch/examples"
	ok "${page##*/} has examples" [ -s "$scratch/examples" ]
done
done_testing
