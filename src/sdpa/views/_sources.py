"""The JavaScript and the style of the views, put together from their files.

`shared.js` and its parts hold what all views use. They stand in front of each view's
own code in one scope, so that no file imports another, in a notebook and on `file://`.
This module needs nothing but Python: building the site loads no widget.
"""

import re
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
PARTS = {"shared", "mount"}  # the files that are no view
SHARED = ("shared_maths.js", "shared_elements.js", "shared.js")
EXPORT = "export default "
OPEN = '(() => {\n"use strict";\n'
CLOSE = "})();\n"


def names() -> list[str]:
    """List the views, by the name that stands in `data-sdpa-view`.

    Examples
    --------
    >>> "temperature" in names()
    True
    """
    stems = (path.stem for path in HERE.glob("*.js"))
    return sorted(stem for stem in stems if stem not in PARTS and "_" not in stem)


@cache
def _read(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def style() -> str:
    """Give the style sheet of all views."""
    return _read("views.css")


def module(name: str) -> str:
    """Give a view as an ES module, for a notebook.

    Examples
    --------
    >>> module("temperature").rstrip().splitlines()[-1][:23]
    'export default { render'
    """
    return "\n".join((*map(_read, SHARED), _view(name)))


def common_script() -> str:
    """Give what all views share as a classic script, which a page loads once.

    Browsers refuse modules on `file://`. The script is wrapped in a function and leaves
    one name behind, `sdpaViews`, from which `script` takes what it needs.
    """
    source = _common()
    shared = ", ".join(_defined(source))
    return f"{OPEN}{source}\nglobalThis.sdpaViews = {{ {shared} }};\n{CLOSE}"


def script(name: str) -> str:
    """Give a view as a classic script that finds its places on a page.

    Examples
    --------
    >>> "export default" in script("temperature")
    False
    """
    own = _view(name).replace(EXPORT, f'mount("{name}", ').rstrip().removesuffix(";")
    used = [known for known in _defined(_common()) if re.search(rf"\b{known}\b", own)]
    taken = f"const {{ {', '.join(used)} }} = globalThis.sdpaViews;"
    return f"{OPEN}{taken}\n{own});\n{CLOSE}"


def _common() -> str:
    """Give what stands in front of every view on a page."""
    return "\n".join(map(_read, (*SHARED, "mount.js")))


def _defined(source: str) -> list[str]:
    """List the names that a piece of JavaScript defines at its top level."""
    return re.findall(r"^const (\w+)", source, re.MULTILINE)


def _view(name: str) -> str:
    """Read a view, which has to end in its export.

    Raises
    ------
    ValueError
        If there is no such view, or it does not end so.
    """
    if name not in names():
        raise ValueError(f"no view {name!r}, expected one of {', '.join(names())}")
    # A large view has more files, such as name_maths.js; they come first.
    more = sorted(path.name for path in HERE.glob(f"{name}_*.js"))
    source = "\n".join(map(_read, [*more, f"{name}.js"])).rstrip()
    last = source.splitlines()[-1]
    if source.count(EXPORT) != 1 or not last.startswith(EXPORT):
        raise ValueError(
            f"{name}.js has to end in one line `{EXPORT}{{ render: … }};` and to "
            "export nothing else"
        )
    return source + "\n"
