#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Every row of every table is a field of Wireshark, under the name that the reference gives it.

    fields.py --plugin PATH --iggy-pcap PATH [--tshark PROGRAM]

What `tshark -G fields` says is compared with `iggy-pcap fields --json`, with the list of findings,
and with Wireshark's own rules for labels.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True
from tshark import Tshark, parser  # noqa: E402

DATA = Path(__file__).resolve().parents[1] / "data"

NUMBERS = {
    "u8": "FT_UINT8",
    "u16": "FT_UINT16",
    "u32": "FT_UINT32",
    "u64": "FT_UINT64",
    "f32": "FT_FLOAT",
}
# One field for all headers, with the width that it has there.
COMMON = {"operation": "u8", "code": "u32", "status": "u32"}
EXTRA = {
    "iggy.header": "FT_NONE",
    "iggy.body": "FT_NONE",
    "iggy.generation": "FT_STRING",
    "iggy.generation_inferred": "FT_STRING",
    "iggy.plane": "FT_STRING",
    "iggy.from": "FT_STRING",
    "iggy.name": "FT_STRING",
    "iggy.request_in": "FT_FRAMENUM",
    "iggy.response_in": "FT_FRAMENUM",
    "iggy.response_time": "FT_RELATIVE_TIME",
    "iggy.outcome": "FT_STRING",
    "iggy.not_shown": "FT_UINT64",
    "iggy.transport": "FT_STRING",
    "iggy.continues": "FT_FRAMENUM",
    "iggy.preamble": "FT_BYTES",
    "iggy.no_frame": "FT_NONE",
    "iggy.problem": "FT_STRING",
    "iggy.finding": "FT_STRING",
    "iggy.header.code": "FT_UINT32",
    "iggy.message.offset": "FT_UINT64",
    "iggy.message.origin_timestamp": "FT_ABSOLUTE_TIME",
    "iggy.message.append_timestamp": "FT_ABSOLUTE_TIME",
    "iggy.topic": "FT_STRING",
    "iggy.message_frame.checksum.status": "FT_UINT8",
    "iggy.batch.batch_checksum.status": "FT_UINT8",
}
PROBLEMS = (
    "cut_by_capture",
    "too_short",
    "not_zero",
    "out_of_range",
    "trailing",
    "ignored",
    "malformed",
    "more",
    "contradiction",
    "wrong_checksum",
    "wrong_batch",
    "odd_batch",
)


@dataclass
class Field:
    label: str
    type: str
    base: str
    blurb: str


def registered(text: str) -> tuple[dict[str, Field], list[str]]:
    """The fields by name, and the names that are there twice."""
    fields: dict[str, Field] = {}
    twice = []
    for line in text.splitlines():
        columns = line.split("\t")
        if columns[0] != "F" or not columns[2].startswith("iggy."):
            continue
        _, label, name, type_, _, base, _, blurb, *_ = [*columns, ""]
        if name in fields:
            twice.append(name)
        fields[name] = Field(label, type_, base, blurb)
    return fields, twice


# Layouts of a text behind its length: who nests one has the text as its value.
COUNTED_TEXTS = {"name", "account_name"}
# What is told by its length.
SECRET = {"secret", "secret_payload"}


def type_of(row: dict[str, Any]) -> str:
    if row["privacy"] in SECRET:
        return "FT_UINT32"
    # Each element of a list is a field of its own.
    is_list = re.match("(?:list|chain) of ", row["type"])
    kind = re.sub("^(list of one|list of|chain of) | (to the end|at most)$", "", row["type"])
    if kind in NUMBERS:
        return NUMBERS[kind]
    if re.match(r"text\b", kind) or (kind in COUNTED_TEXTS and not is_list):
        return "FT_STRING"
    return "FT_BYTES" if re.match(r"u128|zero|bytes", kind) else "FT_NONE"


def expected(layouts: list[dict[str, Any]]) -> dict[str, str]:
    """Names and types, by the rule that the documents state."""
    first = [row["name"] for row in layouts[0]["fields"] if row["offset"] < 128]
    wanted = dict(EXTRA)
    for layout in layouts:
        open_names = {row["name"] for row in layout["fields"] if row["privacy"] not in SECRET}
        for row in layout["fields"]:
            in_header = row["offset"] is not None
            common = in_header and (row["name"] in first or COMMON.get(row["name"]) == row["type"])
            is_secret = row["privacy"] in SECRET
            middle = "" if common else f"{layout['layout']}."
            case = "secret." if is_secret and row["name"] in open_names else ""
            name = f"iggy.{middle}{case}{row['name']}"
            wanted[name] = type_of(row)
            if is_secret:
                clear = "FT_STRING" if row["type"].startswith("text") else "FT_BYTES"
                wanted[f"{name}_clear"] = clear
            elif row["typed"]:
                wanted[f"{name}.text"] = "FT_STRING"
    return wanted


