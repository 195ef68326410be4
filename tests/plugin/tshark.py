# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Runs tshark with the plugin under test, and with nothing else of whoever runs the test.

    with Tshark.from_arguments(parser.parse_args(), captures) as tshark:
        done = tshark.run("-r", tshark.capture("rust-session.pcap"), "-V")

tshark loads no plugins of users when it runs as root, and a test without the plugin proves nothing.
So plugin and captures are copied to a folder that everybody may read, tshark runs as nobody when
the test runs as root, and the plugin's presence is asserted before anything else.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples"
CAPTURES = ROOT / "tests/data/captures"
NOBODY = "65534"
TIMEOUT = 300
# Most of what a start of tshark costs is page faults of its heap; large pages save two of five
# seconds. A C library that does not know these does as it always did.
FEW_FAULTS = "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864"
# Code with sanitizers is slow, and valgrind slower.
SLOW = 10


def all_captures() -> list[Path]:
    """Every capture of the project, each name once."""
    found = {path.name: path for folder in (CAPTURES, SAMPLES) for path in folder.glob("*.pcap*")}
    return [found[name] for name in sorted(found)]


def parser(description: str | None) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=description)
    made.add_argument("--plugin", required=True, type=Path, help="iggy.so in its folder")
    made.add_argument("--tshark", default="tshark", help="the program")
    return made


def add_choice(made: argparse.ArgumentParser) -> None:
    """What chosen_captures() goes by."""
    made.add_argument("--only", default="", help="captures whose name contains this")
    made.add_argument("--every", type=int, default=1, help="one capture of so many")


def chosen_captures(arguments: argparse.Namespace) -> list[Path]:
    named = [path for path in all_captures() if arguments.only in path.name]
    return named[:: arguments.every]


def run_checks(
    arguments: argparse.Namespace,
    captures: Iterable[Path],
    checks: Sequence[Callable[[Tshark], Iterable[str]]],
) -> int:
    """Runs every check and prints its problems. The exit code."""
    failed = 0
    with Tshark.from_arguments(arguments, captures) as tshark:
        for check in checks:
            for problem in check(tshark):
                failed += 1
                print(f"{check.__name__}: {problem}")
    print(f"{len(checks)} checks, {failed} problems")
    return 1 if failed else 0


def sanitizer_of(plugin: Path) -> str:
    """The runtime that has to be loaded before a program that does not know of it."""
    linked = subprocess.run(["ldd", plugin], capture_output=True, text=True, check=True).stdout
    found = re.search(r"libasan\S* => (\S+)", linked)
    return found.group(1) if found else ""


class Tshark:
    """tshark, a folder of its own, and the plugin in it."""

    def __init__(self, plugin: Path, program: str, captures: Iterable[Path]) -> None:
        self.plugin = plugin.resolve()
        self.program = shutil.which(program) or program
        self.captures = list(captures)
        self.preload = sanitizer_of(self.plugin)
        self.timeout = TIMEOUT * (SLOW if self.preload else 1)

    @classmethod
    def from_arguments(cls, arguments: argparse.Namespace, captures: Iterable[Path]) -> Tshark:
        return cls(arguments.plugin, arguments.tshark, captures)

    def __enter__(self) -> Tshark:
        self.folder = Path(tempfile.mkdtemp(prefix="iggy-tshark-"))
        self.folder.chmod(0o755)
        self.home = self.folder / "home"
        # plugins/4.0/epan/iggy.so, as the build has laid it out.
        place = Path(*self.plugin.parts[-3:])
        self.installed = self.home / ".local/lib/wireshark/plugins" / place
        self.installed.parent.mkdir(parents=True)
        shutil.copy(self.plugin, self.installed)
        for capture in self.captures:
            self.add(capture)
        for path in [self.home, *self.home.rglob("*")]:
            path.chmod(0o755)
            if os.geteuid() == 0:
                os.chown(path, int(NOBODY), int(NOBODY))
        self.assert_plugin()
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def add(self, capture: Path, name: str = "") -> Path:
        """Copies a capture to where tshark may read it."""
        target = self.folder / (name or capture.name)
        shutil.copy(capture, target)
        target.chmod(0o644)
        return target

    def capture(self, name: str) -> Path:
        return self.folder / name

    def environment(self, extra: dict[str, str]) -> dict[str, str]:
        clean = {
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            # No programs that look for devices: with a sanitizer one may never end.
            "WIRESHARK_EXTCAP_DIR": str(self.home),
            "PATH": os.environ["PATH"],
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "GLIBC_TUNABLES": FEW_FAULTS,
        }
        if self.preload:
            # What tshark itself never frees is not ours.
            clean["LD_PRELOAD"] = self.preload
            clean["ASAN_OPTIONS"] = "detect_leaks=0:abort_on_error=0:exitcode=99"
            clean["UBSAN_OPTIONS"] = "print_stacktrace=1:halt_on_error=1:exitcode=99"
        return clean | extra

    def as_nobody(
        self, command: Iterable[str | Path], environment: dict[str, str] | None = None
    ) -> list[str]:
        """The command line that runs another one with the plugin, and without a privilege."""
        surroundings = self.environment(environment or {})
        prefix = []
        if os.geteuid() == 0:
            prefix = ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]
        variables = [f"{name}={value}" for name, value in surroundings.items()]
        return [*prefix, "env", "-i", *variables, *map(str, command)]

    def run(
        self,
        *arguments: str | Path,
        wrapper: Iterable[str] = (),
        environment: dict[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Runs tshark to its end. The caller judges how it ended, but for sanitizers' reports."""
        command = [*wrapper, self.program, *map(str, arguments)]
        done = subprocess.run(
            self.as_nobody(command, environment),
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="backslashreplace",
            timeout=self.timeout * (SLOW if wrapper else 1),
            check=False,
        )
        if "Sanitizer" in done.stderr or "runtime error:" in done.stderr:
            raise AssertionError(f"{' '.join(command)}\n{done.stderr}")
        return done

    def read(self, *arguments: str | Path) -> str:
        """Standard output of a run that has to end well and to say nothing else."""
        done = self.run(*arguments)
        if done.returncode or done.stderr:
            said = f"ended with {done.returncode} and said: {done.stderr}"
            raise AssertionError(f"tshark {' '.join(map(str, arguments))} {said}")
        return done.stdout

    def plugins(self, environment: dict[str, str] | None = None) -> list[list[str]]:
        """Name, version, type and path of each plugin that was loaded."""
        done = self.run("-G", "plugins", environment=environment)
        return [line.split() for line in done.stdout.splitlines()]

    def assert_plugin(self) -> None:
        if not any(row[-1] == str(self.installed) for row in self.plugins()):
            done = self.run("-G", "plugins")
            raise AssertionError(f"{self.installed} is not loaded\n{done.stdout}{done.stderr}")
