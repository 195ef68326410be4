# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Captures made up by tests, and the payloads of real ones: classic pcap, Ethernet, IPv4, TCP."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PORT = 8090
# Ports that no other dissector claims, so many for each address.
FIRST_PORT = 49152
PORTS = 16000
ETHERNET = 14
HEADER = 256


@dataclass
class Segment:
    """One segment with bytes in it. Each has a connection of its own unless the port says other."""

    payload: bytes
    to_server: bool = True
    port: int = 0  # of the client; 0: one that no segment before has
    sequence: int = 1
    acknowledged: int = 1
    captured: int | None = None  # bytes of the payload that the capture keeps; None: all


def _packet(segment: Segment, number: int) -> bytes:
    port = segment.port or FIRST_PORT + number % PORTS
    client = bytes((10, 0, 1 + number // PORTS, 1))
    ends = (client, b"\x0a\0\0\2") if segment.to_server else (b"\x0a\0\0\2", client)
    ports = (port, PORT) if segment.to_server else (PORT, port)
    numbers = (segment.sequence, segment.acknowledged)
    tcp = struct.pack(">HHIIBBHHH", *ports, *numbers, 5 << 4, 0x18, 65535, 0, 0)
    total = 20 + len(tcp) + len(segment.payload)
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, total, 1, 0, 64, 6, 0, *ends)
    return b"\x02\0\0\0\0\1\x02\0\0\0\0\2\x08\0" + ip + tcp + segment.payload


def write(path: Path, segments: list[Segment], apart: int = 1) -> Path:
    """Writes them as a capture, so many milliseconds apart."""
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1))
        for number, segment in enumerate(segments):
            packet = _packet(segment, number)
            kept = len(packet)
            if segment.captured is not None:
                kept -= len(segment.payload) - segment.captured
            second, millisecond = divmod(number * apart, 1000)
            time = (1_700_000_000 + second, millisecond * 1000)
            file.write(struct.pack("<IIII", *time, kept, len(packet)))
            file.write(packet[:kept])
    return path


def payloads(path: Path) -> Iterator[bytes]:
    """What each TCP segment of a little-endian pcap file carries, over Ethernet and IPv4."""
    data = path.read_bytes()
    assert data[:4] == b"\xd4\xc3\xb2\xa1", path
    at = 24
    while at + 16 <= len(data):
        size = struct.unpack_from("<I", data, at + 8)[0]
        packet = data[at + 16 : at + 16 + size]
        at += 16 + size
        if packet[12:14] != b"\x08\0" or packet[23] != 6:
            continue
        ip = ETHERNET + (packet[ETHERNET] & 15) * 4
        end = ETHERNET + struct.unpack_from(">H", packet, ETHERNET + 2)[0]
        payload = packet[ip + (packet[ip + 12] >> 4) * 4 : end]
        if payload:
            yield payload


def frames(path: Path) -> Iterator[bytes]:
    """The frames with a 256-byte header that one segment holds as a whole."""
    for payload in payloads(path):
        while len(payload) >= HEADER:
            size = struct.unpack_from("<I", payload, 48)[0]
            if not HEADER <= size <= len(payload) or any(payload[62:128]):
                break
            yield payload[:size]
            payload = payload[size:]


def frame(command: int, body: bytes = b"", **numbers: tuple[int, bytes]) -> bytes:
    """A header of zeros with `command`, its size, and (offset, bytes) of what else it says."""
    header = bytearray(HEADER)
    header[48:52] = struct.pack("<I", HEADER + len(body))
    header[60] = command
    for offset, value in numbers.values():
        header[offset : offset + len(value)] = value
    return bytes(header) + body


def u32(value: int) -> bytes:
    return struct.pack("<I", value)


def login(body: bytes) -> bytes:
    """A Register with a client id, as SDKs send it."""
    return frame(5, body, client=(128, b"\x42" * 16), operation=(176, b"\x01"))


def rejection(entries: int, told: int) -> bytes:
    """The answer to a login with so many entries in its result section, and `told` in its count."""
    body = u32(told) + b"".join(u32(i) + u32(42) for i in range(entries))
    return frame(8, body, operation=(208, b"\x01"))
