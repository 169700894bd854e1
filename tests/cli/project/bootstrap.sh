#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# How ./bootstrap sets up: it runs here with a dpkg-query, an apt-get, an id and a sudo of our own, which note down what
# they are asked for; an autoreconf that fails ends it before it builds.
. "${abs_srcdir:-.}/tests/support/tap.sh"

bin=$scratch/bin
mkdir "$bin"

# tool NAME: makes a program of our own of the script on stdin
tool()
{
	{
		echo '#!/bin/sh'
		cat
	} >"$bin/$1"
	chmod +x "$bin/$1"
}

tool dpkg-query <<'END'
for package; do :; done
case " $MISSING " in
*" $package "*) exit 1 ;;
esac
echo installed
END
tool apt-get <<'END'
echo "apt-get $*" >>"$CALLS"
case "$*" in
*update*) exit 0 ;;
esac
[ "$(grep -c install "$CALLS")" -gt "${FAILING_INSTALLS:-0}" ]
END
tool autoreconf <<'END'
exit 1
END
tool id <<'END'
echo "$FAKE_UID"
END
tool sudo <<'END'
[ "$SUDO_WORKS" = yes ] || exit 1
shift
exec "$@"
END
tool ls <<'END'
[ "$LISTS_THERE" = yes ]
END

# bootstrap UID COMMAND: runs it in a folder of its own; $calls is what it asked of apt-get
bootstrap()
{
	rm -rf "$scratch/tree" "$scratch/calls"
	mkdir "$scratch/tree"
	cp "${abs_srcdir:-.}/bootstrap" "$scratch/tree/"
	: >"$scratch/calls"
	run env PATH="$bin:${others:-$PATH}" CALLS="$scratch/calls" FAKE_UID="$1" "$scratch/tree/bootstrap" "$2"
	calls=$(cat "$scratch/calls")
}

export MISSING= LISTS_THERE=yes SUDO_WORKS=no FAILING_INSTALLS=0

bootstrap 0 demo
is "asks nothing of apt-get when all is there" "$calls" ""

MISSING="libdw-dev make"
bootstrap 0 demo
is "root installs only what is missing, without new lists" "$calls" \
	"apt-get -q install -y --no-install-recommends --no-upgrade make libdw-dev"

LISTS_THERE=no
bootstrap 0 demo
is "fetches the lists first where there are none" "$(echo "$calls" | cut -d' ' -f3 | tr '\n' ' ')" "update install "

LISTS_THERE=yes FAILING_INSTALLS=1
bootstrap 0 demo
is "fetches the lists and tries again when a fetch fails" "$(echo "$calls" | cut -d' ' -f3 | tr '\n' ' ')" \
	"install update install "

FAILING_INSTALLS=9
bootstrap 0 demo
is "fails when installing fails twice" "$status" 1
like "and then prints the one command to run" "$err" '^  apt-get update && apt-get install -y make libdw-dev'

FAILING_INSTALLS=0
bootstrap 1000 demo
is "an ordinary user without sudo fails" "$status" 1
is "and asks nothing of apt-get" "$calls" ""
like "and is told the one command to run" "$err" '^  apt-get update && apt-get install -y make libdw-dev'

SUDO_WORKS=yes
bootstrap 1000 demo
is "an ordinary user installs through sudo" "$calls" \
	"apt-get -q install -y --no-install-recommends --no-upgrade make libdw-dev"

SUDO_WORKS=no MISSING="libcriterion-dev"
bootstrap 1000 check
like "goes on without what only tests need, and tells how to install it" "$out" \
	'^  apt-get update && apt-get install -y libcriterion-dev'
like "to the next step" "$out" '^==> Making ./configure'

# What others have: all programs of this machine, but none of the browser's
others=$scratch/others
mkdir "$others"
ln -s /usr/bin/* "$others/"
rm -f "$others/chromium" "$others/node" "$others/npm" "$others/autoreconf"
MISSING="chromium nodejs npm"
bootstrap 0 check
is "installs a browser and what drives it" "$calls" \
	"apt-get -q install -y --no-install-recommends --no-upgrade chromium nodejs npm"
bootstrap 0 demo
is "which the demo does not need" "$calls" ""
FAILING_INSTALLS=9
bootstrap 0 check
like "goes on without a browser, too" "$out" '^==> Making ./configure'
FAILING_INSTALLS=0
tool node </dev/null
tool npm </dev/null
bootstrap 0 check
is "leaves node and npm alone that are no packages" "$calls" \
	"apt-get -q install -y --no-install-recommends --no-upgrade chromium"

bootstrap 0 chekc
is "refuses a word it does not know" "$status" 2
like "in one sentence" "$err" "^bootstrap: cannot do 'chekc': "
done_testing
