#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Problems lie at the same bytes in the plugin as in iggy-pcap, with the same numbers.

    places.py --plugin PATH --iggy-pcap PATH [--only NAME] [--every N] [--tshark PROGRAM]

Each problem that iggy-pcap prints of a frame is an item of Wireshark's tree that begins at its
first byte, and has an expert info that tells how many bytes or which numbers it is about. Frames
whose bodies the truths call bad have to be among them, and Wireshark itself finds none malformed.
"""

from __future__ import annotations

import json
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True
import batches  # noqa: E402
import tshark as harness  # noqa: E402
from parity import OF_BATCHES, is_in_order, ports_of, report_of  # noqa: E402

PREFIX = "iggy.problem."
# What a frame has besides the problems that iggy-pcap prints of it.
OTHERS = {*OF_BATCHES, f"{PREFIX}more", f"{PREFIX}contradiction"}
# The numbers in an expert's text, as iggy-pcap calls them; `place` is from the start of the region.
TEXTS = {
    "cut_by_capture": r"(?P<needed>\d+) bytes? needed, (?P<available>\d+) captured",
    "too_short": r"(?P<needed>\d+) bytes? needed, (?P<available>\d+) left",
    "not_zero": r"from byte (?P<place>\d+) on",
    "out_of_range": r"is (?P<available>\d+), and (?P<needed>\d+) at",
    "trailing": r"(?P<available>\d+) bytes? behind",
    "ignored": r"(?P<available>\d+) bytes? behind",
    "malformed": r"from byte (?P<place>\d+) on",
}
# Packet, kind, place in the frame, needed, available; a number that is not told is None.
Problem = tuple[int, str, int, int | None, int | None]


def printed_problems(iggy_pcap: Path, capture: Path) -> Iterator[Problem]:
    command = [iggy_pcap, "frames", "--json", capture]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        frame: dict[str, Any] = json.loads(line)
        for problem in frame["problems"]:
            kind = problem["problem"]
            told = [
                int(problem[number]) if f"<{number}>" in TEXTS[kind] else None
                for number in ("needed", "available")
            ]
            yield frame["packet"], kind, problem["offset"], told[0], told[1]


def place_of(field: ElementTree.Element) -> int:
    return int(field.get("pos", "-1"))


def regions_of(frame: ElementTree.Element) -> Iterator[ElementTree.Element]:
    for field in frame:
        if field.get("name") in ("iggy.header", "iggy.body"):
            yield field


def experts_of(region: ElementTree.Element) -> dict[str, list[tuple[int, str]]]:
    """Place and text of the experts of each kind, in the order of the tree."""
    found: dict[str, list[tuple[int, str]]] = {}
    for expert in region.iter("field"):
        if expert.get("name") != "_ws.expert":
            continue
        for child in expert:
            name = child.get("name", "")
            if name.startswith(PREFIX) and name not in OTHERS:
                told = found.setdefault(name.removeprefix(PREFIX), [])
                told.append((place_of(expert), child.get("showname", "")))
    return found


def expert_is_near(kind: str, expert: int, problem: int, region: int) -> bool:
    """Of a body that does not fit the whole item is wrong, of reserved bytes the row."""
    if kind == "malformed":
        return expert == region
    return expert <= problem if kind == "not_zero" else expert == problem


def shown_problems(number: int, frame: ElementTree.Element) -> Iterator[Problem | str]:
    start = place_of(frame)
    for region in regions_of(frame):
        experts = experts_of(region)
        for item in region.iter("field"):
            if item.get("name") != "iggy.problem":
                continue
            kind, place = item.get("show", ""), place_of(item)
            if not experts.get(kind):
                yield f"packet {number}: {kind} without an expert info"
                continue
            expert, text = experts[kind].pop(0)
            numbers = re.search(TEXTS[kind], text)
            if numbers is None:
                yield f"packet {number}: {text!r} is not understood"
                continue
            told = {name: int(value) for name, value in numbers.groupdict().items()}
            if told.get("place", place - place_of(region)) != place - place_of(region):
                yield f"packet {number}: {text!r} at {place - start}"
            if not expert_is_near(kind, expert, place, place_of(region)):
                yield f"packet {number}: the expert of {kind} at {place} is at {expert}"
            yield number, kind, place - start, told.get("needed"), told.get("available")


def compare(
    tshark: harness.Tshark, arguments: Any, capture: Path, bad: set[int]
) -> Iterator[str]:
    report = report_of(arguments.iggy_pcap, capture)
    printed = Counter(printed_problems(arguments.iggy_pcap, capture))
    named = ("-o", f"iggy.tcp.port:{ports_of(report)}")
    shown = ("-T", "pdml", "-J", "iggy", "-Y", "iggy.problem || _ws.malformed")
    pdml = tshark.read("-2", "-r", tshark.capture(capture.name), *named, *shown)
    found: Counter[Problem] = Counter()
    for packet in ElementTree.fromstring(pdml):
        number = next(
            int(field.get("show", "0"))
            for field in packet.iter("field")
            if field.get("name") == "num"
        )
        for proto in packet.iter("proto"):
            if proto.get("name") == "_ws.malformed":
                yield f"packet {number}: Wireshark calls it malformed"
            if proto.get("name") != "iggy":
                continue
            for problem in shown_problems(number, proto):
                if isinstance(problem, str):
                    yield problem
                else:
                    found[problem] += 1
    # Where packets are missing Wireshark's reassembly loses frames, and takes those whose body was
    # not captured where their header is.
    is_whole = is_in_order(report)
    for problem in found - printed:
        if is_whole or problem[1] != "cut_by_capture":
            yield f"{problem} is shown only"
    for problem in printed - found:
        if is_whole or problem[0] in bad:
            yield f"{problem} is printed only"
    for number in bad - {problem[0] for problem in found}:
        yield f"packet {number}: no problem, though the truth calls its body bad"


def wide_numbers(tshark: harness.Tshark) -> Path:
    """A producer of 0.12 whose number is above the highest that a double and 63 bits hold."""
    producer = b"\1\0\0\0" + struct.pack("<Q", 1 << 63)
    damaged = bytearray(batches.batch())
    damaged[52 : 52 + len(producer)] = producer
    frame = bytearray(batches.send(1, bytes(damaged)))
    frame[200] = 9  # the incarnation of a partition, which only 0.12 knows
    return batches.talk(tshark, "wide-numbers.pcap", (True, bytes(frame)))


def bad_packets(capture: Path) -> set[int]:
    lines = (harness.CAPTURES / "marked.txt").read_text(encoding="utf-8").splitlines()
    words = [line.split() for line in lines]
    return {int(w[1]) for w in words if w[0] == capture.name and w[-1] == "bad"}


def main() -> int:
    parser = harness.parser(__doc__)
    parser.add_argument("--iggy-pcap", required=True, type=Path)
    harness.add_choice(parser)
    arguments = parser.parse_args()
    captures = harness.chosen_captures(arguments)
    failed = 0
    bad_frames = 0
    with harness.Tshark.from_arguments(arguments, captures) as tshark:
        wide = wide_numbers(tshark)
        captures.append(wide)
        for capture in captures:
            if capture.with_suffix(".keys").exists():
                continue  # the analyzer does not decrypt
            bad = bad_packets(capture) | ({1} if capture == wide else set())
            bad_frames += len(bad)
            for problem in compare(tshark, arguments, capture, bad):
                failed += 1
                print(f"{capture.name}: {problem}")
    print(f"{len(captures)} captures, {bad_frames} bad frames, {failed} problems")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
