# SPDX-License-Identifier: MIT
"""A class in a job array of Slurm: a real controller and two nodes on this machine, of which one dies in the middle; and the
script of the Indexed Job of Kubernetes, without Kubernetes."""

import contextlib
import csv
import io
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from . import model, paths, results, tree
from .paths import LabError

LAB = 0
CLASS = 20
MACHINES = 4                                # tasks of the array
CI = os.path.join(paths.TOP, "Documentation/labs/ci")
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"
SECONDS = 900                               # for all of it, on a busy machine
CONF = """\
ClusterName=ppu
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port0}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={top}/munge.sock,cred_expire=5
CredType=cred/munge
StateSaveLocation={top}/state
SlurmdSpoolDir={top}/%n
SlurmdPidFile={top}/%n.pid
SlurmctldPidFile={top}/controller.pid
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdTimeout=10
ReturnToService=1
MailProg=/bin/true
NodeName=n[0-1] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{port1}-{port2}] CPUs=2 RealMemory=4000
PartitionName=all Nodes=ALL Default=YES
"""


def three_ports():
    """A port, and two in a row, that nobody has at the moment."""
    for base in range(20000 + os.getpid() % 5000, 60000, 7):
        with contextlib.ExitStack() as stack:
            try:
                for port in range(base, base + 3):
                    stack.enter_context(socket.socket()).bind(("127.0.0.1", port))
            except OSError:
                continue
        return base
    raise LabError("no port is free")


def user():
    return subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()


def send(pids, sig):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, sig)


class Cluster:
    """munged, slurmctld and two slurmd, in a directory of their own. Used by with."""

    def __init__(self, top):
        self.top = top
        self.env = dict(os.environ, SLURM_CONF=os.path.join(top, "slurm.conf"), PATH=PATH)
        self.daemons = {}

    def __enter__(self):
        base = three_ports()
        os.makedirs(os.path.join(self.top, "state"))
        with open(self.env["SLURM_CONF"], "w", encoding="utf-8") as f:
            f.write(CONF.format(top=self.top, host=socket.gethostname().split(".")[0], user=user(), port0=base, port1=base + 1,
                                port2=base + 2))
        with open(os.open(os.path.join(self.top, "munge.key"), os.O_WRONLY | os.O_CREAT, 0o600), "wb") as f:
            f.write(os.urandom(1024))
        names = {w: os.path.join(self.top, "munge." + n) for w, n in (("key", "key"), ("socket", "sock"), ("pid", "pid"),
                                                                      ("log", "log"), ("seed", "seed"))}
        self.start("munged", ["munged", "-F", "-f", "--key-file=" + names["key"], "--socket=" + names["socket"],
                              "--pid-file=" + names["pid"], "--log-file=" + names["log"], "--seed-file=" + names["seed"]])
        self.until(lambda: os.path.exists(names["socket"]), "munged does not start", 30)
        self.start("slurmctld", ["slurmctld", "-D", "-c"])
        for node in ("n0", "n1"):
            self.start(node, ["slurmd", "-D", "-N", node], PPU_TEST_NODE=node)
        self.until(lambda: self.ask("sinfo", "-h", "-o", "%D %t") == "2 idle", "the nodes do not start", 60)
        return self

    def __exit__(self, *what):
        for node in ("n0", "n1"):
            self.kill_node(node)
        for daemon in reversed(self.daemons.values()):
            daemon.kill()
            daemon.wait()

    def start(self, name, argv, **env):
        with open(os.path.join(self.top, name + ".log"), "wb") as log:
            self.daemons[name] = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.top,
                                                  env=dict(self.env, **env), start_new_session=True)

    def ask(self, *argv):
        return subprocess.run(argv, env=self.env, capture_output=True, text=True, check=False, cwd=self.top).stdout.strip()

    def until(self, good, what, seconds=SECONDS):
        end = time.monotonic() + seconds
        while not good():
            if time.monotonic() > end:
                raise LabError("%s within %d s: %s" % (what, seconds, self.logs()))
            time.sleep(0.2)

    def logs(self):
        out = []
        for name in self.daemons:
            with open(os.path.join(self.top, name + ".log"), encoding="utf-8", errors="replace") as f:
                out += ["%s: %s" % (name, line) for line in f.read().splitlines()[-5:]]
        return "\n".join(out)

    def processes(self, node):
        """Of the node: slurmd and what it started, and what those started."""
        parents, found = {}, set()
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError, IndexError):
                with open("/proc/%s/stat" % pid, encoding="utf-8", errors="replace") as f:
                    parents[int(pid)] = int(f.read().rpartition(")")[2].split()[1])
                with open("/proc/%s/environ" % pid, "rb") as f:
                    words = f.read().split(b"\0")
                mine = b"SLURM_CONF=" + self.env["SLURM_CONF"].encode() in words
                if mine and (b"PPU_TEST_NODE=" + node.encode() in words or b"SLURMD_NODENAME=" + node.encode() in words):
                    found.add(int(pid))
        more = True
        while more:
            more = {p for p, up in parents.items() if up in found} - found
            found |= more
        return found

    def kill_node(self, node):
        """As if the machine lost its power: nobody says goodbye, and nobody sees others die."""
        stopped = set()
        while (found := self.processes(node)) - stopped:
            send(found, signal.SIGSTOP)
            stopped |= found
        send(stopped, signal.SIGKILL)
        self.daemons[node].wait()


