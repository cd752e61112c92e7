#!/usr/bin/env python3
"""Test of examples/sort_file.cu. TAP on stdout.

    test_sort_file.py SORT_FILE

A CUDA build is tested as far as a GPU answers: where the program exits with 77, all is skipped.
"""
import os
import pty
import random
import resource
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import time

EXE = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else sys.exit(__doc__)
FORMATS = {"u32": "I", "u64": "Q", "i32": "i", "i64": "q", "f32": "f", "f64": "d"}
results = []
rng = random.Random(20250101)


def ok(passed, text):
    results.append(passed)
    print(f"{'' if passed else 'not '}ok {len(results)} - {text}", flush=True)


def sort_file(*arguments, **keywords):
    return subprocess.run([EXE, *map(str, arguments)], capture_output=True, text=True, timeout=200, check=False,
                          **keywords)


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)
    return path


def read(path):
    with open(path, "rb") as file:
        return file.read()


def number(kind, data):
    """What orders as the program's numbers do: of a float its bits, turned round below zero."""
    if kind[0] != "f":
        return struct.unpack("<" + FORMATS[kind], data)[0]
    bits = int.from_bytes(data, "little", signed=True)
    return bits if bits >= 0 else -1 - (bits + (1 << 8 * len(data) - 1))


def numbers(kind, n):
    """Random ones, few distinct, and for floats infinities, NaNs and zeros of both signs."""
    size = struct.calcsize(FORMATS[kind])
    some = [rng.randbytes(size) for _ in range(20)]
    if kind[0] == "f":
        for value in (0.0, -0.0, float("inf"), float("-inf"), float("nan"), 1.5, -1.5):
            some.append(struct.pack("<" + FORMATS[kind], value))
    return [rng.choice(some) if rng.random() < 0.3 else rng.randbytes(size) for _ in range(n)]


def leftovers(folder, *expected):
    return sorted(os.listdir(folder)) == sorted(expected)


def test_types(folder):
    for kind in FORMATS:
        right = True
        for n in (0, 1, 2, 777, 30011):
            items = numbers(kind, n)
            source = write(f"{folder}/in", b"".join(items))
            run = sort_file("--type", kind, "--memory", "64K", "--threads", 3, source, f"{folder}/out")
            right &= run.returncode == 0 and run.stderr == "" and run.stdout == ""
            right &= read(f"{folder}/out") == b"".join(sorted(items, key=lambda item: number(kind, item)))
            right &= read(source) == b"".join(items)
            right &= sort_file("--type", kind, "--check", f"{folder}/out").returncode == 0
        ok(right and leftovers(folder, "in", "out"), f"{kind}: sorted, the input untouched")


def test_records(folder):
    for kind, record, offset in (("u32", 12, 0), ("i64", 21, 13), ("f32", 7, 2), ("f64", 5000, 4000)):
        size = struct.calcsize(FORMATS[kind])
        items = [rng.randbytes(offset) + key + rng.randbytes(record - offset - size)
                 for key in numbers(kind, 3000 if record < 100 else 2000)]
        source = write(f"{folder}/in", b"".join(items))
        shape = ("--type", kind, "--record", record, "--offset", offset)
        run = sort_file(*shape, "--memory", "100000", source, f"{folder}/out")
        expected = sorted(items, key=lambda item: number(kind, item[offset:offset + size]))
        ok(run.returncode == 0 and read(f"{folder}/out") == b"".join(expected),
           f"records of {record} bytes by {kind} at {offset}: sorted, equal ones in their order")
        ok(sort_file(*shape, "--check", f"{folder}/out").returncode == 0 and
           sort_file(*shape, "--check", source).returncode == 1, "and --check knows")


