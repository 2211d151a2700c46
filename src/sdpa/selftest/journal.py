"""The journal of a batch: a line for each graded file, so that a run can go on."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path


class Journal:
    """An append-only file of records, found again by their keys.

    A line is a key of 32 hexadecimal digits, a tab, the head of the record as JSON,
    a tab, and its verdict as JSON. The key stands for the file's name and bytes, the
    grader and the answer key: after a change of any of them, old lines no longer count.

    Parameters
    ----------
    path : Path
        Made if it is not there; a line that was cut short is removed.
    version : str
        Fingerprint of the grader, the key and the settings.
    """

    def __init__(self, path: Path, version: str):
        self._version = version.encode()
        self._offsets: dict[str, int] = {}
        self._file = path.open("a+b")
        self._scan()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()

    def __contains__(self, key):
        return key in self._offsets

    def _scan(self):
        """Find the lines; drop what follows the last whole one."""
        self._file.seek(0)
        at = 0
        for line in self._file:
            if not line.endswith(b"\n"):
                self._file.truncate(at)
                break
            key, tab, _ = line.partition(b"\t")
            if tab and len(key) == 32 and line.count(b"\t") == 2:
                self._offsets[key.decode()] = at
            at += len(line)
        self._end = at

    def key(self, name: str, data: bytes) -> str:
        """Return the key of a file."""
        content = hashlib.sha256(data).digest()
        whole = b"\0".join((self._version, name.encode(), content))
        return hashlib.sha256(whole).hexdigest()[:32]

    def add(self, key: str, record: str) -> None:
        """Write a record, given as `record_text` writes it."""
        line = f"{key}\t{record}\n".encode()
        self._offsets[key] = self._end
        self._end += self._file.write(line)

    def flush(self) -> None:
        """Hand what was written to the operating system."""
        self._file.flush()

    def _parts(self, key):
        """Return head and verdict as they are written."""
        self._file.seek(self._offsets[key])
        return self._file.readline().rstrip(b"\n").split(b"\t")[1:]

    def head(self, key: str) -> dict:
        """Return a record without its verdict."""
        return json.loads(self._parts(key)[0])

    def read(self, key: str) -> dict:
        """Return a record, with its verdict as data and, under ``json``, as text."""
        head, verdict = self._parts(key)
        text = verdict.decode()
        return json.loads(head) | {"verdict": json.loads(verdict), "json": text}
