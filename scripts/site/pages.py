"""The pages of a site that docc built: their data, their titles and their anchors."""

import json
import pathlib
import re


class Site:
    def __init__(self, folder, base):
        """The site in a folder, which is to stand at the path `base` of its server."""
        self.folder = pathlib.Path(folder)
        self.base = base
        self.data = {}
        for file in sorted((self.folder / "data").rglob("*.json")):
            path = "/" + file.relative_to(self.folder / "data").with_suffix("").as_posix()
            self.data[path] = json.loads(file.read_text(encoding="utf-8"))
        if not self.data:
            raise SystemExit(f"error: {folder} has no pages")

    def articles(self):
        """The articles and the guides, by their paths."""
        return {path: page for path, page in self.data.items() if page.get("metadata", {}).get("role") == "article"}


def plain(inline):
    """The text of inline content, without its marks."""
    return "".join(
        part.get("text") or part.get("code") or part.get("overridingTitle") or plain(part.get("inlineContent", []))
        for part in inline or [])


def sections(page):
    """The parts of a page: the text of the heading, its anchor, and the words below it; the first part has no heading."""
    parts = [("", "", set())]

    def visit(value):
        if isinstance(value, list):
            for item in value:
                visit(item)
        elif isinstance(value, dict):
            if value.get("type") == "heading" and value.get("anchor"):
                parts.append((value.get("text", ""), value["anchor"], set()))
                return
            for key, inner in value.items():
                if key == "code" or key == "text":
                    texts = [inner] if isinstance(inner, str) else inner
                    parts[-1][2].update(word for text in texts for word in re.findall(r"\w{3,}", text.lower()))
                else:
                    visit(inner)

    visit(page.get("primaryContentSections", []))
    return parts


def anchors(page):
    """The anchors of a page: those of its headings, and of its groups of topics."""
    groups = [section.get("anchor") for key in ("topicSections", "seeAlsoSections") for section in page.get(key, [])]
    return {anchor for _, anchor, _ in sections(page) if anchor} | {anchor for anchor in groups if anchor}


def links(html):
    """The targets of all links of an HTML text, and of what it loads."""
    return re.findall(r'\b(?:href|src)="([^"]*)"', html)
