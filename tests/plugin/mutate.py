#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Real captures, changed at random, through tshark: it ends well, says the same twice, and never
blames the plugin.

    mutate.py --plugin PATH [--tshark PROGRAM] [--runs N] [--seed N] [--only NAME] [--keep FOLDER]

A run is one capture changed as mutations.py says. Several runs are one file, each with hosts of its
own, and are shown in each mode, in one of them twice. A file that fails is kept, and its runs are
tried one by one:

    mutate.py --plugin PATH --seed N --only NAME --runs 1

repeats one of them.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

sys.dont_write_bytecode = True
import mutations  # noqa: E402
import segments  # noqa: E402
import tshark as harness  # noqa: E402

RUNS_OF_A_FILE = 25
# Every how many files packets are cut. Cuts change what is believed of a capture as a whole.
SNAPPED = 4
PLACES = 3  # jobs wait for disks as well
WEBSOCKET = b"\nWebSocket\n"
MODES = (("-V",), ("-2", "-V"), ("-T", "json"))
# Other dissectors may well complain of what is not theirs.
FAULTS = re.compile(
    rb"dissector bug|DISSECTOR_ASSERT|Unhandled exception"
    rb"|\[Malformed Packet: Iggy|: Iggy truncated",
    re.IGNORECASE,
)


def shape_of(text: bytes) -> list[tuple[bytes, bytes]]:
    """Packets and what they show of Iggy, but for what only later packets tell. WebSocket is left
    out: where it lost its place, it puts other things together on later passes."""
    found = []
    for packet in re.split(rb"^(?=Frame \d+:)", text, flags=re.MULTILINE):
        name = packet.split(b":")[0]
        for line in re.findall(rb"^(?: \[truncated\])?Apache Iggy.*", packet, re.MULTILINE):
            is_piece = b"of a frame" in line or b"out a frame" in line
            if WEBSOCKET not in packet:
                found.append((name, line if is_piece else b""))
    return found


def shape_difference(one: list[tuple[bytes, bytes]], two: list[tuple[bytes, bytes]]) -> str:
    pairs = itertools.zip_longest(one, two)
    return next((f"{a} and {b}" for a, b in pairs if a != b), "")


@dataclass(frozen=True)
class Run:
    """One changed capture."""

    name: str
    seed: int
    is_snapped: bool

    def segments(self, source: mutations.Segments, host: int) -> mutations.Segments:
        dice = random.Random(f"{self.name} {self.seed}")
        made = mutations.mutant(source, dice, self.is_snapped)
        return [replace(segment, host=host) for segment in made]

    def __str__(self) -> str:
        return f"--seed {self.seed} --only {self.name}{' --snapped' if self.is_snapped else ''}"


