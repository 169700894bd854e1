#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Very many rings: what opening takes is known before, the limits are raised as far as is allowed, or it is refused early
with the numbers."""
import os
import re
import resource
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

EVENTS = "cpu-clock,task-clock,page-faults,context-switches,cpu-migrations,minor-faults,major-faults,alignment-faults"
MANY_CPUS = {"HWLOC_SYNTHETIC": "pack:16 core:16 pu:2"}
WRITERS = 32  # of 16 CPUs each
FEW = 5 * WRITERS + 40  # a writer's own; directory, flags, signals, control, limits, the scan
THREADS = 100
SLEEPERS = f"""
import threading, time
for _ in range({THREADS} - 1):
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
print("ready", flush=True)
time.sleep(600)
"""


def descriptors(*options):
    result = tap.run(tap.TSTREAM, "record", "--dry-run", "-e", EVENTS, *options, env=MANY_CPUS)
    found = re.search("^descriptors: ([0-9]+)$", result.out, re.M)
    return int(found[1]) if found else result.err


def is_few_more(got, events, sentence):
    """All events, and no more beside them than is allowed; that so many are enough is shown by record_user.py."""
    tap.ok(isinstance(got, int) and events < got <= events + FEW, sentence, f"{got}, of events {events}")


def with_files(soft, hard):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


sleepers = subprocess.Popen([sys.executable, "-c", SLEEPERS], stdout=subprocess.PIPE)
sleepers.stdout.readline()
pid = str(sleepers.pid)
is_few_more(descriptors("-a"), 512 * 9 + 1024 + 1, "512 CPUs, 8 events and side-band: 4608, the owners and few more")
if os.geteuid():
    is_few_more(descriptors("-p", pid), 512 * 9 * THREADS + 1024 + THREADS, "the same for 100 threads: 460800")
else:
    is_few_more(descriptors("-p", pid), 512 * (8 * THREADS + 1) + 1024, "for 100 threads 409600 events, and one side-band a CPU")
    is_few_more(descriptors("-p", pid, "--switch-events"), 512 * 9 * THREADS + 1024 + THREADS,
                "with switches of the threads alone 460800")

cap = tap.path("cap")
command = [tap.TSTREAM, "record", "-e", EVENTS, "-p", pid, "-o", cap]
if shutil.which("setpriv"):
    # root would raise it, so the right to do that is taken away
    bound = ["setpriv", "--bounding-set=-sys_resource", "--inh-caps=-sys_resource"] if os.geteuid() == 0 else []
    result = tap.run(*bound, *command, "--", "true", preexec_fn=with_files(256, 512))
    told = re.search(r"cannot open (\d+) descriptors in addition to \d+ open ones: RLIMIT_NOFILE allows this process 512$",
                     result.err, re.M)
    tap.ok(result.status in (1, 2) and told and int(told[1]) > 9 * THREADS, "too many are refused with the numbers", result.err)
    tap.ok(re.search(r"ulimit -Hn \d+", result.err), "and what to set", result.err)
    tap.ok(os.listdir(tap.scratch) == [], "before anything is made", os.listdir(tap.scratch))
else:
    tap.skip("too many are refused with the numbers", "needs setpriv")
if os.geteuid() == 0:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    result = tap.run(*command, "--", "sh", "-c", "ulimit -n", preexec_fn=with_files(256, hard))
    tap.ok(result.status == 0 and os.path.exists(cap + "/data"), "the limit is raised where that is allowed", result.err)
    tap.equal(result.out.strip(), "256", "and the command keeps its own")
else:
    tap.skip("the limit is raised where that is allowed", "needs root")
sleepers.kill()
sleepers.wait()
tap.done()
