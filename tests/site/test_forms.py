"""The forms of the self-test: filled in, checked, kept, downloaded and restored."""

import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe

from sdpa.selftest import bank, blank_sheet, grade, read_sheet
from sdpa.selftest.page_sources import SEEDS
from tests.grading.samples import GOOD, answers, right_answers, sheet
from tests.site.pages import DESKTOP, PHONE, faults, settle
from tools.ext import forms

PATH = "chapters/07_self_test.html"
ITEMS = bank()["items"]
VIOLATIONS = {"resultTypes": ["violations"]}


@pytest.fixture(params=["http", "file"])
def url(request, book, address):
    """Give the page as it is served, and as it lies in a folder."""
    return f"{address}/{PATH}" if request.param == "http" else (book / PATH).as_uri()


@pytest.fixture
def page(url, context):
    """Open the page in a fresh profile; no error may happen on it."""
    page = context(viewport=DESKTOP, reduced_motion="reduce").new_page()
    found = faults(page)
    page.goto(url)
    settle(page)
    yield page
    assert not found


@pytest.fixture
def plain(address, context):
    """Open the served page alone, for what does not depend on how it came."""
    page = context(viewport=DESKTOP, reduced_motion="reduce").new_page()
    page.goto(f"{address}/{PATH}")
    settle(page)
    return page


def control(page, letter, name, number=None):
    suffix = "" if number is None else f"-{number}"
    return page.locator(f"#selftest-{letter}-{name}{suffix}")


def fill(page, content):
    """Type answers as somebody would."""
    for letter, fields in content.items():
        for name, value in fields.items():
            kind = ITEMS[letter]["fields"][name]["type"]
            if kind == "text":
                control(page, letter, name).fill(value)
            elif kind == "option":
                control(page, letter, name).select_option(label=str(value))
            elif kind == "indices":
                for place in value:
                    control(page, letter, name, place).check()
            else:
                row = value[0] if isinstance(value[0], list) else value
                for number, entry in enumerate(row, 1):
                    control(page, letter, name, number).fill(str(entry))


def check(page, letter):
    """Press the button and return the lines of the verdict."""
    page.get_by_role("button", name=f"Check ({letter})", exact=True).click()
    return page.locator(f"#selftest-{letter} .selftest-part").all_inner_texts()


def total(page):
    return page.locator("[data-total]").inner_text()


def message(page):
    return page.locator("#selftest-sheet [data-message]").inner_text()


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def download(page):
    """Return the downloaded sheet as bytes, and its name."""
    with page.expect_download() as coming:
        press(page, "Download the sheet")
    return coming.value.path().read_bytes(), coming.value.suggested_filename


def restore(page, data, name="sheet.json"):
    file = {"name": name, "mimeType": "application/json", "buffer": data}
    page.set_input_files("#selftest-file", files=file)
    page.wait_for_timeout(100)


def test_right_answers_earn_everything(page):
    fill(page, GOOD)
    for letter in GOOD:
        lines = check(page, letter)
        assert len(lines) == len(ITEMS[letter]["parts"])
        assert all("(full mark): Right" in line for line in lines), lines
    assert total(page) == "Total: 5 of 5."


def test_slips_are_named_and_halves_are_counted(plain):
    fill(plain, answers(c={"divisor": "1/(sigma**2*sqrt(d_k))"}))
    lines = check(plain, "c")
    feedback = bank()["feedback"]["reciprocal"]
    assert "½" in lines[1] and f"(half a mark): {feedback}" in lines[1]
    assert total(plain) == "Total: 0.75 of 5. 4 not checked yet."
    summary = plain.locator("#selftest-c .selftest-summary")
    assert summary.inner_text() == "1.5 of 2 after 1 attempt"
    control(plain, "c", "divisor").fill("sigma**2*sqrt(d_k)")
    assert summary.inner_text().endswith("Changed since then.")
    check(plain, "c")
    assert summary.inner_text() == "2 of 2 after 2 attempts"


def test_page_and_python_show_the_same_verdict(plain):
    content = answers(
        a={"output": "ij,jd->di"}, d={"weights": [0.155362, 0.422319, 0.422319]}
    )
    fill(plain, content)
    for letter, parts in grade(content).items.items():
        lines = check(plain, letter)
        for part, line in zip(parts, lines, strict=True):
            assert line.replace("\n", " ").endswith(part.text)


