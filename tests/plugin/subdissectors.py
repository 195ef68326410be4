#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Payloads of messages go to the dissectors that know them, and none of these can spoil a frame.

    subdissectors.py --plugin PATH [--tshark PROGRAM]
"""

from __future__ import annotations

import random
import re
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

sys.dont_write_bytecode = True
import packets  # noqa: E402
from tshark import Tshark, all_captures, parser, run_checks  # noqa: E402

FAULTS = re.compile(r"dissector bug|\[Malformed Packet: Iggy|: Iggy truncated", re.IGNORECASE)

# What a user may add: by stream and topic, by topic alone, by the bytes; and what goes wrong.
SCRIPT = """
local function greedy(name)
  local made = Proto(name, name)
  made.dissector = function(tvb, pinfo, tree)
    local topic = tostring(pinfo.match_string)
    tree:add(made, tvb(), name .. " of " .. tvb:len() .. " bytes for " .. topic)
    pinfo.cols.info = "taken over"
    pinfo.cols.protocol = "TAKEN"
    pinfo.desegment_len = 1000
    return tvb:len()
  end
  return made
end
local throwing = Proto("throwing", "throwing")
throwing.dissector = function(tvb, pinfo, tree)
  tree:add(throwing, tvb(), "thrown")
  pinfo.cols.info = "taken over"
  tvb(0, tvb:len() + 1)
