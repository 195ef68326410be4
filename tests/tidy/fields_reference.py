#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Fails when protocol/FIELDS.md is not what the tables say.

    fields_reference.py --iggy-pcap PATH [--update]

The file must equal the output of `iggy-pcap fields --markdown`; --update writes it.
"""

from __future__ import annotations

import argparse
import difflib
import subprocess
import sys
from pathlib import Path

REFERENCE = Path(__file__).resolve().parents[2] / "protocol/FIELDS.md"
SHOWN = 40


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares protocol/FIELDS.md with the tables.")
    parser.add_argument("--iggy-pcap", required=True, type=Path, help="the program that knows")
    parser.add_argument("--update", action="store_true", help="write protocol/FIELDS.md")
    arguments = parser.parse_args()
    command = [arguments.iggy_pcap.resolve(), "fields", "--markdown"]
    got = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    if not got.strip():
        print("`iggy-pcap fields --markdown` prints nothing")
        return 1
    if arguments.update:
        REFERENCE.write_text(got, encoding="utf-8")
        return 0
    want = REFERENCE.read_text(encoding="utf-8") if REFERENCE.exists() else ""
    if got == want:
        return 0
    difference = difflib.unified_diff(
        want.splitlines(), got.splitlines(), "protocol/FIELDS.md", "the tables", lineterm=""
    )
    print("\n".join(list(difference)[:SHOWN]))
    print("protocol/FIELDS.md is out of date: `make golden-update` writes it anew.")
    return 1


if __name__ == "__main__":
    sys.exit(main())
