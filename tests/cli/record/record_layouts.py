#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every layout, with and without -C, on machines that are not at hand: who drains what, and where it runs.

What is expected is worked out here from the shape of the machine, and compared with `record --dry-run`, which prints
the plan that a recording executes.
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap


def cpu_list(text):
    cpus = set()
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        cpus |= set(range(int(first), int(last or first) + 1))
    return cpus


def parse_plan(text):
    """[(samples, sideband, runs on)] of the writers, in order."""
    writers = []
    for line in text.splitlines():
        m = re.match(r"writer (\d+): samples (\S*), side-band (\S*), runs on ([^, ]\S*?)(, nodes? [\d,-]+)?$", line)
        if m:
            sets = [cpu_list(s if s != "none" else "") for s in m.group(2, 3, 4)]
            writers.append(tuple(sets))
    return writers


def groups_of(machine, kind):
    """The sets of CPUs that a keyword makes one writer each of."""
    packages, nodes, cores, threads = machine["shape"]
    numbers = machine["cpus"]
    size = {"cpu": 1, "core": threads, "numa": cores * threads, "node": cores * threads,
            "socket": nodes * cores * threads, "package": nodes * cores * threads}[kind]
    return [set(numbers[i:i + size]) for i in range(0, len(numbers), size)]


def expected(groups, monitored):
    """The plan of a keyword: groups emptied by -C are dropped, their side-band goes to the first writer."""
    kept = [g for g in groups if g & monitored]
    orphans = set().union(*groups) - set().union(*kept)
    plan = [(g & monitored, set(g), set(g)) for g in kept]
    plan[0] = (plan[0][0], plan[0][1] | orphans, plan[0][2])
    return plan


def dry_run(machine, *options):
    result = tap.run(tap.TSTREAM, "record", "--dry-run", *options, "--", "true",
                     env={"HWLOC_SYNTHETIC": machine["description"]})
    result.err = re.sub(r"^tstream: note: only user space is recorded.*\n", "", result.err)  # an ordinary user's
    return result


def show(plan):
    return "\n".join(f"samples {sorted(s)} side-band {sorted(b)} runs on {sorted(a)}" for s, b, a in plan)


def check(sentence, machine, options, wanted):
    result = dry_run(machine, *options)
    plan = parse_plan(result.out)
    tap.ok(result.status == 0 and plan == wanted, f"{machine['name']}: {sentence}",
           f"status {result.status} {result.err}\ngot\n{show(plan)}\nwanted\n{show(wanted)}")


def machine(name, description, shape, cpus=None):
    packages, nodes, cores, threads = shape
    return {"name": name, "description": description, "shape": shape,
            "cpus": cpus or list(range(packages * nodes * cores * threads))}


sparse_cpus = [0, 3, 8, 11, 16, 19, 24, 27]
MACHINES = [
    machine("4 packages of 2 nodes of 16 cores of 2 threads", "pack:4 numa:2 core:16 pu:2", (4, 2, 16, 2)),
    machine("one node of 192 CPUs", "pack:1 numa:1 core:96 pu:2", (1, 1, 96, 2)),
    machine("sparse CPU numbers", "pack:2 numa:1 core:2 pu:2(indexes=%s)" % ",".join(map(str, sparse_cpus)),
            (2, 1, 2, 2), sparse_cpus),
]

