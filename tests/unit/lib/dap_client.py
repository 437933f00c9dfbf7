#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""dap_client.py PPU-DBG PROGRAM SOURCE: debugs a program by the Debug Adapter Protocol, as an editor would, and compares what
it is told with what the program's source says."""

import base64
import json
import struct
import subprocess
import sys
import tap


class Client:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.seq, self.events, self.text = 0, [], ""

    def receive(self):
        length = None
        while True:
            line = self.process.stdout.readline()
            assert line, "the adapter has ended"
            if line == b"\r\n":
                break
            name, value = line.decode().split(":")
            if name == "Content-Length":
                length = int(value)
        m = json.loads(self.process.stdout.read(length))
        if m["type"] == "event" and m["event"] == "output":
            self.text += m["body"]["output"]
        return m

    def request(self, command, **arguments):
        self.seq += 1
        body = json.dumps({"seq": self.seq, "type": "request", "command": command, "arguments": arguments}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()
        while True:
            m = self.receive()
            if m["type"] == "response" and m["request_seq"] == self.seq:
                return m
            self.events.append(m)

    def body(self, command, **arguments):
        m = self.request(command, **arguments)
        assert m["success"], m
        return m.get("body", {})

    def event(self, name):
        while True:
            for m in self.events:
                if m["event"] == name:
                    self.events.remove(m)
                    return m.get("body", {})
            self.events.append(self.receive())


def ok(condition, name):
    tap.is_(bool(condition), True, name)


def line_of(source, text):
    with open(source) as f:
        return next(n for n, line in enumerate(f, 1) if text in line)


def variables(c, frame):
    scopes = {s["name"]: s["variablesReference"] for s in c.body("scopes", frameId=frame)["scopes"]}
    return {name: {v["name"]: v["value"] for v in c.body("variables", variablesReference=ref)["variables"]}
            for name, ref in scopes.items()}


def odd_order(tool, program):
    """Requests that come too early or too late, and values that are null."""
    c = Client([tool, "--dap"])
    ok(c.body("threads")["threads"] == [], "before a program is launched there are no threads")
    c.body("launch", program=program, args=["fault", None], env={"PPU_X": None, "PPU_Y": "1"})
    c.event("initialized")
    ok(True, "arguments and variables may be null")
    ok(not c.request("setBreakpoints", source={"path": "x.cu"}, breakpoints="x").get("body", {}).get("breakpoints"),
       "breakpoints that are no list are none")
    c.body("configurationDone")
    c.event("stopped")
    c.body("continue", threadId=1)
    c.event("exited")
    c.event("terminated")
    ok(c.body("threads")["threads"] == [], "nor are there when it has ended")
    ok(not c.request("evaluate", expression="1", context="watch")["success"], "nor can anything be evaluated")
    c.body("disconnect")
    ok(c.process.wait() == 0, "and the adapter goes on to its end")


def console(tool, program):
    """Commands of the console that let the device run, as people type them; pause stops it wherever it is going."""
    c = Client([tool, "--dap"])
    c.body("launch", program=program, args=["endless"])
    c.event("initialized")
    c.body("setFunctionBreakpoints", breakpoints=[{"name": "endless"}])
    c.body("evaluate", expression=" \tcont\n", context="repl")
    ok(c.event("stopped")["reason"] == "breakpoint", "a short name that runs the program, between blanks, is known")
    ok(c.body("evaluate", expression="print\n7", context="repl")["result"] == "7\n", "a command of two lines is one command")
    c.body("setFunctionBreakpoints", breakpoints=[])
    for command in "goto 0x100000000000", "conti", "run":
        c.body("evaluate", expression=command, context="repl")
        c.body("pause")
        c.event("stopped")
        ok(c.body("evaluate", expression="$pc + 1", context="watch")["result"] != "", command + " can be interrupted")
    c.body("disconnect")
    c.process.wait()


def main():
    tool, program, source = sys.argv[1:]
    result, call = (line_of(source, "line of the " + t) for t in ("result", "call"))
    c = Client([tool, "--dap"])
    can = c.body("initialize", clientID="test", adapterID="ppu")
    ok(can["supportsStepBack"] and can["supportsReadMemoryRequest"], "it says that it can go back and read memory")
    ok(not c.request("continue", threadId=1)["success"], "nothing runs before a program is launched")
    c.body("launch", program=program, args=[])
    c.event("initialized")
    b = c.body("setBreakpoints", source={"path": source}, breakpoints=[{"line": result, "condition": "blockIdx.x == 2"}])
    ok(b["breakpoints"][0]["verified"], "a breakpoint with a condition is taken")
    c.body("configurationDone")
    stop = c.event("stopped")
    ok(stop["reason"] == "breakpoint", "the device stops there")
    thread = stop["threadId"]
    threads = {t["id"]: t["name"] for t in c.body("threads")["threads"]}
    ok(threads.get(thread) == "kernel 1, block (2,0,0), warp 0", "its thread is a warp of block 2")
    other = next(n for n, name in threads.items() if name == "kernel 1, block (2,0,0), warp 1")
    frame = c.body("stackTrace", threadId=thread)["stackFrames"][0]
    ok(frame["line"] == result and frame["source"]["path"].endswith("debugged.cu"), "the stack has the line")
    v = variables(c, frame["id"])
    ok(v["Thread"]["threadIdx"] == "(0,0,0)" and v["Thread"]["blockIdx"] == "(2,0,0)" and
       v["Thread"]["gridDim"] == "(4,1,1)", "the variables say which thread it is")
    out = int(v["Parameters"]["param3"], 0)
    ok("out %#x" % out in c.text, "a parameter is the pointer that the program has printed")
    sums = c.body("readMemory", memoryReference="shared:0", count=12)
    parts = struct.unpack("<3i", base64.b64decode(sums["data"]))
    want = sum(9 * t + 4 if t % 3 == 0 else t + 100 if t % 3 == 1 else -t for t in range(96))
    ok(sum(parts) == want, "shared memory has the sums that the source gives")
    ok(c.body("evaluate", expression="sums[0] + sums[1] + sums[2]", context="watch")["result"] ==
       str(want), "an expression is computed")
    ok("wait" in c.body("evaluate", expression="info lanes", context="repl")["result"], "the console takes commands")
    c.body("next", threadId=thread)
    c.event("stopped")
    after = c.body("readMemory", memoryReference="%#x" % (out + 8), count=4)
    ok(struct.unpack("<i", base64.b64decode(after["data"])) == (want,), "after a step the result is written")
    c.body("stepBack", threadId=thread)
    c.event("stopped")
    frame = c.body("stackTrace", threadId=thread)["stackFrames"][0]
    ok(frame["line"] == result, "a step back leads to the line again")
    still = c.body("stackTrace", threadId=other)["stackFrames"]
    c.body("next", threadId=thread, singleThread=True)
    c.event("stopped")
    ok(c.body("stackTrace", threadId=other)["stackFrames"] == still, "a step of a single thread moves no other")
    c.body("stepBack", threadId=thread)
    c.event("stopped")
    c.body("stepBack", threadId=thread, granularity="instruction")
    c.event("stopped")
    before = c.body("readMemory", memoryReference="%#x" % (out + 8), count=4)
    ok(base64.b64decode(before["data"]) == bytes(4), "and the result is not written yet")
    c.body("setBreakpoints", source={"path": source}, breakpoints=[{"line": call}])
    c.body("reverseContinue", threadId=thread)
    stop = c.event("stopped")
    frame = c.body("stackTrace", threadId=stop["threadId"])["stackFrames"][0]
    ok(stop["reason"] == "breakpoint" and frame["line"] == call, "back to the last breakpoint")
    c.body("setBreakpoints", source={"path": source}, breakpoints=[])
    c.body("setFunctionBreakpoints", breakpoints=[{"name": "steps"}])
    c.body("continue", threadId=1)
    stop = c.event("stopped")
    frames = c.body("stackTrace", threadId=stop["threadId"])["stackFrames"]
    ok(len(frames) == 2 and "steps" in frames[0]["name"] and "mixed" in frames[1]["name"],
       "in a function, the stack has its caller")
    c.body("setFunctionBreakpoints", breakpoints=[])
    c.body("continue", threadId=1)
    ok(c.event("exited")["exitCode"] == 0, "the program runs to its end")
    c.event("terminated")
    c.body("disconnect")
    ok(c.process.wait() == 0 and "out 16688 16688 16688 16688" in c.text, "the adapter ends, and has passed on the output")
    odd_order(tool, program)
    console(tool, program)
    return bool(tap.failed)


if __name__ == "__main__":
    sys.exit(main())
