r"""Style rules that no page can use go: a theme brings them for every site there is.

A rule stays if each class it names occurs somewhere, as a word, in a page or a script,
or begins as a string of a script does that a name is put together from.
"""

import re
from collections.abc import Iterator
from pathlib import Path

WORD = re.compile(r"[\w-]+")
BEGINNING = re.compile(r"[\"'`]([\w-]+-)[\"'`$]")
CLASS = re.compile(r"\.(-?[a-zA-Z_][\w-]*)")
NEGATED = re.compile(r":not\((?:[^()]|\([^()]*\))*\)")
COMMA = re.compile(r",(?![^(\[]*[)\]])")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
# Of these blocks the rules inside are looked at; of any other nothing is.
GROUPS = ("@media", "@supports", "@layer")
STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")


def blocks(sheet: str) -> Iterator[tuple[str, str]]:
    """Split a style sheet into what stands before its braces, and what inside.

    Examples
    --------
    >>> list(blocks("@import 'x';a{b:c}@media print{d{e:f}}"))
    [("@import 'x';", ''), ('a', 'b:c'), ('@media print', 'd{e:f}')]
    """
    depth, start, head = 0, 0, ""
    # Braces and semicolons inside strings do not count.
    bare = STRING.sub(lambda text: " " * len(text[0]), sheet)
    for mark in re.finditer(r"[{};]", bare):
        if mark[0] == "{":
            if depth == 0:
                head, start = sheet[start : mark.start()], mark.end()
            depth += 1
        elif mark[0] == "}":
            depth -= 1
            if depth == 0:
                yield head, sheet[start : mark.start()]
                start = mark.end()
        elif depth == 0:
            yield sheet[start : mark.end()], ""
            start = mark.end()


def purge(sheet: str, words: set[str], beginnings: set[str]) -> str:
    """Take the rules out of a style sheet that nothing can match.

    Examples
    --------
    >>> purge(".a,.b:hover{c:d}.b{e:f}@media print{.b{g:h}}", {"a"}, set())
    '.a{c:d}'
    >>> purge(":not(.b) p{c:d}.is-b{e:f}", set(), {"is-"})
    ':not(.b) p{c:d}.is-b{e:f}'
    """

    def used(selector: str) -> bool:
        names = CLASS.findall(NEGATED.sub("", selector))
        return "\\" in selector or all(
            name in words or name.startswith(tuple(beginnings)) for name in names
        )

    kept = []
    for head, body in blocks(sheet):
        if head.endswith(";"):
            kept.append(head)
        elif head.lstrip().startswith(GROUPS):
            inside = purge(body, words, beginnings)
            kept += [f"{head}{{{inside}}}"] if inside.strip() else []
        elif head.lstrip().startswith("@"):
            kept.append(f"{head}{{{body}}}")
        elif selectors := [one for one in COMMA.split(head) if used(one)]:
            kept.append(f"{','.join(selectors)}{{{body}}}")
    return "".join(kept)


def purge_theme(site: Path) -> None:
    """Purge the style sheets that the theme and its extensions bring."""
    words: set[str] = set()
    beginnings: set[str] = set()
    for source in [*site.rglob("*.html"), *site.rglob("*.js")]:
        text = source.read_text(encoding="utf-8")
        words |= set(WORD.findall(text))
        if source.suffix == ".js":
            beginnings |= set(BEGINNING.findall(text))
    for sheet in (site / "_static").rglob("*.css"):
        before = sheet.read_text(encoding="utf-8")
        after = purge(COMMENT.sub("", before), words, beginnings)
        if len(after) < len(before):
            sheet.write_text(after, encoding="utf-8")
