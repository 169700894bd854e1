# SPDX-License-Identifier: Apache-2.0
"""A guest with 2 sockets, 4 memory nodes and 16 CPUs, for tests that this machine cannot show.

    import guest
    guest.enter(disks=["64M"])     # on the host: runs this script inside a guest, prints what it prints, and ends
    ...                            # in the guest: the test, as root; disks are /dev/vda, /dev/vdb ...

qemu emulates it (TCG), which needs nothing of the machine but is 20 times slower. The kernel is Debian's, the root an
initramfs of busybox; the host's /usr and /etc, the sources and the build folder appear read-only at their places (9p).
Packages come by apt-get once, into the build folder: qemu is installed, kernel and busybox are only unpacked.

Emulation makes about one boot in fifty hang or die, so a guest that ends without a status is started again, three times in
all; the script then begins anew, and only the output of the last guest counts.
"""
import fcntl
import glob
import lzma
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

BOOT_SECONDS = 120
ATTEMPTS = 3
QEMU = "qemu-system-x86_64"
SOURCES = os.path.abspath(os.environ.get("abs_srcdir", "."))
BUILD = os.path.abspath(os.environ.get("abs_builddir", "."))
CACHE = os.path.join(BUILD, "vm-cache")
# poses as an Intel CPU: only there does Linux show threads of a core and several nodes in a socket
CPU = "max,-la57,vendor=GenuineIntel,family=6,model=85,stepping=4"
TOPOLOGY = "16,sockets=2,cores=4,threads=2"
NODES, CPUS_A_NODE, NODE_MEMORY = 4, 4, "640M"
EARLY_MODULES = r"/(virtio_(pci|blk)|9p|9pnet_virtio)\.ko"

INIT = r"""#!/bin/busybox sh
export PATH=/bin; /bin/busybox --install -s /bin
mount -t devtmpfs dev /dev; mount -t proc proc /proc; mount -t sysfs sys /sys
modprobe -a virtio_pci virtio_blk 9p 9pnet_virtio
share() { mkdir -p "$2"; mount -t 9p -o "trans=virtio,version=9p2000.L,msize=512000,$3" "$1" "$2"; }
share result /result cache=none
share usr /usr ro,cache=loose; share etc /etc ro,cache=loose; share modules /lib/modules ro,cache=loose
share sources "$SOURCES" ro,cache=loose; share build "$BUILD" ro,cache=loose
mkdir -p /dev/shm /tmp /run /root /mnt
for m in tmpfs:/dev/shm tmpfs:/tmp tmpfs:/run tracefs:/sys/kernel/tracing; do mount -t ${m%:*} none ${m#*:}; done
ln -s /proc/self/fd /dev/fd; ip link set lo up; echo /bin/modprobe >/proc/sys/kernel/modprobe
: >/result/started
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/bin; cd /tmp
. /result/command </dev/null >/result/out 2>&1
echo $? >/result/status.new; mv /result/status.new /result/status; sync; poweroff -f
"""


# --- what it takes ---

def apt(*command, **options):
    env = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    return subprocess.run(["apt-get", "-qq", "-o", "DPkg::Lock::Timeout=600", "-o", "APT::Sandbox::User=root", *command],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env,
                          **options).returncode == 0


def apt_again(*command, **options):
    return apt(*command, **options) or (apt("update") and apt(*command, **options))


def kernel_package():
    shown = subprocess.run(["apt-cache", "depends", "linux-image-amd64"], stdout=subprocess.PIPE, text=True).stdout
    found = re.search(r"Depends: (linux-image-\S+)", shown)
    return found[1] if found else "linux-image-amd64"


def plain_kernel(image):
    """The kernel without its compression, which would be undone at each boot, 20 times slower."""
    at = image.find(b"\xfd7zXZ\0")
    try:
        plain = lzma.LZMADecompressor().decompress(image[at:]) if at >= 0 else b""
    except lzma.LZMAError:
        plain = b""
    return plain if plain.startswith(b"\x7fELF") else image


