#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""What is told of batches that break a rule: where, with what was expected and what was found.

    batches.py --plugin PATH [--tshark PROGRAM]
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from pathlib import Path

sys.dont_write_bytecode = True
import packets  # noqa: E402
from tshark import Tshark, all_captures, parser, run_checks  # noqa: E402

SECONDS_APART = 40  # long enough for a request to count as unanswered
VERIFY = "-oiggy.verify_checksums:TRUE"
DROPPED = "A batch of messages is wrong, and the server dropped it without an answer: "
ORIGIN = 1_795_974_700_000_000
# Checksums of the messages below and of their batch, as upstream's XXH3-64 makes them.
FIRST, SECOND, BATCH = 0x383A21615AE36F6F, 0x8E6A4D927D975A84, 0x830E0D2867D91CB8
OF_THREE = 0x7866582E6B797216  # of the same batch with another count
NONE = 0xB34CE936CEAD2B96  # of a batch without messages
# Of a message whose offset delta is 0, and of its batch.
SECOND_AGAIN, DISORDERED = 0xAB20D465CE1A5A1F, 0x35235444002ABE8E
STORED = 0x42B8813C4DCB90EE  # of the batch as the server stored it
STORED_AT, BASE = 1_795_974_795_000_000, 100


def message(checksum: int, identity: int, delta: int, later: int, payload: bytes) -> bytes:
    head = struct.pack("<Q16sIIIIQ", checksum, identity.to_bytes(16, "little"), delta, later, 0,
                       len(payload), 0)
    return head + payload


CONFIRMATION = struct.pack("<IIIIQ", 1, 3, 5, 0, 1)
MESSAGES = message(FIRST, 1, 0, 0, b"a") + message(SECOND, 2, 1, 5, b"b")


def batch(
    checksum: int = BATCH, messages: bytes = MESSAGES, count: int = 2, base: int = 0, time: int = 0
) -> bytes:
    numbers = (0, base, time, ORIGIN, 256 + len(messages), checksum)
    return struct.pack("<QQQQQQI", *numbers, count).ljust(256, b"\0") + messages


def send(number: int, body: bytes, count: int = 2) -> bytes:
    metadata = b"\2\1o" + b"\2\1i" + b"\2\4" + packets.u32(0) + packets.u32(count)
    return request(number, 160, packets.u32(len(metadata)) + metadata + body)


def request(number: int, operation: int, body: bytes = b"", code: int = 0) -> bytes:
    return packets.frame(
        5, body, client=(128, b"\x42" * 16), request=(168, bytes([number])),
        operation=(176, bytes([operation])), session=(184, b"\1"), code=(196, packets.u32(code)),
    )


def reply(number: int, operation: int, body: bytes = b"") -> bytes:
    return packets.frame(
        8, body, client=(160, b"\x42" * 16), request=(200, bytes([number])),
        operation=(208, bytes([operation])),
    )


def poll(number: int, auto_commit: int = 0) -> bytes:
    names = b"\1\1\4" + packets.u32(1) + b"\2\1o" + b"\2\1i" + b"\1" + packets.u32(0)
    strategy = b"\5" + struct.pack("<QIB", 0, 10, auto_commit)
    return request(number, 2, names + strategy, code=100)


def polled(number: int, partition: int, count: int, stored: bytes) -> bytes:
    return reply(number, 2, struct.pack("<IQI", partition, BASE + 1, count) + stored)


def talk(tshark: Tshark, name: str, *frames: tuple[bool, bytes]) -> Path:
    """A capture of one connection, a packet for each frame."""
    ends = {True: 1, False: 1}
    segments = []
    for to_server, frame in frames:
        places = ends[to_server], ends[not to_server]
        segments.append(packets.Segment(frame, to_server, 50_001, *places))
        ends[to_server] += len(frame)
    made = packets.write(tshark.folder / name, segments, SECONDS_APART * 1000)
    made.chmod(0o644)
    return made


def told(tshark: Tshark, file: Path, *arguments: str) -> dict[int, list[str]]:
    """What the expert infos of each packet say about batches, in two passes."""
    shown = tshark.read("-2", "-r", file, *arguments, "-Y", "_ws.expert", "-T", "fields",
                        "-E", "aggregator=|", "-e", "frame.number", "-e", "_ws.expert.message")
    found: dict[int, list[str]] = {}
    for line in shown.splitlines():
        packet, _, messages = line.partition("\t")
        found[int(packet)] = [text for text in messages.split("|")
                              if "atch" in text or "checksum" in text]
    return {packet: texts for packet, texts in found.items() if texts}


def compare(shown: dict[int, list[str]], wanted: dict[int, list[str]]) -> Iterator[str]:
    for packet in sorted(shown.keys() | wanted.keys()):
        if sorted(shown.get(packet, [])) != sorted(wanted.get(packet, [])):
            yield f"packet {packet}: {shown.get(packet)} instead of {wanted.get(packet)}"


def wrong(text: str) -> list[str]:
    return [f"Wrong batch: {text}", DROPPED + text]


