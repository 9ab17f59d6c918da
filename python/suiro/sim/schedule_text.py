# SPDX-License-Identifier: BSD-3-Clause
"""Reads the text form of a schedule (docs/schedule-format.md) as the native tool prints it: who
sends how many blocks to whom, and when a round may start."""

import re
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Step:
    """`action` is send, receive, copy or reduce; `peer` of the first two, else -1."""

    action: str
    blocks: int
    peer: int = -1


@dataclass
class Round:
    fence: bool = False
    steps: list[Step] = field(default_factory=list)

    def of(self, *actions: str) -> list[Step]:
        return [step for step in self.steps if step.action in actions]

    @property
    def sends_first(self) -> bool:
        return bool(self.steps) and self.steps[0].action == "send"


@dataclass
class Schedule:
    """`rounds_of[rank]` has the rounds that are not empty, by number."""

    header: dict[str, int] = field(default_factory=dict)
    rounds_of: dict[int, dict[int, Round]] = field(default_factory=dict)

    @property
    def rounds(self) -> int:
        return self.header["rounds"]

    @property
    def window(self) -> int:
        return self.header["window"]

    @property
    def receive_window(self) -> int:
        return self.header.get("receive_window", self.window)

    @property
    def lookahead(self) -> int:
        return self.header["lookahead"]

    @property
    def shared(self) -> bool:
        return self.header.get("shared", 0) > 0


_NUMBERS = {"ranks", "rounds", "window", "receive_window", "lookahead", "shared"}


def parse(text: str) -> Schedule:
    schedule = Schedule()
    rounds: dict[int, Round] | None = None
    now = Round()
    for line in text.splitlines():
        word, _, rest = line.strip().partition(" ")
        if word == "rank":
            rounds = schedule.rounds_of[int(rest)] = {}
        elif word == "round":
            number, _, fence = rest.partition(" ")
            assert rounds is not None
            now = rounds[int(number)] = Round(fence == "fence")
        elif rounds is not None and word:
            now.steps.append(_step(word, rest))
        elif word in _NUMBERS:
            schedule.header[word] = int(rest)
    return schedule


_BLOCKS = re.compile(r"\w+\[\d+(?: x (\d+))?")
_PEER = re.compile(r"(?:->|<-) (\d+)$")


def _step(action: str, rest: str) -> Step:
    """Such as `receive[3 x 2] <- 1`."""
    blocks, peer = _BLOCKS.match(rest), _PEER.search(rest)
    assert blocks
    return Step(action, int(blocks[1] or 1), int(peer[1]) if peer else -1)
