# SPDX-License-Identifier: BSD-3-Clause
"""Who is in a job, and whether all of its ranks have the library: pure bookkeeping, no sockets.

A rank registers before the real MPI_Init and asks for the verdict after it. When MPI_Init has
returned on one rank, every rank of its world has entered it, so whoever has not registered by then
does not have the library. `on` is answered only when the askers are exactly the ranks 0..size-1,
and to all at once; everything doubtful is `off`, which is always safe.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

Answer = Callable[[str], None]

_NOT_TOLD_APART = "two jobs started at once and cannot be told apart"
_ALONE = (
    "several ranks run, each as a job of its own: let the launcher start them as one "
    "(with srun: --mpi=pmix or --mpi=pmi2), or start single programs one after another"
)


@dataclass(eq=False)
class Member:
    """One rank's process, as it registered."""

    host: str
    build: str
    answer: Answer
    rank: int | None = None
    gone: bool = False


@dataclass(eq=False)
class World:
    """The processes that registered under one name and have no verdict yet."""

    members: list[Member] = field(default_factory=list)
    size: int | None = None
    verdict: str | None = None


class Worlds:
    """All jobs under one `suiro run`: at once by their names, and one after another."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._open: dict[str, World] = {}
        self.registered = 0
        self.judged = 0

    def register(self, name: str, host: str, build: str, answer: Answer) -> tuple[World, Member]:
        """A process enters MPI_Init."""
        world = self._open.setdefault(name, World())
        member = Member(host, build, answer)
        world.members.append(member)
        self.registered += 1
        return world, member

    def ask(self, world: World, member: Member, rank: int, size: int) -> None:
        """A process has left MPI_Init."""
        if world.verdict is not None:
            member.answer("off")
            return
        member.rank = rank
        if world.size is not None and world.size != size:
            self._close(world, "the ranks do not agree on the size of the job")
            return
        world.size = size
        self._judge(world)

    def withdraw(self, world: World, member: Member) -> None:
        """A process waits no longer, so nobody may get `on`; it takes the answer there is."""
        if world.verdict is None:
            self._close(world, "a rank waited too long while the job started")

    def leave(self, world: World, member: Member) -> None:
        """A process is gone, or does not want to know."""
        if world.verdict is not None or member.gone:
            return
        member.gone = True
        if all(other.gone for other in world.members):
            self._forget(world)
        elif world.size is not None:
            self._judge(world)
        else:
            world.members.remove(member)

    def _judge(self, world: World) -> None:
        size = world.size or 0
        present = len(world.members)
        if present < size:
            self._close(world, self._missing(world, size))
        elif present > size == 1:
            self._close(world, _ALONE)
        elif present > size:
            self._close(world, _NOT_TOLD_APART)
        elif any(member.gone for member in world.members):
            self._close(world, "a rank was lost while the job started")
        elif all(member.rank is not None for member in world.members):
            self._judge_complete(world, size)

    def _judge_complete(self, world: World, size: int) -> None:
        if {member.rank for member in world.members} != set(range(size)):
            self._close(world, _NOT_TOLD_APART)
        elif len({member.build for member in world.members}) > 1:
            first = world.members[0]
            other = next(member for member in world.members if member.build != first.build)
            self._close(
                world,
                f"the library on {other.host} is of build {other.build or 'unknown'}, "
                f"not of {first.build or 'unknown'} as on {first.host}",
            )
        else:
            self._close(world, "")

    @staticmethod
    def _missing(world: World, size: int) -> str:
        hosts = ", ".join(sorted({member.host for member in world.members})[:8])
        missing = size - len(world.members)
        ranks = "ranks runs" if missing == 1 else "ranks run"
        return (
            f"{missing} of {size} {ranks} without the library or cannot reach `suiro run` "
            f"(those that do are on {hosts})"
        )

    def _close(self, world: World, reason: str) -> None:
        """The same answer to all who asked, and to all who will."""
        world.verdict = "off" if reason else "on"
        self.judged += 1
        self._forget(world)
        if reason:
            self._say(f"{reason}; all ranks use native collectives")
        for member in world.members:
            if member.rank is not None and not member.gone:
                member.answer(world.verdict)

    def _forget(self, world: World) -> None:
        for name in [name for name, known in self._open.items() if known is world]:
            del self._open[name]
