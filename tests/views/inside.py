"""The mathematics inside a view's JavaScript, called without drawing anything."""

from sdpa.views import _sources


def evaluate(page, name: str, expression: str):
    """Give what an expression is worth inside the module of a view.

    Parameters
    ----------
    page
        Any page of a browser.
    name
        The view; its functions and those of `shared.js` are in reach.
    expression
        JavaScript whose value JSON can carry.
    """
    source = _sources.module(name).replace(_sources.EXPORT, "const exported = ")
    return page.evaluate(f'() => {{ "use strict"; {source}; return {expression}; }}')