for m in MACHINES:
    everything = set(m["cpus"])
    some = set(m["cpus"][i] for i in (0, 2, len(m["cpus"]) // 2, len(m["cpus"]) - 1))
    some_text = ",".join(str(c) for c in sorted(some, reverse=True))
    for kind in ("cpu", "core", "socket", "package", "numa", "node"):
        groups = groups_of(m, kind)
        check(f"--threads={kind} -a", m, ["-a", f"--threads={kind}"], expected(groups, everything))
        check(f"--threads={kind} -C {some_text}", m, ["-C", some_text, f"--threads={kind}"], expected(groups, some))
    for option in ("--threads", "--threads="):
        check(f"{option} means cpu", m, ["-a", option], expected(groups_of(m, "cpu"), everything))
    for options in (["-a"], ["-C", some_text]):
        result = dry_run(m, *options)
        plan = parse_plan(result.out)
        wanted = everything if options == ["-a"] else some
        tap.ok(sum((sorted(s) for s, _, _ in plan), []) and
               sorted(sum((sorted(s) for s, _, _ in plan), [])) == sorted(wanted) and
               sorted(sum((sorted(b) for _, b, _ in plan), [])) == sorted(everything) and
               all(len(s) <= 16 and a and a <= everything for s, _, a in plan) and
               all(any(a <= n for n in groups_of(m, "numa")) for _, _, a in plan),
               f"{m['name']}: without --threads ({options[0]}) every CPU has one writer, of one node and at most 16 CPUs",
               show(plan) + result.err)

# l3 and die need those in the topology
caches = machine("2 packages of 2 dies of 2 caches", "pack:2 die:2 l3:2 core:2 pu:1", (2, 1, 8, 1))
check("--threads=l3", caches, ["-a", "--threads=l3"],
      expected([set(range(i, i + 2)) for i in range(0, 16, 2)], set(range(16))))
check("--threads=die", caches, ["-a", "--threads=die"],
      expected([set(range(i, i + 4)) for i in range(0, 16, 4)], set(range(16))))

# the command lines of perf's threaded mode, with their own numbers
eight = machine("8 CPUs", "pack:2 numa:1 core:2 pu:2", (2, 1, 2, 2))
low, high = {0, 1, 2, 3}, {4, 5, 6, 7}
check("--threads=0-3/3:4-7/4", eight, ["-a", "--threads=0-3/3:4-7/4"], [(low, low, {3}), (high, high, {4})])
check("-C 2,5 --threads=0-3/3:4-7/4", eight, ["-C", "2,5", "--threads=0-3/3:4-7/4"],
      [({2}, low, {3}), ({5}, high, {4})])
check("-C 3,4 --threads=0-3/3:4-7/4", eight, ["-C", "3,4", "--threads=0-3/3:4-7/4"],
      [({3}, low, {3}), ({4}, high, {4})])
check("-C 0,4,2,6 --threads=core", eight, ["-C", "0,4,2,6", "--threads=core"],
      [({0}, {0, 1}, {0, 1}), ({2}, {2, 3}, {2, 3}), ({4}, {4, 5}, {4, 5}), ({6}, {6, 7}, {6, 7})])
check("-C 0,4,2,6 --threads=numa", eight, ["-C", "0,4,2,6", "--threads=numa"],
      [({0, 2}, low, low), ({4, 6}, high, high)])
check("a command instead of -a has the same writers", eight, ["--threads=numa"],
      [(low, low, low), (high, high, high)])
check("-D -1 and call graphs change nothing in it", eight,
      ["-D", "-1", "-e", "cpu-clock", "-a", "-g", "--call-graph", "dwarf,4096", "--compression-level=3",
       "--threads=socket"], [(low, low, low), (high, high, high)])

# what cannot be followed: one sentence, exit status 2, nothing on stdout
for spec, word in [("0-3", "pair"), ("0-3/", "CPU"), ("0-9/0", "8-9"), ("0-3/12", "12"), ("0-3/0:3-7/1", "3"),
                   ("0-3/0:4-7/0", "0"), ("foo", "foo"), (":", "pair"), ("0-3/0", "4-7"), ("x/y", "x"),
                   ("0-3/3/3:4-7/4", "/")]:
    result = dry_run(eight, "-a", f"--threads={spec}")
    tap.ok(result.status == 2 and result.out == "" and result.err.startswith("tstream: cannot ") and
           len([l for l in result.err.splitlines() if not l.startswith("  hint:")]) == 1 and word in result.err,
           f"8 CPUs: --threads={spec} is refused in one sentence", f"status {result.status}\n{result.out}{result.err}")
for options, word in [(["-C", "2", "--threads=0-1/0:2-7/2"], "pair 1"), (["-C", "8"], "8"), (["-C", "1-"], "1-"),
                      (["-C", ""], ""), (["-C", "a"], "a")]:
    result = dry_run(eight, *options)
    tap.ok(result.status == 2 and result.err.startswith("tstream: cannot ") and word in result.err,
           f"8 CPUs: {' '.join(options)} is refused", f"status {result.status}\n{result.out}{result.err}")

result = tap.run(tap.TSTREAM, "record", "--dry-run", "-e", "cpu-clock", "-o", tap.path("cap"), "--", "true")
tap.ok(result.status == 0 and os.listdir(tap.scratch) == [], "--dry-run leaves nothing behind", result.err)
for word in ("^layout: ", "^rings: .* for samples, .* for side-band", "^descriptors: [0-9]+", "^memory: "):
    tap.ok(re.search(word, result.out, re.M), f"--dry-run tells '{word}'", result.out)


def locks_freely():
    with open("/proc/self/status") as f:
        return bool(int(re.search(r"CapEff:\s*(\w+)", f.read()).group(1), 16) & 1 << 14)


if locks_freely() and os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") > 8 << 30:
    for options, size in [(["--call-graph", "dwarf"], "4M"), (["--call-graph", "dwarf,4096"], "2M"),
                          (["--call-graph", "dwarf", "-m", "512K"], "512K")]:
        result = dry_run(eight, "-a", *options)
        tap.ok(f"rings: 8 of {size} for samples" in result.out, f"{' '.join(options)}: rings of {size}", result.out)
tap.done()
