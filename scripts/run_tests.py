#!/usr/bin/env python3
"""Runs the tests of a bundle of Swift Testing in several processes, with a limit of time for each test."""

import argparse
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

SWIFT_TESTING = ["--testing-library", "swift-testing"]
# Suites that take longest begin first, so that no process is left with one of them at the end.
LONG = re.compile(r"\.(Fault|Randomized|Simulation|TwoProcess)|^EntityMacrosTests\.")


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="""Tests of the main actor wait for one another, so that a process of tests keeps one processor busy. Each
        process takes some suites at a time. A test that runs longer than the limit is named as a failure, and its process
        is killed. The last line has the totals. The status is 1 when a test failed, and 3 when no test matches.""")
    parser.add_argument("bundle", help="the program with the tests, which `swift build --build-tests` makes")
    parser.add_argument("--filter", action="append", default=[], help="only tests with such a name: a regular expression")
    parser.add_argument("--skip", action="append", default=[], help="no tests with such a name")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="how many run at once")
    parser.add_argument("--width", type=int, default=4, help="how many tests of a process run at once")
    parser.add_argument("--limit", type=float, default=300, help="seconds that a test may take")
    parser.add_argument("--fail-fast", action="store_true", help="end with the first failure")
    parser.add_argument("--times", help="a file for the seconds of each test")
    return parser.parse_args()


def say(text):
    print(text, flush=True)


class Suite:
    """A suite, with those of its tests that are chosen."""

    def __init__(self, name):
        self.name, self.chosen, self.count = name, [], 0

    def pattern(self):
        """What `--filter` chooses exactly these tests by."""
        if len(self.chosen) == self.count:
            return re.escape(self.name) + "/"
        tests = "|".join(re.escape(test) for test in self.chosen)
        return f"{re.escape(self.name)}/({tests})(/|$)"


