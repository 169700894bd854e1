# SPDX-License-Identifier: Apache-2.0
"""Reads a Parquet file: the parts of the format that tstream writes, and checks the rest of the file on the way.

    t = parquet_file.Table(path)
    t.rows                       [{"host": "a", "time": 7, ...}]: lists are lists
    t.types, t.notes, t.maker    {column: type}, {key: value}, the program
    t.groups                     of each row group: {column: a Chunk}; number of rows: t.group_rows

Source: README.md, Encodings.md and parquet.thrift of Apache Parquet's format.
"""
import ctypes
import struct

UNSIGNED = {12: (16, 1), 13: (32, 1), 14: (64, 2)}  # converted types: bits, physical type


class Compact:
    """Thrift's compact protocol: a struct is {field: value}."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def varint(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def zigzag(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind in (4, 5, 6):
            return self.zigzag()
        if kind == 8:
            length = self.varint()
            self.at += length
            return self.data[self.at - length:self.at]
        if kind == 9:
            head = self.data[self.at]
            self.at += 1
            return [self.value(head & 15) for _ in range(self.varint() if head >> 4 == 15 else head >> 4)]
        if kind == 12:
            return self.struct()
        raise ValueError(f"type {kind}")

    def struct(self):
        found, field = {}, 0
        while True:
            head = self.data[self.at]
            self.at += 1
            if not head:
                return found
            if not head >> 4:
                raise ValueError("a long field header")
            field += head >> 4
            found[field] = self.value(head & 15)


def inflated(packed, size):
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    out = ctypes.create_string_buffer(max(size, 1))
    got = zstd.ZSTD_decompress(out, ctypes.c_size_t(size), bytes(packed), ctypes.c_size_t(len(packed)))
    if got != size:
        raise ValueError(f"zstd: {got} bytes for {size}")
    return out.raw[:size]


def hybrid(data, bits, nr):
    """Runs of equal values and of packed ones."""
    reader, values, width = Compact(data), [], (bits + 7) // 8
    while len(values) < nr:
        head = reader.varint()
        if head & 1:
            size = (head >> 1) * bits
            packed = int.from_bytes(data[reader.at:reader.at + size], "little")
            if reader.at + size > len(data):
                raise ValueError("packed values are cut")
            text = data[reader.at:reader.at + size]
            values += ([int.from_bytes(text[i:i + width], "little") for i in range(0, size, width)] if bits % 8 == 0 else
                       [packed >> i & (1 << bits) - 1 for i in range(0, 8 * size, bits)])
            reader.at += size
        else:
            values += [int.from_bytes(data[reader.at:reader.at + width], "little")] * (head >> 1)
            reader.at += width
    if reader.at != len(data) or len(values) - nr > 7:
        raise ValueError(f"{len(values)} values for {nr}, {len(data) - reader.at} bytes are left")
    return values[:nr]


def differences(data, nr, bits):
    """DELTA_BINARY_PACKED."""
    reader = Compact(data)
    block, parts, total, value = reader.varint(), reader.varint(), reader.varint(), reader.zigzag()
    if total != nr or block % 128 or block // parts % 32:
        raise ValueError(f"{total} differences of {nr} values in blocks of {block}")
    values, mask = [value & (1 << bits) - 1] if nr else [], (1 << bits) - 1
    while len(values) < nr:
        least = reader.zigzag()
        widths = data[reader.at:reader.at + parts]
        reader.at += parts
        for width in widths:
            if len(values) >= nr:
                break
            size = block // parts * width // 8
            packed = int.from_bytes(data[reader.at:reader.at + size], "little")
            if width > bits or reader.at + size > len(data):
                raise ValueError(f"{width} bits of differences")
            reader.at += size
            for i in range(block // parts):
                if len(values) < nr:
                    values.append(values[-1] + least + (packed >> i * width & (1 << width) - 1) & mask)
    if reader.at != len(data):
        raise ValueError("bytes behind the differences")
    return values


class Column:
    def __init__(self, elements):
        """Takes its elements of the schema from the list's beginning."""
        first = elements.pop(0)
        self.name = first[4].decode()
        self.is_list = 5 in first
        if self.is_list:
            group, first = elements.pop(0), elements.pop(0)
            if (group[3], group[4], first[4]) != (2, b"list", b"element"):
                raise ValueError("a list of another form")
        if first[3] != 0:
            raise ValueError("a column that is not required")
        self.physical, converted = first[1], first[6]
        if self.physical == 6 and converted == 0:
            self.type = "text"
        else:
            bits, physical = UNSIGNED[converted]
            if physical != self.physical:
                raise ValueError("a type in another one")
            self.type = f"u{bits}"
        self.type += " list" if self.is_list else ""

    def plain(self, data, nr):
        if self.physical == 6:
            values, at = [], 0
            for _ in range(nr):
                length = struct.unpack_from("<I", data, at)[0]
                values.append(data[at + 4:at + 4 + length].decode())  # UTF-8, or an error
                at += 4 + length
        else:
            at = nr * (4 if self.physical == 1 else 8)
            values = list(struct.unpack(f"<{nr}{'I' if self.physical == 1 else 'Q'}", data[:at]))
        if at != len(data):
            raise ValueError("bytes behind the values")
        return values


