#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# How check-perf gets another perf, without a network: with an apt-get of our own, which notes down what it is asked for, and a
# dpkg-deb that unpacks a tree as small as can be. Where it cannot be had, the reason is told and nothing is left.
. "${abs_srcdir:-.}/tests/support/tap.sh"

maker=${abs_srcdir:-.}/tests/support/newest_perf.sh
[ -r /usr/share/keyrings/debian-archive-keyring.gpg ] || skip_all "no keys of Debian here"
bin=$scratch/bin
mkdir "$bin"
export CALLS="$scratch/calls" APT_STATUS=0
: >"$CALLS"

cat >"$bin/apt-get" <<'END'
#!/bin/sh
echo "$* with $(sed -n 's/^Dir::State::status //p' "$APT_CONFIG")" >>"$CALLS"
sed -n 's/^Dir::State::status "\(.*\)";/\1/p' "$APT_CONFIG" | while read -r status; do cat "$status" >>"$CALLS"; done
if [ "$APT_STATUS" = 0 ]; then
	: >"$(dirname "$APT_CONFIG")/cache/archives/one.deb"
else
	echo "E: no such host"
fi
exit "$APT_STATUS"
END
cat >"$bin/dpkg-deb" <<'END'
#!/bin/sh
mkdir -p "$3/usr/bin" "$3/usr/lib/x"
: >"$3/usr/lib/x/libc.so.6"
: >"$3/usr/bin/sh"
printf '#!/bin/sh\n[ "$1" = --library-path ] && echo "perf version 9 of ${2##*/root/} $3 $4"\n' >"$3/usr/lib/x/ld-linux.so.2"
echo >"$3/usr/bin/perf"
chmod +x "$3/usr/bin/perf" "$3/usr/lib/x/ld-linux.so.2"
END
chmod +x "$bin/apt-get" "$bin/dpkg-deb"

make_it()
{
	run env PATH="$bin:$PATH" sh "$maker" "$scratch/newest"
}

APT_STATUS=100
make_it
is "exits with 77 where packages cannot be fetched" "$status" 77
is "the reason is apt-get's" "$out" "the newest perf cannot be had: apt-get update: E: no such host"
is "nothing is left of the attempt" "$(ls "$scratch/newest")" ""

mkdir "$scratch/empty"
for tool in sh sed cat mktemp mkdir rm ls; do
	ln -s "$(command -v $tool)" "$scratch/empty/$tool"
done
run env PATH="$scratch/empty" sh "$maker" "$scratch/newest"
is "exits with 77 where there is no apt-get" "$status $out" "77 the newest perf cannot be had: no apt-get and dpkg-deb here"

APT_STATUS=0
: >"$CALLS"
make_it
is "it is made, and runs by its own loader" "$status $out" \
	"0 perf version 9 of usr/lib/x $scratch/newest/root/usr/bin/perf --version"
is "apt-get works with lists and packages of the folder's own" "$(grep -c "with \"$scratch/newest/making" "$CALLS") $(wc -l <"$CALLS")" "2 2"
like "only packages are fetched" "$(cat "$CALLS")" "download-only install linux-perf"
is "no other program is left beside it, which what it records would run" "$(ls "$scratch/newest/root/usr/bin")" perf

: >"$CALLS"
make_it
is "once it is there nothing is fetched" "$status $(wc -l <"$CALLS")" "0 0"
done_testing
