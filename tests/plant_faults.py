#!/usr/bin/env python3
"""Tests the tests: plants faults in the headers, one at a time, and lists those that no test finds.

faults.txt has the faults: mistakes that a maintainer makes. Each is planted in a copy of gpuprims/, the test
programs that concern the file are built for the CPU backend, as C by gcc, and run until one fails:

    at small sizes, with several seeds for the schedule of the threads
    at small sizes under the address and undefined behaviour sanitizers
    with --full: at all sizes, as the first schedule of the full test run

A failed check, a crash, an error of the backend (a barrier that never completes, a poll for what nobody writes)
and a program that does not end all count as found. A program must pass as it is in the same way before what it says
about a fault counts. What fails then, a fault that no longer applies, or that does not compile, ends the tool with
status 2; fewer than 95 % found with status 1.

The table goes to standard output, progress to standard error. A fault that is found takes some seconds, most of them
gcc's, one that is not takes minutes; so it is not part of the full test run. To try some:

    tests/plant_faults.py --filter scan
    tests/plant_faults.py --filter core/radix/tile.cuh --jobs 2

A paragraph of faults.txt is one fault:

    fault   what is wrong, after the name of the primitive
    file    the header, below gpuprims/
    tests   test programs that concern it, the fastest first, apart by ;  Arguments take the place of the one
            for small sizes
    -       a line of what it replaces; several lines are several of these
    +       a line of what stands there then; none if it is left out
    device  why the CPU backend cannot show it, and what would; it is listed, and neither run nor counted
    open    why it is not found; it is run, and counted

What it replaces must occur exactly once in the file, where any white space is like any other.
"""
import argparse
import csv
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
FLAGS = "-std=gnu11 -w -pthread -fwrapv -ffp-contract=off".split()
SANITIZER_FLAGS = "-fsanitize=address,undefined -fno-sanitize-recover=all".split()
ENOUGH = 0.95
KEYS = ("fault", "file", "tests", "device", "open")

# Where a fault stands in the end.
FOUND, MISSED, DEVICE, BROKEN = "found", "not found", "device", "broken"


class Broken(Exception):
    """A fault or a test program is not as it should be."""


class Fault:
    """One paragraph of the list."""

    def __init__(self, lines):
        self.device = self.open = ""
        old, new, keys = [], [], {}
        for line in lines:
            if line[0] in "-+":
                (old if line[0] == "-" else new).append(line[1:])
                continue
            key, _, text = line.partition(" ")
            if key not in KEYS or key in keys:
                raise SystemExit(f"{line!r}: a line begins with -, +, or once with {', '.join(KEYS)}")
            keys[key] = text.strip()
        if not (old and {"fault", "file", "tests"} <= keys.keys()):
            raise SystemExit(f"{lines[0]!r}: a fault, a file, tests, or what is replaced is missing")
        self.name, self.file = keys["fault"], keys["file"]
        self.device, self.open = keys.get("device", ""), keys.get("open", "")
        self.tests = [tuple(test.split()) for test in keys["tests"].split(";")]
        self.old = re.compile(r"\s+".join(map(re.escape, "\n".join(old).split())))
        self.new = "\n".join(new).strip()

    def planted(self):
        """The text of the header with the fault."""
        text = (ROOT / "gpuprims" / self.file).read_text()
        places = list(self.old.finditer(text))
        if len(places) != 1:
            raise Broken(f"what it replaces occurs {len(places)} times in gpuprims/{self.file}")
        return text[: places[0].start()] + self.new + text[places[0].end() :]


def read_faults(path):
    paragraphs = re.split(r"\n\s*\n", re.sub(r"^#.*\n", "", path.read_text(), flags=re.M))
    faults = [Fault(paragraph.strip("\n").split("\n")) for paragraph in paragraphs if paragraph.strip()]
    names = [fault.name for fault in faults]
    if len(set(names)) < len(names):
        raise SystemExit(f"{path}: some faults have the same name")
    return faults


class Run:
    """A way to run a test program."""

    def __init__(self, name, seed, blocks=None, sanitized=False, full=False):
        self.name, self.sanitized, self.full = name, sanitized, full
        self.env = {"GP_CPU_SEED": str(seed), "GP_CPU_PATIENCE_MS": "200"}
        if blocks:
            self.env["GP_CPU_RESIDENT_BLOCKS"] = str(blocks)


