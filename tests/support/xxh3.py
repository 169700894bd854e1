# SPDX-License-Identifier: Apache-2.0
"""XXH3-64 with seed 0, written from the specification (xxHash/doc/xxhash_spec.md), so that a
checksum in a stream is judged by other code than that which wrote it."""
import struct

M64 = (1 << 64) - 1
P32_1, P32_2, P32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
P64_1, P64_2, P64_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P64_4, P64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
PMX_1, PMX_2 = 0x165667919E3779F9, 0x9FB21C651E98DF25

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")


two_u64 = struct.Struct("<QQ").unpack_from
eight_u64 = struct.Struct("<8Q").unpack_from


def u32(data, at):
    return int.from_bytes(data[at:at + 4], "little")


def u64(data, at):
    return int.from_bytes(data[at:at + 8], "little")


def fold(a, b):
    product = a * b
    return (product & M64) ^ (product >> 64)


def avalanche(h):
    h ^= h >> 37
    h = h * PMX_1 & M64
    return h ^ h >> 32


def avalanche_xxh64(h):
    h ^= h >> 33
    h = h * P64_2 & M64
    h ^= h >> 29
    h = h * P64_3 & M64
    return h ^ h >> 32


def swap64(v):
    return int.from_bytes(v.to_bytes(8, "little"), "big")


def up_to_16(data):
    n = len(data)
    if n == 0:
        return avalanche_xxh64(u64(SECRET, 56) ^ u64(SECRET, 64))
    if n <= 3:
        combined = data[n - 1] | n << 8 | data[0] << 16 | data[n >> 1] << 24
        return avalanche_xxh64(combined ^ u32(SECRET, 0) ^ u32(SECRET, 4))
    if n <= 8:
        low, high = u32(data, 0), u32(data, n - 4)
        v = (high | low << 32) ^ u64(SECRET, 8) ^ u64(SECRET, 16)
        rotl = lambda x, r: (x << r | x >> (64 - r)) & M64
        v ^= rotl(v, 49) ^ rotl(v, 24)
        v = v * PMX_2 & M64
        v ^= (v >> 35) + n
        v = v * PMX_2 & M64
        return v ^ v >> 28
    low = (u64(SECRET, 24) ^ u64(SECRET, 32)) ^ u64(data, 0)
    high = (u64(SECRET, 40) ^ u64(SECRET, 48)) ^ u64(data, n - 8)
    return avalanche((n + swap64(low) + high + fold(low, high)) & M64)


def mix16(data, at, secret_at):
    low, high = two_u64(data, at)
    secret_low, secret_high = two_u64(SECRET, secret_at)
    return fold(low ^ secret_low, high ^ secret_high)


def up_to_240(data):
    n = len(data)
    acc = n * P64_1
    if n <= 128:
        for i in range((n - 1) // 32, -1, -1):
            acc += mix16(data, 16 * i, 32 * i)
            acc += mix16(data, n - 16 * (i + 1), 32 * i + 16)
        return avalanche(acc & M64)
    for i in range(8):
        acc += mix16(data, 16 * i, 16 * i)
    acc = avalanche(acc & M64)
    for i in range(8, n // 16):
        acc += mix16(data, 16 * i, 16 * (i - 8) + 3)
    acc += mix16(data, n - 16, 136 - 17)
    return avalanche(acc & M64)


def accumulate(acc, data, at, secret_at):
    for i, (value, secret) in enumerate(zip(eight_u64(data, at), eight_u64(SECRET, secret_at))):
        keyed = value ^ secret
        acc[i ^ 1] = acc[i ^ 1] + value & M64
        acc[i] = acc[i] + (keyed & 0xFFFFFFFF) * (keyed >> 32) & M64


def large(data):
    n = len(data)
    acc = [P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1]
    stripes = (len(SECRET) - 64) // 8
    block = 64 * stripes
    blocks = (n - 1) // block
    for b in range(blocks):
        for s in range(stripes):
            accumulate(acc, data, b * block + 64 * s, 8 * s)
        for i in range(8):
            acc[i] = (acc[i] ^ acc[i] >> 47 ^ u64(SECRET, len(SECRET) - 64 + 8 * i)) * P32_1 & M64
    for s in range((n - 1 - blocks * block) // 64):
        accumulate(acc, data, blocks * block + 64 * s, 8 * s)
    accumulate(acc, data, n - 64, len(SECRET) - 71)
    h = n * P64_1 & M64
    for i in range(4):
        h += fold(acc[2 * i] ^ u64(SECRET, 11 + 16 * i), acc[2 * i + 1] ^ u64(SECRET, 19 + 16 * i))
    return avalanche(h & M64)


def xxh3_64(data):
    if len(data) <= 16:
        return up_to_16(data)
    return up_to_240(data) if len(data) <= 240 else large(data)
