"""Batches: they go on where they stopped, and give the same bytes everywhere."""

import hashlib
import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import distributed
import pytest

from sdpa.selftest import blank_sheet, student_seed
from sdpa.selftest.batch import grade_all
from sdpa.selftest.classes import Outputs, grade_class
from sdpa.selftest.journal import Journal
from sdpa.selftest.records import Settings, grade_file
from sdpa.selftest.submissions import Source, Submissions
from tests.grading.samples import answers, code, kept, notebook, right_answers, sheet


@pytest.fixture
def folder(tmp_path):
    """A class of 150, some of it bad."""
    folder = tmp_path / "class"
    folder.mkdir()
    for i in range(100):
        content = answers(d={"weights": [0.2, 0.4, i / 100]})
        (folder / f"s{i:03}.json").write_bytes(sheet(f"s{i:03}", content))
    for i in range(40):
        cells = [code("", kept("c")), code(f"check('d', weights=[{i}, 0, 0])")]
        (folder / f"n{i}.ipynb").write_bytes(notebook(*cells, student=f"n{i}"))
    for i in range(10):
        (folder / f"bad{i}.json").write_bytes(b"{" * i)
    return folder


def bytes_of(out):
    """Return a fingerprint of each result, the journal apart."""
    return {
        path.relative_to(out).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in out.rglob("*")
        if path.is_file() and path.name != "journal.jsonl"
    }


EVERYTHING = Outputs(moodle=True, gradescope=True)


def test_serial_processes_threads_and_dask_give_the_same_bytes(folder, tmp_path):
    grade_class([folder], tmp_path / "serial", outputs=EVERYTHING)
    expected = bytes_of(tmp_path / "serial")
    assert len(expected) == 3 + 3 * 150

    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as executor:
        grade_class(
            [folder], tmp_path / "processes", outputs=EVERYTHING, executor=executor
        )
    assert bytes_of(tmp_path / "processes") == expected

    with ThreadPoolExecutor(3) as executor:
        grade_class(
            [folder], tmp_path / "threads", outputs=EVERYTHING, executor=executor
        )
    assert bytes_of(tmp_path / "threads") == expected


@pytest.mark.filterwarnings("default")
def test_dask_gives_the_same_bytes(folder, tmp_path):
    grade_class([folder], tmp_path / "serial")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        grade_class([folder], tmp_path / "dask", executor=client.get_executor())
    assert bytes_of(tmp_path / "dask") == bytes_of(tmp_path / "serial")


class Stopped(Exception):
    """Stands for a power cut."""


def test_a_batch_goes_on_where_it_stopped(folder, tmp_path, monkeypatch):
    grade_class([folder], tmp_path / "whole")
    out, done = tmp_path / "out", []

    def stop(n):
        done.append(n)
        if sum(done) > 70:
            raise Stopped

    with pytest.raises(Stopped):
        grade_class([folder], out, progress=stop)
    assert not (out / "grades.csv").exists()
    with (out / "journal.jsonl").open("r+b") as journal:
        journal.truncate(journal.seek(0, 2) - 100)  # stopped in the middle of a line

    graded = []
    real = grade_file
    monkeypatch.setattr(
        "sdpa.selftest.records.grade_file",
        lambda name, *rest: graded.append(name) or real(name, *rest),
    )
    grade_class([folder], out)
    assert 0 < len(graded) < 100
    assert bytes_of(out) == bytes_of(tmp_path / "whole")

    graded.clear()
    grade_class([folder], out)
    assert graded == []
    assert bytes_of(out) == bytes_of(tmp_path / "whole")


def test_grading_again_grades_nothing_and_gives_the_same_bytes(
    folder, tmp_path, monkeypatch
):
    out = tmp_path / "out"
    grade_class([folder], out)
    before, size = bytes_of(out), (out / "journal.jsonl").stat().st_size
    monkeypatch.setattr("sdpa.selftest.records.grade_file", None)
    grade_class([folder], out)
    assert bytes_of(out) == before
    assert (out / "journal.jsonl").stat().st_size == size


