#!/usr/bin/env python3
"""Latencies of this GPU in clocks, for `[latency]` of a machine's file: runs the kernels of latency.cu through the driver.

latency.py latency.cubin [ROUNDS]    prints a line a kernel: least clocks of a link, all lanes at one place and each at its own
"""

import ctypes
import struct
import sys

LINKS = 256
KERNELS = (
    "load_64 load_128 shared_32 constant_32 inverse_root exponential count leading reverse shuffle match reduce vote product minimum atomic"
).split()
RING = 64  # pointers, 16 bytes apart

cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    status = getattr(cuda, name)(*arguments)
    if status != 0:
        sys.exit(f"{name}: error {status}")


def allocate(data):
    address = ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(len(data)))
    call("cuMemcpyHtoD_v2", address, data, ctypes.c_size_t(len(data)))
    return address


def main():
    image = open(sys.argv[1], "rb").read()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    device, context, module = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuCtxCreate_v2", ctypes.byref(context), 0, device)
    call("cuModuleLoadData", ctypes.byref(module), image)
    out = allocate(bytes(4096))
    ring = allocate(bytes(16 * RING))
    # Each points 32 places on, so that lanes apart stay apart.
    pointers = b"".join(struct.pack("<QQ", ring.value + 16 * ((i + 32) % RING), 0) for i in range(RING))
    call("cuMemcpyHtoD_v2", ring, pointers, ctypes.c_size_t(len(pointers)))
    print("kernel,one_place,apart", flush=True)
    for name in KERNELS:
        kernel = ctypes.c_void_p()
        call("cuModuleGetFunction", ctypes.byref(kernel), module, name.encode())
        least = []
        for apart in [0, 1]:
            values = [out, ring, ctypes.c_uint32(apart)]
            pointer = ctypes.POINTER(ctypes.c_void_p)
            parameters = (ctypes.c_void_p * 3)(*[ctypes.addressof(value) for value in values])
            seen = []
            for _ in range(rounds):
                call("cuLaunchKernel", kernel, 1, 1, 1, 32, 1, 1, 0, None, ctypes.cast(parameters, pointer), None)
                call("cuCtxSynchronize")
                clocks = ctypes.c_uint32()
                call("cuMemcpyDtoH_v2", ctypes.byref(clocks), out, ctypes.c_size_t(4))
                seen.append(clocks.value)
            least.append(min(seen) / LINKS)
        print(f"{name},{least[0]:.2f},{least[1]:.2f}", flush=True)


main()
