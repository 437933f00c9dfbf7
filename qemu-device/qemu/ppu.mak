# SPDX-License-Identifier: MIT
#
# The device set of our QEMU: what the virtual machine of scripts/vm, the
# tests and the labs need, and nothing else (configure --with-devices-x86_64).

CONFIG_Q35=y
CONFIG_PCIE_PORT=y
CONFIG_VTD=y
CONFIG_HPET=y
CONFIG_ISA_DEBUG=y
CONFIG_PCI_TESTDEV=y
CONFIG_VIRTIO_PCI=y
CONFIG_VIRTIO_9P=y
CONFIG_VIRTIO_BLK=y
CONFIG_VIRTIO_NET=y
CONFIG_VIRTIO_SERIAL=y
CONFIG_VIRTIO_RNG=y
CONFIG_PPU=y