def test_errors_are_tied_to_their_fields(plain):
    fill(plain, {"d": {"weights": ["0,198", 0.401, 0.401]}, "c": {"variance": "2d_k"}})
    for letter, name, field, words in (
        ("d", "weights", "weights-1", "write 0.198, with a point"),
        ("c", "variance", "variance", "write a sign between '2' and 'd_k'"),
    ):
        check(plain, letter)
        wrong = plain.locator(f"#selftest-{letter}-{field}")
        assert wrong.get_attribute("aria-invalid") == "true"
        assert wrong.evaluate("input => input === document.activeElement")
        described = wrong.evaluate(
            """input => input.closest("[aria-describedby]")
              .getAttribute("aria-describedby").split(" ")
              .map(id => document.getElementById(id).textContent).join(" ")"""
        )
        assert words in described and "quotes" not in described
        wrong.fill("1")
        assert wrong.get_attribute("aria-invalid") is None
        assert not plain.locator(f"#selftest-{letter}-{name}-error").inner_text()


def test_every_control_has_a_name_and_messages_are_announced(plain):
    names = plain.evaluate(
        """() => [...document.querySelectorAll(".selftest :is(input, select)")]
          .map(control => control.labels[0]?.textContent.trim() ?? "")"""
    )
    assert len(names) > 30 and all(names)
    for selector in ("[data-verdict]", "[data-hints]", "[data-message]"):
        for box in plain.locator(f".selftest {selector}").all():
            assert box.get_attribute("role") == "status"


def test_a_question_is_answered_by_keyboard_alone(plain):
    control(plain, "c", "variance").focus()
    plain.keyboard.type("d_k*sigma**4")
    plain.keyboard.press("Tab")
    plain.keyboard.type("sigma**2*sqrt(d_k)")
    plain.keyboard.press("Enter")
    assert total(plain) == "Total: 1 of 5. 4 not checked yet."
    plain.keyboard.press("Tab")
    plain.keyboard.press("Tab")
    plain.keyboard.press("Space")
    assert plain.locator("#selftest-c [data-hints] li").count() == 1


def test_hints_come_one_by_one_and_never_hold_the_key(plain):
    button = plain.locator("#selftest-d [data-action=hint]")
    hints = ITEMS["d"]["hints"]
    for number, hint in enumerate(hints, 1):
        assert button.inner_text() == f"Hint {number} of {len(hints)}"
        button.click()
        shown = plain.locator("#selftest-d [data-hints] li").all_inner_texts()
        assert shown == hints[:number] and hint in shown
    assert button.is_disabled()
    text = plain.locator("#selftest-d [data-hints]").inner_text()
    assert "0.401" not in text and "0.197" not in text


def test_rows_are_added_to_every_grid(plain):
    press(plain, "A row more in each")
    rows = plain.locator("#selftest-b [data-field=Q2] .selftest-row")
    assert rows.count() == 2
    name = "row 2, coordinate 1"
    assert plain.locator(f"#selftest-b [aria-label='{name}']").count() == 4
    ids = plain.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(set(ids)) == len(ids)
    for _ in range(5):
        plain.locator("#selftest-b [data-action=more]").evaluate("b => b.click()")
    assert rows.count() == ITEMS["b"]["fields"]["Q1"]["rows"]
    for _ in range(9):
        plain.locator("#selftest-b [data-action=fewer]").evaluate("b => b.click()")
    assert rows.count() == 1
    fill(plain, {"b": GOOD["b"]})
    assert all("full mark" in line for line in check(plain, "b"))


def test_answers_attempts_and_hints_survive_a_reload(page):
    fill(page, {"d": GOOD["d"]})
    check(page, "d")
    check(page, "d")
    page.locator("#selftest-d [data-action=hint]").click()
    control(page, "c", "variance").fill("d_k*")
    page.reload()
    settle(page)
    assert control(page, "d", "weights", 1).input_value() == "0.198"
    assert control(page, "d", "largest", 3).is_checked()
    assert control(page, "c", "variance").input_value() == "d_k*"
    assert "after 2 attempts" in page.locator("#selftest-d").inner_text()
    assert page.locator("#selftest-d [data-hints] li").count() == 1
    assert total(page) == "Total: 1 of 5. 4 not checked yet."


@pytest.mark.parametrize("broken", ["setItem", "getItem"])
def test_where_nothing_may_be_kept_the_rest_works(broken, address, context):
    page = context(viewport=DESKTOP).new_page()
    page.add_init_script(
        f"Storage.prototype.{broken} = () => {{ throw new Error('no'); }}"
    )
    page.goto(f"{address}/{PATH}")
    fill(page, {"c": GOOD["c"]})
    check(page, "c")
    assert total(page) == "Total: 1 of 5. 4 not checked yet."
    if broken == "setItem":
        assert "keeps nothing" in message(page)


