"""What every live view is: a widget in notebooks, and HTML that needs no kernel."""

import json
from html import escape
from inspect import Parameter, Signature

import anywidget
import traitlets as t

from . import _sources


class _Default:
    """Stands for what a trait begins with, in the signature of a view."""

    def __repr__(self):
        return "..."


class View(anywidget.AnyWidget):
    """A view with a state that Python and the reader both can change.

    A subclass says `view_name`, the name of its JavaScript file, has a trait for each
    part of its state, and gives `quantities` and `figure`.

    Parameters
    ----------
    **state
        The traits to begin with.

    Raises
    ------
    traitlets.TraitError
        If a part of the state is not what the view expects, now or later; the message
        says what that is.
    """

    view_name: str

    def __init_subclass__(cls, **kwargs):
        """Give the class of a view its JavaScript, its style and its signature."""
        if name := vars(cls).get("view_name"):
            cls._esm, cls._css = _sources.module(name), _sources.style()
            cls.__signature__ = Signature(
                Parameter(trait, Parameter.KEYWORD_ONLY, default=_Default())
                for trait, value in vars(cls).items()
                if isinstance(value, t.TraitType) and value.metadata.get("state")
            )
        super().__init_subclass__(**kwargs)

    def __init__(self, **state):
        """Refuse what is no part of the state: a typing error would do nothing."""
        self._check_names(state)
        super().__init__(**state)

    def _check_names(self, state):
        unknown = sorted(state.keys() - self.traits().keys())
        if unknown:
            raise TypeError(
                f"{type(self).__name__} has no {', '.join(unknown)}; its state is "
                f"{', '.join(sorted(self.traits(state=True)))}"
            )

    def state(self):
        """Give the state as JSON has it, by the names of the traits.

        Returns
        -------
        dict
        """
        return {
            name: trait.metadata.get("to_json", _as_is)(getattr(self, name), self)
            for name, trait in sorted(self.traits(state=True).items())
        }

    @classmethod
    def from_state(cls, state):
        """Make a view from a state as JSON has it, the inverse of `state`.

        Parameters
        ----------
        state : dict

        Returns
        -------
        View
        """
        traits = cls.class_traits(state=True)
        read = {
            name: traits[name].metadata.get("from_json", _as_is)(value, None)
            for name, value in state.items()
            if name in traits
        }
        return cls(**state | read)

    def set(self, **state):
        """Set several parts of the state at once, when one alone would not fit.

        Parameters
        ----------
        **state
            The traits to set.
        """
        self._check_names(state)
        with self.hold_sync(), self.hold_trait_notifications():
            for name, value in state.items():
                setattr(self, name, value)

    def _as_long_as(self, proposal, group):
        """Refuse rows that are more or fewer than those of the rest of a group."""
        name, count = proposal.trait.name, len(proposal.value)
        for other in group:
            if (length := len(getattr(self, other))) != count and other != name:
                raise t.TraitError(
                    f"{name} has {count} rows and {other} has {length}; "
                    f"change both at once with set({name}=…, {other}=…)"
                )
        return proposal.value

    def quantities(self):
        """Compute every number that the view shows, by what stands in `data-value`.

        Returns
        -------
        dict of str to float
        """
        raise NotImplementedError

    def figure(self):
        """Draw the state as it is, for readers without scripts.

        Returns
        -------
        str
            An ``<svg>`` with an ``aria-label``.
        """
        raise NotImplementedError

    def __repr__(self):
        """Show the state, and no address, which would differ every time."""
        state = ", ".join(f"{key}={value!r}" for key, value in self.state().items())
        return f"{type(self).__name__}({state})"

    def _repr_html_(self):
        """Give the still form, which a script of the site turns into the live one."""
        state = json.dumps(self.state(), ensure_ascii=False).replace("</", "<\\/")
        note = escape("A still picture: the live view needs scripts, or a kernel.")
        return (
            f'<div class="sdpa-view" data-sdpa-view="{self.view_name}">'
            f'<script type="application/json">{state}</script>'
            f"<figure>{self.figure()}<figcaption>{note}</figcaption></figure></div>"
        )

    def _repr_mimebundle_(self, **kwargs):
        """Give the live and the still form: each front end takes what it can."""
        data, metadata = super()._repr_mimebundle_(**kwargs)
        return data | {"text/html": self._repr_html_()}, metadata


def _as_is(value, widget=None):
    return value
