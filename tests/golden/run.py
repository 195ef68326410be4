#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Runs every golden test: a command line and exactly what it prints.

    run.py --iggy-pcap PATH [--update] [CASE]...

A case is a file tests/golden/FOLDER/NAME.golden:

    $ iggy-pcap analyze samples/x.pcap     the command line; FOLDER names the tool or subcommand
    ...                                    exactly its standard output
    --- stderr                             only when it writes there: exactly its standard error
    ...
    --- exit 1                             only when it does not exit with 0

Standard output that does not end with a newline is followed by a line "--- no newline at the end".
--update writes the cases anew; a case with nothing but its command line is filled in.
"""

from __future__ import annotations

import argparse
import difflib
import os
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = Path(__file__).resolve().parent
TOOL = "iggy-pcap"
TIMEOUT = 120


def environment() -> dict[str, str]:
    """The same surroundings for everybody: no colour, 100 columns, UTC."""
    clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "CLICOLOR_FORCE")}
    return clean | {"TERM": "dumb", "COLUMNS": "100", "TZ": "UTC", "LC_ALL": "C.UTF-8"}


def command_of(case: Path) -> str:
    """The command line of a case, without its dollar sign."""
    with case.open(encoding="utf-8") as lines:
        first = lines.readline().rstrip("\n")
    if not first.startswith(f"$ {TOOL}"):
        raise ValueError(f"{case}:1: the first line must begin with '$ {TOOL}'")
    return first[2:]


def ended(text: str) -> str:
    """The text as it stands in a case, where every line ends."""
    return text if not text or text.endswith("\n") else f"{text}\n--- no newline at the end\n"


def actual(command: str, tool: Path) -> str:
    """The whole text of a case, from running its command."""
    words = [str(tool) if word == TOOL else word for word in shlex.split(command)]
    # The shell's one piece that cases use: reading a capture from standard input.
    source = None
    if "<" in words:
        at = words.index("<")
        source = words[at + 1]
        words = words[:at] + words[at + 2 :]
    with open(ROOT / source if source else os.devnull, "rb") as stdin:
        done = subprocess.run(
            words,
            cwd=ROOT,
            env=environment(),
            stdin=stdin,
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
    text = f"$ {command}\n" + ended(done.stdout.decode("utf-8", "backslashreplace"))
    if done.stderr:
        text += "--- stderr\n" + ended(done.stderr.decode("utf-8", "backslashreplace"))
    if done.returncode:
        text += f"--- exit {done.returncode}\n"
    return text.replace(str(tool), TOOL)


def check(case: Path, tool: Path, update: bool) -> list[str]:
    """The difference as lines, empty when there is none; an update leaves none."""
    got = actual(command_of(case), tool)
    want = case.read_text(encoding="utf-8")
    if got == want:
        return []
    name = str(case.relative_to(ROOT)) if case.is_relative_to(ROOT) else str(case)
    if update:
        case.write_text(got, encoding="utf-8")
        print(f"updated {name}")
        return []
    return list(
        difflib.unified_diff(
            want.splitlines(),
            got.splitlines(),
            f"{name} (expected)",
            f"{name} (printed)",
            lineterm="",
        )
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs the golden tests.")
    parser.add_argument("--iggy-pcap", required=True, type=Path, help="the program to test")
    parser.add_argument("--update", action="store_true", help="write the expected output anew")
    parser.add_argument("cases", nargs="*", type=Path, help="only these (default: all)")
    arguments = parser.parse_args()
    tool = arguments.iggy_pcap.resolve()
    cases = [case.resolve() for case in arguments.cases] or sorted(GOLDEN.rglob("*.golden"))
    if not cases:
        print(f"no golden test in {GOLDEN}")
        return 1
    failed = 0
    for case in cases:
        try:
            difference = check(case, tool, arguments.update)
        except (OSError, ValueError, subprocess.TimeoutExpired) as problem:
            difference = [f"{case}: {problem}"]
        if difference:
            failed += 1
            print("\n".join(difference) + "\n")
    if failed:
        print("`make golden-update` writes the expected output anew; read the difference then.")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
