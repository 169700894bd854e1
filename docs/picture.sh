#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# docs/picture.sh BUILD [PICTURE]: makes docs/page.png, or PICTURE. It records make while gcc compiles two rooms of
# BUILD once more, writes the page of that capture, and takes a picture of it with chromium.
set -eu
build=$(readlink -f "${1:?docs/picture.sh BUILD [PICTURE]: BUILD is a folder where tstream was built}")
picture=$(readlink -f "${2:-$(dirname "$0")/page.png}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

rm -f "$build"/reader/report/*.o "$build"/reader/page/*.o
ln -s "$build" "$folder/build"
cd "$folder"
PATH=$build:$PATH
export MAKEFLAGS=
tstream record -q --call-graph dwarf -F 999 -o cap -- make -s -C build libreader.a
tstream report -q --html -i cap
no_sandbox=
[ "$(id -u)" != 0 ] || no_sandbox=--no-sandbox # chromium refuses to be root with it
chromium --headless=new $no_sandbox --disable-gpu --no-first-run --hide-scrollbars --user-data-dir="$folder/profile" \
	--window-size=1280,900 --virtual-time-budget=20000 --screenshot="$picture" "file://$folder/cap.html" >"$folder/log" 2>&1 ||
	{
		tail -n 5 "$folder/log" >&2
		echo "docs/picture.sh: chromium cannot make the picture: its last lines are above" >&2
		exit 1
	}
[ "$(wc -c <"$picture")" -le 200000 ] || {
	echo "docs/picture.sh: $picture is larger than 200,000 bytes" >&2
	exit 1
}