def test_check(folder):
    path = f"{folder}/in"
    values = list(range(5000))
    values[4321], values[4322] = values[4322], values[4321]
    run = sort_file("--type", "u32", "--check", write(path, struct.pack("<5000I", *values)))
    ok(run.returncode == 1 and "number 4322 of 5000" in run.stderr, "--check says where the order ends")
    zeros = write(path, struct.pack("<4f", -1.0, 0.0, -0.0, 1.0))
    ok(sort_file("--type", "f32", "--check", zeros).returncode == 0, "--check: zeros of both signs are equal")
    ok(sort_file("--type", "u32", "--check", write(path, b"")).returncode == 0, "--check: an empty file is sorted")


def test_misuse(folder):
    path = write(f"{folder}/in", bytes(40))
    out = f"{folder}/out"
    for arguments, text in (
            ([], "--type is missing"),
            (["--type", "u16", path, out], "--type takes u32"),
            (["--type"], "--type takes u32"),
            (["--type", "u32", path], "two files IN and OUT"),
            (["--type", "u32", path, out, out], "two files IN and OUT"),
            (["--type", "u32", "--check", path, out], "--check takes one file"),
            (["--type", "u32", "--memory", "lots", path, out], "--memory takes a number as 1G"),
            (["--type", "u32", "--memory", "-5", path, out], "--memory takes a number"),
            (["--type", "u32", "--memory"], "--memory takes a number"),
            (["--type", "u64", "--record", "10", "--offset", "3", path, out], "not within a record of 10 bytes"),
            (["--type", "u32", "--frob", path, out], "unknown option '--frob'")):
        run = sort_file(*arguments)
        ok(run.returncode == 2 and text in run.stderr and run.stderr.count("\n") == 1 and run.stdout == "",
           f"misuse: {text}")
    run = sort_file("--help")
    ok(run.returncode == 0 and "usage: sort_file" in run.stdout and run.stderr == "", "--help")
    ok(leftovers(folder, "in"), "nothing is written")


def test_failures(folder):
    path = write(f"{folder}/in", struct.pack("<10001I", *(rng.getrandbits(32) for _ in range(10001))))
    out = write(f"{folder}/out", b"what was there")
    os.link(path, f"{folder}/link")
    os.symlink("in", f"{folder}/symbolic")
    os.mkdir(f"{folder}/folder")
    there = ("in", "out", "link", "symbolic", "folder")

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))

    for arguments, text, keywords in (
            (["--type", "u64", path, out], "has 40004 bytes, which is not a multiple of the 8 bytes of a number", {}),
            (["--type", "u32", "--record", "5", path, out], "not a multiple of the 5 bytes of a record", {}),
            (["--type", "u32", path, path], "are the same file", {}),
            (["--type", "u32", path, f"{folder}/link"], "are the same file", {}),
            (["--type", "u32", path, f"{folder}/symbolic"], "are the same file", {}),
            (["--type", "u32", f"{folder}/none", out], "No such file or directory", {}),
            (["--type", "u32", f"{folder}/folder", out], "it is not a regular file", {}),
            (["--type", "u32", path, f"{folder}/folder"], "it is not a regular file", {}),
            (["--type", "u32", path, f"{folder}/none/out"], "cannot write", {}),
            (["--type", "u32", "--memory", "100", path, out], "bytes of device memory are too few", {}),
            (["--type", "u32", path, out], "File too large", {"preexec_fn": limited})):
        run = sort_file(*arguments, **keywords)
        ok(run.returncode == 1 and text in run.stderr and run.stderr.count("\n") == 1, f"failure: {text}")
    ok(read(out) == b"what was there" and len(read(path)) == 40004 and leftovers(folder, *there),
       "after failures the output is what it was, and nothing else is there")
    os.chmod(path, 0o640)
    run = sort_file("--type", "u32", path, out)
    ok(run.returncode == 0 and len(read(out)) == 40004 and stat.S_IMODE(os.stat(out).st_mode) == 0o640,
       "an output that is there is replaced, with the input's permissions")
    for name in there:
        (os.rmdir if name == "folder" else os.unlink)(f"{folder}/{name}")