def runs_of(options):
    """In the order in which they are tried; as in tests/meson.build, and without any randomness first."""
    blocks = {2: 1, 3: 7}
    runs = [Run(f"seed {seed}", seed, blocks.get(seed)) for seed in options.seeds]
    if not options.no_sanitizers:
        runs.append(Run("sanitizers", 3, 7, sanitized=True))
    if options.full:
        runs.append(Run("all sizes", 1, full=True))
    return runs


def test_options(program):
    """What the source of a test program says for tests/meson.build."""
    options = {"timeout": "120", "small": "--small", "more": "", "host": ""}
    line = re.search(r"^/\* test options: (.*) \*/$", (TESTS / f"test_{program}.cu").read_text(), re.M)
    for option in line[1].split() if line else []:
        key, _, value = option.partition("=")
        options[key] = value
    return options


def build(cc, program, headers, folder, sanitized):
    """Compiles a test program against the headers in a folder; returns the executable."""
    options = test_options(program)
    exe = folder / (program + ("_sanitized" if sanitized else ""))
    command = cc + (SANITIZER_FLAGS if sanitized else []) + ["-I", str(headers), "-x", "c"]
    command += [str(TESTS / f"test_{program}.cu")]
    command += [str(TESTS / name) for key in ("more", "host") for name in options[key].split(",") if name]
    if not exe.exists():
        done = subprocess.run(command + ["-o", str(exe), "-lm"], capture_output=True, text=True)
        if done.returncode:
            raise Broken(f"test_{program} does not compile: {done.stderr.splitlines()[:3]}")
    return exe


def first_failure(exe, arguments, env, limit):
    """Runs a TAP program up to its first failure; returns that, or an empty text."""
    process = subprocess.Popen(
        ["setpriv", "--pdeathsig", "KILL", str(exe), *arguments],  # with a fault it may never end by itself
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**os.environ, **env},
        start_new_session=True,
    )
    timed_out = threading.Event()

    def stop():
        timed_out.set()
        os.killpg(process.pid, signal.SIGKILL)

    timer = threading.Timer(limit, stop)
    timer.start()
    failure = last = ""
    planned = False
    try:
        for line in process.stdout:
            last = line.strip() or last
            planned |= re.match(r"1\.\.\d", line) is not None
            if line.startswith(("not ok", "Bail out!")):
                failure = last
                os.killpg(process.pid, signal.SIGKILL)
                break
    finally:
        timer.cancel()
        process.stdout.close()
        status = process.wait()
    if failure:
        return failure
    if timed_out.is_set():
        return f"no end after {limit:.0f} s"
    return "" if status == 0 and planned else f"exit status {status}: {last}"


class Tests:
    """The test programs with the headers as they are."""

    def __init__(self, cc, folder, trusted):
        self.cc, self.folder, self.trusted = cc, folder, trusted
        self.seconds, self.lock = {}, threading.Lock()

    def limit(self, test, run):
        """How long a program may run with a fault. The first call runs it without, and it must pass."""
        if self.trusted:
            return int(test_options(test[0])["timeout"])
        with self.lock:
            key = test, run.name
            if key not in self.seconds:
                say(f"test_{' '.join(test)}, {run.name}, without a fault")
                exe = build(self.cc, test[0], ROOT, self.folder, run.sanitized)
                start, options = time.monotonic(), test_options(test[0])
                limit = 10 * int(options["timeout"])
                failure = first_failure(exe, arguments_of(test, run), run.env, limit)
                if failure:
                    raise SystemExit(f"test_{' '.join(test)} fails without any fault, {run.name}: {failure}")
                self.seconds[key] = time.monotonic() - start
            return 20 + 5 * self.seconds[key]


def arguments_of(test, run):
    return [] if run.full else list(test[1:]) or [test_options(test[0])["small"]]


def say(text):
    print(text, file=sys.stderr, flush=True)


def try_fault(fault, tests, runs, folder):
    """Plants a fault; returns where it stands, and what says so."""
    if fault.device:
        fault.planted()
        return DEVICE, fault.device
    headers = Path(tempfile.mkdtemp(dir=folder))
    try:
        shutil.copytree(ROOT / "gpuprims", headers / "gpuprims")
        (headers / "gpuprims" / fault.file).write_text(fault.planted())
        for run in runs:
            for test in fault.tests:
                limit = tests.limit(test, run)
                exe = build(tests.cc, test[0], headers, headers, run.sanitized)
                failure = first_failure(exe, arguments_of(test, run), run.env, limit)
                if failure:
                    return FOUND, f"test_{test[0]}, {run.name}: {failure}"
    finally:
        shutil.rmtree(headers)
    return MISSED, fault.open