def check_names(fields: dict[str, Field], wanted: dict[str, str]) -> Iterator[str]:
    for name, type_ in wanted.items():
        if name not in fields:
            yield f"{name} is not registered"
        elif fields[name].type != type_:
            yield f"{name} is {fields[name].type}, not {type_}"
    for name in fields:
        if name not in wanted and not name.startswith(("iggy.problem.", "iggy.finding.")):
            yield f"{name} is in no table"


def check_labels(fields: dict[str, Field]) -> Iterator[str]:
    for name, field in fields.items():
        if not re.fullmatch(r"[a-z0-9_.-]+", name):
            yield f"{name} has letters that filters do not have"
        if name.startswith(("iggy.problem.", "iggy.finding.")):
            continue  # Wireshark makes these of the summaries
        if not re.fullmatch(r"[A-Z][A-Za-z0-9 ]*", field.label):
            yield f"{name} has the label {field.label!r}"
        if not field.blurb or field.blurb == field.label:
            yield f"{name} has the blurb {field.blurb!r}"


def check_experts(fields: dict[str, Field], findings: str) -> Iterator[str]:
    words = re.findall(r"^\w+ +([a-z0-9]+(?:-[a-z0-9]+)+) ", findings, re.MULTILINE)
    if len(words) < 10:
        yield f"only these findings are listed: {words}"
    wanted = {f"iggy.finding.{word}" for word in words}
    wanted |= {f"iggy.problem.{word}" for word in PROBLEMS}
    found = {name for name in fields if name.startswith(("iggy.problem.", "iggy.finding."))}
    for name in sorted(wanted ^ found):
        yield f"{name} is {'not registered' if name in wanted else 'no finding and no problem'}"


def check_values(text: str) -> Iterator[str]:
    """Numbers have their names, those of every generation."""
    rows = [line.split("\t") for line in text.splitlines() if line.startswith("V\tiggy.")]
    values = {(name, int(number, 0)): word for _, name, number, word in rows}
    if len(values) != len(rows):
        yield f"values with two names: {Counter(tuple(row[1:3]) for row in rows).most_common(3)}"
    for line in (DATA / "errors.tsv").read_text(encoding="utf-8").splitlines():
        code, name = line.split("\t")[:2]
        if values.get(("iggy.status", int(code))) != name:
            yield f"status {code} is not {name}"
    for table in ("commands.tsv", "commands-0.12.tsv"):
        for line in (DATA / table).read_text(encoding="utf-8").splitlines()[1:]:
            code, name = line.split("\t")[:2]
            if code.isdigit() and values.get(("iggy.code", int(code))) != name:
                yield f"code {code} is not {name}"
    for field, number, word in (
        ("iggy.command", 13, "Eviction"),
        ("iggy.operation", 160, "SendMessages"),
        ("iggy.operation", 164, "StoreConsumerOffset2"),
        ("iggy.operation", 169, "RetireConsumerGroupOwners"),
        ("iggy.eviction.reason", 14, "IncompatibleProtocol"),
    ):
        if values.get((field, number)) != word:
            yield f"{field} {number} is not {word}"


def main() -> int:
    made = parser(__doc__)
    made.add_argument("--iggy-pcap", required=True, type=Path, help="the program that knows")
    arguments = made.parse_args()

    def ask(*words: str) -> str:
        command = [arguments.iggy_pcap.resolve(), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    layouts = [json.loads(line) for line in ask("fields", "--json").splitlines()]
    with Tshark.from_arguments(arguments, []) as tshark:
        fields, twice = registered(tshark.read("-G", "fields"))
        values = tshark.read("-G", "values")
    wanted = expected(layouts)
    problems = [f"{name} is registered twice" for name in twice]
    problems += check_names(fields, wanted)
    problems += check_labels(fields)
    problems += check_experts(fields, ask("findings"))
    problems += check_values(values)
    for problem in problems:
        print(problem)
    print(f"{len(wanted)} fields wanted, {len(fields)} registered, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
