#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Cuts the streams of real captures into other segments; plugin and analyzer have to agree on them.

    recut.py --plugin iggy.so --iggy-pcap PATH [--rounds 2] [--seed 1] [--only NAME]

Bytes, order and directions stay as they are, so no frame may be lost, and each has to be in the
packet of its last byte with the time that this gives. Headers are cut anywhere, many frames stand
in one segment, and frames end in the middle of one.
"""

from __future__ import annotations

import dataclasses
import random
import sys
from pathlib import Path

import parity
import segments
import tshark as harness

LARGEST_CAPTURE = 300_000  # bytes; the larger ones show nothing else and take longer


def recut(source: list[segments.Segment], dice: random.Random) -> list[segments.Segment]:
    """The same streams: what one side sends at a stretch is sent in other pieces."""
    made: list[segments.Segment] = []
    for segment in source:
        last = made[-1] if made else None
        goes_on = (
            last is not None
            and last.payload
            and segment.payload
            and (last.host, last.source, last.target)
            == (segment.host, segment.source, segment.target)
            and last.sequence + len(last.payload) == segment.sequence
            and not (last.flags | segment.flags) & (segments.SYN | segments.FIN | segments.RST)
        )
        if goes_on and last is not None and dice.random() < 0.7:
            made[-1] = dataclasses.replace(last, payload=last.payload + segment.payload)
        else:
            made.append(segment)
    return [piece for whole in made for piece in split(whole, dice)]


def split(whole: segments.Segment, dice: random.Random) -> list[segments.Segment]:
    size = dice.choice([40, 255, 300, 1460, 5000, 40_000])
    if not whole.payload or dice.random() < 0.2 and len(whole.payload) < segments.LARGEST:
        return [whole]
    pieces = []
    at = 0
    while at < len(whole.payload):
        count = dice.randint(1, size)
        end = at + count >= len(whole.payload)
        flags = whole.flags if end else whole.flags & ~segments.FIN
        pieces.append(dataclasses.replace(
            whole, time=whole.time + len(pieces), sequence=whole.sequence + at, flags=flags,
            payload=whole.payload[at : at + count]))
        at += count
    return pieces


def main() -> int:
    parser = harness.parser(__doc__)
    parser.add_argument("--iggy-pcap", required=True, type=Path)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="captures whose name contains this")
    arguments = parser.parse_args()
    sources = [path for path in harness.all_captures()
               if path.suffix == ".pcap" and arguments.only in path.name
               and path.stat().st_size < LARGEST_CAPTURE and "snap" not in path.name
               and not {"tls", "websocket"} & set(path.stem.split("-"))]
    wrong: list[str] = []
    frames = 0
    with harness.Tshark.from_arguments(arguments, []) as tshark:
        for path in sources:
            for number in range(arguments.rounds):
                dice = random.Random(f"{arguments.seed} {number} {path.name}")
                name = f"{path.stem}-{number}.pcap"
                capture = segments.write(tshark.capture(name), recut(segments.read(path), dice))
                report = parity.report_of(arguments.iggy_pcap, capture)
                if not parity.is_in_order(report):
                    continue  # the source has retransmissions of its own
                shown = list(parity.plugin_frames(tshark, capture, parity.ports_of(report)))
                printed = parity.analyzer_frames(arguments.iggy_pcap, capture)
                wrong += parity.compare_exactly(name, shown, printed)
                frames += len(printed)
    for line in wrong[:40]:
        print(line)
    print(f"{frames} frames of {len(sources)} captures, {len(wrong)} differences")
    return 1 if wrong or frames < 1000 * (not arguments.only) else 0


if __name__ == "__main__":
    sys.exit(main())
