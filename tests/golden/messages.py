#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Compares what `messages` shows with the bodies that `frames` shows of the same captures.

    messages.py --iggy-pcap PATH [--only NAME]

Every message of every batch is a line, with its id, its payload and its offset: that of a send from
the reply to it, others by the sum of two rows.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("samples", "tests/data/captures")

Json = dict[str, Any]
Message = tuple[int, str, str, str, Any]  # packet, direction, id, payload, offset


def lines(tool: Path, capture: Path, *arguments: str) -> list[Json]:
    done = subprocess.run([tool, *arguments, capture], capture_output=True, text=True, timeout=300,
                          check=False)
    if done.returncode not in (0, 4):
        raise RuntimeError(f"{capture}: exit {done.returncode}: {done.stderr[:200]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def batches(frame: Json) -> list[Json]:
    body = frame["body"]
    if not isinstance(body, dict):
        return []
    single = body.get("batch")
    if isinstance(single, dict) and "messages" in single:
        return [single]
    payload = body.get("payload")
    payload = payload if isinstance(payload, dict) else {}
    # A fetch of 0.12 has those of all its sections behind each other.
    return payload.get("batches", []) + payload.get("records", [])


def loose(frame: Json) -> list[Json]:
    """Messages without a batch around them, as servers before batches have them."""
    body = frame["body"] if isinstance(frame["body"], dict) else {}
    payload = body.get("payload")
    payload = payload if isinstance(payload, dict) else {}
    return [message for where in (body, payload) for name in ("messages", "loose_messages")
            for message in where.get(name, [])]


def confirmed(frames: list[Json]) -> dict[int, int]:
    """The offset of the first message of a send, by the packet of the send."""
    told = {}
    for frame in frames:
        body = frame["body"]
        payload = body.get("payload") if isinstance(body, dict) else None
        confirmations = (payload or {}).get("confirmations", [])
        if frame["name"] == "message.send" and len(confirmations) == 1:
            told[frame["request_packet"]] = int(confirmations[0]["base_offset"])
    return told


def expected(frames: list[Json]) -> Iterator[Message]:
    offsets = confirmed(frames)
    for frame in frames:
        way = {"Request": "sent", "Reply": "polled", "LegacyRequest": "sent",
               "LegacyReply": "polled"}.get(frame["command"], "replicated")
        for index, message in enumerate(loose(frame)):
            base = offsets.get(frame["packet"])
            sent = None if base is None else str(base + index)
            offset = sent if way == "sent" else message["offset"]
            yield frame["packet"], way, message["id"], message["payload"], offset
        for batch in batches(frame):
            for message in batch.get("messages", []):
                if "user_headers" not in message:
                    continue  # cut
                base = offsets.get(frame["packet"]) if way == "sent" else int(batch["base_offset"])
                offset = None if base is None else str(base + message["offset_delta"])
                yield frame["packet"], way, message["id"], message["payload"], offset


def check(tool: Path, capture: Path) -> tuple[list[str], int]:
    frames = lines(tool, capture, "frames", "--json", "--show-payload")
    want = list(expected(frames))
    shown = lines(tool, capture, "messages", "--json", "--payload", "hex", "--max-payload",
                  "100000000", "--direction", "sent,polled,replicated")
    got = [(each["packet"], each["direction"], each["id"], each["payload"], each["offset"])
           for each in shown]
    name = capture.name
    wrong = [f"{name}: {len(want)} messages expected, {len(got)} shown"] * (len(want) != len(got))
    wrong += [f"{name}: {a[:3]} {a[4]} expected, {b[:3]} {b[4]} shown"
              for a, b in zip(sorted(want, key=str), sorted(got, key=str)) if a != b][:3]
    packets = [each[0] for each in got]
    wrong += [f"{name}: not in the order of the packets"] * (packets != sorted(packets))
    return wrong, len(got)


def main() -> int:
    parser = argparse.ArgumentParser(description="Checks messages against frames.")
    parser.add_argument("--iggy-pcap", required=True, type=Path, help="the program to test")
    parser.add_argument("--only", default="", help="captures whose name contains this")
    arguments = parser.parse_args()
    tool = arguments.iggy_pcap.resolve()
    count = 0
    failed: list[str] = []
    for folder in FOLDERS:
        for capture in sorted((ROOT / folder).glob("*.pcap*")):
            if arguments.only in capture.name:
                wrong, shown = check(tool, capture)
                failed += wrong
                count += shown
    print("\n".join(failed), end="\n" if failed else "")
    print(f"{count} messages, {len(failed)} problems")
    return 1 if failed or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
