#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Real captures in every link layer and tunnel give the frames that they give without.

    wrapped.py --iggy-pcap PATH --wrap-capture PATH [--tshark PATH]

Where tshark is there it has to find the same bytes of TCP in what was wrapped, so that the
wrappings are what others take them for. It is not asked about those of TSHARK_DOES_NOT.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The first one is also shown to tshark.
CAPTURES = [ROOT / "samples/version-rejected.pcap", ROOT / "samples/legacy-session.pcap"]
# Wrappings that tshark reads only when told to, or not at all, and why.
TSHARK_DOES_NOT = {
    "cisco-hdlc-direction": "does not know the link type",
    "mpls-link": "does not know the link type",
    "nflog-big": "takes the order of the file for that of the machine that captured",
    "pppd": "does not know the link type",
    "pseudowire": "wants to be told what a label stands for",
    "pseudowire-control-word": "wants to be told what a label stands for",
    "vlan-stack": "does not know EtherType 0x9200",
    "vxlan-linux-port": "has that port for another protocol",
}


def frames_of(binary: str, capture: Path) -> list[dict]:
    done = subprocess.run([binary, "frames", "--json", str(capture)], capture_output=True,
                          text=True, timeout=120, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def without_places(frames: list[dict]) -> list[dict]:
    """Frames without the numbers of packets, which fragments change."""
    places = ("packet", "first_packet", "request_packet", "answer_packet")
    return [{key: value for key, value in frame.items() if key not in places} for frame in frames]


def bytes_by_stream(tshark: str, captures: list[Path], folder: Path) -> list[Counter]:
    """Of each capture the bytes of TCP by their innermost endpoints, as tshark counts them.

    It takes long to start, so it is shown one file in which each capture is an interface."""
    joined = folder / "joined.pcapng"
    subprocess.run(["mergecap", "-a", "-I", "none", "-w", joined, *captures], timeout=120,
                   check=True)
    joined.chmod(0o644)
    fields = ["frame.interface_id", "ip.src", "tcp.srcport", "ip.dst", "tcp.dstport", "tcp.len"]
    command = [tshark, "-r", str(joined), "-o", "ip.defragment:TRUE", "-Y", "tcp", "-T", "fields"]
    for field in fields:
        command += ["-e", field]
    command += ["-E", "occurrence=l"]
    # No programs that look for devices, and no settings of whoever runs the test.
    surroundings = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LC_ALL": "C.UTF-8",
                    "WIRESHARK_EXTCAP_DIR": "/nonexistent"}
    if os.geteuid() == 0:
        command = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", *command]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True,
                          env=surroundings)
    streams = [Counter() for _ in captures]
    for line in done.stdout.splitlines():
        interface, *endpoints, length = line.split("\t")
        streams[int(interface)][tuple(endpoints)] += int(length)
    return streams


def tshark_problems(tshark: str, original: Path, wrapped: list[Path], folder: Path) -> list[str]:
    known = [path for path in wrapped if path.stem not in TSHARK_DOES_NOT]
    streams, *others = bytes_by_stream(tshark, [original, *known], folder)
    return [
        f"{path.stem}: tshark finds {sum(other.values())} bytes in {len(other)} directions, "
        f"not {sum(streams.values())} in {len(streams)}"
        for path, other in zip(known, others, strict=True)
        if other != streams or not streams
    ]


def problems_of(binary: str, maker: str, tshark: str, capture: Path, folder: Path) -> list[str]:
    subprocess.run([maker, str(capture), str(folder)], timeout=120, check=True)
    frames = frames_of(binary, capture)
    problems = []
    made = sorted(folder.glob("*.pcap"))
    for wrapped in made:
        name = wrapped.stem
        found = frames_of(binary, wrapped)
        if name.startswith("fragments-"):
            if without_places(found) != without_places(frames):
                problems.append(f"{name}: {len(found)} frames, not the {len(frames)} of the whole")
        elif found != frames:
            problems.append(f"{name}: {len(found)} frames, not the {len(frames)} of the original")
    if tshark:
        problems += tshark_problems(tshark, capture, made, folder)
    return [f"{capture.name}: {problem}" for problem in problems]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iggy-pcap", required=True)
    parser.add_argument("--wrap-capture", required=True)
    parser.add_argument("--tshark", default="")
    arguments = parser.parse_args()
    problems = []
    for i, capture in enumerate(CAPTURES):
        with tempfile.TemporaryDirectory(prefix="iggy-wrapped-") as folder:
            Path(folder).chmod(0o755)
            problems += problems_of(arguments.iggy_pcap, arguments.wrap_capture,
                                    "" if i else arguments.tshark, capture, Path(folder))
    for problem in problems:
        print(problem)
    print(f"{len(CAPTURES)} captures, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
