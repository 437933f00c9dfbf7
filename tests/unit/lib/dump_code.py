# SPDX-License-Identifier: MIT
"""
Reads what ppu-run --dump-code prints, and says what is wrong with it: dump_code.py FILE [SOURCE:LINE...]

Every instruction that was translated stands in it, the host's instructions follow one another without a gap, there are as
many bytes as the heading says, and binutils' disassembler finds an instruction where each of them begins. The lines of
source that are named stand before instructions.
"""
import re
import subprocess
import sys
import tempfile

HEAD = re.compile(r"translation (\d+), (\S.*): (\d+) of (\d+) instructions, (\d+) of them inlined in (\d+) segments, "
                  r"(\d+) bytes of host code$")
HOST = re.compile(r"\t([0-9a-f]+)  ((?:[0-9a-f]{2} )+) *(\S.*)$")
DEVICE = re.compile(r" *(\d+)  (\S.*)$")


def boundaries(code, base):
    """Where objdump says that instructions begin."""
    with tempfile.NamedTemporaryFile() as f:
        f.write(code)
        f.flush()
        text = subprocess.run(["objdump", "-D", "-w", "-b", "binary", "-m", "i386:x86-64", f"--adjust-vma={base:#x}", f.name],
                              check=True, capture_output=True, text=True).stdout
    assert "(bad)" not in text
    return [int(x, 16) for x in re.findall(r"^ *([0-9a-f]+):\t", text, re.M)]


def check(lines, sources):
    head = HEAD.match(lines[0])
    assert head, lines[0]
    wanted, code_bytes = int(head[3]), int(head[7])
    pcs, addresses, code, blocks, told = set(), [], bytearray(), set(), set()
    for line in lines[1:]:
        host, device = HOST.match(line), DEVICE.match(line)
        if host:
            at = int(host[1], 16)
            assert not addresses or at == addresses[0] + len(code), line
            addresses.append(at)
            code += bytes.fromhex(host[2])
        elif device:
            pcs.add(int(device[1]))
        elif line.startswith("block "):
            blocks.add(line.split(", of ")[0])
        else:
            assert line == "     -" or re.match(r"\S+:\d+$", line), line
            told.add(line)
    assert len(pcs) == wanted, (sorted(pcs), wanted)
    assert len(code) == code_bytes
    assert boundaries(bytes(code), addresses[0]) == addresses
    assert "block 0, all lanes" in blocks and "block 0, some lanes" in blocks
    assert set(sources) <= told, told


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as dump:
        check(dump.read().splitlines(), sys.argv[2:])
