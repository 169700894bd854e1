#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# How the test in a browser gets what drives it, without a network: with an npm of our own, which notes down what it is asked for.
# What cannot be had is told, in the test's skip, too, and nothing half made is left.
. "${abs_srcdir:-.}/tests/support/tap.sh"

tree=${abs_srcdir:-.}
lock=$tree/tests/browser/package-lock.json
bin=$scratch/bin
folder=$scratch/tools
mkdir "$bin"
export CALLS="$scratch/calls" NPM_STATUS=0 NPM_SLEEPS=0

cat >"$bin/npm" <<'END'
#!/bin/sh
echo "$1 $2 in $PWD with $(ls | tr '\n' ' ')" >>"$CALLS"
mkdir -p node_modules/playwright-core node_modules/axe-core cache
echo "npm ERR! code EAI_AGAIN"
echo "npm ERR! request failed, reason: no such host"
sleep "$NPM_SLEEPS"
exit "$NPM_STATUS"
END
chmod +x "$bin/npm"

# make_it: $calls is what it asked of npm
make_it()
{
	: >"$CALLS"
	run env PATH="$bin:$PATH" sh "$tree/tests/support/browser_tools.sh" "$folder"
	calls=$(cat "$CALLS")
}

make_it
is "npm makes what the lock file lists, and runs no script" "$status $calls" "0 ci --ignore-scripts in $folder with log package-lock.json package.json "
ok "the packages are there" [ -d "$folder/node_modules/axe-core" ]
ok "the cache is not" [ ! -e "$folder/cache" ]
make_it
is "they are made once" "$status $calls" "0 "
echo "{}" >"$folder/made"
make_it
ok "and again for another list" [ -n "$calls" ]

echo "{}" >"$folder/made"
NPM_STATUS=1
make_it
is "without a network that is told" "$status $out" "77 playwright-core and axe-core cannot be had: npm ended with status 1: request failed, reason: no such host"
ok "and nothing half made is left" [ ! -e "$folder/node_modules" ]
NPM_STATUS=0 NPM_SLEEPS=60 NPM_TIMEOUT=1
export NPM_TIMEOUT
make_it
is "an npm that does not end is ended" "$status $out" "77 playwright-core and axe-core cannot be had: npm did not end within 1 s"

if command -v chromium >/dev/null && command -v node >/dev/null && [ "${READER-}" != no ] && ! "$TSTREAM" report --html=- -i /none 2>&1 | grep -q "built without"; then
	run env PAGE_TOOLS="$folder" "$tree/tests/cli/report/page_in_browser.py"
	is "the test in the browser skips with this reason" "$out" "1..0 # SKIP playwright-core and axe-core cannot be had: npm did not end within 1 s"
else
	skip "the test in the browser skips with this reason" "no Chromium or node here"
fi

nr=$(grep -c '"node_modules/' "$lock")
is "each package has a hash in the lock file" "$nr" "$(grep -c '"integrity": "sha512-' "$lock")"
ok "there are some" [ "$nr" -ge 2 ]
done_testing
