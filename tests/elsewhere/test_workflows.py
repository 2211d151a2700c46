"""Workflows and forms are valid, pinned, and may do no more than they must."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
FORMS = [GITHUB / "ISSUE_TEMPLATE" / name for name in ("bug.yml", "erratum.yml")]
SCHEMAS = {
    "github-workflows": WORKFLOWS,
    "github-issue-forms": FORMS,
    "github-issue-config": [GITHUB / "ISSUE_TEMPLATE" / "config.yml"],
    "dependabot": [GITHUB / "dependabot.yml"],
    "citation-file-format": [ROOT / "CITATION.cff"],
}
PINNED = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40}")
BIN = Path(sys.executable).parent


def schema(name: str, *paths: Path) -> subprocess.CompletedProcess:
    """Hold files against a schema that check-jsonschema brings along."""
    command = [str(BIN / "check-jsonschema"), "--builtin-schema", f"vendor.{name}"]
    return subprocess.run([*command, *map(str, paths)], capture_output=True, text=True)


def zizmor(path: Path) -> subprocess.CompletedProcess:
    """Look for what an attacker could use; without a network."""
    command = [str(BIN / "zizmor"), "--offline", "--quiet", "--no-config"]
    command += ["--min-severity", "medium"]
    return subprocess.run([*command, str(path)], capture_output=True, text=True)


def jobs() -> list[tuple[str, dict]]:
    """Give all jobs, by the name of their workflow."""
    return [
        (path.stem, job)
        for path in WORKFLOWS
        for job in yaml.safe_load(path.read_text())["jobs"].values()
    ]


def steps() -> list[dict]:
    """Give the steps of all jobs."""
    return [step for _, job in jobs() for step in job.get("steps", ())]


@pytest.mark.parametrize("name", SCHEMAS)
def test_files_keep_to_their_schema(name):
    assert SCHEMAS[name]
    done = schema(name, *SCHEMAS[name])
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("github-workflows", "runs-on", "run-on"), ("github-issue-forms", "body", "text")],
)
def test_fault_against_a_schema_is_found(tmp_path, name, old, new):
    path = tmp_path / "spoilt.yml"
    path.write_text(SCHEMAS[name][0].read_text().replace(f"{old}:", f"{new}:"))
    assert schema(name, path).returncode == 1


def test_no_way_in_for_an_attacker():
    done = zizmor(GITHUB)
    assert done.returncode == 0, done.stdout + done.stderr


def test_way_in_is_found(tmp_path):
    path = tmp_path / ".github" / "workflows" / "spoilt.yml"
    path.parent.mkdir(parents=True)
    text = (GITHUB / "workflows" / "release.yml").read_text()
    path.write_text(text.replace('TAG="$TAG"', "TAG=${{ github.ref_name }}"))
    assert "template-injection" in zizmor(path).stdout


def test_actions_are_pinned_by_commit_and_say_which_version():
    text = "\n".join(path.read_text() for path in WORKFLOWS)
    used = re.findall(r"uses: (\S+)(.*)", text)
    assert used
    for action, comment in used:
        if not action.startswith("./"):
            assert PINNED.fullmatch(action), action
            assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), action
    # One action has one commit everywhere.
    pins = {action.partition("@") for action, _ in used if "@" in action}
    assert len({name for name, _, _ in pins}) == len(pins)


def test_nothing_is_granted_that_no_job_names():
    for path in WORKFLOWS:
        assert yaml.safe_load(path.read_text())["permissions"] == {}
    written = {
        (name, scope)
        for name, job in jobs()
        for scope, access in job["permissions"].items()
        if access == "write"
    }
    assert written == {
        ("pages", "contents"),
        ("pages", "pages"),
        ("pages", "id-token"),
        ("release", "contents"),
    }


def test_no_secret_is_needed():
    for path in WORKFLOWS:
        assert "secrets." not in path.read_text()


def test_jobs_call_make_and_end_in_time():
    made = (ROOT / "Makefile").read_text()
    for _, job in jobs():
        assert "uses" in job or job["timeout-minutes"] <= 60
    commands = [step["run"] for step in steps() if "run" in step]
    tasks = {command.split()[1] for command in commands if command.startswith("make ")}
    assert tasks == {"test", "fresh", "site", "publish", "links", "release"}
    assert all(re.search(rf"(?m)^{task}:", made) for task in tasks)
    others = [command for command in commands if not command.startswith("make ")]
    assert len(others) == 1 and others[0].startswith("gh release create")


def test_the_test_job_is_make_test():
    job = yaml.safe_load((GITHUB / "workflows" / "test.yml").read_text())["jobs"][
        "test"
    ]
    assert [step["run"] for step in job["steps"] if "run" in step] == ["make test"]


def test_nothing_is_published_untested():
    published = yaml.safe_load((GITHUB / "workflows" / "pages.yml").read_text())["jobs"]
    assert published["site"]["needs"] == published["notebooks"]["needs"] == "test"
    assert set(published["deploy"]["needs"]) == {"site", "notebooks"}


def test_every_commit_is_linted_before_it_is_made():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert [repo["repo"] for repo in hooks] == ["local"]
    assert [hook["entry"] for hook in hooks[0]["hooks"]] == ["make lint"]
