#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Settings and captures that nobody chose the plugin for: it ends well and shows what is there.

    hardening.py --plugin PATH [--tshark PROGRAM] [--only CHECK] [--every N]

snaplen      every capture cut by editcap to many lengths
settings     preferences of TCP that change nothing of what is shown
alone        a preference of TCP by which dissectors are handed each segment alone
few_items    a limit on the tree that every packet breaks
large_frame  64 MiB of list elements: the memory that the plugin takes
--every N    of lengths and settings each capture gets one of N, so that all of them take turns
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

sys.dont_write_bytecode = True
import packets  # noqa: E402
import segments  # noqa: E402
import tshark as harness  # noqa: E402

Kind = TypeVar("Kind")
LENGTHS = (54, 66, 67, 100, 200, 321, 322, 400, 1000)
FAULTS = re.compile(r"dissector bug|\[Malformed Packet: Iggy|: Iggy truncated", re.IGNORECASE)
SMALL = ("rejected.pcap", "version-rejected.pcap", "bad-batches.pcap")
MEGABYTE = 1 << 20
WITH_RESULT, UNKNOWN_OPERATION = 128, 250
MOST_MEMORY = 50 * MEGABYTE
MANY, MOST_ELEMENTS = "-oiggy.max_elements:4294967295", 10_000
SIZE = 64 * MEGABYTE - 4  # of a frame that holds whole entries and is as large as one may be


def faults_of(tshark: harness.Tshark, *arguments: str | Path) -> Iterator[str]:
    done = tshark.run(*arguments)
    told = " ".join(map(str, arguments))
    if done.returncode or done.stderr:
        yield f"{told}: ended with {done.returncode} and said: {done.stderr[:1000]}"
    for fault in sorted(set(FAULTS.findall(done.stdout))):
        yield f"{told}: says {fault}"


def files_of(tshark: harness.Tshark, captures: Sequence[Path], name: str) -> list[Path]:
    """The captures in as few files as can be: all of classic pcap are one."""
    classic = [path for path in captures if path.suffix == ".pcap"]
    joined = [segments.join(tshark.capture(name), classic)] if classic else []
    return joined + [tshark.capture(path.name) for path in captures if path not in classic]


def turns(kinds: Sequence[Kind], every: int) -> Iterator[tuple[Kind, list[Path]]]:
    """Each kind of treatment with the captures that it is for: all, or one of EVERY, in turn."""
    for turn, kind in enumerate(kinds):
        yield kind, harness.all_captures()[turn % every :: every]


def check_snaplen(tshark: harness.Tshark, every: int) -> Iterator[str]:
    for length, captures in turns(LENGTHS, every):
        for file in files_of(tshark, captures, "joined.pcap"):
            cut = tshark.capture(f"snap-{length}-{file.name}")
            subprocess.run(["editcap", "-s", str(length), file, cut], check=True)
            cut.chmod(0o644)
            yield from faults_of(tshark, "-r", cut, *(("-2",) if length % 2 else ()), "-V")
            cut.unlink()


# Sizes of the frames of each packet, and their names.
Shown = dict[tuple[int, int], str]


