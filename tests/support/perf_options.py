# SPDX-License-Identifier: Apache-2.0
"""Every option that `perf COMMAND -h` tells of is taken by ours, or refused in one sentence of our own; the manual names each.

    perf_options.check("report", ["-g"], {"--sort": "comm"})
"""
import functools
import os
import re

import tap

GETOPT = re.compile("there is no such option|several options begin with it|without a value|with a value")
VALUES = {"--fields": "comm", "--cpu": "0", "--time": "0,", "--input": "CAPTURE", "--symfs": "/", "--kallsyms": "/proc/kallsyms",
          "--vmlinux": "/proc/self/exe"}


def options_of_perf(command):
    """(long or only name, letter or None, whether it takes a value, whether it may go without) of each option."""
    text = tap.run(tap.PERF, command, "-h")
    for line in (text.out + text.err).splitlines():
        found = re.match(r"\s{4,8}(?:(-\w)(?:, )?)?(--[A-Za-z][a-z-]*)?(\[=)?( <)?", line)
        if found and (found.group(1) or found.group(2)) and line.lstrip().startswith("-"):
            yield found.group(2) or found.group(1), found.group(1), bool(found.group(3) or found.group(4)), not found.group(4)


def try_words(command, capture, *words):
    result = tap.run(tap.TSTREAM, command, *([] if words[0].startswith("--input") else ["-i", capture]), *words)
    sentences = [line for line in result.err.splitlines()
                 if line.startswith("tstream: ") and not line.startswith(("tstream: note: ", "tstream: warning: "))]
    good = result.status == 0 and not sentences or result.status == 2 and len(sentences) == 1 and \
        sentences[0].startswith("tstream: cannot ") and not result.out
    tap.ok(good and not GETOPT.search(result.err), f"{' '.join(words)} is taken or refused in a sentence of our own",
           f"status {result.status}\n{result.err}")


def check(command, how, values, but=()):
    """`how` the capture is recorded; values that are taken where a 1 is not; letters that are left out."""
    values = {**VALUES, **values}
    if not tap.PERF:
        tap.skip_all("perf is not installed: there are no options to go through")
    tap.read_few_kernel_symbols()
    capture = tap.path("cap")
    made = tap.run(tap.TSTREAM, "record", "-q", *how, "-e", "page-faults", "-c", "1", "-o", capture, "--", "true")
    tap.ok(made.status == 0, "there is a capture", made.err)
    with open(os.path.join(os.environ.get("abs_srcdir", "."), f"docs/tstream-{command}.1")) as f:
        manual = f.read().replace("\\-", "-").replace("\\fR", "")
    options = list(options_of_perf(command))
    tap.ok(len(options) > 50, "perf tells of its options", len(options))

    def try_option(name, letter, takes_value, is_optional):
        value = values.get(name, "1").replace("CAPTURE", capture)
        if takes_value:
            try_words(command, capture, f"{name}={value}")
        if is_optional:
            try_words(command, capture, name)
        if letter and not takes_value and letter not in but:
            try_words(command, capture, letter)
        tap.ok(name in manual, f"the manual tells of {name}")

    tap.at_once([functools.partial(try_option, *option) for option in options])
    tap.done()
