#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""The plugin loads as it is built, exports what Wireshark looks for and nothing else, and installs.

    loads.py --plugin PATH [--tshark PROGRAM]
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

sys.dont_write_bytecode = True
from tshark import ROOT, Tshark, parser, run_checks  # noqa: E402

EXPORTS = {
    "plugin_describe",
    "plugin_register",
    "plugin_version",
    "plugin_want_major",
    "plugin_want_minor",
}
# Libraries that a C++ program of another compiler may bring in another version.
FOREIGN = re.compile(r"libstdc\+\+|libgcc_s")
REPORTS = ("fields", "values", "protocols", "decodes", "currentprefs", "ftypes")


def symbols(plugin: Path) -> set[str]:
    listed = subprocess.run(
        ["nm", "--dynamic", "--defined-only", plugin], capture_output=True, text=True, check=True
    ).stdout
    return {line.split()[-1] for line in listed.splitlines()}


def check_exports(tshark: Tshark) -> Iterator[str]:
    found = symbols(tshark.plugin)
    for name in sorted(found ^ EXPORTS):
        yield f"{'exports' if name in found else 'does not export'} {name}"


def check_libraries(tshark: Tshark) -> Iterator[str]:
    if tshark.preload:
        return  # sanitizers bring theirs
    listed = subprocess.run(
        ["readelf", "--dynamic", tshark.plugin], capture_output=True, text=True, check=True
    ).stdout
    for library in re.findall(r"NEEDED.*\[(.*)\]", listed):
        if FOREIGN.search(library):
            yield f"needs {library}"


def check_build_folder(tshark: Tshark) -> Iterator[str]:
    """WIRESHARK_PLUGIN_DIR=build/.../plugins is enough to try a build."""
    folder = tshark.installed.parents[2]
    moved = folder.rename(tshark.folder / "plugins")
    try:
        rows = tshark.plugins({"WIRESHARK_PLUGIN_DIR": str(moved)})
        if not any(row[0] == "iggy.so" and row[2] == "dissector" for row in rows):
            yield f"WIRESHARK_PLUGIN_DIR does not find it: {rows}"
    finally:
        moved.rename(folder)


def check_installation(tshark: Tshark) -> Iterator[str]:
    """packaging/install-plugin puts it where tshark looks."""
    home = tshark.folder / "other-home"
    home.mkdir()
    build = tshark.plugin.parents[3]
    done = subprocess.run(
        [ROOT / "packaging/install-plugin", build],
        env={"HOME": str(home), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    place = home / tshark.installed.relative_to(tshark.home)
    if done.returncode or not place.exists():
        yield f"install-plugin: {done.stdout}{done.stderr}"
    elif place.read_bytes() != tshark.plugin.read_bytes():
        yield "install-plugin: installs another file"
    elif str(place) not in done.stdout or "tshark -G plugins" not in done.stdout:
        yield f"install-plugin does not say what it did: {done.stdout}"


def check_silence(tshark: Tshark) -> Iterator[str]:
    """Wireshark complains of fields that break its rules when it registers them."""
    for report in REPORTS:
        done = tshark.run("-G", report)
        if done.returncode or done.stderr or not done.stdout:
            yield f"-G {report} ended with {done.returncode} and said: {done.stderr}"


CHECKS = (
    check_exports,
    check_libraries,
    check_build_folder,
    check_installation,
    check_silence,
)


def main() -> int:
    return run_checks(parser(__doc__).parse_args(), [], CHECKS)


if __name__ == "__main__":
    sys.exit(main())
