#!/usr/bin/env python3
"""What loads wait for that miss the first cache of this GPU's multiprocessors, through the driver.

misses.py misses.cubin    prints CSV: multiprocessors that load; sectors a load, of how many lines; warps of each multiprocessor;
                          products between loads; clocks of a load, in the mean; sectors that a multiprocessor gets a clock

Lines are random ones of 16 MB that the second cache holds. A load's clocks are those of a round less those of a round whose load
finds its lines in the first cache, and that load's own (33.9 on Hopper).
"""

import ctypes
import itertools
import sys

import driver

LINES, LINES_OF_HITS = 1 << 17, 256
STEPS = 512
HIT = 33.9
SECTORS = [1, 2, 4, 8, 16, 32]
WARPS = [1, 2, 4, 8, 16, 32, 64]
PAUSES = [0, 64, 256]

def clocks_of_a_round(kernel, out, data, multiprocessors, warps, arguments):
    """Mean clocks of a round of a warp."""
    blocks, warps_a_block = multiprocessors * max(1, warps // 32), min(warps, 32)
    values = [out.address, data.address, *map(ctypes.c_uint32, [*arguments.values()])]
    for _ in range(2):
        driver.run(kernel, blocks, 32 * warps_a_block, values)
    words = out.words(3 * blocks * warps_a_block)
    clocks = [(end - begin) % 2**32 for begin, end in zip(words[0::3], words[1::3])]
    return sum(clocks) / len(clocks) / arguments["steps"]


def main():
    multiprocessors_there = driver.start()
    kernel = driver.Image(open(sys.argv[1], "rb").read()).kernel("misses")
    out, data = driver.Memory(12 * 64 * multiprocessors_there), driver.Memory(128 * LINES)
    print("multiprocessors,sectors,lines,warps,products,clocks,sectors_a_clock", flush=True)
    for multiprocessors, sectors, beside, warps, pause in itertools.product([1, multiprocessors_there], SECTORS, [0, 1], WARPS, PAUSES):
        if sectors >> beside == 0 or (multiprocessors == 1 and warps not in (1, 8, 32)):
            continue
        shared = 5 - sectors.bit_length() + 1
        # In the order of the kernel's parameters.
        of = lambda mask: {"mask": mask, "shared": shared, "beside": beside, "steps": STEPS, "pause": pause}
        run = lambda mask: clocks_of_a_round(kernel, out, data, multiprocessors, warps, of(mask))
        # What queues in the first cache itself is in both.
        missed, hit = run(LINES - 1), run(LINES_OF_HITS - 1)
        print(f"{multiprocessors},{sectors},{sectors >> beside},{warps},{pause},{missed - hit + HIT:.1f},{warps * sectors / missed:.3f}", flush=True)


main()
