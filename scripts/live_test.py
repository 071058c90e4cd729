#!/usr/bin/env python3
"""Drives the showcase as a person does, at a pseudo-terminal: live_test.py PROGRAM FOLDER [--print]

scripts/live-test builds the program and runs this. Each check is a function; the first one that fails ends the run with the
screen as it was. With --print the screens are printed. Nothing sleeps: a check waits for what the screen has.
"""

import codecs
import contextlib
import fcntl
import http.server
import json
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
import unicodedata
import urllib.error
import urllib.request

PROGRAM, FOLDER, PRINTS = sys.argv[1], pathlib.Path(sys.argv[2]), "--print" in sys.argv
# Longer than the half minute that a request of a killed app waits, whose answer may be on its way.
PATIENCE = 60


class Screen:
    """As much of a terminal as the showcase uses; any other control sequence is an error."""

    def __init__(self, columns, rows, clips=False):
        self.columns, self.rows, self.clips = columns, rows, clips
        self.lines, self.place = [[] for _ in range(rows)], (0, 0)  # the cells of each row
        self.is_alternate, self.has_cursor, self.colours = False, True, set()
        self.rest = ""

    def feed(self, text):
        self.rest += text
        while found := re.match(r"\x1b\[(\??[0-9;]*)([A-Za-z])|\r|\n|[^\x00-\x1f\x7f-\x9f]+", self.rest):
            self.rest = self.rest[found.end():]
            self.act(found)
        if len(self.rest) > 16 or (self.rest and not self.rest.startswith("\x1b")):
            raise AssertionError(f"the terminal got {self.rest[:40]!r}")

    def act(self, found):
        row, column = self.place
        parameters, last = found[1], found[2]
        if found[0] == "\r":
            self.place = (row, 0)
        elif found[0] == "\n":
            if row == self.rows - 1 and self.is_alternate and not self.clips:
                raise AssertionError("the screen scrolls")
            self.place = (min(row + 1, self.rows - 1), column)
        elif last is None:
            for character in found[0]:
                self.put(character)
        elif last == "H" and parameters == "":
            self.place = (0, 0)
        elif last == "K" and parameters == "":
            self.lines[row] = self.lines[row][:column]
        elif last == "J" and parameters == "2":
            self.lines = [[] for _ in range(self.rows)]
        elif last == "m":
            self.colours.add(parameters)
        elif parameters == "?1049":
            self.is_alternate = last == "h"
        elif parameters == "?25":
            self.has_cursor = last == "h"
        elif parameters not in ("?2004", "?2026"):
            raise AssertionError(f"the terminal got ESC [ {parameters} {last}")

    def put(self, character):
        row, column = self.place
        line, width = self.lines[row], 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if unicodedata.combining(character):
            line[column - 1] += character
            return
        if column + width > self.columns and self.is_alternate:
            if self.clips:
                return
            raise AssertionError(f"a line is too wide: {''.join(line)!r} + {character!r}")
        line += [" "] * (column - len(line))
        line[column:column + width] = [character] + [""] * (width - 1)
        self.place = (row, column + width)

    def __str__(self):
        return "\n".join("".join(line).rstrip() for line in self.lines)


class App:
    """The program at a terminal of its own."""

    def __init__(self, file, *arguments, columns=80, rows=24, **environment):
        self.master, slave = pty.openpty()
        self.screen, self.output = Screen(columns, rows), ""
        self.decode = codecs.getincrementaldecoder("utf-8")().decode
        self.resize(columns, rows)
        self.before = termios.tcgetattr(slave)
        variables = {"TERM": "xterm", "PATH": os.environ["PATH"], "HOME": str(FOLDER), **environment}
        self.process = subprocess.Popen([PROGRAM, "--live", "--store", str(file), *arguments], stdin=slave, stdout=slave, stderr=slave,
                                        start_new_session=True, env=variables,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self.slave = slave

    def resize(self, columns, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys):
        os.write(self.master, keys.encode() if isinstance(keys, str) else keys)

    def read(self, until):
        """Feeds the screen until a condition holds."""
        deadline = time.monotonic() + PATIENCE
        while not until():
            ready, _, _ = select.select([self.master], [], [], max(0, deadline - time.monotonic()))
            expect(ready, f"waited for {PATIENCE} s; the screen:\n{self.screen}\n{self.output[-500:] if not self.screen.is_alternate else ''}")
            self.take()

    def take(self):
        text = self.decode(os.read(self.master, 65536))
        self.output += text
        self.screen.feed(text)

    def sees(self, *texts, lacks=()):
        """Waits until the screen has all of the texts, and none of the others."""
        wanted = lambda: (all(text in str(self.screen) for text in texts) and not any(text in str(self.screen) for text in lacks))
        self.read(wanted)
        if PRINTS:
            print(f"--- {texts} ---\n{self.screen}\n")

    def types(self, keys, *texts, lacks=()):
        self.type(keys)
        self.sees(*texts, lacks=lacks)

    def ends(self, status=0, *texts):
        """Waits for the end, and looks at the terminal that is left."""
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None or select.select([self.master], [], [], 0)[0]:
            expect(time.monotonic() < deadline, f"the program does not end:\n{self.screen}")
            if select.select([self.master], [], [], 0.02)[0]:
                self.take()
        statuses = status if isinstance(status, set) else {status}
        expect(self.process.returncode in statuses, f"the program ended with {self.process.returncode}, and not {status}:\n{self.output[-2000:]}")
        for text in texts:
            expect(text in self.output, f"the program did not say {text!r}:\n{self.output[-2000:]}")

    def left_the_terminal(self):
        expect(termios.tcgetattr(self.slave) == self.before, "the settings of the terminal are not as before")
        expect(not self.screen.is_alternate and self.screen.has_cursor, "the shell's screen is not back")

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)


