#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Fails when a file of the project breaks a house rule; each message names file and line.

    tidy.py [--root FOLDER]

The rules: which folder includes what; the length of files, functions and lines; licence lines and
an opening comment; no `new` and `delete`; no notes to self; no tabs, trailing white space or
missing last newline; no absolute path and no package host that only one machine knows.
tidy_selftest.py proves each rule.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

sys.dont_write_bytecode = True
import cpp_source  # noqa: E402
import include_rule  # noqa: E402

FILE_LINES = 500
FUNCTION_LINES = 70
COLUMNS = 100
SKIPPED_FOLDERS = {".git", ".cache", ".idea", ".vscode", "__pycache__", "build"}
# Texts that are not ours, or that are data to the letter.
DATA = ("LICENSES/", "tests/data/", "tests/fuzz/corpus/")
BINARY = {".gz", ".pcap", ".pcapng", ".png"}
EITHER_LICENCE = "Apache-2.0 OR GPL-2.0-or-later"
LICENCES = {"plugin": "GPL-2.0-or-later"}
SPDX = re.compile(r"SPDX-License-Identifier: (.+?)\s*$")

# Written in pieces, so that this file keeps its own rules.
NOTES = re.compile(rf"\b({'|'.join(('TO' + 'DO', 'FIX' + 'ME', 'X' * 3))})\b")
OWN_FOLDERS = re.compile("/wo" + r"rk\b|\bshar" + "ed/(captures|protocol|tools|anchors|design)")
TEMPORARY = re.compile(r"(?<![\w.}])/tm" + r"p\b")
HOSTS = re.compile(
    "|".join(
        r"\.".join(labels)
        for labels in (
            (r"(deb|security|snapshot|ftp)", "debian", "org"),
            (r"registry", "npmjs", "org"),
            ("crates", "io"),
            ("pypi", "org"),
            ("pythonhosted", "org"),
            ("proxy", "golang", "org"),
            ("repo1", "maven", "org"),
            ("rubygems", "org"),
        )
    )
)
NEW_OR_DELETE = re.compile(r"(?<!operator )\bnew\b|(?<!operator )(?<!= )\bdelete\b")


@dataclass
class Source:
    """One text file of the project."""

    path: str  # from the root on, with slashes
    text: str

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")[: -1 if self.text.endswith("\n") else None]

    @property
    def top(self) -> str:
        return self.path.split("/")[0]

    @cached_property
    def kind(self) -> str:
        """cpp, python, shell, cmake, make or text."""
        name = self.path.rsplit("/", 1)[-1]
        ending = name.rsplit(".", 1)[-1] if "." in name else ""
        if name == "Makefile" or ending == "mk":
            return "make"
        if name == "CMakeLists.txt" or ending == "cmake":
            return "cmake"
        if ending in ("hpp", "cpp", "h", "cc"):
            return "cpp"
        first = self.text.split("\n", 1)[0]
        if ending == "py" or re.match("#!.*python", first):
            return "python"
        if ending == "sh" or re.match(r"#!.*\b(ba)?sh\b", first):
            return "shell"
        return "golden" if ending == "golden" else "text"

    @property
    def is_code(self) -> bool:
        return self.kind in ("cpp", "python", "shell", "cmake", "make")


Problems = Iterator[tuple[int, str]]


def check_includes(source: Source) -> Problems:
    if source.kind == "cpp":
        yield from include_rule.problems(source.path, cpp_source.without_comments(source.text))


def check_file_length(source: Source) -> Problems:
    if source.is_code and len(source.lines) > FILE_LINES:
        yield len(source.lines), f"{len(source.lines)} lines; a file has {FILE_LINES} at most"


