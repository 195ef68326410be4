#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Compares what the plugin shows of each frame with what iggy-pcap prints of it, field by field.

    parity.py --plugin iggy.so --iggy-pcap PATH [--only NAME] [--every N]

On captures without holes and without reordering both have the same frames in the same packets. On
others Wireshark's reassembly loses some, and takes those whose body was not captured where their
header is, so there each frame of the plugin has to be one of the analyzer's.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import tshark as harness

Json = dict[str, Any]

# How many elements of a list the plugin shows at most.
ELEMENTS = 100


def objects(pairs: list[tuple[str, Any]]) -> Json:
    """Repeated keys become lists: Wireshark prints each item of a list under the same name."""
    made: Json = {}
    for key, value in pairs:
        if key in made:
            if not isinstance(made[key], Repeated):
                made[key] = Repeated([made[key]])
            made[key].append(value)
        else:
            made[key] = value
    return made


class Repeated(list[Any]):
    """Values of one key that stood there more than once."""


def each(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, Repeated) else [value]


def plugin_frames(
    tshark: harness.Tshark, capture: Path, ports: str
) -> Iterator[tuple[int, Json]]:
    """Packet and tree of each frame, in the order of the packets."""
    named = ("-o", f"iggy.tcp.port:{ports}")
    shown = ("-T", "json", "-J", "frame iggy", "-Y", "iggy")
    printed = tshark.read("-2", "-r", capture, *named, *shown)
    for packet in json.loads(printed, object_pairs_hook=objects):
        layers = packet["_source"]["layers"]
        number = int(layers["frame"]["frame.number"])
        for tree in each(layers.get("iggy")):
            if "iggy.header" in tree:
                yield number, tree


def analyzer_frames(iggy_pcap: Path, capture: Path) -> list[Json]:
    command = [iggy_pcap, "frames", "--json", "--show-payload", capture]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


# What the plugin says of bytes that are no whole frame, which iggy-pcap has no lines of; where a
# preamble has to stand is what preamble.py looks at.
NO_FRAME = ("more of a frame", "placement preamble", "bytes without a frame")


def plugin_lines(tshark: harness.Tshark, capture: Path, ports: str) -> dict[int, str]:
    """The Info column of each packet, as far as it tells of frames."""
    named = ("-o", f"iggy.tcp.port:{ports}")
    shown = ("-T", "fields", "-e", "frame.number", "-e", "_ws.col.Info", "-Y", "iggy.header")
    lines = {}
    for line in tshark.read("-2", "-r", capture, *named, *shown).splitlines():
        number, _, info = line.partition("\t")
        told = [part for part in info.split("; ") if part not in NO_FRAME]
        lines[int(number)] = "; ".join(told)
    return lines


def analyzer_lines(iggy_pcap: Path, capture: Path) -> dict[int, str]:
    """The lines of each packet's frames, without what stands in front of them."""
    done = subprocess.run(
        [iggy_pcap, "frames", capture], capture_output=True, text=True, check=True
    )
    lines: dict[int, str] = {}
    for line in done.stdout.splitlines():
        packet, _, _, _, _, text = line.split(maxsplit=5)
        earlier = lines.get(int(packet))
        lines[int(packet)] = text if earlier is None else f"{earlier}; {text}"
    return lines


def compare_lines(name: str, shown: dict[int, str], printed: dict[int, str]) -> list[str]:
    return [
        f"{name} packet {packet}: Info {shown.get(packet)!r} against {printed.get(packet)!r}"
        for packet in sorted({*shown, *printed})
        if shown.get(packet) != printed.get(packet)
    ]


def report_of(iggy_pcap: Path, capture: Path) -> Json:
    done = subprocess.run(
        [iggy_pcap, "analyze", "--json", capture], capture_output=True, text=True, check=False
    )
    return json.loads(done.stdout)


def ports_of(report: Json) -> str:
    """Where Iggy is spoken over plain TCP, as a user would name it."""
    ports = {each_one["server"].rpartition(":")[2] for each_one in report["connections"]
             if each_one["transport"] == "tcp"}
    return ",".join(sorted({"8090", *ports}, key=int))


def is_in_order(report: Json) -> bool:
    """Whether every byte is there, once, and in its place."""
    sides = [each_one["tcp"][side] for each_one in report["connections"]
             for side in ("client", "server")]
    facts = ("missing_bytes", "acknowledged_unseen_bytes", "retransmitted_bytes")
    return not report["holes"] and not any(side[fact] for side in sides for fact in facts)


# What the analyzer lists only if asked to, or as a finding.
OF_BATCHES = ("iggy.problem.wrong_checksum", "iggy.problem.wrong_batch", "iggy.problem.odd_batch")


