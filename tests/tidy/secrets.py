#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Fails when an expected output shows a password or a token.

    secrets.py [--golden FOLDER] [--secrets FILE]

Looks in every golden file for the distinctive secrets of the captures, as text and as hex, and for
any value but *** in the fields that hold secrets. A golden file whose own command line asks for
secrets with --show-secrets is refused too: it would put them into the repository.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
# The fields that the protocol's tables mark as secret, with any value but a masked one.
OPEN_FIELD = re.compile(
    r'"(?:(?:current_|new_)?password|token|token_hash|bind_secret|artifact_bytes)":\s*'
    r'(?!"\*\*\*"|null|\{"length":\s*\d+,\s*"value":\s*"\*\*\*"\})'
)


def read_secrets(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def leaks(text: str, secrets: list[str]) -> Iterator[tuple[int, str]]:
    """The line numbers where a secret stands, and what is wrong there."""
    for number, line in enumerate(text.splitlines(), 1):
        if OPEN_FIELD.search(line):
            yield number, "a secret field has a value that is not masked"
        if number == 1 and "--show-secrets" in line:
            yield number, "an expected output must not ask for secrets"
        for secret in secrets:
            if secret in line or secret.encode().hex() in line.lower():
                yield number, f"shows the secret {secret}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Looks for secrets in expected outputs.")
    parser.add_argument("--golden", type=Path, default=HERE.parent / "golden")
    parser.add_argument("--secrets", type=Path, default=HERE / "secrets.txt")
    arguments = parser.parse_args()
    secrets = read_secrets(arguments.secrets)
    if not secrets:
        print(f"{arguments.secrets}: there is no secret to look for")
        return 1
    files = sorted(arguments.golden.rglob("*.golden"))
    if not files:
        print(f"{arguments.golden}: there is no expected output to look at")
        return 1
    found = 0
    for path in files:
        for number, message in leaks(path.read_text(encoding="utf-8"), secrets):
            found += 1
            print(f"{path}:{number}: {message}")
    print(f"{len(files)} expected outputs, {len(secrets)} secrets, {found} leaks")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
