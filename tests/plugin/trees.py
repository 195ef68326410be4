#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""What stands in the tree of a frame: names, values, problems at their places, and its bounds.

    trees.py --plugin PATH [--tshark PROGRAM]
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

sys.dont_write_bytecode = True
import packets  # noqa: E402
from tshark import Tshark, all_captures, parser, run_checks  # noqa: E402

# The login of version-rejected.pcap, line by line.
LOGIN = """\
Apache Iggy, user.login_register "iggy" rust-sdk 0.11.1-edge.9, protocol 0.12.2
    Header: Request of 0.12
        Checksum: 0x0
        Checksum Body: 0x0
        Cluster: 0x0
        Size: 329
        View: 0
        Release: 0
        Command: Request (5)
        Replica: 0
        Reserved Frame: 66 zero bytes
        Client: 0x4ae2768691e61a95ea462d372947e1e9
        Request Checksum: 0xcf9e79e09203545212daa52936f79c46
        Timestamp: 0
        Request: 0
        Operation: Register (1)
        Operation Padding: 7 zero bytes
        Session: 0
        User ID: 0
        Code: 0
        Partition Incarnation: 0
        Owner Generation: 0
        Minimum Metadata Op: 0
        Reserved Tail: 32 zero bytes
    Body: Login And Register of 0.12
        Version Info
            Protocol Version: 0.12.2
            SDK Name: rust-sdk
                Length: 8
                Value: rust-sdk
            SDK Version: 0.11.1-edge.9
                Length: 13
                Value: 0.11.1-edge.9
        Bind Secret: *** (32 bytes)
        Username: iggy
            Length: 4
            Value: iggy
        Password Length: 4
        Password: *** (4 bytes)
        Context Length: 0
"""


def lines_of(tshark: Tshark, *arguments: object) -> list[str]:
    return tshark.read(*map(str, arguments), "-V", "-O", "iggy").splitlines()


def expect(lines: list[str], wanted: list[str]) -> Iterator[str]:
    """The lines stand there in this order, others may be between them."""
    left = iter(lines)
    for line in wanted:
        if not any(line in found for found in left):
            yield f"no line {line!r}, or not in its place"
            return


def check_login(tshark: Tshark) -> Iterator[str]:
    lines = lines_of(tshark, "-r", tshark.capture("version-rejected.pcap"), "-Y", "iggy")
    start = next((i for i, line in enumerate(lines) if line.startswith("Apache Iggy")), len(lines))
    found = lines[start : start + LOGIN.count("\n")]
    for got, want in zip(found, LOGIN.splitlines(), strict=True):
        if got.rstrip() != want:
            yield f"{got!r} instead of {want!r}"


def check_answer(tshark: Tshark) -> Iterator[str]:
    lines = lines_of(tshark, "-r", tshark.capture("version-rejected.pcap"), "-Y", "iggy.status")
    yield from expect(lines, ["Header: Reply", "Operation: Register (1)", "InvalidFormat (4)"])


def check_ids(tshark: Tshark) -> Iterator[str]:
    """An id that is a UUID stands there with its number, both of them whole."""
    file = tshark.capture("rust-session.pcap")
    lines = lines_of(tshark, "-r", file, "-Y", "iggy.message_frame.id")
    found = [line.strip() for line in lines if re.search(r"-4[0-9a-f]{3}-", line)]
    if not found:
        yield "no UUID stands in rust-session.pcap"
    whole = re.compile(r"ID: [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12} \(0x[0-9a-f]{16,32}\)")
    yield from (f"{line!r} is not whole" for line in found if not whole.fullmatch(line))


def check_filters(tshark: Tshark) -> Iterator[str]:
    """Fields of rows, common fields and what is concluded can be filtered for."""
    file = tshark.capture("version-rejected.pcap")
    for text, packets_wanted in (
        ("iggy.command == 5", ["4", "8"]),
        ('iggy.command == "Reply"', ["6", "10"]),
        ("iggy.size == 329", ["4"]),
        ("iggy.client_version_info.protocol_version == 12290", ["4"]),
        ('iggy.name.value == "rust-sdk"', ["4"]),
        ("iggy.code == 40", ["4", "6"]),
        ('iggy.name == "ping" && iggy.from == "client"', ["8"]),
        ("iggy.status != 0", ["6"]),
        ("iggy.problem.too_short", []),
    ):
        found = tshark.read("-r", file, "-Y", text, "-T", "fields", "-e", "frame.number").split()
        if found != packets_wanted:
            yield f"{text} finds {found} instead of {packets_wanted}"


