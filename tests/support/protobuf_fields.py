# SPDX-License-Identifier: Apache-2.0
"""Protobuf messages by the numbers of their fields, for the readers of formats."""
import collections


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """(number, value) of a message: a number, or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        elif key & 7 == 2:
            size, at = varint(data, at)
            if at + size > len(data):
                raise ValueError("a field that is cut")
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"a field of type {key & 7}")
        yield key >> 3, value


def packed(data):
    at, values = 0, []
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def message(data):
    """{number: [values]}"""
    found = collections.defaultdict(list)
    for number, value in fields(data):
        found[number].append(value)
    return found


def first(found, number):
    return found[number][0] if found[number] else 0


def fixed(data):
    """The values of a packed field of 8 bytes each."""
    return [int.from_bytes(data[at:at + 8], "little") for at in range(0, len(data), 8)]


def text(found, number):
    return found[number][0].decode("utf-8") if found[number] else ""


def signed(value):
    """A negative number of 64 bits."""
    return value - (1 << 64) if value >> 63 else value
