"""What the make tasks call: the steps of a check, and serving the site."""

import sys
from threading import Thread
from urllib.request import urlopen

import pytest

from tools import check, serve


def pytest_step(path) -> check.Step:
    """Make a step that runs one test file without the settings of the book."""
    command = (sys.executable, "-m", "pytest", "-q", "-c", "/dev/null", str(path))
    return check.Step("tests", command, no_skips=True)


@pytest.mark.parametrize(
    ("body", "passes"),
    [("pass", True), ("assert False", False), ("import pytest; pytest.skip()", False)],
    ids=["passed", "failed", "skipped"],
)
def test_step_fails_on_failures_and_skips(body, passes, tmp_path):
    path = tmp_path / "test_it.py"
    path.write_text(f"def test_it():\n    {body}\n")
    assert check.passes(pytest_step(path)) is passes


def test_step_says_what_it_is_and_how_it_went(capfd):
    assert check.passes(check.Step("nothing", (sys.executable, "-c", "")))
    assert not check.passes(check.Step("trouble", (sys.executable, "-c", "1 / 0")))
    printed = capfd.readouterr().out
    assert "== nothing\n-- passed" in printed and "== trouble\n-- FAILED" in printed


def test_missing_module_fails(capfd):
    step = check.steps()[0]
    broken = check.Step(step.name, (*step.command[:-1], "import no_such_module"))
    assert not check.passes(broken)
    assert "no_such_module" in capfd.readouterr().err


@pytest.fixture
def free_port(tmp_path) -> int:
    """Find a port that nobody listens on."""
    with serve.ThreadingHTTPServer((serve.HOST, 0), serve.Handler) as server:
        return server.server_port


def test_taken_port_is_an_error_that_names_another(free_port, tmp_path, capsys):
    assert serve.main(["--free", str(free_port)]) == 0
    with serve.listen(free_port, tmp_path):
        assert serve.main(["--free", str(free_port)]) == 1
        assert serve.main([str(tmp_path), "--port", str(free_port)]) == 1
    assert f"make serve PORT={free_port % 65000 + 1}" in capsys.readouterr().err


def test_impossible_port_is_an_error(capsys):
    assert serve.main(["--free", "70000"]) == 1
    assert "does not exist" in capsys.readouterr().err


def test_pages_are_served_fresh_and_quietly(free_port, tmp_path, capfd):
    (tmp_path / "page.html").write_text("hello")
    with serve.listen(free_port, tmp_path) as server:
        Thread(target=server.handle_request).start()
        with urlopen(f"http://{serve.HOST}:{free_port}/page.html") as answer:
            assert answer.read() == b"hello"
            assert answer.headers["Cache-Control"] == "no-cache"
    assert capfd.readouterr() == ("", "")