@pytest.mark.parametrize("change", ["file", "grader", "key", "settings"])
def test_what_changed_is_graded_again(folder, tmp_path, monkeypatch, change):
    out, settings = tmp_path / "out", Settings()
    grade_class([folder], out)
    if change == "file":
        (folder / "s000.json").write_bytes(sheet("s000", {}))
    elif change == "settings":
        settings = Settings(id_from="filename")
    else:
        name = {"grader": "grader_version", "key": "key_version"}[change]
        monkeypatch.setattr(f"sdpa.selftest.records.{name}", lambda: "other")
    size = (out / "journal.jsonl").stat().st_size
    rows, _ = grade_class([folder], out, settings)
    assert (out / "journal.jsonl").stat().st_size > size
    totals = {row.student: row.total for row in rows}
    assert (totals["s000"] == 0) == (change == "file")


def test_few_files_are_held_at_a_time(tmp_path):
    """Reading runs ahead of grading by a bounded number of chunks."""
    read, most = [], []

    class Slow:
        def submit(self, function, files, settings):
            most.append(len(read) - sum(done))
            results = function(files, settings)
            return type("F", (), {"result": lambda self: results})()

    class Counted(Source):
        def read(self):
            read.append(self.name)
            return sheet(self.name[:-5])

    done = []
    sources = [Counted(f"s{i}.json") for i in range(2000)]
    with Journal(tmp_path / "journal.jsonl", "v") as journal:
        grade_all(sources, journal, Settings(), executor=Slow(), progress=done.append)
    assert sum(done) == 2000
    assert max(most) <= 64 * 10


def test_a_grader_that_fails_costs_one_sheet(monkeypatch):
    def broken(answers, *, seed):
        raise ZeroDivisionError

    monkeypatch.setattr("sdpa.selftest.records.grade", broken)
    record = grade_file("ann.json", sheet("ann"), Settings())
    assert (record["status"], record["total"]) == ("unreadable", 0)
    assert "the grader failed (ZeroDivisionError)" in record["reason"]


SECRET = Settings(salt="correct horse", assignment="week-3")


def test_each_student_has_other_numbers():
    answered = right_answers(student_seed("correct horse", "week-3", "ann"))
    mine = grade_file("x.json", sheet("ann", answered, variant="week-3"), SECRET)
    copied = grade_file("x.json", sheet("bob", answered, variant="week-3"), SECRET)
    assert mine["total"] == 5
    assert copied["total"] < 4


@pytest.mark.parametrize(
    ("variant", "settings", "reason"),
    [
        (None, SECRET, "variant is None, expected 'week-3'"),
        ("week-4", SECRET, "variant is 'week-4', expected 'week-3'"),
        (7, SECRET, "variant is 7, expected 'week-3'"),
        (7, Settings(), "variant is 7, expected null, the numbers of the book"),
        ("week-3", Settings(practice=True), "variant is 'week-3', expected null"),
    ],
)
def test_sheets_for_other_numbers_are_refused(variant, settings, reason):
    record = grade_file("x.json", sheet(variant=variant), settings)
    assert (record["status"], record["total"]) == ("refused", 0)
    assert reason in record["reason"]


def test_whose_it_is_can_come_from_the_file_name():
    settings = Settings(id_from="filename")
    assert grade_file("bob_12_sheet.json", sheet("ann"), settings)["student"] == "bob"
    assert grade_file("bob.json", sheet(""), Settings())["student"] == "bob"
    assert grade_file("bob.json", sheet("ann"), Settings())["student"] == "ann"


def test_a_blank_sheet_scores_nothing_and_needs_nobody():
    record = grade_file("x.json", sheet("ann", blank_sheet()["answers"]), Settings())
    assert (record["total"], record["status"]) == (0, "graded")


def test_names_come_in_order(folder):
    with Submissions([folder]) as found:
        names = [source.name for source in found.sources]
    assert names == sorted(names) and len(names) == 150
