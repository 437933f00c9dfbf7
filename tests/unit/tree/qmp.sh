#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The two clients of QEMU's monitor keep an event that comes in one piece with an answer, whatever they ask next, and a QEMU that
# goes away is gone, also if it had not let its visitor in yet.
exec python3 -B - "$PPU_TOP" <<'END'
import json, os, socket, sys, tempfile, threading

sys.path[:0] = [os.path.join(sys.argv[1], d) for d in ("scripts", "tests/qtest")]
from ppu_qmp import Gone, Qmp
from qtest import Qtest


def monitor(listen):
    """Answers every command, each with an event behind it that is sent with the answer."""
    conn = listen.accept()[0]
    conn.sendall(b'{"QMP": {}}\n')
    for i, _ in enumerate(conn.makefile("rb")):
        conn.sendall(b"".join(json.dumps(j).encode() + b"\n" for j in ({"return": {}}, {"event": "E%d" % i})))


def served(path, client):
    """The events that the client has after some commands."""
    listen = socket.socket(socket.AF_UNIX)
    listen.bind(path)
    listen.listen(1)
    threading.Thread(target=monitor, args=(listen,), daemon=True).start()
    return [e["event"] for e in client(path)]


def of_scripts(path):
    qmp = Qmp(path, 10)
    for _ in range(3):
        qmp("query-status")
    return qmp.events


def of_qtest(path):
    qt = Qtest.__new__(Qtest)
    qt.monitor, qt.qmp_path = None, path
    for _ in range(3):
        qt.qmp("query-status")
    return qt.events


def gone(path):
    """A QEMU that ends when somebody has come whom it has not let in yet."""
    listen = socket.socket(socket.AF_UNIX)
    listen.bind(path)
    listen.listen(1)
    threading.Timer(0.3, listen.close).start()
    try:
        Qmp(path, 10)
    except Gone:
        return True
    except OSError as err:
        print("# %r" % err)
    return False


bad = 0
with tempfile.TemporaryDirectory() as d:
    for name, client in (("scripts/ppu_qmp.py", of_scripts), ("tests/qtest/qtest.py", of_qtest)):
        got = served(os.path.join(d, client.__name__), client)
        if got == ["E0", "E1", "E2"]:       # E3 is behind the last answer, and may not have been read
            print("ok - %s keeps events" % name)
        else:
            bad = 1
            print("not ok - %s keeps events" % name)
            print("#   it has %s" % got)
    with tempfile.TemporaryDirectory() as e:
        ok = gone(os.path.join(e, "leaves"))
        print("%s - a QEMU that goes before it lets its visitor in is gone" % ("ok" if ok else "not ok"))
        bad |= not ok
sys.exit(bad)
END
