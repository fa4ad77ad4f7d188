# Emulated boards: mount the image of models that qemu has loaded into memory, if present
# MIT license; Copyright (c) 2026 the tflm authors

import sys

import uctypes
import vfs

# The address of the image, as in the profiles of the boards.
_IMAGE_ADDRESSES = {
    "microbit": 0x140000,
    "mps2-an385": 0x20000000,
    "virt": 0x81000000,
    "kc705-nommu": 0x60800000,
}
_MAGIC = b"\xd2\xcd\x31"


def _mount(address):
    if bytes(uctypes.bytearray_at(address, 3)) == _MAGIC:
        vfs.mount(vfs.VfsRom(uctypes.bytearray_at(address, 0x300000)), "/rom")
        sys.path += ["/rom", "/rom/lib"]


_mount(_IMAGE_ADDRESSES[sys.implementation._machine.split()[0]])
