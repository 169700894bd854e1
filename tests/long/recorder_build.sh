#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A recorder that configure --disable-reader makes: it is built, loads what it promises, records, and perf reads the capture.
# (tests/recorder_alone, which every check looks at, is made of archives that have all of the reader's options.)
. "${abs_srcdir:-.}/tests/support/tap.sh"
folder=$scratch/build
mkdir "$folder"

cd "$folder" || exit 99
run "${abs_srcdir:-.}/configure" -q --disable-reader --disable-dependency-tracking CFLAGS=-O0
is "configure --disable-reader" "$status" 0
run make -s -j"$(nproc)" all
is "make" "$status" 0
run make -s check-these these=tests/libraries.sh
is "it loads only what it promises" "$status" 0
run make -s check-these these=tests/rooms.py
is "its rooms keep to their law" "$status" 0
run "$folder/tstream" record -q -o "$scratch/cap" -e cpu-clock -- sh -c 'while [ $((i += 1)) -lt 300000 ]; do :; done'
is "it records" "$status" 0
if command -v perf >/dev/null; then
	run perf script -i "$scratch/cap" -F comm
	like "perf reads it" "$out" "^ *sh"
else
	skip "perf reads it" "perf is not installed"
fi
done_testing
