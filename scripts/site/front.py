#!/usr/bin/env python3
"""Writes the front page of a site that docc has merged: front.py SITE --base PATH --modules NAME...

Its words are those of the README: the first paragraph, sample and points, the lines of a manifest, and the table of tasks. The
modules and the guides stand in it with the summaries of their pages. Beside it are the list of articles and headings in which
people search, and the page for an address that leads nowhere. Each page of docc gets its title, and a line above it that
leads here.
"""

import argparse
import html
import json
import pathlib
import re
import shutil
import sys
import textwrap

import guides
import pages

WORDS = (
    "actor as async await case catch class default do else enum extension final for func guard if import in init let nil return "
    "self static struct switch throw throws true try var while")
TOKEN = re.compile(
    r'(?P<comment>//[^\n]*)|(?P<literal>"(?:\\.|[^"\\\n])*"|\b\d[\d_.]*\b)|(?P<attribute>@\w+)'
    rf"|(?P<keyword>\b(?:{WORDS.replace(' ', '|')})\b)|(?P<type>\b[A-Z]\w*)")
INLINE = re.compile(r"`(?P<code>[^`]+)`|\*\*(?P<strong>[^*]+)\*\*|\[(?P<text>[^\]]+)\]\((?P<link>[^()\s]+)\)")


def coloured(code):
    """Swift as HTML, with the words of the language and the like marked."""
    pieces, end = [], 0
    for match in TOKEN.finditer(code):
        pieces.append(html.escape(code[end : match.start()]))
        pieces.append(f'<span class="{match.lastgroup}">{html.escape(match[0])}</span>')
        end = match.end()
    return "".join(pieces) + html.escape(code[end:])


class Readme:
    """The parts of the README that the front page shows."""

    def __init__(self, links):
        self.text = (guides.ROOT / "README.md").read_text(encoding="utf-8")
        self.links = links

    def part(self, what, pattern, strips=True):
        match = re.search(pattern, self.text, re.M | re.S)
        if not match:
            sys.exit(f"error: README.md has no {what}, which the front page shows")
        return match[1].strip() if strips else match[1]

    def html(self, text):
        """A line of Markdown: code, strong words and links."""
        pieces, end = [], 0
        for match in INLINE.finditer(text):
            pieces.append(html.escape(text[end : match.start()]))
            if match["code"]:
                pieces.append(f"<code>{html.escape(match['code'])}</code>")
            elif match["strong"]:
                pieces.append(f"<strong>{html.escape(match['strong'])}</strong>")
            else:
                pieces.append(f'<a href="{html.escape(self.link(match["link"]))}">{self.html(match["text"])}</a>')
            end = match.end()
        return "".join(pieces) + html.escape(text[end:])

    def link(self, link):
        """The page of the site that a link of the README leads to, from the front page."""
        target = self.links.target("README.md", link)
        path, _, fragment = target.partition("#")
        if target.startswith("doc:"):
            name = path.removeprefix("doc:").lower()
            path = f"documentation{name}/" if name.startswith("/") else f"documentation/{guides.MODULE.lower()}/{name}/"
            if name == guides.MODULE.lower():
                path = f"documentation/{name}/"
        elif target.startswith(self.links.base):
            path = path.removeprefix(self.links.base) + "/"
        return path + (f"#{fragment}" if fragment else "")

    def points(self):
        items = re.findall(r"^- (.+?)(?=^- |\Z)", self.part("list of points", r"^(- \*\*.+?)\n\n(?!- )"), re.M | re.S)
        return [self.html(" ".join(item.split())) for item in items]

    def tasks(self):
        """The aims of readers, each with the articles that serve it."""
        table = self.part("table under Do it", r"^## Do it\s+\| to \| read \|\n\|[-| ]+\|\n(.+?)\n\n")
        rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in table.splitlines()]
        return [(task[0].upper() + task[1:], self.html(read)) for task, read in rows]


def card(title, text):
    return f"<li><strong>{title}</strong> <span>{text}</span></li>"


