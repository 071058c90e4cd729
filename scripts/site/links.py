#!/usr/bin/env python3
"""Follows each link of a site within the site: links.py SITE --base PATH

Names each link that leads to no page, file or anchor, with the page that it stands on, and then exits with 1. A link to
another host is not followed.
"""

import argparse
import html
import json
import pathlib
import sys
import urllib.parse

import pages


class Check:
    def __init__(self, site):
        self.site = site
        self.dead = []
        self.count = 0
        self.known = {path: None for path in site.data}

    def lead(self, page, link, exists):
        self.count += 1
        if not exists:
            self.dead.append(f"{page}: {link}")

    def has(self, path, fragment):
        """Whether there is this page, and this place in it."""
        path = path.rstrip("/")
        if path not in self.known:
            return False
        if not fragment:
            return True
        if self.known[path] is None:
            self.known[path] = pages.anchors(self.site.data[path])
        return urllib.parse.unquote(fragment) in self.known[path]

    def references(self, path, page):
        """The links and the pictures of a page that docc wrote."""
        for reference in page.get("references", {}).values():
            if reference.get("type") == "image":
                for variant in reference["variants"]:
                    self.lead(path, variant["url"], (self.site.folder / variant["url"].lstrip("/")).is_file())
            elif url := reference.get("url"):
                self.address(path, url, reference["type"] == "link")

    def address(self, path, url, is_written_out):
        """A link that a document writes out has the path of the site in it; docc's own have not."""
        parts = urllib.parse.urlsplit(url)
        if parts.scheme or parts.netloc:
            return
        target = parts.path
        if is_written_out:
            if not target.startswith(self.site.base):
                return self.lead(path, url, False)
            target = "/" + target[len(self.site.base) :]
        self.lead(path, url, self.has(target, parts.fragment))

    def index(self):
        """The links of the list of all pages, in which people search."""

        def visit(node):
            if "path" in node and not node.get("external"):
                self.lead("index/index.json", node["path"], self.has(node["path"], ""))
            for child in node.get("children", []):
                visit(child)

        text = (self.site.folder / "index" / "index.json").read_text(encoding="utf-8")
        for nodes in json.loads(text)["interfaceLanguages"].values():
            for node in nodes:
                visit(node)

    def file(self, name):
        """A page of ours, whose links begin at the page."""
        for link in pages.links((self.site.folder / name).read_text(encoding="utf-8")):
            parts = urllib.parse.urlsplit(html.unescape(link))
            if parts.scheme or parts.netloc or not parts.path:
                continue
            path = parts.path[len(self.site.base) :] if parts.path.startswith(self.site.base) else parts.path
            if path.startswith("documentation/"):
                self.lead(name, link, self.has("/" + path, parts.fragment))
            target = self.site.folder / path
            self.lead(name, link, target.is_file() or (target / "index.html").is_file())

    def run(self):
        for path, page in self.site.data.items():
            shown = self.site.folder / path.lstrip("/") / "index.html"
            self.lead("data", path, shown.is_file())
            self.references(path, page)
        self.index()
        for name in ("index.html", "404.html"):
            self.file(name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", type=pathlib.Path)
    parser.add_argument("--base", default="/", help="the path of the site on its server")
    options = parser.parse_args()
    check = Check(pages.Site(options.site, options.base))
    check.run()
    if check.dead:
        sys.exit("error: links that lead nowhere:\n" + "\n".join(sorted(set(check.dead))))
    print(f"{check.count} links of {len(check.site.data)} pages lead somewhere")


if __name__ == "__main__":
    main()
