"""Names that a release has in several places are the same in all."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "site"))

import guides


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


class Release(unittest.TestCase):
    def test_all_places_name_the_repository_alike(self):
        url = guides.repository()
        places = [
            "README.md", "CONTRIBUTING.md", "SECURITY.md", "Examples/Starter/Package.swift",
            *(path.relative_to(ROOT).as_posix() for path in (ROOT / ".github").rglob("*") if path.is_file())]
        for place in places:
            for found in re.findall(r"https://github\.com/entityclient/\w+|https://[\w./-]+/EntityClient\b", text(place)):
                self.assertEqual(found, url, place)

    def test_the_readme_and_the_starter_ask_for_the_newest_version(self):
        versions = re.findall(r"(?m)^## (\d+\.\d+\.\d+), \d{4}-\d\d-\d\d$", text("CHANGELOG.md"))
        for place in ["README.md", "Examples/Starter/Package.swift"]:
            self.assertEqual(re.search(r'from: "([^"]+)"', text(place))[1], versions[0], place)

    def test_unreleased_stands_above_the_versions(self):
        headings = re.findall(r"(?m)^## (.+)$", text("CHANGELOG.md"))
        self.assertEqual(headings[0], "Unreleased")
        self.assertEqual(headings[1:], sorted(headings[1:], key=self.order, reverse=True))
        self.assertLess(self.order("0.9.0, 2026-01-02"), self.order("0.10.0, 2026-01-03"))

    def order(self, heading):
        """The numbers of a version, for its place among the others."""
        return [int(number) for number in heading.split(",")[0].split(".")]

    def test_each_module_is_documented_at_the_package_index(self):
        modules = re.search(r"(?s)^modules=\((.+?)\)", text("scripts/lib.sh"), re.M)[1].split()
        self.assertEqual(sorted(re.findall(r"(?m)^ +- (\w+)$", text(".spi.yml"))), sorted(modules))


if __name__ == "__main__":
    unittest.main()
