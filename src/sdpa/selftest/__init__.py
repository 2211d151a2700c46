"""The self-test: questions, verdicts, and the grading of a whole class.

Answers are data: nothing that a student wrote is ever executed. `check` is for
notebooks, the command ``sdpa`` for files, and `bank_json` gives other programs the key.
"""

from .bank import bank, bank_json
from .blank import answers_schema, blank_sheet
from .checking import check, checked
from .grading import Part, Verdict, grade
from .notebooks import read_notebook
from .sheets import BadFile, Sheet, read_sheet
from .variants import student_seed

__all__ = [
    "BadFile",
    "Part",
    "Sheet",
    "Verdict",
    "answers_schema",
    "bank",
    "bank_json",
    "blank_sheet",
    "check",
    "checked",
    "grade",
    "read_notebook",
    "read_sheet",
    "student_seed",
]
