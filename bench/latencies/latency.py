#!/usr/bin/env python3
"""Latencies of this GPU in clocks, for `[latency]` of a machine's file: runs the kernels of latency.cu through the driver.

latency.py latency.cubin [ROUNDS]    prints a line a kernel: least clocks of a link, all lanes at one place and each at its own
"""

import ctypes
import struct
import sys

import driver

LINKS = 256
KERNELS = (
    "load_64 load_128 shared_32 constant_32 inverse_root exponential count leading reverse shuffle match reduce vote product minimum atomic"
).split()
RING = 64  # pointers, 16 bytes apart

def main():
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    driver.start()
    image = driver.Image(open(sys.argv[1], "rb").read())
    out, ring = driver.Memory(4096), driver.Memory(16 * RING)
    # Each points 32 places on, so that lanes apart stay apart.
    first = ring.address.value
    ring.write(b"".join(struct.pack("<QQ", first + 16 * ((i + 32) % RING), 0) for i in range(RING)))
    print("kernel,one_place,apart", flush=True)
    for name in KERNELS:
        kernel = image.kernel(name)
        least = []
        for apart in [0, 1]:
            seen = []
            for _ in range(rounds):
                driver.run(kernel, 1, 32, [out.address, ring.address, ctypes.c_uint32(apart)])
                seen.append(out.words(1)[0])
            least.append(min(seen) / LINKS)
        print(f"{name},{least[0]:.2f},{least[1]:.2f}", flush=True)


main()
