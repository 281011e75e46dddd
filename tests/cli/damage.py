#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Damage a copy of a recording: damage.py FROM TO OPERATION ARGUMENTS...

Numbers are decimal or 0x hexadecimal; offsets count from the beginning of the file.
  put32 OFFSET VALUE      a little-endian word
  put64 OFFSET VALUE
  xor64 OFFSET MASK       bits flipped in a little-endian word
  zero OFFSET SIZE        zeros
  swap A B SIZE           two stretches exchanged
  swap-chunks OFFSET N    chunks N and N + 1 of the CPU whose data is at OFFSET
  zero-tails OFFSET N     of N sub-buffers of 4096 bytes: all from the first record
                          behind byte 1000 on, though the commit word covers it
  spoil-chunks OFFSET     the compressed bytes of every chunk of that CPU
  fill OFFSET SIZE HEX    the bytes HEX again and again
  cut SIZE                the file's first bytes only
"""
import struct
import sys


def chunks(data, offset):
    """Where the chunks of the CPU are, and how long with their heads."""
    (nr,) = struct.unpack_from("<I", data, offset)
    offset += 4
    places = []
    for _ in range(nr):
        (size,) = struct.unpack_from("<I", data, offset)
        places.append((offset, 8 + size))
        offset += 8 + size
    return places


def record_bytes(data, offset):
    """The size of the ring buffer's record there."""
    word, second = struct.unpack_from("<II", data, offset)
    kind = word & 31
    if 1 <= kind <= 28:
        return 4 + 4 * kind
    if kind >= 30:
        return 8
    return 4 + (second + 3) // 4 * 4


def zero_tails(data, offset, nr):
    for page in range(offset, offset + 4096 * nr, 4096):
        (commit,) = struct.unpack_from("<Q", data, page + 8)
        end = page + 16 + (commit & 0x7FFFFFF)
        at = page + 16
        while at < page + 1000:
            at += record_bytes(data, at)
        assert at < end
        data[at:end] = bytes(end - at)


def swap_chunks(data, offset, nr):
    (first, first_bytes), (second, second_bytes) = chunks(data, offset)[nr : nr + 2]
    data[first : second + second_bytes] = (
        data[second : second + second_bytes] + data[first : first + first_bytes]
    )


def main(argv):
    data = bytearray(open(argv[1], "rb").read())
    operation, args = argv[3], argv[4:]
    numbers = [int(arg, 0) for arg in args[: 2 if operation == "fill" else None]]
    if operation == "put32":
        struct.pack_into("<I", data, *numbers)
    elif operation == "put64":
        struct.pack_into("<Q", data, *numbers)
    elif operation == "xor64":
        (value,) = struct.unpack_from("<Q", data, numbers[0])
        struct.pack_into("<Q", data, numbers[0], value ^ numbers[1])
    elif operation == "zero":
        data[numbers[0] : sum(numbers)] = bytes(numbers[1])
    elif operation == "swap":
        a, b, size = numbers
        data[a : a + size], data[b : b + size] = data[b : b + size], data[a : a + size]
    elif operation == "swap-chunks":
        swap_chunks(data, *numbers)
    elif operation == "zero-tails":
        zero_tails(data, *numbers)
    elif operation == "spoil-chunks":
        for offset, size in chunks(data, numbers[0]):
            data[offset + 12 : offset + size] = b"\x5a" * (size - 12)
    elif operation == "fill":
        offset, size = numbers
        pattern = bytes.fromhex(args[2])
        data[offset : offset + size] = (pattern * (size // len(pattern) + 1))[:size]
    elif operation == "cut":
        del data[numbers[0] :]
    else:
        sys.exit(f"damage.py: no operation {operation}")
    open(argv[2], "wb").write(data)


main(sys.argv)
