"""Lines over the number of objects: the time for one, and the memory of all."""

import math

import figures
import svg

WIDTH, HEIGHT = 780, 290
TOP, BOTTOM = 44, 244
PANELS = ((60, 275), (445, 660))
DASHES = ("", "6 3", "2 3", "8 3 2 3", "1 4")


def scaled(cases):
    """The cases that were run at three scales or more, by their names, each in the order of its objects."""
    found = {}
    for case in cases:
        if case.operations and case.unit == "s":
            found.setdefault(case.name, []).append(case)
    return {name: sorted(one, key=lambda case: case.operations) for name, one in found.items() if len(one) >= 3}


def series(cases, value):
    """The points of each contestant that all scales have."""
    names = [one.name for one in (cases[0].ours, *cases[0].rivals)]
    for name in names:
        points = []
        for case in cases:
            one = next((one for one in (case.ours, *case.rivals) if one.name == name), None)
            if one and (at := value(case, one)) > 0 and math.isfinite(at):
                points.append((case.operations, at))
        if len(points) >= 2:
            yield name, points


def draw(name, cases):
    picture = svg.Picture(
        f"{name}: time and memory by the number of objects",
        "; ".join(f"{case.operations:,} objects: {figures.shown(case.ours.median / case.operations)} each" for case in cases))
    panel(picture, PANELS[0], "time for each object", list(series(cases, lambda case, one: one.median / case.operations)), False)
    panel(picture, PANELS[1], "memory, MB (each line is ten times)", list(series(cases, lambda case, one: one.megabytes)), True)
    return picture.document(WIDTH, HEIGHT)


def panel(picture, span, title, lines, is_logarithmic):
    """A picture over a logarithmic axis of objects. Memory grows with them, and so has such an axis, too."""
    left, right = span
    picture.text(left, 20, title, "strong")
    if not lines:
        return
    points = [point for _, line in lines for point in line]
    low, high = decades([count for count, _ in points])
    bottom, top = decades([at for _, at in points]) if is_logarithmic else (0, max(at for _, at in points) * 1.08)

    def x(count):
        return left + (right - left) * (math.log10(count) - low) / (high - low)

    def y(at):
        share = (math.log10(at) if is_logarithmic else at) - bottom
        return BOTTOM - (BOTTOM - TOP) * share / (top - bottom)

    for power in range(low, high + 1):
        picture.line(x(10**power), TOP, x(10**power), BOTTOM, "grid")
        picture.text(x(10**power), BOTTOM + 18, f"{10**power:,}", "quiet", "middle")
    picture.text(right, BOTTOM + 34, "objects", "quiet", "end")
    for tick in [10**power for power in range(bottom, top + 1)] if is_logarithmic else steps(top):
        name = f"{tick:,.10g}" if is_logarithmic else f"{tick * 1e6:g} µs"
        picture.line(left, y(tick), right, y(tick), "grid")
        picture.text(left - 6, y(tick) + 4, name, "quiet", "end")
    draw_lines(picture, lines, x, y, right)


def draw_lines(picture, lines, x, y, right):
    ends = spread([y(line[-1][1]) for _, line in lines])
    for index, (name, line) in enumerate(lines):
        own = " ours" if name == "ours" else ""
        places = [(x(count), y(at)) for count, at in line]
        picture.path(places, f"line{own}", DASHES[index % len(DASHES)])
        for at in places:
            picture.dot(*at, f"dot{own}")
        picture.text(right + 8, ends[index] + 4, name, "strong" if own else "quiet")


def steps(top):
    """Round values from 0 on, some four of them."""
    power = 10 ** math.floor(math.log10(top / 4))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= top / 5)
    return [index * step for index in range(int(top / step) + 1)]


def decades(values):
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def spread(heights):
    """The heights of names at the ends of lines, with room for each."""
    placed = {}
    last = -math.inf
    for index in sorted(range(len(heights)), key=lambda index: heights[index]):
        last = max(heights[index], last + 14)
        placed[index] = last
    return [placed[index] for index in range(len(heights))]
