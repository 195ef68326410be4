#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Replica links of 0.12 on a port that nobody has named, which begin with a placement preamble.

    preamble.py --plugin iggy.so --iggy-pcap PATH

The preamble stands alone, with frames behind it, and is cut; both tools have to agree on what
follows. TLS may follow as well, and bytes that only begin alike are left to others.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from pathlib import Path

sys.dont_write_bytecode = True
import packets  # noqa: E402
import parity  # noqa: E402
import segments  # noqa: E402
import tshark as harness  # noqa: E402

DIALER, ACCEPTOR = 40001, 9090
PREFERRED = "8090"  # the port that is looked at unless somebody says other
PREAMBLE = b"IGRL\1\0\0\0"
HELLO = packets.frame(14)
COMMIT = packets.frame(9, replica=(61, b"\0"), group=(136, struct.pack("<Q", 1 << 63)))
FRAMES = HELLO + COMMIT
CLIENT_HELLO = b"\1\0\0\x2b\3\3" + bytes(range(32)) + b"\0\0\2\x13\1\1\0\0\0"
TLS = b"\x16\3\1" + struct.pack(">H", len(CLIENT_HELLO)) + CLIENT_HELLO

# What the dialer sends, a piece in each packet from the fourth on, and where the preamble ends.
LINKS = {
    "alone": ([PREAMBLE, HELLO, COMMIT], 4),
    "together": ([PREAMBLE + HELLO, COMMIT], 4),
    "all": ([PREAMBLE + FRAMES], 4),
    "front": ([PREAMBLE + HELLO[:100], HELLO[100:] + COMMIT], 4),
    "four": ([PREAMBLE[:4], PREAMBLE[4:], FRAMES], 5),
    "five": ([PREAMBLE[:5], PREAMBLE[5:] + FRAMES], 5),
    "seven": ([PREAMBLE[:7], PREAMBLE[7:] + HELLO[:1], HELLO[1:] + COMMIT], 5),
}
OTHERS = {
    "text": [b"IGRLOGIN please, and a word more than that", b"and more"],
    "version": [b"IGRL\2\0\0\0" + bytes(40)],
    "behind": [PREAMBLE + b"some text that no frame and no header begins with"],
}


def capture_of(path: Path, pieces: list[bytes]) -> Path:
    made: list[segments.Segment] = []
    ends = {DIALER: 1000, ACCEPTOR: 5000}

    def send(source: int, payload: bytes, flags: int) -> None:
        target = DIALER + ACCEPTOR - source
        acknowledged = ends[target] if flags & segments.ACK else 0
        made.append(segments.Segment(len(made) * 1000, source, target, ends[source],
                                     acknowledged, flags, payload))
        ends[source] += len(payload) + bool(flags & segments.SYN)

    send(DIALER, b"", segments.SYN)
    send(ACCEPTOR, b"", segments.SYN | segments.ACK)
    send(DIALER, b"", segments.ACK)
    for piece in pieces:
        send(DIALER, piece, segments.ACK)
    return segments.write(path, made)


def packets_with(tshark: harness.Tshark, capture: Path, what: str) -> list[int]:
    fields = ("-T", "fields", "-e", "frame.number")
    return [int(number) for number in
            tshark.read("-2", "-r", capture, "-Y", what, *fields).split()]


def check_links(tshark: harness.Tshark, iggy_pcap: Path) -> Iterator[str]:
    for name, (pieces, end) in LINKS.items():
        capture = capture_of(tshark.capture(f"{name}.pcap"), pieces)
        if (found := packets_with(tshark, capture, "iggy.preamble")) != [end]:
            yield f"{name}: the preamble is in {found} instead of [{end}]"
        shown = list(parity.plugin_frames(tshark, capture, PREFERRED))
        printed = parity.analyzer_frames(iggy_pcap, capture)
        if [frame["generation"] for frame in printed] != ["0.12"] * 2:
            yield f"{name}: iggy-pcap does not find two frames of 0.12"
        yield from parity.compare_exactly(name, shown, printed)
        yield from parity.compare_lines(name, parity.plugin_lines(tshark, capture, PREFERRED),
                                        parity.analyzer_lines(iggy_pcap, capture))


def check_tls(tshark: harness.Tshark) -> Iterator[str]:
    capture = capture_of(tshark.capture("tls.pcap"), [PREAMBLE, TLS])
    for what, wanted in (("iggy.preamble", [4]), ("tls.handshake.type == 1", [5])):
        if (found := packets_with(tshark, capture, what)) != wanted:
            yield f"before TLS: {what} is in {found} instead of {wanted}"


def check_others(tshark: harness.Tshark) -> Iterator[str]:
    for name, pieces in OTHERS.items():
        capture = capture_of(tshark.capture(f"{name}.pcap"), pieces)
        if found := packets_with(tshark, capture, "iggy"):
            yield f"{name}: packets {found} are called Iggy"


def main() -> int:
    parser = harness.parser(__doc__)
    parser.add_argument("--iggy-pcap", required=True, type=Path)
    arguments = parser.parse_args()
    with harness.Tshark.from_arguments(arguments, []) as tshark:
        wrong = [
            *check_links(tshark, arguments.iggy_pcap), *check_tls(tshark), *check_others(tshark)
        ]
    for line in wrong:
        print(line)
    print(f"{len(LINKS)} links, {len(wrong)} problems")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
