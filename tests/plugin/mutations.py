# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""What may happen to the segments of a capture: by the network, by who records it, by a bad peer.

    mutant(segments, random.Random(7))

gives the same segments changed in a few ways. Sequence numbers stay right where bytes are only cut
anew, and the rest of a stream keeps its place where bytes are changed.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from dataclasses import replace

from segments import ACK, FIN, LARGEST, RST, SYN, WHOLE, Segment

HEADER = 256
SIZE_AT, COMMAND_AT = 48, 60
OPERATIONS_AT = (176, 208)  # of requests and of replies
SIZES = (0, 1, 8, 255, 256, 257, 300, 4096, 64 << 20, (64 << 20) + 1, 0x7FFFFFFF, 0xFFFFFFFF)
MOST_SEGMENTS = 100

Segments = list[Segment]
Dice = random.Random


def _with_payload(segments: Segments) -> list[int]:
    return [i for i, segment in enumerate(segments) if segment.payload]


def _pick(segments: Segments, dice: Dice) -> int | None:
    found = _with_payload(segments)
    return dice.choice(found) if found else None


def _frames(payload: bytes) -> list[int]:
    """Where frames with a 256-byte header may begin, by their 66 zero bytes."""
    found = []
    at = 0
    while at + HEADER <= len(payload):
        size = struct.unpack_from("<I", payload, at + SIZE_AT)[0]
        if size < HEADER or any(payload[at + 62 : at + 128]):
            break
        found.append(at)
        at += size
    return found


def _change(segment: Segment, at: int, new: bytes) -> Segment:
    new = new[: len(segment.payload) - at]
    payload = segment.payload[:at] + new + segment.payload[at + len(new) :]
    return replace(segment, payload=payload)


def flip(segments: Segments, dice: Dice) -> None:
    for _ in range(dice.randrange(1, 9)):
        if (i := _pick(segments, dice)) is None:
            return
        segment = segments[i]
        # Where headers are more often than where bodies are.
        limit = dice.choice((HEADER, HEADER + 64, len(segment.payload)))
        at = dice.randrange(min(limit, len(segment.payload)))
        new = dice.choice((segment.payload[at] ^ 1 << dice.randrange(8), 0, 0xFF))
        segments[i] = _change(segment, at, bytes([new]))


def change_header(segments: Segments, dice: Dice) -> None:
    """Another size, command or operation where a frame begins."""
    found = [(i, at) for i in _with_payload(segments) for at in _frames(segments[i].payload)]
    for i, at in dice.sample(found, min(len(found), dice.randrange(1, 4))):
        size = struct.unpack_from("<I", segments[i].payload, at + SIZE_AT)[0]
        near = max(size + dice.randrange(-300, 300), 0)
        kind = dice.randrange(3)
        if kind == 0:
            place, new = SIZE_AT, struct.pack("<I", dice.choice((*SIZES, near, near, near)))
        elif kind == 1:
            place, new = COMMAND_AT, bytes([dice.choice((*range(32), 77, 255))])
        else:
            place, new = dice.choice(OPERATIONS_AT), bytes([dice.randrange(256)])
        segments[i] = _change(segments[i], at + place, new)


def snap(segments: Segments, dice: Dice) -> None:
    """The capture keeps the front of some packets, or of all."""
    length = dice.choice((0, 1, 7, 48, 60, 200, 255, 256, 257, 300, 1000))
    chosen = _with_payload(segments)
    if dice.randrange(2):
        chosen = [i for i in chosen if dice.randrange(8) == 0]
    for i in chosen:
        segments[i] = replace(segments[i], captured=min(length, len(segments[i].payload)))


def drop(segments: Segments, dice: Dice) -> None:
    for _ in range(dice.randrange(1, 4)):
        if len(segments) > 1:
            del segments[dice.randrange(len(segments))]


def double(segments: Segments, dice: Dice) -> None:
    """A segment comes again: soon or late, whole or in part, now and then with other bytes."""
    for _ in range(dice.randrange(1, 4)):
        if (i := _pick(segments, dice)) is None:
            return
        again = segments[i]
        if dice.randrange(2):
            begin = dice.randrange(len(again.payload))
            end = dice.randrange(begin, len(again.payload)) + 1
            sequence = again.sequence + begin
            again = replace(again, payload=again.payload[begin:end], sequence=sequence)
        if dice.randrange(4) == 0:
            again = replace(again, payload=dice.randbytes(len(again.payload)))
        at = min(i + dice.choice((1, 1, 2, 3, 10)), len(segments))
        again = replace(again, time=segments[at - 1].time, captured=None)
        segments.insert(at, again)


def swap(segments: Segments, dice: Dice) -> None:
    for _ in range(dice.randrange(1, 5)):
        i = dice.randrange(len(segments))
        j = min(i + dice.choice((1, 1, 1, 2, 4)), len(segments) - 1)
        times = segments[i].time, segments[j].time
        segments[i], segments[j] = segments[j], segments[i]
        segments[i] = replace(segments[i], time=times[0])
        segments[j] = replace(segments[j], time=times[1])


def cut_start(segments: Segments, dice: Dice) -> None:
    del segments[: dice.randrange(len(segments))]


