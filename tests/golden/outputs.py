#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Proves that no output is lost in silence: a full disk ends every command with 2 and a message.

    outputs.py --iggy-pcap PATH

A reader that goes away is no fault; then the command ends with 0 and says nothing.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Outputs below and above the size of a buffer.
SMALL = "samples/version-rejected.pcap"
LARGE = "tests/data/captures/rust-session.pcap"
COMMANDS = [
    *([command, SMALL] for command in ("analyze", "frames")),
    *([*command.split(), LARGE] for command in ("analyze --json", "frames", "frames --json")),
    ["messages", LARGE],
    ["fields"],
    ["findings"],
    ["--help"],
    ["--version"],
]


def on_full_disk(tool: str, arguments: list[str]) -> str:
    """What is wrong, or nothing."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run([tool, *arguments], stdout=full, stderr=subprocess.PIPE, text=True,
                              cwd=ROOT, timeout=60, check=False)
    if done.returncode != 2:
        return f"ended with {done.returncode} on a full disk"
    expected = "iggy-pcap: standard output: No space left on device\n"
    return "" if done.stderr == expected else f"said {done.stderr!r} on a full disk"


def without_reader(tool: str, arguments: list[str]) -> str:
    with subprocess.Popen([tool, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          cwd=ROOT) as process:
        assert process.stdout and process.stderr
        process.stdout.close()
        said = process.stderr.read().decode()
        code = process.wait(timeout=60)
    return "" if code == 0 and not said else f"ended with {code} and said {said!r} unread"


def main() -> int:
    parser = argparse.ArgumentParser(description="Checks what happens when output fails.")
    parser.add_argument("--iggy-pcap", required=True, help="the program")
    tool = str(Path(parser.parse_args().iggy_pcap).resolve())
    failed = 0
    for arguments in COMMANDS:
        for wrong in (on_full_disk(tool, arguments), without_reader(tool, arguments)):
            if wrong:
                failed += 1
                print(f"iggy-pcap {' '.join(arguments)}: {wrong}")
    print(f"{2 * len(COMMANDS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
