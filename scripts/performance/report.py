#!/usr/bin/env python3
"""Writes docs/performance.md and its pictures from the lines of a run: report.py LINES FOLDER

LINES is FOLDER/performance/DATE.jsonl, as run.py writes it; the pictures stand beside it. The same lines give the same files.
"""

import argparse
import collections
import pathlib

import bars
import curves
import figures
import words

ROOT = pathlib.Path(__file__).resolve().parents[2]


def table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell for cell in line) + " |" for line in lines)


def ratios(ours, rival, unit):
    """The ratio of the medians, and that of the times on processors in brackets."""
    text = figures.digits(figures.ratio(ours, rival))
    cpu = figures.cpu_ratio(ours, rival) if unit == "s" else None
    return f"{text} ({figures.digits(cpu)})" if cpu else text


def comparisons(cases, chosen):
    """A table of the chosen pairs of a case and a rival, the largest ratio first."""
    found = [
        (figures.ratio(case.ours, rival), case, rival) for case in cases for rival in case.rivals if chosen(case, rival)]
    found.sort(key=lambda one: (-one[0], one[1].name, one[2].name))
    rows = [
        [f"`{case.name}`", words.case(case.name), f"`{rival.name}`", ratios(case.ours, rival, case.unit),
         figures.shown(case.ours.median, case.unit), figures.shown(rival.median, case.unit)]
        for _, case, rival in found]
    return table(["case", "work", "beside", "ratio (on processors)", "ours", "theirs"], rows) if rows else "None."


def slower(cases):
    return comparisons(cases, lambda case, rival: not rival.is_own and case.ours.median > rival.median)


def costs(cases):
    return comparisons(cases, lambda case, rival: rival.is_own)


def groups(cases):
    """The groups, that with the slowest case first."""
    found = collections.defaultdict(list)
    for case in cases:
        found[case.group].append(case)
    return sorted(found.items(), key=lambda item: (-max(case.ratio for case in item[1]), item[0]))


def group_section(name, cases, picture):
    ordered = sorted(cases, key=lambda case: (-case.ratio, case.name))
    rows = [
        [f"`{case.name}`", figures.each(case, case.ours), f"{figures.digits(case.ours.megabytes)}",
         ", ".join(f"`{rival.name}` {ratios(case.ours, rival, case.unit)}" for rival in case.rivals)]
        for case in ordered]
    contests = [case for case in cases if not case.fastest.is_own]
    fastest = f"Ours is the fastest in {sum(case.ratio <= 1 for case in contests)} of {len(contests)}. " if contests else ""
    return "\n\n".join([
        f"### {name}", f"{words.group(name)} {fastest}Repeat it: `scripts/bench {name}`.".strip(),
        f"![Ours beside its rivals in {name}]({picture})",
        table(["case", "on processors, each", "MB", "ratio (on processors)"], rows)])


def limits():
    lines = [line.split() for line in (ROOT / "Benchmarks/limits.txt").read_text(encoding="utf-8").splitlines()]
    return table(
        ["case", "instructions, at most"],
        [[f"`{line[0]}`", f"{int(line[1]):,}"] for line in lines if line and not line[0].startswith("#")])


def document(head, cases, source, pictures):
    """The page. `pictures` has the path of each picture by the name of its group, or of its case where that has lines."""
    standard = [case for case in cases if case.scale == 1] or cases
    grown = curves.scaled(cases)
    parts = [
        f"# Performance\n\nThe time and the memory of {len(standard)} cases, beside programs that do the same work in C, with GRDB and with "
        "Foundation. The cases in which another is faster stand first.",
        f"Measured on {head['date']} at commit `{head['commit']}`: {head['machine']}, {head['system']}, {head['compiler']}, "
        f"SQLite {head['sqlite']}. `scripts/bench --report docs` runs all of it and writes this page; [{source.name}]"
        f"({source.parent.name}/{source.name}) has the figures.",
        *([head["note"]] if "note" in head else []),
        "All contestants of a case read the same bytes, and a run stops unless they arrive at the same values or rows. They run by "
        "turns. A time is the median of the rounds. A ratio is the time of ours by that of the other: less than 1 is faster. The "
        "ratio in brackets is that of the time on processors, which other programs on the machine disturb less. "
        "[Measuring](../CONTRIBUTING.md#measuring) says more of each case.",
        f"## Where another is faster\n\n{slower(standard)}",
        "## The contestants\n\n" + table(["contestant", "is"], [list(one) for one in words.CONTESTANTS]),
        "## All cases\n\nThe group with the slowest case stands first. The mark 1 is the fastest rival of a case.",
        *(group_section(name, found, pictures[name]) for name, found in groups(standard)),
    ]
    if any(rival.is_own for case in standard for rival in case.rivals):
        parts.append(
            "## The cost of a way of ours\n\nBeside a simpler case of ours, a smaller table, or the time that the work may take.\n\n"
            + costs(standard))
    if grown:
        parts.append(
            "## By the number of objects\n\nThe time for each object shall not grow with their number. Memory is what the process grew by: "
            "the body of the response, and what is made of it.")
        parts += [f"![Time and memory of {name} by the number of objects]({pictures[f'{name} by rows']})" for name in grown]
    if head["streams"]:
        said = "\n\n".join(f"$ scripts/bench {options}\n{text}" for options, text in head["streams"])
        parts.append(
            "## A streamed list\n\nA list that is larger than the memory that it may take, in groups, each a transaction, and as one:\n\n"
            f"```text\n{said}\n```")
    parts.append(
        "## Instructions\n\nCounts depend on nothing else that the machine does, so that `scripts/check` holds these to a limit, for one "
        f"user from the bytes of the response to the commit (`scripts/bench --limits`):\n\n{limits()}")
    return "\n\n".join(parts) + "\n"


def render(lines, folder):
    """The text of each file, by its path in the folder."""
    head, cases = figures.read(lines.read_text(encoding="utf-8"), lines.name)
    standard = [case for case in cases if case.scale == 1] or cases
    files, pictures = {}, {}

    def picture(key, name, text):
        pictures[key] = f"{lines.parent.name}/{name}.svg"
        files[folder / pictures[key]] = text

    for name, found in groups(standard):
        picture(name, name.replace(".", "-"), bars.draw(name, found))
    for name, found in curves.scaled(cases).items():
        picture(f"{name} by rows", name.replace(".", "-") + "-rows", curves.draw(name, found))
    files[folder / "performance.md"] = document(head, cases, lines, pictures)
    return files


def write(lines, folder):
    if lines.parent.resolve() != (folder / "performance").resolve():
        raise SystemExit(f"error: the lines stand in {folder / 'performance'}, so that the page can lead to them")
    files = render(lines, folder)
    # Pictures of groups that are gone.
    for old in (folder / "performance").glob("*.svg"):
        if old not in files:
            old.unlink()
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")
    print(f"{folder / 'performance.md'} and {len(files) - 1} pictures are written")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lines", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    write(options.lines, options.folder)


if __name__ == "__main__":
    main()
