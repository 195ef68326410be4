#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Compares the bytes of each stream, of hard cases and of real captures, with what tshark follows.

    tshark.py --hard-tests PATH --iggy-pcap PATH --tshark PATH

The tests of tests/hard write the captures of their cases. What tshark is known to get wrong stands
in WRONG, with the reason; the day it is right there is an error here as well.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

NOBODY = "65534"
TIMEOUT = 120

ROOT = Path(__file__).resolve().parents[2]
REAL = [ROOT / "tests/data/captures", ROOT / "samples"]

# By case and number of the capture within it, or by the name of the capture.
WRONG = {
    "OneDirectionOnly2": "leaves out what follows a hole that the other side does not acknowledge",
    "OverlapWithOtherBytes2": "calls a segment missing that was captured behind the reply to it",
}
NODES = re.compile(r"^Node [01]: (\S+)$", re.MULTILINE)
HEX_LINE = re.compile(r"^(\t?)([0-9a-f]+)$")
# Stands among the bytes of the stream where some are missing.
MISSING_NOTE = re.compile(rb"\[\d+ bytes missing in capture file\]\.?")


def as_nobody(command: list[str | Path]) -> list[str]:
    """As root tshark warns and drops features; the captures are for everybody to read."""
    prefix = []
    if os.geteuid() == 0:
        prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    return [*prefix, *map(str, command)]


# Of a stream: one end and the bytes that it sent, and the same of the other end.
Stream = list[tuple[str, int]]


def streams_of_tshark(tshark: str, file: Path, home: Path, count: int) -> list[Stream]:
    follows = [word for i in range(count) for word in ("-z", f"follow,tcp,raw,{i}")]
    done = subprocess.run(
        as_nobody([tshark, "-n", "-q", "-r", file, *follows]),
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
        env={**os.environ, "HOME": str(home)},
    )
    streams: list[Stream] = []
    for part in done.stdout.split("Follow: tcp,raw")[1:]:
        sizes = [0, 0]
        ends = NODES.findall(part)
        for line in part.splitlines():
            found = HEX_LINE.match(line)
            if found and not MISSING_NOTE.match(bytes.fromhex(found[2])):
                sizes[1 if found[1] else 0] += len(found[2]) // 2
        if len(ends) == 2 and sizes != [0, 0]:
            streams.append(sorted(zip(ends, sizes)))
    return sorted(streams)


def streams_of_tool(tool: Path, file: Path) -> tuple[list[Stream], int]:
    """The streams with bytes, and how many connections there are."""
    done = subprocess.run(
        [tool, "analyze", "--json", file],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    report = json.loads(done.stdout)
    streams: list[Stream] = []
    for one in report["connections"]:
        sides = [(one[side], one["tcp"][side]["bytes"]) for side in ("client", "server")]
        if any(size for _, size in sides):
            streams.append(sorted(sides))
    return sorted(streams), report["connection_count"] + report["empty_connection_count"]


def problems(arguments: argparse.Namespace, folder: Path) -> Iterator[str]:
    folder.chmod(0o755)
    subprocess.run(
        [arguments.hard_tests, "--gtest_filter=HardCases.*"],
        env={**os.environ, "IGGY_HARD_FOLDER": str(folder)},
        capture_output=True,
        timeout=TIMEOUT,
        check=True,
    )
    made = len(list(folder.glob("*.pcap")))
    if made < 25:
        yield f"only {made} captures"
    for place in REAL:  # where they are, nobody may be allowed to read them
        for real in place.glob("*.pcap*"):
            shutil.copy(real, folder)
    streams = 0
    for file in sorted(folder.glob("*.pcap*")):
        ours, connections = streams_of_tool(arguments.iggy_pcap, file)
        theirs = streams_of_tshark(arguments.tshark, file, folder, connections)
        streams += len(ours)
        if (ours == theirs) == (file.stem not in WRONG):
            continue
        only_ours = [one for one in ours if one not in theirs]
        only_theirs = [one for one in theirs if one not in ours]
        reason = WRONG.get(file.stem, "not known")
        yield f"{file.stem}: {only_ours}, tshark has {only_theirs}: {reason}"
    if streams < 200:
        yield f"only {streams} streams"


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
