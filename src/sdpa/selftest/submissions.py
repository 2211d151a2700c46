"""What lies in a folder or an archive: found first, read one by one, never unpacked."""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath

from .limits import SHEET
from .notebooks import NOTEBOOK_BYTES
from .sheets import REFUSED, UNREADABLE, BadFile

LIMITS = {".json": SHEET["bytes"], ".ipynb": NOTEBOOK_BYTES}
HIDDEN = ("__MACOSX", "__pycache__")
RATIO, SLACK = 100, 50 * 2**20  # an archive that unpacks to more is a bomb
MEMBERS = 200_000


@dataclass(frozen=True, slots=True)
class Source:
    """A file to be graded, not read yet.

    Attributes
    ----------
    name : str
        Path from the folder that was given, through the archive if it is in one.
    when : float
        When it was last changed, in seconds.
    path : str or None
    archive : ZipFile or None
    member : ZipInfo or None
    problem : BadFile or None
        Why it will not be read.
    """

    name: str
    when: float = 0.0
    path: str | None = None
    archive: zipfile.ZipFile | None = None
    member: zipfile.ZipInfo | None = None
    problem: BadFile | None = None

    def read(self) -> bytes:
        """Return the bytes; the limit of the kind of file holds.

        Raises
        ------
        BadFile
            If the file may not or cannot be read.
        """
        if self.problem is not None:
            raise self.problem
        limit = LIMITS[suffix(self.name)]
        try:
            with self._opened() as file:
                data = file.read(limit + 1)
        # zipfile raises these for broken, encrypted and unknown members.
        except (OSError, EOFError, RuntimeError, NotImplementedError, ValueError) as e:
            raise BadFile(UNREADABLE, f"cannot be read ({type(e).__name__})") from None
        except Exception as e:  # zlib.error, BadZipFile, struct.error
            raise BadFile(UNREADABLE, f"damaged ({type(e).__name__})") from None
        if len(data) > limit:
            raise BadFile(REFUSED, f"larger than {limit >> 20} MiB")
        return data

    def _opened(self):
        if self.archive is not None:
            return self.archive.open(self.member)
        return open(self.path, "rb")


def suffix(name: str) -> str:
    """Return the ending that says what a file is, in lower case."""
    return os.path.splitext(name)[1].lower()


class Submissions:
    """The files in folders and archives, in order of their names.

    Parameters
    ----------
    paths : iterable of Path
        Folders, sheets, notebooks and zip archives.
    skip : Path, optional
        A folder to pass over: what was graded before.

    Attributes
    ----------
    sources : list of Source
    ignored : int
        How many files of other kinds there are.

    Raises
    ------
    FileNotFoundError
        If a path does not exist.
    """

    def __init__(self, paths: Iterable[Path], skip: Path | None = None):
        self.ignored = 0
        self._stack = ExitStack()
        self._skip = None if skip is None else skip.resolve()
        self.sources: list[Source] = []
        paths = list(paths)
        for path in paths:
            if not path.exists():
                raise FileNotFoundError(f"{path}: no such file or folder")
            named = "" if len(paths) == 1 else f"{path.name}/"
            if path.is_dir():
                self.sources += self._folder(path, named, path.resolve())
            else:
                self.sources += self._file(path, path.name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stack.close()

    def _folder(self, folder: Path, name: str, root: Path) -> Iterator[Source]:
        """Yield what lies in a folder; links may not lead out of the root."""
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            reason = f"the folder cannot be read ({type(error).__name__})"
            yield Source(name or folder.name, problem=BadFile(UNREADABLE, reason))
            return
        for entry in entries:
            path, shown = Path(entry.path), name + printable(entry.name)
            if _is_hidden(entry.name):
                continue
            if entry.is_symlink() and not _stays(path, root):
                if suffix(shown) in (*LIMITS, ".zip", ""):
                    yield _refused(shown, "a link that leads out of the folder")
            elif entry.is_dir():
                yield from self._subfolder(entry, path, shown, root)
            else:
                yield from self._file(path, shown)

    def _subfolder(self, entry, path, shown, root):
        if suffix(shown) in LIMITS:
            problem = BadFile(UNREADABLE, "a folder with the name of a file")
            yield Source(shown, problem=problem)
        elif not entry.is_symlink() and path.resolve() != self._skip:
            yield from self._folder(path, f"{shown}/", root)

    def _file(self, path: Path, name: str) -> Iterator[Source]:
        """Yield a file, or what an archive holds."""
        if suffix(name) not in (*LIMITS, ".zip"):
            self.ignored += 1
            return
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            yield Source(name, problem=BadFile(UNREADABLE, "not a regular file"))
        elif suffix(name) == ".zip":
            yield from self._archive(path, name, found.st_size)
        else:
            yield Source(name, found.st_mtime, path=str(path))

    def _archive(self, path: Path, name: str, size: int) -> Iterator[Source]:
        """Yield the members of an archive, or refuse all of it."""
        try:
            archive = self._stack.enter_context(zipfile.ZipFile(path))
            members = sorted(archive.infolist(), key=lambda member: member.filename)
        except Exception as error:  # whatever a damaged directory leads to
            reason = f"not a zip archive, or damaged ({type(error).__name__})"
            yield Source(name, problem=BadFile(UNREADABLE, reason))
            return
        total = sum(member.file_size for member in members)
        if len(members) > MEMBERS or total > RATIO * size + SLACK:
            reason = f"{len(members)} members that unpack to {total >> 20} MiB: a bomb"
            yield _refused(name, reason)
            return
        for member in members:
            yield from self._member(archive, member, f"{name}/")

    def _member(self, archive, member, prefix):
        shown = prefix + printable(member.filename)
        parts = PurePosixPath(member.filename.replace("\\", "/")).parts
        if member.is_dir() or any(_is_hidden(part) for part in parts):
            return
        if suffix(shown) not in LIMITS:
            self.ignored += 1
        elif ".." in parts or parts[0] == "/" or ":" in parts[0]:
            yield _refused(shown, "a name that leads out of the archive")
        elif stat.S_ISLNK(member.external_attr >> 16):
            yield _refused(shown, "a link")
        elif member.flag_bits & 1:
            yield Source(shown, problem=BadFile(UNREADABLE, "encrypted"))
        else:
            yield Source(shown, _time_of(member), archive=archive, member=member)


def _is_hidden(name):
    """Say whether a name marks what systems and editors keep for themselves."""
    return name in HIDDEN or (name.startswith(".") and name != "..")


def _refused(name, reason):
    return Source(name, problem=BadFile(REFUSED, reason))


def _stays(path, root):
    """Say whether a link ends inside the folder."""
    try:
        return path.resolve(strict=True).is_relative_to(root)
    except (OSError, RuntimeError):
        return False


def _time_of(member):
    try:
        return datetime(*member.date_time).timestamp()
    except ValueError:
        return 0.0


def printable(name: str) -> str:
    """Return a file name that can be shown and written: no control characters.

    Examples
    --------
    >>> printable("a\\nb.json")
    'a?b.json'
    """
    name = name.encode("utf-8", "replace").decode()
    return "".join(c if c.isprintable() else "?" for c in name)