def check_problems(tshark: Tshark) -> Iterator[str]:
    """Each problem stands at its row, says how much is missing, and is found without a tree."""
    name = b"\x08rust-sdk\x060.11.0"
    prefix = packets.u32(11 << 10) + name
    whole = packets.login(prefix + b"\x04iggy\x03key" + packets.u32(0))
    dirty = bytearray(whole)
    dirty[180] = 1
    file = tshark.capture("problems.pcap")
    packets.write(
        file,
        [
            packets.Segment(packets.login(prefix + b"\x04iggy\x09key")),
            packets.Segment(whole + bytes(dirty)),
            packets.Segment(packets.rejection(3, 4), to_server=False),
            packets.Segment(packets.rejection(40, 40), to_server=False, captured=300),
        ],
    )
    lines = lines_of(tshark, "-r", file)
    yield from expect(
        lines,
        [
            "Body: *** (29 bytes)",
            "(Error/Protocol): No body that may stand here fits, from byte 26 on",
            "Operation Padding: 00000001000000",
            "(Warning/Protocol): Operation Padding is not zero, from byte 180 on",
            "Entries [3]",
            "(Error/Protocol): Index is too short as it was sent: 4 bytes needed, 0 left",
            "Body: Rejection, 44 of 324 bytes captured",
            "Entries [5]",
            "(Chat/Undecoded): Index is cut by the capture: 4 bytes needed, 0 captured",
        ],
    )
    for problem, wanted in (
        ("malformed", "1"),
        ("not_zero", "2"),
        ("too_short", "3"),
        ("cut_by_capture", "4"),
    ):
        words = ("-Y", f"iggy.problem.{problem}", "-T", "fields", "-e", "frame.number")
        found = tshark.read("-r", file, *words).split()
        if found != [wanted]:
            yield f"iggy.problem.{problem} is in {found} instead of [{wanted}]"
    summary = tshark.read("-r", file, "-q", "-z", "expert")
    yield from expect(summary.splitlines(), ["Errors (2)", "Warns (1)", "Chats (1)"])


def check_missing(tshark: Tshark) -> Iterator[str]:
    """What cannot be empty and is lacks what its first row needs; a command of older builds has its
    own name beside a code that means another one today."""

    def said(command: int, operation: int, code: int = 0, body: bytes = b"") -> bytes:
        is_request = command == 5
        numbers = {
            "client": (128 if is_request else 160, b"\x42" * 16),
            "request": (168 if is_request else 200, b"\x01"),
            "operation": (176 if is_request else 208, bytes((operation,))),
        }
        if code != 0:
            numbers["code"] = (196, packets.u32(code))
        return packets.frame(command, body, **numbers)

    file = tshark.capture("missing.pcap")
    pairs = [(2, 10), (2, 39), (164, 0)]
    segments = []
    for port, (operation, code) in enumerate(pairs, 50_001):
        asked, told = said(5, operation, code), said(8, operation)
        segments.append(packets.Segment(asked, port=port))
        segments.append(
            packets.Segment(told, to_server=False, port=port, acknowledged=1 + len(asked))
        )
    packets.write(file, segments)
    lines = lines_of(tshark, "-r", file)
    yield from expect(
        lines,
        [
            "unknown result stats #1 body is missing",
            "Body: Reply to stats, missing",
            "(Error/Protocol): Process ID is too short as it was sent: 4 bytes needed, 0 left",
            "ok user.logout #1 empty reply: nothing was done",
            "Code: consumer_offset.store.v2 (123)",
            "unknown result consumer_offset.store.v2 #1 body is missing",
            "(Error/Protocol): Count is too short as it was sent: 4 bytes needed, 0 left",
        ],
    )
    words = ("-Y", "iggy.problem.too_short", "-T", "fields", "-e", "frame.number")
    found = tshark.read("-r", file, *words).split()
    if found != ["2", "5", "6"]:
        yield f"iggy.problem.too_short is in {found} instead of [2, 5, 6]"


def check_bounds(tshark: Tshark) -> Iterator[str]:
    """A long list costs a hundred elements or as many as the user wants, and says how many there
    are."""
    file = tshark.capture("long.pcap")
    packets.write(file, [packets.Segment(packets.rejection(7000, 7000), to_server=False)])
    for setting, shown in (("", 100), ("0", 1), ("3", 3), ("2500", 2500)):
        given = ["-o", f"iggy.max_elements:{setting}"] if setting else []
        lines = lines_of(tshark, "-r", file, *given)
        elements = [line for line in lines if re.match(r" *Entries \[\d+\]$", line)]
        if len(elements) != shown or f"Entries [{shown - 1}]" not in elements[-1]:
            yield f"{given}: {len(elements)} elements, the last is {elements[-1:]}"
        yield from expect(lines, [f"[Entries: {7000 - shown} more, not shown]"])
        found = tshark.read("-r", file, "-T", "fields", "-e", "iggy.not_shown", *given).split()
        if found != [str(7000 - shown)]:
            yield f"{given}: iggy.not_shown is {found}"


CHECKS = (
    check_login,
    check_answer,
    check_filters,
    check_ids,
    check_problems,
    check_missing,
    check_bounds,
)


def main() -> int:
    return run_checks(parser(__doc__).parse_args(), all_captures(), CHECKS)


if __name__ == "__main__":
    sys.exit(main())
