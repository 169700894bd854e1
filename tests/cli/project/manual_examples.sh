#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every example of the manual pages and of the README runs as it stands there, page by page in a folder of its own: as
# root, and those of one's own processes also as an ordinary user.
. "${abs_srcdir:-.}/tests/support/tap.sh"

[ "$(id -u)" = 0 ] || skip_all "needs the right to record everything"
[ -d /sys/kernel/tracing/events/sched ] || skip_all "needs tracepoints"
chmod 755 "$scratch"
mkdir "$scratch/bin"
cp "$TSTREAM" "$scratch/bin/tstream" # the build folder may be closed to others
cp "${abs_builddir:-.}/tests/demo/workload" "$scratch/bin/workload"
PATH=$scratch/bin:$PATH

# examples FILE: its lines, one command each
examples()
{
	case $1 in
	*.md) sed -n 's/^    \$ //p' "$1" | sed 's,build/tstream,tstream,; s,build/tests/demo/,,' ;;
	*) sed -n '/^\.SH EXAMPLES/,/^\.SH SEE/{/^\.EX/,/^\.EE/{/^\.E/!p};/^\.nf/,/^\.fi/{/^\.[nfR]/!p}}' "$1" | sed "s/\\\\-/-/g; s/\\\\(aq/'/g" ;;
	esac
}

# run_examples FILE LIST WHO [COMMAND...]: each line of LIST, by COMMAND
run_examples()
{
	page=${1##*/} list=$2 who=$3
	shift 3
	while read -r line; do
		run "$@" sh -c "cd '$folder' && $line"
		case $err in
		*"built without"*)
			skip "$page, $who: $line" "$err"
			continue
			;;
		esac
		is "$page, $who: $line" "$status" 0
		[ "$status" = 0 ] || tap_note "$err"
	done <"$list"
}

for file in "$abs_srcdir"/README.md "$abs_srcdir"/docs/*.1; do
	list=$scratch/examples
	examples "$file" >"$list"
	ok "${file##*/} has examples" [ -s "$list" ]
	if ! "$TSTREAM" report --help >/dev/null 2>&1 && grep -qE 'tstream (report|script|check)' "$list"; then
		skip "${file##*/}: its examples" "built without the reader"
		continue
	fi
	folder=$scratch/root.${file##*/}
	mkdir "$folder"
	run_examples "$file" "$list" root
	# an ordinary user records his own processes: pages that need more are root's
	if grep -v dry-run "$list" | grep -qE ' -a |[a-z_]+:'; then
		continue
	fi
	if ! command -v setpriv >/dev/null || [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 2 ]; then
		skip "${file##*/}: as an ordinary user" "setpriv or the right to record one's own processes is missing"
		continue
	fi
	folder=$scratch/user.${file##*/}
	mkdir "$folder"
	chown 65534:65534 "$folder"
	run_examples "$file" "$list" "an ordinary user" \
		setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all -- env HOME="$folder"
done
done_testing
