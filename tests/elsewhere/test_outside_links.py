"""Links that leave the site are asked for, once, and judged by the answer."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from tools import outside_links


class Handler(BaseHTTPRequestHandler):
    """Answer by the path: `/404` with 404; `/get` knows no HEAD."""

    def do_HEAD(self):  # noqa: N802
        """Answer without a body."""
        self.server.asked.append(f"HEAD {self.path}")
        known = self.path.strip("/")
        self.send_response(405 if known == "get" else int(known))
        self.end_headers()

    def do_GET(self):  # noqa: N802
        """Answer what HEAD could not."""
        self.server.asked.append(f"GET {self.path}")
        known = self.path.strip("/")
        self.send_response(200 if known == "get" else int(known))
        self.end_headers()

    def log_message(self, *arguments):
        """Say nothing."""


@pytest.fixture
def server():
    """Serve on a free port; `asked` holds what was asked."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as one:
        one.asked = []
        Thread(target=one.serve_forever, daemon=True).start()
        one.address = f"http://127.0.0.1:{one.server_port}"
        yield one
        one.shutdown()


@pytest.fixture
def site(tmp_path, server):
    """Give a function that makes a site of two pages with the same links."""

    def make(*addresses):
        links = "".join(f"<a href='{address}'>x</a>" for address in addresses)
        for name in ("a.html", "b.html"):
            (tmp_path / name).write_text(f"{links}<a href='b.html'>inside</a>")
        return tmp_path

    return make


def test_page_that_is_gone_is_found_with_its_pages(site, server, capsys):
    gone, there = f"{server.address}/404", f"{server.address}/200"
    folder = site(gone + "#part", there, f"{server.address}/get")
    assert outside_links.main([str(folder)]) == 1
    said = capsys.readouterr().out
    assert f"{gone}: 404; linked from a.html, b.html" in said
    assert said.endswith("2 passed, 1 failed, 0 unclear\n") and there not in said
    assert sorted(server.asked) == [
        "GET /404",
        "GET /get",
        "HEAD /200",
        "HEAD /404",
        "HEAD /get",
    ]


def test_refusal_is_no_absence(site, server, capsys):
    folder = site(f"{server.address}/403", f"{server.address}/429")
    assert outside_links.main([str(folder)]) == 0
    assert "2 passed, 0 failed, 2 unclear" in capsys.readouterr().out


def test_server_that_does_not_answer_is_found(site, server, capsys):
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as other:
        port = other.server_port  # free again when this block ends
    assert outside_links.main([str(site(f"http://127.0.0.1:{port}/200"))]) == 1
    assert "refused" in capsys.readouterr().out.lower()


def test_what_would_start_something_is_not_asked(site):
    binder = "https://mybinder.org/v2/gh/ann/book/main"
    assert outside_links.collect(site(binder, "mailto:ann@example.org")) == {}
