# SPDX-License-Identifier: BSD-3-Clause
"""The job service: where the ranks of a job report to `suiro run` (docs/run.md has the protocol).

The first line that a peer sends must be the job's token; nothing else of it is looked at before.
Lines are bounded, and so is the time in which a peer must have proved itself.
"""

import asyncio
import contextlib
import ctypes
import errno
import hmac
import json
import resource
import secrets
import socket
import threading
from typing import Any, Protocol

from suiro.output import say
from suiro.run import addresses
from suiro.run.worlds import Answer, Member, TransportQuestion, World, Worlds

_LINE_BYTES_MAX = 1 << 20
_GREETING_SECONDS_MAX = 20.0  # as long as a rank waits, for a service with much to do
# Connections that have not proved themselves: the ranks of a large job are strangers, too, until
# their first line is read, and all may come at once.
_STRANGERS_MAX = 16384
_ACCEPTED_AT_ONCE = 128
_WAITING_MAX = 4096  # in the kernel
_END_SECONDS_MAX = 5.0
_BROKEN_PROTOCOL = (OSError, EOFError, LookupError, RecursionError, TypeError, ValueError)


class Reports(Protocol):
    """Who takes what the ranks report."""

    def explain(self, rank: object, row: dict[str, Any]) -> None:
        """One rank's sums for one kind of call, which may have grown since it told them last."""

    def trace(self, calls: list[Any]) -> None:
        """Calls of one rank, in order."""

    def difference(self, found: dict[str, Any]) -> None:
        """A rank's result was not native's."""

    def offsets(self, host: str) -> None:
        """The MPI there sends datatypes with an offset from the wrong place."""

    def sites(self, told: dict[str, Any]) -> None:
        """How many sites a job has, and what told."""

    def unnamed(self, host: str, *, one_node: bool) -> None:
        """A job runs on a host that is at none of the sites that it was given."""

    def lessons(self, hosts: set[str], asked: dict[str, Any]) -> list[dict[str, Any]] | None:
        """What earlier jobs like this on these hosts have shown; None where nothing is kept."""

    def learnt(self, hosts: set[str], told: dict[str, Any]) -> None:
        """What a trial of this job has shown."""

    def cut_off(self) -> None:
        """A rank is gone that was at work, and has not said that it reported all."""


