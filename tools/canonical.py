"""The one way in which a notebook of this book is written to disk."""

import re
from pathlib import Path

import nbformat
from nbformat import NotebookNode

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
# What a notebook and its cells may carry; front ends add keys of their own.
NOTEBOOK_KEYS = ("sdpa", "widgets")
CELL_KEYS = ("mystnb", "tags")
LIVE = "application/vnd.jupyter.widget-view+json"
ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]{6,}")


def loads(text: str) -> NotebookNode:
    """Read a notebook as it stands, without adding what it lacks.

    Raises
    ------
    ValueError
        If the text is not a notebook of format 4.5, the first with cell ids.
    """
    try:
        notebook = nbformat.reader.reads(text)
    except (ValueError, KeyError, AttributeError, nbformat.ValidationError):
        raise ValueError("not a notebook; restore it or write it anew") from None
    version = (notebook.get("nbformat"), notebook.get("nbformat_minor"))
    if version != (4, 5):
        raise ValueError(
            f"notebook format {version[0]}.{version[1]}, expected 4.5; "
            "open it and save it in a current Jupyter"
        )
    return notebook


def load(path: Path) -> NotebookNode:
    """Read a notebook file; see `loads`."""
    return loads(path.read_text(encoding="utf-8"))


def normalise(notebook: NotebookNode) -> NotebookNode:
    """Drop what differs between machines and front ends; change it in place."""
    kept = {key: notebook.metadata.get(key) for key in NOTEBOOK_KEYS}
    notebook.metadata = NotebookNode(
        {key: value for key, value in kept.items() if value}
        | {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    )
    for cell in notebook.cells:
        cell.metadata = NotebookNode(
            {key: cell.metadata[key] for key in CELL_KEYS if cell.metadata.get(key)}
        )
        if cell.cell_type != "code":
            cell.pop("attachments", None)
    if not _still(notebook):
        notebook.metadata.pop("widgets", None)
    return notebook


def _still(notebook: NotebookNode) -> bool:
    """Store what has an HTML form as that alone; say whether other widgets are left.

    Without a kernel a live view is a dead link, and its JavaScript, which a notebook
    would carry along, belongs to the package.
    """
    outputs = [
        output.data
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "data" in output
    ]
    for data in outputs:
        if "text/html" in data:
            data.pop(LIVE, None)
    return any(LIVE in data for data in outputs)


def dumps(notebook: NotebookNode) -> str:
    """Serialise a notebook: sorted keys, one space of indent, a final newline."""
    return nbformat.v4.writes(notebook).rstrip("\n") + "\n"


def mask_addresses(text: str) -> str:
    """Replace memory addresses, which differ from run to run.

    Examples
    --------
    >>> mask_addresses("<object at 0x7f3a5c2b1d90>")
    '<object at 0x0>'
    """
    return ADDRESS.sub("at 0x0", text)
