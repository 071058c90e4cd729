#!/usr/bin/env python3
"""Looks at pages of a site in a browser: look.py SITE --base PATH --pictures FOLDER

Serves the site on this machine, opens some pages of it in a headless Chromium, fails where one lacks what it must show, and
keeps a picture of each, light and dark.
"""

import argparse
import functools
import http.server
import json
import pathlib
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from chromium import Chromium  # noqa: E402

# The name of the picture, the address, and what the page must show: regular expressions of JavaScript over its document.
PAGES = [
    ("front", "", [r"<h1>EntityClient</h1>", r"Work offline|Log in", r'class="keyword">import<']),
    ("search", "?q=livequery", [r"<mark>LiveQuery</mark>", r'aria-expanded="true"', r'id="result-0"[^>]*aria-selected="true"']),
    ("search-heading", "?q=renew+token", [r'id="result-0"[^>]*><a href="documentation/guides/[^"]+/#']),
    ("search-nothing", "?q=zzzz", [r"No page has these words"]),
    ("search-some", "?q=User.zzzz", [r"No page has all of these words", r'id="result-0"']),
    ("guides", "documentation/guides/", [r"Index of the articles", r"For those who use the package"]),
    ("performance", "documentation/guides/performance/", [r"<h1[^>]*>.*Performance"]),
    ("article", "documentation/entityrequests/pages/", [r"<h1[^>]*>.*Pages", r"<custom-header", r"<title>Pages"]),
    ("symbol", "documentation/entitystore/entitystore/", [r"<h1[^>]*>.*Entity.*Store"]),
]


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder at the path of the site."""

    base = "/"

    def translate_path(self, path):
        if not path.startswith(self.base):
            return "/nowhere"
        return super().translate_path("/" + path[len(self.base) :])

    def log_message(self, format, *arguments):
        pass


def serve(folder, base):
    """Starts a server of the site, and returns the address of the front page."""
    handler = functools.partial(type("SiteHandler", (Handler,), {"base": base}), directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}{base}"


def settled(browser):
    """Waits until the page is drawn as it now is."""
    browser.js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")


def look(browser, url, wanted, pictures, name):
    """Keeps pictures of a page, and returns the patterns that it lacks."""
    browser.open(url)
    missing = []
    for pattern in wanted:
        try:
            browser.wait(f"new RegExp({json.dumps(pattern)}, 's').test(document.documentElement.outerHTML)")
        except AssertionError:
            missing.append(f"{name}: {pattern}")
    for scheme in ("light", "dark"):
        browser.colours(scheme)
        settled(browser)
        browser.picture(pictures / f"{name}-{scheme}.png")
    return missing


def press_keys(browser, front):
    """Searches without a mouse, and returns what went wrong."""
    browser.open(front)
    for key in "/LiveQuery":
        browser.press(key)
    second = "document.querySelector('#result-1')"
    browser.wait(f"{second} !== null")
    browser.press("ArrowDown")
    browser.wait(f"{second}.getAttribute('aria-selected') === 'true'")
    wanted = browser.js(f"{second}.querySelector('a').pathname")
    browser.press_and_load("Enter")
    found = browser.js("location.pathname")
    return [] if found == wanted else [f"Enter leads to {found}, and not to {wanted}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", type=pathlib.Path)
    parser.add_argument("--base", default="/", help="the path of the site on its server")
    parser.add_argument("--pictures", type=pathlib.Path, required=True, help="the folder for the pictures")
    options = parser.parse_args()
    options.pictures.mkdir(parents=True, exist_ok=True)
    front = serve(options.site.resolve(), options.base)
    browser = Chromium(1280, 1600)
    try:
        missing = [
            line for name, address, wanted in PAGES
            for line in look(browser, front + address, wanted, options.pictures, name)]
        missing += press_keys(browser, front)
    finally:
        browser.close()
    if missing:
        sys.exit("error: pages lack what they must show:\n" + "\n".join(missing))
    print(f"{len(PAGES)} pages show what they must; the pictures are in {options.pictures}")


if __name__ == "__main__":
    main()