def unpack(folder):
    root = os.path.join(folder, "root")
    for package in glob.glob(os.path.join(folder, "*.deb")):
        subprocess.run(["dpkg-deb", "-x", package, root], check=True)
        os.remove(package)
    image, = glob.glob(os.path.join(root, "boot/vmlinuz-*"))
    version = image.partition("vmlinuz-")[2]
    with open(image, "rb") as packed, open(os.path.join(folder, "kernel"), "wb") as plain:
        plain.write(plain_kernel(packed.read()))
    subprocess.run([os.path.join(root, "bin/busybox"), "depmod", "-b", root, version], check=True)
    with open(os.path.join(folder, "version"), "w") as f:
        f.write(version)


def why_not(programs):
    """Gets what is missing; why there can be no guest, or None."""
    if not shutil.which("apt-get"):
        return "no apt-get to install qemu and a kernel with"
    for program, package in {QEMU: "qemu-system-x86", **programs}.items():
        if shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin"):
            continue
        if os.geteuid() or not apt_again("install", "-y", "--no-install-recommends", package):
            return f"{program} is missing (package {package})"
    if os.path.exists(os.path.join(CACHE, "version")):
        return None
    for name in ("root", "kernel"):
        shutil.rmtree(os.path.join(CACHE, name), ignore_errors=True)
    fresh = tempfile.mkdtemp(dir=CACHE)
    if not apt_again("download", kernel_package(), "busybox-static", cwd=fresh):
        return "a kernel and busybox cannot be downloaded"
    unpack(fresh)
    for name in ("root", "kernel", "version"):
        os.rename(os.path.join(fresh, name), os.path.join(CACHE, name))
    os.rmdir(fresh)
    return None


def early_modules(root, folder):
    """The modules that reach the shares, with the list of who needs whom."""
    needs = {}
    with open(os.path.join(root, "modules.dep")) as f:
        for line in f:
            name, _, needed = line.strip().partition(":")
            needs[name] = needed.split()
    wanted = [name for name in needs if re.search(EARLY_MODULES, name)]
    for name in wanted:
        wanted += [n for n in needs[name] if n not in wanted]
    for name in wanted:
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        shutil.copy(os.path.join(root, name), os.path.join(folder, name))
    with open(os.path.join(folder, "modules.dep"), "w") as f:
        f.writelines(f"{name}: {' '.join(needs[name])}\n" for name in wanted)


def make_initramfs(work):
    with open(os.path.join(CACHE, "version")) as f:
        version = f.read()
    root = os.path.join(work, "initramfs")
    for name in ("bin", "dev", "proc", "sys", "usr", "etc", "result", f"lib/modules/{version}"):
        os.makedirs(os.path.join(root, name))
    for name in ("sbin", "lib32", "lib64"):
        os.symlink("usr/" + name, os.path.join(root, name))
    os.symlink("/usr/lib/x86_64-linux-gnu", os.path.join(root, "lib/x86_64-linux-gnu"))
    busybox = shutil.copy(os.path.join(CACHE, "root/bin/busybox"), os.path.join(root, "bin/busybox"))
    early_modules(os.path.join(CACHE, "root/lib/modules", version), os.path.join(root, "lib/modules", version))
    with open(os.path.join(root, "init"), "w") as f:
        f.write(INIT.replace("$SOURCES", SOURCES).replace("$BUILD", BUILD))
    os.chmod(os.path.join(root, "init"), 0o755)
    with open(os.path.join(work, "initramfs.cpio"), "wb") as cpio:
        names = subprocess.run(["find", "."], cwd=root, stdout=subprocess.PIPE, check=True).stdout
        subprocess.run([busybox, "cpio", "-o", "-H", "newc"], cwd=root, input=names, stdout=cpio,
                       stderr=subprocess.DEVNULL, check=True)


# --- one guest ---

def kernel_arguments():
    """Under emulation calibration and the test of clocks would take long and fail: the rate is told, the clock trusted."""
    with open("/proc/cpuinfo") as f:
        bogo = re.search(r"^bogomips\s*: (\d+)", f.read(), re.M)
    rate = f" tsc_early_khz={int(bogo[1]) * 500} lpj={int(bogo[1]) * 2000}" if bogo else ""
    return ("console=ttyS0 loglevel=4 panic=-1 mitigations=off nokaslr tsc=reliable no_timer_check nowatchdog audit=0 "
            "apparmor=0 random.trust_cpu=on rcupdate.rcu_cpu_stall_suppress=1" + rate)


