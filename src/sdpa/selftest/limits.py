"""How large an answer may be: the same limits for every reader of sheets."""

from __future__ import annotations

FORMULA = {"characters": 200, "number": 1e15, "exponent": 16, "depth": 40}
SHEET = {
    "bytes": 2**20,
    "nesting": 32,  # brackets within brackets; a sheet has four
    "notes": 20,  # of a hostile sheet with thousands of unknown keys, these are enough
    "keys": ["format", "student", "variant", "answers"],
    "student": "[A-Za-z0-9._@-]{1,64}",
    "variants": 2**53,  # seeds are below it: every language holds them exactly
}
