"""A list of names that are documented elsewhere, in a line each.

```{names}
sdpa.softmax: softmax entropy
```
"""

from importlib import import_module
from inspect import getdoc

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


def first_sentence(module: str, name: str) -> str:
    """Give the summary of a name.

    Raises
    ------
    ValueError
        If the module lacks the name, or the name a docstring.

    Examples
    --------
    >>> first_sentence("tools.ext.names", "first_sentence")
    'Give the summary of a name.'
    """
    thing = getattr(import_module(module), name, None)
    text = getdoc(thing) if thing is not None else None
    if not text:
        raise ValueError(f"{module} has no {name} with a docstring; mend the list")
    return " ".join(text.split("\n\n")[0].split())


class Names(SphinxDirective):
    """Lists names of modules: each is a link, and says what it does."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Make the list."""
        listed = nodes.definition_list(classes=["names"])
        for line in self.content:
            module, _, names = line.partition(":")
            for name in names.split():
                listed += self.entry(module.strip(), name)
        return [listed]

    def entry(self, module: str, name: str) -> nodes.definition_list_item:
        """Make one entry."""
        try:
            sentence = first_sentence(module, name)
        except (ImportError, ValueError) as error:
            raise self.error(str(error)) from None
        link = addnodes.pending_xref(
            "",
            nodes.literal("", name, classes=["xref"]),
            refdomain="py",
            reftype="obj",
            reftarget=f"{module}.{name}",
            refexplicit=True,
            refwarn=True,
        )
        link.source, link.line = self.get_source_info()
        words, messages = self.parse_inline(sentence)
        text = nodes.definition("", nodes.paragraph("", "", *words), *messages)
        return nodes.definition_list_item("", nodes.term("", "", link), text)


def setup(app: Sphinx) -> dict:
    """Register the directive."""
    app.add_directive("names", Names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
