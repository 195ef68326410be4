# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Which folder may include what.

    describe <- iggy <- decode <- conversation <- {plugin, analyzer}
    capture <- stream <- connection <- report <- commands        (within the analyzer)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

PROTOCOL = ("describe", "iggy", "decode", "conversation")
ANALYZER = ("capture", "stream", "connection", "report", "commands")
_INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)

# Headers of the system and of libraries, as regular expressions over the whole name.
WIRESHARK = r"epan/.*|wireshark/.*|wsutil/.*|wiretap/.*|ws_.*\.h|glib.*|gmodule.*|gio/.*|gtk/.*"
FILES = r"fstream|filesystem|cstdio|stdio\.h|fcntl\.h|unistd\.h|sys/.*|dirent\.h|pcap(/.*|\.h)?"
SOCKETS = r"netinet/.*|arpa/.*|net/.*|netdb\.h|poll\.h"
CLOCKS = r"chrono|ctime|time\.h"
STREAMS = r"iostream|istream|ostream|sstream|iomanip|streambuf|print"
JSON = r"nlohmann/.*|json/.*|rapidjson/.*"
FORMATTING = r"fmt/.*|CLI/.*|spdlog/.*"

# For each top folder: what its files must not include, and why.
FORBIDDEN: dict[str, tuple[tuple[str, str], ...]] = {
    "protocol": (
        (WIRESHARK, "only plugin/ includes headers of Wireshark and GLib"),
        (f"{FILES}|{SOCKETS}|{CLOCKS}", "only analyzer/ sees files, sockets and clocks"),
        (f"{STREAMS}|{FORMATTING}", "protocol/ prints nothing and formats nothing"),
        (JSON, "protocol/ knows no JSON"),
    ),
    "analyzer": (
        (WIRESHARK, "only plugin/ includes headers of Wireshark and GLib"),
        (JSON, "the JSON library is for tests only"),
    ),
    "plugin": (
        (f"{FILES}|{SOCKETS}|{CLOCKS}", "only analyzer/ sees files, sockets and clocks"),
        (JSON, "the JSON library is for tests only"),
    ),
}


def _place(path: str) -> tuple[str, str]:
    """The top folder of a file and the folder below it, empty where there is none."""
    parts = path.split("/")
    return parts[0], parts[1] if len(parts) > 2 else ""


def _owner(header: str) -> tuple[str, str]:
    """To which of the project's folders an included header belongs."""
    first = header.split("/")[0]
    if "/" in header:
        if first in PROTOCOL:
            return "protocol", first
        if first in ANALYZER:
            return "analyzer", first
        if first in ("analyzer", "plugin"):
            return first, ""
    return "", ""


def _own_problem(top: str, folder: str, header: str) -> str:
    owner, target = _owner(header)
    if not owner:
        return ""
    if owner == top:
        order = PROTOCOL if top == "protocol" else ANALYZER
        if folder in order and target in order and order.index(target) > order.index(folder):
            return f"{folder}/ must not include {target}/ ({' <- '.join(order)})"
        return ""
    if owner == "protocol":
        return ""
    return f"{top}/ must not include {owner}/"


def problems(path: str, code: str) -> Iterator[tuple[int, str]]:
    """Line number and message of each include that a file must not have.

    `code` is the file's text without comments, its directives kept.
    """
    top, folder = _place(path)
    if top not in FORBIDDEN:
        return
    for match in _INCLUDE.finditer(code):
        header = match.group(1) or match.group(2)
        line = code.count("\n", 0, match.start(1 if match.group(1) else 2)) + 1
        if ".." in header.split("/"):
            yield line, f'"{header}" is relative; name it from protocol/ or analyzer/ on'
            continue
        own = _own_problem(top, folder, header)
        if own:
            yield line, f"{own}: {header}"
        for pattern, reason in FORBIDDEN[top]:
            if not own and re.fullmatch(pattern, header):
                yield line, f"{reason}: {header}"
