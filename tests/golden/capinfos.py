#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Holds the packets and times that the tool reads against those of Wireshark's capinfos.

    capinfos.py --iggy-pcap PATH

Reads every capture of samples and tests/data, each also compressed, each in the other formats that
editcap writes, and a folder of the pieces that editcap cuts it into. It must not compare what is in
the packets: the other tests do.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("samples", "tests/data/captures", "tests/data/hard", "tests/data/other-protocols")
TIMEOUT = 120

# Formats of editcap that are variants of pcap and pcapng, by its names for them.
FORMATS = ("pcap", "nsecpcap", "modpcap", "nokiapcap", "rh6_1pcap", "suse6_3pcap", "pcapng")
# Changed in all of these, compressed in all of those: two captures are enough to show it.
CHANGED = ("samples/stale-client.pcap", "tests/data/captures/go-session.pcapng")

Facts = tuple[int, str, str]


def run(*command: str | Path, ok: tuple[int, ...] = (0,)) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if done.returncode not in ok:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr.strip()[:300]}")
    return done.stdout


def of_capinfos(capture: Path) -> Facts:
    """Packets, first time, last time, as capinfos -T prints them with seconds and nothing else."""
    table = run("capinfos", "-T", "-M", "-S", "-c", "-a", "-e", "-m", "-Q", capture)
    head, row = (line.split(",") for line in table.strip().splitlines()[:2])
    fields = dict(zip((name.strip('"') for name in head), (cell.strip('"') for cell in row)))
    return (
        int(fields["Number of packets"]),
        in_nanoseconds(fields["Start time"]),
        in_nanoseconds(fields["End time"]),
    )


def in_nanoseconds(seconds: str) -> str:
    """As JSON has it; capinfos prints as many digits as the file has."""
    if seconds == "n/a":
        return seconds
    whole, _, fraction = seconds.partition(".")
    return f"{whole}.{fraction.ljust(9, '0')}"


def of_tool(tool: Path, *captures: Path) -> Facts:
    report = json.loads(run(tool, "analyze", "--json", *captures, ok=(0, 4)))
    return report["packets"], report["first_time"], report["last_time"]


def compressed(capture: Path, folder: Path) -> Iterator[Path]:
    """The capture in each compression, under a name that does not tell."""
    packed = folder / "gzip"
    packed.write_bytes(gzip.compress(capture.read_bytes()))
    yield packed
    for program in ("zstd", "lz4"):
        packed = folder / program
        done = subprocess.run(
            [program, "-q", "-c", capture], capture_output=True, timeout=TIMEOUT, check=True
        )
        packed.write_bytes(done.stdout)
        yield packed


def variants(capture: Path, folder: Path) -> Iterator[Path]:
    for name in FORMATS:
        changed = folder / name
        run("editcap", "-F", name, capture, changed)
        yield changed


def pieces(capture: Path, folder: Path) -> Path:
    """A folder of files of ten packets, as a ring of dumpcap has them."""
    rotated = folder / "rotated"
    rotated.mkdir()
    run("editcap", "-c", "10", capture, rotated / "r.pcap")
    return rotated


def check(tool: Path, capture: Path, folder: Path) -> Iterator[str]:
    place = str(capture.relative_to(ROOT))
    want = of_capinfos(capture)
    got = of_tool(tool, capture)
    if got != want:
        yield f"{place}: capinfos reads {want}, the tool {got}"
    for packed in compressed(capture, folder):
        if (got := of_tool(tool, packed)) != want:
            yield f"{place}, {packed.name}: capinfos reads {want}, the tool {got}"
    if place not in CHANGED:
        return
    for changed in variants(capture, folder):
        if (got := of_tool(tool, changed)) != (want := of_capinfos(changed)):
            yield f"{place}, {changed.name}: capinfos reads {want}, the tool {got}"
    want = of_capinfos(capture)
    if (got := of_tool(tool, pieces(capture, folder))) != want:
        yield f"{place}, rotated: capinfos reads {want}, the tool {got}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares packets and times with capinfos.")
    parser.add_argument("--iggy-pcap", required=True, type=Path, help="the program to test")
    tool = parser.parse_args().iggy_pcap.resolve()
    missing = [name for name in ("capinfos", "editcap", "zstd", "lz4") if not shutil.which(name)]
    if missing:
        print(f"not installed: {', '.join(missing)}")
        return 1
    captures = sorted(
        path
        for folder in FOLDERS
        for path in (ROOT / folder).iterdir()
        if path.suffix in (".pcap", ".pcapng")
    )
    failed = []
    for capture in captures:
        with tempfile.TemporaryDirectory() as folder:
            failed += list(check(tool, capture, Path(folder)))
    print("\n".join(failed))
    print(f"{len(captures)} captures, {len(failed)} differences")
    return 1 if failed or not captures else 0


if __name__ == "__main__":
    sys.exit(main())
