"""Serve the built book on this machine only, until Ctrl-C.

    python -m tools.serve DIRECTORY --port 8000
    python -m tools.serve --free 8000      (is the port free? asked before building)

The standard library is enough, so the port can be checked before anything is
installed.
"""

import argparse
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HOST = "127.0.0.1"


class Handler(SimpleHTTPRequestHandler):
    """Serves files, says nothing, and lets the browser keep no stale page."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".woff2": "font/woff2"}

    def end_headers(self) -> None:
        """Ask the browser to check for a newer build."""
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *arguments) -> None:
        """Keep quiet: the address has to stay the last line."""


def listen(port: int, directory: Path) -> ThreadingHTTPServer:
    """Take the port.

    Raises
    ------
    OSError
        If the port is taken, or this user may not listen on it.
    ValueError
        If there is no such port.
    """
    if not 0 < port < 65536:
        raise ValueError(f"port {port} does not exist; choose one below 65536")
    return ThreadingHTTPServer((HOST, port), partial(Handler, directory=str(directory)))


def serve(port: int, directory: Path) -> None:
    """Serve a directory until Ctrl-C."""
    with listen(port, directory) as server:
        print(f"The book is at http://{HOST}:{port} (Ctrl-C ends it)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="tools.serve")
    parser.add_argument("directory", nargs="?", type=Path, default=Path("_build/html"))
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--free", type=int, metavar="PORT", help="only check a port")
    options = parser.parse_args(arguments)
    port = options.port if options.free is None else options.free
    try:
        if options.free is None:
            serve(port, options.directory)
        else:
            listen(port, options.directory).server_close()
    except (OSError, ValueError) as error:
        print(f"Cannot serve at {HOST}:{port}: {error}", file=sys.stderr)
        print(
            f"Choose another port: make serve PORT={port % 65000 + 1}", file=sys.stderr
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
