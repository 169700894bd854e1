# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium that opens pages of `report --html` (page_driver.mjs), and the folder of all that it writes.

    browser = browser.Browser()             says skip where it cannot be had
    seen = browser.visit(path, [step, ...]) {"results", "requests", "errors"}; results: what the page shows at first, then after each step
    browser.close()                         [process that is left, ...]

PAGE_TOOLS names a folder whose node_modules has playwright-core and axe-core; without it, it is the folder browser/ of the build
(make browser-tools). Chromium and node are found in the PATH. Profile, caches and sockets are in tap.scratch.
"""
import atexit
import json
import os
import select
import shutil
import subprocess
import time

import tap

TOOLS = os.path.abspath(os.environ.get("PAGE_TOOLS") or os.path.join(os.environ.get("abs_builddir", "."), "browser"))
DRIVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "page_driver.mjs")
PACKAGES = "playwright-core", "axe-core"
ANSWER_S = 400  # a visit takes seconds, but others may have the CPUs
END_S = 60
OF_SESSION = "DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "NODE_OPTIONS"


def _missing():
    """Why there is no browser here, or ""."""
    programs = [name for name in ("chromium", "node") if not shutil.which(name)]
    if programs:
        return f"{' and '.join(programs)} cannot be found"
    if all(os.path.isdir(os.path.join(TOOLS, "node_modules", name)) for name in PACKAGES):
        return ""
    try:
        with open(os.path.join(TOOLS, "reason"), encoding="utf-8") as f:
            return f.read().strip()
    except OSError:
        return f"{' and '.join(PACKAGES)} are not there: make browser-tools fetches them, or PAGE_TOOLS names their folder"


def _environment(home):
    """Without the session of whoever runs the test; all that is written goes below home."""
    kept = {name: value for name, value in os.environ.items() if name not in OF_SESSION}
    folders = {"HOME": home, "TMPDIR": os.path.join(home, "tmp")}
    folders.update({f"XDG_{what}_HOME": os.path.join(home, what.lower()) for what in ("CONFIG", "CACHE", "DATA", "STATE")})
    for folder in folders.values():
        os.makedirs(folder, exist_ok=True)
    return {**kept, **folders}


def _bytes(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except OSError:
        return b""


class Browser:
    def __init__(self):
        reason = _missing()
        if reason:
            tap.skip_all(reason)
        self.home = tap.path("browser")
        self.said = open(tap.path("browser.err"), "w+", encoding="utf-8")
        self.driver = subprocess.Popen([shutil.which("node"), DRIVER, TOOLS, shutil.which("chromium")], env=_environment(self.home),
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said, text=True)
        atexit.register(self.close)
        self.version = self._opened(self._answer())

    def _opened(self, answer):
        """Its version. Where users may make no namespaces, Chromium does not start except as root."""
        why = answer.get("failed", "")
        if "No usable sandbox" in why or "sandboxing failed" in why:
            tap.skip_all("Chromium can make no sandbox for this user")
        if "opened" not in answer:
            tap.ok(False, "the browser starts", f"{answer}"[:2000])
            self._give_up()
        return answer["opened"]

    def _answer(self):
        out = self.driver.stdout
        if not select.select([out], [], [], ANSWER_S)[0]:
            return {"failed": f"no answer in {ANSWER_S} s"}
        return json.loads(out.readline() or json.dumps({"failed": "it ended: " + self._last_words()}))

    def _last_words(self):
        self.said.seek(0)
        return self.said.read()[-1500:]

    @staticmethod
    def _give_up():
        tap.done()
        raise SystemExit(1)

    def visit(self, page, steps=(), scheme="light", part=""):
        """part: of the address, behind the file."""
        wanted = {"file": page, "hash": part, "scheme": scheme, "steps": list(steps)}
        try:
            self.driver.stdin.write(json.dumps(wanted) + "\n")
            self.driver.stdin.flush()
        except BrokenPipeError:
            pass  # its answer says why
        answer = self._answer()
        if len(answer.get("results", [])) != 1 + len(steps):
            tap.ok(False, f"{os.path.basename(page)}: the visit comes to its end", f"{answer.get('failed')} {answer.get('errors')}"[:2000])
            self._give_up()
        return answer

    def close(self):
        """Ends it, and returns what processes of it are left nevertheless."""
        if not self.driver.stdin.closed:
            try:
                self.driver.stdin.close()
            except BrokenPipeError:
                pass
        try:
            self.driver.wait(END_S)
        except subprocess.TimeoutExpired:
            self.driver.kill()
            self.driver.wait()
        return self._left()

    def _left(self):
        until = time.monotonic() + END_S
        while (found := self._running()) and time.monotonic() < until:
            time.sleep(0.1)
        return found

    def _running(self):
        """All that have its folder among their words or in their environment."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            words, names = (_bytes(f"/proc/{pid}/{what}") for what in ("cmdline", "environ"))
            if self.home.encode() in words + names:
                found.append(f"{pid}: " + words.replace(b"\0", b" ").decode(errors="replace")[:200])
        return found