def a_class(where):
    """Twenty submissions; in each machine's share of five the third one is good, and the others lack files."""
    solved = tree.solution(model.load(LAB))
    for i in range(CLASS):
        name = os.path.join(where, "s%02d" % i)
        os.makedirs(name)
        if i // MACHINES == 2:
            for file, text in solved.items():
                tree.write_if_changed(os.path.join(name, file), text)


def stamps(reports):
    return {n: os.stat(os.path.join(reports, n)).st_mtime_ns for n in os.listdir(reports) if n.endswith(".json")}


def check_reports(reports, handed_in):
    """Each submission has one report, and the table is the same however the reports are ordered."""
    out, tables, turned = [], [], reports + "-turned"
    os.mkdir(turned)
    for name in reversed(os.listdir(reports)):      # so that a directory lists them in another order
        shutil.copy(os.path.join(reports, name), turned)
    with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
        for folder in (reports, turned):
            table = folder + ".csv"
            if results.main([folder, "--class", handed_in, "--csv", table]):
                out.append("not all are graded")
            with open(table, encoding="utf-8") as f:
                tables.append(f.read())
    rows = {r["submission"]: r["points"] for r in csv.DictReader(io.StringIO(tables[0]))}
    want = {"s%02d" % i: "100" if i // MACHINES == 2 else "0" for i in range(CLASS)}
    return out + ([] if rows == want else ["the table is %s" % rows]) + \
        ([] if tables[0] == tables[1] else ["the table depends on the order"])


def times_graded(logs):
    """How often the graders told of each submission."""
    told = {}
    for name in os.listdir(logs):
        if name.endswith(".out"):
            with open(os.path.join(logs, name), encoding="utf-8") as f:
                for line in f:
                    if re.match(r"  s[0-9]{2} +[0-9]+ / ", line):
                        told[line.split()[0]] = told.get(line.split()[0], 0) + 1
    return told


def test_slurm(top):
    """A node dies while it grades: its share is finished by the other one, and nothing is graded twice or lost."""
    handed_in, reports, out = os.path.join(top, "class"), os.path.join(top, "reports"), []
    a_class(handed_in)
    with Cluster(os.path.join(top, "cluster")) as cluster:
        job = cluster.ask("sbatch", "--parsable", "--array=0-%d" % (MACHINES - 1), "--chdir=" + cluster.top, "--export=ALL,LAB=%d,"
                          "SUBMISSIONS=%s,REPORTS=%s,GRADER=%s" % (LAB, handed_in, reports, paths.TOP), os.path.join(CI, "slurm.sbatch"))
        if not job.isdigit():
            return ["sbatch said %r: %s" % (job, cluster.logs())]

        # The second task has told of its first two, and grades the third.
        cluster.until(lambda: os.path.exists(os.path.join(reports, "s05.json")), "nothing is graded")
        running = cluster.ask("squeue", "-h", "-t", "R", "-o", "%K %N", "-j", job)
        node = dict(line.split() for line in running.splitlines()).get("1")
        if not node:
            return ["the second task runs nowhere: %s" % running]
        cluster.kill_node(node)
        before = stamps(reports)
        if "s09.json" in before:
            return ["the node died too late"]
        cluster.until(lambda: len(stamps(reports)) == CLASS and not cluster.ask("squeue", "-h", "-j", job), "the class is not graded")
        after = stamps(reports)
        out += ["%s was graded again" % n for n in before if after[n] != before[n]]
        with open(os.path.join(cluster.top, "slurmctld.log"), encoding="utf-8") as f:
            if not re.search(r"(?i)requeu", f.read()):
                out.append("nothing was started again: %s" % cluster.logs())
        told = times_graded(cluster.top)
        if told != {"s%02d" % i: 1 for i in range(CLASS)}:
            out.append("graded so often: %s" % told)
    return out + check_reports(reports, handed_in)


def test_kubernetes(top):
    """The Indexed Job is one, and its script grades the share of each index."""
    try:
        import yaml
    except ImportError:
        return ["python3-yaml is missing"]
    with open(os.path.join(CI, "kubernetes.yaml"), encoding="utf-8") as f:
        job = yaml.safe_load(f)
    spec = job["spec"]
    pod = spec["template"]["spec"]
    box = pod["containers"][0]
    env = {e["name"]: e["value"] for e in box["env"]}
    out = []
    if (job["apiVersion"], job["kind"], spec["completionMode"], pod["restartPolicy"]) != ("batch/v1", "Job", "Indexed", "Never"):
        out.append("it is no Indexed Job")
    if str(spec["completions"]) != env["MACHINES"] or spec["parallelism"] > spec["completions"]:
        out.append("%s pods, of %s machines" % (spec["completions"], env["MACHINES"]))
    mounts = {m["mountPath"] for m in box["volumeMounts"]}
    if not {env["SUBMISSIONS"], env["REPORTS"]} <= mounts or \
            {m["name"] for m in box["volumeMounts"]} != {v["name"] for v in pod["volumes"]}:
        out.append("volumes: %s" % mounts)
    handed_in, reports = os.path.join(top, "class"), os.path.join(top, "reports")
    for i in range(5):
        os.makedirs(os.path.join(handed_in, "s%d" % i))
    for index in (2, 0, 1):
        mine = dict(os.environ, LAB=str(LAB), MACHINES="3", GRADER=paths.TOP, SUBMISSIONS=handed_in, REPORTS=reports,
                    JOB_COMPLETION_INDEX=str(index))
        proc = subprocess.run(box["command"] + box["args"], env=mine, cwd=top, capture_output=True, text=True, check=False)
        if proc.returncode or "%d submissions graded" % (1 if index == 2 else 2) not in proc.stdout:
            out.append("index %d: status %d: %s%s" % (index, proc.returncode, proc.stdout, proc.stderr))
    for i in range(5):
        with open(os.path.join(reports, "s%d.json" % i), encoding="utf-8") as f:
            if json.load(f)["submission"] != "s%d" % i:
                out.append("s%d.json is another one's" % i)
    return out


def run(tap):
    missing = [p for p in ("munged", "slurmctld", "slurmd", "sbatch") if not shutil.which(p, path=PATH)]
    for name, test in (("an Indexed Job of Kubernetes", test_kubernetes), ("a job array, and a node that dies", test_slurm)):
        with tempfile.TemporaryDirectory(prefix="ppu-slurm-") as top:
            try:
                wrong = ["%s is missing; scripts/setup installs it" % ", ".join(missing)] if missing and test is test_slurm else test(top)
            except LabError as err:
                wrong = [str(err)]
            tap.result("machines: " + name, wrong)
    sys.stdout.flush()
