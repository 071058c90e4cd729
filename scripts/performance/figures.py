"""The figures of the benchmarks: the lines that `scripts/bench --json` writes, one for each case and rival."""

import dataclasses
import json
import math
import re


# These are ours, too, with less to do or more, or are no program: a case beside them says what something costs.
OWN = re.compile(r"declared|without-.*|to-another|client|held-before|budget|ours-.*")


@dataclasses.dataclass(frozen=True)
class Contestant:
    """One way of doing the work of a case. Times are in seconds; of a case in bytes they are bytes."""

    name: str
    median: float
    minimum: float
    maximum: float
    # The time on processors, of all threads.
    cpu: float
    megabytes: float
    rounds: int

    @property
    def is_own(self):
        return OWN.fullmatch(self.name) is not None


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    unit: str
    scale: float
    operations: int | None
    ours: Contestant
    rivals: tuple[Contestant, ...]

    @property
    def fastest(self):
        """The rival that sets the measure: a program of others, where there is one."""
        return min(self.rivals, key=lambda rival: (rival.is_own, rival.median))

    @property
    def measure(self):
        """The length 1 of a picture."""
        return self.fastest.median or self.ours.median or 1

    @property
    def ratio(self):
        """The time of ours by that of the fastest rival: less than 1 is faster."""
        return ratio(self.ours, self.fastest)

    @property
    def group(self):
        """The cases that are shown together."""
        parts = self.name.split(".")
        if parts[0] == "ingest":
            # Its users are those of `changed`.
            return ".".join([*parts[:2], "changed" if parts[2] == "failing" else parts[2]])
        return ".".join(parts[: 2 if parts[0] in ("fetch", "context") else 1])


def ratio(ours, rival):
    return ours.median / rival.median if rival.median > 0 else math.inf


def cpu_ratio(ours, rival):
    return None if math.isnan(ours.cpu) or not rival.cpu > 0 else ours.cpu / rival.cpu


def number(line, key):
    """A figure that could not be measured is null."""
    value = line[key]
    return math.nan if value is None else float(value)


def contestant(line, who):
    prefix = "" if who == "ours" else "rival_"
    return Contestant(
        name="ours" if who == "ours" else line["rival"], median=number(line, f"{who}_s"), minimum=number(line, f"{who}_min_s"),
        maximum=number(line, f"{who}_max_s"), cpu=number(line, f"{who}_cpu_s") if f"{who}_cpu_s" in line else math.nan,
        megabytes=number(line, f"{prefix}peak_rss_mb"), rounds=int(line[f"{prefix}rounds"]))


def read(text, name="the lines"):
    """The head of a run, and its cases in their order.

    The first line has the head, `{"head": {…}}`. Each further one is a line of `scripts/bench --json`, with the scale of its run, or
    has what a streamed list printed, `{"stream": "--stream 3000000", "said": "…"}`; the head has these as `streams`.
    """
    head, lines, streams = None, {}, []
    for index, row in enumerate(text.splitlines(), start=1):
        if not row.strip():
            continue
        try:
            line = json.loads(row)
            if "head" in line:
                head = line["head"]
                continue
            if "stream" in line:
                streams.append((line["stream"], line["said"]))
                continue
            lines.setdefault((line["name"], line.get("scale", 1)), []).append(line)
            contestant(line, "ours"), contestant(line, "rival")
        except (ValueError, KeyError, TypeError) as error:
            raise SystemExit(f"error: {name}:{index} is no line of scripts/bench --json: {error!r}") from None
    if head is None or not lines:
        raise SystemExit(f"error: {name} has no {'cases' if head else 'head'}")
    found = [case(key, of_case) for key, of_case in lines.items()]
    # A rival without a median was not measured, and a case without a rival compares nothing.
    return head | {"streams": streams}, [one for one in found if one.rivals and not math.isnan(one.ours.median)]


def case(key, lines):
    first = lines[0]
    return Case(
        name=key[0], scale=float(key[1]), unit=first["unit"], operations=first["operations"], ours=contestant(first, "ours"),
        rivals=tuple(rival for line in lines if not math.isnan((rival := contestant(line, "rival")).median)))


def shown(value, unit="s"):
    """A figure with three digits and its unit: 4.12 ms, 83 bytes."""
    if math.isnan(value):
        return "–"
    if unit != "s":
        return f"{digits(value)} bytes"
    for factor, name in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        # 0.9996 ms would be shown as 1000 µs.
        if value * factor >= 0.9995:
            return f"{digits(value * factor)} {name}"
    return f"{digits(value * 1e9)} ns"


def digits(value):
    """Three digits that count, and no exponent."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "–"
    # Rounded first: 0.9996 is 1.00.
    value = float(f"{value:.3g}") if abs(value) < 1000 else value
    places = max(0, 2 - math.floor(math.log10(abs(value)) + 1e-9))
    return f"{value:,.{min(places, 4)}f}"


def each(case, one):
    """The time on processors for one operation, or what the case compares where it counts none."""
    if case.unit == "s" and case.operations and not math.isnan(one.cpu):
        return shown(one.cpu / case.operations)
    return shown(one.median, case.unit)
