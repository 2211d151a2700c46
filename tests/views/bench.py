"""A page that holds one view and nothing else, and how to drive it."""

import json
import math
from pathlib import Path

import numpy as np

from sdpa.views import _sources
from tests.site.pages import faults

PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<title>{name}</title>
<style>{style}</style></head><body><main><article>
<h1>{name}</h1>{view}</article></main>
<script>{common}</script><script>{script}</script></body></html>"""

# Set the state as Python would, and give what is shown once it has been drawn.
SET = """async ([name, state]) => {
  const el = document.querySelector(`[data-sdpa-view="${name}"]`);
  for (const [key, x] of Object.entries(state)) el.sdpaModel.set(key, x);
  await null;
  const shown = [...el.querySelectorAll("[data-value]")]
    .map(node => [node.dataset.value, node.dataset.exact ?? null]);
  const all = Object.entries(el.sdpaNumbers).map(([key, x]) => [key, String(x)]);
  return [all, shown];
}"""
STATE = """name => document.querySelector(`[data-sdpa-view="${name}"]`).sdpaState()"""


class Bench:
    """A view in a browser.

    Parameters
    ----------
    page
        The page of the browser, which shows the view.
    name
        The view.
    """

    def __init__(self, page, name: str):
        """Look at a view of a page from now on."""
        self.page, self.name = page, name
        self.faults = faults(page)
        self.root = page.locator(f'[data-sdpa-view="{name}"]').first

    @classmethod
    def alone(cls, page, folder: Path, view) -> "Bench":
        """Open a page that holds one view alone, on `file://`."""
        name = view.view_name
        text = PAGE.format(
            name=name,
            style=_sources.style(),
            view=view._repr_html_(),
            common=_sources.common_script(),
            script=_sources.script(name),
        )
        path = folder / f"{name}.html"
        path.write_text(text, encoding="utf-8")
        bench = cls(page, name)
        page.goto(path.as_uri())
        return bench

    def set(self, state: dict) -> tuple[dict[str, float], list[tuple[str, float]]]:
        """Set the state; give all numbers, and those that are shown."""
        every, shown = self.page.evaluate(SET, [self.name, state])
        return (
            {key: float(x) for key, x in every},
            [(key, math.nan if x is None else float(x)) for key, x in shown],
        )

    def state(self) -> dict:
        """Give the state as the browser has it."""
        return self.page.evaluate(STATE, self.name)

    def number(self, quantity: str) -> float:
        """Give a number that is shown, in full."""
        node = self.root.locator(f'[data-value="{quantity}"]').first
        return float(node.get_attribute("data-exact"))

    def status(self) -> str:
        """Give what a screen reader was told last."""
        return self.root.locator('p[role="status"]').text_content()

    def agree(self, state: dict, numbers: dict) -> None:
        """Set a state and compare every number with what Python computes."""
        every, shown = self.set(state)
        assert every.keys() == numbers.keys()
        expected = {key: float(x) for key, x in numbers.items()}
        for key, x in [*every.items(), *shown]:
            np.testing.assert_allclose(
                x,
                expected[key],
                rtol=1e-9,
                atol=1e-12,
                err_msg=f"{key} in {json.dumps(state)}",
            )
