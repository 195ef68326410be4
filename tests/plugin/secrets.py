#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""No password and no token stands in what the plugin adds, unless the preference asks for them.

    secrets.py --plugin PATH [--tshark PROGRAM]

Looks for the known secrets of all captures, as text and as hex, in the packet list and in every
label, value and byte dump of our items. Items of TCP hold the bytes of the segment, which is not
ours to change; so of each output our protocol alone counts. Nor does Wireshark complain of anything
in a real capture, whatever was cut from it.
"""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

sys.dont_write_bytecode = True
import packets  # noqa: E402
from tshark import Tshark, all_captures, parser  # noqa: E402

SECRETS = Path(__file__).resolve().parents[1] / "tidy/secrets.txt"
SHOW = ("-o", "iggy.show_secrets:TRUE")
# What is never there: a line of -V or a label of PDML with a secret row that is not masked, a field
# that has the secret, and what Wireshark says when a dissector read what is not there or broke a
# rule.
WRONG = re.compile(
    r"^ *(?:(?:Current |New )?Password|Token|Token Hash|Bind Secret): "
    r"(?!\*\*\*(?: \(\d+ bytes?\))?$)"
    r"|_clear\b| in Clear\b|(?i:dissector bug|\[malformed packet|: iggy truncated)",
)
OURS = re.compile(r"(?: \[truncated\])?Apache Iggy")
# A login whose password is no secret to look for, since it is the user's name as well.
LOGIN = "version-rejected.pcap"
PASSWORD = "iggy.login_register.password"


def read_secrets() -> list[str]:
    lines = SECRETS.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def of_pdml(text: str) -> Iterator[str]:
    """Every attribute of our items, among them their labels."""
    for protocol in ElementTree.fromstring(text).iter("proto"):
        if protocol.get("name") != "iggy":
            continue
        for item in protocol.iter():
            yield from item.attrib.values()


def labels(tshark: Tshark, capture: Path, *extra: str) -> list[str]:
    """The packet list, and every line of our trees; of other protocols the first line."""
    printed = tshark.read("-r", tshark.capture(capture.name), "-P", "-V", *extra)
    found = []
    is_ours = True
    for line in printed.splitlines():
        if not line.startswith("    "):
            is_ours = bool(OURS.match(line))
            found.append(line)
        elif is_ours:
            found.append(line)
    return found


def outputs(
    tshark: Tshark, capture: Path, with_json: bool = True
) -> Iterator[tuple[str, list[str]]]:
    """What each output says of us, by lines."""
    file = ("-r", tshark.capture(capture.name))
    ours = (*file, "-Y", "iggy", "-J", "iggy")
    yield "the list or -V", labels(tshark, capture)
    yield "PDML", list(of_pdml(tshark.read(*ours, "-T", "pdml")))
    if with_json:
        yield "JSON", tshark.read(*ours, "-T", "json").splitlines()


def shown(lines: list[str], secrets: list[str]) -> Iterator[str]:
    """The secrets that stand in the lines, as text or as hex."""
    text = "\n".join(lines)
    bare = text.lower().replace(":", "")
    for secret in secrets:
        if secret in text or secret.encode().hex() in bare:
            yield secret


def check_masked(tshark: Tshark, secrets: list[str]) -> Iterator[str]:
    for capture in tshark.captures:
        data = capture.read_bytes()
        # JSON has the values of PDML, so it is asked for where there is something to hide.
        holds_secret = any(secret.encode() in data for secret in secrets)
        for name, lines in outputs(tshark, capture, holds_secret):
            for secret in shown(lines, secrets):
                yield f"{capture.name}: {name} shows the secret {secret}"
            for line in set(lines):
                if WRONG.search(line):
                    yield f"{capture.name}: {name} says {line.strip()}"


def check_asked_for(tshark: Tshark, secrets: list[str]) -> Iterator[str]:
    """Proves that the check above can fail: with the preference the secrets are there."""
    found: set[str] = set()
    for capture in tshark.captures:
        found |= set(shown(labels(tshark, capture, *SHOW), secrets))
        if len(found) >= 5:
            return
    yield f"the preference shows only {sorted(found)}"


def check_fields(tshark: Tshark) -> Iterator[str]:
    """The masked field is a length, and filters by it; the other one exists on request."""
    file = ("-r", tshark.capture(LOGIN), "-T", "fields", "-e", PASSWORD, "-e", f"{PASSWORD}_clear")
    for extra, wanted in (((), "4\t"), (SHOW, "4\tiggy")):
        lines = set(tshark.read(*file, "-Y", f"{PASSWORD} == 4", *extra).splitlines())
        if lines != {wanted}:
            yield f"{LOGIN}: {extra} gives {lines} instead of {wanted!r}"


def pair(key: bytes, kind: int, value: bytes) -> bytes:
    parts = ((2, key), (kind, value))
    return b"".join(bytes((number,)) + packets.u32(len(data)) + data for number, data in parts)


def check_option(tshark: Tshark) -> Iterator[str]:
    """The value of a secret option is masked by its key, and user headers know no such keys."""
    key = "a-key-of-thirty-two-bytes-is-here"
    options = pair(b"encryption_key", 2, key.encode()) + pair(b"name", 2, b"in-the-open")
    body = b"\x05vault" + options
    request = packets.frame(
        5, body, client=(128, b"\x42" * 16), operation=(176, b"\x80"), session=(184, b"\1"),
        request=(168, b"\1"),
    )
    made = packets.write(tshark.folder / "option.pcap", [packets.Segment(request)])
    made.chmod(0o644)
    for extra, wanted in (((), False), (SHOW, True)):
        lines = labels(tshark, made, *extra)
        text = "\n".join(lines)
        if "name = in-the-open (string)" not in text:
            yield f"option.pcap: {extra} does not show the options"
        if ("encryption_key = ***" in text) == wanted:
            yield f"option.pcap: {extra} does not mask what it should"
        if bool(list(shown(lines, [key]))) != wanted:
            yield f"option.pcap: {extra} {'hides' if wanted else 'shows'} the key"
    for name, lines in outputs(tshark, made):
        if list(shown(lines, [key])):
            yield f"option.pcap: {name} shows the key"


def check_broken(tshark: Tshark) -> Iterator[str]:
    """A problem shows nothing of what does not fit a body, nor of what lies behind it."""
    key = "a-password-of-some-length"
    bodies = {
        "login": (1, b"\x00\x2c" + key.encode()),  # fits no login
        "password": (144, b"\x01\x04\0\0\0\0\xff" + key.encode()),  # longer than the body
        "tail": (144, b"\x01\x04\0\0\0\0\x01a\x01b" + key.encode()),  # behind the last field
    }
    for name, (operation, body) in bodies.items():
        request = packets.frame(
            5, body, client=(128, b"\x42" * 16), operation=(176, bytes((operation,))),
            session=(184, b"\1"), request=(168, b"\1"),
        )
        made = packets.write(tshark.folder / f"broken-{name}.pcap", [packets.Segment(request)])
        made.chmod(0o644)
        if "iggy.problem" not in tshark.read("-r", made, "-Y", "iggy.problem", "-T", "pdml"):
            yield f"{made.name}: there is no problem"
        for output, lines in outputs(tshark, made):
            if list(shown(lines, [key[6:]])):
                yield f"{made.name}: {output} shows what does not fit"


def main() -> int:
    secrets = read_secrets()
    with Tshark.from_arguments(parser(__doc__).parse_args(), all_captures()) as tshark:
        problems = [
            *check_masked(tshark, secrets),
            *check_asked_for(tshark, secrets),
            *check_fields(tshark),
            *check_broken(tshark),
            *check_option(tshark),
        ]
        count = len(tshark.captures)
    for problem in problems:
        print(problem)
    print(f"{count} captures, {len(secrets)} secrets, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