end
local guess = Proto("guess", "guess")
guess.dissector = function() return 0 end
guess:register_heuristic("iggy.payload", function(tvb, pinfo, tree)
  if tvb:len() < 5 or tvb(0, 5):string() ~= "GUESS" then return false end
  tree:add(guess, tvb(), "guessed")
  return true
end)
local topics = DissectorTable.get("iggy.topic")
topics:add("orders/invoices", greedy("invoice"))
topics:add("alone", greedy("lonely"))
topics:add("orders/throws", throwing)
"""


def message(payload: bytes, index: int) -> bytes:
    head = struct.pack("<16sIIIIQ", b"\7" * 16, index, 0, 0, len(payload), 0)
    return bytes(8) + head + payload


def identifier(name: str | int) -> bytes:
    data = packets.u32(name) if isinstance(name, int) else name.encode()
    return bytes((1 if isinstance(name, int) else 2, len(data))) + data


def send(stream: str | int, topic: str | int, payloads: list[bytes]) -> bytes:
    messages = b"".join(message(payload, i) for i, payload in enumerate(payloads))
    count = packets.u32(len(payloads))
    metadata = identifier(stream) + identifier(topic) + b"\1\0" + count
    numbers = struct.pack("<QQQQQQ", 0, 0, 0, 0, 256 + len(messages), 0)
    batch = (numbers + count).ljust(256, b"\0") + messages
    body = packets.u32(len(metadata)) + metadata + batch
    return packets.frame(
        5, body, client=(128, b"\x42" * 16), request=(168, b"\1"), operation=(176, b"\xa0"),
        session=(184, b"\1"),
    )


def sends(tshark: Tshark, name: str, *frames: bytes) -> Path:
    made = packets.write(tshark.folder / name, [packets.Segment(frame) for frame in frames])
    made.chmod(0o644)
    return made


def script(tshark: Tshark) -> str:
    made = tshark.folder / "payloads.lua"
    made.write_text(SCRIPT, encoding="utf-8")
    made.chmod(0o644)
    return f"-Xlua_script:{made}"


def has_lua(tshark: Tshark) -> bool:
    return "with Lua" in tshark.run("--version").stdout.replace("\n", " ")


def tree(tshark: Tshark, file: Path, *arguments: str) -> str:
    return tshark.read("-r", file, "-V", *arguments)


def packets_with(tshark: Tshark, file: Path, filter_: str, *arguments: str) -> list[str]:
    words = ("-Y", filter_, "-T", "fields", "-e", "frame.number", *arguments)
    return tshark.read("-r", file, *words).split()


DEEP = b"[" * 20000 + b"]" * 20000


def check_bytes(tshark: Tshark) -> Iterator[str]:
    """JSON and text are shown as such, other bytes as bytes, and nothing where nobody wants it."""
    file = sends(
        tshark,
        "bytes.pcap",
        send("orders", "a", [b' {"customer": "Ada"}']),
        send("orders", "b", [b"first line\nsecond line"]),
        send("orders", "c", [b"\0\1\2\xff", b""]),
        send("orders", "d", [DEEP]),
    )
    for filter_, wanted in (
        ('json.value.string == "Ada"', ["1"]),
        ("data-text-lines", ["2", "4"]),
        ("data.data == 00:01:02:ff", ["3"]),
        ("json", ["1"]),
        ("data", ["3"]),
        ('iggy.topic == "orders/c"', ["3"]),
    ):
        found = packets_with(tshark, file, filter_)
        if found != wanted:
            yield f"{filter_} finds {found} instead of {wanted}"
        off = packets_with(tshark, file, filter_, "-oiggy.dissect_payloads:FALSE")
        if off != (wanted if "iggy" in filter_ else []):
            yield f"{filter_} finds {off} though payloads are not dissected"
    for fault in set(FAULTS.findall(tree(tshark, file))):
        yield f"bytes.pcap: {fault}"


def check_table(tshark: Tshark) -> Iterator[str]:
    """Dissectors in iggy.topic get their topics, and change nothing else of the packet."""
    if not has_lua(tshark):
        print("no Lua: the dissector table is tested by the user's table alone")
        return
    added = script(tshark)
    file = sends(
        tshark,
        "table.pcap",
        send("orders", "invoices", [b"one", b"three"]),
        send("other", "alone", [b"lone"]),
        send("orders", "throws", [b"boom", b"again"]),
        send("orders", "else", [b"GUESS what", b"{}"]),
        send(3, 4, [b"[1]"]),
    )
    for filter_, wanted in (
        ("invoice", ["1"]),
        ("lonely", ["2"]),
        ("throwing", ["3"]),
        ("guess", ["4"]),
        ("json", ["4", "5"]),
        ('iggy.topic == "3/4"', ["5"]),
    ):
        found = packets_with(tshark, file, filter_, added)
        if found != wanted:
            yield f"{filter_} finds {found} instead of {wanted}"
    text = tree(tshark, file, added)
    for line in ("invoice of 3 bytes for orders/invoices", "invoice of 5 bytes", "for alone"):
        if line not in text:
            yield f"no line {line!r}"
    if text.count("Messages [1]") != 3:
        yield "a message behind one that went wrong is not shown"
    columns = ("-T", "fields", "-e", "_ws.col.Protocol", "-e", "_ws.col.Info")
    if tshark.read("-r", file, *columns, added) != tshark.read("-r", file, *columns):
        yield f"columns are taken over: {tshark.read('-r', file, *columns, added)}"


def check_user_table(tshark: Tshark) -> Iterator[str]:
    """The user's table comes first; its first rule that fits decides."""
    file = sends(
        tshark,
        "user.pcap",
        send("orders", "invoices", [b'{"a": 1}']),
        send("orders", "x", [b'{"a": 1}']),
        send("events", "x", [b"plain text"]),
    )

    def rules(*pairs: tuple[str, str]) -> list[str]:
        return [f'-ouat:iggy_payloads:"{topic}","{name}"' for topic, name in pairs]

    for pairs, filter_, wanted in (
        ([], "json", ["1", "2"]),
        ([("orders/*", "data")], "data", ["1", "2"]),
        ([("orders/inv*s", "data")], "data", ["1"]),
        ([("*", "data")], "data", ["1", "2", "3"]),
        ([("orders/x", "data-text-lines"), ("*", "data")], "data", ["1", "3"]),
        ([("*/x", "data")], "data", ["2", "3"]),
        ([("orders", "data"), ("ORDERS/*", "data")], "data", []),
    ):
        found = packets_with(tshark, file, filter_, *rules(*pairs))
        if found != wanted:
            yield f"{pairs}: {filter_} finds {found} instead of {wanted}"
    unknown = tshark.run("-r", file, *rules(("*", "no-such-dissector")))
    if unknown.returncode == 0 and "no-such-dissector" not in unknown.stderr:
        yield "a dissector that does not exist is taken in silence"


