#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Wraps frames of a real session in WebSocket messages of many shapes; both tools have to agree.

    websocket.py --plugin iggy.so --iggy-pcap PATH

Messages are whole, in fragments, in fragments with a ping between them, several in a segment, and
cut by segments anywhere. Clients mask what they send. Of fragmented messages that end in the same
packet Wireshark itself puts only one together, so that is no shape here.
"""

from __future__ import annotations

import random
import struct
import sys
from pathlib import Path

import parity
import segments
import tshark as harness

CLIENT, SERVER = 40001, 8092
REQUEST = (
    b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
RESPONSE = (
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
)
BINARY, CONTINUATION, PING = 2, 0, 9


def websocket_frame(opcode: int, payload: bytes, final: bool, masked: bool) -> bytes:
    size = len(payload)
    short = size if size < 126 else 126 if size < 65536 else 127
    head = bytes([opcode | final << 7, short | masked << 7])
    if short == 126:
        head += struct.pack(">H", size)
    elif short == 127:
        head += struct.pack(">Q", size)
    if not masked:
        return head + payload
    key = b"\x11\x22\x33\x44"
    return head + key + bytes(byte ^ key[i % 4] for i, byte in enumerate(payload))


def message(payload: bytes, masked: bool, fragments: int, with_ping: bool) -> bytes:
    size = -(-len(payload) // fragments)
    parts = [payload[at : at + size] for at in range(0, len(payload), size)]
    made = b""
    for number, part in enumerate(parts):
        opcode = CONTINUATION if number else BINARY
        made += websocket_frame(opcode, part, number == len(parts) - 1, masked)
        if with_ping and number == 0 and len(parts) > 1:
            made += websocket_frame(PING, b"still there", True, masked)
    return made


class Connection:
    """A TCP connection in the course of a capture."""

    def __init__(self) -> None:
        self.made: list[segments.Segment] = []
        self.next = {CLIENT: 1000, SERVER: 5000}
        self.send(CLIENT, b"", segments.SYN)
        self.send(SERVER, b"", segments.SYN | segments.ACK)
        self.send(CLIENT, b"")
        self.send(CLIENT, REQUEST)
        self.send(SERVER, RESPONSE)

    def send(self, source: int, payload: bytes, flags: int = segments.ACK) -> None:
        target = CLIENT + SERVER - source
        acknowledged = self.next[target] if flags & segments.ACK else 0
        self.made.append(segments.Segment(len(self.made) * 1000, source, target,
                                          self.next[source], acknowledged, flags, payload))
        self.next[source] += len(payload) + bool(flags & segments.SYN)


def frames_of(capture: Path) -> list[tuple[bool, bytes]]:
    """Frames of a session with one in each segment, and whether the client sent them."""
    found = []
    for segment in segments.read(capture):
        if len(segment.payload) >= 256:
            size = struct.unpack_from("<I", segment.payload, 48)[0]
            if size == len(segment.payload):
                found.append((segment.target == 8090, segment.payload))
    return found


def wrapped(frames: list[tuple[bool, bytes]], shape: str) -> list[segments.Segment]:
    dice = random.Random(shape)
    connection = Connection()
    waiting: dict[int, bytes] = {CLIENT: b"", SERVER: b""}
    for number, (by_client, frame) in enumerate(frames):
        source = CLIENT if by_client else SERVER
        fragments = dice.randint(2, 4) if "fragments" in shape else 1
        waiting[source] += message(frame, by_client, fragments, "ping" in shape)
        if "several" in shape and number % 6 != 5:
            continue
        for side, data in waiting.items():
            while data:
                size = dice.randint(1, 600) if "cut" in shape else len(data)
                connection.send(side, data[:size])
                data = data[size:]
            waiting[side] = b""
    for side, data in waiting.items():
        if data:
            connection.send(side, data)
    return connection.made


def main() -> int:
    parser = harness.parser(__doc__)
    parser.add_argument("--iggy-pcap", required=True, type=Path)
    arguments = parser.parse_args()
    frames = frames_of(harness.CAPTURES / "rust-session.pcap")
    wrong: list[str] = []
    count = 0
    with harness.Tshark.from_arguments(arguments, []) as tshark:
        for shape in ("whole", "fragments", "fragments with ping", "several", "cut",
                      "several cut"):
            capture = tshark.capture(f"{shape.replace(' ', '-')}.pcap")
            segments.write(capture, wrapped(frames, shape))
            shown = list(parity.plugin_frames(tshark, capture, "8090"))
            printed = parity.analyzer_frames(arguments.iggy_pcap, capture)
            wrong += parity.compare_exactly(shape, shown, printed)
            count += len(shown)
            if len(shown) != len(frames):
                wrong.append(f"{shape}: {len(shown)} of {len(frames)} frames are shown")
    for line in wrong[:30]:
        print(line)
    print(f"{count} frames, {len(wrong)} differences")
    return 1 if wrong or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
