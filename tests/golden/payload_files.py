#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Checks the files that `messages --out` writes.

    payload_files.py --iggy-pcap PATH

Each holds the whole payload of its message; none that is there already is touched, and nothing
outside of the folder, whatever stands in it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
CAPTURE = ROOT / "tests/data/captures/rust-session.pcap"


def run(tool: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [tool, "messages", "--json", "--payload", "hex", "--max-payload", "100000",
               "--out", folder, *arguments, CAPTURE]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def payloads(folder: Path, lines: list[dict[str, Any]]) -> list[str]:
    """What is wrong with the files of these messages."""
    wrong = []
    for line in lines:
        if (folder / line["file"]).read_bytes().hex() != line["payload"]:
            wrong.append(f"{line['file']} holds another payload")
    if {line["file"] for line in lines} != {path.name for path in folder.iterdir()}:
        wrong.append("there are other files than messages")
    return wrong


def check(tool: Path, place: Path) -> list[str]:
    wrong = []
    fresh = place / "fresh"
    done = run(tool, fresh)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode != 0 or len(lines) < 20:
        return [f"ended with {done.returncode} and {len(lines)} messages: {done.stderr}"]
    wrong += payloads(fresh, lines)

    before = {path.name: path.read_bytes() for path in fresh.iterdir()}
    again = run(tool, fresh)
    if again.returncode != 2 or "File exists" not in again.stderr:
        wrong.append(f"a second run ended with {again.returncode}: {again.stderr}")
    if before != {path.name: path.read_bytes() for path in fresh.iterdir()}:
        wrong.append("a second run changed files")

    outside = place / "outside"
    outside.write_bytes(b"precious")
    trap = place / "trap"
    trap.mkdir()
    (trap / lines[0]["file"]).symlink_to(outside)
    if run(tool, trap).returncode != 2 or outside.read_bytes() != b"precious":
        wrong.append("a link led out of the folder")

    few = place / "few"
    some = run(tool, few, "-n", "3", "--direction", "polled")
    if some.returncode != 0 or len(list(few.iterdir())) != 3:
        wrong.append("-n 3 did not write three files")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description="Checks the files of messages --out.")
    parser.add_argument("--iggy-pcap", required=True, type=Path, help="the program to test")
    tool = parser.parse_args().iggy_pcap.resolve()
    with tempfile.TemporaryDirectory() as place:
        wrong = check(tool, Path(place))
    print("\n".join(wrong) if wrong else "payload files are right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