def read_found(path):
    """What an earlier run has found, by file and fault."""
    if not path.exists():
        return {}
    with open(path, newline="") as file:
        return {(row["file"], row["fault"]): row["by"] for row in csv.DictReader(file) if row["state"] == FOUND}


def write_csv(path, results):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["state", "file", "fault", "by"])
        writer.writerows([state, fault.file, fault.name, text] for fault, state, text in results)


def report(results):
    """Prints the table; the exit status."""
    order = [FOUND, DEVICE, MISSED, BROKEN]
    results.sort(key=lambda result: order.index(result[1]))
    for fault, state, text in results:
        print(f"{state:<10} {fault.file:<28} {fault.name}" + (f"\n{'':<11}{text[:160]}" if text else ""))
    count = {state: sum(result[1] == state for result in results) for state in order}
    run = count[FOUND] + count[MISSED]
    print(f"{count[FOUND]} of {run} found ({100 * count[FOUND] / max(run, 1):.1f} %); "
          f"{count[DEVICE]} need a GPU; {count[BROKEN]} are broken")
    return 2 if count[BROKEN] else count[FOUND] < ENOUGH * run


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="list the faults, and whether they still apply")
    parser.add_argument("--filter", metavar="REGEX", default="", help="only faults whose file or name matches")
    parser.add_argument("--jobs", type=int, default=1, help="faults that are tried at a time")
    parser.add_argument("--seeds", metavar="LIST", default="0,1,2,3", help="schedules: %(default)s")
    parser.add_argument("--no-sanitizers", action="store_true", help="leave out the builds under the sanitizers")
    parser.add_argument("--full", action="store_true", help="also run at all sizes what is not found at small ones")
    parser.add_argument("--trust", action="store_true", help="the programs have just passed: without a fault, run none")
    parser.add_argument("--csv", metavar="FILE", type=Path, help="write the table to a file, too, fault by fault")
    parser.add_argument("--resume", action="store_true", help="do not try again what --csv's file says has been found")
    parser.add_argument("--cc", default="gcc", help="the compiler")
    parser.add_argument("--optimize", default="0", help="gcc's -O; it takes longer than the programs: %(default)s")
    parser.add_argument("--faults", metavar="FILE", type=Path, default=TESTS / "faults.txt", help="another list")
    options = parser.parse_args()
    if options.resume and not options.csv:
        parser.error("--resume needs --csv")
    options.seeds = [int(seed) for seed in options.seeds.split(",")]

    wanted = [fault for fault in read_faults(options.faults) if re.search(options.filter, f"{fault.file} {fault.name}")]
    found = read_found(options.csv) if options.resume else {}
    runs, done, lock = runs_of(options), [], threading.Lock()

    def one(fault):
        start = time.monotonic()
        try:
            if options.list:
                fault.planted()
                return fault, DEVICE if fault.device else "", " ".join(test[0] for test in fault.tests)
            if (fault.file, fault.name) in found:
                state, text = FOUND, found[fault.file, fault.name]
            else:
                state, text = try_fault(fault, tests, runs, Path(folder))
        except Broken as error:
            state, text = BROKEN, str(error)
        with lock:
            done.append((fault, state, text))
            if options.csv and not options.list:
                write_csv(options.csv, done)
            seconds = time.monotonic() - start
            say(f"[{len(done)}/{len(wanted)}] {seconds:.0f} s: {state}: {fault.file}: {fault.name}: {text[:120]}")
        return fault, state, text

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        cc = [*shlex.split(options.cc), f"-O{options.optimize}", *FLAGS]
        tests = Tests(cc, Path(folder), options.trust)
        results = list(pool.map(one, wanted))
    if not options.list:
        return report(results)
    for fault, state, text in results:
        print(f"{state:<7} {fault.file:<28} {fault.name} [{text}]")
    return 2 if any(state == BROKEN for _, state, _ in results) else 0


if __name__ == "__main__":
    sys.exit(main())
