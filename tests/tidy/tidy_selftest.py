#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Proves that the tidy test can fail: plants each violation alone and expects exactly its message.

Every case stands in a small tree that is clean without it. The same is done for secrets.py, and
cpp_source.py is asked for the functions of a file that is hard to read.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import cpp_source  # noqa: E402

HERE = Path(__file__).resolve().parent
OPENING = "//\n// A file of a test.\n"
CPP = "// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later\n" + OPENING
GPL = "// SPDX-License-Identifier: GPL-2.0-or-later\n" + OPENING
SCRIPT = "# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later\n"

CLEAN = {
    "protocol/describe/a.hpp": CPP + "#include <span>\nint a();\n",
    "protocol/decode/b.hpp": CPP + '#include "describe/a.hpp"\n#include "iggy/c.hpp"\n',
    "analyzer/report/d.cpp": CPP + '#include "capture/e.hpp"\n#include <chrono>\n',
    "plugin/f.cpp": GPL + '#include "conversation/g.hpp"\n#include <epan/packet.h>\n',
    "tests/unit/h.cpp": CPP + "const char* path = \"/tm" + 'p/x";\n',
    "tests/data/i.json": "data\tto the letter \n\n",
    "Makefile": SCRIPT + "all:\n\ttrue\n",
    "README.md": "A file.\n",
}
HTTP_HOST = "deb." + "debian.org"
NPM_HOST = "registry." + "npmjs.org"
HERE_ONLY = "/wo" + "rk/main"
LONG_BODY = "  f();\n" * 69
TABLE = "constexpr Row rows[] = {\n" + '    {"name", 1},\n' * 100 + "};\n"

# Name of the case: (file, its text, line and message expected).
CASES: dict[str, tuple[str, str, str]] = {
    "a lower folder includes a higher one": (
        "protocol/describe/x.hpp",
        CPP + '#include "decode/walk.hpp"\n',
        "4: describe/ must not include decode/",
    ),
    "the order within the analyzer": (
        "analyzer/stream/x.hpp",
        CPP + '\n#include "report/x.hpp"\n',
        "5: stream/ must not include report/",
    ),
    "protocol includes the analyzer": (
        "protocol/conversation/x.cpp",
        CPP + '#include "stream/tcp.hpp"\n',
        "4: protocol/ must not include analyzer/",
    ),
    "the plugin includes the analyzer": (
        "plugin/x.cpp",
        GPL + '#include "capture/packet.hpp"\n',
        "4: plugin/ must not include analyzer/",
    ),
    "the analyzer includes the plugin": (
        "analyzer/commands/x.cpp",
        CPP + '#include "plugin/tape.hpp"\n',
        "4: analyzer/ must not include plugin/",
    ),
    "the analyzer includes Wireshark": (
        "analyzer/commands/x.cpp",
        CPP + "#include <epan/packet.h>\n",
        "4: only plugin/ includes headers of Wireshark and GLib",
    ),
    "protocol includes GLib": (
        "protocol/decode/x.cpp",
        CPP + "#include <glib.h>\n",
        "4: only plugin/ includes headers of Wireshark and GLib",
    ),
    "protocol opens files": (
        "protocol/decode/x.cpp",
        CPP + "#include <fstream>\n",
        "4: only analyzer/ sees files, sockets and clocks",
    ),
    "the plugin reads a clock": (
        "plugin/x.cpp",
        GPL + "#include <chrono>\n",
        "4: only analyzer/ sees files, sockets and clocks",
    ),
    "protocol opens sockets": (
        "protocol/decode/x.cpp",
        CPP + "#include <sys/socket.h>\n",
        "4: only analyzer/ sees files, sockets and clocks",
    ),
    "protocol prints": (
        "protocol/decode/x.cpp",
        CPP + "#include <iostream>\n",
        "4: protocol/ prints nothing",
    ),
    "protocol knows JSON": (
        "protocol/decode/x.cpp",
        CPP + "#include <nlohmann/json.hpp>\n",
        "4: protocol/ knows no JSON",
    ),
    "a relative include": (
        "protocol/decode/x.cpp",
        CPP + '#include "../iggy/version.hpp"\n',
        '4: "../iggy/version.hpp" is relative',
    ),
    "a long file": (
        "protocol/decode/x.cpp",
        CPP + "int a;\n" * 500,
        "503: 503 lines; a file has 500 at most",
    ),
    "a long function": (
        "protocol/decode/x.cpp",
        CPP + TABLE + "int first() { return 1; }\nvoid second(int a) {\n" + LONG_BODY + "}\n",
        "107: second has 71 lines; a function has 70 at most",
    ),
    "a long function of Python": (
        "tests/x.py",
        SCRIPT + "def f():\n" + "    f()\n" * 70,
        "2: f has 71 lines; a function has 70 at most",
    ),
    "a long line": (
        "tests/x.sh",
        SCRIPT + "#" * 101 + "\n",
        "2: 101 columns; a line has 100 at most",
    ),
    "no licence": (
        "cmake/x.cmake",
        "# This is free.\n",
        "1: no SPDX-License-Identifier in the first two lines",
    ),
    "the wrong licence": (
        "plugin/x.cpp",
        CPP,
        "1: the licence here is 'GPL-2.0-or-later'",
    ),
    "no opening comment": (
        "analyzer/x.cpp",
        CPP.removesuffix(OPENING) + "int a;\n",
        "2: a file opens with what it is for",
    ),
    "new": ("analyzer/x.cpp", CPP + "auto* a = new int;\n", "4: no new and delete"),
    "delete": ("analyzer/x.cpp", CPP + "void f() { delete a; }\n", "4: no new and delete"),
    "a note": ("README.md", "# x\n\nTO" + "DO: write\n", "3: no TO" + "DO notes"),
    "a tab": ("cmake/x.cmake", SCRIPT + "\tset(a)\n", "2: no tabs outside Makefiles"),
    "trailing white space": ("README.md", "a \n", "1: no trailing white space"),
    "no last newline": ("README.md", "a", "1: a file ends with exactly one newline"),
    "two last newlines": ("README.md", "a\n\n", "2: a file ends with exactly one newline"),
    "a path of one machine": (
        "tests/golden/x.golden",
        f"$ iggy-pcap\n{HERE_ONLY}\n",
        "2: a path that exists on one machine only",
    ),
    "a temporary folder": (
        "README.md",
        "See /tm" + "p/x.\n",
        "1: an absolute path to a temporary folder",
    ),
    "a host of Debian": ("README.md", f"From {HTTP_HOST}.\n", "1: the name of a package host"),
    "a host of npm": ("README.md", f"From {NPM_HOST}.\n", "1: the name of a package host"),
}

