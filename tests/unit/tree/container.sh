#!/bin/bash
# SPDX-License-Identifier: MIT
# The container's scripts, with engines of the test's own that write down how they are called. That the image can be
# made and used is shown by scripts/container/try-chroot (on demand), and by engines where there are some.
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
cd "$PPU_TOP" || exit 1
failed=0
check()		# GOT WANT NAME
{
	if [[ $1 == "$2" ]]; then echo "ok - $3"; else echo "not ok - $3: '$1' instead of '$2'"; failed=1; fi
}
has()		# TEXT PART NAME
{
	if [[ $1 == *"$2"* ]]; then echo "ok - $3"; else echo "not ok - $3: '$2' is not in '$1'"; failed=1; fi
}
mkdir "$T/bin" "$T/none"
for engine in podman docker; do
	printf '#!/bin/sh\necho "%s $*" >>"%s/calls"\n' "$engine" "$T" >"$T/bin/$engine"
	chmod +x "$T/bin/$engine"
done
# lib.sh puts the system's directories first; engines are looked up by name only where the test can say so.
call() { rm -f "$T/calls"; BUILD=$T/build PPU_ENGINE=$T/bin/$1 scripts/container/run "${@:2}" 2>&1; }

out=$(call podman)
check "$? $out" "0   IMAGE   ppu, by $T/bin/podman (the first time: some minutes)" "container-run with podman"
calls=$(cat "$T/calls")
has "$calls" "podman build -t ppu -f $PPU_TOP/scripts/container/Dockerfile $PPU_TOP" "the image is built from the Dockerfile"
has "$calls" "-v $PPU_TOP:/ppu" "the tree is mounted"
has "$calls" "-v ppu-cache:/cache ppu make run" "the cache is a volume; the command is make run"
[[ $calls != *privileged* && $calls != *kvm* && $calls != *cap-add* ]]
check $? 0 "no privileges are asked for"
call docker make check G="unit qtest" >/dev/null
has "$(cat "$T/calls")" "--user $(id -u):$(id -g)" "docker runs as who calls it"
has "$(cat "$T/calls")" "ppu make check G=unit qtest" "another command"
out=$(PPU_ENGINE=$T/none/podman scripts/container/run 2>&1)
check "$? $out" "1 run: PPU_ENGINE=$T/none/podman: there is no such program" "an engine that does not exist"
printf '#!/bin/sh\necho "cannot pull"; exit 1\n' >"$T/bin/podman"
out=$(call podman)
check "$?" 1 "an image that cannot be made"
has "$out" "cannot pull" "and what the engine said is shown"

out=$(scripts/container/enter true 2>&1)
[[ $out == *"/ppu-kernel"* || $out == enter:* ]]
check $? 0 "enter, outside of the container, says so"

python3 -B - <<'END' || failed=1
import importlib.machinery, importlib.util, json, os, re, sys, tempfile
top = os.environ["PPU_TOP"]
loader = importlib.machinery.SourceFileLoader("try_chroot", top + "/scripts/container/try-chroot")
module = importlib.util.module_from_spec(importlib.util.spec_from_loader("try_chroot", loader))
loader.exec_module(module)
failed = 0
def is_(got, want, name):
    global failed
    failed += got != want
    print("ok - " + name if got == want else "not ok - %s: %r instead of %r" % (name, got, want))
steps = module.steps()
is_(module.suite(steps), "stable", "the image is Debian's stable")
is_([w for w, _ in steps].count("FROM"), 1, "one stage")
is_(module.sources("stable", "http://a/debian", "http://a/debian-security"), [
    "deb http://a/debian stable main", "deb http://a/debian stable-updates main",
    "deb http://a/debian-security stable-security main"], "the chroot's sources are those of Debian's image")
for word, text in steps:
    if word == "COPY":
        src, dst = text.split()
        is_(os.path.isdir(os.path.join(top, src)), True, "COPY %s: it is there" % src)
        with open(top + "/.dockerignore", encoding="utf-8") as f:
            is_("!" + src in f.read().split(), True, "and .dockerignore lets it in")
    if word in ("ENTRYPOINT", "CMD"):
        is_(isinstance(json.loads(text), list), True, word + " is a list")
with tempfile.NamedTemporaryFile("w", suffix="Dockerfile") as f:
    f.write("FROM docker.io/library/debian:stable-slim\nHEALTHCHECK NONE\n")
    f.flush()
    try:
        module.steps(f.name)
        is_("taken", "refused", "an instruction that a chroot cannot follow")
    except ValueError as err:
        is_("HEALTHCHECK" in str(err), True, "an instruction that a chroot cannot follow is refused")
with open(top + "/.devcontainer/devcontainer.json", encoding="utf-8") as f:
    dev = json.loads(re.sub(r"^//.*$", "", f.read(), flags=re.M))
is_(os.path.exists(os.path.join(top, ".devcontainer", dev["build"]["dockerfile"])), True, "devcontainer.json names the Dockerfile")
env = dict(w.split("=", 1) for word, text in steps if word == "ENV" for w in text.split())
is_(dev["containerEnv"]["PPU_CACHE"], env["PPU_CACHE"], "and the same cache")
sys.exit(failed != 0)
END
exit $failed
