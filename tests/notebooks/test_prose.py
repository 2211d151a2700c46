"""Every number in the prose is computed, and every reading time is right."""

from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

from tools import markdown, prose, reading
from tools.toc import Toc


def say(notebook, text):
    """Change what the paragraph below the result says."""
    notebook.cells[3].source = text
    return prose.notebook_numbers(notebook)


def test_tidy_notebook_passes(notebook):
    assert prose.notebook_numbers(notebook) == []


@pytest.mark.parametrize(
    "text",
    [
        "It is 21.",
        "It is 20.2.",
        "It is 20.08.",
        "It is 20.0855369231876690.",
        "It is $21.5$.",
        "$$\n\\frac{1}{21}\n$$",
        "$10^{21}$",
        "It is 21 %.",
        "It is 21 thousand.",
        "It is 2.1e1.",
        "It is −21.",
        "| a |\n| - |\n| 21 |",
        ":::{note}\nIt is 21.\n:::",
        "```{admonition} It is 21\n:class: tip\nYes.\n```",
        "- [It is 21](page.md)",
        "![It is 21](a.png)",
        "# Of 21",
    ],
)
def test_magic_number_is_found(text, notebook):
    found = say(notebook, text)
    assert len(found) == 1
    assert found[0].startswith("cell result: the number ")
    assert "sdpa.constants" in found[0]


@pytest.mark.parametrize(
    "text",
    [
        "It is 20.09, 20.086 or 20.",
        "It is −20.09.",
        "Two heads, 3 keys and 12 tokens; T5 and fp16 and `21`.",
        "See §14, section 6.21, sections 6.3–6.8 and 6.13, and page 21.",
        "[Text](page_21.md) and {ref}`fig-21` and {cite:t}`vaswani2017`.",
        "```python\n21\n```",
        "$x_{21} + \\frac12 + 2^{10}$",
        "6.21 Long context",
    ],
)
def test_what_is_no_magic_number(text, notebook):
    assert say(notebook, text) == []


def test_number_computed_only_further_below_is_found(notebook):
    notebook.cells[0].source = "It will be 20.09."  # the next cell only imports
    found = prose.notebook_numbers(notebook)
    assert len(found) == 1
    assert "only cell exponential, further below, computes it" in found[0]


def test_number_that_announces_the_next_cell_passes(notebook):
    notebook.cells.insert(2, new_markdown_cell("It will be 20.09.", id="announced"))
    assert prose.notebook_numbers(notebook) == []


@pytest.mark.parametrize("code", ["x = 21", "x = 3 * 7", "x = -21.0"])
def test_literal_above_supports(code, notebook):
    assert say(notebook, "It is 21.")
    notebook.cells.insert(2, new_code_cell(code, id="literal"))
    notebook.cells[4].source = "It is 21."
    assert prose.notebook_numbers(notebook) == []


@pytest.mark.parametrize(
    ("printed", "text"),
    [
        ("0.1243", "12 % or 12.4%"),
        ("12%", "12 %"),
        ("81993.2", "about 82 thousand"),
        ("82 thousand", "82 thousand"),
        ("1073741824", "$2^{30}$ and 1,073,741,824"),
        ("1024", "1024, 1,024, $1{,}024$ or $1\\,024$"),
        ("0.000312", "3 × 10⁻⁴, 3e-4 or $3 \\times 10^{-4}$"),
        ("0.015625", "1/64 or $\\frac{1}{64}$"),
        ("624.3", "some 620"),
    ],
)
def test_forms_of_a_number(printed, text, notebook):
    notebook.cells[2].outputs[0].text = printed
    notebook.cells[4].metadata.clear()
    assert say(notebook, text) == []
    notebook.cells[2].outputs[0].text = "7"
    assert say(notebook, text)


@pytest.mark.parametrize("key", ["caption", "alt"])
def test_magic_number_in_a_figure_is_found(key, notebook):
    shown = notebook.cells[4].metadata["mystnb"]
    shown["figure" if key == "caption" else "image"][key] += " Then it falls to 17."
    assert "cell figure: the number 17" in prose.notebook_numbers(notebook)[0]
    notebook.cells[4].source = "draw(17)"
    assert prose.notebook_numbers(notebook) == []


def test_declared_constant_supports_until_nothing_uses_it(notebook):
    notebook.metadata["sdpa"] = {"constants": {"2017": "year of the paper"}}
    assert say(notebook, "It appeared in 2017.") == []
    assert "'2017' is declared" in say(notebook, "It appeared.")[0]


def test_page_may_use_every_notebook_and_its_front_matter():
    page = "---\nconstants:\n  '3.11': oldest Python\n---\n\nPython 3.11, and 20.09."
    assert prose.page_numbers(page, {prose.Decimal("20.0855")}) == []
    assert len(prose.page_numbers(page, set())) == 1
    assert len(prose.page_numbers(page.replace("Python 3.11", ""), set())) == 2


@pytest.fixture
def book(tmp_path, notebook, save) -> Toc:
    """Make a book of a root page and one chapter."""
    root = tmp_path / "index.md"
    root.write_text("# Book\n\n*About 1 minute.*\n")
    return Toc(root, ((save(notebook),),))


def test_right_reading_times_pass(book):
    assert prose.check(book, book.pages()) == []


def test_wrong_reading_time_is_found(book, notebook, save):
    notebook.cells.append(new_markdown_cell("word " * 800, id="long"))
    page = save(notebook)
    assert prose.check(book, [page]) == [
        f"{page}: *About 1 minutes.*; write *About 5 minutes.*"
    ]
    notebook.cells[0].source = "# Title\n\n*About 5 minutes.*"
    save(notebook)
    assert prose.check(book, [page]) == []
    assert "write *About 5 minutes.*" in prose.check(book, [book.root])[0]


def test_missing_reading_time_is_found(book, notebook, save):
    notebook.cells[0].source = "# Title"
    assert "no reading time" in prose.check(book, [save(notebook)])[0]


def test_reading_time_counts_words_formulas_code_and_figures(notebook, save):
    page = save(notebook)
    # 15 s for each of two shown code cells and the figure of the hidden one.
    assert sum(map(reading.seconds, reading.cells(page))) == pytest.approx(
        60 * 12 / 200 + 15 + 15 + 15, abs=2
    )
    notebook.cells[3].source += "\n\n$$\nx\n$$"
    longer = sum(map(reading.seconds, reading.cells(save(notebook))))
    assert longer == sum(map(reading.seconds, notebook.cells))
    assert longer - 10 == pytest.approx(60 * 12 / 200 + 45, abs=2)


def test_toc_names_a_missing_page(tmp_path):
    (tmp_path / "_toc.yml").write_text("root: index\nparts: []\n")
    with pytest.raises(FileNotFoundError, match="lists index"):
        Toc.load(tmp_path)


def test_every_page_of_the_book_parses():
    toc = Toc.load(Path(prose.__file__).parents[1])
    for page in toc.pages():
        for cell in reading.cells(page):
            if cell.cell_type == "markdown":
                markdown.read(cell.source)
