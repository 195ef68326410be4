#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Runs the tool on captures that are made to cost time or memory, against the limits.

    stress.py --iggy-pcap PATH --hostile PATH [--short] [--only CASE]

Each case runs with a count and with twice as much: time may double, memory must stay. The least of
three runs counts. --short takes a tenth of the counts and generous times, for a test beside others.
The exit code is 1 where a limit is broken.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

USUAL = 512  # MiB, the memory limit where none is said
RATIO = 3.0  # of times, where the count doubles; less is noise
SHORT_RATIO = 8.0
OUT = "{out}"  # stands for a folder that is new in each run
WHOLE = ("--max-payload", "100000000")
NOTICEABLE = 0.15  # seconds: below it the start of the program is most of the time


@dataclass
class Case:
    name: str  # of hostile-capture
    count: int
    command: tuple[str, ...] = ("analyze", "--json")
    seconds: float | None = None
    mebibytes: int = USUAL
    limit: str | None = None  # of --memory-limit
    doubles: bool = True


CASES = [
    Case("falling-segments", 40_000, seconds=0.05),
    Case("half-open", 1_000_000, seconds=2.0, mebibytes=256, doubles=False),
    Case("slow-scan", 500_000, mebibytes=64),
    Case("short-connections", 200_000, mebibytes=96),
    Case("idle-connections", 100_000),
    Case("never-answered", 200_000, mebibytes=64),
    Case("wrong-answers", 100_000, mebibytes=64),
    Case("many-logins", 150_000, mebibytes=128),
    Case("many-commands", 100_000, mebibytes=64),
    Case("many-frames", 300_000, mebibytes=64),
    Case("many-frames", 100_000, ("frames", "--json")),
    Case("quic-flows", 100_000, mebibytes=64),
    Case("clock-steps", 100_000, mebibytes=64),
    Case("many-holes", 200_000, mebibytes=64),
    Case("websocket-fragments", 500_000, mebibytes=64),
    Case("begun-bodies", 2_000, ("frames", "--json")),
    Case("begun-bodies", 2_000, ("messages", "--json")),
    Case("undecided-bytes", 5_000),
    Case("waiting-requests", 10_000),
    Case("waiting-requests", 5_000, ("frames", "--json")),
    Case("largest-frames", 2, ("frames", "--json", "--show-payload")),
    Case("largest-messages", 2, ("messages", "--json", "--out", OUT)),
    Case("largest-messages", 2, ("messages", "--json", "--payload", "hex", *WHOLE)),
    Case("open-fragments", 200_000, mebibytes=32),
    Case("half-open", 1_000_000, mebibytes=64, limit="64M", doubles=False),
    Case("idle-connections", 50_000, mebibytes=64, limit="64M"),
    Case("many-logins", 150_000, mebibytes=64, limit="64M"),
    Case("undecided-bytes", 2_000, mebibytes=64, limit="64M"),
    Case("waiting-requests", 5_000, mebibytes=64, limit="64M"),
    Case("never-answered", 50_000, ("frames", "--json"), mebibytes=64, limit="64M"),
    Case("begun-bodies", 1_000, ("frames", "--json"), mebibytes=64, limit="64M"),
    Case("largest-frames", 1, ("frames", "--json"), mebibytes=64, limit="64M", doubles=False),
    Case("largest-messages", 1, ("messages", "--json", *WHOLE), mebibytes=64, limit="64M"),
    Case("open-fragments", 20_000, mebibytes=32, limit="64M"),
]


@dataclass
class Measure:
    seconds: float
    mebibytes: float


def run_once(command: list[str]) -> Measure:
    with (
        open(os.devnull, "wb") as nowhere,
        tempfile.TemporaryDirectory(prefix="iggy-stress-out-") as out,
    ):
        words = [out if word == OUT else word for word in command]
        child = subprocess.Popen(words, stdout=nowhere, stderr=nowhere)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: exit {child.returncode}")
    return Measure(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def measure(command: list[str], runs: int) -> Measure:
    found = [run_once(command) for _ in range(runs)]
    return Measure(min(m.seconds for m in found), max(m.mebibytes for m in found))


def run_case(arguments: argparse.Namespace, case: Case, folder: Path) -> list[str]:
    """Prints a row of the table and gives what is broken."""
    count = max(1, case.count // (10 if arguments.short else 1))
    runs = 1 if arguments.short else 3
    options = [*case.command, *(["--memory-limit", case.limit] if case.limit else [])]
    measures = []
    for times in (1, 2) if case.doubles else (1,):
        capture = folder / "capture.pcap"
        subprocess.run([arguments.hostile, case.name, str(count * times), capture], check=True)
        measures.append(measure([arguments.iggy_pcap, *options, str(capture)], runs))
        capture.unlink()
    seconds, most = measures[0].seconds, max(m.mebibytes for m in measures)
    broken = []
    if case.seconds is not None and seconds > case.seconds * (10 if arguments.short else 1):
        broken.append(f"takes {seconds:.2f} s, not {case.seconds}")
    if most > case.mebibytes:
        broken.append(f"takes {most:.0f} MiB, not {case.mebibytes}")
    ratio = measures[-1].seconds / max(seconds, 0.001)
    allowed = SHORT_RATIO if arguments.short else RATIO
    if case.doubles and measures[-1].seconds > NOTICEABLE and ratio > allowed:
        broken.append(f"twice as much takes {ratio:.1f} times as long")
    print(
        f"{case.name:20} {' '.join(options):42} {count:>9,} {seconds:7.2f} s "
        f"{case.seconds or '-':>5}  {f'x {ratio:.1f}' if case.doubles else '-':>6}"
        f" {most:6.0f} MiB {case.mebibytes:>4}  {'; '.join(broken) or 'ok'}",
        flush=True,
    )
    return [f"{case.name} ({' '.join(options)}) {what}" for what in broken]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--iggy-pcap", required=True)
    parser.add_argument("--hostile", required=True)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only")
    arguments = parser.parse_args()
    print(
        f"{'case':20} {'command':42} {'count':>9} {'time':>9} {'limit':>5}  {'twice':>6}"
        f" {'memory':>10} {'limit':>5}"
    )
    broken = []
    with tempfile.TemporaryDirectory(prefix="iggy-stress-") as folder:
        for case in CASES:
            if arguments.only in (None, case.name):
                broken += run_case(arguments, case, Path(folder))
    for line in broken:
        print(f"broken: {line}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
