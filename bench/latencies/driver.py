"""What the scripts of this folder ask of the CUDA driver: memory, and launches of kernels of an image."""

import ctypes
import sys

# CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT of the driver's header.
MULTIPROCESSOR_COUNT = 16

cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    """Calls the driver; ends the program where it fails."""
    status = getattr(cuda, name)(*arguments)
    if status != 0:
        sys.exit(f"{name}: error {status}")


def start():
    """Makes the first GPU the one that is used, and returns how many multiprocessors it has."""
    device, context, count = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_int()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuCtxCreate_v2", ctypes.byref(context), 0, device)
    call("cuDeviceGetAttribute", ctypes.byref(count), MULTIPROCESSOR_COUNT, device)
    return count.value


class Image:
    """The kernels of an image (the bytes of a cubin), until it is closed."""

    def __init__(self, data):
        self.module = ctypes.c_void_p()
        call("cuModuleLoadData", ctypes.byref(self.module), data)

    def kernel(self, name):
        kernel = ctypes.c_void_p()
        call("cuModuleGetFunction", ctypes.byref(kernel), self.module, name.encode())
        return kernel

    def close(self):
        call("cuModuleUnload", self.module)


class Memory:
    """A number of bytes of the GPU's memory, all of them 0 at first, until they are freed."""

    def __init__(self, size):
        self.address, self.size = ctypes.c_uint64(), size
        call("cuMemAlloc_v2", ctypes.byref(self.address), ctypes.c_size_t(size))
        self.fill(0)

    def fill(self, byte):
        call("cuMemsetD8_v2", self.address, ctypes.c_ubyte(byte), ctypes.c_size_t(self.size))

    def write(self, data, offset=0):
        call("cuMemcpyHtoD_v2", ctypes.c_uint64(self.address.value + offset), data, ctypes.c_size_t(len(data)))

    def words(self, count):
        """The first `count` words of 32 bits."""
        words = (ctypes.c_uint32 * count)()
        call("cuMemcpyDtoH_v2", words, self.address, ctypes.c_size_t(4 * count))
        return words

    def free(self):
        call("cuMemFree_v2", self.address)


def run(kernel, blocks, threads, values):
    """Runs a kernel with values of ctypes as its parameters, and waits for its end."""
    parameters = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
    call("cuLaunchKernel", kernel, blocks, 1, 1, threads, 1, 1, 0, None, parameters, None)
    call("cuCtxSynchronize")