HARD = r"""
namespace a { namespace {
const char* s = "}{"; char c = '{'; int n = 1'000'000; auto r = R"x(}{")x";  // }
#define OPEN { \
  {
constexpr Row rows[] = {{"a", 1}, {"b", f(2)}};
struct alignas(16) T : Base<int> {
  T() : a_{1}, b_(2), c_{} {
    int x = 0;
  }
 public:
  T(int x) noexcept(true) : a_(x) {}
  T& operator=(const T& o) { return *this; }
  auto f() const -> std::vector<int> { return {1, 2}; }
  int a_ = 5; int b_{6};
};
auto lambda = [](auto x) {
  return x;
};
template <class S>
concept C = requires(S& s) { { s.g() } -> std::same_as<int>; };
template <class S> requires C<S>
void walk(S& s, std::array<int, 3> b = {1, 2, 3}) {
  auto inner = [&] { return 1; };
  for (int i = 0; i < 2; ++i) { if (i) {} }
}
enum class E : int { a, b = 2 };
static constexpr std::array<Row, 2> table{{
    {1}, {2}}};
bool operator<(const T& a, const T& b) { return a.a_ < b.a_; }
}}
"""
HARD_FUNCTIONS = [(8, 10), (12, 12), (13, 13), (14, 14), (17, 19), (22, 26), (30, 30)]


def plant(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def run(script: str, *arguments: str) -> tuple[int, list[str]]:
    command = [sys.executable, str(HERE / script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, (done.stdout + done.stderr).splitlines()


def check_tidy(extra: dict[str, str], expected: str) -> str:
    """Empty when the tidy test says exactly what is expected about a tree."""
    with tempfile.TemporaryDirectory() as folder:
        plant(Path(folder), CLEAN | extra)
        code, lines = run("tidy.py", "--root", folder)
    messages = lines[:-1]  # the last line counts
    if not expected:
        return "" if code == 0 and not messages else f"a clean tree is refused: {lines}"
    if code == 1 and len(messages) == 1 and messages[0].startswith(expected):
        return ""
    return f"expected {expected!r}, got {lines}"


def check_secrets(golden: dict[str, str], secrets: str, expected: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        plant(root, {f"golden/{name}": text for name, text in golden.items()})
        plant(root, {"golden/README.md": "x\n", "secrets.txt": secrets})
        arguments = ("--golden", str(root / "golden"), "--secrets", str(root / "secrets.txt"))
        code, lines = run("secrets.py", *arguments)
    text = "\n".join(lines)
    if code == (1 if expected else 0) and expected in text:
        return ""
    return f"expected {expected!r}, got {lines}"


SECRETS = {
    "clean": ({"x.golden": '$ x\n"password":"***"\n'}, "hush-1\n", ""),
    "text": ({"x.golden": "$ x\nsays hush-1 aloud\n"}, "hush-1\n", "x.golden:2: shows the secret"),
    "hex": ({"x.golden": "$ x\n687573682D31\n"}, "hush-1\n", "x.golden:2: shows the secret"),
    "field": ({"x.golden": '$ x\n"password":"iggy"\n'}, "hush-1\n", "is not masked"),
    "flag": ({"x.golden": "$ x --show-secrets\n"}, "hush-1\n", "must not ask for secrets"),
    "no secrets": ({"x.golden": "$ x\n"}, "# none\n", "there is no secret to look for"),
    "no golden file": ({}, "hush-1\n", "there is no expected output"),
}


def main() -> int:
    results = {"a clean tree": check_tidy({}, "")}
    for name, (path, text, expected) in CASES.items():
        results[name] = check_tidy({path: text}, f"{path}:{expected}")
    for name, (golden, secrets, expected) in SECRETS.items():
        results[f"secrets: {name}"] = check_secrets(golden, secrets, expected)
    found = [(f.first, f.last) for f in cpp_source.functions(HARD)]
    hard = "" if found == HARD_FUNCTIONS else f"expected {HARD_FUNCTIONS}, got {found}"
    results["functions of a hard file"] = hard
    failed = {name: problem for name, problem in results.items() if problem}
    for name, problem in failed.items():
        print(f"{name}: {problem}")
    print(f"{len(results) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
