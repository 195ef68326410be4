#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""A packet looks the same in whatever order packets are looked at, and however often.

    order.py --plugin PATH [--tshark PROGRAM] [--only NAME] [--every N] [--mutants N] [--seed N]

Wireshark reads a capture once in order, and then shows what its user clicks at. sharkd does the
same: each packet of every capture, real, made up and changed at random, is asked for forward and
twice, in reverse, and in random orders. Tree and columns have to be equal to the byte, and what
they say of Iggy has to be what tshark says in two passes.
"""

from __future__ import annotations

import itertools
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.dont_write_bytecode = True
import mutations  # noqa: E402
import packets  # noqa: E402
import segments  # noqa: E402
import tshark as harness  # noqa: E402
from sharkd import Sharkd, tree_lines  # noqa: E402

ORDERS = 3
MADE_UP = 9  # frames in each capture that is made up
# A capture that is larger is asked for in one random order only.
LARGE = 1000
PROTOCOL = re.compile(r"^( \[truncated\])?Apache Iggy")
# What TCP itself makes up anew when a packet is looked at again.
UNSTEADY = re.compile(rb'\{"l":"Conversation completeness: [^}]*\}')


def orders(count: int, dice: random.Random) -> Iterator[list[int]]:
    numbers = list(range(1, count + 1))
    yield [number for number in numbers for _ in range(2)]
    yield numbers[::-1]
    for _ in range(ORDERS if count <= LARGE else 1):
        dice.shuffle(numbers)
        yield [*numbers]


def first_difference(one: bytes, other: bytes) -> str:
    at = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    begin = max(at - 120, 0)
    return f"\n  {one[begin : at + 120]!r}\n  {other[begin : at + 120]!r}"


def check_orders(
    sharkd: Sharkd, capture: Path, dice: random.Random, first: dict[int, bytes]
) -> Iterator[str]:
    """Leaves in `first` what the first look at each packet showed."""
    count = sharkd.load(capture)
    wrong: set[int] = set()
    for number in itertools.chain.from_iterable(orders(count, dice)):
        answer = sharkd.packet(number)
        before = first.setdefault(number, answer)
        if answer == before or number in wrong:
            continue
        answer, before = UNSTEADY.sub(b"", answer), UNSTEADY.sub(b"", before)
        if answer != before:
            wrong.add(number)
            difference = first_difference(before, answer)
            yield f"{capture.name}: packet {number} differs:{difference}"


def shown_by_tshark(tshark: harness.Tshark, capture: Path, *arguments: str) -> list[str]:
    """Every line of a tree of Iggy, in order, in two passes."""
    shown = []
    is_iggy = False
    for line in tshark.read("-r", capture, "-2", "-V", *arguments).split("\n"):
        if not line.startswith("    "):
            is_iggy = bool(PROTOCOL.match(line))
        if is_iggy and line:
            shown.append(line)
    return shown


def compare(capture: Path, first: dict[int, bytes], theirs: list[str]) -> Iterator[str]:
    own = [line for number in sorted(first) for line in tree_lines(first[number], "iggy")]
    if own == theirs:
        return
    pairs = itertools.zip_longest(own, theirs)
    told = next(f"{a!r} and {b!r}" for a, b in pairs if a != b)
    yield f"{capture.name}: sharkd and tshark show {told}"


def made_up(folder: Path) -> Iterator[Path]:
    """Frames over many segments, several in one, one of them lost, and one cut by the capture."""
    frames = [f for f in packets.frames(harness.CAPTURES / "rejected.pcap") if f[60] == 5]
    frames = frames[: MADE_UP - 1]
    frames.append(packets.frame(5, bytes(3000), operation=(176, b"\x02")))
    stream = b"".join(frames)

    def cut(size: int, port: int, lost: int = -1) -> list[packets.Segment]:
        places = range(0, len(stream), size)
        return [
            packets.Segment(stream[at : at + size], port=port, sequence=1 + at)
            for number, at in enumerate(places)
            if number != lost
        ]

    made = {
        "many": cut(100, 10001),
        "several": cut(700, 10002),
        "all": cut(60000, 10003),
        "lost": cut(300, 10004, lost=3),
        "tiny": cut(7, 10005),
    }
    snapped = cut(300, 10006)
    for segment in snapped[1::3]:
        segment.captured = 77
    made["cut"] = snapped
    for name, found in made.items():
        yield packets.write(folder / f"made-{name}.pcap", found)


def check_made_up(sharkd: Sharkd, folder: Path) -> Iterator[str]:
    """Every look shows all frames of what lost nothing."""
    for name in ("many", "several", "all", "tiny"):
        count = sharkd.load(folder / f"made-{name}.pcap")
        lines = [l for i in range(1, count + 1) for l in tree_lines(sharkd.packet(i), "iggy")]
        frames = sum(line.startswith("    Header: ") for line in lines)
        if frames != MADE_UP:
            yield f"made-{name}.pcap: {frames} frames of {MADE_UP} are shown"


def mutants(folder: Path, count: int, seed: int, names: list[Path]) -> Iterator[Path]:
    sources = {path: segments.read(path) for path in names if path.suffix == ".pcap"}
    paths = sorted(sources)
    for number in range(seed, seed + count):
        path = paths[number % len(paths)]
        dice = random.Random(f"{path.name} {number}")
        made = mutations.mutant(sources[path], dice, number % 4 == 0)
        yield segments.write(folder / f"mutant-{number}-{path.name}", made)


def main() -> int:
    made = harness.parser(__doc__)
    harness.add_choice(made)
    made.add_argument("--mutants", type=int, default=40, help="captures changed at random")
    made.add_argument("--seed", type=int, default=1)
    arguments = made.parse_args()
    real = harness.chosen_captures(arguments)
    keys = [path.with_suffix(".keys") for path in real if path.with_suffix(".keys").exists()]
    dice = random.Random(arguments.seed)
    problems = 0
    with harness.Tshark.from_arguments(arguments, [*real, *keys]) as tshark, Sharkd(
        tshark
    ) as sharkd:
        settings = []
        for path in keys:
            file = tshark.capture(path.name)
            sharkd.set("tls.keylog_file", str(file))
            settings.append(f"-otls.keylog_file:{file}")
        captures = [tshark.capture(path.name) for path in real]
        captures += made_up(tshark.folder)
        captures += mutants(tshark.folder, arguments.mutants, arguments.seed, real)
        shown = 0
        for capture in captures:
            first: dict[int, bytes] = {}
            theirs = shown_by_tshark(tshark, capture, *settings)
            found = [
                *check_orders(sharkd, capture, dice, first),
                *compare(capture, first, theirs),
            ]
            problems += len(found)
            for problem in found[:5]:
                print(problem, flush=True)
            shown += len(theirs)
        for problem in check_made_up(sharkd, tshark.folder):
            problems += 1
            print(problem)
    if shown < 1000 // arguments.every:
        print(f"only {shown} lines of Iggy")
        problems += 1
    print(f"{len(captures)} captures, {shown} lines of Iggy, {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