def check_answers(tshark: Tshark) -> Iterator[str]:
    """What is polled has the topic of its request, what replicas send that of its group."""
    for name, topic, wanted in (
        ("bad-batches.pcap", "orders/invoices", 5),
        ("cluster-sdks.pcap", "0/0", 10),
    ):
        file = tshark.capture(name)
        filter_ = f'iggy.topic == "{topic}" && iggy.batch.messages && iggy.command != 5'
        found = packets_with(tshark, file, filter_)
        twice = packets_with(tshark, file, filter_, "-2")
        if len(found) < wanted or found != twice:
            yield f"{name}: {len(found)} packets of {topic}, {len(twice)} in two passes"


def hostile(dice: random.Random) -> bytes:
    parts = (b"{", b"[", b'"', b"\\", b":", b",", b"1e999", b"\\u12", b"\n", b"\0", b"\xff", b"a")
    return b"".join(dice.choice(parts) for _ in range(dice.randrange(200)))


def check_hostile(tshark: Tshark) -> Iterator[str]:
    """Whatever bytes come, every message is shown, and no one is blamed for Iggy."""
    dice = random.Random(1)
    frames = [send("s", "t", [hostile(dice) for _ in range(9)] + [b"!"]) for _ in range(200)]
    file = sends(tshark, "hostile.pcap", *frames)
    text = tree(tshark, file)
    for fault in set(FAULTS.findall(text)):
        yield f"hostile.pcap: {fault}"
    if text.count("Messages [9]") != len(frames):
        yield f"{text.count('Messages [9]')} of {len(frames)} frames show their last message"


def check_many(tshark: Tshark) -> Iterator[str]:
    """A thousand payloads of one frame are no deeper than one."""
    file = sends(tshark, "many.pcap", send("s", "t", [b"[%d]" % i for i in range(1100)]))
    many = "-oiggy.max_elements:10000"
    for arguments, wanted in (((), 100), ((many,), 1100)):
        text = tree(tshark, file, *arguments)
        found = text.count("JavaScript Object Notation")
        if found != wanted:
            yield f"{found} of {wanted} payloads are shown"
        for fault in set(FAULTS.findall(text)):
            yield f"many.pcap: {fault}"


def check_long(tshark: Tshark) -> Iterator[str]:
    """Text and JSON of a frame are shown up to a bound, what does not fit as bytes."""
    long = b"x" * 100_000
    frame = send("s", "t", [long, long, long, b'{"late": 1}'])
    parts = [frame[at : at + 60_000] for at in range(0, len(frame), 60_000)]
    made = [
        packets.Segment(part, port=40000, sequence=1 + 60_000 * i) for i, part in enumerate(parts)
    ]
    file = packets.write(tshark.folder / "long.pcap", made)
    file.chmod(0o644)
    text = tree(tshark, file)
    found = [text.count(line) for line in ("Line-based text", "Data (100000", "JavaScript Object")]
    if found != [2, 1, 1]:
        yield f"text, bytes and JSON: {found}"


CHECKS = (
    check_bytes,
    check_table,
    check_user_table,
    check_answers,
    check_hostile,
    check_many,
    check_long,
)


def main() -> int:
    return run_checks(parser(__doc__).parse_args(), all_captures(), CHECKS)


if __name__ == "__main__":
    sys.exit(main())
