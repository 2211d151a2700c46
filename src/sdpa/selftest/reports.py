"""What people read: feedback for a student, and a report on the class."""

from __future__ import annotations

import json
from collections import Counter
from functools import lru_cache
from html import escape as escaped

from .bank import LETTERS
from .gradebook import Row
from .texts import FEEDBACK, TITLES

_HEAD = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>{title}</title><style>
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto;
 padding: 0 1rem; color: #1a1a1a; background: #fff }}
table {{ border-collapse: collapse; width: 100%; margin: 0 0 1.5rem }}
th, td {{ text-align: left; padding: .25rem .6rem; border-bottom: 1px solid #bbb }}
.n {{ text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }}
.parts th:first-child {{ width: 8rem }} .parts .n {{ width: 4rem }}
.bar {{ background: #1f5fa8; height: .8rem }}
.bars th {{ font-weight: 400 }} .bars td:last-child {{ width: 32% }}
.bars .n {{ width: 4rem }}
.two {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr));
 gap: 0 2.5rem }}
h2 {{ font-size: 1.15rem; margin: 1.2rem 0 .4rem }} summary {{ cursor: pointer }}
td:first-child {{ white-space: nowrap }}
</style></head><body><main><h1>{title}</h1>
"""
_TAIL = "</main></body></html>\n"
escape = lru_cache(maxsize=4096)(escaped)  # the same few sentences, again and again
NOT_SLIPS = ("missing", "incomplete", "no_context", "own")
SLIPS = 12  # as many are shown at once; the others are folded away


def feedback_json(row: Row, record: dict | None) -> str:
    """Return a student's feedback as JSON."""
    names = ("student", "status", "file", "reason")
    head = json.dumps({name: getattr(row, name) for name in names})
    verdict = record["json"] if record else "null"
    return f'{head[:-1]}, "verdict": {verdict}}}\n'


def feedback_html(row: Row, record: dict | None) -> str:
    """Return a student's feedback as a page: no script, nothing from elsewhere."""
    verdict = record["verdict"] if record else None
    lines = [_HEAD.format(title=f"Self-test: {escape(row.student)}")]
    lines.append(f"<p>Status: {escape(row.status.replace('_', ' '))}. ")
    lines.append(f"File: {escape(row.file)}.</p>\n")
    if row.reason:
        lines.append(f"<p>For a person to look at: {escape(row.reason)}</p>\n")
    if verdict:
        lines.append(f"<p><strong>{verdict['total']:.2f} of 5</strong></p>\n")
        for letter, item in verdict["items"].items():
            lines += _item_html(letter, item)
    return "".join([*lines, _TAIL])


def _item_html(letter, item):
    """Yield the table of one item."""
    yield f"<h2>({letter}) {escape(TITLES[letter])}: {item['score']:.2f}</h2>\n"
    yield "<table class='parts'>"
    yield "<thead><tr><th scope='col'>Part</th><th scope='col' class='n'>Credit</th>"
    yield "<th scope='col'>Feedback</th></tr></thead><tbody>\n"
    for name, part in item["parts"].items():
        yield f"<tr><th scope='row'>{escape(name)}</th>"
        yield f"<td class='n'>{part['credit']:g}</td><td>{escape(part['text'])}</td>"
        yield "</tr>\n"
    yield "</tbody></table>\n"


class ClassReport:
    """Counts over a class, fed row by row so that the class may be large.

    Examples
    --------
    >>> report = ClassReport()
    >>> report.add(Row("ann", "graded", 4.2, (1, 1, 1, 1, 0.2)), None)
    >>> report.statuses["graded"], report.histogram[4]
    (1, 1)
    """

    def __init__(self):
        self.statuses, self.slips, self.histogram = Counter(), Counter(), Counter()
        self.sums, self.graded = [0.0] * len(LETTERS), 0
        self.look_at: list[Row] = []

    def add(self, row: Row, record: dict | None) -> None:
        """Count a row."""
        self.statuses[row.status] += 1
        if row.status not in ("graded", "missing") and len(self.look_at) < 1000:
            self.look_at.append(row)
        if not row.scores:
            return
        self.graded += 1
        self.histogram[min(int(row.total), 4)] += 1
        self.sums = [a + b for a, b in zip(self.sums, row.scores, strict=True)]
        items = record["verdict"]["items"] if record else {}
        for letter, item in items.items():
            for name, part in item["parts"].items():
                if part["credit"] < 1 and part["tag"] not in NOT_SLIPS:
                    self.slips[letter, name, _slip(part)] += 1

    def means(self) -> dict[str, float]:
        """Return the mean score of each item, hardest first."""
        means = {
            letter: total / max(self.graded, 1)
            for letter, total in zip(LETTERS, self.sums, strict=True)
        }
        return dict(sorted(means.items(), key=lambda pair: (pair[1], pair[0])))

    def html(self) -> str:
        """Return the report as a page."""
        bands = [("below 1", 0), *((f"{i} to below {i + 1}", i) for i in (1, 2, 3))]
        bands.append(("4 to 5", 4))
        histogram = [(name, self.histogram[i], "") for name, i in bands]
        means = [(f"({x}) {TITLES[x]}", m, f"{m:.2f}") for x, m in self.means().items()]
        slips = sorted(self.slips.items(), key=lambda pair: (-pair[1], pair[0]))
        lines = [(f"({x}) {name}: {text}", n, "") for (x, name, text), n in slips]
        most = lines[0][1] if lines else 1
        rest = _bars(lines[SLIPS:], most)
        return "".join(
            [
                _HEAD.format(title="Self-test: the class"),
                f"<p>{self._summary()}</p>\n",
                self._look_at(),
                "<div class='two'><div><h2>Totals, of 5</h2>\n",
                _bars(histogram),
                "</div><div><h2>Items, hardest first: mean score of 1</h2>\n",
                _bars(means, 1),
                "</div></div><h2>What went wrong, most frequent first</h2>\n",
                _bars(lines[:SLIPS], most),
                f"<details><summary>All others</summary>{rest}</details>" * bool(rest),
                _TAIL,
            ]
        )

    def _summary(self):
        """Say in a line how many there are, and how they did."""
        counts = ", ".join(
            f"{n} {status.replace('_', ' ')}"
            for status, n in sorted(self.statuses.items())
        )
        mean = sum(self.sums) / max(self.graded, 1)
        return f"{counts}. Mean total: <strong>{mean:.2f} of 5</strong>."

    def _look_at(self):
        """Return the table of what needs a person, if anything does."""
        if not self.look_at:
            return ""
        head = "".join(
            f"<th scope='col'>{x}</th>" for x in ("Student", "Status", "File", "Reason")
        )
        rows = "".join(
            f"<tr><td>{escape(row.student)}</td><td>{escape(row.status)}</td>"
            f"<td>{escape(row.file)}</td><td>{escape(row.reason)}</td></tr>\n"
            for row in self.look_at
        )
        table = f"<table><thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table>"
        return f"<h2>For a person to look at</h2>\n{table}\n"


def _slip(part):
    """Return what the reader was told; what cannot be read differs every time."""
    return FEEDBACK.get(part["tag"], "Could not be understood.")


def _bars(lines: list, largest=None):
    """Return a table with a bar and a number for each line."""
    largest = largest or max((value for _, value, _ in lines), default=0) or 1
    rows = "".join(
        f"<tr><th scope='row'>{escape(name)}</th><td class='n'>{text or value}</td>"
        f"<td><div class='bar' style='width:{100 * value / largest:.1f}%'></div></td>"
        "</tr>\n"
        for name, value, text in lines
    )
    return f"<table class='bars'>{rows}</table>\n" if rows else ""
