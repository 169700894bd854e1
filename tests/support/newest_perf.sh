#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# newest_perf.sh FOLDER     makes FOLDER/perf, Debian sid's perf, unless it is there already; prints its version
#
# Where that cannot be it prints the reason and exits with 77. It needs apt-get and dpkg-deb, not the rights of root, and leaves
# the machine's packages alone: apt works with lists of FOLDER's own, what perf depends on is unpacked there as well (about 45 MB
# are fetched, 200 MB remain), no maintainer script runs. FOLDER/perf starts it by its own loader with its own libraries, so it
# sees this machine's files and kernel. Nothing but perf is left in its folder of programs, because perf puts that folder before
# the others in the PATH of what it records.
set -u
folder=${1:?usage: newest_perf.sh FOLDER}

cannot()
{
	echo "the newest perf cannot be had: $1"
	exit 77
}

version()
{
	"$folder/perf" --version 2>/dev/null
}

# mirror: where this machine gets Debian from
mirror()
{
	cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
		sed -n 's/^URIs: *\([^ ]*\).*/\1/p; s/^deb  *\(\[[^]]*\] *\)\{0,1\}\([^ ]*\) .*/\2/p' |
		grep -E '/debian/?$' | head -n 1
}

# configure_apt: its lists, cache and empty list of installed packages in $work. A mirror may be a copy of some day, whose date
# has passed; the lists are verified by Debian's keys all the same.
configure_apt()
{
	keys=/usr/share/keyrings/debian-archive-keyring.gpg
	[ -r "$keys" ] || cannot "no $keys"
	source=$(mirror)
	mkdir -p "$work/none" "$work/lists/partial" "$work/cache/archives/partial" && : >"$work/status" || cannot "cannot write to $work"
	echo "deb [signed-by=$keys] ${source:-http://deb.debian.org/debian} sid main" >"$work/sources.list"
	cat >"$work/apt.conf" <<END
Dir::Etc::sourcelist "$work/sources.list";
Dir::Etc::sourceparts "$work/none";
Dir::Etc::parts "$work/none";
Dir::Etc::preferencesparts "$work/none";
Dir::State "$work";
Dir::State::lists "$work/lists";
Dir::State::status "$work/status";
Dir::Cache "$work/cache";
APT::Sandbox::User "";
APT::Install-Recommends "false";
Acquire::Check-Valid-Until "false";
Acquire::Languages "none";
END
}

apt()
{
	APT_CONFIG=$work/apt.conf apt-get -qq "$@" </dev/null >"$work/log" 2>&1 ||
		cannot "apt-get $1: $(grep '^[EW]:' "$work/log" | tail -n 1)"
}

unpack()
{
	for package in "$work"/cache/archives/*.deb; do
		dpkg-deb -x "$package" "$work/root" || cannot "cannot unpack $package"
	done
	find "$work/root/usr/bin" "$work/root/usr/sbin" ! -type d ! -name perf -delete 2>/dev/null
	[ -x "$work/root/usr/bin/perf" ] || cannot "no perf in the packages"
}

# write_starter: FOLDER/perf, which knows its folder by name
write_starter()
{
	libraries=$(cd "$work/root" && dirname "$(find usr/lib -name 'libc.so.6' | head -n 1)")
	loader=$(cd "$work/root" && find usr/lib* -name 'ld-linux*.so*' | head -n 1)
	[ -n "$loader" ] || cannot "no loader in the packages"
	root=$(cd "$folder" && pwd)/root
	printf '#!/bin/sh\nexec "%s" --library-path "%s" "%s" "$@"\n' "$root/$loader" "$root/$libraries" "$root/usr/bin/perf" >"$work/perf"
	chmod +x "$work/perf"
}

version && exit 0
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || cannot "no apt-get and dpkg-deb here"
mkdir -p "$folder" || cannot "cannot make $folder"
work=$(mktemp -d "$(cd "$folder" && pwd)/making.XXXXXX") || cannot "cannot write to $folder"
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
configure_apt
apt update
apt -y --download-only install linux-perf
unpack
write_starter
rm -rf "$folder/root" "$folder/perf"
mv "$work/root" "$folder/root" && mv "$work/perf" "$folder/perf" || cannot "cannot write to $folder"
version || cannot "it does not run here: $("$folder/perf" --version 2>&1 | head -n 1)"
