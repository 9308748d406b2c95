#!/usr/bin/env python3
"""What a multiprocessor of this GPU issues a clock, for `[pipes]` of a machine's file: runs the kernels of throughput.cu.

throughput.py throughput.cubin [ROUNDS]    prints CSV: pipeline or registers, warps a scheduler, instructions a clock

`registers ...` are products with three registers each that this script writes into the code: `e` an even one, `o` an odd one,
`z` the register of zeros; `=` has the same register again, and `k` keeps those of its first two places for the next product.
"""

import ctypes
import struct
import sys

import driver

ROUNDS, LINKS, CHAINS = 64, 16, 8
PIPES = {"alu": 1, "fma": 1, "fmaheavy": 1, "half": 1, "xu": 1, "lsu": 1, "alu_fma": 2}
# Registers of the products' three places, and whether the first two stay. None is written to between them.
REGISTERS = {
    "eee": ([2, 4, 6], False),
    "ooo": ([3, 5, 7], False),
    "eeo": ([2, 4, 3], False),
    "eoe": ([2, 3, 4], False),
    "eoo": ([2, 3, 5], False),
    "eez": ([2, 4, 255], False),
    "eoz": ([2, 3, 255], False),
    "ezz": ([2, 255, 255], False),
    "zzz": ([255, 255, 255], False),
    "===": ([2, 2, 2], False),
    "eee k": ([2, 4, 6], True),
    "eoe k": ([2, 3, 4], True),
}
WORD = 16
FFMA = 0x223

def section(image, name):
    """Where a section of an ELF file begins and ends."""
    table, = struct.unpack_from("<Q", image, 0x28)
    size, count, names = struct.unpack_from("<HHH", image, 0x3A)
    header = lambda number: struct.unpack_from("<IIQQQQ", image, table + number * size)
    strings = header(names)[4]
    for number in range(count):
        text, _, _, _, start, length = header(number)
        end = image.index(b"\0", strings + text)
        if image[strings + text : end].decode() == name:
            return start, start + length
    sys.exit(f"the image has no section {name}")


def with_registers(image, registers, keeps):
    """The image with such operands of all products of its kernel `registers`, and how many these are."""
    image = bytearray(image)
    start, end = section(image, ".text.registers")
    changed = 0
    for at in range(start, end, WORD):
        word = int.from_bytes(image[at : at + WORD], "little")
        if word & 0xFFF != FFMA:
            continue
        for place, register in zip((24, 32, 64), registers):
            word = word & ~(0xFF << place) | register << place
        word = word & ~(7 << 122) | (3 << 122 if keeps else 0)
        image[at : at + WORD] = word.to_bytes(WORD, "little")
        changed += 1
    return bytes(image), changed


def rate(image, name, warps, per_round):
    """Instructions a clock of one block, of so many warps a scheduler."""
    image = driver.Image(image)
    kernel = image.kernel(name)
    threads = 32 * 4 * warps
    out = driver.Memory(12 * threads)
    found = []
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 20):
        driver.run(kernel, 1, threads, [out.address, ctypes.c_float(1.0)])
        words = out.words(3 * threads)
        begin, end = min(words[0::3]), max(words[1::3])
        found.append(ROUNDS * per_round * 4 * warps / (end - begin))
    out.free()
    image.close()
    return max(found)


def main():
    image = open(sys.argv[1], "rb").read()
    driver.start()
    print("what,warps,instructions_a_clock")
    for name, each in PIPES.items():
        print(f"{name},8,{rate(image, 'pipe_' + name, 8, each * LINKS * CHAINS):.4f}", flush=True)
    for name, (registers, keeps) in REGISTERS.items():
        changed, count = with_registers(image, registers, keeps)
        if count != LINKS * CHAINS:
            sys.exit(f"there are {count} products, not {LINKS * CHAINS}")
        for warps in [1, 8]:
            print(f"registers {name},{warps},{rate(changed, 'registers', warps, count):.4f}", flush=True)


main()