def frames_of(tshark: harness.Tshark, file: Path, *settings: str) -> Shown:
    """By the capture of a joined file, which its hosts tell, and the packet."""
    fields = ("-e", "ip.src", "-e", "frame.number", "-e", "iggy.size", "-e", "iggy.name")
    printed = tshark.read("-r", file, "-Y", "iggy.size", "-T", "fields", *fields, *settings)
    rows = (line.split("\t", 2) for line in printed.splitlines())
    return {(int(host.split(".")[-1]) // 2, int(packet)): rest for host, packet, rest in rows}


def sizes_of(frames: Shown) -> dict[int, Counter[str]]:
    """How often each size stands there in each capture."""
    sizes: dict[int, Counter[str]] = defaultdict(Counter)
    for (capture, _), rest in frames.items():
        sizes[capture].update(rest.split("\t")[0].split(","))
    return sizes


# Wireshark keeps back what follows a cut packet, as if it were out of order.
OUT_OF_ORDER = "tcp.reassemble_out_of_order:TRUE"
SAME_FRAMES = (
    ("tcp.relative_sequence_numbers:FALSE",),
    ("tcp.analyze_sequence_numbers:FALSE",),
    ("tcp.analyze_sequence_numbers:FALSE", "tcp.relative_sequence_numbers:FALSE"),
    (OUT_OF_ORDER,),
)


def check_settings(tshark: harness.Tshark, every: int) -> Iterator[str]:
    for settings, captures in turns(SAME_FRAMES, every):
        given = [f"-o{setting}" for setting in settings]
        for file in files_of(tshark, captures, "joined.pcap"):
            if OUT_OF_ORDER in settings and "snap" in file.name:
                continue
            usual, found = frames_of(tshark, file), frames_of(tshark, file, *given)
            if found != usual or not usual:
                told = min(found.items() ^ usual.items(), default=None)
                yield f"{file.name}: other frames with {' '.join(settings)}, as {told}"


def check_alone(tshark: harness.Tshark) -> Iterator[str]:
    """Frames over several segments are shown where they begin, as far as they are there; but for
    those whose header is not there."""
    alone = "-otcp.desegment_tcp_streams:FALSE"
    for file in files_of(tshark, harness.all_captures(), "joined.pcap"):
        yield from faults_of(tshark, "-r", file, "-V", alone)
    plain = [path for path in harness.all_captures()
             if "websocket" not in path.name and "tls" not in path.name]
    for file in files_of(tshark, plain, "joined.pcap"):
        usual = sizes_of(frames_of(tshark, file))
        found = sizes_of(frames_of(tshark, file, alone))
        for capture, sizes in usual.items():
            missing = (sizes - found[capture]).total()
            if missing > sizes.total() // 50:
                told = f"{missing} of {sizes.total()} are missing in its capture {capture}"
                yield f"{file.name}: {told} with {alone}"


def check_few_items(tshark: harness.Tshark) -> Iterator[str]:
    """Wireshark itself says of a packet that it holds too many items; packets behind it are shown.

    It calls this a dissector bug of whichever protocol comes last. What counts is that each packet
    still has its columns, and that those with fewer items are whole.
    """
    for name in SMALL:
        capture = tshark.capture(name)
        usual = tshark.read("-r", capture, "-T", "fields", "-e", "_ws.col.Protocol")
        for limit in (50, 100, 150, 200, 400):
            few = ("-o", f"gui.max_tree_items:{limit}")
            done = tshark.run("-r", capture, "-P", "-V", *few)
            if done.returncode:
                yield f"{name}: ended with {done.returncode} at {limit} items: {done.stderr[:500]}"
            if done.stdout.count("\nFrame ") + 1 < len(usual.splitlines()):
                yield f"{name}: packets are missing at {limit} items"
            if limit >= 150 and "Apache Iggy" not in done.stdout:
                yield f"{name}: nothing of Iggy at {limit} items"


def large_reply(path: Path, operation: int) -> Path:
    """A reply of 64 MiB. To an operation with a result it holds 8 million entries of 8 bytes."""
    told = bytes([operation])
    entries = (SIZE - packets.HEADER - 4) // 8
    body = packets.u32(entries) + b"\0\0\0\0\1\0\0\0" * entries
    frame = packets.frame(8, body, operation=(208, told))
    made = []
    request = packets.frame(5, packets.u32(0), client=(128, b"\x42" * 16), operation=(176, told))
    made.append(segments.Segment(0, 40000, packets.PORT, 1, 1, 24, request))
    for at in range(0, len(frame), 65000):
        part = frame[at : at + 65000]
        made.append(segments.Segment(at, packets.PORT, 40000, 1 + at, 1 + len(request), 24, part))
    return segments.write(path, made)


def peak_of(tshark: harness.Tshark, *arguments: str | Path) -> tuple[int, str]:
    """Bytes of memory that a run took at most, and what it printed."""
    done = tshark.run(*arguments, wrapper=["/usr/bin/time", "-f", "peak %M"])
    found = re.search(r"^peak (\d+)$", done.stderr, re.MULTILINE)
    said = re.sub(r"^peak \d+\n", "", done.stderr, flags=re.MULTILINE)
    if done.returncode or said or not found:
        raise AssertionError(f"ended with {done.returncode} and said: {said}")
    return int(found.group(1)) * 1024, done.stdout


def check_large_frame(tshark: harness.Tshark) -> Iterator[str]:
    """Measured against a frame of the same size that is one run of bytes, so that what TCP needs to
    put 64 MiB together does not count."""
    capture = large_reply(tshark.capture("large.pcap"), WITH_RESULT)
    plain = large_reply(tshark.capture("plain.pcap"), UNKNOWN_OPERATION)
    tree = ("-V", "-O", "iggy")
    for mode in (tree, ("-2", *tree), ("-q", "-z", "expert"), (*tree, MANY)):
        peak, shown = peak_of(tshark, "-r", capture, *mode)
        least, _ = peak_of(tshark, "-r", plain, *mode)
        told = f"{' '.join(mode)}: {peak // MEGABYTE} MiB, {least // MEGABYTE} without a list"
        print(f"large_frame: {told}")
        if peak - least > MOST_MEMORY:
            yield told
        for fault in set(FAULTS.findall(shown)):
            yield f"{' '.join(mode)}: says {fault}"
        if "-V" in mode and (f"Size: {SIZE}" not in shown or "more, not shown" not in shown):
            yield f"{' '.join(mode)}: the frame is not shown"
        if MANY in mode and shown.count(" Entries [") != MOST_ELEMENTS:
            yield f"{MANY}: {shown.count(' Entries [')} elements are shown"


def main() -> int:
    made = harness.parser(__doc__)
    made.add_argument("--only", default="", help="the one check to run")
    made.add_argument("--every", type=int, default=1, help="one treatment of so many, in turn")
    arguments = made.parse_args()
    problems = 0
    with harness.Tshark.from_arguments(arguments, harness.all_captures()) as tshark:
        checks: dict[str, Callable[[], Iterator[str]]] = {
            "snaplen": lambda: check_snaplen(tshark, arguments.every),
            "settings": lambda: check_settings(tshark, arguments.every),
            "alone": lambda: check_alone(tshark),
            "few_items": lambda: check_few_items(tshark),
            "large_frame": lambda: check_large_frame(tshark),
        }
        for name, check in checks.items():
            if arguments.only not in (name, ""):
                continue
            for problem in check():
                problems += 1
                print(f"{name}: {problem}", flush=True)
    print(f"{problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