def test_links(folder):
    """Where OUT is a symbolic link, what it leads to is written."""
    data = struct.pack("<3I", 2, 3, 1)
    path = write(f"{folder}/in", data)
    os.mkdir(f"{folder}/there")
    write(f"{folder}/there/file", b"what was there")
    links = {"absolute": f"{folder}/there/file", "relative": "there/file", "chain": "there/second",
             "there/second": "third", "there/third": "../there/new", "loop": "loop"}
    for name, target in links.items():
        os.symlink(target, f"{folder}/{name}")
    for name, file in (("absolute", "file"), ("relative", "file"), ("chain", "new"), ("chain", "new")):
        write(path, data := bytes(4) + data)
        run = sort_file("--type", "u32", path, f"{folder}/{name}")
        there = f"{folder}/there/{file}"
        ok(run.returncode == 0 and os.path.exists(there) and sorted(data) == sorted(read(there)) and
           all(os.path.islink(f"{folder}/{link}") for link in links),
           f"the {name} link stays, and there/{file} is written")
    run = sort_file("--type", "u32", path, "relative", cwd=folder)
    ok(run.returncode == 0 and os.path.islink(f"{folder}/relative"), "a link in the current folder")
    run = sort_file("--type", "u32", path, f"{folder}/loop")
    ok(run.returncode == 1 and "symbolic links" in run.stderr, "a link to itself is refused")
    ok(leftovers(f"{folder}/there", "file", "new", "second", "third") and
       leftovers(folder, "in", "there", "absolute", "relative", "chain", "loop"), "and nothing else is left")


def test_interrupted(folder):
    path = write(f"{folder}/in", rng.randbytes(4_000_000))
    for number in (signal.SIGTERM, signal.SIGQUIT, signal.SIGPIPE, signal.SIGXCPU, signal.SIGABRT, signal.SIGUSR1):
        with subprocess.Popen([EXE, "--type", "u32", "--memory", "64K", path, f"{folder}/out"]) as run:
            for _ in range(1000):
                if len(os.listdir(folder)) > 1 or run.poll() is not None:
                    break
                time.sleep(0.002)
            run.send_signal(number)
            run.wait(60)
        done = run.returncode == 0
        ok(run.returncode in (0, 128 + number) and leftovers(folder, "in", *["out"] * done),
           f"interrupted by {number.name}: nothing is left")
        if done:
            os.unlink(f"{folder}/out")


def test_ignored(folder):
    """As under nohup."""
    path = write(f"{folder}/in", rng.randbytes(400_000))
    with subprocess.Popen([EXE, "--type", "u32", "--memory", "64K", path, f"{folder}/out"],
                          preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as run:
        for _ in range(1000):
            if len(os.listdir(folder)) > 1 or run.poll() is not None:
                break
            time.sleep(0.002)
        run.send_signal(signal.SIGHUP)
        run.wait(60)
    ok(run.returncode == 0 and leftovers(folder, "in", "out"), "a signal that was ignored stays so")


def test_terminal(folder):
    path = write(f"{folder}/in", rng.randbytes(200000))
    ours, theirs = pty.openpty()
    with subprocess.Popen([EXE, "--type", "u32", "--memory", "64K", path, f"{folder}/out"], stderr=theirs) as run:
        os.close(theirs)
        shown = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            shown += piece
        run.wait(120)
    os.close(ours)
    ok(run.returncode == 0 and shown.startswith(b"\rsorting ") and shown.endswith(b"\r\x1b[K"),
       "a terminal sees the progress, and in the end nothing of it")


def main():
    with tempfile.TemporaryDirectory() as folder:
        probe = write(f"{folder}/in", bytes(8))
        if sort_file("--type", "u32", probe, f"{folder}/out").returncode == 77:
            print("1..0 # SKIP no GPU")
            return 0
    for test in (test_types, test_records, test_check, test_misuse, test_failures, test_links, test_interrupted, test_ignored,
                 test_terminal):
        with tempfile.TemporaryDirectory() as folder:
            test(folder)
    print(f"1..{len(results)}")
    return not all(results)


if __name__ == "__main__":
    sys.exit(main())