@contextlib.contextmanager
def app(file, *arguments, **options):
    app = App(file, *arguments, **options)
    try:
        yield app
    finally:
        app.close()


def expect(condition, words):
    if not condition:
        raise AssertionError(words)


def plain(file, keys=b"", *arguments, status=0, **environment):
    """The program with pipes: what it said."""
    done = subprocess.run([PROGRAM, "--live", "--store", str(file), *arguments], input=keys, capture_output=True, timeout=PATIENCE,
                          env={"PATH": os.environ["PATH"], "TERM": "xterm", **environment})
    said = done.stdout.decode() + done.stderr.decode()
    expect(done.returncode == status, f"status {done.returncode}, and not {status}:\n{said}")
    expect("\x1b" not in said, f"a pipe got control sequences:\n{said!r}")
    return said


def check_the_first_minutes(file):
    """A person looks, edits, ticks, makes, deletes, and takes back."""
    with app(file) as one:
        one.sees("Todos", "all sent, live", "> [ ] Buy milk", "[x] Call the plumber", "Write to Aunt Mary")
        one.types("e\x15Buy oat milk\r", "> [ ] Buy oat milk", "all sent, live")
        one.types(" ", "> [x] Buy oat milk", "all sent, live")
        one.types("nMend the fence\r", "> [ ] Mend the fence", "all sent, live")
        one.types("o", "all sent, offline")
        one.types("d", "1 waiting, offline", lacks=["Mend the fence"])
        one.types("u", "Mend the fence", "all sent, offline")
        one.types("o", "all sent, live")
        one.types("kkkkkkkkkkkk", "> [x] Buy oat milk")
        one.types("jc", "Call the plumber, says Grace", "changed")
        one.types("c", "> [x] Call the plumber", lacks=["says Grace"])
        one.sees("> [x] Call the plumber", lacks=[" changed\n"])
        one.types("?", "offline, and online again", "any key: back")
        one.types("q", "> [x] Call the plumber")
        one.types("r", "unchanged")
        one.type("q")
        one.ends(0, "All is sent.", str(file))
        one.left_the_terminal()


def check_offline_and_killed(file):
    """Edits without a network outlive a kill, and a conflict is shown and settled."""
    with app(file) as one:
        one.sees("all sent, live", "> [x] Buy oat milk")
        one.types("o", "all sent, offline")
        one.types("e\x15Buy soy milk\r", "> [x] Buy soy milk", "waiting", "1 waiting, offline")
        one.types("nWrite a letter\r", "> [ ] Write a letter", "2 waiting, offline")
        one.types("kkkkkkkkkkkk", "> [x] Buy soy milk")
        one.types("c", "Grace has changed the title at the server", "> [x] Buy soy milk")
        one.process.kill()
        one.process.wait()
    with app(file) as two:
        two.sees("> [x] Buy soy milk", "conflict", "1 in conflict, live", "m: keep mine    Buy soy milk", "t: take theirs  Buy oat milk, says Grace",
                 lacks=["waiting", "sending"])
        two.types("m", "> [x] Buy soy milk", "all sent, live", lacks=["conflict"])
        # Once more, and the other way.
        two.types("o", "offline")
        two.types("e\x15Buy rice milk\r", "1 waiting, offline")
        two.types("c", "Grace has changed")
        two.types("o", "1 in conflict, live", "t: take theirs  Buy soy milk, says Grace")
        two.types("t", "> [x] Buy soy milk, says Grace", "all sent, live")
        two.types("c", "> [x] Buy soy milk", lacks=[", says Grace"])
        two.type("\x03")
        two.ends(0)
        two.left_the_terminal()
    expect("[ ] Write a letter\n" in plain(file), "the letter is not at the server")


