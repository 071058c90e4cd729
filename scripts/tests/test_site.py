"""The links of the documentation site."""

import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "site"))

import front
import guides
import links
import pages


class GuideLinks(unittest.TestCase):
    links = guides.Links(guides.guides(), "/base/")

    def test_a_document_becomes_a_guide(self):
        self.assertEqual(self.links.target("README.md", "docs/features.md"), "doc:features")
        self.assertEqual(self.links.target("docs/features.md", "README.md"), "doc:Guides")
        self.assertEqual(self.links.target("docs/decisions/store.md", "rows.md"), "doc:Decisions-rows")
        self.assertEqual(self.links.target("ARCHITECTURE.md", "docs/decisions"), "doc:Decisions")

    def test_an_article_is_of_its_module(self):
        catalog = "../Sources/EntityRequests/EntityRequests.docc"
        self.assertEqual(self.links.target("docs/README.md", f"{catalog}/Pages.md"), "doc:/EntityRequests/Pages")
        self.assertEqual(self.links.target("docs/README.md", f"{catalog}/EntityRequests.md"), "doc:/EntityRequests")

    def test_a_heading_gets_the_anchor_of_docc(self):
        self.assertEqual(self.links.target("README.md", "ARCHITECTURE.md#in-the-file"), "doc:Architecture#In-the-file")
        self.assertEqual(
            self.links.target("README.md", "Sources/Adapters/Adapters.docc/ChoosingAndComposingAdapters.md#logs"),
            "/base/documentation/adapters/choosingandcomposingadapters#Logs")

    def test_other_files_are_in_the_repository(self):
        self.assertEqual(self.links.target("docs/README.md", "../LICENSE"), f"{guides.repository()}/blob/main/LICENSE")
        self.assertEqual(self.links.target("docs/README.md", "https://www.swift.org"), "https://www.swift.org")

    def test_a_dead_link_is_refused(self):
        for link in ["docs/nothing.md", "docs/features.md#nothing", "../../outside.md"]:
            with self.assertRaises(guides.DeadLink, msg=link):
                self.links.target("README.md", link)

    def test_code_has_no_headings_and_no_links(self):
        text = "# One\n```sh\n# two\n```\n## The `three` of [four](five.md)\n"
        self.assertEqual(guides.headings(text), ["One", "The three of four"])
        found = [match[3] for match in guides.PART.finditer("`a[0](b)` [c](d.md)\n```\n[e](f.md)\n```\n<!-- [g](h) -->") if match[3]]
        self.assertEqual(found, ["d.md"])


class SiteLinks(unittest.TestCase):
    """A site of two pages, with what docc writes of them."""

    def check(self, references=None, path="/documentation/one", html=""):
        page = {"metadata": {"title": "One", "role": "article"}, "references": references or {}, "primaryContentSections": [
            {"content": [{"type": "heading", "text": "A part", "anchor": "A-part"}]}]}
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            files = {
                "data/documentation/one.json": json.dumps(page),
                "documentation/one/index.html": "",
                "index/index.json": json.dumps({"interfaceLanguages": {"swift": [{"path": path}]}}),
                "index.html": html,
                "404.html": '<a href="/base/">',
            }
            for name, text in files.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(text, encoding="utf-8")
            check = links.Check(pages.Site(folder, "/base/"))
            check.run()
            return check.dead

    def reference(self, url, kind="topic"):
        return {"x": {"type": kind, "url": url}}

    def test_links_that_lead_somewhere(self):
        for url in ["/documentation/one", "/documentation/one#A-part"]:
            self.assertEqual(self.check(self.reference(url)), [])
        for url in ["/base/documentation/one#A-part", "https://example.com/x"]:
            self.assertEqual(self.check(self.reference(url, "link")), [])
        self.assertEqual(self.check(html='<a href="documentation/one/#A-part"><img src="404.html">'), [])

    def test_links_that_lead_nowhere(self):
        for url in ["/documentation/two", "/documentation/one#Nothing"]:
            self.assertEqual(self.check(self.reference(url)), [f"/documentation/one: {url}"])
        for url in ["two.md", "/documentation/one"]:
            self.assertEqual(self.check(self.reference(url, "link")), [f"/documentation/one: {url}"])
        image = {"x": {"type": "image", "variants": [{"url": "/images/none.svg"}]}}
        self.assertEqual(self.check(image), ["/documentation/one: /images/none.svg"])
        self.assertEqual(self.check(path="/documentation/two"), ["index/index.json: /documentation/two"])
        for url in ["documentation/one/#Nothing", "front/none.css"]:
            self.assertEqual(self.check(html=f'<link href="{url}">'), [f"index.html: {url}"])


class FrontPage(unittest.TestCase):
    readme = front.Readme(guides.Links(guides.guides(), "/base/"))

    def test_markdown_becomes_html_and_text_no_markup(self):
        self.assertEqual(
            self.readme.html("**A** `b<c>` & [docs `d`](docs/README.md)"),
            '<strong>A</strong> <code>b&lt;c&gt;</code> &amp; <a href="documentation/guides/">docs <code>d</code></a>')

    def test_links_begin_at_the_front_page(self):
        self.assertEqual(self.readme.link("docs/features.md"), "documentation/guides/features/")
        self.assertEqual(
            self.readme.link("Sources/EntityStore/EntityStore.docc/LiveQueries.md"), "documentation/EntityStore/LiveQueries/".lower())
        self.assertEqual(
            self.readme.link("Sources/Adapters/Adapters.docc/ChoosingAndComposingAdapters.md#logs"),
            "documentation/adapters/choosingandcomposingadapters/#Logs")

    def test_each_task_and_point_of_the_readme_is_there(self):
        self.assertGreater(len(self.readme.tasks()), 10)
        self.assertTrue(all("<a href=" in read for _, read in self.readme.tasks()))
        self.assertGreater(len(self.readme.points()), 4)

    def test_swift_is_coloured_and_escaped(self):
        self.assertEqual(
            front.coloured('let a = "<b>" // c'),
            '<span class="keyword">let</span> a = <span class="literal">&quot;&lt;b&gt;&quot;</span> '
            '<span class="comment">// c</span>')


if __name__ == "__main__":
    unittest.main()
