# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Both sides of the protocols that make.py speaks by hand."""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct
import time

HOST = "127.0.0.1"
TIMEOUT = 10
QUIET = 0.3  # seconds without a byte that end an answer

# What a client sends, and what the server answers. None: the server resets the connection.
Dialogue = list[tuple[bytes, bytes | None]]


def read_exactly(connection: socket.socket, size: int) -> None:
    while size > 0:
        data = connection.recv(size)
        if not data:
            return
        size -= len(data)


def serve(listener: socket.socket, dialogue: Dialogue) -> None:
    """Answers one connection."""
    listener.settimeout(TIMEOUT)
    with contextlib.suppress(OSError), listener.accept()[0] as connection:
        connection.settimeout(TIMEOUT)
        for request, answer in dialogue:
            read_exactly(connection, len(request))
            if answer is None:
                # A linger of zero seconds turns the close into a reset.
                linger = struct.pack("ii", 1, 0)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                return
            connection.sendall(answer)
        read_exactly(connection, 1)


def ask(port: int, dialogue: Dialogue) -> None:
    with contextlib.suppress(OSError), socket.create_connection((HOST, port)) as connection:
        connection.settimeout(TIMEOUT)
        for request, answer in dialogue:
            connection.sendall(request)
            read_exactly(connection, len(answer) if answer is not None else 1)
            time.sleep(0.01)


def exchange(port: int, messages: list[bytes]) -> None:
    """Sends each message to a real server and waits until its answer has come."""
    with contextlib.suppress(OSError), socket.create_connection((HOST, port)) as connection:
        connection.settimeout(QUIET)
        for message in messages:
            connection.sendall(message)
            with contextlib.suppress(TimeoutError):
                while connection.recv(4096):
                    pass


MEMCACHED_TEXT = [
    b"set greeting 0 60 5\r\nhello\r\n",
    b"get greeting missing\r\n",
    b"incr greeting 1\r\n",
    b"version\r\nquit\r\n",
]


def _memcached(opcode: int, key: bytes = b"", extras: bytes = b"", value: bytes = b"") -> bytes:
    body = extras + key + value
    sizes = struct.pack(">BBHBBHI", 0x80, opcode, len(key), len(extras), 0, 0, len(body))
    return sizes + bytes(12) + body


MEMCACHED_BINARY = [
    _memcached(1, b"key", bytes(8), b"value"),
    _memcached(0, b"key"),
    _memcached(10),
    _memcached(7),
]


def _mqtt(kind: int, body: bytes) -> bytes:
    return bytes([kind, len(body)]) + body


def _mqtt_text(text: bytes) -> bytes:
    return struct.pack(">H", len(text)) + text


MQTT = [
    _mqtt(0x10, _mqtt_text(b"MQTT") + b"\x04\x02\x00\x3c" + _mqtt_text(b"test-client")),
    _mqtt(0x82, b"\x00\x01" + _mqtt_text(b"orders/#") + b"\x01"),
    _mqtt(0x32, _mqtt_text(b"orders/1") + b"\x00\x02" + b"an order"),
    _mqtt(0xC0, b""),
    _mqtt(0xE0, b""),
]


def _amqp(kind: int, channel: int, body: bytes) -> bytes:
    return struct.pack(">BHI", kind, channel, len(body)) + body + b"\xce"


def _amqp_method(group: int, method: int, arguments: bytes) -> bytes:
    return _amqp(1, 0, struct.pack(">HH", group, method) + arguments)


def _amqp_long(text: bytes) -> bytes:
    return struct.pack(">I", len(text)) + text


_LOGIN = b"\x05PLAIN" + _amqp_long(b"\0guest\0guest") + b"\x05en_US"
_TUNE = struct.pack(">HIH", 2047, 131072, 60)
AMQP: Dialogue = [
    (
        b"AMQP\x00\x00\x09\x01",
        _amqp_method(10, 10, b"\0\x09" + bytes(4) + _amqp_long(b"PLAIN") + _amqp_long(b"en_US")),
    ),
    (_amqp_method(10, 11, bytes(4) + _LOGIN), _amqp_method(10, 30, _TUNE)),
    (
        _amqp_method(10, 31, _TUNE) + _amqp_method(10, 40, b"\x01/\x00\x00"),
        _amqp_method(10, 41, b"\x00"),
    ),
    (_amqp(8, 0, b""), _amqp(8, 0, b"")),
    (_amqp_method(10, 50, bytes(7)), _amqp_method(10, 51, b"")),
]


def _dns(number: int, name: bytes, answer: bytes) -> bytes:
    flags = 0x8180 if answer else 0x0100
    labels = b"".join(bytes([len(label)]) + label for label in name.split(b".")) + b"\0"
    text = struct.pack(">6H", number, flags, 1, 1 if answer else 0, 0, 0)
    text += labels + struct.pack(">HH", 1, 1)
    if answer:
        text += struct.pack(">HHHIH", 0xC00C, 1, 1, 300, len(answer)) + answer
    return struct.pack(">H", len(text)) + text


