# SPDX-License-Identifier: Apache-2.0
"""System calls that are refused, as by the seccomp filter of a container; on x86_64.

    tap.run(..., preexec_fn=refused.system_call("ppoll", errno.EIO))

refused.NUMBERS names those that can be.
"""
import ctypes

# asm/unistd_64.h
NUMBERS = {"ioctl": 16, "access": 21, "dup": 32, "uname": 63, "fcntl": 72, "ftruncate": 77, "capget": 125, "madvise": 28,
           "sched_setaffinity": 203, "unlinkat": 263, "mkdirat": 258, "renameat": 264, "ppoll": 271, "signalfd4": 289,
           "eventfd2": 290, "pipe2": 293, "perf_event_open": 298, "prlimit64": 302, "sched_setattr": 314, "renameat2": 316,
           "getrandom": 318, "bpf": 321, "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427,
           "getrusage": 98, "fstatfs": 138, "flock": 73, "epoll_create1": 291}


class Instruction(ctypes.Structure):
    _fields_ = [("code", ctypes.c_ushort), ("true", ctypes.c_ubyte), ("false", ctypes.c_ubyte), ("k", ctypes.c_uint)]


class Program(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.POINTER(Instruction))]


def system_call(name, code):
    """For preexec_fn: from then on this system call fails with this errno."""
    libc = ctypes.CDLL(None)
    filter_ = (Instruction * 4)(Instruction(0x20, 0, 0, 0), Instruction(0x15, 0, 1, NUMBERS[name]),
                                Instruction(0x06, 0, 0, 0x00050000 | code), Instruction(0x06, 0, 0, 0x7fff0000))

    def install():
        libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
        libc.prctl(22, 2, ctypes.byref(Program(4, filter_)), 0, 0)  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER

    return install
