"""Grade many files: in this process, in others, or on a Dask cluster."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass

from .journal import Journal
from .records import Settings, bad_record, grade_chunk, record_text, student_of
from .sheets import BadFile
from .submissions import Source

CHUNK_FILES, CHUNK_BYTES = 64, 4 * 2**20
AHEAD = 8  # chunks that may wait for workers: this bounds the memory


@dataclass(frozen=True, slots=True)
class Entry:
    """Where the record of a file stands in the journal."""

    key: str
    when: float


def grade_all(
    sources: list[Source],
    journal: Journal,
    settings: Settings,
    *,
    executor: Executor | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[Entry]:
    """Grade what the journal does not hold yet.

    Parameters
    ----------
    sources : list of Source
    journal : Journal
        Takes the records as they come, in the order of the sources.
    settings : Settings
    executor : Executor, optional
        Any of `concurrent.futures`, or of Dask; by default all is done here. Workers
        get bytes and return text: they touch no file.
    progress : callable, optional
        Called with the number of files that were just done.

    Returns
    -------
    list of Entry
        One for each source, in their order.
    """
    entries: list[Entry] = []
    waiting: deque = deque()

    def finish():
        keys, future = waiting.popleft()
        for key, record in zip(keys, future(), strict=True):
            journal.add(key, record)
        journal.flush()
        if progress is not None:
            progress(len(keys))

    for keys, files in _chunks(sources, journal, settings, entries, progress):
        if executor is None:
            waiting.append((keys, lambda files=files: grade_chunk(files, settings)))
        else:
            waiting.append((keys, executor.submit(grade_chunk, files, settings).result))
        while len(waiting) > (AHEAD if executor is not None else 0):
            finish()
    while waiting:
        finish()
    return entries


def _chunks(sources, journal, settings, entries, progress) -> Iterator:
    """Read files and yield them in chunks of (keys, files); note every entry."""
    keys, files, size, pending = [], [], 0, set()
    for source in sources:
        key, data = _read(source, journal, settings)
        entries.append(Entry(key, source.when))
        if data is None or key in journal or key in pending:
            if progress is not None:
                progress(1)
            continue
        keys.append(key)
        pending.add(key)
        files.append((source.name, data))
        size += len(data)
        if len(files) >= CHUNK_FILES or size >= CHUNK_BYTES:
            yield keys, files
            keys, files, size, pending = [], [], 0, set()
    if files:
        yield keys, files


def _read(source, journal, settings):
    """Return a file's key and bytes; one that cannot be read is recorded at once."""
    try:
        data = source.read()
        return journal.key(source.name, data), data
    except BadFile as error:
        key = journal.key(source.name, f"{error.status}: {error.reason}".encode())
        if key not in journal:
            student = student_of(source.name, "", settings)
            journal.add(key, record_text(bad_record(source.name, student, error)))
        return key, None
