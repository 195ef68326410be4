#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Compares what iggy-pcap says about real captures with what is true of them.

    truths.py --iggy-pcap PATH [--only NAME] [CHECK]...

The captures and their truths are in tests/data/captures, whose README.md explains the formats.
CHECK is one or more of the names in CHECKS below; without any, all are made.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import struct
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

FRAME_HEADER = 256

ROOT = Path(__file__).resolve().parents[2]
CAPTURES = ROOT / "tests/data/captures"
TIMEOUT = 300

# Findings that the tool knows. A truth names others too; they are asked for once they stand here.
KNOWN_FINDINGS = {
    "batch-checksum-wrong",
    "body-dialect-mismatch",
    "connection-refused",
    "edge1-layout-client",
    "group-membership-missing",
    "internal-operation-from-client",
    "invalid-batch-silently-dropped",
    "legacy-client-on-vsr-server",
    "limit-reached",
    "login-refused-credentials",
    "malformed-login",
    "member-without-partitions",
    "not-authorized",
    "offset-commit-rejected",
    "options-rejected",
    "produce-to-missing-target",
    "protocol-version-rejected",
    "request-before-login",
    "request-checksum-mismatch",
    "request-never-answered",
    "session-lost",
    "stale-client-evicted",
    "tls-failure",
    "token-refused",
    "unknown-or-unsupported-command",
    "view-change",
    "vsr-client-on-legacy-server",
    "wrong-protocol-on-port",
}
# A truth keeps the first 32 bytes of byte runs that are longer than 64.
LONG_RUN = 64


