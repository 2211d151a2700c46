"""Find a browser and start it: one place for tests, printing and measuring.

Chromium is looked for in this order: the program named by `CHROMIUM`; a Chromium or
Chrome of the system; Playwright's own, downloaded where that works; Debian's package,
when this runs as root.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# The same engine without a window around it: pages open two to three times faster.
SHELL = "chromium-headless-shell"
NAMES = (
    SHELL,
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
VARIABLE = "CHROMIUM"
QUIET = (
    "--no-sandbox",  # a container has no other user to become
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
MINUTES = 10


class BrowserMissingError(RuntimeError):
    """No browser was found, and none could be installed."""


def named() -> str | None:
    """Give the browser that the environment names.

    Raises
    ------
    BrowserMissingError
        If it names one that is not there.
    """
    if not (value := os.environ.get(VARIABLE)):
        return None
    if found := shutil.which(value):
        return found
    raise BrowserMissingError(
        f"{VARIABLE} is {value!r}, which is no program; correct it or unset it"
    )


def installed() -> str | None:
    """Give a browser of the system."""
    for name in NAMES:
        if found := shutil.which(name):
            return found
    return None


def downloaded() -> str | None:
    """Give Playwright's own browser, after a try at downloading it."""
    command = (sys.executable, "-m", "playwright", "install", "chromium")
    if not _succeeds(command):
        return None
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).is_file() else None


def packaged() -> str | None:
    """Give Debian's browser, after a try at installing it as root."""
    if not shutil.which("apt-get") or os.geteuid() != 0:
        return None
    _succeeds(("apt-get", "update", "-q"))
    for package in (SHELL, "chromium"):
        if _succeeds(("apt-get", "install", "-y", "-q", package)):
            break
    return installed()


def _succeeds(command: tuple[str, ...]) -> bool:
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=60 * MINUTES, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def find() -> str:
    """Find a browser, in the order given above.

    Raises
    ------
    BrowserMissingError
        If there is none and none can be installed.
    """
    for look in (named, installed, downloaded, packaged):
        if found := look():
            return found
    raise BrowserMissingError(
        "No Chromium or Chrome found, and none could be installed. Install one, or "
        f"name the program: {VARIABLE}=/path/to/chromium"
    )


@contextmanager
def launched() -> Iterator:
    """Start Chromium without a window and with an empty profile; give it to drive."""
    from playwright.sync_api import sync_playwright

    program = find()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=QUIET)
        try:
            yield browser
        finally:
            browser.close()


if __name__ == "__main__":
    try:
        print(find())
    except BrowserMissingError as error:
        sys.exit(str(error))