def problems_of(tree: Any) -> list[str]:
    """The problems that expert infos of a tree tell."""
    if isinstance(tree, list):
        return [problem for value in tree for problem in problems_of(value)]
    if not isinstance(tree, dict):
        return []
    found = []
    for key, value in tree.items():
        if key.startswith("iggy.problem.") and key not in OF_BATCHES:
            found += [key.rpartition(".")[2]] * len(each(value))
        found += problems_of(value)
    return found


def same_value(shown: Any, printed: Any) -> bool:
    """A value as Wireshark prints it, and as the analyzer does."""
    if printed == "***":  # secrets are fields by their length
        return str(shown).isdigit()
    if isinstance(printed, dict):
        return not (differing_rows(shown, printed) if isinstance(shown, dict) else printed)
    if isinstance(printed, list):
        values = each(shown)
        # Of long lists the first elements are shown.
        return len(values) == min(len(printed), ELEMENTS) and all(
            map(same_value, values, printed)
        )
    if isinstance(printed, float):
        return f"{float(shown):.6g}" == f"{printed:.6g}"
    if isinstance(printed, int):
        return int(shown, 0) == printed
    if str(shown).startswith("0x"):
        return str(int(shown, 16)) == str(printed)
    data = str(shown).replace(":", "")
    if str(shown).count(":") == 15 and printed.isdigit() and len(printed) != 32:
        return int.from_bytes(bytes.fromhex(data), "little") == int(printed)
    # Wireshark's JSON ends a text at a zero.
    return printed in (shown, data) or printed.partition("\0")[0] == shown


def differing_rows(shown: Json, printed: Json) -> list[str]:
    rows: Json = {}
    for key, value in shown.items():
        name = key.rpartition(".")[2]
        # What has rows below it: of a text with its length both are there, too.
        if isinstance(printed.get(name), (dict, list)):
            value = shown.get(f"{key}_tree", value)
        if key.endswith("_tree") and key.removesuffix("_tree") in shown:
            continue
        # What the bytes of a typed value mean, beside them.
        if key.endswith(".text") and key.removesuffix(".text") in shown:
            continue
        # What is wrong with sends that were dropped is told without being asked for.
        if key.endswith("checksum.status"):
            continue
        extra = ("iggy.problem", "iggy.finding", "iggy.not_shown", "iggy.message.")
        if key.startswith("iggy.") and not key.startswith(extra):
            rows[name] = value
    wrong = [
        f"{name}: {rows.get(name)!r} against {value!r}"
        for name, value in printed.items()
        if not (same_value(rows[name], value) if name in rows else value == [])
    ]
    return wrong + [f"{name} is shown only" for name in rows if name not in printed]


def texts_of(tree: Any) -> Iterator[tuple[str, str]]:
    """Keys and values of pairs, as the plugin reads them."""
    if isinstance(tree, list):
        for value in tree:
            yield from texts_of(value)
    elif isinstance(tree, dict):
        if "iggy.tlv_pair.key.text" in tree:
            yield tree["iggy.tlv_pair.key.text"], tree.get("iggy.tlv_pair.value.text", "***")
        if "iggy.text_pair.key" in tree:
            yield tree["iggy.text_pair.key"], tree.get("iggy.text_pair.value.text", "***")
        for value in tree.values():
            yield from texts_of(value)


def pairs_of(decoded: Any) -> Iterator[tuple[str, str]]:
    """The same as the analyzer reads them."""
    if isinstance(decoded, dict):
        if "key" in decoded and "kind" in decoded:
            yield plain(decoded["key"]), plain(decoded["value"])
            return
        decoded = list(decoded.values())
    if isinstance(decoded, list):
        for value in decoded:
            yield from pairs_of(value)


def plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def has_left_out(tree: Any) -> bool:
    if isinstance(tree, dict):
        return "iggy.not_shown" in tree or any(map(has_left_out, tree.values()))
    return isinstance(tree, list) and any(map(has_left_out, tree))


def pair_differences(tree: Json, frame: Json) -> list[str]:
    shown, printed = Counter(texts_of(tree)), Counter(pairs_of(frame.get("decoded")))
    if shown == printed or has_left_out(tree):
        return []
    return [f"keys and values: {shown - printed} against {printed - shown}"]


