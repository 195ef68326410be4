#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Records the captures of this folder anew: other protocols, some on Iggy's default ports.

    make.py [--list] [NAME]...

Needs root, tcpdump, iproute2 and, for the captures that use a real server, the Debian packages
openssl, openssh-server, redis, postgresql, memcached and mosquitto; what is not installed is left
out. Everything runs on the loopback interface of a network namespace that this script makes itself,
with servers that it stops again. The README says what each capture shows.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True
import peers  # noqa: E402

HERE = Path(__file__).resolve().parent
INSIDE = "OTHER_PROTOCOLS_NAMESPACE"
HOST = "127.0.0.1"
LIMIT = 40_000  # bytes of a capture
TIMEOUT = 20


def find(program: str) -> str:
    """The program's path; also where Debian keeps servers."""
    places = os.environ["PATH"] + ":/usr/sbin:/usr/lib/postgresql/15/bin"
    path = shutil.which(program, path=places)
    if not path:
        raise FileNotFoundError(f"{program} is not installed")
    return path


def run(*command: str, text: str = "", user: str = "") -> None:
    """Runs a client to its end; how it ends does not matter, only what it sends."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(
            ["runuser", "-u", user, "--", *command] if user else list(command),
            input=text.encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=TIMEOUT,
            check=False,
        )


def wait_for(port: int) -> None:
    """Waits until somebody listens, without connecting, which would be recorded."""
    wanted = f":{port:04X}"
    for _ in range(TIMEOUT * 20):
        for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]:
            words = line.split()
            if words[1].endswith(wanted) and words[3] == "0A":
                return
        time.sleep(0.05)
    raise TimeoutError(f"nobody listens on port {port}")


@contextlib.contextmanager
def started(*command: str, port: int) -> Iterator[None]:
    """A server as long as it is needed."""
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_for(port)
        yield
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(TIMEOUT)
        process.kill()
        process.wait()


@contextlib.contextmanager
def recording(path: Path, port: int) -> Iterator[None]:
    command = [find("tcpdump"), "-Z", "root", "-i", "lo", "-s", "0", "-U"]
    command += ["-w", str(path), f"tcp port {port}"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr
    for line in process.stderr:
        if "listening on" in line:
            break
    try:
        time.sleep(0.3)
        yield
        time.sleep(0.7)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(TIMEOUT)


# Real servers. Each is a context manager that gets a port and a folder of its own.


@contextlib.contextmanager
def http_server(port: int, folder: Path) -> Iterator[None]:
    (folder / "index.html").write_text("<h1>A page</h1>\n", encoding="ascii")
    command = [sys.executable, "-m", "http.server", str(port), "-b", HOST, "-d", str(folder)]
    with started(*command, port=port):
        yield


def http_client(port: int, folder: Path) -> None:
    for request in ("GET / HTTP/1.1", "GET /missing HTTP/1.1", "POST / HTTP/1.1"):
        text = f"{request}\r\nHost: {HOST}:{port}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        peers.exchange(port, [text.encode()])


@contextlib.contextmanager
def tls_server(port: int, folder: Path) -> Iterator[None]:
    key, certificate = str(folder / "key.pem"), str(folder / "certificate.pem")
    run(
        *(find("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt"),
        *("ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", certificate),
        *("-subj", "/CN=localhost", "-days", "30"),
    )
    arguments = ("s_server", "-4", "-quiet", "-rev", "-accept", str(port), "-key", key)
    with started(find("openssl"), *arguments, "-cert", certificate, port=port):
        yield


def tls_client(port: int, folder: Path) -> None:
    for version in ("-tls1_3", "-tls1_2"):
        arguments = ("s_client", "-quiet", "-no_ign_eof", version, "-connect", f"{HOST}:{port}")
        run("sh", "-c", f"(echo to be turned; sleep 0.5) | {find('openssl')} {' '.join(arguments)}")


@contextlib.contextmanager
def ssh_server(port: int, folder: Path) -> Iterator[None]:
    for name in ("host", "user"):
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", str(folder / name))
    Path("/run/sshd").mkdir(exist_ok=True)
    shutil.copy(folder / "user.pub", folder / "authorized")
    options = ("StrictModes=no", "UsePAM=no", "PidFile=none")
    options += (f"AuthorizedKeysFile={folder}/authorized",)
    words = [word for option in options for word in ("-o", option)]
    arguments = ("-D", "-f", "/dev/null", "-p", str(port), "-h", str(folder / "host"), *words)
    with started(find("sshd"), *arguments, port=port):
        yield


def ssh_client(port: int, folder: Path) -> None:
    options = ("StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "BatchMode=yes")
    words = [word for option in options for word in ("-o", option)]
    run("ssh", "-i", str(folder / "user"), "-p", str(port), *words, HOST, "echo", "hello")


@contextlib.contextmanager
def redis_server(port: int, folder: Path) -> Iterator[None]:
    arguments = ("--port", str(port), "--bind", HOST, "--save", "", "--dir", str(folder))
    with started(find("redis-server"), *arguments, port=port):
        yield


def redis_client(port: int, folder: Path) -> None:
    commands = ["PING", "SET greeting hello", "GET greeting"]
    for command in (*commands, "LPUSH list 1 2 3", "LRANGE list 0 -1", "WRONG"):
        run(find("redis-cli"), "-h", HOST, "-p", str(port), *command.split())


@contextlib.contextmanager
def postgres_server(port: int, folder: Path) -> Iterator[None]:
    data = folder / "data"
    shutil.chown(folder, "postgres")
    folder.chmod(0o700)
    run(find("initdb"), "-D", str(data), "-A", "trust", "--no-sync", user="postgres")
    command = ["runuser", "-u", "postgres", "--", find("postgres"), "-D", str(data)]
    command += ["-p", str(port), "-h", HOST, "-k", str(folder), "-F"]
    with started(*command, port=port):
        yield


def postgres_client(port: int, folder: Path) -> None:
    statements = ("create table t(a int, b text)", "insert into t values (1, 'one')")
    text = ";\n".join((*statements, "select * from t", "oops", ""))
    run("psql", "-h", HOST, "-p", str(port), "-U", "postgres", "postgres", text=text)


@contextlib.contextmanager
def memcached_server(port: int, folder: Path) -> Iterator[None]:
    with started(find("memcached"), "-u", "nobody", "-l", HOST, "-p", str(port), port=port):
        yield


def memcached_client(port: int, folder: Path) -> None:
    peers.exchange(port, peers.MEMCACHED_TEXT)
    peers.exchange(port, peers.MEMCACHED_BINARY)


@contextlib.contextmanager
def mqtt_server(port: int, folder: Path) -> Iterator[None]:
    configuration = folder / "mosquitto.conf"
    text = f"listener {port} {HOST}\nallow_anonymous true\nuser root\n"
    configuration.write_text(text, encoding="ascii")
    with started(find("mosquitto"), "-c", str(configuration), port=port):
        yield


def mqtt_client(port: int, folder: Path) -> None:
    peers.exchange(port, peers.MQTT)


# Protocols that are built by hand, because no small server of theirs is in Debian.


def scripted(dialogue: peers.Dialogue) -> tuple[Callable[..., object], Callable[..., None]]:
    """A server that answers each message of a dialogue, and the client that sends them."""

    @contextlib.contextmanager
    def serve(port: int, folder: Path) -> Iterator[None]:
        listener = socket.create_server((HOST, port))
        thread = threading.Thread(target=peers.serve, args=(listener, dialogue))
        thread.start()
        yield
        thread.join(TIMEOUT)
        listener.close()

    def ask(port: int, folder: Path) -> None:
        peers.ask(port, dialogue)

    return serve, ask


def random_dialogue() -> peers.Dialogue:
    numbers = random.Random(20240229)
    return [(numbers.randbytes(1 + n * 37), numbers.randbytes(1 + n * 53)) for n in range(16)]


def zeros_dialogue() -> peers.Dialogue:
    return [(bytes(size), bytes(size)) for size in (1, 8, 256, 1000)]


def prefixed_dialogue() -> peers.Dialogue:
    """Little-endian length and a number, as legacy Iggy has, but no number that Iggy knows."""
    rows = [(kind, b"request %d" % kind) for kind in range(70_000, 70_012)]
    return [(struct.pack("<II", 4 + len(text), kind) + text,) * 2 for kind, text in rows]


@dataclass
class Case:
    port: int
    server: Callable[..., contextlib.AbstractContextManager[None]]
    client: Callable[[int, Path], None]


HTTP = (http_server, http_client)
TLS = (tls_server, tls_client)
CASES = {
    "amqp": Case(5672, *scripted(peers.AMQP)),
    "dns-tcp": Case(53, *scripted(peers.DNS)),
    "http": Case(8000, *HTTP),
    "http-on-3000": Case(3000, *HTTP),
    "http-on-8080": Case(8080, *HTTP),
    "http-on-8090": Case(8090, *HTTP),
    "http-on-8092": Case(8092, *HTTP),
    "http-on-9090": Case(9090, *HTTP),
    "kafka": Case(9092, *scripted(peers.KAFKA)),
    "kafka-on-8090": Case(8090, *scripted(peers.KAFKA)),
    "length-prefixed-on-8090": Case(8090, *scripted(prefixed_dialogue())),
    "memcached": Case(11211, memcached_server, memcached_client),
    "mongodb": Case(27017, *scripted(peers.MONGODB)),
    "mongodb-on-8090": Case(8090, *scripted(peers.MONGODB)),
    "mqtt": Case(1883, mqtt_server, mqtt_client),
    "postgresql": Case(5432, postgres_server, postgres_client),
    "postgresql-on-9090": Case(9090, postgres_server, postgres_client),
    "random-on-8090": Case(8090, *scripted(random_dialogue())),
    "redis": Case(6379, redis_server, redis_client),
    "redis-on-8092": Case(8092, redis_server, redis_client),
    "ssh": Case(22, ssh_server, ssh_client),
    "ssh-on-8090": Case(8090, ssh_server, ssh_client),
    "tls": Case(443, *TLS),
    "tls-on-8090": Case(8090, *TLS),
    "tls-refused-on-8090": Case(8090, *scripted(peers.TLS_REFUSED)),
    "websocket": Case(9000, *scripted(peers.WEBSOCKET)),
    "zeros-on-8090": Case(8090, *scripted(zeros_dialogue())),
}


def record(name: str, case: Case) -> None:
    path = HERE / f"{name}.pcap"
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder)
        with case.server(case.port, own), recording(path, case.port):
            case.client(case.port, own)
    size = path.stat().st_size
    if not 24 < size <= LIMIT:
        raise ValueError(f"{path.name} has {size} bytes")
    print(f"{path.name}: {size} bytes")


def enter_namespace() -> None:
    """Starts this script again where the loopback interface is its own."""
    inner = ["sh", "-c", 'ip link set lo up && exec "$@"', "sh", sys.executable, *sys.argv]
    os.environ[INSIDE] = "1"
    os.execvp("unshare", ["unshare", "--net", "--", *inner])


def main() -> int:
    parser = argparse.ArgumentParser(description="Records captures of other protocols.")
    parser.add_argument("--list", action="store_true", help="print the names and stop")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these (default: all)")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(CASES))
        return 0
    if INSIDE not in os.environ:
        enter_namespace()
    failed = 0
    for name in arguments.names or CASES:
        try:
            record(name, CASES[name])
        except (FileNotFoundError, TimeoutError, ValueError) as problem:
            failed += 1
            print(f"{name}: left out: {problem}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
