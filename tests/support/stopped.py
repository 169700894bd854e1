# SPDX-License-Identifier: Apache-2.0
"""A recorder that is stopped, so that it loses what happens meanwhile: however fast, slow or busy the machine is.

    with stopped.recorder(pid):
        ...                       far more records than its rings have room for

Only SIGSTOP to its process, and SIGCONT at the end: the rings stay as they are, and the kernel goes on filling them.
"""
import contextlib
import os
import signal
import time


def state_of(pid, tid):
    """The state and the name of a thread, as /proc says; a thread that is gone is 'X'."""
    try:
        with open(f"/proc/{pid}/task/{tid}/stat") as f:
            text = f.read()
    except OSError:
        return "X", ""
    return text.rsplit(")", 1)[1].split()[0], text[text.index("(") + 1:text.rindex(")")]


def threads_of(pid):
    try:
        return os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []


def wait_for_states(pid, states, limit_s=60):
    """Until every thread is in one of the states; the kernel's own threads in a process do not obey signals."""
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        found = [state_of(pid, tid) for tid in threads_of(pid)]
        if all(state in states for state, name in found if not name.startswith("iou-")):
            return
        time.sleep(0.005)
    raise TimeoutError(f"process {pid} is not in one of the states {states}: {found}")


@contextlib.contextmanager
def recorder(pid):
    os.kill(pid, signal.SIGSTOP)
    try:
        wait_for_states(pid, "TX")
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def wait_for_exit(pid):
    """Until a process that somebody else waits for has ended."""
    wait_for_states(pid, "ZX")
