"""Hostile folders and archives: a row with the reason, and the rest is graded."""

import os
import zipfile

import pytest

from sdpa.selftest.classes import grade_class
from sdpa.selftest.limits import SHEET
from tests.grading.samples import code, kept, notebook, sheet


def graded(paths, out, **options):
    """Grade and return rows by student, or by file where there is none."""
    paths = paths if isinstance(paths, list) else [paths]
    rows, report = grade_class(paths, out, **options)
    return {row.student or row.file: row for row in rows}, report


def good_are_graded(rows):
    assert (rows["ann"].total, rows["ann"].status) == (5, "graded")
    assert (rows["bob"].total, rows["bob"].status) == (1, "graded")


@pytest.mark.parametrize(
    ("name", "data", "status", "reason"),
    [
        ("eve.json", b"", "unreadable", "the file is empty"),
        ("eve.json", b"\0" * 99, "unreadable", "not JSON"),
        ("eve.json", sheet("eve")[:50], "unreadable", "not JSON"),
        ("eve.json", b"[" * 10**5, "unreadable", "nested too deeply"),
        ("eve.json", b" " * (SHEET["bytes"] + 1), "refused", "larger than 1 MiB"),
        ("eve.json", b"\xff", "unreadable", "not UTF-8 text"),
        ("eve.ipynb", sheet("eve"), "unreadable", "not a notebook"),
        ("eve.JSON", b"{}", "refused", "format is missing"),
        ("e v e.json", sheet(""), "refused", "no student is named"),
    ],
)
def test_a_bad_file_costs_nobody_else(folder, tmp_path, name, data, status, reason):
    (folder / name).write_bytes(data)
    rows, _ = graded(folder, tmp_path / "out")
    good_are_graded(rows)
    row = rows.get("eve") or rows[name]
    assert (row.status, row.total, row.scores) == (status, 0, ())
    assert reason in row.reason


def test_a_folder_with_the_name_of_a_file(folder, tmp_path):
    (folder / "eve.ipynb").mkdir()
    (folder / "eve.ipynb" / "x.json").write_bytes(sheet("hidden"))
    rows, _ = graded(folder, tmp_path / "out")
    good_are_graded(rows)
    assert rows["eve"].reason == "a folder with the name of a file"
    assert "hidden" not in rows


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_links(folder, tmp_path):
    secret = tmp_path / "secret.json"
    secret.write_bytes(sheet("secret"))
    (folder / "out.json").symlink_to(secret)
    (folder / "broken.json").symlink_to(tmp_path / "nowhere")
    (folder / "up").symlink_to(tmp_path)
    (folder / "loop").symlink_to(folder)
    (folder / "itself.json").symlink_to(folder / "itself.json")
    rows, _ = graded(folder, tmp_path / "out")
    good_are_graded(rows)
    assert "secret" not in rows
    for name in ("out", "broken", "up", "itself"):
        assert rows[name].status == "refused", name
        assert rows[name].reason == "a link that leads out of the folder"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_does_not_hang(folder, tmp_path):
    os.mkfifo(folder / "eve.json")
    rows, _ = graded(folder, tmp_path / "out")
    good_are_graded(rows)
    assert rows["eve"].reason == "not a regular file"