@pytest.mark.parametrize(
    "kept",
    [
        "{", "null", "[]", "5", '{"variant": "x"}',
        '{"variant": null, "student": "", "sheets": {"book": {"answers": 5}}}',
        '{"variant": 99, "student": "", "sheets": {}}',
        '{"variant": null, "student": "", "sheets": {"book": {"answers": {"d": '
        '{"weights": "x", "largest": 7, "output": [[1], {}]}, "b": {"Q1": 5, "Q2": '
        '"abcdefgh"}}, "attempts": {"d": 1}, "hints": {"d": 70}}}}',
    ],
)  # fmt: skip
def test_whatever_was_kept_the_page_works(kept, address, context):
    page = context(viewport=DESKTOP).new_page()
    found = faults(page)
    page.add_init_script(
        f"localStorage.setItem('sdpa-self-test/1', {json.dumps(kept)})"
    )
    page.goto(f"{address}/{PATH}")
    settle(page)
    fill(page, {"d": GOOD["d"], "b": GOOD["b"]})
    assert all("full mark" in line for line in check(page, "d") + check(page, "b"))
    assert not found


def test_the_downloaded_sheet_is_what_python_grades(page):
    fill(page, GOOD)
    page.locator("#selftest-student").fill("ann@example.org")
    data, name = download(page)
    assert name == "ann@example.org.json"
    read = read_sheet(data)
    assert (read.student, read.variant, read.notes) == ("ann@example.org", None, ())
    verdict = grade(read.answers)
    assert (verdict.total, verdict.status) == (5, "graded")


def test_a_blank_sheet_is_the_blank_sheet(plain):
    data, name = download(plain)
    assert (json.loads(data), name) == (blank_sheet(), "answers.json")


def test_an_id_that_is_none_is_refused(plain):
    field = plain.locator("#selftest-student")
    field.fill("=1+1")
    press(plain, "Download the sheet")
    assert field.get_attribute("aria-invalid") == "true"
    error = plain.locator("#selftest-student-error").inner_text()
    assert "expected 1 to 64 of the letters" in error


def test_a_sheet_is_restored(page):
    content = answers(b={"Q1": [[1, 0], [2, 0]], "Q2": [[1, 0], [2, 0]]})
    restore(page, sheet("bob", content))
    assert message(page).startswith("The sheet is restored.")
    assert page.locator("#selftest-b [data-field=left] .selftest-row").count() == 2
    assert page.locator("#selftest-student").input_value() == "bob"
    data, _ = download(page)
    again = read_sheet(data)
    for letter in "acde":
        assert grade(again.answers).score(letter) == 1
        assert all("full mark" in line for line in check(page, letter))
    assert again.answers["b"]["Q1"] == content["b"]["Q1"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "the file is empty"),
        (b"{", "not JSON at line 1, column 2"),
        (b"\xff", "not UTF-8"),
        (b"[]", "expected an object"),
        (b'{"format": "x"}', 'expected "sdpa-answers/1"'),
        (b'{"a": 1, "a": 2}', "the key 'a' stands twice"),
        (sheet("../x"), "student is the text '../x'"),
        (sheet("ann", variant="week-3"), "for the numbers week-3"),
        (sheet("ann", variant=10**6), "for the numbers 1000000"),
        (b" " * (2**20 + 1), "expected 1 MiB at most"),
    ],
)
def test_a_sheet_that_cannot_be_read_changes_nothing(data, words, plain):
    control(plain, "c", "variance").fill("d_k")
    restore(plain, data)
    assert words in message(plain)
    assert control(plain, "c", "variance").input_value() == "d_k"


def test_what_cannot_be_restored_is_said(plain):
    content = answers(d={"weights": ["0,2", 0, 0]}, a={"more": 1}) | {"f": {}}
    restore(plain, sheet("ann", content, extra=1))
    text = message(plain)
    for words in ("(d) weights: entry 1", "no field the text 'more'", "'f'", "'extra'"):
        assert words in text
    assert control(plain, "d", "weights", 1).input_value() == ""
    assert control(plain, "d", "output", 1).input_value() == "3.983"