def check_refusals(file):
    """What the server refuses is shown with its words; what it deleted is settled."""
    with app(file) as one:
        one.sees("all sent, live", "> [x] Buy soy milk")
        one.types("e\x15\r", "refused: A todo needs a title.", "1 refused, live")
        one.types("t", "> [x] Buy soy milk", "all sent, live")
        one.types("o", "offline")
        one.types(" ", "> [ ] Buy soy milk", "1 waiting")
        one.types("C", "Grace has deleted")
        one.types("o", "deleted at the server", "1 deleted there, live")
        one.types("m", "> [ ] Buy soy milk", "all sent, live")
        one.types("C", lacks=["Buy soy milk"])
        one.type("q")
        one.ends(0)


def check_windows(file):
    """Windows of any size, and a second one beside the first."""
    with contextlib.ExitStack() as stack:
        small = stack.enter_context(app(file, columns=40, rows=10))
        small.sees("all sent, live", "Call the plumber")
        large = stack.enter_context(app(file, columns=80, rows=24))
        large.sees("Call the plumber", "all sent, live")
        large.types("e, today\r", "Call the plumber, today")
        small.sees("Call the plumber, today", "all sent, live")
        for columns, rows in [(20, 3), (20, 2), (10, 1), (1, 1), (200, 60), (40, 10)]:
            # What was drawn for the earlier size may be on its way.
            small.screen = Screen(columns, rows, clips=True)
            small.screen.is_alternate = True
            small.resize(columns, rows)
            small.sees(*{(10, 1): ["> [x] Cal…"], (1, 1): ["…"], (20, 3): ["> [x] Call the plum…", "q: quit"], (20, 2): ["> [x] Call", " Todos"]}.get((columns, rows), ["all sent"]))
        small.type("q")
        small.ends(0)
        large.sees("no server")
        large.type("q")
        large.ends(0)


def check_titles(file):
    """A title is anybody's: nothing in it reaches the terminal as a command."""
    with app(file) as one:
        one.sees("all sent, live")
        one.types("n\x1b[200~two\nlines\x1b[201~\r", "> [ ] two lines", "all sent, live")
        url = file.with_name(file.name + "-server").read_text()
        for title in ["\x1b[2J\x1b]0;owned\x07 \u202eabc \u009b31m", "e" + "\u0301" * 150, "家" * 90, "x" * 200]:
            request = urllib.request.Request(url + "todos/2", method="PATCH", headers={"Content-Type": "application/json"},
                                             data=('{"title": %s}' % json.dumps(title)).encode())
            urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request).close()
            one.sees({"\x1b": "\ufffd[2J\ufffd]0;owned\ufffd \ufffdabc \ufffd31m", "e": "e\u0301\u0301", "家": "家家", "x": "xxx"}[title[0]])
        one.types("n" + "y" * 1200 + "\r", "refused: A title has at most 200 characters.")
        one.types("t", "all sent, live", lacks=["yyy"])
        one.type("q")
        one.ends(0)


def check_inspector(file):
    """The inspector's URL opens one browser; q leaves its page."""
    with app(file, columns=40, rows=12) as one:
        one.sees("all sent, live")
        one.types("i", "any key: back")
        lines = str(one.screen).split("\n")
        first = next(place for place, line in enumerate(lines) if line.startswith("http://127.0.0.1:"))
        url = "".join(lines[first:lines.index(" any key: back") if " any key: back" in lines else lines.index("any key: back")])
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor())
        with opener.open(url, timeout=PATIENCE) as answer:
            page = answer.read().decode()
            expect(answer.status == 200 and "Todo" in page, f"{answer.status}: {page[:300]}")
        other = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor())
        try:
            other.open(url, timeout=PATIENCE)
            expect(False, "the URL opened a second browser")
        except urllib.error.HTTPError as error:
            expect(error.code == 403, f"{error}")
        one.types("q", "all sent, live")
        one.type("q")
        one.ends(0)