class Mutants:
    """Runs files through tshark and judges what it prints."""

    def __init__(self, tshark: harness.Tshark, folder: Path) -> None:
        self.tshark = tshark
        self.folder = folder
        self.sources: dict[str, mutations.Segments] = {}

    def write(self, runs: list[Run], file: Path) -> Path:
        made: mutations.Segments = []
        for host, run in enumerate(runs, 1):
            made.extend(run.segments(self.sources[run.name], host))
        return segments.write(file, made)

    def _print(self, file: Path, mode: tuple[str, ...], output: Path) -> Iterator[str]:
        """Runs one mode once; what it prints is left in `output`."""
        keys = [f"-otls.keylog_file:{path}" for path in self.folder.glob("*.keys")]
        command = self.tshark.as_nobody([self.tshark.program, "-r", file, *mode, *keys])
        with output.open("wb") as target:
            try:
                done = subprocess.run(
                    command,
                    cwd=self.folder,
                    stdin=subprocess.DEVNULL,
                    stdout=target,
                    stderr=subprocess.PIPE,
                    timeout=self.tshark.timeout,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                yield "does not end"
                return
        if done.returncode or done.stderr:
            said = done.stderr.decode("utf-8", "backslashreplace")[:2000]
            yield f"ended with {done.returncode} and said: {said}"

    def _judge(self, text: bytes, mode: tuple[str, ...]) -> Iterator[str]:
        for fault in sorted(set(FAULTS.findall(text))):
            yield f"says {fault.decode()}"
        try:
            decoded = text.decode("utf-8")
            if "json" in mode:
                json.loads(decoded)
        except ValueError as error:
            yield f"prints what cannot be read: {error}"

    def problems(self, file: Path, twice: tuple[str, ...]) -> list[str]:
        """One mode is run twice, and has to print the same."""
        found: list[str] = []
        shapes = []
        output, again = file.with_suffix(".1"), file.with_suffix(".2")
        for mode in MODES:
            said = list(self._print(file, mode, output))
            printed = output.read_bytes()
            said += self._judge(printed, mode)
            if mode == twice:
                said += self._print(file, mode, again)
                if printed != again.read_bytes():
                    said.append("prints something else the second time")
                again.unlink()
            found += [f"{' '.join(mode)} {problem}" for problem in said]
            if "-V" in mode:
                shapes.append(shape_of(printed))
        if shapes[0] != shapes[1]:
            found.append(f"one pass shows other frames than two: {shape_difference(*shapes)}")
        output.unlink()
        return found


def check_file(mutants: Mutants, runs: list[Run], keep: Path) -> list[str]:
    file = mutants.write(runs, mutants.folder / f"{runs[0].name}-{runs[0].seed}.pcap")
    twice = MODES[(runs[0].seed - 1) // RUNS_OF_A_FILE % len(MODES)]  # each in turn
    found = mutants.problems(file, twice)
    if found:
        keep.mkdir(parents=True, exist_ok=True)
        kept = keep / file.name
        shutil.copy(file, kept)
        found.append(f"the file is {kept}")
        for run in runs if len(runs) > 1 else ():
            alone = mutants.write([run], file)
            if problems := mutants.problems(alone, twice):
                found.append(f"repeat it: {run} --runs 1: {problems[0]}")
    file.unlink()
    return found


def plan(names: list[str], count: int, seed: int, is_snapped: bool) -> list[list[Run]]:
    """Files of runs. Each run has a number of its own, which is all that it depends on."""
    files = []
    for begin in range(0, count, RUNS_OF_A_FILE):
        cut = is_snapped or (count > 1 and begin // RUNS_OF_A_FILE % SNAPPED == SNAPPED - 1)
        numbers = range(seed + begin, seed + min(begin + RUNS_OF_A_FILE, count))
        files.append([Run(names[number % len(names)], number, cut) for number in numbers])
    return files


def captures(only: str) -> list[Path]:
    found = [path for path in harness.all_captures() if path.suffix == ".pcap"]
    return [path for path in found if only in (path.name, "")]


def main() -> int:
    made = harness.parser(__doc__)
    made.add_argument("--runs", type=int, default=500)
    made.add_argument("--seed", type=int, default=1)
    made.add_argument("--only", default="", help="the one capture to change")
    made.add_argument("--snapped", action="store_true", help="cut packets in every file")
    made.add_argument("--keep", type=Path, help="where files that fail are kept")
    arguments: argparse.Namespace = made.parse_args()
    keep = arguments.keep or Path(tempfile.gettempdir()) / "iggy-mutants"
    paths = captures(arguments.only)
    keys = [path.with_suffix(".keys") for path in paths if path.with_suffix(".keys").exists()]
    failed = 0
    with harness.Tshark.from_arguments(arguments, keys) as tshark:
        mutants = Mutants(tshark, tshark.folder)
        mutants.sources = {path.name: segments.read(path) for path in paths}
        names = sorted(mutants.sources)
        files = plan(names, arguments.runs, arguments.seed, arguments.snapped)
        with ThreadPoolExecutor(min(os.cpu_count() or 1, PLACES)) as pool:
            for found in pool.map(lambda runs: check_file(mutants, runs, keep), files):
                failed += bool(found)
                for problem in found:
                    print(problem, flush=True)
    print(f"{arguments.runs} runs in {len(files)} files, {failed} files failed")
    return 1 if failed or not names else 0


if __name__ == "__main__":
    sys.exit(main())
