# SPDX-License-Identifier: BSD-3-Clause
"""Whom a job must not let in, and what they try; runs on hosts of a lab.

    attack.py record FILE    on a host of the job: keeps what the first to connect there said
    attack.py attack FILE    from elsewhere: scans, garbage, replays, floods, a wrong secret

Prints one line of JSON: how often each was tried, and who was let in.
"""

import hashlib
import json
import os
import random
import socket
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

MAGIC = b"suio"
ETH_P_IP, ETH_P_ALL = 0x0800, 3
HELLO_BYTES, ANSWER_BYTES, PROOF_BYTES, CHALLENGE_BYTES = 104, 64, 40, 32
ANSWER, PROOF = 1, 2  # steps of the exchange
NAME, NAME_BYTES, NONCE_BYTES = 8, 64, 16  # of a hello
SCANNED_PORTS, GARBAGE, REPLAYS, SILENT, SYNS, WRONG = 400, 30, 10, 600, 3000, 10
RECORD_SECONDS, ANSWER_SECONDS = 30, 20
Place = tuple[str, int]


class Segment(NamedTuple):
    """What somebody said over TCP."""

    source: Place
    target: Place
    payload: bytes


def parsed(packet: bytes) -> Segment | None:
    if packet[0] >> 4 != 4 or packet[9] != socket.IPPROTO_TCP:
        return None
    ip_bytes = (packet[0] & 15) * 4
    total = struct.unpack_from("!H", packet, 2)[0] or len(packet)
    source, target = (socket.inet_ntoa(packet[at : at + 4]) for at in (12, 16))
    ports = struct.unpack_from("!HH", packet, ip_bytes)
    tcp_bytes = (packet[ip_bytes + 12] >> 4) * 4
    payload = packet[ip_bytes + tcp_bytes : total]
    return Segment((source, ports[0]), (target, ports[1]), payload)


def record(file: Path) -> None:
    """The hello and the proof of a stream that was opened to, or from, this host."""
    said: dict[tuple[Place, Place], bytes] = {}
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL)) as ear:
        ear.settimeout(RECORD_SECONDS)
        file.with_suffix(".ready").touch()
        while True:
            packet, (_, protocol, *_) = ear.recvfrom(1 << 16)
            segment = parsed(packet) if protocol == ETH_P_IP else None
            if segment is None or not segment.payload:
                continue
            flow = segment.source, segment.target
            if flow not in said and not segment.payload.startswith(MAGIC):
                continue
            said[flow] = said.get(flow, b"") + segment.payload
            if len(said[flow]) >= HELLO_BYTES + PROOF_BYTES:
                words = said[flow][: HELLO_BYTES + PROOF_BYTES].hex()
                written = file.with_suffix(".new")
                written.write_text(json.dumps({"target": segment.target, "words": words}))
                written.rename(file)
                return


def connected(place: Place) -> socket.socket:
    line = socket.create_connection(place, timeout=ANSWER_SECONDS)
    line.settimeout(ANSWER_SECONDS)
    return line


def heard(line: socket.socket, count: int) -> bytes:
    """At most so many bytes; fewer if the other side ends it, or is silent."""
    text = b""
    with suppress(OSError):
        while len(text) < count and (part := line.recv(count - len(text))):
            text += part
    return text


def scan(place: Place) -> int:
    """Every port near this one; how often the job was found, as others may listen near it too."""
    found = 0
    for port in range(place[1] - SCANNED_PORTS // 2, place[1] + SCANNED_PORTS // 2):
        with suppress(OSError), connected((place[0], port)):
            found += port == place[1]
    return found


def send_garbage(place: Place) -> None:
    chance = random.Random(1)
    lines = [connected(place) for _ in range(GARBAGE)]
    for number, line in enumerate(lines):
        begin = MAGIC if number % 2 else b""
        with suppress(OSError):
            line.sendall(begin + chance.randbytes(chance.choice([1, 100, 200, 5000])))
    for line in lines:
        line.close()


def replay(place: Place, hello: bytes, proof: bytes) -> int:
    """Says again what somebody said who belongs there; how often that was believed."""
    believed = 0
    for _ in range(REPLAYS):
        with connected(place) as line:
            line.sendall(hello)
            assert len(heard(line, ANSWER_BYTES)) == ANSWER_BYTES
            line.sendall(proof)
            believed += len(heard(line, 1))
    return believed


def prove(secret: bytes, nonce: bytes, step: int, transcript: bytes, standing: bytes) -> bytes:
    key = hashlib.blake2b(nonce + secret, digest_size=32).digest()
    text = bytes([step]) + transcript + standing
    return hashlib.blake2b(text, digest_size=32, key=key).digest()


def try_secrets(hello: bytes) -> int:
    """Opens a stream to whom the hello names, as a rank of another job would."""
    name = hello[NAME : NAME + NAME_BYTES]
    nonce = name[-NONCE_BYTES:]
    place = socket.inet_ntoa(name[4:8]), struct.unpack_from("<H", name, 2)[0]
    believed = 0
    for _ in range(WRONG):
        own = name[:-NONCE_BYTES] + os.urandom(NONCE_BYTES)
        wrong = hello[:NAME] + own + os.urandom(CHALLENGE_BYTES)
        with connected(place) as line:
            line.sendall(wrong)
            answer = heard(line, ANSWER_BYTES)
            secret = os.urandom(32)
            transcript = wrong + answer[:CHALLENGE_BYTES]
            right = answer[CHALLENGE_BYTES:] == prove(secret, nonce, ANSWER, transcript, b"")
            standing = bytes(8)
            line.sendall(standing + prove(secret, nonce, PROOF, transcript, standing))
            believed += len(heard(line, 1)) + int(right)
    return believed


def flood(place: Place) -> None:
    """Connections that say nothing, and others that are never even made."""
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as raw:
        for number in range(SYNS):
            raw.sendto(syn(f"10.77.0.{100 + number % 100}", 1024 + number, place), (place[0], 0))
    lines = [connected(place) for _ in range(SILENT)]
    for line in lines:
        line.close()


def checksum(data: bytes) -> int:
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def syn(source: str, port: int, place: Place) -> bytes:
    """A packet that asks for a connection, from anybody."""
    addresses = socket.inet_aton(source) + socket.inet_aton(place[0])
    head = struct.pack("!HHIIBBH", port, place[1], 7, 0, 5 << 4, 2, 1024)
    pseudo = addresses + struct.pack("!BBH", 0, socket.IPPROTO_TCP, 20)
    tcp = head + struct.pack("!HH", checksum(pseudo + head + bytes(4)), 0)
    return struct.pack("!BBHHHBBH", 0x45, 0, 40, 0, 0, 64, socket.IPPROTO_TCP, 0) + addresses + tcp


def attack(file: Path) -> None:
    known = json.loads(file.read_text())
    words = bytes.fromhex(known["words"])
    place = known["target"][0], int(known["target"][1])
    hello, proof = words[:HELLO_BYTES], words[HELLO_BYTES:]
    found = scan(place)
    send_garbage(place)
    believed = replay(place, hello, proof) + try_secrets(hello)
    flood(place)
    print(
        json.dumps(
            {
                "address": place[0],
                "strangers": found + GARBAGE + REPLAYS + SILENT,
                "wrong_secrets": WRONG,
                "believed": believed,
            }
        ),
        flush=True,
    )


if __name__ == "__main__":
    {"record": record, "attack": attack}[sys.argv[1]](Path(sys.argv[2]))
