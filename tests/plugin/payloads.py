#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Messages of batches: what their rows say together.

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
                # Of what was sent the analyzer says where the confirmation put it.
                None if message["direction"] == "sent" else message["offset"],
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
            told["sent"] += offset is None
    for key, count in told.items():
        if count < 10:
            yield f"only {count} messages have {key}"


def main() -> int:
    made = harness.parser(__doc__)
    made.add_argument("--iggy-pcap", required=True, type=Path, help="the program that knows")
    arguments = made.parse_args()
    iggy_pcap = arguments.iggy_pcap.resolve()
    failed = 0
    with harness.Tshark.from_arguments(arguments, harness.all_captures()) as tshark:
        for problem in check_derived(tshark, iggy_pcap):
            failed += 1
            print(problem)
    print(f"{failed} problems")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
