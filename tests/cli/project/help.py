#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tells of options tells of the same ones: the help of each command, which fits a screen; its manual; completions of shells,
which these shells take; and the parser, which says what was meant where an option is none."""
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

LINES, COLUMNS = 50, 92
COMMANDS = re.findall(r"^  (\w+) ", tap.run(tap.TSTREAM, "--help").out, re.M)
DOCS = os.path.join(os.environ.get("abs_srcdir", "."), "docs")
NAME = re.compile(r"(?<![\w-])(--[A-Za-z][a-z-]*|-[A-Za-z])(?![\w-])")
# Second names of an option: completions and manuals have them.
SECOND = {"--exclude-perf", "--comm", "--dso", "--symbol", "--show-info"}


def completed(command, fish):
    """{name: whether it needs a value} of the options that a shell completes."""
    found = {}
    for line in re.findall(f"^complete -c tstream -n '__(?:fish_seen_subcommand_from {command}|tstream_{command}_options)'(.*) -d '",
                           fish, re.M):
        for letter, name in re.findall(r" -s (\w)| -l (?!help$)([\w-]+)", line):
            found[f"-{letter}" if letter else f"--{name}"] = line.endswith(" -r")
    return found


def told(text):
    """Names in the help, where options stand: behind the name of a group, or two blanks, or a semicolon."""
    return set(NAME.findall(" ".join(re.findall(r"(?:^(?:\w+:)? +|  |; )((?:-\w, )?(?:--?[\w-]+))", text, re.M))))


def items(command):
    """Names of options that are items of the manual."""
    with open(os.path.join(DOCS, f"tstream-{command}.1"), encoding="utf-8") as file:
        lines = "\n".join(re.findall(r"^\.T[PQ]\n(\.[BRI]+ +\"?-.*)", file.read().replace("\\-", "-"), re.M))
    return set(NAME.findall(re.sub(r"\\f[RIBP]", " ", lines)))


def is_hidden(command, name):
    """It is taken, noted or refused, but not told of: the manual may."""
    return "there is no such option" not in tap.run(tap.TSTREAM, command, name, "--help", "--help").err


def check_command(command, fish):
    result = tap.run(tap.TSTREAM, command, "--help")
    lines = result.out.splitlines()
    tap.ok(not result.status and not result.err and len(lines) <= LINES and max(map(len, lines)) <= COLUMNS,
           f"{command} --help fits a screen", f"{len(lines)} lines, {max(map(len, lines))} columns: {result.err}")
    known, second = set(completed(command, fish)), SECOND | ({"-I"} if command == "script" else set())
    tap.equal(sorted(told(result.out.partition("\n\n")[2]) ^ known - second), [], f"{command} --help has what is completed")
    for words in (("help", command), (command, "-hq"), (command, "-h/x"), (command, "-?")):
        again = tap.run(tap.TSTREAM, *words)
        tap.equal((again.status, again.out, again.err), (0, result.out, ""), f"{' '.join(words)} is {command} --help")
    listed = items(command)
    tap.equal(sorted(known - listed - second), [], f"the manual of {command} lists every option")
    tap.equal([name for name in sorted(listed - known) if not is_hidden(command, name)], [], f"the manual of {command} lists no other")


def check_parser(command, fish):
    """Each completed option is known to the parser: with a value where it needs one, and missing it without."""
    wrong = []
    for name, needs_value in completed(command, fish).items():
        said = tap.run(tap.TSTREAM, command, name, *([] if needs_value else ["--help"]))
        if not (said.err.startswith(f"tstream: cannot use {name} without a value") if needs_value else "cannot use" not in said.err):
            wrong.append(f"{name}: {said.status} {said.err}")
    tap.equal(wrong, [], f"{command} takes what is completed, and says where a value is missing")


def check_refusals():
    for words, text, hint in (
            (("report", "--lossy"), "cannot use --lossy: there is no such option", "did you mean --loss?"),
            (("record", "--frek=9"), "cannot use --frek: there is no such option", "did you mean --freq?"),
            (("record", "-aZ", "true"), "cannot use -Z: there is no such option", "'tstream record --help' lists the options"),
            (("list", "-z"), "cannot use -z: there is no such option", "'tstream list --help' lists the options"),
            (("report", "--so"), "cannot use --so: several options begin with it", "did you mean one of: --sort --source --socket-filter"),
            (("check", "--json=1"), "cannot use --json with a value", "'tstream check --help' lists the options"),
            (("merge", "-o"), "cannot use -o without a value", "'tstream merge --help' lists the options"),
            (("merge", "cap", "-qo"), "cannot use -o without a value", "'tstream merge --help' lists the options"),
            (("merge", "cap", "--outp"), "cannot use --outp without a value", "'tstream merge --help' lists the options"),
            (("report", "-j", "0"), "cannot use --jobs '0': it must be a number from 1 to 1024", None)):
        result = tap.run(tap.TSTREAM, *words)
        wanted = f"tstream: {text}\n" + (f"  hint: {hint}\n" if hint else "")
        tap.equal((result.status, result.out, result.err), (2, "", wanted), " ".join(words))
    for words in (("report", "--nonsense", "--help"), ("check", "-i", "a", "-i", "b", "-h")):
        tap.equal(tap.run(tap.TSTREAM, *words).status, 2, f"{' '.join(words)} is wrong before it asks for help")
    for words in (("help",), ("help", "help"), ("help", "-h"), ("help", "--help"), ("-h",)):
        got = tap.run(tap.TSTREAM, *words)
        tap.ok(not got.status and got.out.startswith("Usage: tstream COMMAND"), f"{' '.join(words)} lists the commands", got.err)
    tap.equal(tap.run(tap.TSTREAM, "help", "repotr").err.splitlines()[1:], ["  hint: did you mean report?"], "help of no command")
    result = tap.run(tap.TSTREAM, "completion", "tcsh")
    tap.equal((result.status, result.out, result.err), (2, "", "tstream: cannot complete for 'tcsh': give bash, zsh or fish\n"),
              "completion for another shell")


def check_shells():
    path = tap.path("completion")
    for shell in "bash", "zsh", "fish":
        with open(path, "w", encoding="utf-8") as file:
            file.write(tap.run(tap.TSTREAM, "completion", shell).out)
        if not shutil.which(shell):
            tap.skip(f"{shell} reads its completions", f"{shell} is not installed")
            continue
        result = tap.run(shell, "-n", path)
        tap.equal((result.status, result.err), (0, ""), f"{shell} reads its completions")
    with open(path, "w", encoding="utf-8") as file:
        file.write(tap.run(tap.TSTREAM, "completion", "bash").out)
    for words, wanted in (("tstream re", "record report rescue"), ("tstream report --per", "--percent-limit --percentage"),
                          ("tstream help rec", "record"), ("tstream completion z", "zsh"),
                          ("tstream record --vmlinux a --all-cp", "--all-cpus"), ("tstream ctl -", "--help -v --verbose -F --freq --timeout"),
                          ("tstream report cap", ""), ("tstream record --all-cp", "--all-cpus"),
                          ("tstream record -C 0 --threads = cpu -e a : b --all-cp", "--all-cpus"),
                          ("tstream record -g tar --all-cp", ""), ("tstream record -- tar --all-cp", "")):
        line = words.split()
        script = f". {path}; COMP_WORDS=({words}); COMP_CWORD={len(line) - 1}; _tstream; echo \"${{COMPREPLY[*]}}\""
        tap.equal(tap.run("bash", "-c", script).out.strip(), wanted, f"bash completes '{words}'")
    check_fish(path)


def check_fish(path):
    """It can be asked what it would complete."""
    wanted = {"tstream report --perc": ["--percent-limit", "--percentage"], "tstream list --": ["--help"], "tstream help rec": ["record"],
              "tstream record -C 0 --all-cp": ["--all-cpus"], "tstream record -g tar --all-cp": [], "tstream record -- tar --all-cp": []}
    if not shutil.which("fish"):
        tap.skip("fish completes", "fish is not installed")
        return
    with open(path, "w", encoding="utf-8") as file:
        file.write(tap.run(tap.TSTREAM, "completion", "fish").out)
    got = {line: tap.run("fish", "--no-config", "-c", f"source {path}; complete -C '{line}'").out.splitlines() for line in wanted}
    tap.equal({line: sorted(word.split("\t")[0] for word in words) for line, words in got.items()}, wanted, "fish completes")


def main():
    fish = tap.run(tap.TSTREAM, "completion", "fish").out
    tap.ok(len(COMMANDS) > 2, "there are commands")
    for command in COMMANDS:
        check_command(command, fish)
        check_parser(command, fish)
    if "report" in COMMANDS:
        check_refusals()
    check_shells()
    tap.done()


if __name__ == "__main__":
    main()
