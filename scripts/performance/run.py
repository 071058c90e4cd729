#!/usr/bin/env python3
"""Runs the benchmarks, keeps their lines in FOLDER/performance/DATE.jsonl, and writes the page: run.py BENCH FOLDER [NAME...]"""

import argparse
import ctypes
import ctypes.util
import datetime
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

import report

# The cases that are run with other numbers of objects, too.
GROWING = ["ingest.file.cold", "ingest.file.changed", "ingest.file.unchanged"]
SCALES = [0.01, 0.1, 10]


def said(*command):
    try:
        return subprocess.run(command, cwd=report.ROOT, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def content(path):
    try:
        return pathlib.Path(path).read_text(encoding="utf-8")
    except OSError:
        return ""


def found(pattern, text, otherwise):
    match = re.search(pattern, text, re.M)
    return match[1].strip() if match else otherwise


def sqlite():
    """The version of the system's library, which the store uses."""
    try:
        library = ctypes.CDLL(ctypes.util.find_library("sqlite3"))
        library.sqlite3_libversion.restype = ctypes.c_char_p
        return library.sqlite3_libversion().decode()
    except (OSError, TypeError, AttributeError):
        return "of unknown version"


def head():
    """The machine and the programs of a run. No name of a host or a user is kept."""
    processor = found(r"^model name\s*: (.+)$", content("/proc/cpuinfo"), "") or said("sysctl", "-n", "machdep.cpu.brand_string")
    memory = int(found(r"^MemTotal:\s*(\d+) kB", content("/proc/meminfo"), 0)) / (1 << 20)
    changed = " with changes" if said("git", "status", "--porcelain", "--untracked-files=no") else ""
    return {
        "date": datetime.date.today().isoformat(),
        "commit": (said("git", "rev-parse", "--short=10", "HEAD") or "unknown") + changed,
        "machine": f"{os.cpu_count()} processors of {processor or platform.machine()}"
        + (f" with {memory:.0f} GB" if memory >= 1 else ""),
        "system": found(r'^PRETTY_NAME="(.+)"$', content("/etc/os-release"), platform.system()),
        "compiler": "Swift " + found(r"Swift version (\d[\w.]*)", said("swift", "--version"), "of unknown version"),
        "sqlite": sqlite(),
    }


def run(options, names, scale, rounds, *further):
    """The lines of a run; its table is shown while it runs."""
    factor = min(scale * options.scale, 10)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "lines"
        command = [options.bench, *names, "--scale", f"{factor:g}", "--rounds", str(rounds), "--json", str(file), *further]
        if subprocess.run(command, stdin=subprocess.DEVNULL).returncode != 0:
            sys.exit("error: the benchmarks failed: see above")
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [line | {"scale": scale} for line in lines]


def stream(options, option):
    """The text that a list of three million users printed."""
    words = [option, str(max(1, int(3_000_000 * options.scale)))]
    result = subprocess.run([options.bench, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit("error: the benchmarks failed: see above")
    return {"stream": " ".join(words), "said": result.stdout.strip()}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bench")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--scale", type=float, default=1.0, help="how large the inputs are, for a trial")
    # Names may stand behind options.
    options = parser.parse_intermixed_args(arguments)
    if options.names and (options.folder / "performance.md").exists():
        sys.exit("error: the page of some cases would replace that of all; name another folder")
    kept = options.folder / "performance"
    kept.mkdir(parents=True, exist_ok=True)
    file = kept / f"{datetime.date.today().isoformat()}.jsonl"
    lines = [{"head": head()}]
    chosen = [name for name in GROWING if not options.names or name.startswith(tuple(options.names))]
    lines += run(options, options.names, 1, options.rounds)
    for scale in SCALES if chosen else []:
        # A million users take a minute for some rivals.
        lines += run(options, chosen, scale, min(options.rounds, 3), "--exact")
    if not options.names:
        lines += [stream(options, option) for option in ("--stream", "--stream-atomically")]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    report.write(file, options.folder)


if __name__ == "__main__":
    main()
