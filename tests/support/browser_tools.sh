#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# browser_tools.sh FOLDER     makes FOLDER/node_modules, what tests/browser/package-lock.json lists, unless it is there already
#
# Where that cannot be it prints the reason, leaves it in FOLDER/reason for the tests that skip, and exits with 77. npm verifies each
# package by the hash of the lock file, runs none of their scripts, and writes nothing outside FOLDER. Without a network it ends after
# NPM_TIMEOUT seconds (90) at the latest.
set -u
folder=${1:?usage: browser_tools.sh FOLDER}
list=$(dirname "$0")/../browser

cannot()
{
	reason="playwright-core and axe-core cannot be had: $1"
	rm -rf "$folder/node_modules" "$folder/cache"
	echo "$reason" | tee "$folder/reason"
	exit 77
}

mkdir -p "$folder" || exit 77
cmp -s "$list/package-lock.json" "$folder/made" && exit 0
rm -f "$folder/made" "$folder/reason"
command -v npm >/dev/null || cannot "npm cannot be found"
cp "$list/package.json" "$list/package-lock.json" "$folder/" || cannot "cannot write to $folder"
chmod u+w "$folder"/package*.json

(cd "$folder" && timeout -k 5 "${NPM_TIMEOUT:-90}" npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error \
	--logs-max=0 --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=2000 --fetch-timeout=20000 \
	--cache="$PWD/cache" </dev/null >log 2>&1)
status=$?
case $status in
0) ;;
124 | 137) cannot "npm did not end within ${NPM_TIMEOUT:-90} s" ;;
*) cannot "npm ended with status $status: $(sed -n 's/^npm \(error\|ERR!\) //p' "$folder/log" | grep -vE '^(code|syscall|errno|A complete log)' | head -n 1 | cut -c 1-200)" ;;
esac
rm -rf "$folder/cache"
cp "$folder/package-lock.json" "$folder/made"