DNS: Dialogue = [
    (_dns(number, name, b""), _dns(number, name, bytes([192, 0, 2, number])))
    for number, name in enumerate((b"www.example.com", b"mail.example.com", b"example.org"), 1)
]


def _kafka_text(text: bytes) -> bytes:
    return struct.pack(">h", len(text)) + text


def _kafka(number: int, body: bytes) -> bytes:
    return struct.pack(">ii", 4 + len(body), number) + body


def _kafka_request(api: int, version: int, number: int, body: bytes) -> bytes:
    text = struct.pack(">hhi", api, version, number) + _kafka_text(b"test-client") + body
    return struct.pack(">i", len(text)) + text


def _kafka_versions() -> bytes:
    rows = [(api, 0, 9) for api in range(0, 38)]
    return struct.pack(">hi", 0, len(rows)) + b"".join(struct.pack(">hhh", *row) for row in rows)


def _kafka_metadata() -> bytes:
    brokers = struct.pack(">ii", 1, 0) + _kafka_text(b"localhost") + struct.pack(">i", 9092)
    partition = struct.pack(">hiiiiii", 0, 0, 0, 1, 0, 1, 0)
    topic = struct.pack(">h", 0) + _kafka_text(b"orders") + struct.pack(">i", 1) + partition
    return brokers + struct.pack(">i", 1) + topic


_KAFKA_SET = (
    struct.pack(">qi", 0, 22) + struct.pack(">IBBi", 0x3B6E6FDA, 0, 0, -1) + b"\0\0\0\x08an order"
)
_KAFKA_PRODUCE = (
    struct.pack(">hii", 1, 1500, 1)
    + _kafka_text(b"orders")
    + struct.pack(">iii", 1, 0, len(_KAFKA_SET))
    + _KAFKA_SET
)
_KAFKA_PRODUCED = (
    struct.pack(">i", 1) + _kafka_text(b"orders") + struct.pack(">iihq", 1, 0, 0, 42)
)
KAFKA: Dialogue = [
    (_kafka_request(18, 0, 1, b""), _kafka(1, _kafka_versions())),
    (
        _kafka_request(3, 0, 2, struct.pack(">i", 1) + _kafka_text(b"orders")),
        _kafka(2, _kafka_metadata()),
    ),
    (_kafka_request(0, 0, 3, _KAFKA_PRODUCE), _kafka(3, _KAFKA_PRODUCED)),
    (_kafka_request(0, 0, 4, _KAFKA_PRODUCE), _kafka(4, _KAFKA_PRODUCED)),
]


def _bson(**fields: int | str) -> bytes:
    text = b""
    for name, value in fields.items():
        if isinstance(value, int):
            text += b"\x10" + name.encode() + b"\0" + struct.pack("<i", value)
        else:
            word = value.encode() + b"\0"
            text += b"\x02" + name.encode() + b"\0" + struct.pack("<i", len(word)) + word
    return struct.pack("<i", len(text) + 5) + text + b"\0"


def _mongodb(number: int, answers: int, document: bytes) -> bytes:
    body = struct.pack("<IB", 0, 0) + document
    return struct.pack("<iiii", 16 + len(body), number, answers, 2013) + body


# The length and the number in front look like a legacy Iggy request: number 1 is its ping.
MONGODB: Dialogue = [
    (
        _mongodb(number, 0, _bson(**{command: 1, "$db": "admin"})),
        _mongodb(100 + number, number, _bson(ok=1, maxWireVersion=17, msg="x" * number)),
    )
    for number, command in enumerate(("hello", "ping", "buildInfo", "listDatabases"), 1)
]


def _client_hello() -> bytes:
    outgoing = ssl.MemoryBIO()
    context = ssl.create_default_context()
    client = context.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="localhost")
    with contextlib.suppress(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


TLS_REFUSED: Dialogue = [(_client_hello(), None)]

_UPGRADE = (
    b"GET /chat HTTP/1.1\r\nHost: localhost:9000\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
_UPGRADED = (
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
)


def _websocket(first: int, text: bytes, mask: bytes = b"") -> bytes:
    size = bytes([first, len(text) | (0x80 if mask else 0)])
    if not mask:
        return size + text
    return size + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(text))


WEBSOCKET: Dialogue = [
    (_UPGRADE, _UPGRADED),
    (_websocket(0x81, b'{"say":"hello"}', b"\x11\x22\x33\x44"), _websocket(0x81, b'{"heard":1}')),
    (_websocket(0x82, bytes(range(100)), b"\x55\x66\x77\x88"), _websocket(0x82, bytes(100))),
    (_websocket(0x89, b"", b"\x01\x02\x03\x04"), _websocket(0x8A, b"")),
    (_websocket(0x88, b"\x03\xe8", b"\x09\x08\x07\x06"), _websocket(0x88, b"\x03\xe8")),
]