def _parts(segment: Segment, dice: Dice) -> Segments:
    payload = segment.payload
    most = dice.choice((1, 3, 20, 100, 255, 256, 257, 1000, 1448))
    least = max(len(payload) // 60, 1)
    made = []
    at = 0
    while at < len(payload):
        end = at + dice.randrange(least, max(most, least) + 1)
        part = replace(segment, payload=payload[at:end], sequence=segment.sequence + at)
        made.append(replace(part, captured=None, flags=part.flags & ~(SYN | FIN)))
        at = end
    return made


def split(segments: Segments, dice: Dice) -> None:
    every = dice.randrange(2)
    made: Segments = []
    for segment in segments:
        is_small = len(segment.payload) < 2 or segment.captured is not None
        if is_small or not (every or dice.randrange(6) == 0):
            made.append(segment)
        else:
            made.extend(_parts(segment, dice))
    segments[:] = made


def merge(segments: Segments, dice: Dice) -> None:
    """Segments that follow each other are one."""
    most = dice.choice((2, 3, 8))
    made: Segments = []
    merged = 1
    for segment in segments:
        last = made[-1] if made else segment
        follows = (
            segment.payload
            and last.payload
            and (last.connection, last.source) == (segment.connection, segment.source)
            and last.sequence + len(last.payload) == segment.sequence
            and last.captured is None
            and segment.captured is None
            and len(last.payload) + len(segment.payload) <= LARGEST
        )
        if follows and merged < most:
            flags = last.flags | segment.flags
            made[-1] = replace(last, payload=last.payload + segment.payload, flags=flags)
            merged += 1
        else:
            made.append(segment)
            merged = 1
    segments[:] = made


def without_answers(segments: Segments, _: Dice) -> None:
    """Bare acknowledgements go, so that more segments of one direction follow each other."""
    segments[:] = [s for s in segments if s.payload or s.flags != ACK] or segments


def wrap(segments: Segments, dice: Dice) -> None:
    """The sequence numbers of a direction pass 2^32."""
    chosen = dice.choice(segments)
    own = [s for s in segments if (s.connection, s.source) == (chosen.connection, chosen.source)]
    shift = WHOLE - dice.choice(own).sequence - dice.choice((0, 1, 2, 255, 257, 1000))
    for i, s in enumerate(segments):
        if s.connection != chosen.connection:
            continue
        if s.source == chosen.source:
            segments[i] = replace(s, sequence=s.sequence + shift)
        else:
            segments[i] = replace(s, acknowledgement=s.acknowledgement + shift)


def _shift(segments: Segments, i: int, by: int) -> None:
    """Later bytes of the direction move."""
    changed = segments[i]
    for j in range(i + 1, len(segments)):
        s = segments[j]
        if s.connection != changed.connection:
            continue
        if s.source == changed.source:
            segments[j] = replace(s, sequence=s.sequence + by)
        else:
            segments[j] = replace(s, acknowledgement=s.acknowledgement + by)


def insert_bytes(segments: Segments, dice: Dice) -> None:
    if (i := _pick(segments, dice)) is None:
        return
    segment = segments[i]
    at = dice.choice((0, len(segment.payload), dice.randrange(len(segment.payload) + 1)))
    new = dice.choice((bytes, dice.randbytes))(dice.choice((1, 3, 8, 100, 256, 300)))
    payload = segment.payload[:at] + new + segment.payload[at:]
    if len(payload) <= LARGEST:
        segments[i] = replace(segment, payload=payload)
        _shift(segments, i, len(new))


def delete_bytes(segments: Segments, dice: Dice) -> None:
    if (i := _pick(segments, dice)) is None:
        return
    segment = segments[i]
    at = dice.randrange(len(segment.payload))
    payload = segment.payload[:at] + segment.payload[at + dice.choice((1, 2, 8, 100)) :]
    segments[i] = replace(segment, payload=payload)
    _shift(segments, i, len(payload) - len(segment.payload))


def jump(segments: Segments, dice: Dice) -> None:
    """One segment has a number, or an acknowledgement, from elsewhere."""
    i = dice.randrange(len(segments))
    by = dice.choice((1, 256, 100_000, 1 << 29, 1 << 30, (1 << 31) - 1, 1 << 31)) * dice.choice(
        (1, -1)
    )
    s = segments[i]
    if dice.randrange(2):
        segments[i] = replace(s, sequence=s.sequence + by)
    else:
        segments[i] = replace(s, acknowledgement=s.acknowledgement + by)


def end_early(segments: Segments, dice: Dice) -> None:
    i = dice.randrange(len(segments))
    segments[i] = replace(segments[i], flags=segments[i].flags | dice.choice((FIN, RST)))


MUTATIONS: tuple[Callable[[Segments, Dice], None], ...] = (
    flip,
    flip,
    change_header,
    change_header,
    drop,
    drop,
    double,
    double,
    swap,
    swap,
    cut_start,
    split,
    split,
    merge,
    without_answers,
    wrap,
    insert_bytes,
    delete_bytes,
    jump,
    end_early,
)


def mutant(segments: Segments, dice: Dice, is_snapped: bool = False) -> Segments:
    """A part of the segments, changed in one to five ways."""
    begin = 0
    if len(segments) > MOST_SEGMENTS:
        begin = dice.choice((0, dice.randrange(len(segments) - MOST_SEGMENTS)))
    made = segments[begin : begin + MOST_SEGMENTS]
    for _ in range(dice.randrange(1, 6)):
        dice.choice(MUTATIONS)(made, dice)
    if is_snapped:
        snap(made, dice)
    return made