def differences(tree: Json, frame: Json, answers: dict[int, Json]) -> list[str]:
    wrong = differing_rows(tree["iggy.header"], frame["header"])
    if isinstance(frame["body"], dict) and frame["body"]:
        wrong += differing_rows(tree.get("iggy.body", {}), frame["body"])
    elif frame["body"] == "***":
        body = tree.get("iggy.body")
        rows = [key for key in body if key.startswith("iggy.")] if isinstance(body, dict) else []
        if set(rows) - {"iggy.problem"}:
            wrong.append("a secret body has rows")
    for key, value in (
        ("name", frame["name"]),
        ("from", frame["from"]),
        ("transport", frame["transport"]),
        ("plane", frame["plane"]),
        ("generation", frame["generation"]),
        ("generation_inferred", "yes" if frame.get("generation_inferred") else None),
        ("request_in", frame.get("request_packet")),
        ("response_in", frame.get("answer_packet")),
    ):
        shown = tree.get(f"iggy.{key}")
        if shown != (None if value is None else str(value)):
            wrong.append(f"{key}: {shown!r} against {value!r}")
    codes = [int(code) for code in (tree.get("iggy.code"), tree["iggy.header"].get("iggy.code"))
             if code is not None]
    if frame["code"] is not None and frame["code"] not in codes:
        wrong.append(f"code: {codes} against {frame['code']}")
    wrong += outcome_differences(tree, frame, answers)
    wrong += pair_differences(tree, frame)
    told = sorted(problem["problem"] for problem in frame["problems"])
    if sorted(problems_of(tree)) != told:
        wrong.append(f"problems: {problems_of(tree)} against {told}")
    return wrong


def outcome_differences(tree: Json, frame: Json, answers: dict[int, Json]) -> list[str]:
    wrong = []
    shown, printed = tree.get("iggy.outcome"), frame.get("outcome")
    if shown != printed:
        wrong.append(f"outcome: {shown!r} against {printed!r}")
    request = answers.get(id(frame))
    if request is not None and "latency_us" in request:
        shown = tree.get("iggy.response_time")
        if shown is None or int(Decimal(shown) * 1_000_000) != request["latency_us"]:
            wrong.append(f"response time: {shown} against {request['latency_us']} us")
    return wrong


def requests_of_answers(frames: list[Json]) -> dict[int, Json]:
    """The request of each answer, by the identity of the answer's object."""
    by_packet: dict[int, list[Json]] = {}
    for frame in frames:
        if "request_packet" in frame:
            by_packet.setdefault(frame["packet"], []).append(frame)
    found = {}
    for request in frames:
        for answer in by_packet.get(request.get("answer_packet", 0), []):
            if answer["request_packet"] == request["packet"] and id(answer) not in found:
                if len(by_packet[answer["packet"]]) == 1:
                    found[id(answer)] = request
    return found


def compare_exactly(name: str, shown: list[tuple[int, Json]], printed: list[Json]) -> list[str]:
    answers = requests_of_answers(printed)
    wrong = []
    if len(shown) != len(printed):
        wrong.append(f"{name}: {len(shown)} frames are shown, {len(printed)} are printed")
    for (packet, tree), frame in zip(shown, printed):
        if packet != frame["packet"]:
            wrong.append(f"{name}: a frame is shown in {packet}, printed in {frame['packet']}")
            break
        wrong += [f"{name} packet {packet}: {what}" for what in differences(tree, frame, answers)]
    return wrong


def compare_subset(name: str, shown: list[tuple[int, Json]], printed: list[Json]) -> list[str]:
    """Each frame that is shown is one that is printed, with the same header, in a later packet."""
    wrong = []
    left = list(printed)
    for packet, tree in shown:
        for index, frame in enumerate(left):
            in_place = frame["first_packet"] <= packet <= frame["packet"]
            if in_place and not differing_rows(tree["iggy.header"], frame["header"]):
                del left[index]
                break
        else:
            wrong.append(f"{name}: the frame in packet {packet} is shown only")
    print(f"  {name}: {len(shown)} of {len(printed)} frames, as a subset")
    if len(shown) < 0.98 * len(printed):
        wrong.append(f"{name}: only {len(shown)} of {len(printed)} frames are shown")
    return wrong


def main() -> int:
    parser = harness.parser(__doc__)
    parser.add_argument("--iggy-pcap", required=True, type=Path)
    harness.add_choice(parser)
    arguments = parser.parse_args()
    captures = harness.chosen_captures(arguments)
    wrong: list[str] = []
    frames = 0
    with harness.Tshark.from_arguments(arguments, captures) as tshark:
        for capture in captures:
            if (capture.with_suffix(".keys")).exists():
                continue  # the analyzer does not decrypt
            report = report_of(arguments.iggy_pcap, capture)
            place = tshark.capture(capture.name)
            shown = list(plugin_frames(tshark, place, ports_of(report)))
            printed = analyzer_frames(arguments.iggy_pcap, capture)
            compare = compare_exactly if is_in_order(report) else compare_subset
            wrong += compare(capture.name, shown, printed)
            if is_in_order(report):
                wrong += compare_lines(
                    capture.name,
                    plugin_lines(tshark, place, ports_of(report)),
                    analyzer_lines(arguments.iggy_pcap, capture),
                )
            frames += len(shown)
    for line in wrong[:40]:
        print(line)
    print(f"{frames} frames of {len(captures)} captures, {len(wrong)} differences")
    return 1 if wrong or frames == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
