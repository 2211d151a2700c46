"""Fonts cut down to what the site draws."""

from copy import deepcopy
from io import BytesIO
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

PRIMES = {"minute.st", "minute.sts"}  # what the maths font calls the forms of a prime


def subset_font(font: Path, text: set[str]) -> bytes:
    """Cut a font down to some characters and their variants, packed as woff2."""
    options = subset.Options(
        flavor="woff2", layout_features=["*"], hinting=False, notdef_outline=True
    )
    options.layout_closure = False  # no other forms of letters, but for these
    options.drop_tables += ["FFTM"]  # FontForge's timestamps
    whole = TTFont(font, recalcTimestamp=False)
    subsetter = subset.Subsetter(options)
    forms = PRIMES.intersection(whole.getGlyphOrder()) if "′" in text else set()
    subsetter.populate(text="".join(sorted(text)), glyphs=sorted(forms))
    subsetter.subset(whole)
    _offer_to_any_script(whole)
    packed = BytesIO()
    whole.flavor = "woff2"
    whole.save(packed)
    return packed.getvalue()


def _offer_to_any_script(font: TTFont) -> None:
    """Let other forms be asked for: Chromium does not call formulas a script."""
    table = font["GSUB"].table if "GSUB" in font else None
    if table is None or table.ScriptList is None:
        return
    records = table.ScriptList.ScriptRecord
    if records and "DFLT" not in [record.ScriptTag for record in records]:
        copied = deepcopy(records[0])
        copied.ScriptTag = "DFLT"
        records.insert(0, copied)
        table.ScriptList.ScriptCount = len(records)
