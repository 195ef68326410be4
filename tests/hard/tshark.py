#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Compares the bytes of each stream of the hard cases with those that tshark follows.

    tshark.py --hard-tests PATH --iggy-pcap PATH --tshark PATH

The tests of tests/hard write the captures of their cases. What tshark is known to get wrong stands
in WRONG, with the reason; the day it is right there is an error here as well.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

NOBODY = "65534"
TIMEOUT = 120

# By case and number of the capture within it.
WRONG = {
    "OneDirectionOnly2": "leaves out what follows a hole that the other side does not acknowledge",
    "OverlapWithOtherBytes2": "calls a segment missing that was captured behind the reply to it",
}
HEX_LINE = re.compile(r"^(\t?)([0-9a-f]+)$")
# Stands among the bytes of the stream where some are missing.
MISSING_NOTE = re.compile(rb"\[\d+ bytes missing in capture file\]\.?")


def as_nobody(command: list[str | Path]) -> list[str]:
    """As root tshark warns and drops features; the captures are for everybody to read."""
    prefix = []
    if os.geteuid() == 0:
        prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    return [*prefix, *map(str, command)]


def streams_of_tshark(tshark: str, file: Path, count: int) -> list[tuple[int, int]]:
    """Bytes of both directions of each TCP stream, the smaller number first."""
    follows = [word for i in range(count) for word in ("-z", f"follow,tcp,raw,{i}")]
    done = subprocess.run(
        as_nobody([tshark, "-n", "-q", "-r", file, *follows]),
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
        env={**os.environ, "HOME": str(file.parent)},
    )
    streams = []
    for part in done.stdout.split("Follow: tcp,raw")[1:]:
        sizes = [0, 0]
        for line in part.splitlines():
            found = HEX_LINE.match(line)
            if found and not MISSING_NOTE.match(bytes.fromhex(found[2])):
                sizes[1 if found[1] else 0] += len(found[2]) // 2
        streams.append((min(sizes), max(sizes)))
    return sorted(streams)


def streams_of_tool(tool: Path, file: Path) -> list[tuple[int, int]]:
    done = subprocess.run(
        [tool, "analyze", "--json", file],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    sides = [
        (one["tcp"]["client"]["bytes"], one["tcp"]["server"]["bytes"])
        for one in json.loads(done.stdout)["connections"]
    ]
    return sorted((min(pair), max(pair)) for pair in sides)


def problems(arguments: argparse.Namespace, folder: Path) -> Iterator[str]:
    folder.chmod(0o755)
    subprocess.run(
        [arguments.hard_tests, "--gtest_filter=HardCases.*"],
        env={**os.environ, "IGGY_HARD_FOLDER": str(folder)},
        capture_output=True,
        timeout=TIMEOUT,
        check=True,
    )
    files = sorted(folder.glob("*.pcap"))
    if len(files) < 25:
        yield f"only {len(files)} captures"
    for file in files:
        ours = streams_of_tool(arguments.iggy_pcap, file)
        theirs = streams_of_tshark(arguments.tshark, file, len(ours))
        if (ours == theirs) == (file.stem not in WRONG):
            continue
        yield f"{file.stem}: {ours}, tshark has {theirs}: {WRONG.get(file.stem, 'not known')}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hard-tests", required=True, type=Path)
    parser.add_argument("--iggy-pcap", required=True, type=Path)
    parser.add_argument("--tshark", default="tshark")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = list(problems(arguments, Path(folder)))
    for problem in found:
        print(problem)
    print(f"{len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
