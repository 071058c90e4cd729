"""The page and the pictures of the benchmarks."""

import contextlib
import io
import json
import math
import pathlib
import re
import sys
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "performance"))

import bars
import curves
import figures
import report
import run
import words

HEAD = {
    "date": "2026-11-30", "commit": "abc", "machine": "2 processors", "system": "Debian 12", "compiler": "Swift 6.3.1",
    "sqlite": "3.40.1"}


def line(name, ours, rival="c-floor", theirs=1.0, operations=100_000, unit="s", scale=1):
    """A line as Report.swift writes it."""
    return {
        "name": name, "unit": unit, "ours_s": ours, "rival": rival, "rival_s": theirs, "ratio": ours / theirs, "peak_rss_mb": 60 * scale,
        "rival_peak_rss_mb": 40 * scale, "ours_cpu_s": ours * 1.5, "rival_cpu_s": theirs, "ours_min_s": ours * 0.9,
        "ours_max_s": ours * 1.2, "rival_min_s": theirs * 0.9, "rival_max_s": theirs * 1.1, "rounds": 9, "rival_rounds": 3,
        "bytes": 33_000_000, "operations": operations, "scale": scale}


def text(*lines):
    return "".join(json.dumps(one) + "\n" for one in ({"head": HEAD}, *lines))


def cases(*lines):
    return figures.read(text(*lines))[1]


LINES = [
    line("ingest.file.cold", 0.8), line("ingest.file.cold", 0.8, "grdb-records", 11.0),
    line("ingest.file.cold.byhand", 1.9), line("ingest.file.cold.byhand", 1.9, "declared", 0.8),
    line("fetch.file.save", 0.043, theirs=0.01, operations=None),
    line("context.memory.main.held", 183, "plain-objects", 120, unit="bytes", operations=None),
    *(line("ingest.file.cold", 0.8 * scale, theirs=scale, operations=int(100_000 * scale), scale=scale) for scale in (0.01, 0.1, 10)),
]


class Figures(unittest.TestCase):
    def test_a_case_has_all_of_its_rivals_and_each_scale_is_one_of_its_own(self):
        found = cases(*LINES)
        self.assertEqual(
            [(case.name, case.scale, len(case.rivals)) for case in found[:2]], [("ingest.file.cold", 1, 2), ("ingest.file.cold.byhand", 1, 2)])
        self.assertEqual([case.scale for case in found if case.name == "ingest.file.cold"], [1, 0.01, 0.1, 10])

    def test_the_measure_is_the_fastest_program_of_others(self):
        byhand = cases(*LINES)[1]
        self.assertEqual(byhand.fastest.name, "c-floor")
        self.assertEqual(byhand.ratio, 1.9)

    def test_figures_have_three_digits_and_a_unit(self):
        shown = [figures.shown(value) for value in (12.345, 0.9994, 0.0412, 4.1e-6, 8.3e-8, math.nan)]
        self.assertEqual(shown, ["12.3 s", "999 ms", "41.2 ms", "4.10 µs", "83.0 ns", "–"])
        self.assertEqual(figures.shown(1234, "bytes"), "1,234 bytes")
        self.assertEqual(figures.shown(0.9996), "1.00 s")

    def test_a_line_that_is_none_is_named(self):
        for bad in ["{", '{"name": "x"}', "[]", json.dumps(line("x", 1) | {"ours_s": "fast"})]:
            with self.assertRaises(SystemExit) as raised:
                figures.read(text() + bad, "lines.jsonl")
            self.assertIn("lines.jsonl:2", str(raised.exception))
        with self.assertRaises(SystemExit):
            figures.read(json.dumps(line("x", 1)))

    def test_a_figure_that_could_not_be_measured_is_shown_as_none(self):
        one = cases(line("x.y", 1) | {"ours_cpu_s": None})[0]
        self.assertEqual(report.ratios(one.ours, one.rivals[0], "s"), "1.00")

    def test_what_was_not_measured_or_is_nothing_ends_no_report(self):
        self.assertEqual(cases(line("x", 1) | {"ours_s": None}, line("y", 1) | {"rival_s": None}), [])
        self.assertIn("<svg", bars.draw("x", cases(line("x", 1) | {"rival_s": 0, "rival_cpu_s": 0})))
        self.assertIn("<svg", bars.draw("x", cases(line("x", 0) | {"rival_s": 0, "rival_max_s": 0, "ours_cpu_s": 0})))

    def test_groups(self):
        names = ["ingest.file.cold.byhand", "ingest.file.failing", "fetch.memory.main.save", "parse.users.read", "context.live.touched"]
        groups = [cases(line(name, 1))[0].group for name in names]
        self.assertEqual(groups, ["ingest.file.cold", "ingest.file.changed", "fetch.memory", "parse", "context.live"])


