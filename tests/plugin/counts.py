#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Compares the frames that Wireshark shows of real captures with what is true of them.

    counts.py --plugin iggy.so [--only NAME] [--every N]

Each capture is read without any setting but the keys of TLS, in one pass and in two, so that ports
and heuristics find the frames by themselves.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import tshark as harness

TRUTHS = harness.CAPTURES


def names_of_commands(tshark: harness.Tshark) -> dict[str, str]:
    """The names behind the numbers of iggy.command, as the plugin has registered them."""
    values = tshark.read("-G", "values").splitlines()
    rows = [line.split("\t") for line in values if line.startswith("V\tiggy.command\t")]
    return {str(int(row[2], 0)): row[3] for row in rows}


def counts(
    tshark: harness.Tshark, capture: Path, names: dict[str, str], passes: str
) -> Counter[str]:
    keys = capture.with_suffix(".keys")
    settings = ["-o", "tcp.try_heuristic_first:TRUE"]
    settings += ["-o", f"tls.keylog_file:{keys}"] if keys.exists() else []
    fields = ("-T", "fields", "-E", "occurrence=a", "-E", "aggregator=;", "-e", "iggy.command")
    printed = tshark.read(*([passes] if passes else []), "-r", capture, *settings, *fields)
    return Counter(names[number] for line in printed.splitlines() for number in line.split(";")
                   if number)


def main() -> int:
    parser = harness.parser(__doc__)
    harness.add_choice(parser)
    arguments = parser.parse_args()
    captures = harness.chosen_captures(arguments)
    truths = {}
    for path in captures:
        truth = path.parent / f"{path.name.partition('.')[0]}.truth.json"
        counted = json.loads(truth.read_text()).get("by_command") if truth.exists() else None
        # Without ALPN Wireshark has nobody to hand the streams of QUIC to.
        if counted and "quic" not in path.name:
            truths[path] = counted
    keys = [path.with_suffix(".keys") for path in captures if path.with_suffix(".keys").exists()]
    wrong = 0
    with harness.Tshark.from_arguments(arguments, [*truths, *keys]) as tshark:
        names = names_of_commands(tshark)
        for path, truth in truths.items():
            for passes in ("", "-2"):
                shown = counts(tshark, tshark.capture(path.name), names, passes)
                if shown == Counter(truth):
                    continue
                wrong += 1
                missing, more = Counter(truth) - shown, shown - Counter(truth)
                print(f"{path.name} {passes}: missing {dict(missing)}, too many {dict(more)}")
    print(f"{len(truths)} captures, {wrong} wrong")
    return 1 if wrong or len(truths) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
