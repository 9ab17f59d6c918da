# SPDX-License-Identifier: BSD-3-Clause
"""What each rank of a schedule does, as a time-independent trace of SimGrid's: one line for each
action. A rank waits where the executor does (src/schedule/schedule.hpp), in the order of rounds.

SimGrid knows flows, which share links, and no streams, on which messages go one after the other.
So the stream of two ranks is a process of its own, at the port of the receiver's node: it takes one
message after the other, and tells the receiver of each."""

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from suiro.sim.schedule_text import Round, Schedule, Step, parse

_ENVELOPE_BYTES = 16  # that SMPI adds to each message
QUESTIONS = 1 << 20  # from here on tags are of questions


@dataclass(frozen=True)
class Costs:
    """By the names of the model's network (src/model/network.hpp)."""

    message_s: float
    latency_s: float
    local_message_s: float
    signal_s: float
    copy_Bps: float
    local_Bps: float
    reduce_Bps: float
    eager: float
    header_bytes: float

    def wire_bytes(self, message_bytes: float) -> int:
        """As a trace has them."""
        return round(message_bytes + self.header_bytes - _ENVELOPE_BYTES)


@dataclass(frozen=True)
class Process:
    host: str
    lines: list[str]


def processes(
    text: str, block_bytes: float, node_of_rank: list[int], costs: Costs
) -> Iterator[Process]:
    """Of the ranks, and then of streams between them. `text`: a printed schedule."""
    job = _Job(parse(text), block_bytes, node_of_rank, costs)
    for rank, node in enumerate(node_of_rank):
        yield Process(f"node-{node}", _Rank(job, rank).lines())
    for stream in list(job.streams.values()):
        yield Process(f"port-{node_of_rank[stream.target]}", _lines_of(stream, job))


@dataclass(frozen=True)
class _Message:
    source: int
    target: int
    number: int  # among those of these two ranks, which is its tag
    round: int
    bytes: float


@dataclass
class _Stream:
    process: int
    source: int
    target: int
    messages: list[_Message] = field(default_factory=list)


@dataclass
class _Job:
    schedule: Schedule
    block_bytes: float
    node_of_rank: list[int]
    costs: Costs
    streams: dict[tuple[int, int], _Stream] = field(default_factory=dict)

    def local(self, message: _Message) -> bool:
        return self.node_of_rank[message.source] == self.node_of_rank[message.target]

    def asks(self, message: _Message) -> bool:
        return message.bytes > self.costs.eager

    def stream(self, message: _Message) -> _Stream:
        ends = (message.source, message.target)
        process = len(self.node_of_rank) + len(self.streams)
        return self.streams.setdefault(ends, _Stream(process, *ends))

    def processor_s(self, message: _Message) -> float:
        """Of one end. A long message between nodes is a question or an answer before that."""
        if not self.local(message):
            return self.costs.message_s * (2 if self.asks(message) else 1)
        signals = self.schedule.shared and message.bytes == 0
        return self.costs.signal_s if signals else self.costs.local_message_s


def _lines_of(stream: _Stream, job: _Job) -> list[str]:
    """A long message comes when both ends want it, and question and answer have gone their way."""
    lines = ["init"]
    for message in stream.messages:
        if job.asks(message):
            lines.append(f"recv {stream.source} {QUESTIONS + message.number} 0")
            lines.append(f"recv {stream.target} {message.number} 0")
            lines.append(f"sleep {2 * job.costs.latency_s:.9g}")
        size = job.costs.wire_bytes(message.bytes)
        lines.append(f"recv {stream.source} {message.number} {size}")
        lines.append(f"isend {stream.target} {message.number} 0")
    return [f"{stream.process} {line}" for line in [*lines, "finalize"]]


