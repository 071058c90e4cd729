#!/usr/bin/env python3
"""The files of a test target that some of its suites need: suite_sources.py FOLDER SUITE... [--missing LOG] [--have FILES]

Prints their paths in the folder, with commas: all of Support, the files that declare the suites, and those that declare the
types that these name, and so on. A member that an extension in another file declares is not seen; with --missing, the names
that a compiler did not find by that log are looked up, too. Prints nothing where that adds no file to those of --have.
"""

import os
import re
import sys

TYPE = re.compile(r"\b(?:struct|class|enum|protocol|actor|typealias)\s+([A-Z]\w*)")
WORDLESS = re.compile(r'//[^\n]*|"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*"')
# A declaration that another file can name: neither a private one nor a variable of a function.
MEMBER = re.compile(r"^(?:  )?(?:(?!private\b|fileprivate\b)@?[\w()]+\s+)*?(?:func|var|let|case)\s+`?(\w+)", re.MULTILINE)
NOT_FOUND = re.compile(r"cannot find (?:type )?'(\w+)' in scope|has no (?:dynamic )?member '(\w+)'|no exact matches in call to \w+ \w+ '(\w+)'")


def main():
    words = sys.argv[1:]
    folder, suites, options, option = words[0], [], {}, None
    for word in words[1:]:
        if word.startswith("--"):
            option = word
        elif option:
            options[option] = word
            option = None
        else:
            suites.append(word)
    texts = {}
    for path, _, names in os.walk(folder):
        for name in sorted(names):
            if name.endswith(".swift"):
                full = os.path.join(path, name)
                with open(full, encoding="utf-8") as file:
                    texts[os.path.relpath(full, folder)] = WORDLESS.sub(" ", file.read())
    types, members = {}, {}
    for file, text in texts.items():
        for name in TYPE.findall(text):
            types.setdefault(name, set()).add(file)
        for name in MEMBER.findall(text):
            members.setdefault(name, set()).add(file)
    wanted = {file for file in texts if file.startswith("Support/")}
    wanted |= {file for suite in suites for file in types.get(suite, ())}
    had = set(filter(None, options.get("--have", "").split(",")))
    wanted |= had
    if "--missing" in options:
        with open(options["--missing"], encoding="utf-8", errors="replace") as log:
            for match in NOT_FOUND.finditer(log.read()):
                name = next(filter(None, match.groups()))
                files = types.get(name) or members.get(name, set())
                # A name that many files declare is a private one of each.
                if len(files) <= 3:
                    wanted |= files
    # The files of Support need no others.
    new = {file for file in wanted if not file.startswith("Support/")}
    while new:
        named = {name for file in new for name in re.findall(r"\b[A-Z]\w+", texts[file])}
        new = {
            file for name in named if len(types.get(name, ())) == 1 for file in types[name]} - wanted
        wanted |= new
    if "--missing" in options and wanted == had:
        return
    print(",".join(sorted(wanted)))


main()