def check_ends(file):
    """The terminal is as before, however the program ends."""
    for number in [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]:
        with app(file) as one:
            one.sees("live")
            one.process.send_signal(number)
            one.ends(128 + number)
            one.left_the_terminal()
    with app(file, NO_COLOR="1") as one:
        one.sees("live")
        one.type("q")
        one.ends(0)
        expect(not one.screen.colours & {"2", "31", "32", "33"}, f"colours in spite of NO_COLOR: {one.screen.colours}")
    with app(file, TERM="dumb") as one:
        one.read(lambda: "live" in one.output)
        one.type("q\n")
        one.ends(0)
        expect("\x1b" not in one.output, one.output)
    with server_that_holds() as url, app(file.parent / "held.sqlite", "--base-url", url) as one:
        one.sees("connecting")
        one.types("nAlone\r", "> [ ] Alone", "sending")
        one.type("q")
        one.read(lambda: not one.screen.is_alternate)
        expect(one.process.poll() is None, "the program does not wait for its request")
        # The shell's terminal sends it for Ctrl-C. The first one may come before the settings are as before.
        deadline = time.monotonic() + PATIENCE
        while one.process.poll() is None and time.monotonic() < deadline:
            one.process.send_signal(signal.SIGINT)
            time.sleep(0.05)
        # Killed by the signal, or by the handler of the screen, which goes a moment after the screen. A shell says the same.
        one.ends({-signal.SIGINT, 128 + signal.SIGINT})
        one.left_the_terminal()


@contextlib.contextmanager
def server_that_holds():
    """A server that answers nothing, and its URL."""
    ends = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            ends.wait()

        do_POST = do_GET

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        ends.set()
        server.shutdown()


@contextlib.contextmanager
def server_without_answers():
    """A server that takes a create and answers no todo, and its URL; the keys of the creates."""
    keys = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.answer(404, b"")

        def do_POST(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            keys.append(self.headers.get("Idempotency-Key"))
            self.answer(201, b'"made"')

        def answer(self, status, body):
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/", keys
        server.shutdown()


def check_lost_answers(file):
    """A create whose answer says nothing is sent again, or given up: as the person says."""
    with server_without_answers() as (url, keys), app(file.parent / "lost.sqlite", "--base-url", url) as one:
        one.sees("no server")
        one.types("nAlone\r", "> [ ] Alone", "unknown", "m: send it again   t: give it up")
        one.types("m", "> [ ] Alone", "Mine counts.")
        one.read(lambda: len(keys) == 2)
        expect(keys[0] and keys[0] == keys[1], f"the second request has another key: {keys}")
        one.sees("> [ ] Alone", "1 unknown")
        one.types("t", "Theirs counts.", lacks=["Alone"])
        one.type("q")
        one.ends(0)


def check_bad_input(file):
    """A sentence for each."""
    folder = file.parent
    other = folder / "letter.txt"
    other.write_text("Dear Mary, " * 200)
    expect("letter.txt" in plain(other, status=1), "no sentence for a file of another program")
    expect(other.read_text() == "Dear Mary, " * 200, "the file of another program was written")
    odd = folder / "odd.sqlite"
    odd.with_name("odd.sqlite-server").write_text("http://127.0.0.1:70000/")
    expect("All is sent." in plain(odd), "a port that is none ends the program")
    damaged = folder / "damaged.sqlite"
    damaged.with_name("damaged.sqlite-server.json").write_text("[]")
    expect("none that a sample server has written" in plain(damaged, status=1), "no sentence for a damaged file of the server")
    said = plain(folder / "alone.sqlite", b"nAlone\n", "--base-url", "http://127.0.0.1:9/")
    expect("no server" in said and "[ ] Alone (waiting)" in said and "1 change waits for the next start." in said, said)
    expect("no URL" in plain(file, b"", "--base-url", "nowhere", status=64), "no sentence for a wrong URL")
    said = plain(folder / "piped.sqlite", b"oe\x15Milk\nco")
    for line in ["[ ] Milk (waiting)", "-- 1 waiting, offline", "[ ] Milk (conflict; theirs: Buy milk, says Grace)", "-- 1 in conflict, live"]:
        expect(line + "\n" in said, f"no line {line!r}:\n{said}")
    said = plain(folder / "piped.sqlite", b"t")
    expect("[ ] Buy milk, says Grace\n" in said and "All is sent." in said, said)


def main():
    file = FOLDER / "todos.sqlite"
    begun = time.monotonic()
    for check in [check_the_first_minutes, check_offline_and_killed, check_refusals, check_windows, check_titles, check_inspector,
                  check_lost_answers, check_ends, check_bad_input]:
        since = time.monotonic()
        try:
            check(file)
        except AssertionError as error:
            sys.exit(f"error: {check.__name__[6:].replace('_', ' ')}: {error}")
        print(f"{check.__name__[6:].replace('_', ' ')}: {time.monotonic() - since:.1f} s", flush=True)
    print(f"The showcase does as it should, in {time.monotonic() - begun:.0f} s.")


if __name__ == "__main__":
    main()
