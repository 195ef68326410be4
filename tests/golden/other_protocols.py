#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Other protocols give no Iggy frame, and no finding but those that expected.json allows.

    other_protocols.py --iggy-pcap PATH
"""
import argparse
import json
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "data" / "other-protocols"


def problems_of(binary: str, capture: Path, expected: list[str]) -> list[str]:
    """What the tool says of the capture and should not, or should and does not."""
    done = subprocess.run([binary, "analyze", "--json", str(capture)], capture_output=True,
                          text=True, timeout=120, check=False)
    if done.returncode != 0:
        return [f"exit {done.returncode}: {done.stderr.strip()}"]
    report = json.loads(done.stdout)
    found = sorted(finding["id"] for finding in report["findings"])
    problems = []
    if report["frames"] != 0:
        problems.append(f"{report['frames']} Iggy frames: {report['by_command']}")
    if found != sorted(expected):
        problems.append(f"findings {found} instead of {sorted(expected)}")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iggy-pcap", required=True)
    binary = parser.parse_args().iggy_pcap
    expected = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
    captures = sorted(FOLDER.glob("*.pcap"))
    failed = 0
    for name in sorted(set(expected) ^ {capture.name for capture in captures}):
        print(f"{name}: not both a capture and an entry of expected.json")
        failed += 1
    for capture in captures:
        if capture.name not in expected:
            continue
        problems = problems_of(binary, capture, expected[capture.name]["findings"])
        failed += bool(problems)
        for problem in problems:
            print(f"{capture.name}: {problem}")
    print(f"{len(captures) - failed} passed, {failed} failed")
    return 1 if failed or not captures else 0


if __name__ == "__main__":
    sys.exit(main())
