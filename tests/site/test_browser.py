"""The browser is looked for in the order that tools.browser promises."""

import pytest

from tools import browser


@pytest.fixture
def machine(monkeypatch):
    """Give a machine without browsers; names put into it are programs on it."""
    there, tried = set(), []

    def succeeds(command):
        tried.append(command)
        return False

    monkeypatch.delenv(browser.VARIABLE, raising=False)
    monkeypatch.setattr(browser.shutil, "which", lambda name: name in there and name)
    monkeypatch.setattr(browser, "_succeeds", succeeds)
    monkeypatch.setattr(browser.os, "geteuid", lambda: 0)
    return there, tried


def test_the_named_browser_comes_first(machine, monkeypatch):
    there, _ = machine
    there |= {"chromium", "mine"}
    monkeypatch.setenv(browser.VARIABLE, "mine")
    assert browser.find() == "mine"


def test_a_name_that_is_no_program_is_an_error_and_not_skipped(machine, monkeypatch):
    there, _ = machine
    there.add("chromium")
    monkeypatch.setenv(browser.VARIABLE, "typo")
    with pytest.raises(browser.BrowserMissingError, match="CHROMIUM is 'typo'"):
        browser.find()


def test_the_system_comes_before_downloads_and_the_shell_before_the_rest(machine):
    there, tried = machine
    there |= {"google-chrome", "chromium", browser.SHELL}
    assert browser.find() == browser.SHELL
    there.remove(browser.SHELL)
    assert browser.find() == "chromium"
    assert not tried


def test_then_playwright_and_the_package_are_tried(machine, monkeypatch):
    there, tried = machine
    there.add("apt-get")

    def succeeds(command):
        tried.append(command)
        if command[-1] == "chromium" and "apt-get" in command:
            there.add("chromium")
        return "playwright" not in command and browser.SHELL not in command

    monkeypatch.setattr(browser, "_succeeds", succeeds)
    assert browser.find() == "chromium"
    names = [command[-1] for command in tried]
    assert names == ["chromium", "-q", browser.SHELL, "chromium"]


def test_a_machine_without_any_says_what_to_do(machine):
    with pytest.raises(browser.BrowserMissingError, match="CHROMIUM=/path/to/chromium"):
        browser.find()
