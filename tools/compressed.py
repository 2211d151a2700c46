"""Serve a folder as a web host does, with text compressed; for measuring and testing.

with served(folder) as address:
    ...
"""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from tools import serve

COMPRESSIBLE = {".html", ".css", ".js", ".svg", ".json", ".xml", ".txt", ".ipynb"}


class Handler(serve.Handler):
    """Serves files, and compresses text for clients that accept it."""

    def do_GET(self) -> None:
        """Answer with a compressed file, or as the plain server does."""
        path = Path(self.translate_path(self.path))
        accepted = "gzip" in self.headers.get("Accept-Encoding", "")
        if not (accepted and path.is_file() and path.suffix in COMPRESSIBLE):
            super().do_GET()
            return
        body = gzip.compress(path.read_bytes(), mtime=0)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on a free port of this machine; give its address."""
    handler = partial(Handler, directory=str(folder))
    with ThreadingHTTPServer((serve.HOST, 0), handler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://{serve.HOST}:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
