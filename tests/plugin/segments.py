# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""TCP segments of a capture, read, changed and written: Ethernet, IPv4, classic pcap.

What is written keeps ports, flags, times and sequence numbers; lengths are made right, so that a
changed payload still reaches whatever looks at payloads.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

ETHERNET = b"\x02\0\0\0\0\1\x02\0\0\0\0\2\x08\0"
SYN, FIN, RST, ACK = 2, 1, 4, 16
WHOLE = 1 << 32
LARGEST = 65535 - 40  # bytes of payload that an IPv4 packet has room for


@dataclass
class Segment:
    """One segment; addresses are told by ports, since captures are made on one host."""

    time: int  # microseconds
    source: int  # port
    target: int
    sequence: int
    acknowledgement: int
    flags: int
    payload: bytes
    captured: int | None = None  # bytes of the payload that the capture keeps; None: all
    host: int = 1  # tells apart connections with the same ports

    @property
    def connection(self) -> tuple[int, int, int]:
        return (self.host, *sorted((self.source, self.target)))


def _packets(path: Path) -> Iterator[tuple[int, bytes]]:
    data = path.read_bytes()
    magic = data[:4]
    if magic not in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1"):
        raise ValueError(f"{path} is no little-endian pcap file")
    unit = 1000 if magic[0] == 0x4D else 1
    at = 24
    while at + 16 <= len(data):
        seconds, fraction, size, _ = struct.unpack_from("<IIII", data, at)
        yield seconds * 1_000_000 + fraction // unit, data[at + 16 : at + 16 + size]
        at += 16 + size


def read(path: Path) -> list[Segment]:
    """Every TCP segment over Ethernet and IPv4, in order."""
    found = []
    for time, packet in _packets(path):
        if packet[12:14] != b"\x08\0" or packet[23] != 6:
            continue
        total = struct.unpack_from(">H", packet, 16)[0]
        tcp = 14 + (packet[14] & 15) * 4
        source, target, sequence, acknowledgement = struct.unpack_from(">HHII", packet, tcp)
        payload = packet[tcp + (packet[tcp + 12] >> 4) * 4 : 14 + total]
        flags = packet[tcp + 13]
        found.append(Segment(time, source, target, sequence, acknowledgement, flags, payload))
    return found


def _address(host: int, port: int, other: int) -> bytes:
    # The lower port is the server's in every capture, or the two are peers.
    return struct.pack(">I", (10 << 24) + host * 2 + (port < other))


def packet_of(segment: Segment) -> bytes:
    payload = segment.payload[:LARGEST]
    tcp = struct.pack(
        ">HHIIBBHHH",
        segment.source,
        segment.target,
        segment.sequence % WHOLE,
        segment.acknowledgement % WHOLE,
        5 << 4,
        segment.flags,
        65535,
        0,
        0,
    )
    addresses = _address(segment.host, segment.source, segment.target)
    addresses += _address(segment.host, segment.target, segment.source)
    total = 20 + len(tcp) + len(payload)
    ip = struct.pack(">BBHHHBBH", 0x45, 0, total, 1, 0, 64, 6, 0) + addresses
    return ETHERNET + ip + tcp + payload


def write(path: Path, segments: Iterable[Segment]) -> Path:
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1))
        for segment in segments:
            packet = packet_of(segment)
            kept = len(packet)
            if segment.captured is not None:
                kept -= max(len(segment.payload[:LARGEST]) - segment.captured, 0)
            times = divmod(segment.time, 1_000_000)
            file.write(struct.pack("<IIII", *times, kept, len(packet)) + packet[:kept])
    path.chmod(0o644)
    return path


def join(path: Path, captures: Iterable[Path]) -> Path:
    """One capture of many, each behind the other and on hosts of its own: a start of tshark costs
    more than most captures do."""
    made = [
        replace(segment, host=host)
        for host, capture in enumerate(captures, 1)
        for segment in read(capture)
    ]
    return write(path, made)
