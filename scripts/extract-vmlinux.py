#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""extract-vmlinux.py IMAGE VMLINUX: take the ELF kernel out of a bzImage,
whatever it is compressed with; an ELF kernel is copied. QEMU starts it
directly (PVH), which saves the guest from decompressing itself: 3 of 4.5
seconds of boot without KVM."""

import lzma
import subprocess
import sys
import zlib

sys.dont_write_bytecode = True
from ppu_script import arguments     # noqa: E402

ELF = b"\x7fELF"


def xz(data):
    return lzma.LZMADecompressor(lzma.FORMAT_XZ).decompress(data)


def gzip(data):
    return zlib.decompressobj(31).decompress(data)


def tool(*argv):
    def unpack(data):
        # Something follows the kernel in the image, which the tool complains of: its output counts.
        return subprocess.run(argv, input=data, capture_output=True, check=False).stdout
    return unpack


# The first bytes of each format, and who unpacks it.
FORMATS = (
    ("XZ", b"\xfd7zXZ\0", xz),
    ("Zstandard", b"\x28\xb5\x2f\xfd", tool("zstd", "-dc")),
    ("gzip", b"\x1f\x8b\x08", gzip),
    ("LZ4", b"\x02\x21\x4c\x18", tool("lz4", "-dc")),
)


def kernel_of(image):
    """The ELF kernel in the bytes of an image, None if there is none."""
    if image[:4] == ELF:
        return image
    for _, magic, unpack in FORMATS:
        at = image.find(magic)
        while at >= 0:
            try:
                kernel = unpack(image[at:])
            except (lzma.LZMAError, zlib.error):
                kernel = b""
            except FileNotFoundError as err:
                sys.exit("extract-vmlinux: there is no %s to unpack the kernel with" % err.filename)
            if kernel[:4] == ELF:
                return kernel
            at = image.find(magic, at + 1)
    return None


def main():
    args = arguments(__doc__, [("IMAGE", "a kernel as a boot loader wants it, or an ELF kernel"),
                               ("VMLINUX", "the file to write")])
    with open(args.IMAGE, "rb") as f:
        kernel = kernel_of(f.read())
    if not kernel:
        sys.exit("extract-vmlinux: no kernel in %s that is compressed with %s"
                 % (args.IMAGE, ", ".join(name for name, _, _ in FORMATS)))
    if b"Xen\0" not in kernel:
        sys.exit("extract-vmlinux: the kernel has no PVH entry (CONFIG_PVH)")
    with open(args.VMLINUX, "wb") as f:
        f.write(kernel)


if __name__ == "__main__":
    main()