class Chunk:
    """values of a column in a row group; least, most: the range that the footer tells, or None"""

    def __init__(self, data, column, described, nr_rows):
        meta = described[3]
        self.forms, self.dictionary = set(meta[2]), None
        range_ = meta.get(12, {})
        self.least, self.most = (int.from_bytes(range_[key], "little") if key in range_ else None for key in (6, 5))
        path = [column.name.encode()] + ([b"list", b"element"] if column.is_list else [])
        start = meta.get(11, meta[9])
        if meta[1] != column.physical or meta[3] != path or meta[4] != 6 or described[2] != start:
            raise ValueError(f"{column.name}: {meta}")
        self.at, self.end, raw, self.values = start, start + meta[7], 0, None
        while self.at < self.end:
            reader = Compact(data, self.at)
            head = reader.struct()
            if (self.at == meta[9]) != (head[1] == 0):
                raise ValueError(f"{column.name}: a page at another place")
            raw += reader.at - self.at + head[2]
            self.at = reader.at + head[3]
            page = inflated(data[reader.at:self.at], head[2])
            if head[1] == 2:
                self.dictionary = column.plain(page, head[7][1])
            else:
                self.take(column, page, head[5], nr_rows)
        if self.at != self.end or raw != meta[6] or self.nr != meta[5] or len(self.values) != nr_rows:
            raise ValueError(f"{column.name}: sizes differ")

    def take(self, column, page, head, nr_rows):
        self.nr, levels = head[1], []
        if head[3] != 3 or head[4] != 3 or head[2] not in self.forms:
            raise ValueError("forms of levels and values")
        for _ in range(2 if column.is_list else 0):
            length = struct.unpack_from("<I", page)[0]
            levels.append(hybrid(page[4:4 + length], 1, self.nr))
            page = page[4 + length:]
        nr = sum(levels[1]) if levels else self.nr
        if head[2] == 8:
            values = [self.dictionary[i] for i in hybrid(page[1:], page[0], nr)]
        elif head[2] == 5:
            values = differences(page, nr, 32 if column.physical == 1 else 64)
        else:
            values = column.plain(page, nr)
        self.values = self.lists(values, *levels) if levels else values

    @staticmethod
    def lists(values, repeated, defined):
        rows, left = [], iter(values)
        for again, has_value in zip(repeated, defined):
            if not again:
                rows.append([])
            if has_value:
                rows[-1].append(next(left))
        return rows


class Table:
    def __init__(self, path):
        with open(path, "rb") as f:
            data = f.read()
        size = struct.unpack("<I", data[-8:-4])[0]
        if data[:4] != b"PAR1" or data[-4:] != b"PAR1":
            raise ValueError("no Parquet file")
        reader = Compact(data, len(data) - 8 - size)
        meta = reader.struct()
        if reader.at != len(data) - 8:
            raise ValueError("bytes behind the footer")
        elements = meta[2]
        root = elements.pop(0)
        self.columns = [Column(elements) for _ in range(root[5])]
        self.name, self.types = root[4].decode(), {column.name: column.type for column in self.columns}
        self.notes = {note[1].decode(): note[2].decode() for note in meta.get(5, [])}
        self.maker, self.bytes = meta[6].decode(), len(data)
        if elements or len(meta[7]) != len(self.columns):
            raise ValueError("the schema does not end")
        self.groups, self.group_rows, at = [], [], 4
        for group in meta[4]:
            chunks = {}
            for column, described in zip(self.columns, group[1]):
                chunks[column.name] = chunk = Chunk(data, column, described, group[3])
                if described[2] != at:
                    raise ValueError("a gap between two chunks")
                at = chunk.end
            self.groups.append(chunks)
            self.group_rows.append(group[3])
        if at != len(data) - 8 - size or sum(self.group_rows) != meta[3]:
            raise ValueError("sums differ")

    @property
    def rows(self):
        names = list(self.types)
        return [dict(zip(names, values)) for group in self.groups for values in zip(*(group[name].values for name in names))]


class Export:
    """The two tables of an export: samples with their stacks."""

    def __init__(self, folder):
        self.samples, self.stacks = Table(folder + "/samples.parquet"), Table(folder + "/stacks.parquet")
        self.rows, stacks = self.samples.rows, self.stacks.rows
        self.stack_of = {row["stack_id"]: list(zip(row["frames"], row["modules"], row["kinds"])) for row in stacks}
        if len(self.stack_of) != len(stacks) or any(not len(row["frames"]) == len(row["modules"]) == len(row["kinds"]) for row in stacks):
            raise ValueError("stacks")
        for row in self.rows:
            row["stack"] = self.stack_of[row["stack_id"]]
        if {row["stack_id"] for row in self.rows} != set(self.stack_of):
            raise ValueError("a stack without samples")