@dataclass
class Capture:
    """One capture: its truth, and what the tool says."""

    name: str
    truth: dict[str, Any]
    tool: Path

    @property
    def path(self) -> Path:
        return CAPTURES / self.truth["capture"]

    def run(self, *arguments: str) -> str:
        done = subprocess.run(
            [self.tool, *arguments, self.path],
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(f"exit {done.returncode} of {arguments}: {done.stderr[:200]}")
        return done.stdout

    @cached_property
    def report(self) -> dict[str, Any]:
        return json.loads(self.run("analyze", "--json"))

    @cached_property
    def frames(self) -> list[dict[str, Any]]:
        text = self.run("frames", "--json", "--show-secrets", "--show-payload")
        return [json.loads(line) for line in text.splitlines()]

    @cached_property
    def true_frames(self) -> list[dict[str, Any]] | None:
        """None when the truth has no list of frames. Leaves out the bytes that are no frame."""
        path = CAPTURES / f"{self.name}.frames.ndjson.gz"
        if not path.exists():
            return None
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            frames = [json.loads(line) for line in lines]
        return [frame for frame in frames if "command" in frame]


def differs(what: str, want: Any, got: Any) -> Iterator[str]:
    if want != got:
        yield f"{what}: expected {want}, got {got}"


def counter_differences(want: Counter[Any], got: Counter[Any], what: str) -> Iterator[str]:
    for value in (want - got).elements():
        yield f"{what} missing: {value}"
    for value in (got - want).elements():
        yield f"{what} not expected: {value}"


def check_counts(capture: Capture) -> Iterator[str]:
    for key in ("packets", "frames", "by_command"):
        if key in capture.truth:
            yield from differs(key, capture.truth[key], capture.report.get(key))


def check_generations(capture: Capture) -> Iterator[str]:
    if "generations" not in capture.truth:
        return
    got: Counter[str] = Counter()
    for connection in capture.report["connections"]:
        client = connection.get("generation") or "none"
        server = connection.get("server_generation") or "none"
        if (client, server) != ("none", "none"):
            got[f"{client}>{server}"] += 1
    yield from differs("generations", capture.truth["generations"], dict(got))


def check_connections(capture: Capture) -> Iterator[str]:
    """Who spoke with whom, how many frames, and how many bytes that are no frame."""
    keys = ("client", "server", "transport", "plane", "frames_from_client", "frames_from_server")
    keys += ("left_over_bytes",)
    wanted = capture.truth.get("connections", [])
    have = Counter(tuple(c.get(k) for k in keys) for c in capture.report["connections"])
    want = Counter(tuple(c.get(k) for k in keys) for c in wanted)
    # A truth lists no connection without a byte, so more connections are no fault.
    for value in (want - have).elements():
        yield f"connection missing: {dict(zip(keys, value))}"


def login_facts(login: dict[str, Any], names_known: bool) -> tuple[Any, ...]:
    """What is compared of a login; a malformed or legacy one need not say who it was."""
    facts = [login["request_packet"], login["outcome"], str(login.get("session") or 0)]
    if names_known:
        keys = ("sdk", "sdk_version", "protocol_version", "user")
        facts += [login.get(key) or "" for key in keys]
    return tuple(facts)


def check_logins(capture: Capture) -> Iterator[str]:
    if "connections" not in capture.truth:
        return
    wanted = [login for c in capture.truth["connections"] for login in c["logins"]]
    given = [login for c in capture.report["connections"] for login in c.get("logins", [])]
    vague = {
        login["request_packet"]
        for login in wanted
        if login.get("malformed") or login.get("kind") == "legacy"
    }
    want, got = (
        Counter(login_facts(login, login["request_packet"] not in vague) for login in logins)
        for logins in (wanted, given)
    )
    yield from counter_differences(want, got, "login")


def check_evictions(capture: Capture) -> Iterator[str]:
    if "connections" not in capture.truth:
        return
    want, got = (
        Counter(
            (eviction["reason"], tuple(eviction.get("accepts") or ()))
            for connection in side["connections"]
            for eviction in connection.get("evictions", [])
        )
        for side in (capture.truth, capture.report)
    )
    yield from counter_differences(want, got, "eviction")


def check_outcomes(capture: Capture) -> Iterator[str]:
    if "operations" not in capture.truth:
        return
    want, got = capture.truth["operations"], capture.report.get("operations", {})
    for name in sorted(set(want) | set(got)):
        yield from differs(f"outcomes of {name}", want.get(name), got.get(name))


def check_findings(capture: Capture) -> Iterator[str]:
    """Must be there, must not be there; whatever is only information is free."""
    found = {f["id"]: f["severity"] for f in capture.report["findings"]}
    must = set(capture.truth.get("findings", {}))
    for finding in sorted((must & KNOWN_FINDINGS) - set(found)):
        yield f"finding missed: {finding}"
    allowed = must | set(capture.truth.get("may", []))
    for finding in sorted(set(found) - allowed):
        if found[finding] != "info" or finding in capture.truth.get("not_found", []):
            yield f"false alarm: {finding} ({found[finding]})"


def comparable(value: Any) -> Any:
    """One form for both sides: numbers as text, long byte runs cut, empty values left out."""
    if isinstance(value, dict):
        if set(value) == {"length", "value"}:
            return comparable(value["value"])
        if value.get("empty") is True or set(value) == {"status", "extra"}:
            return {}
        return {
            key: comparable(item)
            for key, item in value.items()
            if item not in (None, "", [], {}) and key not in ("trailing", "trailing_bytes")
        }
    if isinstance(value, list):
        return [comparable(item) for item in value]
    if isinstance(value, (bool, int)):
        return str(int(value))
    if isinstance(value, float):
        return f"{struct.unpack('<f', struct.pack('<f', value))[0]:.9g}"
    if re.fullmatch("[0-9a-f]+", value) and len(value) > 2 * LONG_RUN:
        return f"{value[:LONG_RUN]}…({len(value) // 2})"
    return value


def set_fields(header: dict[str, Any] | None) -> dict[str, Any]:
    """The fields of a header that are not zero; a truth leaves the others out."""
    fields = {k: v for k, v in (header or {}).items() if v and not re.fullmatch("0+", str(v))}
    return comparable(fields)


def frame_key(frame: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(frame[key] for key in ("packet", "client", "from", "command", "size"))


def frame_pairs(
    want: list[dict[str, Any]], got: list[dict[str, Any]]
) -> Iterator[tuple[dict[str, Any] | None, dict[str, Any] | None]]:
    """Each expected frame with the printed one; None where one of them is missing."""
    printed: defaultdict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for frame in got:
        printed[frame_key(frame)].append(frame)
    for frame in want:
        same = printed[frame_key(frame)]
        yield frame, same.pop(0) if same else None
    for rest in printed.values():
        for frame in rest:
            yield None, frame


def check_frames(capture: Capture) -> Iterator[str]:
    """Every frame with its place, its header, its outcome, its answer and its latency."""
    if capture.true_frames is None:
        return
    same = ("first_packet", "time", "server", "transport", "outcome", "answer_packet", "latency_us")
    for want, got in frame_pairs(capture.true_frames, capture.frames):
        if want is None or got is None:
            what = "not expected" if want is None else "missing"
            yield f"frame {what}: {frame_key(want or got or {})}"
            continue
        place = f"packet {want['packet']}"
        for key in same:
            if key in want:
                yield from differs(f"{place} {key}", want[key], got.get(key))
        yield from differs(f"{place} header", set_fields(want["header"]), set_fields(got["header"]))


def is_told(problem: dict[str, Any], kind: str, needed: int, available: int) -> bool:
    told = (problem["problem"], problem["needed"], problem["available"])
    return told == (kind, needed, available)


def check_problem(want: dict[str, Any], got: dict[str, Any]) -> Iterator[str]:
    """What is wrong on purpose has its problem at its place, with its numbers, and no other."""
    place = f"packet {want['packet']}"
    bad = str(want["body"]["bad"])
    # That a login fits nothing is said before where it breaks off.
    problems = [p for p in got["problems"] if (p["in"], p["problem"]) != ("body", "malformed")]
    if len(problems) != 1:
        yield f"{place}: {len(problems)} problems, though {bad!r}: {problems}"
    elif ended := re.search(r"eof at (\d+) need (\d+) end (\d+)", bad):
        at, needed, end = (int(number) for number in ended.groups())
        is_right = is_told(problems[0], "too_short", needed, end - at)
        if not is_right or problems[0]["offset"] != FRAME_HEADER + at:
            yield f"{place}: no problem at {FRAME_HEADER + at}, though {bad!r}: {problems}"
    elif violated := re.search(r"(\w+)=(\d+) violates >=(\d+)", bad):
        is_right = is_told(problems[0], "out_of_range", int(violated[3]), int(violated[2]))
        if not is_right or problems[0]["field"] != violated[1]:
            yield f"{place}: no problem of {violated[1]}, though {bad!r}: {problems}"
    else:
        yield f"{place}: {bad!r} is not understood"


def check_bodies(capture: Capture) -> Iterator[str]:
    if capture.true_frames is None:
        return
    for want, got in frame_pairs(capture.true_frames, capture.frames):
        if want is None or got is None or not isinstance(want["body"], dict):
            continue
        if "bad" in want["body"]:
            yield from check_problem(want, got)
            continue
        if "unknown" in want["body"]:
            continue
        place = f"packet {want['packet']} body"
        yield from differs(place, comparable(want["body"]), comparable(got.get("body") or {}))


def mark_of(frame: dict[str, Any]) -> str:
    """Whether the truth calls the body `bad` or `unknown`."""
    body = frame["body"] if isinstance(frame["body"], dict) else {}
    return next((mark for mark in ("bad", "unknown") if mark in body), "")


def check_problems(capture: Capture) -> Iterator[str]:
    """Nothing is wrong with a frame that the truth does not call bad."""
    if capture.true_frames is None:
        return
    for want, got in frame_pairs(capture.true_frames, capture.frames):
        if want is None or got is None or mark_of(want) == "bad":
            continue
        told = [p for p in got["problems"] if p["problem"] not in ("ignored", "cut_by_capture")]
        if told:
            yield f"packet {want['packet']}: {told}, though nothing is wrong"


def check_marks(capture: Capture) -> Iterator[str]:
    """The list of marked frames that tests/property reads is that of the truth."""
    listed = [
        line
        for line in (CAPTURES / "marked.txt").read_text(encoding="utf-8").splitlines()
        if line.startswith(capture.path.name + " ")
    ]
    keys = ("packet", "from", "command", "size")
    marked = [
        " ".join([capture.path.name, *(str(frame[key]) for key in keys), mark])
        for frame in capture.true_frames or []
        if (mark := mark_of(frame))
    ]
    yield from counter_differences(Counter(marked), Counter(listed), "mark")


def check_pairing(capture: Capture) -> Iterator[str]:
    """A request and its answer name each other."""
    places = {(f["packet"], f["client"], f["from"]) for f in capture.frames}
    answered = {
        (f["client"], f["answer_packet"])
        for f in capture.frames
        if f.get("answer_packet") is not None
    }
    for frame in capture.frames:
        request = frame.get("request_packet")
        if request is None:
            continue
        if (request, frame["client"], "client") not in places:
            yield f"packet {frame['packet']} answers packet {request}, where no request ends"
        if (frame["client"], frame["packet"]) not in answered:
            yield f"packet {frame['packet']} answers packet {request}, which does not name it"


def check_secrets(capture: Capture) -> Iterator[str]:
    """Nothing secret is printed unless --show-secrets asks for it."""
    secrets = (ROOT / "tests/tidy/secrets.txt").read_text(encoding="utf-8").splitlines()
    secrets = [line for line in secrets if line and not line.startswith("#")]
    for arguments in (("analyze",), ("analyze", "--json"), ("frames",), ("frames", "--json")):
        printed = capture.run(*arguments)
        for secret in secrets:
            if secret in printed:
                yield f"{' '.join(arguments)} prints the secret {secret}"


CHECKS: dict[str, Callable[[Capture], Iterator[str]]] = {
    "counts": check_counts,
    "generations": check_generations,
    "connections": check_connections,
    "logins": check_logins,
    "evictions": check_evictions,
    "outcomes": check_outcomes,
    "findings": check_findings,
    "frames": check_frames,
    "bodies": check_bodies,
    "problems": check_problems,
    "marks": check_marks,
    "pairing": check_pairing,
    "secrets": check_secrets,
}


def failures_of(capture: Capture, checks: list[str]) -> list[str]:
    failures = []
    for name in checks:
        try:
            found = list(CHECKS[name](capture))
        except (KeyError, OSError, RuntimeError, ValueError, subprocess.TimeoutExpired) as problem:
            found = [f"{type(problem).__name__}: {problem}"]
        if found:
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            failures.append(f"{capture.name}: {name}: {found[0][:500]}{more}")
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares iggy-pcap with the truths.")
    parser.add_argument("--iggy-pcap", required=True, type=Path, help="the program to test")
    parser.add_argument("--only", help="only this capture, without its ending")
    parser.add_argument("checks", nargs="*", metavar="CHECK", help=", ".join(CHECKS))
    arguments = parser.parse_args()
    unknown = set(arguments.checks) - set(CHECKS)
    if unknown:
        parser.error(f"no such check: {', '.join(sorted(unknown))}")
    captures = []
    for path in sorted(CAPTURES.glob("*.truth.json")):
        name = path.name.removesuffix(".truth.json")
        # What lies inside of TLS is checked through Wireshark, tests/plugin/counts.py.
        if (CAPTURES / f"{name}.keys").exists():
            continue
        if arguments.only in (None, name):
            truth = json.loads(path.read_text(encoding="utf-8"))
            tool = arguments.iggy_pcap.resolve()
            captures.append(Capture(name, truth, tool))
    if not captures:
        print(f"no truth file in {CAPTURES}")
        return 1
    failed = 0
    for capture in captures:
        failures = failures_of(capture, arguments.checks or list(CHECKS))
        failed += bool(failures)
        for failure in failures:
            print(failure)
    print(f"{len(captures) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