def zipped(path, members):
    """Write an archive of (name or ZipInfo, data) pairs."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return path


def test_an_archive_is_read_without_being_unpacked(tmp_path):
    link = zipfile.ZipInfo("link.json")
    link.external_attr = 0o120777 << 16
    members = [
        ("week/ann.json", sheet("ann")),
        ("week/bob.ipynb", notebook(code("", kept("c")), student="bob")),
        ("../eve.json", sheet("eve")),
        ("/abs.json", sheet("abs")),
        ("..\\win.json", sheet("win")),
        (link, b"/etc/passwd"),
        ("__MACOSX/._x.json", b"x"),
        ("week/.ipynb_checkpoints/a-checkpoint.ipynb", b"x"),
        ("inner.zip", b"PK"),
    ]
    archive = zipped(tmp_path / "class.zip", members)
    before = sorted(tmp_path.iterdir())
    rows, _ = graded(archive, tmp_path / "out")
    good_are_graded(rows)
    bad = {"eve", "abs", "class.zip/..\\win.json", "link"}
    assert rows.keys() == {"ann", "bob"} | bad
    assert {rows[name].status for name in bad} == {"refused"}
    assert sorted(p for p in tmp_path.iterdir() if p.name != "out") == before
    assert rows["ann"].file == "class.zip/week/ann.json"


def test_a_bomb_is_refused_before_it_is_unpacked(folder, tmp_path):
    members = [(f"{i}.json", b" " * 2**20) for i in range(60)]
    zipped(folder / "bomb.zip", members)
    rows, _ = graded(folder, tmp_path / "out")
    good_are_graded(rows)
    assert rows["bomb"].reason == "60 members that unpack to 60 MiB: a bomb"
    assert len(rows) == 3


def test_an_archive_that_lies_about_sizes(tmp_path):
    path = zipped(tmp_path / "class.zip", [("ann.json", sheet("ann"))])
    data = bytearray(path.read_bytes())
    at = data.rfind(b"PK\x01\x02")
    data[at + 24 : at + 28] = (10).to_bytes(4, "little")  # the size it unpacks to
    path.write_bytes(data)
    rows, _ = graded(path, tmp_path / "out")
    assert rows["ann"].status == "unreadable"


@pytest.mark.parametrize("damage", ["truncated", "flipped", "text", "encrypted"])
def test_a_damaged_archive(folder, tmp_path, damage):
    path = zipped(folder / "eve.zip", [("eve.json", sheet("eve"))])
    data = bytearray(path.read_bytes())
    if damage == "truncated":
        data = data[: len(data) // 2]
    elif damage == "flipped":
        data[60] ^= 0xFF
    elif damage == "encrypted":
        data[data.rfind(b"PK\x01\x02") + 8] |= 1
    else:
        data = b"not an archive"
    path.write_bytes(data)
    rows, _ = graded(folder, tmp_path / "out")
    good_are_graded(rows)
    assert rows["eve"].status == "unreadable"


def test_nothing_is_written_outside_the_output_folder(folder, tmp_path):
    (folder / "dots.json").write_bytes(sheet(".."))
    (folder / "at.json").write_bytes(sheet("-ann@x"))
    before = {path: path.read_bytes() for path in folder.iterdir()}
    graded(folder, tmp_path / "out")
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["class", "out"]
    names = {p.name for p in (tmp_path / "out" / "feedback").iterdir()}
    assert {"...html", "...json", "-ann@x.html", "ann.html", "bob.json"} <= names


def test_the_results_may_lie_among_the_submissions(folder):
    first, _ = graded(folder, folder / "out")
    second, _ = graded(folder, folder / "out")
    assert first == second and first.keys() == {"ann", "bob"}


def test_names_of_files_are_shown_as_text(folder, tmp_path):
    name = "<script>=1\n.json"
    (folder / name).write_bytes(b"{")
    rows, report = graded(folder, tmp_path / "out")
    assert "<script>=1?.json" in rows
    assert "<script>" not in report.html()


def test_hostile_text_stays_text_in_feedback(folder, tmp_path):
    answer = {"c": {"variance": "<script>alert(1)</script>", "<b>": 1}}
    answer["d"] = {"weights": "<i>x</i>"}
    (folder / "eve.json").write_bytes(sheet("eve", answer))
    graded(folder, tmp_path / "out")
    page = (tmp_path / "out" / "feedback" / "eve.html").read_text("utf-8")
    assert "&lt;i&gt;" in page
    assert not any(tag in page for tag in ("<script", "<b>", "<i>"))
    assert "default-src 'none'" in page


def test_a_path_that_does_not_exist(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such file or folder"):
        graded(tmp_path / "nothing", tmp_path / "out")


def test_files_of_other_kinds_are_counted(folder, tmp_path):
    from sdpa.selftest.submissions import Submissions

    (folder / "essay.pdf").write_bytes(b"x")
    with Submissions([folder]) as found:
        assert (len(found.sources), found.ignored) == (2, 1)
