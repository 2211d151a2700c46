"""Experiments: does attention train without the factor 1/√d_k?

Each is a function of a configuration and seeds. torch is loaded only when an
experiment that needs it runs.
"""

from ._shared import Curves, print_line, run_all, scale_factor, select
from .equivalence import Differences, Equivalence, equivalence
from .free_queries import FreeQueries, free_queries
from .initialisers import Initialiser, initialisers
from .retrieval import Retrieval, retrieval
from .sorting import Sorting, sorting
from .store import load, run_cells, save

__all__ = [
    "Curves",
    "Differences",
    "Equivalence",
    "FreeQueries",
    "Initialiser",
    "Retrieval",
    "Sorting",
    "equivalence",
    "free_queries",
    "initialisers",
    "load",
    "print_line",
    "retrieval",
    "run_all",
    "run_cells",
    "save",
    "scale_factor",
    "select",
    "sorting",
]
