#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""The transcripts in the documents are what the tool prints, to the letter.

    documents.py --iggy-pcap PATH

A block of ```console in a Markdown file of the project's root holds commands behind "$ " and, below
each, its whole output. FINDINGS.md names every finding that the tool has.
"""
import argparse
import difflib
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands_of(block: str) -> list[tuple[str, str]]:
    """Pairs of a command and the output that the document gives for it."""
    pairs: list[tuple[str, str]] = []
    for line in block.splitlines(keepends=True):
        if line.startswith("$ "):
            pairs.append((line[2:].strip(), ""))
        elif pairs:
            command, output = pairs[-1]
            pairs[-1] = (command, output + line)
    return pairs


def check_command(binary: str, document: str, command: str, expected: str) -> bool:
    words = shlex.split(command)
    words[0] = binary
    environment = {"PATH": os.environ.get("PATH", ""), "TERM": "dumb", "TZ": "UTC",
                   "COLUMNS": "100"}
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True,
                          timeout=60, check=False)
    if done.stdout == expected:
        return True
    print(f"{document}: $ {command}")
    sys.stdout.writelines(difflib.unified_diff(
        expected.splitlines(keepends=True), done.stdout.splitlines(keepends=True),
        "document", "printed"))
    return False


def findings_in_documents(binary: str) -> list[str]:
    """Findings that the tool lists and FINDINGS.md does not, or the other way round."""
    listed = subprocess.run([binary, "findings", "--json"], capture_output=True, text=True,
                            timeout=60, check=True).stdout
    known = {json.loads(line)["id"] for line in listed.splitlines()}
    text = (ROOT / "FINDINGS.md").read_text(encoding="utf-8")
    described = set(re.findall(r"^## `([a-z0-9-]+)`", text, re.MULTILINE))
    return [f"FINDINGS.md: {word}" for word in sorted(known ^ described)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iggy-pcap", required=True)
    binary = str(Path(parser.parse_args().iggy_pcap).resolve())
    passed = failed = 0
    for document in sorted(ROOT.glob("*.md")):
        for block in BLOCK.findall(document.read_text(encoding="utf-8")):
            for command, expected in commands_of(block):
                good = check_command(binary, document.name, command, expected)
                passed += good
                failed += not good
    for problem in findings_in_documents(binary):
        print(problem)
        failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
