#!/usr/bin/env python3
"""Latencies of this GPU's second cache and memory in clocks, `l2_hit` and `dram` of a machine's file, through the driver.

chase.py chase.cubin    prints CSV: what, clocks a load, of one lane that follows pointers to lines in random order

l2_hit: lines of 8 MB that were read before. dram: lines of 512 MB, after something else was written through the cache.
"""

import ctypes
import random
import struct
import sys

import driver

LINES = 1 << 16
SPREAD = {"l2_hit": 8 << 20, "dram": 512 << 20}
FLUSH = 256 << 20

def ring(memory):
    """Writes pointers to LINES lines of memory, each to the next one in random order; returns the first."""
    lines = random.Random(1).sample(range(memory.size // 128), LINES)
    for here, there in zip(lines, lines[1:] + lines[:1]):
        memory.write(struct.pack("<Q", memory.address.value + 128 * there), 128 * here)
    return memory.address.value + 128 * lines[0]


def follow(kernel, out, first):
    driver.run(kernel, 1, 1, [out.address, ctypes.c_uint64(first), ctypes.c_uint32(LINES)])
    return out.words(1)[0] / LINES


def main():
    driver.start()
    kernel = driver.Image(open(sys.argv[1], "rb").read()).kernel("chase")
    out, flushed = driver.Memory(64), driver.Memory(FLUSH)
    print("what,clocks", flush=True)
    for what, size in SPREAD.items():
        first = ring(driver.Memory(size))
        if what == "l2_hit":
            follow(kernel, out, first)
            least = min(follow(kernel, out, first) for _ in range(5))
        else:
            least = float("inf")
            for round_ in range(5):
                flushed.fill(round_)
                least = min(least, follow(kernel, out, first))
        print(f"{what},{least:.1f}", flush=True)


main()
