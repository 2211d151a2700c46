"""Live views: ideas of the book that can be moved by hand.

Each is a widget for notebooks, whose state Python reads and sets, and on the static
site the same view without a kernel. They need anywidget, which is loaded when the
first of them is asked for.
"""

from importlib import import_module

_MODULES = {
    "Bill": "bill",
    "Query": "query",
    "Saturation": "saturation",
    "Shapes": "shapes",
    "Stuck": "stuck",
    "Temperature": "temperature",
}
__all__ = sorted(_MODULES)


def __getattr__(name):
    """Load a view when it is asked for."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__():
    """List the views."""
    return __all__
