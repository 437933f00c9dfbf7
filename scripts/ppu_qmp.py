# SPDX-License-Identifier: MIT
"""QEMU's monitor (QMP), as far as a running machine is stopped, saved, migrated or rebuilt through it."""

import json
import socket
import time

TIMEOUT = 120


class Gone(RuntimeError):
    """QEMU ended before, while or after it was asked."""


class Qmp:
    """A connection to QEMU's monitor at this socket, once it is there; alive() says that it may still come."""

    def __init__(self, path, timeout=TIMEOUT, alive=lambda: True):
        end = time.monotonic() + timeout
        self.events = []
        while True:
            try:
                self.sock = socket.socket(socket.AF_UNIX)
                self.sock.connect(path)
                break
            except OSError:
                self.sock.close()
                if time.monotonic() > end or not alive():
                    raise Gone("no monitor at " + path) from None
                time.sleep(0.02)
        self.sock.settimeout(timeout)
        # Not "rw": a write through the same file would drop what was read ahead, such as an event behind an answer.
        self.file = self.sock.makefile("r", encoding="utf-8")
        self._read()
        self("qmp_capabilities")

    def _read(self):
        try:
            line = self.file.readline()
        except ConnectionResetError:        # it went before it had let this visitor in
            line = ""
        if not line.endswith("\n"):
            raise Gone("QEMU went away")
        return json.loads(line)

    def __call__(self, command, **args):
        try:
            asked = {"execute": command, "arguments": {k.replace("_", "-"): v for k, v in args.items()}}
            self.sock.sendall((json.dumps(asked) + "\n").encode())
            while True:
                answer = self._read()
                if "error" in answer:
                    raise RuntimeError("%s: %s" % (command, answer["error"]["desc"]))
                if "return" in answer:
                    return answer["return"]
                self.events.append(answer)
        except OSError as err:
            raise Gone("%s: %s" % (command, err)) from None

    def wait_event(self, name, seconds=TIMEOUT):
        """The next event of this name, also one that came while a command was answered; None: there was none."""
        end = time.monotonic() + seconds
        while True:
            for i, event in enumerate(self.events):
                if event["event"] == name:
                    del self.events[:i + 1]
                    return event
            if time.monotonic() > end:
                return None
            self("query-status")        # events come with answers
            time.sleep(0.005)

    def wait_for(self, command, field, values):
        """Asks until the field has one of the values, which is returned."""
        end = time.monotonic() + TIMEOUT
        while True:
            got = self(command).get(field)
            if got in values:
                return got
            if time.monotonic() > end:
                raise RuntimeError("%s: %s is %s for ever" % (command, field, got))
            time.sleep(0.005)

    def job(self, command, **args):
        """Runs a command that makes a job, to the job's end."""
        self(command, job_id="job", **args)
        end = time.monotonic() + TIMEOUT
        while True:
            job = [j for j in self("query-jobs") if j["id"] == "job"][0]
            if job["status"] == "concluded":
                break
            if time.monotonic() > end:
                raise RuntimeError("%s: the job is %s for ever" % (command, job["status"]))
            time.sleep(0.005)
        self("job-dismiss", id="job")
        if job.get("error"):
            raise RuntimeError("%s: %s" % (command, job["error"]))

    def close(self):
        self.file.close()
        self.sock.close()