def check_dropped(tshark: Tshark) -> Iterator[str]:
    """Sends without an answer are checked though nobody asked."""
    damaged = bytearray(batch())
    damaged[100] = 1
    short = bytearray(batch())
    struct.pack_into("<Q", short, 32, len(short) - 1)
    file = talk(
        tshark, "dropped.pcap",
        (True, send(1, batch(), 3)),
        (True, send(2, batch(NONE, b"", 0), 0)),
        (True, send(3, batch(BATCH + 1))),
        (True, send(4, bytes(damaged))),
        (True, send(5, batch() + b"xx")),
        (True, send(6, bytes(short))),
        (True, send(7, batch(count=3))),
        (True, send(8, batch())),
        (False, reply(8, 160, CONFIRMATION)),
    )
    sums = f"{BATCH + 1:#x}", f"{BATCH:#x}"
    yield from compare(told(tshark, file), {
        1: wrong("what is around it counts 3 messages, and there are 2"),
        2: wrong("the batch holds 0 messages, where 1 is expected at least"),
        3: [f"The checksum is not that of the bytes: {sums[0]}, expected {sums[1]}",
            DROPPED + f"the checksum of the batch is {sums[0]}, and that of its bytes {sums[1]}"],
        4: wrong("byte 120 of the body is 1, where 0 is expected"),
        5: wrong("2 bytes behind the batch, where 0 are expected"),
        6: wrong("message 1 (the first is 0) says that it has 1 byte behind its header, "
                 "and 0 are left"),
        7: [f"The checksum is not that of the bytes: {BATCH:#x}, expected {OF_THREE:#x}",
            *wrong("the batch says that it holds 3 messages, and there are 2")],
    })
    lines = tshark.read("-2", "-r", file, "-V", "-O", "iggy", "-Y", "frame.number in {2,3}")
    for row, below in (
        ("Message Count: 0", "(Warning/Protocol): Wrong batch: the batch holds 0"),
        (f"Batch Checksum: {sums[0]} [incorrect", "(Error/Checksum): The checksum is not"),
    ):
        before, found, after = lines.partition(row)
        if not found or below not in after.split("\n")[1]:
            yield f"{below!r} does not stand below {row!r}"


def check_served(tshark: Tshark) -> Iterator[str]:
    """What servers took, and what they send, is checked if somebody asks."""
    disordered = message(FIRST, 1, 0, 0, b"a") + message(SECOND_AGAIN, 2, 0, 5, b"b")
    stored = batch(STORED, base=BASE, time=STORED_AT)
    file = talk(
        tshark, "served.pcap",
        (True, send(1, batch(DISORDERED, disordered))),
        (False, reply(1, 160, CONFIRMATION)),
        (True, send(2, batch(BATCH + 1))),
        (False, reply(2, 160, CONFIRMATION)),
        (True, poll(3)),
        (False, polled(3, 0, 2, stored)),
        (True, poll(4)),
        (False, polled(4, 0, 3, stored)),
        (True, poll(5)),
        (False, polled(5, 1, 2, stored)),
    )
    sums = f"{BATCH + 1:#x}", f"{BATCH:#x}"
    answered = {
        4: ["A checksum of a batch of messages is not that of its bytes: the checksum of the "
            f"batch is {sums[0]}, and that of its bytes {sums[1]}"],
    }
    yield from compare(told(tshark, file), answered)
    order = "the offset delta of message 1 (the first is 0) is 0, where 1 is expected"
    count = "what is around it counts 3 messages, and there are 2"
    partition = "the batch is of partition 0, where 1 is expected"
    finding = "Numbers in a batch of messages do not fit its bytes or each other: "
    yield from compare(told(tshark, file, VERIFY), answered | {
        1: [f"Odd batch: {order}"],
        2: [finding + order],
        3: [f"The checksum is not that of the bytes: {sums[0]}, expected {sums[1]}"],
        8: [f"Wrong batch: {count}", finding + count],
        10: [f"Odd batch: {partition}", finding + partition],
    })


def check_offsets(tshark: Tshark) -> Iterator[str]:
    """A reply tells where the messages of a send are; the second pass shows them there."""
    taken = struct.pack("<IIIIQ", 1, 1, 2, 0, 5)
    file = talk(
        tshark, "offsets.pcap",
        (True, send(1, batch())),
        (False, reply(1, 160, taken)),
        (True, send(2, batch())),
        (False, reply(2, 160)),
        (True, send(3, batch())),
    )
    fields = ("-T", "fields", "-e", "frame.number", "-e", "iggy.message.offset")
    for passes, wanted in ((["-2"], "1\t5,6\n"), ([], "")):
        found = tshark.read(*passes, "-r", file, "-Y", "iggy.message.offset", *fields)
        if found != wanted:
            yield f"offsets in passes {passes}: {found!r} instead of {wanted!r}"


def check_truth(tshark: Tshark) -> Iterator[str]:
    """A flag that is read as yes unless it is 0."""
    for value, text in ((0, "false (0)"), (1, "true (1)"), (2, "true (2)"), (255, "true (255)")):
        file = talk(tshark, "truth.pcap", (True, poll(1, value)))
        shown = tshark.read("-r", file, "-V", "-O", "iggy")
        if f"Auto Commit: {text}\n" not in shown:
            yield f"auto_commit {value} is not shown as {text!r}"
        if not tshark.read("-r", file, "-Y", f"iggy.message_poll.auto_commit == {value}"):
            yield f"auto_commit {value} is not found"


def check_right(tshark: Tshark) -> Iterator[str]:
    """Nothing is told of batches that are right, whatever their layout."""
    for capture in tshark.captures:
        if capture.name == "bad-batches.pcap":
            continue
        rule = "iggy.problem.wrong_batch || iggy.problem.odd_batch"
        if shown := tshark.read("-2", "-r", tshark.capture(capture.name), VERIFY, "-Y", rule):
            yield f"{capture.name}: {shown}"


CHECKS = (check_right, check_dropped, check_served, check_offsets, check_truth)


def main() -> int:
    return run_checks(parser(__doc__).parse_args(), all_captures(), CHECKS)


if __name__ == "__main__":
    sys.exit(main())
