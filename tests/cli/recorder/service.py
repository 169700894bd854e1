#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/tstream.service: what it starts records the machine with the capabilities that it has, and is told to stop by its words."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["abs_srcdir"], "tests", "support"))
import tap  # noqa: E402

LIMIT_S = 60
UNIT = os.path.join(os.environ["abs_srcdir"], "docs", "tstream.service")


def settings():
    with open(UNIT) as file:
        return dict(re.findall(r"^(\w+)=(.*)$", file.read(), re.M))


def words_of(text, out):
    return [tap.TSTREAM if word.endswith("/tstream") else word.replace("/var/lib/tstream/cap", out) for word in text.split()]


def check_records(unit):
    out = tap.path("cap")
    caps = ",".join("+" + cap.removeprefix("CAP_").lower() for cap in unit["CapabilityBoundingSet"].split())
    start = words_of(unit["ExecStart"], out)
    start[start.index("-F"):start.index("-F")] = ["-e", "cpu-clock"]
    recorder = subprocess.Popen(["setpriv", "--no-new-privs", "--bounding-set", f"-all,{caps}", "--inh-caps", "-all", *start],
                                stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + LIMIT_S
    snapshot = tap.run(tap.TSTREAM, "ctl", out, "snapshot")
    while snapshot.status and recorder.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
        snapshot = tap.run(tap.TSTREAM, "ctl", out, "snapshot")
    tap.run(*words_of(unit["ExecStop"], out))
    if recorder.poll() is None and snapshot.status:
        recorder.send_signal(signal.SIGTERM)
    err = recorder.communicate(timeout=LIMIT_S)[1]
    tap.ok(snapshot.status == 0 and os.path.isdir(snapshot.out.strip()), "it can be asked for a snapshot", snapshot.err + err)
    tap.ok(recorder.returncode == 0 and "nothing lost" not in err and not os.path.exists(out + ".ctl"), "and ends by its own command", err)
    report = tap.run(tap.TSTREAM, "report", "--stdio", "-i", out)
    with open(out + "/tstream.json") as file:
        state = json.load(file)["state"]
    tap.ok(report.status == 0 and state == "complete", "its capture is complete", f"{state} {report.err}")


def check_unit():
    if not shutil.which("systemd-analyze"):
        return tap.skip("the unit is one that systemd takes", "systemd-analyze is not installed")
    result = tap.run("systemd-analyze", "verify", UNIT)
    wrong = [line for line in (result.out + result.err).splitlines() if "tstream" in line and "is not executable" not in line and "man tstream" not in line]
    tap.ok(not wrong, "the unit is one that systemd takes", "\n".join(wrong))


if os.geteuid() or not tap.can_record_all():
    tap.skip_all("a service records as root")
if not shutil.which("setpriv"):
    tap.skip_all("setpriv is not installed")
check_records(settings())
check_unit()
tap.done()
