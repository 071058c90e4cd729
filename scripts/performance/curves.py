"""Lines over the number of objects: the time for one, and the memory of all."""

import math

import figures
import svg

WIDTH, HEIGHT = 800, 290
TOP, BOTTOM = 44, 244
PANELS = ((66, 275), (458, 668))
# From this ratio on an axis is logarithmic.
APART = 20
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
    panel(picture, PANELS[0], "time for each object", list(series(cases, lambda case, one: one.median / case.operations)), figures.shown)
    panel(picture, PANELS[1], "memory", list(series(cases, lambda case, one: one.megabytes)), lambda value: f"{value:,.10g} MB")
    return picture.document(WIDTH, HEIGHT)


def panel(picture, span, title, lines, name):
    """Lines over a logarithmic axis of objects. The other axis is one, too, where the values are far apart."""
    left, right = span
    picture.text(left, 20, title, "strong")
    if not lines:
        return
    points = [point for _, line in lines for point in line]
    values = [at for _, at in points]
    is_logarithmic = max(values) > APART * min(values)
    low, high = decades([count for count, _ in points])
    bottom, top = decades(values) if is_logarithmic else (0, max(values) * 1.08)

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
        picture.line(left, y(tick), right, y(tick), "grid")
        picture.text(left - 6, y(tick) + 4, name(tick) if tick else "0", "quiet", "end")
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
    """The heights of the names at the ends of lines, with room for each, and none below the picture."""
    order = sorted(range(len(heights)), key=lambda index: heights[index])
    placed = dict(enumerate(heights))
    for before, index in zip(order, order[1:]):
        placed[index] = max(placed[index], placed[before] + 14)
    placed[order[-1]] = min(placed[order[-1]], BOTTOM)
    for index, after in reversed(list(zip(order, order[1:]))):
        placed[index] = min(placed[index], placed[after] - 14)
    return [placed[index] for index in range(len(heights))]
