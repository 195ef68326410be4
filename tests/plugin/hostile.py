#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Whatever the bytes are, Wireshark ends well and never blames the plugin.

    hostile.py --plugin PATH [--tshark PROGRAM] [--rounds N] [--seed N] [--valgrind]

Real frames, and made-up logins and answers, with bits flipped, lengths made absurd, bytes taken out
and captures cut at every place; each is shown in full, counted without a tree, and filtered.
--valgrind runs a few of them, and real captures, under valgrind instead: no read that ends in luck,
and no leak of ours.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.dont_write_bytecode = True
import packets  # noqa: E402
import segments  # noqa: E402
from tshark import CAPTURES, SAMPLES, Tshark, parser  # noqa: E402

SOURCES = ("version-gate.pcap", "rejected.pcap", "cluster-start.pcap", "stale-client.pcap")
# Other dissectors may try the bytes too, and are not asked to be as good.
FAULTS = re.compile(r"dissector bug|\[Malformed Packet: Iggy|: Iggy truncated", re.IGNORECASE)
ABSURD = (0, 1, 0x7F, 0xFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
MODES = (
    ("-V",),
    ("-q", "-z", "io,stat,0"),
    ("-q", "-z", "expert"),
    ("-Y", "iggy.size > 255", "-T", "fields", "-e", "iggy.name.value", "-e", "iggy.status"),
    ("-V", "-o", "iggy.show_secrets:TRUE", "-2"),
)
LARGEST = 60_000
# What valgrind sees besides.
REAL = (
    CAPTURES / "rejected.pcap",
    SAMPLES / "version-rejected.pcap",
    CAPTURES / "bad-batches.pcap",
)
PCAP_HEADER = 24


def sources() -> list[bytes]:
    found = [f for name in SOURCES for f in packets.frames(CAPTURES / name) if len(f) < LARGEST]
    name = b"\x08rust-sdk\x060.11.0"
    found.append(packets.login(packets.u32(11 << 10) + name + b"\x04iggy\x04iggy" + b"\0" * 4))
    found.append(packets.rejection(500, 500))
    # Text that is no UTF-8, that turns around, and that a terminal would obey.
    text = b"\xff\xc0\x80\xed\xa0\x80\x1b[2J\xe2\x80\xae\x00"
    wild = bytes([len(text)]) + text
    found.append(packets.login(packets.u32(11 << 10) + wild + wild + wild + b"\0" + b"\0" * 4))
    # Times that no calendar has.
    for time in (1, 253_402_300_799_999_999, 253_402_300_800_000_000, 2**63, 2**64 - 1):
        stamp = time.to_bytes(8, "little")
        found.append(packets.frame(5, timestamp=(160, stamp), operation=(176, b"\x02")))
    return found


def changed(frame: bytes, dice: random.Random) -> bytes:
    made = bytearray(frame)
    for _ in range(dice.randrange(1, 4)):
        kind = dice.randrange(4)
        at = dice.randrange(len(made))
        if kind == 0:
            made[at] ^= 1 << dice.randrange(8)
        elif kind == 1:
            made[at : at + 4] = packets.u32(dice.choice(ABSURD))[: len(made) - at]
        elif kind == 2 and len(made) > packets.HEADER + 4:
            at = dice.randrange(packets.HEADER, len(made))
            del made[at : at + dice.randrange(1, 9)]
            made[48:52] = packets.u32(len(made))
        else:
            # Bodies are where lengths are.
            place = packets.HEADER if len(made) > packets.HEADER else 128
            at = dice.randrange(place, len(made))
            made[at] = dice.choice((0, 1, 0x7F, 0xFF))
    return bytes(made)


def made_up(dice: random.Random, rounds: int) -> Iterator[packets.Segment]:
    originals = sources()
    for number in range(rounds):
        frame = originals[number % len(originals)]
        if number >= len(originals):
            frame = changed(frame, dice)
        cut = dice.randrange(len(frame) + 1) if dice.randrange(3) == 0 else None
        # Two frames in one segment, and one that ends in the middle.
        if dice.randrange(4) == 0 and len(frame) < LARGEST // 2:
            frame = (frame + changed(frame, dice))[: dice.randrange(1, 2 * len(frame) + 1)]
            cut = None if cut is None else min(cut, len(frame))
        to_server = len(frame) > 60 and frame[60] == 5
        yield packets.Segment(frame, to_server=to_server, captured=cut)


def check_faults(tshark: Tshark, file: Path) -> Iterator[str]:
    for mode in MODES:
        done = tshark.run("-r", file, *mode)
        if done.returncode or done.stderr:
            yield f"{' '.join(mode)} ended with {done.returncode} and said: {done.stderr}"
        for fault in set(FAULTS.findall(done.stdout)):
            yield f"{' '.join(mode)} says {fault}"


def check_every_prefix(tshark: Tshark) -> Iterator[str]:
    """A login that was cut at each of its bytes, by the capture and by the sender."""
    name = b"\x08rust-sdk\x060.11.0"
    login = packets.login(packets.u32(11 << 10) + name + b"\x04iggy\x06secret" + packets.u32(0))
    made = [packets.Segment(login, captured=length) for length in range(len(login))]
    for length in range(packets.HEADER, len(login)):
        made.append(packets.Segment(login[:48] + packets.u32(length) + login[52:length]))
    file = packets.write(tshark.capture("prefixes.pcap"), made)
    yield from check_faults(tshark, file)
    shown = tshark.read("-r", file, "-V", "-O", "iggy")
    if "secret" in shown or b"secret".hex() in shown:
        yield "a login that was cut shows its password"
    if shown.count("Apache Iggy,") < len(login) - packets.HEADER:
        yield f"only {shown.count('Apache Iggy,')} frames are shown"


def check_valgrind(tshark: Tshark, file: Path) -> Iterator[str]:
    wrapper = ["valgrind", "--quiet", "--leak-check=full", "--show-leak-kinds=definite"]
    wrapper += ["--num-callers=40", "--keep-debuginfo=yes"]
    memory = {"WIRESHARK_DEBUG_WMEM_OVERRIDE": "simple", "G_SLICE": "always-malloc"}
    for mode in (("-V",), ("-2", "-V"), ("-q", "-z", "io,stat,0")):
        done = tshark.run("-r", file, *mode, wrapper=wrapper, environment=memory)
        if done.returncode:
            yield f"valgrind with {' '.join(mode)}: {done.returncode}: {done.stderr[:2000]}"
        # Reports are separated by lines with nothing but the number of the process.
        for report in re.split(r"^==\d+==\s*$", done.stderr, flags=re.MULTILINE):
            is_leak = "definitely lost" in report
            # The pool that the C++ library keeps for exceptions is as large as it is.
            is_ours = "iggy.so" in report and "eh_alloc" not in report
            if report.strip() and (is_ours or not is_leak):
                yield f"valgrind with {' '.join(mode)}: {report[:3000]}"


def main() -> int:
    made = parser(__doc__)
    made.add_argument("--rounds", type=int, default=3000)
    made.add_argument("--seed", type=int, default=1)
    made.add_argument("--valgrind", action="store_true")
    arguments = made.parse_args()
    dice = random.Random(arguments.seed)
    with Tshark.from_arguments(arguments, []) as tshark:
        file = packets.write(
            tshark.capture("hostile.pcap"), list(made_up(dice, arguments.rounds))
        )
        if arguments.valgrind:
            real = segments.join(tshark.capture("real.pcap"), REAL)
            file.write_bytes(file.read_bytes() + real.read_bytes()[PCAP_HEADER:])
            problems = list(check_valgrind(tshark, file))
        else:
            problems = [*check_faults(tshark, file), *check_every_prefix(tshark)]
            count = tshark.read("-r", file, "-Y", "iggy", "-T", "fields", "-e", "iggy.size")
            if len(count.split()) < arguments.rounds // 4:
                problems.append(f"only {len(count.split())} of {arguments.rounds} are frames")
    for problem in problems:
        print(problem)
    print(f"{arguments.rounds} segments, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