def qemu_command(work, disks):
    q = [QEMU, "-M", "q35", "-accel", "tcg,thread=multi", "-cpu", CPU, "-smp", TOPOLOGY, "-m", f"{640 * NODES}M",
         "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-device", "virtio-rng",
         "-kernel", os.path.join(CACHE, "kernel"), "-initrd", os.path.join(work, "initramfs.cpio"),
         "-append", kernel_arguments(), "-serial", f"file:{work}/console"]
    for node in range(NODES):
        first = node * CPUS_A_NODE
        q += ["-object", f"memory-backend-ram,id=m{node},size={NODE_MEMORY}",
              "-numa", f"node,nodeid={node},cpus={first}-{first + CPUS_A_NODE - 1},memdev=m{node}"]
    shares = [("result", f"{work}/result", ""), ("usr", "/usr", ",readonly=on"), ("etc", "/etc", ",readonly=on"),
              ("modules", f"{CACHE}/root/lib/modules", ",readonly=on"), ("sources", SOURCES, ",readonly=on"),
              ("build", BUILD, ",readonly=on")]
    for tag, folder, how in shares:
        q += ["-virtfs", f"local,path={folder},mount_tag={tag},security_model=none,multidevs=remap{how}"]
    for i, size in enumerate(disks):
        image = os.path.join(work, f"disk{i}")
        subprocess.run(["truncate", "-s", size, image], check=True)
        q += ["-drive", f"file={image},format=raw,if=none,id=d{i}", "-device", f"virtio-blk,drive=d{i}"]
    return q


def read(*path):
    try:
        with open(os.path.join(*path), errors="replace") as f:
            return f.read()
    except FileNotFoundError:
        return ""


def run_once(command, disks, timeout):
    """(status or None where the guest ended without one, its output, the end of its console)"""
    with tempfile.TemporaryDirectory(prefix="tstream-vm.") as work:
        result = os.path.join(work, "result")
        os.mkdir(result)
        with open(os.path.join(result, "command"), "w") as f:
            f.write(command)
        make_initramfs(work)
        begin = time.monotonic()
        qemu = subprocess.Popen(qemu_command(work, disks), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=open(os.path.join(work, "qemu.log"), "w"))
        try:
            while qemu.poll() is None and not os.path.exists(os.path.join(result, "status")):
                time.sleep(0.2)
                limit = timeout if os.path.exists(os.path.join(result, "started")) else BOOT_SECONDS
                if time.monotonic() - begin > limit:
                    break
        finally:
            qemu.kill()
            qemu.wait()
        status = read(result, "status").strip()
        console = read(work, "qemu.log") + read(work, "console")[-2000:]
        return int(status) if status else None, read(result, "out"), console


def enter(disks=(), programs={}, timeout=600):
    """Returns inside the guest only. `programs`: {program: its package} that the test needs inside."""
    if os.environ.get("TSTREAM_GUEST"):
        return
    os.makedirs(CACHE, exist_ok=True)
    lock = open(os.path.join(CACHE, "lock"), "w")  # one guest at a time: it takes a CPU, and 2.5 GiB
    fcntl.flock(lock, fcntl.LOCK_EX)
    reason = why_not(programs)
    if reason:
        tap.skip_all(reason)
    script = os.path.abspath(sys.argv[0])
    names = {"TSTREAM_GUEST": "yes", "abs_srcdir": SOURCES, "abs_builddir": BUILD, "TSTREAM": tap.TSTREAM,
             "PYTHONDONTWRITEBYTECODE": "1", "HOME": "/root", "LANG": "C.UTF-8"}
    command = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in names.items())
    command += f"/usr/bin/python3 {shlex.quote(script)}\n"
    for _ in range(ATTEMPTS):
        status, out, console = run_once(command, disks, timeout)
        if status is not None:
            break
        print("# a guest ended without a status, or took too long; its console ends with:")
        print("".join(f"# {line}\n" for line in (out[-1000:] + console).splitlines()), flush=True)
    print(out, end="", flush=True)
    sys.exit(1 if status is None else status)
