"""Headers that compilers accept; every one must be read without an error."""

from __future__ import annotations

from pathlib import Path

ACCEPTED: dict[str, str] = {
    path.stem: path.read_text(encoding="utf-8") for path in sorted((Path(__file__).parent / "accepted").glob("*.h"))
}
ACCEPTED |= {
    "empty": "",
    "utf-8-byte-order-mark": "\ufeffint x;",
    "crlf": "struct S {\r\n  int a; // one\r\n  int b;\r\n};\r\n#define X \\\r\n 3\r\nint y[X];\r\n",
    "no-newline-at-the-end": "int x; // end",
}
