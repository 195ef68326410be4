# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Asks sharkd, Wireshark's server, for packets of a capture in any order.

    with Sharkd(tshark) as sharkd:
        sharkd.load(capture)
        line = sharkd.packet(7)

It reads the whole capture once when it loads it, as Wireshark does, and dissects a packet anew each
time that it is asked for it.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import IO, Any

import tshark as harness

PROGRAM = "sharkd"


def _line(stream: IO[bytes] | None) -> bytes:
    assert stream is not None
    line = stream.readline()
    if not line:
        raise AssertionError("sharkd ended before it answered")
    return line


class Sharkd:
    """One sharkd, which holds one capture at a time."""

    def __init__(self, tshark: harness.Tshark) -> None:
        self.tshark = tshark

    def __enter__(self) -> Sharkd:
        self.errors = (self.tshark.folder / "sharkd.stderr").open("w+b")
        self.process = subprocess.Popen(
            self.tshark.as_nobody([PROGRAM, "-"]),
            cwd=self.tshark.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        self.process.wait(timeout=self.tshark.timeout)
        self.errors.close()

    def ask(self, method: str, **parameters: Any) -> bytes:
        """The line that answers; equal questions have equal answers."""
        question = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
        try:
            self.process.stdin.write(json.dumps(question).encode() + b"\n")
            self.process.stdin.flush()
            return _line(self.process.stdout)
        except (AssertionError, BrokenPipeError):
            code = self.process.wait(timeout=self.tshark.timeout)
            self.errors.seek(0)
            said = self.errors.read().decode("utf-8", "backslashreplace")[-2000:]
            told = f"{method} {parameters}: sharkd ended with {code}: {said}"
            raise AssertionError(told) from None

    def set(self, preference: str, value: str) -> None:
        self.ask("setconf", name=preference, value=value)

    def load(self, capture: Path) -> int:
        """Reads the capture and returns how many packets it has."""
        if b'"status":"OK"' not in self.ask("load", file=str(capture)):
            raise AssertionError(f"{capture} cannot be loaded")
        return int(json.loads(self.ask("status"))["result"]["frames"])

    def packet(self, number: int) -> bytes:
        """Tree and columns of a packet."""
        return self.ask("frame", frame=number, proto=True, columns=True)


def tree_lines(answer: bytes, protocol: str) -> list[str]:
    """The trees of one protocol in an answer, as tshark -V prints them."""

    def lines(node: dict[str, Any], depth: int) -> list[str]:
        label = f"[{node['l']}]" if node.get("g") else node["l"]
        made = ["    " * depth + label]
        for child in node.get("n", ()):
            made += lines(child, depth + 1)
        return made

    tree = json.loads(answer)["result"]["tree"]
    return [text for node in tree if node.get("f") == protocol for text in lines(node, 0)]
