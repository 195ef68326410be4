#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Captures with a snapshot length: what Info says of a frame is what iggy-pcap says of it.

    snapped.py --plugin iggy.so --iggy-pcap PATH

Wireshark hands over fewer frames of such captures. Answers that it does have their request, their
latency and their generation all the same, and of none it is said that its request was not captured
where it only was cut. Names that cut requests would have told are missing.
"""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.dont_write_bytecode = True
import batches  # noqa: E402
import packets  # noqa: E402
import parity  # noqa: E402
import segments  # noqa: E402
import tshark as harness  # noqa: E402

SESSIONS = ("rust-session.pcap", "cluster-start.pcap", "legacy-session.pcap")
LENGTHS = (300, 346, 646)  # bytes of each segment that are kept


def cut(source: Path, target: Path, length: int) -> Path:
    return segments.write(target, [dataclasses.replace(segment, captured=length)
                                   for segment in segments.read(source)])


def apart(target: Path) -> Path:
    """Sends whose headers have a segment of their own, and bodies that are cut or lost."""
    made = []
    ends = {True: 1, False: 1}

    def add(to_server: bool, payload: bytes, captured: int | None = None,
            is_lost: bool = False) -> None:
        if not is_lost:
            made.append(packets.Segment(payload, to_server, 50_001, ends[to_server],
                                        ends[not to_server], captured))
        ends[to_server] += len(payload)

    for number, (kept, is_lost) in enumerate(((300, False), (300, False), (None, True)), 1):
        send = batches.send(number, batches.batch() + bytes(2000))
        add(True, send[:256])
        add(True, send[256:], kept, is_lost)
        add(False, batches.reply(number, 160, batches.CONFIRMATION))
    add(True, batches.request(4, 2, code=1))
    add(False, batches.reply(4, 2))
    path = packets.write(target, made)
    path.chmod(0o644)
    return path


def without_names(line: str) -> str:
    """Numbers without the names that are inferred."""
    return re.sub(r"(?<=\d)\((?!read|its)[^()]*\)", "", line)


def compare(tshark: harness.Tshark, iggy_pcap: Path, capture: Path,
            must: set[int]) -> Iterator[str]:
    ports = parity.ports_of(parity.report_of(iggy_pcap, capture))
    shown = parity.plugin_lines(tshark, capture, ports)
    printed = parity.analyzer_lines(iggy_pcap, capture)
    alike = 0
    for packet, line in shown.items():
        # Of a request whose body was cut Wireshark has no more than the header.
        if packet not in printed and not line.startswith("ok "):
            continue
        # Of several frames in one packet some may be missing.
        known = without_names(printed.get(packet, ""))
        told = re.sub(r"\[TCP [^]]*\] ", "", line).split("; ")
        wrong = [part for part in told if without_names(part) not in known]
        alike += not wrong
        yield from (f"{capture.name} packet {packet}: {part!r} against {printed.get(packet)!r}"
                    for part in wrong)
    if alike == 0:
        yield f"{capture.name}: nothing is shown"
    yield from (f"{capture.name}: packet {packet} is not shown" for packet in must - shown.keys())


def main() -> int:
    parser = harness.parser(__doc__)
    parser.add_argument("--iggy-pcap", required=True, type=Path)
    arguments = parser.parse_args()
    real = harness.CAPTURES / "bench-small-snap400.pcapng"
    wrong: list[str] = []
    with harness.Tshark.from_arguments(arguments, [real]) as tshark:
        made = [(tshark.capture(real.name), {80, 81}),
                (apart(tshark.capture("apart.pcap")), {3, 6, 8, 10})]
        made += [(cut(harness.CAPTURES / name, tshark.capture(f"{length}-{name}"), length), set())
                 for name in SESSIONS for length in LENGTHS]
        for capture, must in made:
            wrong += compare(tshark, arguments.iggy_pcap, capture, must)
    for line in wrong[:40]:
        print(line)
    print(f"{len(made)} captures, {len(wrong)} problems")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
