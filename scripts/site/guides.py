#!/usr/bin/env python3
"""Makes a catalog of the documents that belong to no module, for docc: guides.py CATALOG --base PATH

The README, the changelog, and what docs and docs/decisions have become articles; docs/README.md is the page that leads to them.
A link to a file becomes one to the page that the site has of it, or to the file in the repository. A link that leads to no file
or to no heading is named, and the status is 1.
"""

import argparse
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULE = "Guides"

# A block of code, a piece of code in a line, a comment, or the target of a link or a picture.
PART = re.compile(r"(?ms)^(`{3,}|~{3,}).*?^\1[ \t]*$|(`+)(?!`).*?(?<!`)\2(?!`)|<!--.*?-->|(?<=\])\(([^()\s]+)\)")
HEADING = re.compile(r"(?m)^#{1,6}[ \t]+(.+?)[ \t]*#*$")
URL = re.compile(r'\.package\(url: "([^"]+?)(?:\.git)?"')


class DeadLink(Exception):
    pass


def repository():
    """The address of the repository, which the README names where it says how to depend on the package."""
    match = URL.search((ROOT / "README.md").read_text(encoding="utf-8"))
    if not match:
        sys.exit("error: README.md has no .package(url: …)")
    return match[1]


def guides():
    """The documents, each with the name of its page; the first is the page that leads to the others."""
    names = {"docs/README.md": MODULE, "README.md": "Readme"}
    for path in sorted(ROOT.glob("docs/*.md")):
        names.setdefault(f"docs/{path.name}", path.stem)
    for name in ["ARCHITECTURE", "CONTRIBUTING", "CHANGELOG", "SECURITY"]:
        if (ROOT / f"{name}.md").exists():
            names[f"{name}.md"] = name.capitalize()
    for path in sorted(ROOT.glob("docs/decisions/*.md")):
        names[f"docs/decisions/{path.name}"] = f"Decisions-{path.stem}"
    return names


def headings(text):
    """The texts of the headings, without the marks of code and links. A line in a block of code is none."""
    prose = re.sub(r"(?ms)^(`{3,}|~{3,}).*?^\1[ \t]*$", "", text)
    return [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "") for heading in HEADING.findall(prose)]


def slug(heading):
    """The anchor of a heading where a repository is shown, which the links of the documents name."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def anchor(heading):
    """The anchor that docc gives a heading."""
    return "-".join("".join(c for c in word if c.isalnum() or c in "-+<>=$^|~") for word in heading.split())


class Links:
    """Where a link of a document leads on the site."""

    def __init__(self, names, base):
        self.names, self.base = names, base
        self.source = repository()

    def target(self, document, link):
        """The link that docc shall read in place of `link`, which stands in `document`."""
        if re.match(r"[a-zA-Z][a-zA-Z+.-]*:", link):
            return link
        path, _, fragment = link.partition("#")
        file = (ROOT / document).parent / path if path else ROOT / document
        try:
            path = file.resolve(strict=True).relative_to(ROOT).as_posix()
        except (OSError, ValueError):
            raise DeadLink(f"there is no file {link}") from None
        place = self.place(path, fragment) if fragment else ""
        if path in self.names:
            return f"doc:{self.names[path]}{place}"
        if path == "docs/decisions":
            return "doc:Decisions"
        article = re.search(r"/(\w+)\.docc/(\w+)\.md$", path)
        if not article:
            kind = "tree" if file.is_dir() else "blob"
            return f"{self.source}/{kind}/main/{path}{'#' + fragment if fragment else ''}"
        module, name = article.groups()
        page = module if module == name else f"{module}/{name}"
        # docc finds no heading in an archive that it links to.
        return f"{self.base}documentation/{page.lower()}{place}" if place else f"doc:/{page}"

    @staticmethod
    def place(path, fragment):
        if not path.endswith(".md"):
            return ""
        for heading in headings((ROOT / path).read_text(encoding="utf-8")):
            if slug(heading) == fragment:
                return f"#{anchor(heading)}"
        raise DeadLink(f"{path} has no heading #{fragment}")


class Catalog:
    def __init__(self, folder, base):
        self.folder = folder
        self.names = guides()
        self.links = Links(self.names, base)
        self.dead = []

    def article(self, document):
        """The text of a document, as docc takes it."""
        text = (ROOT / document).read_text(encoding="utf-8")

        def replaced(match):
            if match[3] is None:
                return match[0]
            try:
                if match[3].endswith(".svg"):
                    return f"({self.picture(document, match[3])})"
                return f"({self.links.target(document, match[3])})"
            except DeadLink as error:
                line = text.count("\n", 0, match.start()) + 1
                self.dead.append(f"{document}:{line}: {error}")
                return match[0]

        return PART.sub(replaced, text)

    def picture(self, document, link):
        """A picture stands in the catalog under its name alone."""
        file = (ROOT / document).parent / link
        if not file.is_file():
            raise DeadLink(f"there is no file {link}")
        shutil.copy(file, self.folder / file.name)
        return file.name

    def write(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        for document, name in self.names.items():
            text = self.article(document)
            if name == MODULE:
                text += self.topics()
            elif name == "Readme":
                # The module has the other title already.
                text = re.sub(r"\A# .*", "# Read me first", text)
            (self.folder / f"{name}.md").write_text(text, encoding="utf-8")
        reasons = [name for name in self.names.values() if name.startswith("Decisions-")]
        (self.folder / "Decisions.md").write_text(
            "# Decisions\n\nWhat was decided, why, and an example, a page for each topic.\n\n## Topics\n\n### Pages\n\n"
            + "".join(f"- <doc:{name}>\n" for name in reasons),
            encoding="utf-8")

    def topics(self):
        """The groups of the leading page."""
        rest = [name for name in self.names.values() if name != MODULE and not name.startswith("Decisions-")]
        package = [name for name in ["Architecture", "Contributing", "Changelog", "Security"] if name in rest]
        use = [name for name in rest if name not in package]
        groups = [("For those who use the package", use), ("For those who change it", package + ["Decisions"])]
        return "\n@Metadata {\n  @TechnologyRoot\n}\n\n## Topics\n" + "".join(
            f"\n### {title}\n\n" + "".join(f"- <doc:{name}>\n" for name in names) for title, names in groups)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("catalog", type=pathlib.Path, help="the folder to make; what it has is removed")
    parser.add_argument("--base", default="/", help="the path of the site on its server")
    options = parser.parse_args()
    catalog = Catalog(options.catalog, options.base)
    catalog.write()
    if catalog.dead:
        sys.exit("error: links that lead nowhere:\n" + "\n".join(catalog.dead))


if __name__ == "__main__":
    main()