class Pictures(unittest.TestCase):
    def elements(self, picture, kind):
        root = xml.etree.ElementTree.fromstring(picture)
        return [element for element in root.iter() if element.tag.endswith(kind)]

    def bars_of(self, picture, classes):
        return [float(bar.get("width")) for bar in self.elements(picture, "rect") if bar.get("class") == classes]

    def test_a_bar_is_as_long_as_its_ratio(self):
        picture = bars.draw("ingest.file.cold", cases(line("ingest.file.cold", 2.0))[:1])
        (ours,), (rival,), (cpu,) = (self.bars_of(picture, kind) for kind in ("bar ours", "bar", "cpu ours"))
        self.assertAlmostEqual(ours / rival, 2, delta=0.01)
        self.assertAlmostEqual(cpu / ours, 1.5, delta=0.01)

    def test_whiskers_go_from_the_least_to_the_most(self):
        picture = bars.draw("x", cases(line("x", 1.0)))
        ours = next(one for one in self.elements(picture, "line") if one.get("class") == "whisker")
        length = self.bars_of(picture, "bar ours")[0]
        self.assertAlmostEqual((float(ours.get("x1")) - bars.LEFT) / length, 0.9, delta=0.01)
        self.assertAlmostEqual((float(ours.get("x2")) - bars.LEFT) / length, 1.2, delta=0.01)

    def test_the_slowest_case_stands_first(self):
        picture = bars.draw("ingest.file.cold", [case for case in cases(*LINES[:4])])
        self.assertLess(picture.index(">byhand<"), picture.index(">ingest.file.cold<"))

    def test_a_bar_that_is_cut_has_an_arrow(self):
        self.assertIn("▸", bars.draw("x", cases(line("x", 1), line("x", 1, "grdb-records", 50))))
        self.assertNotIn("▸", bars.draw("x", cases(line("x", 1))))

    def test_one_changed_figure_changes_its_own_lines_alone(self):
        def picture(ours):
            return bars.draw("x", cases(line("x.a", 1.5, theirs=2), line("x.b", ours, theirs=2))).splitlines()

        before, after = picture(1.000), picture(1.010)
        self.assertEqual(len(before), len(after))
        self.assertLess(sum(one != other for one, other in zip(before, after)), 8)

    def test_lines_are_of_cases_at_three_scales(self):
        grown = curves.scaled(cases(*LINES))
        self.assertEqual(list(grown), ["ingest.file.cold"])
        self.assertEqual([case.operations for case in grown["ingest.file.cold"]], [1_000, 10_000, 100_000, 1_000_000])
        picture = curves.draw("ingest.file.cold", grown["ingest.file.cold"])
        # Time and memory of ours and of the rival that all scales have.
        self.assertEqual(len(self.elements(picture, "polyline")), 4)
        flat = next(one for one in self.elements(picture, "polyline") if one.get("class") == "line ours").get("points")
        self.assertEqual(len({point.split(",")[1] for point in flat.split()}), 1)

    def test_names_at_the_ends_of_lines_have_room(self):
        placed = curves.spread([curves.BOTTOM, curves.BOTTOM - 1, 50, 51])
        self.assertEqual(placed, [curves.BOTTOM, curves.BOTTOM - 14, 50, 64])
        self.assertEqual(curves.spread([7]), [7])

    def test_text_is_escaped_and_a_picture_names_no_colour_of_its_text(self):
        picture = bars.draw("a<b", cases(line("a<b", 1, "x&y")))
        self.assertIn("a&lt;b", picture)
        self.assertEqual(len(self.elements(picture, "title")), 1)
        self.assertNotRegex(re.sub(r"(?s)<style>.*</style>", "", picture), r"(fill|stroke)=")


