# SPDX-License-Identifier: Apache-2.0
"""A process with mounts and a number of its own.

    with contained.Process("mount -t tmpfs none /tmp && exec program", "program") as pid:     None: it cannot be made here
"""
import subprocess
import time

LIMIT_S = 60


class Process:
    def __init__(self, shell, command):
        """shell: what it does, at last an exec of `command`."""
        self.shell, self.command = shell, command[:15]

    def _find(self):
        """Our number of it, once it is what it is to be."""
        end = time.monotonic() + LIMIT_S
        while self.process.poll() is None and time.monotonic() < end:
            with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as f:
                children = f.read().split()
            if children:
                with open(f"/proc/{children[0]}/comm") as f:
                    if f.read().strip() == self.command:
                        return children[0]
            time.sleep(0.01)
        return None

    def __enter__(self):
        self.process = subprocess.Popen(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", self.shell],
                                        stderr=subprocess.DEVNULL)
        return self._find()

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
