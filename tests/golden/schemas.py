#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Checks what the tool prints for machines against the JSON Schemas of the repository.

    schemas.py --iggy-pcap PATH --schemas FOLDER

FOLDER holds analyze.schema.json (of `analyze --json`), frames.schema.json and messages.schema.json
(of each line of `frames --json` and of `messages --json`). All captures of samples and tests/data
are read.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("samples", "tests/data/captures", "tests/data/hard", "tests/data/other-protocols")
TIMEOUT = 300


def load(path: Path) -> Any:
    """A validator for a schema that is itself checked, and that is not an empty promise."""
    schema = json.loads(path.read_text(encoding="utf-8"))
    if not schema.get("properties") or not schema.get("required"):
        raise ValueError(f"{path}: the schema asks for nothing")
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    return validator(schema)


def problems(validator: Any, text: str, place: str) -> Iterator[str]:
    for error in validator.iter_errors(json.loads(text)):
        path = "/".join(str(step) for step in error.absolute_path)
        yield f"{place}: /{path}: {error.message[:300]}"


def run(tool: Path, capture: Path, *arguments: str) -> str:
    command = [tool, *arguments, capture]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if done.returncode not in (0, 4):
        raise RuntimeError(f"{capture}: exit {done.returncode}: {done.stderr[:200]}")
    return done.stdout


def check(
    tool: Path, capture: Path, analyze: Any, frames: Any, messages: Any
) -> Iterator[str]:
    place = str(capture.relative_to(ROOT))
    yield from problems(analyze, run(tool, capture, "analyze", "--json"), f"{place}: analyze")
    for flags in ((), ("--show-payload", "--verify-checksums")):
        lines = run(tool, capture, "frames", "--json", *flags).splitlines()
        for number, line in enumerate(lines, 1):
            yield from problems(frames, line, f"{place}: frames line {number}")
    every = ("--direction", "sent,polled,replicated")
    for number, line in enumerate(
        run(tool, capture, "messages", "--json", *every).splitlines(), 1
    ):
        yield from problems(messages, line, f"{place}: messages line {number}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Checks JSON output against the schemas.")
    parser.add_argument("--iggy-pcap", required=True, type=Path, help="the program to test")
    parser.add_argument("--schemas", required=True, type=Path, help="the folder of the schemas")
    arguments = parser.parse_args()
    tool = arguments.iggy_pcap.resolve()
    analyze = load(arguments.schemas / "analyze.schema.json")
    frames = load(arguments.schemas / "frames.schema.json")
    messages = load(arguments.schemas / "messages.schema.json")
    captures = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.pcap*"))]
    if not captures:
        print("there is no capture to check with")
        return 1
    failed = 0
    for capture in captures:
        try:
            found = list(check(tool, capture, analyze, frames, messages))
        except (RuntimeError, ValueError, subprocess.TimeoutExpired) as problem:
            found = [f"{capture.relative_to(ROOT)}: {problem}"]
        failed += bool(found)
        print("\n".join(found[:5]), end="\n" if found else "")
    print(f"{len(captures) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
