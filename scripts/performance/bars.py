"""Horizontal bars for the cases of a group: ours beside its rivals, the slowest case first."""

import math

import figures
import svg

WIDTH, LEFT, RIGHT = 800, 170, 150
PLOT = WIDTH - LEFT - RIGHT
BAR, CPU, ROW, CASE = 8, 4, 16, 30
# A bar that is longer is cut, and an arrow says so: a rival ten times as slow would leave nothing of the others.
LONGEST = 6


def reach(case, one):
    """How far the bars of a contestant reach, in times of the fastest rival."""
    return max(one.maximum, 0 if math.isnan(one.cpu) or case.unit != "s" else one.cpu) / case.measure


def longest(cases):
    """The end of the axis: nothing of ours is cut."""
    ours = max(reach(case, case.ours) for case in cases)
    farthest = max(reach(case, one) for case in cases for one in (case.ours, *case.rivals))
    return max(1.25, min(farthest, max(LONGEST, ours)) * 1.04)


def draw(group, cases):
    """A picture of the cases. A length is a time by that of the fastest rival of the case, which ends at the mark 1."""
    cases = sorted(cases, key=lambda case: (-case.ratio, case.name))
    end = longest(cases)
    picture = svg.Picture(
        f"{group}: ours beside its rivals",
        "; ".join(f"{case.name} takes {figures.digits(case.ratio)} times as long as {case.fastest.name}" for case in cases))
    height = 34 + sum(CASE + ROW * (1 + len(case.rivals)) for case in cases) + 34
    axis(picture, end, height - 30)
    y = 34
    for case in cases:
        y = block(picture, group, case, end, y)
    thick = "; thick: time that passed, thin: on processors" if any(case.unit == "s" for case in cases) else ""
    picture.text(LEFT, height - 8, f"times the fastest rival{thick}; line: from least to most", "quiet")
    return picture.document(WIDTH, height)


def axis(picture, end, bottom):
    step = next(step for step in (0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000) if end / step <= 8)
    for index in range(int(end / step) + 1):
        x = LEFT + PLOT * index * step / end
        picture.line(x, 22, x, bottom, "grid")
        picture.text(x, 16, f"{index * step:g}", "quiet", "middle")
    one = LEFT + PLOT / end
    picture.line(one, 22, one, bottom, "mark")


def block(picture, group, case, end, y):
    """The bars of one case, from `y` on; returns where the next begins."""
    name = case.name.removeprefix(group).lstrip(".") or case.name
    picture.text(8, y + 16, name, "strong")
    picture.text(WIDTH - 8, y + 16, f"{figures.digits(case.ratio)} × {case.fastest.name}", "strong", "end")
    y += CASE - 6
    for one in (case.ours, *case.rivals):
        own = " ours" if one is case.ours else ""
        unit = case.measure
        picture.text(LEFT - 8, y + 10, one.name, "strong" if own else "quiet", "end")
        length(picture, one.median / unit, end, y + 1, BAR, f"bar{own}")
        if not math.isnan(one.cpu) and case.unit == "s":
            length(picture, one.cpu / unit, end, y + 1 + BAR, CPU, f"cpu{own}")
        whisker(picture, one.minimum / unit, one.maximum / unit, end, y + 1 + BAR / 2)
        picture.text(WIDTH - 8, y + 10, figures.shown(one.median, case.unit), "quiet", "end")
        y += ROW
    return y + 6


def length(picture, value, end, y, height, classes):
    picture.bar(LEFT, y, PLOT * min(value, end) / end, height, classes)
    if value > end and height == BAR:
        picture.text(LEFT + PLOT + 2, y + 8, "▸")


def whisker(picture, least, most, end, y):
    if least >= end or not most > least:
        return
    picture.line(LEFT + PLOT * least / end, y, LEFT + PLOT * min(most, end) / end, y, "whisker")
