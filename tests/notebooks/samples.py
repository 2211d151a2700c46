"""Make a small notebook that is as it should be."""

import base64
import struct
import zlib

from nbformat.v4 import (
    new_code_cell,
    new_markdown_cell,
    new_notebook,
    new_output,
)

from tools import canonical


def _pixel() -> str:
    """Make the smallest PNG there is."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        checksum = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + checksum

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    body = chunk(b"IDAT", zlib.compress(b"\0\0"))
    png = b"\x89PNG\r\n\x1a\n" + header + body + chunk(b"IEND", b"")
    return base64.b64encode(png).decode()


def stream(text: str, name: str = "stdout"):
    """Make what a cell prints."""
    return new_output("stream", name=name, text=text)


def image():
    """Make what a cell draws."""
    data = {"image/png": _pixel(), "text/plain": "<Figure>"}
    return new_output("display_data", data=data)


def tidy():
    """Make a notebook without a fault."""
    cells = [
        new_markdown_cell("# Title\n\n*About 1 minute.*", id="title"),
        new_code_cell("import math", id="imports", execution_count=1),
        new_code_cell(
            "print(math.exp(3))",
            id="exponential",
            execution_count=2,
            outputs=[stream("20.085536923187668\n")],
        ),
        new_markdown_cell("It is about 20.1, or $20.09$.", id="result"),
        new_code_cell(
            "draw()",
            id="figure",
            execution_count=3,
            outputs=[image()],
            metadata={
                "tags": ["hide-input"],
                "mystnb": {
                    "figure": {"caption": "The exponential up to 20.1."},
                    "image": {
                        "alt": "A curve that climbs from 1 at zero to 20.1 at 3."
                    },
                },
            },
        ),
    ]
    return canonical.normalise(new_notebook(cells=cells, nbformat_minor=5))