class Service:
    """Listens in a thread of its own while the job runs."""

    def __init__(self, reports: Reports) -> None:
        self.token = secrets.token_hex(16)
        self.worlds = Worlds(say)
        self._reports = reports
        self._strangers: dict[asyncio.Task[None], None] = {}  # the oldest first
        self._complained = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._socket = _listening_socket()
        self._thread = threading.Thread(target=self._serve, name="suiro-service", daemon=True)

    @property
    def places(self) -> str:
        """HOST:PORT,HOST:PORT,... for SUIRO_JOB."""
        port = self._socket.getsockname()[1]
        return ",".join(f"{host}:{port}" for host in addresses.reachable())

    def start(self) -> None:
        """Begins to listen."""
        # A thread's end needs it, and could not open it where no descriptor is left.
        with contextlib.suppress(OSError):
            ctypes.CDLL("libgcc_s.so.1")
        self._thread.start()

    def stop(self) -> None:
        """Takes what is still under way, then ends."""
        stopping = asyncio.run_coroutine_threadsafe(self._drain(), self._loop)
        stopping.result(_END_SECONDS_MAX + 5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._socket.close()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.set_exception_handler(self._complain)
        start = asyncio.start_server(
            self._accept, sock=self._socket, limit=_LINE_BYTES_MAX, backlog=_ACCEPTED_AT_ONCE
        )
        server = self._loop.run_until_complete(start)
        self._socket.listen(_WAITING_MAX)
        self._loop.run_forever()
        server.close()
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    def _complain(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Once, as of too few descriptors: it happens again and again then."""
        if not self._complained:
            error = context.get("exception")
            too_many = isinstance(error, OSError) and error.errno == errno.EMFILE
            remedy = "; raise `ulimit -n`" if too_many else ""
            say(f"not all ranks can report: {error or context['message']}{remedy}")
        self._complained = True

    async def _drain(self) -> None:
        if self._tasks:
            _, late = await asyncio.wait(set(self._tasks), timeout=_END_SECONDS_MAX)
            for task in late:
                task.cancel()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            if await self._knows_token(reader, task):
                await _Connection(self.worlds, self._reports, writer).hold(reader)
        except _BROKEN_PROTOCOL:
            pass  # a peer that breaks the protocol is only dropped
        finally:
            writer.close()

    async def _knows_token(self, reader: asyncio.StreamReader, task: "asyncio.Task[None]") -> bool:
        """`suiro 1 TOKEN` and nothing longer, in time. Of too many strangers the oldest goes: ranks
        say it at once, so a flood of the silent does not keep them out."""
        expected = f"suiro 1 {self.token}\n".encode()
        if len(self._strangers) >= _strangers_max():
            oldest = next(iter(self._strangers))
            del self._strangers[oldest]
            oldest.cancel()
        self._strangers[task] = None
        try:
            got = await asyncio.wait_for(
                reader.readexactly(len(expected)), timeout=_GREETING_SECONDS_MAX
            )
        finally:
            self._strangers.pop(task, None)
        return hmac.compare_digest(got, expected)


class _Connection:
    """One rank's, or that of the ranks of a node: then their numbers stand before their lines and
    answers, and a number alone says that the rank is gone, or is to go."""

    def __init__(self, worlds: Worlds, reports: Reports, writer: asyncio.StreamWriter) -> None:
        self._worlds = worlds
        self._reports = reports
        self._writer = writer
        self._ranks: dict[bytes, _Conversation] = {}

    async def hold(self, reader: asyncio.StreamReader) -> None:
        try:
            while line := await reader.readline():
                number, space, message = line.rstrip(b"\n").partition(b" ")
                if not number.isdigit():
                    self._take(b"", line)
                elif space:
                    self._take_of_node(number, message)
                elif number in self._ranks:
                    self._ranks.pop(number).end()
        finally:
            for rank in self._ranks.values():
                rank.end()

    def _take_of_node(self, number: bytes, message: bytes) -> None:
        """A rank that breaks the protocol is dropped, and no other."""
        try:
            self._take(number, message)
        except _BROKEN_PROTOCOL:
            self._ranks.pop(number).end()
            self._writer.write(number + b"\n")

    def _take(self, number: bytes, message: bytes) -> None:
        rank = self._ranks.get(number)
        if rank is None:
            start = number + b" " if number else b""
            rank = _Conversation(
                self._worlds,
                self._reports,
                lambda word: self._writer.write(start + word.encode() + b"\n"),
            )
            self._ranks[number] = rank
        rank.take(message)


class _Conversation:
    """With one rank, once it has shown the token, or its node has for it."""

    def __init__(self, worlds: Worlds, reports: Reports, answer: Answer) -> None:
        self._worlds = worlds
        self._reports = reports
        self._send = answer
        self._world: World | None = None
        self._member: Member | None = None
        self._owes_report = False

    def take(self, line: bytes) -> None:
        message = json.loads(line)
        if not isinstance(message, dict):
            raise ValueError("not an object")
        for kind, content in message.items():
            self._take(kind, content)

    def end(self) -> None:
        if self._world is not None and self._member is not None:
            self._worlds.leave(self._world, self._member)
        if self._owes_report:
            self._reports.cut_off()

    def _take(self, kind: str, content: Any) -> None:
        if kind == "hello":
            self._answer("ok")
        elif kind == "register" and self._member is None:
            member = Member(
                str(content["host"]),
                str(content["build"]),
                self._answer,
                of_host=int(content.get("local", 1)),
            )
            self._world = self._worlds.register(str(content["world"]), member)
            self._member = member
            self._answer("ok")
        elif self._world is None or self._member is None:
            raise ValueError("not registered")
        elif kind == "transport" and self._member.question is None:
            question = TransportQuestion(
                int(content["rank"]),
                int(content["size"]),
                bool(content["spawned"]),
                str(content["obstacle"]),
                bool(content["net"]),
            )
            self._worlds.ask_transport(self._world, self._member, question)
        elif kind == "withdraw" and content == "transport":
            self._worlds.withdraw_transport(self._world)
        elif kind == "verdict":
            rank, size = int(content["rank"]), int(content["size"])
            self._worlds.ask(self._world, self._member, rank, size)
        elif kind == "withdraw":
            self._worlds.withdraw(self._world, self._member)
        elif kind == "lessons":
            self._answer(json.dumps(self._reports.lessons(self._hosts(), content)))
        elif kind == "learnt":
            self._reports.learnt(self._hosts(), content)
        elif kind == "explain":
            self._reports.explain(self, content)
        elif kind == "trace":
            self._reports.trace(content)
        elif kind == "difference":
            self._reports.difference(content)
        elif kind == "offsets":
            self._reports.offsets(str(content))
        elif kind == "sites":
            self._reports.sites(content)
        elif kind == "unnamed":
            self._reports.unnamed(str(content["host"]), one_node=bool(content["one_node"]))
        elif kind == "done":
            self._owes_report = False
            self._answer("ok")

    def _hosts(self) -> set[str]:
        return {member.host for member in self._world.members} if self._world else set()

    def _answer(self, word: str) -> None:
        self._owes_report |= word == "on"
        self._send(word)


def _strangers_max() -> int:
    """Half of the descriptors are for those who have proved themselves."""
    return min(_STRANGERS_MAX, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)


def _listening_socket() -> socket.socket:
    with contextlib.suppress(OSError):  # IPv6 may be switched off
        if socket.has_dualstack_ipv6():
            return socket.create_server(("", 0), family=socket.AF_INET6, dualstack_ipv6=True)
    return socket.create_server(("", 0))