class _Rank:
    def __init__(self, job: _Job, rank: int) -> None:
        self._job = job
        self._rounds = job.schedule.rounds_of.get(rank, {})
        self._rank = rank
        self._lines: list[str] = []
        self._busy_s = 0.0  # that no line tells yet
        self._posted = 0  # the first round whose receives are not
        self._numbers: Counter[tuple[int, int]] = Counter()
        self._sends: deque[_Message] = deque()  # long ones: others are copied and forgotten
        self._receives: deque[_Message] = deque()

    def lines(self) -> list[str]:
        self._say("init")
        for number in sorted(self._rounds):
            self._run(number, self._rounds[number])
        self._wait_for_receives(self._job.schedule.rounds)
        self._wait_for_sends(self._job.schedule.rounds)
        self._say("finalize")
        return self._lines

    def _run(self, number: int, now: Round) -> None:
        schedule, costs = self._job.schedule, self._job.costs
        self._post_receives(number + schedule.lookahead)
        self._wait_for_receives(number + 1 - (1 if now.fence else schedule.receive_window))
        self._wait_for_sends(number + 1 - (1 if now.fence else schedule.window))
        if not now.sends_first:
            self._post_receives(number + 1)
        for step in now.of("copy", "reduce"):
            rate = costs.copy_Bps if step.action == "copy" else costs.reduce_Bps
            self._busy_s += step.blocks * self._job.block_bytes / rate
        for step in now.of("send"):
            self._send(self._message(self._rank, step.peer, number, step))
        self._post_receives(number + 1)

    def _send(self, message: _Message) -> None:
        job = self._job
        self._busy_s += job.processor_s(message)
        if job.asks(message):
            self._sends.append(message)
        else:
            self._busy_s += message.bytes / job.costs.copy_Bps
        peer = message.target
        if not job.local(message):
            stream = job.stream(message)
            stream.messages.append(message)
            peer = stream.process
            if job.asks(message):
                self._say(f"isend {peer} {QUESTIONS + message.number} 0")
        self._say(f"isend {peer} {message.number} {job.costs.wire_bytes(message.bytes)}")

    def _post_receives(self, end: int) -> None:
        for number in range(self._posted, min(end, self._job.schedule.rounds)):
            for step in self._rounds[number].of("receive") if number in self._rounds else []:
                message = self._message(step.peer, self._rank, number, step)
                self._receive(message)
                self._receives.append(message)
        self._posted = max(self._posted, end)

    def _receive(self, message: _Message) -> None:
        job = self._job
        if job.local(message):
            size = job.costs.wire_bytes(message.bytes)
            self._say(f"irecv {message.source} {message.number} {size}")
            return
        stream = job.stream(message).process
        if job.asks(message):
            self._say(f"isend {stream} {message.number} 0")
        self._say(f"irecv {stream} {message.number} 0")

    def _wait_for_receives(self, end: int) -> None:
        """Those of rounds before `end`."""
        job = self._job
        for message in _taken(self._receives, end):
            peer = message.source if job.local(message) else job.stream(message).process
            self._say(f"wait {peer} {self._rank} {message.number}")
            self._busy_s += job.processor_s(message)
            if job.local(message):
                rate = job.costs.local_Bps if job.asks(message) else job.costs.copy_Bps
                self._busy_s += message.bytes / rate

    def _wait_for_sends(self, end: int) -> None:
        for message in _taken(self._sends, end):
            local = self._job.local(message)
            peer = message.target if local else self._job.stream(message).process
            self._say(f"wait {self._rank} {peer} {message.number}")

    def _message(self, source: int, target: int, number: int, step: Step) -> _Message:
        tag = self._numbers[source, target]
        self._numbers[source, target] += 1
        return _Message(source, target, tag, number, step.blocks * self._job.block_bytes)

    def _say(self, action: str) -> None:
        if self._busy_s > 0:
            self._lines.append(f"{self._rank} sleep {self._busy_s:.9g}")
        self._busy_s = 0.0
        self._lines.append(f"{self._rank} {action}")


def _taken(messages: deque[_Message], end: int) -> Iterator[_Message]:
    while messages and messages[0].round < end:
        yield messages.popleft()
