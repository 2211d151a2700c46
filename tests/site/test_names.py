"""The list of all functions is complete, and its entries lead somewhere."""

import re

import pytest
from bs4 import BeautifulSoup

from tools.ext import names

DOCUMENTED = ("api_attention", "api_statistics", "api_experiments")


def listed_and_documented(site) -> tuple[set[str], set[str]]:
    """Give the addresses that the list links to, and those that are documented."""
    pages = site / "chapters"
    index = BeautifulSoup((pages / "api.html").read_text("utf-8"), "html.parser")
    links = {link["href"] for link in index.select("dl.names dt a")}
    found = set()
    for name in DOCUMENTED:
        page = BeautifulSoup((pages / f"{name}.html").read_text("utf-8"), "html.parser")
        for entry in page.select("dl.function > dt[id], dl.class > dt[id]"):
            found.add(f"{name}.html#{entry['id']}")
    return links, found


def test_every_function_is_listed(book):
    links, found = listed_and_documented(book)
    assert len(found) > 60
    assert links == found


def test_entry_says_what_the_function_does(book):
    page = (book / "chapters/api.html").read_text("utf-8")
    entry = re.search(r"<dt>.{0,300}?>softmax<.*?<dd>(.*?)</dd>", page, re.DOTALL)
    assert "Turn scores into positive weights" in entry[1]


@pytest.mark.parametrize("name", ["no_such_name", "NUMBER"])
def test_name_without_a_summary_is_refused(name, monkeypatch):
    monkeypatch.setattr(names, "NUMBER", None, raising=False)
    with pytest.raises(ValueError, match=f"has no {name} with a docstring"):
        names.first_sentence("tools.ext.names", name)