def choose_suites(options):
    listing = subprocess.run(
        [options.bundle, *SWIFT_TESTING, "--list-tests"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
        check=True, timeout=120)
    filters, skips = ([re.compile(text) for text in texts] for texts in (options.filter, options.skip))
    suites = {}
    for test in listing.stdout.splitlines():
        name, slash, rest = test.rpartition("/")
        # A function that is in no suite stands for one.
        suite = suites.setdefault(name or test, Suite(name or test))
        suite.count += 1
        if (not filters or any(one.search(test) for one in filters)) and not any(one.search(test) for one in skips):
            suite.chosen.append(rest if slash else test)
    chosen = [suite for suite in suites.values() if suite.chosen]
    return sorted(chosen, key=lambda suite: not LONG.search(suite.name))


class Totals:
    """The results of all processes."""

    def __init__(self):
        self.lock = threading.Lock()
        self.tests, self.skipped = 0, 0
        self.failures = []
        self.times = {}
        self.are_over = False

    def fail(self, test, text):
        with self.lock:
            self.failures.append((test, text))
        say(f"✘ {test}: {text}")


class Piece:
    """One process, and what it tells of its tests by the stream of events."""

    def __init__(self, suites, options, folder, number, totals):
        self.suites, self.options, self.totals = suites, options, totals
        self.path = os.path.join(folder, f"{number}.events")
        self.output = os.path.join(folder, f"{number}.output")
        self.running, self.failed, self.functions = {}, set(), set()
        self.has_ended = False

    def run(self):
        if self.totals.are_over:
            return
        command = [
            self.options.bundle, *SWIFT_TESTING, "--event-stream-output-path", self.path, "--event-stream-version", "0",
            "--experimental-maximum-parallelization-width", str(self.options.width)]
        for suite in self.suites:
            command += ["--filter", "^" + suite.pattern()]
        with open(self.output, "wb") as output, open(self.path, "a+b") as events:
            events.seek(0)
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
            try:
                status = self.follow(process, events)
            finally:
                # With all that its tests have begun.
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        # A process whose tests passed may fail at its end, for example by a report of a sanitizer.
        fails_late = self.has_ended and status not in (0, None) and not self.failed
        if (fails_late or not self.has_ended) and not self.totals.are_over:
            self.tell_of_the_end(status)

    def follow(self, process, events):
        # Bytes: what was written so far may end within a character.
        rest, heard = b"", time.monotonic()
        while True:
            status = process.poll()
            *lines, rest = (rest + events.read()).split(b"\n")
            for line in lines:
                heard = time.monotonic()
                self.take(json.loads(line))
            if status is not None:
                return status
            if self.options.fail_fast and self.totals.failures:
                self.totals.are_over = True
            if self.totals.are_over:
                return None
            late = [test for test, begun in self.running.items() if time.monotonic() - begun > self.options.limit]
            # Before the first test, between two, or at its end.
            if not self.running and time.monotonic() - heard > self.options.limit:
                late = ["no test"]
            if late:
                for test in late:
                    self.totals.fail(test, f"has not ended after {self.options.limit:.0f} seconds")
                process.kill()
                process.wait()
                self.has_ended = True
                return None
            time.sleep(0.1)

    def take(self, record):
        payload = record["payload"]
        if record["kind"] == "test":
            if payload["kind"] == "function":
                self.functions.add(payload["id"])
            return
        kind, test = payload["kind"], payload.get("testID", "")
        # Without the place in its file.
        name = "/".join(test.split("/")[:-1]) if test in self.functions else test
        if kind == "testStarted" and test in self.functions:
            self.running[name] = time.monotonic()
        elif kind == "issueRecorded" and not payload.get("issue", {}).get("isKnown"):
            self.failed.add(name)
            place = payload.get("issue", {}).get("sourceLocation", {})
            text = "\n    ".join(message["text"] for message in payload["messages"])
            self.totals.fail(name or "no test", f"{place.get('fileID', '')}:{place.get('line', '')}: {text}")
        elif kind == "testEnded" and name in self.running:
            seconds = time.monotonic() - self.running.pop(name)
            with self.totals.lock:
                self.totals.tests += 1
                self.totals.times[name] = seconds
        elif kind == "testSkipped" and test in self.functions:
            with self.totals.lock:
                self.totals.skipped += 1
        elif kind == "runEnded":
            self.has_ended = True

    def tell_of_the_end(self, status):
        """A process that ended amid its tests: each that ran may be the cause."""
        with open(self.output, "rb") as output:
            tail = output.read()[-4000:].decode(errors="replace")
        how = f"signal {-status}" if status < 0 else f"status {status}"
        say(tail)
        for test in self.running or ["no test"]:
            self.totals.fail(test, f"ran when its process ended by {how}; its output is above")


def pieces_of(suites, processes):
    """Long suites alone; of the others so many in a piece that each process gets some pieces."""
    size = max(1, len(suites) // (8 * processes))
    pieces, piece = [], []
    for suite in suites:
        if LONG.search(suite.name):
            pieces.append([suite])
            continue
        piece.append(suite)
        if len(piece) == size:
            pieces.append(piece)
            piece = []
    return pieces + ([piece] if piece else [])


def main():
    options = parse_arguments()
    begun = time.monotonic()
    suites = choose_suites(options)
    if not suites:
        say("no test matches")
        return 3
    totals = Totals()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.processes) as pool:
        pieces = [
            Piece(piece, options, folder, number, totals)
            for number, piece in enumerate(pieces_of(suites, options.processes))]
        runs = {pool.submit(piece.run): piece for piece in pieces}
        for done, run in enumerate(concurrent.futures.as_completed(runs), 1):
            run.result()
            if done % 8 == 0 or done == len(pieces):
                say(f"[{done}/{len(pieces)}] {totals.tests} tests, {time.monotonic() - begun:.0f} s")
    if options.times:
        with open(options.times, "a", encoding="utf-8") as times:
            for test, seconds in sorted(totals.times.items(), key=lambda item: -item[1]):
                times.write(f"{seconds:9.2f} {test}\n")
    failed = {test for test, _ in totals.failures}
    missing = sum(len(suite.chosen) for suite in suites) - len(failed.union(totals.times)) - totals.skipped
    if missing > 0 and not totals.are_over:
        totals.fail("no test", f"{missing} of the tests that were chosen did not run to their end")
        failed.add("no test")
    say(f"{len(totals.times.keys() - failed)} passed, {len(failed)} failed, {totals.skipped} skipped")
    return 1 if totals.failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Exception:  # Status 1 is that of failed tests.
        traceback.print_exc()
        sys.exit(2)
