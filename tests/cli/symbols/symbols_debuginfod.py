#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--debuginfod: files that are gone come from a server, by build-id; and no server is asked without it."""
import ctypes
import http.server
import os
import shutil
import sys
import threading

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import perf_file  # noqa: E402
import tap  # noqa: E402

try:
    ctypes.CDLL("libdebuginfod.so.1")
except OSError:
    tap.skip_all("libdebuginfod is not installed (package libdebuginfod1)")

ID = bytes(range(20))
program, capture, files, asked = tap.path("program"), tap.path("perf.data"), {}, []


class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        asked.append(self.path)
        data = files.get(self.path)
        self.send_response(200 if data else 404)
        self.send_header("Content-Length", str(len(data or b"")))
        self.end_headers()
        self.wfile.write(data or b"")

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
URL = f"http://127.0.0.1:{server.server_port}"
for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
    del os.environ[name]
os.environ["DEBUGINFOD_URLS"] = URL

made = perf_file.PerfFile(flags=perf_file.BUILD_ID)
mapped = perf_file.Program(program, ["from_server", "other"], build_id=ID)
made.thread(10, 10, "some")
made.map(10, mapped, build_id=ID)
made.sample(10, 10, 1000, [mapped.at("from_server", 4)])
made.write(capture)
with open(program, "rb") as f:
    whole = f.read()


def run(command, *options):
    asked.clear()
    os.environ["DEBUGINFOD_CACHE_PATH"] = tap.path("cache")
    shutil.rmtree(tap.path("cache"), ignore_errors=True)
    return tap.run(tap.TSTREAM, command, *options, "-i", capture)


os.unlink(program)
files[f"/buildid/{ID.hex()}/executable"] = whole
for command in "report", "script":
    got = run(command)
    tap.ok(not asked and "from_server" not in got.out, f"{command} asks nobody by itself", asked)
    got = run(command, "--debuginfod")
    tap.ok(got.status == 0 and "from_server" in got.out and f"/buildid/{ID.hex()}/executable" in asked,
           f"{command} --debuginfod gets a module that is gone", (asked, got.out, got.err))
del os.environ["DEBUGINFOD_URLS"]
got = run("report", "--explain-symbols", f"--debuginfod={URL}")
tap.ok(f"cannot open {program} for its symbols: No such file or directory\n" in got.out
       and "debuginfod servers have the file itself: " in got.out, "--explain-symbols says where it came from", got.out)

with open(program, "wb") as f:
    f.write(perf_file.without_symbols(whole))
files = {f"/buildid/{ID.hex()}/debuginfo": whole}
got = run("report", f"--debuginfod={URL}")
tap.ok(got.status == 0 and "from_server" in got.out and asked == list(files), "and a debug file", (asked, got.out, got.err))

for what, data in (("nothing", None), ("another file", b"x" * 5000), ("half of it", whole[:-200])):
    files = {f"/buildid/{ID.hex()}/debuginfo": data, f"/buildid/{ID.hex()}/executable": data}
    got = run("report", f"--debuginfod={URL}")
    tap.ok(got.status == 0 and "from_server" not in got.out, f"a server that has {what} changes nothing", (got.out, got.err))
    if not data:
        tap.ok(tap.without_names(got.err) == "tstream: note: debuginfod servers had 0 of 1 files: 'tstream report --explain-symbols' lists them\n",
               "which a note tells", got.err)

server.shutdown()
server.server_close()
got = run("report", "--explain-symbols", f"--debuginfod={URL}")
tap.ok(got.status == 0 and "cannot get the debug file from debuginfod servers: " in got.out, "nor does one that is not there",
       got.out + got.err)
for option in "--debuginfod", "--debuginfod=":
    got = run("report", option)
    tap.ok(got.status == 2 and "cannot ask debuginfod servers: no server was given" in got.err, f"{option} needs a server", got.err)
tap.done()