def test_other_numbers_have_other_answers(page):
    fill(page, {"c": GOOD["c"]})
    questions = page.locator("[data-question]").all_inner_texts()
    press(page, "New numbers")
    page.locator("#selftest-c [data-question]", has_text="set 1:").wait_for()
    assert "set 1 of" in message(page)
    assert page.locator("[data-question]").all_inner_texts() != questions
    assert control(page, "c", "variance").input_value() == ""
    content = right_answers(SEEDS[0])
    fill(page, content)
    for letter in content:
        assert all("full mark" in line for line in check(page, letter))
    data, _ = download(page)
    read = read_sheet(data)
    assert read.variant == SEEDS[0]
    assert grade(read.answers, seed=read.variant).total == 5
    page.reload()
    page.locator("#selftest-c [data-question]", has_text="set 1:").wait_for()
    assert total(page) == "Total: 5 of 5."
    press(page, "The book’s numbers")
    assert page.locator("[data-question]").all_inner_texts() == questions
    assert control(page, "c", "variance").input_value() == GOOD["c"]["variance"]


def test_numbers_that_do_not_come_are_said(address, context):
    page = context(viewport=DESKTOP).new_page()
    page.route("**/variant-*.js", lambda route: route.abort())
    page.goto(f"{address}/{PATH}")
    press(page, "New numbers")
    page.locator("[data-message]", has_text="could not be loaded").wait_for()
    fill(page, {"c": GOOD["c"]})
    assert all("full mark" in line for line in check(page, "c"))
    restore(page, sheet("bob", right_answers(1), variant=1))
    assert "could not be loaded" in message(page)
    assert control(page, "c", "variance").input_value() == GOOD["c"]["variance"]
    page.unroute("**/variant-*.js")
    press(page, "New numbers")
    page.locator("#selftest-c [data-question]", has_text="set 1:").wait_for()


def test_clearing_can_be_undone(plain):
    fill(plain, {"c": GOOD["c"]})
    check(plain, "c")
    press(plain, "Clear the answers")
    assert control(plain, "c", "variance").input_value() == ""
    assert total(plain) == "Nothing was checked yet."
    press(plain, "Bring the answers back")
    assert control(plain, "c", "variance").input_value() == GOOD["c"]["variance"]
    assert total(plain) == "Total: 1 of 5. 4 not checked yet."
    press(plain, "Clear the answers")
    control(plain, "c", "divisor").fill("x")
    assert plain.get_by_role("button", name="Clear the answers").count() == 1


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_while_forms_are_used(size, scheme, address, context):
    page = context(
        viewport=size, color_scheme=scheme, reduced_motion="reduce"
    ).new_page()
    page.goto(f"{address}/{PATH}")
    settle(page)
    fill(page, answers(d={"weights": ["0,2", 0.4, 0.4]}, c={"divisor": "d_k"}))
    press(page, "A row more in each")
    for letter in ITEMS:
        check(page, letter)
        page.locator(f"#selftest-{letter} [data-action=hint]").click()
    found = Axe().run(page, context="form.selftest", options=VIOLATIONS)
    assert not [
        (one["id"], node["html"][:120])
        for one in found.response["violations"]
        for node in one["nodes"]
    ]
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= size["width"]


def test_without_scripts_there_is_a_note_and_no_form(address, context):
    page = context(viewport=DESKTOP, java_script_enabled=False).new_page()
    page.goto(f"{address}/{PATH}")
    assert page.locator("form.selftest").count() == len(ITEMS) + 1
    assert not any(form.is_visible() for form in page.locator("form.selftest").all())
    assert "sdpa check" in page.locator("article").inner_text()


def test_paper_has_blanks_and_no_buttons(plain):
    plain.emulate_media(media="print")
    assert control(plain, "c", "variance").is_visible()
    assert not plain.locator("form.selftest button:visible").count()


def test_only_the_page_with_forms_loads_them(book):
    having = [
        page.name
        for page in book.rglob("*.html")
        if "selftest/form.js" in page.read_text("utf-8")
    ]
    assert having == ["07_self_test.html"]


def test_a_form_that_does_not_exist_stops_the_build():
    from docutils import nodes
    from docutils.utils import new_document

    document = new_document("page")
    document += nodes.raw("", '<div data-self-test="z"></div>', format="html")
    app = type("App", (), {"builder": type("B", (), {"format": "html"})})
    with pytest.raises(forms.FormError, match="no form 'z'; write one of"):
        forms.place(app, document, "page")


def test_forms_have_every_field_of_the_bank():
    for letter, item in ITEMS.items():
        html = forms.form(letter)
        assert re.findall(r'data-field="(\w+)"', html) == list(item["fields"])
