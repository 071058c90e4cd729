#!/usr/bin/env python3
"""Holds the sources to the order of folders that ARCHITECTURE.md has: folder_order.py [ROOT]

A folder of a module names types of the folders below it in the table "module, folder, holds", and of none above. The table
"arrow, names, why" has the names that go up all the same. Prints each name that goes up and is not in it, each of its names
that no file needs, each folder that has no row, and each with more than 20 Swift files at one level, tests included; exits 1 where
there is any.

A type is one that stands at the left margin of its file. Members that an extension adds are not seen.
"""

import collections
import pathlib
import re
import sys

MODIFIERS = r"(?:(?:@\w+(?:\([^)]*\))?|public|package|internal|open|final|indirect|nonisolated)\s+)*"
TYPE = re.compile(rf"^{MODIFIERS}(?:struct|class|enum|protocol|actor|typealias)\s+(\w+)", re.M)
# The first part of a name: `Writer` of `Writer.Outcome`.
USE = re.compile(r"(?<![\w.])[A-Z]\w*")
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*"', re.S)


def rows(text, header):
    """The cells of the table with a header, a list for each row."""
    lines = text[text.index(header) :].splitlines()[2:]
    for line in lines:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip().strip("|").split("|")]


def names(cell):
    return re.findall(r"`([^`]+)`", cell)


def orders(text):
    """The folders of each module with their floors: the higher a number, the lower the floor."""
    modules = collections.defaultdict(dict)
    module = None
    for floor, (first, folders, _) in enumerate(rows(text, "| module | folder | holds |")):
        module = (names(first) or [module])[0]
        for folder in names(folders):
            modules[module][folder] = floor
    return modules


def arrows(text):
    """The names that go up from a folder to another one."""
    return {(*names(arrow), name) for arrow, up, _ in rows(text, "| arrow | names | why |") for name in names(up)}


def faults(source, module, floors, allowed, needed):
    files = {}
    for path in sorted((source / module).rglob("*.swift")):
        parts = path.relative_to(source / module).parts
        if len(parts) == 1 or parts[0] not in floors:
            yield f"{module}/{'/'.join(parts)} is in no folder of the table in ARCHITECTURE.md"
        else:
            files[path] = (parts[0], NO_CODE.sub(" ", path.read_text(encoding="utf-8")))
    owners = {name: folder for folder, code in files.values() for name in TYPE.findall(code)}
    for path, (folder, code) in files.items():
        for name in sorted(set(USE.findall(code))):
            owner = owners.get(name, folder)
            if floors[owner] >= floors[folder] or declares(code, name):
                continue
            arrow = (folder, owner, name)
            needed.add(arrow)
            if arrow not in allowed:
                yield f"{path.relative_to(source)} names {name} of {owner}, which is above {folder}"


def declares(code, name):
    """Whether a file has the name for a type within a type, or for a parameter of one: it means that one there."""
    return re.search(rf"^[ \t].*\b(?:struct|class|enum|actor|typealias|associatedtype)\s+{name}\b", code, re.M) or re.search(
        rf"\b(?:func|init|struct|class|enum|extension)\b[^({{]*<[^>]*\b{name}\b\s*[:,>]", code
    )


MOST_FILES = 20


def crowded(root):
    for top in ("Sources", "Tests"):
        for folder in sorted(path for path in (root / top).rglob("*") if path.is_dir()):
            count = len(list(folder.glob("*.swift")))
            if count > MOST_FILES:
                yield f"{folder.relative_to(root)} has {count} files: divide it by what they are for"


def main(root):
    text = (root / "ARCHITECTURE.md").read_text(encoding="utf-8")
    allowed, needed, found = arrows(text), set(), []
    for module, floors in orders(text).items():
        found += faults(root / "Sources", module, floors, allowed, needed)
    found += [f"ARCHITECTURE.md has an arrow that no file needs: {a} → {b}, {name}" for a, b, name in sorted(allowed - needed)]
    found += crowded(root)
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent))
