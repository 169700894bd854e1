# SPDX-License-Identifier: Apache-2.0
"""Registers of this machine that samples may have, by what they are for, as perf names them, and their bits in the kernel's masks.

    IP, SP, FIRST, LAST    names; None where this architecture is not known here
    ALL                    the mask of all; 0 where it is not known
    mask(names)            of some
"""
import platform

_BITS = {
    "x86_64": {"ax": 0, "sp": 7, "ip": 8, "r15": 23},
    "aarch64": {"x0": 0, "sp": 31, "pc": 32, "lr": 30},
    "riscv64": {"ra": 1, "sp": 2, "pc": 0, "t6": 31},
}
_ROLES = {"x86_64": ("ip", "sp", "ax", "r15"), "aarch64": ("pc", "sp", "x0", "lr"), "riscv64": ("pc", "sp", "ra", "t6")}
_ALL = {"x86_64": 0xff0fff, "aarch64": 0x1ffffffff, "riscv64": 0xffffffff}

_machine = platform.machine()
IP, SP, FIRST, LAST = _ROLES.get(_machine, (None,) * 4)
ALL = _ALL.get(_machine, 0)
REASON = f"the registers of {_machine} are not known here"


def mask(*names):
    return sum(1 << _BITS[_machine][name.lower()] for name in names)