def _python_functions(text: str) -> Iterator[tuple[str, int, int]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno or node.lineno


def check_function_length(source: Source) -> Problems:
    found: Iterator[tuple[str, int, int]] = iter(())
    if source.kind == "cpp":
        found = ((f.name, f.first, f.last) for f in cpp_source.functions(source.text))
    elif source.kind == "python":
        found = _python_functions(source.text)
    for name, first, last in found:
        length = last - first + 1
        if length > FUNCTION_LINES:
            yield first, f"{name} has {length} lines; a function has {FUNCTION_LINES} at most"


def check_columns(source: Source) -> Problems:
    if source.is_code:
        for number, line in enumerate(source.lines, 1):
            if len(line) > COLUMNS:
                yield number, f"{len(line)} columns; a line has {COLUMNS} at most"


def check_licence(source: Source) -> Problems:
    if not source.is_code:
        return
    want = LICENCES.get(source.top, EITHER_LICENCE)
    for number, line in enumerate(source.lines[:2], 1):
        match = SPDX.search(line)
        if match:
            if match.group(1) != want:
                yield number, f"the licence here is '{want}', not '{match.group(1)}'"
            return
    yield 1, "no SPDX-License-Identifier in the first two lines"


def check_opening(source: Source) -> Problems:
    if source.kind == "cpp" and not re.match(r"//[^\n]*\n//\n// \S", source.text):
        yield 2, "a file opens with what it is for, in a comment below the licence"


def check_new_and_delete(source: Source) -> Problems:
    if source.kind == "cpp":
        code = cpp_source.code_only(source.text)
        for number, line in enumerate(code.split("\n"), 1):
            if NEW_OR_DELETE.search(line):
                yield number, "no new and delete expressions; let a type own what it needs"


def check_notes(source: Source) -> Problems:
    for number, line in enumerate(source.lines, 1):
        match = NOTES.search(line)
        if match and source.kind != "golden":
            yield number, f"no {match.group(1)} notes; do it, or file an issue"


def check_white_space(source: Source) -> Problems:
    if source.kind == "golden":
        return
    for number, line in enumerate(source.lines, 1):
        if "\t" in line and source.kind != "make":
            yield number, "no tabs outside Makefiles"
        if line != line.rstrip():
            yield number, "no trailing white space"
    if source.text and (not source.text.endswith("\n") or source.text.endswith("\n\n")):
        yield len(source.lines), "a file ends with exactly one newline"


def check_places(source: Source) -> Problems:
    for number, line in enumerate(source.lines, 1):
        if OWN_FOLDERS.search(line):
            yield number, "a path that exists on one machine only"
        if TEMPORARY.search(line) and source.top != "tests":
            yield number, "an absolute path to a temporary folder"
        if HOSTS.search(line):
            yield number, "the name of a package host"


CHECKS = (
    check_includes,
    check_file_length,
    check_function_length,
    check_columns,
    check_licence,
    check_opening,
    check_new_and_delete,
    check_notes,
    check_white_space,
    check_places,
)


def _paths(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            if path.name not in SKIPPED_FOLDERS:
                yield from _paths(path)
        elif path.is_file() and path.suffix not in BINARY:
            yield path


def sources(root: Path) -> Iterator[Source]:
    for path in _paths(root):
        name = path.relative_to(root).as_posix()
        # The README files and scripts beside the data are ours.
        if name.startswith(DATA) and path.suffix not in (".md", ".py"):
            continue
        data = path.read_bytes()
        if b"\0" not in data:
            yield Source(name, data.decode("utf-8", "replace"))


def main() -> int:
    parser = argparse.ArgumentParser(description="Checks the house rules.")
    default = Path(__file__).resolve().parents[2]
    parser.add_argument("--root", type=Path, default=default, help="the project's folder")
    arguments = parser.parse_args()
    files = found = 0
    for source in sources(arguments.root):
        files += 1
        for check in CHECKS:
            for number, message in check(source):
                found += 1
                print(f"{source.path}:{number}: {message}")
    if not files:
        print(f"{arguments.root}: there is no file to check")
        return 1
    print(f"{files} files, {found} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
