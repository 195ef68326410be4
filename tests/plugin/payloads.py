#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Messages of batches: what their rows say together, and whether their checksums hold.

    payloads.py --plugin PATH --iggy-pcap PATH [--tshark PROGRAM]
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True
import tshark as harness  # noqa: E402

CAPTURES = ("bad-batches.pcap", "rust-session.pcap", "cluster-sdks.pcap")

Items = dict[str, Any]


def children(pairs: list[tuple[str, Any]]) -> Items:
    """Each key with the list of its values, since Wireshark repeats the keys of lists."""
    made: Items = {}
    for key, value in pairs:
        made.setdefault(key, []).append(value)
    return made


def trees(tshark: harness.Tshark, *arguments: object) -> list[Items]:
    """The tree of each packet."""
    shown = tshark.read(*map(str, arguments), "-T", "json", "-J", "frame iggy")
    return json.loads(shown, object_pairs_hook=children)


def find(tree: Any, key: str) -> Iterator[Any]:
    """Every item of that name, however deep."""
    if isinstance(tree, list):
        for value in tree:
            yield from find(value, key)
    elif isinstance(tree, dict):
        for name, values in tree.items():
            if name == key:
                yield from values
            else:
                yield from find(values, key)


# Packet, id, offset, origin and append time of a message.
Message = tuple[int, int, int | None, int | None, int | None]


def microseconds(text: str | None) -> int | None:
    """A time as Wireshark prints it: Nov 29, 2026 17:53:19.693660000 UTC."""
    if text is None:
        return None
    day, fraction = text.removesuffix(" UTC").split(".")
    moment = datetime.strptime(day, "%b %d, %Y %H:%M:%S").replace(tzinfo=timezone.utc)
    return int(moment.timestamp()) * 1_000_000 + int(fraction) // 1000


def shown_messages(packets: list[Items]) -> Iterator[Message]:
    for packet in packets:
        number = int(next(find(packet, "frame.number")))
        for message in find(packet, "iggy.batch.messages"):
            if "iggy.message_frame.id" not in message:  # the frame says more than there are
                continue
            identity = bytes.fromhex(message["iggy.message_frame.id"][0].replace(":", ""))

            def told(name: str, message: Items = message) -> str | None:
                return message.get(f"iggy.message.{name}", [None])[0]

            yield (
                number,
                int.from_bytes(identity, "little"),
                None if told("offset") is None else int(told("offset") or 0),
                microseconds(told("origin_timestamp")),
                microseconds(told("append_timestamp")),
            )


def printed_messages(iggy_pcap: Path, capture: Path) -> Iterator[Message]:
    command = [iggy_pcap, "messages", "--json", "--direction", "sent,polled,replicated", capture]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        message = json.loads(line)
        offset, origin, append = (
            None if value is None else int(value)
            for value in (
                message["offset"],
                message["origin_timestamp"],
                message["append_timestamp"],
            )
        )
        yield message["packet"], int(message["id"]), offset, origin, append


def check_derived(tshark: harness.Tshark, iggy_pcap: Path) -> Iterator[str]:
    """Offset and times of a message are those that the analyzer tells."""
    told: Counter[str] = Counter()
    for name in CAPTURES:
        file = tshark.capture(name)
        packets = trees(tshark, "-2", "-r", file, "-Y", "iggy.batch.messages")
        shown = Counter(shown_messages(packets))
        printed = Counter(printed_messages(iggy_pcap, file))
        for message in list(shown - printed)[:3]:
            yield f"{name}: {message} is shown only"
        for message in list(printed - shown)[:3]:
            yield f"{name}: {message} is printed only"
        told["messages"] += len(shown)
        for _, _, offset, origin, append in shown:
            told["offset"] += offset is not None
            told["origin"] += origin is not None
            told["append"] += append is not None
    for key, count in told.items():
        if count < 10:
            yield f"only {count} messages have {key}"


VERIFY = "-oiggy.verify_checksums:TRUE"
MESSAGE, BATCH = "iggy.message_frame.checksum", "iggy.batch.batch_checksum"
GOOD, BAD = "Good", "Bad"


