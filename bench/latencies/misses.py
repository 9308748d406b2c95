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

LINES, LINES_OF_HITS = 1 << 17, 256
STEPS = 512
HIT = 33.9
SECTORS = [1, 2, 4, 8, 16, 32]
WARPS = [1, 2, 4, 8, 16, 32, 64]
PAUSES = [0, 64, 256]

cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    status = getattr(cuda, name)(*arguments)
    if status != 0:
        sys.exit(f"{name}: error {status}")


def allocate(size):
    address = ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
    call("cuMemsetD8_v2", address, ctypes.c_ubyte(0), ctypes.c_size_t(size))
    return address


def rounds(kernel, out, data, multiprocessors, warps, arguments):
    """Mean clocks of a round of a warp, and of a multiprocessor's from its first to its last."""
    blocks, warps_a_block = multiprocessors * max(1, warps // 32), min(warps, 32)
    values = [out, data, *map(ctypes.c_uint32, arguments)]
    parameters = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
    all_warps = blocks * warps_a_block
    words = (ctypes.c_uint32 * (3 * all_warps))()
    for _ in range(2):
        call("cuLaunchKernel", kernel, blocks, 1, 1, 32 * warps_a_block, 1, 1, 0, None, parameters, None)
        call("cuCtxSynchronize")
    call("cuMemcpyDtoH_v2", words, out, ctypes.c_size_t(12 * all_warps))
    clocks = [(end - begin) % 2**32 for begin, end in zip(words[0::3], words[1::3])]
    return sum(clocks) / len(clocks) / arguments[3]


def main():
    image = open(sys.argv[1], "rb").read()
    device, context, module, kernel = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuCtxCreate_v2", ctypes.byref(context), 0, device)
    call("cuModuleLoadData", ctypes.byref(module), image)
    call("cuModuleGetFunction", ctypes.byref(kernel), module, b"misses")
    count = ctypes.c_int()
    call("cuDeviceGetAttribute", ctypes.byref(count), 16, device)
    out, data = allocate(12 * 64 * count.value), allocate(128 * LINES)
    print("multiprocessors,sectors,lines,warps,products,clocks,sectors_a_clock", flush=True)
    for multiprocessors, sectors, beside, warps, pause in itertools.product([1, count.value], SECTORS, [0, 1], WARPS, PAUSES):
        if sectors >> beside == 0 or (multiprocessors == 1 and warps not in (1, 8, 32)):
            continue
        shared = 5 - sectors.bit_length() + 1
        run = lambda mask: rounds(kernel, out, data, multiprocessors, warps, [mask, shared, beside, STEPS, pause])
        # What queues in the first cache itself is in both.
        missed, hit = run(LINES - 1), run(LINES_OF_HITS - 1)
        print(f"{multiprocessors},{sectors},{sectors >> beside},{warps},{pause},{missed - hit + HIT:.1f},{warps * sectors / missed:.3f}", flush=True)


main()
