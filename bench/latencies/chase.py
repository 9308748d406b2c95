#!/usr/bin/env python3
"""Latencies of this GPU's second cache and memory in clocks, `l2_hit` and `dram` of a machine's file, through the driver.

chase.py chase.cubin    prints CSV: what, clocks a load, of one lane that follows pointers to lines in random order

l2_hit: lines of 8 MB that were read before. dram: lines of 512 MB, after something else was written through the cache.
"""

import ctypes
import random
import struct
import sys

LINES = 1 << 16
SPREAD = {"l2_hit": 8 << 20, "dram": 512 << 20}
FLUSH = 256 << 20

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


def ring(address, size):
    """Writes pointers to LINES lines of `size` bytes, each to the next one in random order; returns the first."""
    lines = random.Random(1).sample(range(size // 128), LINES)
    places = [address.value + 128 * line for line in lines]
    for here, there in zip(places, places[1:] + places[:1]):
        call("cuMemcpyHtoD_v2", ctypes.c_uint64(here), struct.pack("<Q", there), ctypes.c_size_t(8))
    return places[0]


def follow(kernel, out, first):
    values = [out, ctypes.c_uint64(first), ctypes.c_uint32(LINES)]
    parameters = (ctypes.c_void_p * 3)(*[ctypes.addressof(value) for value in values])
    call("cuLaunchKernel", kernel, 1, 1, 1, 1, 1, 1, 0, None, ctypes.byref(parameters), None)
    call("cuCtxSynchronize")
    clocks = ctypes.c_uint32()
    call("cuMemcpyDtoH_v2", ctypes.byref(clocks), out, ctypes.c_size_t(4))
    return clocks.value / LINES


def main():
    image = open(sys.argv[1], "rb").read()
    device, context, module, kernel = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuCtxCreate_v2", ctypes.byref(context), 0, device)
    call("cuModuleLoadData", ctypes.byref(module), image)
    call("cuModuleGetFunction", ctypes.byref(kernel), module, b"chase")
    out, flushed = allocate(64), allocate(FLUSH)
    print("what,clocks", flush=True)
    for what, size in SPREAD.items():
        first = ring(allocate(size), size)
        if what == "l2_hit":
            follow(kernel, out, first)
            least = min(follow(kernel, out, first) for _ in range(5))
        else:
            least = float("inf")
            for round_ in range(5):
                call("cuMemsetD8_v2", flushed, ctypes.c_ubyte(round_), ctypes.c_size_t(FLUSH))
                least = min(least, follow(kernel, out, first))
        print(f"{what},{least:.1f}", flush=True)


main()
