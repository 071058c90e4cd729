"""Pictures as SVG, line by line: a change of one figure changes the lines of its bar, and no other."""

import html

# The text has the colour of the reader's scheme. A picture in a page is a document of its own: it inherits no colour, and so
# asks for the scheme itself. Its ground is its own, too, where a page has another scheme than the system.
STYLE = """\
<style>
svg { color: #1f2328; background: #ffffff; --ours: #0969da; }
@media (prefers-color-scheme: dark) { svg { color: #e6edf3; background: #0d1117; --ours: #58a6ff; } }
text { font: 12px -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: currentColor; }
.strong { font-weight: 600; }
.quiet { opacity: .72; }
.grid { stroke: currentColor; opacity: .18; }
.mark { stroke: currentColor; opacity: .6; stroke-dasharray: 3 3; }
.whisker { stroke: currentColor; stroke-width: 1.2; }
.bar { fill: currentColor; opacity: .42; }
.cpu { fill: currentColor; opacity: .2; }
.ours { fill: var(--ours); }
.bar.ours { opacity: 1; }
.cpu.ours { opacity: .5; }
.line { fill: none; stroke: currentColor; stroke-width: 1.6; opacity: .65; }
.line.ours { stroke: var(--ours); stroke-width: 2.4; opacity: 1; fill: none; }
.dot { fill: currentColor; opacity: .65; }
.dot.ours { fill: var(--ours); opacity: 1; }
</style>"""


def place(value):
    """A length with one digit behind the point, and none that counts for nothing."""
    return f"{value:.1f}".removesuffix(".0")


class Picture:
    def __init__(self, title, description):
        self.title, self.description = title, description
        self.lines = []

    def text(self, x, y, text, classes="", anchor="start"):
        attributes = f' class="{classes}"' if classes else ""
        attributes += f' text-anchor="{anchor}"' if anchor != "start" else ""
        self.lines.append(f'<text x="{place(x)}" y="{place(y)}"{attributes}>{html.escape(text, quote=False)}</text>')

    def line(self, x1, y1, x2, y2, classes):
        self.lines.append(
            f'<line x1="{place(x1)}" y1="{place(y1)}" x2="{place(x2)}" y2="{place(y2)}" class="{classes}"/>')

    def bar(self, x, y, width, height, classes):
        self.lines.append(
            f'<rect x="{place(x)}" y="{place(y)}" width="{place(max(width, 0.5))}" height="{place(height)}" class="{classes}"/>')

    def path(self, points, classes, dash=""):
        way = " ".join(f"{place(x)},{place(y)}" for x, y in points)
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.lines.append(f'<polyline points="{way}" class="{classes}"{dashes}/>')

    def dot(self, x, y, classes):
        self.lines.append(f'<circle cx="{place(x)}" cy="{place(y)}" r="2.6" class="{classes}"/>')

    def document(self, width, height):
        size = f'viewBox="0 0 {place(width)} {place(height)}" width="{place(width)}" height="{place(height)}"'
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title about">',
            f'<title id="title">{html.escape(self.title, quote=False)}</title>',
            f'<desc id="about">{html.escape(self.description, quote=False)}</desc>',
            STYLE, *self.lines, "</svg>", ""])