def linked(path, title):
    return f'<a href="{path.lstrip("/")}/">{html.escape(title)}</a>'


def page_card(site, path):
    if path not in site.data:
        sys.exit(f"error: the site has no page {path}")
    page = site.data[path]
    return card(linked(path, page["metadata"]["title"]), html.escape(pages.plain(page.get("abstract"))))


def articles(site, modules):
    """The list in which people search beside docc's own index: articles and their sections, each with the words that it has."""
    names = {module.lower(): module for module in modules}
    found = []
    for path, page in site.articles().items():
        first, *rest = pages.sections(page)
        # The words below it belong to the article.
        overview = [part for part in rest if part[0] == "Overview"]
        found.append({
            "path": path, "title": page["metadata"]["title"], "module": names.get(path.split("/")[2], guides.MODULE),
            "about": pages.plain(page.get("abstract")), "words": said(set().union(first[2], *(part[2] for part in overview))),
            "sections": [
                {"title": title, "anchor": anchor, "words": said(words)}
                for title, anchor, words in rest if title != "Overview"]})
    return found


def said(words):
    """In one order, so that the same documents make the same file."""
    return " ".join(sorted(words))


def dress(site, title):
    """Puts the title of a page and the line above it into its file, which docc writes the same for all."""
    script = f'<script src="{html.escape(site.base)}front/header.js"></script>'
    for path, page in site.data.items():
        file = site.folder / path.lstrip("/") / "index.html"
        text = file.read_text(encoding="utf-8")
        name = html.escape(page.get("metadata", {}).get("title", title))
        dressed = text.replace("<title>Documentation</title>", f"<title>{name} · {title}</title>{script}", 1)
        if dressed == text:
            sys.exit(f"error: {file} is not as docc writes pages")
        file.write_text(dressed, encoding="utf-8")


def write(site, modules):
    links = guides.Links(guides.guides(), site.base)
    readme = Readme(links)
    prefix = f"/documentation/{guides.MODULE.lower()}"
    listed = [name for name in links.names.values() if not name.startswith("Decisions-")]
    # The one that brings the others stands first.
    shown = sorted(modules, key=lambda module: module != "EntityClient")
    values = {
        "title": html.escape(readme.part("title", r"^# (.+?)$")),
        "lead": readme.html(" ".join(readme.part("first paragraph", r"^# .+?\n\n(.+?)\n\n").split())),
        "summary": html.escape(" ".join(readme.part("first paragraph", r"^# .+?\n\n(.+?)\n\n").split())),
        "source": html.escape(links.source),
        "base": html.escape(site.base),
        "sample": coloured(readme.part("sample", r"^```swift\n(.+?)^```")),
        "dependency": coloured(textwrap.dedent(readme.part("part of a manifest", r"^## Use it.+?^```swift\n(.+?)^```", strips=False))),
        "points": "\n".join(f"<li>{point}</li>" for point in readme.points()),
        "tasks": "\n".join(card(title, text) for title, text in readme.tasks()),
        "modules": "\n".join(page_card(site, f"/documentation/{module.lower()}") for module in shown),
        "guides": "\n".join(
            page_card(site, prefix if name == guides.MODULE else f"{prefix}/{name.lower()}") for name in [*listed, "Decisions"]),
    }
    sources = guides.ROOT / "docs" / "site"
    for name in ("index.html", "404.html"):
        text = (sources / name).read_text(encoding="utf-8")
        (site.folder / name).write_text(re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], text), encoding="utf-8")
    front = site.folder / "front"
    front.mkdir(exist_ok=True)
    for name in ("front.css", "front.js", "header.js"):
        shutil.copy(sources / name, front / name)
    dress(site, values["title"])
    (front / "articles.json").write_text(json.dumps(articles(site, modules), ensure_ascii=False), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", type=pathlib.Path)
    parser.add_argument("--base", default="/", help="the path of the site on its server")
    parser.add_argument("--modules", nargs="+", required=True, help="all modules")
    options = parser.parse_args()
    write(pages.Site(options.site, options.base), options.modules)


if __name__ == "__main__":
    main()
