#!/usr/bin/env python3
"""Looks at the pages of the inspector in a browser: inspector_test.py TOOL APP STORE PICTURES

TOOL is entity-inspector, and APP the app of Tools/InspectedApp. scripts/inspector-test builds both and runs this. Each check is a function; the first one that fails ends the run with what
the page had.
"""

import contextlib
import http.server
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

from chromium import Chromium

TOOL, APP, STORE, PICTURES = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
SECRET = "s3cret-of-the-app"
SCRIPT = "<script>window.hacked=1</script><img src=x onerror=window.hacked=2>"


@contextlib.contextmanager
def inspector(file):
    """Runs the tool, and gives the URL that it prints."""
    process = subprocess.Popen([TOOL, str(file)], stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def app():
    """Runs the app that embeds the inspector, and gives the URL that it prints and what tells it to do something."""
    process = subprocess.Popen([APP], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def tell(line):
        process.stdin.write(line + "\n")
        process.stdin.flush()

    try:
        yield process.stdout.readline().split()[0], tell
    finally:
        process.kill()
        process.wait()


def write(file, *statements):
    """A commit of another process, with a generation as a store gives it."""
    with contextlib.closing(sqlite3.connect(file)) as connection, connection:
        for statement in statements:
            connection.execute(*statement) if isinstance(statement, tuple) else connection.execute(statement)
        connection.execute("UPDATE _entity_store SET value = value + 1 WHERE key = 'generation'")


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def timed(path):
    """A script that fetches a page, with the milliseconds that it takes."""
    return (f"(async () => {{ const t = performance.now(); const r = await fetch({path!r}); await r.text(); "
            "if (!r.ok) throw Error(r.status); return performance.now() - t })()")


def said(page, selector="main"):
    return page.js(f"document.querySelector({selector!r}).innerText")


def check_entrance(page, url, root):
    page.open(url)
    address = page.js("location.href")
    expect("token" not in address and address.startswith(root), f"the address has the token: {address}")
    expect(page.js("document.cookie") == "", "a script can read the cookie")
    expect(page.js("document.title") == "Guest · store.sqlite", page.js("document.title"))
    expect(page.js("[...document.querySelectorAll('nav a')].map(a => a.firstChild.textContent).join()").startswith("Guest,Room"),
           said(page, "nav"))


def check_pages(page, root):
    """Each page, by what it has."""
    pages = {
        "e/Guest": "Guest No", "e/Room": "owner", "e/Guest/65540": "Linked objects", "pending": "Guest No1",
        "commits": "fixture", "commits/8": "inserted", "sql": "one SELECT", "file": "Removed entities", "file?check=1": "no damage",
        "requests": "A file has none", "live": "A file has none",
    }
    for path, text in pages.items():
        page.open(root + path)
        expect(text in said(page), f"{path} lacks {text!r}:\n{said(page)}")
        expect(page.js("document.querySelectorAll('h1').length") == 1, f"{path} has no heading")
    page.open(root + "e/Guest")
    cell = "document.querySelector('td.edited')"
    expect("server: Guest No1" in page.js(f"{cell}.title"), "an edited cell does not tell the server's value")
    expect(page.js(f"getComputedStyle({cell}).backgroundColor") != "rgba(0, 0, 0, 0)", "an edited cell has no colour")
    page.open(root + "e/Guest?only=edited")
    expect(page.js("document.querySelectorAll('tbody tr').length") == 1, said(page))
    page.open(root + "sql?q=SELECT+count(*)+AS+rooms+FROM+Room+WHERE+label+>+''")
    expect("rooms" in said(page) and page.js("document.querySelector('.scan').innerText").startswith("SCAN"), said(page))
    page.open(root + "sql?q=DELETE+FROM+Room")
    expect("only reads" in said(page), said(page))


def check_links(page, root, file):
    write(file, "UPDATE Room SET owner = 65540 WHERE _pk = (SELECT min(_pk) FROM Room)")
    page.open(root + "e/Room")
    page.load("document.querySelector('td a[href^=\"e/Guest/\"]').click()")
    expect(page.js("location.pathname").endswith("/e/Guest/65540"), page.js("location.pathname"))
    page.load("[...document.querySelectorAll('a')].find(a => a.innerText === 'owned').click()")
    expect("where.owner=65540" in page.js("location.search"), page.js("location.search"))
    expect(page.js("document.querySelectorAll('tbody tr').length") == 1, said(page))


def check_markup(page, root, file):
    write(file, ("UPDATE Guest SET fullName = ? WHERE _pk = 65540", (SCRIPT,)))
    for path in ("e/Guest", "e/Guest/65540", "pending", "e/Room", "e/Room?where.label=" + SCRIPT.replace("=", "%3D"),
                 "sql?q=SELECT+fullName+AS+'" + SCRIPT + "'+FROM+Guest", "e/" + SCRIPT.replace("/", "%2F")):
        page.open(root + path)
        expect(page.js("window.hacked") is None, f"{path} ran a script of the file")
        expect(page.js("document.querySelectorAll('main script, main img').length") == 0, f"{path} has markup of the file")
    page.open(root + "e/Guest")
    expect(SCRIPT in said(page), "the text is not shown as it is")


def check_live(page, root, file):
    """A commit of another process is on the page within a second, and leaves a field alone that is typed in."""
    page.open(root + "e/Guest")
    page.wait("document.body.dataset.stream === 'open'")
    page.press("/")
    page.press("x")
    times = []
    for number in range(3):
        write(file, ("UPDATE Guest SET fullName = ? WHERE _pk = 65540", (f"Elsewhere {number}",)))
        times.append(page.wait(f"document.querySelector('main').innerText.includes('Elsewhere {number}')"))
    expect(max(times) < 1, f"a commit was shown after {max(times):.2f} s")
    expect(page.js("document.querySelector('td.changed').innerText") == "Elsewhere 2", "the changed cell is not marked")
    expect(page.js("document.activeElement.value") == "x", "an update took the text of a field")
    expect(page.js("document.querySelector('#generation').innerText === document.body.dataset.generation"), "generation")
    updates = page.js("document.body.dataset.updates")
    expect(updates == "3", f"three commits made {updates} updates")
    return max(times)


def check_hidden(page, root, file):
    """A tab that nobody sees hears nothing, and catches up when it is shown."""
    def show(isHidden):
        page.js(f"Object.defineProperty(document, 'hidden', {{configurable: true, value: {isHidden}}}); "
                "document.dispatchEvent(new Event('visibilitychange'))")

    page.open(root + "e/Guest")
    page.wait("document.body.dataset.stream === 'open'")
    show("true")
    write(file, ("UPDATE Guest SET fullName = ? WHERE _pk = 65540", ("Unseen",)))
    time.sleep(1)
    expect("Unseen" not in said(page), "a hidden page has asked for a commit")
    show("false")
    page.wait("document.querySelector('main').innerText.includes('Unseen')")


def check_keys(page, root):
    page.open(root + "e/Guest")
    page.press_and_load("j")
    expect(page.js("location.pathname").endswith("/e/Room"), page.js("location.pathname"))
    page.press_and_load("k")
    expect(page.js("location.pathname").endswith("/e/Guest"), page.js("location.pathname"))
    page.press("ArrowDown")
    page.press("ArrowDown")
    page.press("ArrowUp")
    first = page.js("document.activeElement.innerText")
    expect(page.js("document.querySelector('tbody a').innerText") == first, "the arrows do not go through the rows")
    page.press_and_load("Enter")
    expect(page.js("location.pathname").endswith(f"/e/Guest/{first}"), page.js("location.pathname"))
    page.open(root + "e/Guest")
    page.press_and_load("e")
    expect(page.js("location.search") == "?only=edited", page.js("location.search"))
    page.press_and_load("e")
    expect(page.js("location.search") == "", page.js("location.search"))
    page.press("/")
    for key in "2":
        page.press(key)
    page.press_and_load("Enter")
    expect(page.js("location.search") == "?where.uid=2", page.js("location.search"))
    page.press("?")
    expect(page.js("document.querySelector('#help').open"), "? shows no help")
    page.press("Escape")
    page.wait("!document.querySelector('#help').open")


def check_other_sites(page, root, url):
    """Pages of other sites get nothing, and servers of other ports no cookie."""
    heard = []

    class Other(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            heard.append(self.headers.get("Cookie"))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<body>other")

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Other) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        page.open(f"http://127.0.0.1:{other.server_address[1]}/")
        expect(heard[0] is None, f"another port was sent the cookie: {heard[0]}")
        read = "fetch({!r}, {{credentials: 'include'}}).then(r => r.text(), () => 'refused')"
        for target in (root + "e/Guest.json", url):
            expect(page.js(read.format(target)) == "refused", f"another site read {target}")
        page.js(f"document.body.innerHTML = '<iframe src=\"{root}e/Guest\"></iframe>'")
        framed = page.js(f"""new Promise(done => {{ const s = document.createElement('script'); s.src = '{root}inspector.js';
            s.onload = () => done('loaded'); s.onerror = () => done('refused'); document.head.append(s) }})""")
        expect(framed == "refused", "another site loaded a script of the inspector")
        other.shutdown()


def check_outbox(page, root, tell):
    """The plan of the app's outbox: what waits for what, and what waits for a person, on pages that are open before there is an outbox."""
    edited = page.js("fetch('e/Person.json?only=edited').then(r => r.json()).then(p => p.rows[0].pk)")
    page.open(root + f"e/Person/{edited}")
    expect("Sending" not in said(page), said(page))
    tell("outbox")
    page.wait("document.querySelector('main').innerText.includes('Sending')")
    expect("poll" in page.js("Object.keys(document.body.dataset)"), "the page of an object does not follow its plan")
    page.open(root + "pending")
    for text in ("The outbox pauses: offline", "POST people", "New person", "refused", "edit it, retry or drop it", "after 1"):
        expect(text in said(page), f"the plan lacks {text!r}:\n{said(page)}")
    page.press("ArrowDown")
    expect(page.js("document.activeElement.className") == "row", "the arrows do not go through the changes")
    page.press_and_load("Enter")
    expect("Sending" in said(page) and "as SQL" in said(page), said(page))


def check_live_queries(page, root, tell):
    """A run of a live query is on the page within a second and a half, without a key."""
    page.open(root + "live")
    expect("Team <1>" in said(page) and page.js("document.querySelectorAll('tbody tr').length") == 2, said(page))
    expect(page.js("document.querySelectorAll('main img, main script').length") == 0, "the page has markup of a value")
    runs = "Number(document.querySelector('[data-key=\"runs.1\"]').innerText)"
    before = page.js(runs)
    tell("edit")
    expect(page.wait(f"{runs} > {before}") < 2, "a run was shown late")
    expect(page.js("document.querySelector('[data-key=\"runs.1\"]').classList.contains('changed')"), "the run is not marked")


def check_requests(page, root, tell):
    page.open(root + "requests")
    page.wait("document.body.dataset.stream === 'open'")
    rows = "document.querySelectorAll('tbody tr').length"
    before = page.js(rows)
    tell("get")
    late = page.wait(f"{rows} === {before + 1}")
    expect(late < 1, f"a request was shown after {late:.2f} s")
    page.press("ArrowDown")
    page.press_and_load("Enter")
    expect("As a command" in said(page) and "curl -g" in said(page), said(page))
    for name in ("requests", "requests/1", "requests.json", "requests/1.json"):
        page.open(root + name)
        expect(SECRET not in page.js("document.documentElement.outerHTML"), f"{name} has the secret")
    page.open(root + "requests/1")
    expect("REDACTED" in said(page, "#curl"), said(page, "#curl"))
    expect(page.js("document.querySelector('.tree > details').open"), "the tree is folded")
    expect("Main Street 3" not in said(page), "what is folded is shown")
    # Without a script: a summary takes the focus, and Enter opens and folds.
    page.js("[...document.querySelectorAll('.tree summary')].find(s => s.innerText.startsWith('people')).focus()")
    opened = "document.activeElement.parentElement.open"
    expect(not page.js(opened), "a long list is open")
    page.press("Enter")
    page.wait(opened)
    expect(page.js("document.activeElement.parentElement.children.length") == 41, "the list lacks people")
    tell("get")
    page.wait("Number(document.body.dataset.updates) > 0")
    expect(page.js(opened), "an update folded the tree")
    # Almost as much as is kept of a body.
    page.open(root + "requests")
    before = page.js(rows)
    tell("get all")
    page.wait(f"{rows} === {before + 1}")
    milliseconds = page.js(timed("requests/" + page.js("document.querySelector('tbody a').innerText")))
    print(f"  {milliseconds:6.1f} ms  a request with a body of 120 KB")
    expect(milliseconds < 5000, f"a request with a large body took {milliseconds:.0f} ms")


def check_pictures(page, root, pages):
    PICTURES.mkdir(parents=True, exist_ok=True)
    for scheme in ("light", "dark"):
        page.colours(scheme)
        for name, path in pages.items():
            page.open(root + path)
            page.picture(PICTURES / f"{name}-{scheme}.png")
        colour = page.js("getComputedStyle(document.body).backgroundColor")
        expect(colour == {"light": "rgb(255, 255, 255)", "dark": "rgb(19, 21, 25)"}[scheme], f"{scheme}: {colour}")
    page.colours("light")


# Pages of the store of a million rows: those that are read by row id or by an index, and those that read a whole table, or all
# edits, whose queries end after a second.
INDEXED = ["e/Room", "e/Room?after=1400000", "e/Room?sort=-uid", "e/Room?sort=uid&after=1200000", "e/Room?sort=owner&after=1200000",
           "e/Room?where.owner=65540", "e/Room?where.uid=>900000", "e/Room/1200000", "e/Guest/65540", "e/Room?only=edited", "commits"]
OTHERS = ["e/Room?sort=label", "e/Room?where.label=number+999999", "e/Room?only=placeholders", "pending", "file"]


def check_million(page, folder):
    """A page of a store of a million rows and a hundred thousand edits takes at most 100 ms where an index leads to its rows."""
    file = folder / "million.sqlite"
    shutil.copy(STORE, file)
    write(file, "INSERT INTO Room (_pk, uid, label, owner) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
                "LIMIT 1000000) SELECT 500000 + i, 1000 + i, 'Room number ' || i, 65540 FROM n",
          "INSERT INTO _entity_edits (entity, pk, property, base, has_base, number) SELECT 'Room', _pk, 'label', 'server', 1, 2 "
          "FROM Room WHERE _pk BETWEEN 600001 AND 700000")
    slowest = {}
    with inspector(file) as url:
        page.open(url)
        root = page.js("document.baseURI")
        for paths, limit, runs in ((INDEXED, 100, 10), (OTHERS, 1500, 3)):
            for path in paths:
                # Other programs of the machine can slow down any run, and none can speed it up.
                milliseconds = min(page.js(timed(path)) for _ in range(runs))
                print(f"  {milliseconds:6.1f} ms  {path}")
                slowest[limit] = max(slowest.get(limit, 0), milliseconds)
        page.open(root + "e/Room")
        page.press_and_load("n")
        expect(page.js("location.search").startswith("?after="), page.js("location.search"))
    for limit, milliseconds in slowest.items():
        expect(milliseconds < limit, f"a page took {milliseconds:.0f} ms, and {limit} is the limit")
    return slowest[100]


def check_file(page, folder):
    """The program with a file."""
    file = folder / "store.sqlite"
    shutil.copy(STORE, file)
    with inspector(file) as url:
        page.open(url)
        root = page.js("document.baseURI")
        check_entrance(page, url, root)
        check_pages(page, root)
        check_pictures(page, root, {"rows": "e/Guest", "object": "e/Guest/65540", "pending": "pending", "commits": "commits",
                                    "sql": "sql?q=SELECT+*+FROM+Room", "file": "file"})
        check_links(page, root, file)
        check_markup(page, root, file)
        late = check_live(page, root, file)
        check_hidden(page, root, file)
        check_keys(page, root)
        complaints = [text for text in page.complaints() if "404" not in text]
        expect(not complaints, f"the console has: {complaints}")
        check_other_sites(page, root, url)
    return late


def check_app(page):
    """The inspector in an app."""
    with app() as (url, tell):
        page.open(url)
        root = page.js("document.baseURI")
        expect(page.js("[...document.querySelectorAll('nav a')].map(a => a.firstChild.textContent).join()")
               == "Team,Person,Requests,Live queries,Pending changes,History,SQL,File", said(page, "nav"))
        page.open(root + "pending")
        expect("The store has no outbox." in said(page), said(page))
        check_outbox(page, root, tell)
        check_live_queries(page, root, tell)
        check_requests(page, root, tell)
        edited = page.js("fetch('e/Person.json?only=edited').then(r => r.json()).then(p => p.rows[0].pk)")
        check_pictures(page, root, {"app-pending": "pending", "app-live": "live", "app-requests": "requests",
                                    "app-request": "requests/1", "app-object": f"e/Person/{edited}"})
        complaints = page.complaints()
        expect(not complaints, f"the console has: {complaints}")


def check_sentences(folder):
    text = folder / "notes.txt"
    text.write_text("not a store")
    result = subprocess.run([TOOL, str(text)], capture_output=True, text=True)
    expect(result.returncode == 1 and "is no store: it is text." in result.stderr, f"{result}")


def main():
    folder = pathlib.Path(tempfile.mkdtemp())
    begun = time.monotonic()
    try:
        check_sentences(folder)
        # Each program has a browser of its own: a refusal that one of them expects may come late to the console.
        with contextlib.closing(Chromium()) as page:
            late = check_file(page, folder)
        with contextlib.closing(Chromium()) as page:
            check_app(page)
        with contextlib.closing(Chromium()) as page:
            slowest = check_million(page, folder)
        print(f"All pages are as they should be, after {time.monotonic() - begun:.0f} s. A commit was shown after at most "
              f"{late * 1000:.0f} ms, and the slowest page of a million rows that an index leads to took {slowest:.0f} ms. The pictures are in {PICTURES}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