class Page(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.lines = self.folder / "performance" / "2026-11-30.jsonl"
        self.lines.parent.mkdir()
        self.lines.write_text(text(*LINES), encoding="utf-8")

    def write(self):
        with contextlib.redirect_stdout(io.StringIO()):
            report.write(self.lines, self.folder)
        return (self.folder / "performance.md").read_text(encoding="utf-8")

    def test_what_is_slower_stands_first(self):
        page = self.write()
        section = page[page.index("## Where another is faster") : page.index("## The contestants")]
        named = re.findall(r"^\| `([^`]+)`", section, re.M)
        self.assertEqual(named, ["fetch.file.save", "ingest.file.cold.byhand", "context.memory.main.held"])
        self.assertNotIn("`declared`", section)
        self.assertLess(page.index("### fetch.file"), page.index("### ingest.file.cold"))

    def test_each_picture_is_there_and_shown_and_an_old_one_goes(self):
        old = self.folder / "performance" / "gone.svg"
        old.write_text("", encoding="utf-8")
        page = self.write()
        shown = {self.folder / path for path in re.findall(r"\]\((performance/[^)]+\.svg)\)", page)}
        self.assertEqual(shown, set((self.folder / "performance").glob("*.svg")))
        self.assertFalse(old.exists())

    def test_a_streamed_list_is_shown_as_it_was_printed(self):
        self.assertNotIn("A streamed list", self.write())
        with self.lines.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"stream": "--stream 3000000", "said": "47 MB above the start"}) + "\n")
        self.assertIn("```text\n$ scripts/bench --stream 3000000\n47 MB above the start\n```", self.write())

    def test_the_head_says_where_it_was_measured(self):
        page = self.write()
        for value in HEAD.values():
            self.assertIn(value, page)

    def test_each_name_of_a_case_has_words_or_none_at_all(self):
        self.assertEqual(words.case("ingest.file.changed.byhand.flat"), "each changed, an `update(with:)` by hand, without addresses")
        self.assertEqual(words.case("ingest.file.cold.nothing"), "")
        self.assertNotEqual(words.group("ingest.file.cold"), "")

    def test_the_page_of_the_project_is_that_of_its_newest_lines(self):
        kept = sorted((ROOT / "docs" / "performance").glob("*.jsonl"))
        if not kept:
            self.skipTest("no lines are kept")
        for path, expected in report.render(kept[-1], ROOT / "docs").items():
            self.assertEqual(
                path.read_text(encoding="utf-8"), expected, f"scripts/bench --report docs --from {kept[-1].relative_to(ROOT)}")


class Run(unittest.TestCase):
    def test_the_head_of_a_run_has_all_that_the_page_shows(self):
        with unittest.mock.patch.object(run, "said", return_value="Swift version 6.3.1 (swift-6.3.1-RELEASE)"):
            head = run.head()
        self.assertEqual(set(head), set(HEAD))
        self.assertEqual(head["compiler"], "Swift 6.3.1")
        self.assertRegex(head["sqlite"], r"^3\.\d+")

    def test_a_run_keeps_the_lines_of_each_scale(self):
        with tempfile.TemporaryDirectory() as folder:
            bench = pathlib.Path(folder) / "bench"
            bench.write_text(
                "#!/usr/bin/env python3\nimport json, sys\nwords = sys.argv[1:]\nscale = float(words[words.index('--scale') + 1])\n"
                # Cases whose names begin alike are run at one scale alone.
                "assert scale == 1 or '--exact' in words\n"
                f"line = {line('ingest.file.cold', 1.0)!r} | {{'ours_s': scale}}\ndel line['scale']\n"
                "open(words[words.index('--json') + 1], 'w').write(json.dumps(line) + '\\n')\n", encoding="utf-8")
            bench.chmod(0o755)
            with contextlib.redirect_stdout(io.StringIO()), unittest.mock.patch.object(run, "head", return_value=HEAD):
                run.main([str(bench), f"{folder}/docs", "--rounds", "3", "ingest.file.cold"])
            (kept,) = pathlib.Path(folder, "docs", "performance").glob("*.jsonl")
            _, found = figures.read(kept.read_text(encoding="utf-8"))
            self.assertEqual([(case.scale, case.ours.median) for case in found], [(1, 1), (0.01, 0.01), (0.1, 0.1), (10, 10)])


if __name__ == "__main__":
    unittest.main()
