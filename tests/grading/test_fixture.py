"""The fixture that other graders replay is what Python says today."""

import json

from tests.grading.fixture import PATH, fixture


def test_the_fixture_is_up_to_date():
    """After a change on purpose: python -m tests.grading.fixture."""
    assert PATH.read_text("utf-8") == fixture()


def test_the_fixture_covers_good_wrong_and_hostile_sheets():
    cases = json.loads(PATH.read_text("utf-8"))["cases"]
    found = [case["expected"] for case in cases]
    statuses = [expected["status"] for expected in found]
    for status in ("graded", "needs_review", "refused", "unreadable"):
        assert statuses.count(status) >= 5, status
    assert sum(expected.get("total") == 5 for expected in found) >= 8
    tags = {
        tag
        for expected in found
        for parts in expected.get("items", {}).values()
        for _, tag in parts.values()
    }
    assert len(tags) > 90
    assert len(cases) > 1000
