"""Find Firefox and drive it: no driver program, only the protocol it speaks itself.

    with launched() as firefox:
        page = firefox.open("http://127.0.0.1:8000/")
        page.evaluate("document.title")

Firefox speaks WebDriver BiDi over a socket: JSON commands, their answers by number,
and events in between.
"""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from tools.browser import BrowserMissingError

NAMES = (
    "firefox-esr",
    "firefox",
    "/Applications/Firefox.app/Contents/MacOS/firefox",
)
VARIABLE = "FIREFOX"
EVENTS = ("log.entryAdded", "network.beforeRequestSent", "network.fetchError")
PATIENCE = 60  # s for the program to start, and for a command to be answered
ADDRESS = "WebDriverBiDiServer.json"  # what Firefox writes into its profile
GIVEN_UP = "NS_BINDING_ABORTED"  # the next page, fetched ahead and not needed
# Without a screen there is no mouse either; readers of a laptop have one.
SETTINGS = """\
user_pref("ui.primaryPointerCapabilities", 6);
user_pref("ui.allPointerCapabilities", 6);
"""
KEYS = {"Enter": "\ue007", "Tab": "\ue004", "Escape": "\ue00c"}


def find() -> str:
    """Find Firefox: the program that `FIREFOX` names, or one of the system.

    Raises
    ------
    BrowserMissingError
        If there is none.
    """
    value = os.environ.get(VARIABLE)
    for name in [value] if value else NAMES:
        if found := shutil.which(name):
            return found
    raise BrowserMissingError(
        f"No Firefox found{f' at {value!r}' if value else ''}. Install it (Debian: "
        f"apt-get install firefox-esr), or name it: {VARIABLE}=/path/to/firefox"
    )


class Page:
    """A tab of Firefox: what happens in it is in `errors` and `requests`."""

    def __init__(self, firefox: "Firefox", context: str) -> None:
        self._firefox, self._context = firefox, context
        self.errors: list[str] = []
        self.requests: list[str] = []

    def goto(self, url: str) -> None:
        """Open an address, and wait until it is complete."""
        self._call("browsingContext.navigate", url=url, wait="complete")

    def evaluate(self, expression: str, argument=None):
        """Evaluate an expression, or call a function with an argument; give the result.

        A promise is waited for. What is given and returned has to be JSON.

        Raises
        ------
        RuntimeError
            If the script raises.
        """
        text = (
            f"(async () => {{ const it = ({expression}); "
            "const value = typeof it === 'function' "
            f"? await it({json.dumps(argument)}) : await it; "
            "return JSON.stringify(value ?? null); })()"
        )
        answer = self._call(
            "script.evaluate",
            expression=text,
            target={"context": self._context},
            awaitPromise=True,
            context=None,
        )
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def press(self, text: str) -> None:
        """Type a text, or press a key that `KEYS` names."""
        keys = [KEYS[text]] if text in KEYS else list(text)
        actions = [
            {"type": kind, "value": key}
            for key in keys
            for kind in ("keyDown", "keyUp")
        ]
        self._perform({"type": "key", "id": "keys", "actions": actions})

    def click(self, selector: str) -> None:
        """Click the middle of the first element that matches, as a mouse does."""
        middle = self.evaluate(
            """selector => {
              const element = document.querySelector(selector);
              element.scrollIntoView({ block: "center", behavior: "instant" });
              const box = element.getBoundingClientRect();
              return [box.x + box.width / 2, box.y + box.height / 2].map(Math.round);
            }""",
            selector,
        )
        move = {"type": "pointerMove", "x": middle[0], "y": middle[1]}
        press = [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
        self._perform({"type": "pointer", "id": "mouse", "actions": [move, *press]})

    def resize(self, width: int, height: int) -> None:
        """Give the page another window."""
        viewport = {"width": width, "height": height}
        self._call("browsingContext.setViewport", viewport=viewport)

    def screenshot(self, *, whole: bool = False) -> bytes:
        """Give what is to be seen as a PNG file, or the whole page."""
        origin = "document" if whole else "viewport"
        answer = self._call("browsingContext.captureScreenshot", origin=origin)
        return base64.b64decode(answer["data"])

    def close(self) -> None:
        """Close the tab."""
        self._call("browsingContext.close")
        self._firefox.pages.pop(self._context)

    def hear(self, method: str, event: dict) -> None:
        """Note an event of this page."""
        if method == "log.entryAdded" and event["level"] in ("error", "warn"):
            self.errors.append(f"{event['type']}: {event['text']}")
        elif method == "network.beforeRequestSent":
            self.requests.append(event["request"]["url"])
        elif method == "network.fetchError" and event["errorText"] != GIVEN_UP:
            self.errors.append(f"failed: {event['request']['url']}")

    def _perform(self, source: dict) -> None:
        self._call("input.performActions", actions=[source])

    def _call(self, method: str, **parameters):
        parameters = {"context": self._context, **parameters}
        kept = {key: value for key, value in parameters.items() if value is not None}
        return self._firefox.call(method, **kept)


class Firefox:
    """A running Firefox, reached over its socket."""

    def __init__(self, socket) -> None:
        self._socket, self._numbers = socket, count(1)
        self.pages: dict[str, Page] = {}
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=list(EVENTS))

    def open(self, url: str) -> Page:
        """Open an address in a new tab."""
        context = self.call("browsingContext.create", type="tab")["context"]
        page = self.pages[context] = Page(self, context)
        page.goto(url)
        return page

    def call(self, method: str, **parameters) -> dict:
        """Give a command, and hear what happens until it is answered.

        Raises
        ------
        RuntimeError
            If Firefox refuses the command.
        TimeoutError
            If it does not answer.
        """
        number = next(self._numbers)
        command = {"id": number, "method": method, "params": parameters}
        self._socket.send(json.dumps(command))
        while True:
            message = json.loads(self._socket.recv(timeout=PATIENCE))
            if message["type"] == "event":
                self._hear(message["method"], message["params"])
            elif message["id"] == number:
                break
        if message["type"] == "error":
            raise RuntimeError(f"Firefox refused {method}: {message['message']}")
        return message["result"]

    def _hear(self, method: str, event: dict) -> None:
        # Messages of the log name their page elsewhere than requests do.
        context = event.get("context") or event.get("source", {}).get("context")
        if page := self.pages.get(context):
            page.hear(method, event)


def _address(profile: Path, process: subprocess.Popen) -> str:
    """Wait until Firefox says where it listens."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        try:
            told = json.loads((profile / ADDRESS).read_text(encoding="utf-8"))
            return f"ws://{told['ws_host']}:{told['ws_port']}/session"
        except (OSError, ValueError):
            time.sleep(0.1)
    raise TimeoutError(f"Firefox did not say where it listens in {PATIENCE} s")


@contextmanager
def launched() -> Iterator[Firefox]:
    """Start Firefox without a window and with an empty profile; give it to drive."""
    from websockets.sync.client import connect

    program = find()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        (Path(folder) / "user.js").write_text(SETTINGS, encoding="utf-8")
        process = subprocess.Popen(
            (program, "--headless", "--no-remote", "--remote-debugging-port=0")
            + ("--profile", folder, "about:blank"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            where = _address(Path(folder), process)
            with connect(where, max_size=None, compression=None) as socket:
                yield Firefox(socket)
        finally:
            process.terminate()
            process.wait(PATIENCE)
