#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Compares the findings that the plugin raises as expert infos with those of iggy-pcap.

    findings.py --plugin iggy.so --iggy-pcap PATH [--only NAME] [--every N]

What a frame or a pair shows stands at the frame in both passes; what an absence shows, in the
second pass only; what needs the whole connection, never. The plugin raises nothing that the
analyzer does not find, and nothing at a packet that the finding does not name.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import parity
import tshark as harness


def kinds(iggy_pcap: Path) -> dict[str, str]:
    """What shows each finding."""
    text = subprocess.run([iggy_pcap, "findings", "--json"], capture_output=True, text=True,
                          check=True).stdout
    return {row["id"]: row["evident"] for row in map(json.loads, text.splitlines())}


def raised(
    tshark: harness.Tshark, capture: Path, ports: str, names: list[str], passes: list[str]
) -> dict[str, set[int]]:
    """The packets of each finding that the plugin raises."""
    fields = [part for name in names for part in ("-e", f"iggy.finding.{name}")]
    printed = tshark.read(*passes, "-r", capture, "-o", f"iggy.tcp.port:{ports}", "-Y", "iggy",
                          "-T", "fields", "-e", "frame.number", *fields)
    found: dict[str, set[int]] = defaultdict(set)
    for line in printed.splitlines():
        packet, *values = line.split("\t")
        for name, value in zip(names, values):
            if value:
                found[name].add(int(packet))
    return found


def main() -> int:
    parser = harness.parser(__doc__)
    parser.add_argument("--iggy-pcap", required=True, type=Path)
    harness.add_choice(parser)
    arguments = parser.parse_args()
    captures = harness.chosen_captures(arguments)
    evident = kinds(arguments.iggy_pcap)
    names = sorted(evident)
    wrong: list[str] = []
    count = 0
    by_name: Counter[str] = Counter()
    with harness.Tshark.from_arguments(arguments, captures) as tshark:
        for path in captures:
            report = parity.report_of(arguments.iggy_pcap, path)
            ports = parity.ports_of(report)
            place = tshark.capture(path.name)
            printed = {each["id"]: set(each["packets"]) for each in report["findings"]}
            for passes in ([], ["-2"]):
                shown = raised(tshark, place, ports, names, passes)
                count += sum(map(len, shown.values()))
                by_name.update({name: len(shown[name]) for name in names if shown[name]})
                for name in names:
                    allowed = evident[name] in ("frame", "pair") or (
                        evident[name] == "absence" and passes)
                    told = printed.get(name, set())
                    if shown[name] and not allowed:
                        wrong.append(f"{path.name} {passes}: {name} is raised too early")
                    elif not shown[name] <= told and len(told) < 20:
                        more = sorted(shown[name] - told)
                        wrong.append(f"{path.name} {passes}: {name} is raised at {more} only")
                    if told and evident[name] in ("frame", "pair") and not shown[name]:
                        wrong.append(f"{path.name} {passes}: {name} is not raised")
    for line in wrong:
        print(line)
    seen = ", ".join(f"{name} {number}" for name, number in sorted(by_name.items()))
    print(f"{seen}\n{count} findings raised in {len(captures)} captures, {len(wrong)} wrong")
    return 1 if wrong or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