def statuses(tshark: harness.Tshark, file: Path, packet: int) -> tuple[list[str], list[str]]:
    """The status of each batch and of each message that a packet shows."""
    lines = tshark.read("-r", file, VERIFY, "-V", "-O", "iggy", "-Y", f"frame.number == {packet}")
    found: dict[str, list[str]] = {"Batch Checksum": [], "Checksum": []}
    for line in lines.splitlines():
        name, _, status = line.strip().strip("[]").partition(" Status: ")
        if status:
            found[name].append(status)
    return found["Batch Checksum"], found["Checksum"]


def changed(tshark: harness.Tshark, name: str, old: bytes, new: bytes, which: int) -> Path:
    """A copy of a capture in which the occurrence `which` of some bytes is others."""
    data = tshark.capture(name).read_bytes()
    at = -1
    for _ in range(which + 1):
        at = data.index(old, at + 1)
    made = tshark.capture(f"changed-{which}-{name}")
    made.write_bytes(data[:at] + new + data[at + len(old) :])
    made.chmod(0o644)
    return made


def findings_of(iggy_pcap: Path, file: Path) -> int:
    """How often the analyzer finds a wrong checksum."""
    command = [iggy_pcap, "analyze", "--json", "--verify-checksums", file]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = (f["packets"] for f in json.loads(done.stdout)["findings"]
             if f["id"] == "batch-checksum-wrong")
    return sum(map(len, found))


def check_checksums(tshark: harness.Tshark, iggy_pcap: Path) -> Iterator[str]:
    """Right and wrong ones are told where they stand, and only if somebody asks."""
    file = tshark.capture("bad-batches.pcap")
    for packet, wanted in (
        (14, ([GOOD], [GOOD] * 5)),
        (17, ([BAD], [GOOD] * 2)),
        (19, ([GOOD], [BAD] * 2)),
        (29, ([GOOD] * 2, [GOOD] * 6)),
    ):
        if statuses(tshark, file, packet) != wanted:
            yield f"packet {packet}: {statuses(tshark, file, packet)} instead of {wanted}"
    silent = tshark.read("-r", file, "-V", "-O", "iggy")
    if "Checksum Status" in silent or "[correct]" in silent:
        yield "checksums are verified though nobody asked"
    told = tshark.read("-r", file, VERIFY, "-V", "-O", "iggy", "-Y", f"{BATCH}.status == 0")
    if told.count("[incorrect, should be 0x") != 1 or told.count("Error/Checksum") != 1:
        yield f"the wrong checksum is not told of: {told}"


def check_damage(tshark: harness.Tshark, iggy_pcap: Path) -> Iterator[str]:
    """A byte that was damaged on its way is found in what servers send, as the analyzer does."""
    for name, old, new, which in (
        ("bad-batches.pcap", b"\0\0m3", b"\0\0m4", 1),
        ("cluster-sdks.pcap", b'{"order":1000', b'{"order":1001', 1),
        ("cluster-sdks.pcap", b'{"order":1000', b'{"order":1001', 2),
    ):
        file = changed(tshark, name, old, new, which)
        wrong = f"{MESSAGE}.status == 0 && iggy.command != 5"  # which is a request
        for filter_, extra in ((wrong, ()), ("iggy.finding.batch-checksum-wrong", ("-2",))):
            words = ("-r", file, VERIFY, "-Y", filter_, "-T", "fields", "-e", "frame.number")
            shown = tshark.read(*words, *extra).split()
            if len(shown) != 1 or findings_of(iggy_pcap, file) != 1:
                yield f"{file.name}: {filter_} in {shown}, {findings_of(iggy_pcap, file)} findings"
        told = tshark.read("-r", file, VERIFY, "-q", "-z", "expert")
        if "The checksum is not that of the bytes" not in told:
            yield f"{file.name}: no expert info without a tree"


CHECKS = (check_derived, check_checksums, check_damage)


def main() -> int:
    made = harness.parser(__doc__)
    made.add_argument("--iggy-pcap", required=True, type=Path, help="the program that knows")
    arguments = made.parse_args()
    iggy_pcap = arguments.iggy_pcap.resolve()
    failed = 0
    with harness.Tshark.from_arguments(arguments, harness.all_captures()) as tshark:
        for check in CHECKS:
            for problem in check(tshark, iggy_pcap):
                failed += 1
                print(f"{check.__name__}: {problem}")
    print(f"{failed} problems")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
