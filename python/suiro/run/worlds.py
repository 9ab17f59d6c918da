# SPDX-License-Identifier: BSD-3-Clause
"""Who is in a job, and whether all of its ranks have the library: pure bookkeeping, no sockets.

A rank registers before the real MPI_Init. With `--transport suiro` it also asks, before MPI_Init
chooses, what is to carry its messages; the answer is the same for all ranks of its world. It waits
for as many ranks as the launcher says there are, unless one of them has an obstacle.

A rank asks for the verdict after MPI_Init. When MPI_Init has
returned on one rank, every rank of its world has entered it, so whoever has not registered by then
does not have the library. `on` is answered only when the askers are exactly the ranks 0..size-1,
and to all at once; everything doubtful is `off`, which is always safe.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

Answer = Callable[[str], None]

INSTEAD = "; messages go over the MPI's own transport"
BUT_COLLECTIVES = f"{INSTEAD}, but for those of suiro's collectives"

_NOT_TOLD_APART = "two jobs started at once and cannot be told apart"
_LOST = "a rank was lost while the job started"
_ALONE = (
    "several ranks run, each as a job of its own: let the launcher start them as one "
    "(with srun: --mpi=pmix or --mpi=pmi2), or start single programs one after another"
)


@dataclass(frozen=True)
class TransportQuestion:
    """What a rank says when it asks what is to carry its messages."""

    rank: int
    size: int
    spawned: bool  # by a job that ran before
    obstacle: str  # why it cannot be suiro's transport; or empty
    net: bool  # suiro's collectives can use that, all the same


@dataclass(eq=False)
class Member:
    """One rank's process, as it registered."""

    host: str
    build: str
    answer: Answer
    of_host: int = 1  # so many ranks are to be there, as its launcher says
    question: TransportQuestion | None = None
    rank: int | None = None
    gone: bool = False


@dataclass(eq=False)
class World:
    """The processes that registered under one name and have no verdict yet. They are counted, since
    of thousands none may look at all others."""

    members: dict[Member, None] = field(default_factory=dict)  # in order
    asked_transport: int = 0
    asked: int = 0  # for the verdict
    gone: int = 0
    transport: str | None = None  # suiro; or the MPI's own: net if suiro's collectives use it, mpi
    size: int | None = None
    verdict: str | None = None


class Worlds:
    """All jobs under one `suiro run`: at once by their names, and one after another."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._open: dict[str, World] = {}
        self._transport: str | None = None  # of the job before
        self.registered = 0
        self.judged = 0

    def register(self, name: str, member: Member) -> World:
        """A process enters MPI_Init."""
        world = self._open.setdefault(name, World())
        world.members[member] = None
        self.registered += 1
        return world

    def ask_transport(self, world: World, member: Member, question: TransportQuestion) -> None:
        """A process is about to enter MPI_Init. What was spawned must do as who spawned it."""
        member.question = question
        world.asked_transport += 1
        before = self._transport if question.spawned else None
        if world.transport is not None:
            member.answer(world.transport)
        elif before in ("net", "mpi"):
            self._settle(world, before)
        elif question.obstacle:
            reason = f"rank {question.rank} on {member.host}: {question.obstacle}"
            self._settle(world, "net" if question.net else "mpi", reason)
        elif before is not None:
            self._settle(world, before)
        else:
            self._count(world, question.size)

    def _count(self, world: World, size: int) -> None:
        if world.asked_transport != size:
            return
        asked = [member for member in world.members if member.question is not None]
        ranks = {member.question.rank for member in asked if member.question}
        unlike = _unlike(asked) or ("" if ranks == {*range(size)} else _NOT_TOLD_APART)
        self._settle(world, "net" if unlike else "suiro", unlike)

    def withdraw_transport(self, world: World) -> None:
        """A process waits no longer for the others."""
        questions = (member.question for member in world.members if member.question is not None)
        question = next(questions, None)
        if world.transport is None and question is not None:
            self._settle(world, "net", self._missing(world, question.size, world.asked_transport))

    def ask(self, world: World, member: Member, rank: int, size: int) -> None:
        """A process has left MPI_Init."""
        if world.verdict is not None:
            member.answer("off")
            return
        world.asked += member.rank is None
        member.rank = rank
        if world.size is not None and world.size != size:
            self._close(world, "the ranks do not agree on the size of the job")
            return
        world.size = size
        self._judge(world)

    def withdraw(self, world: World, member: Member) -> None:
        """A process waits no longer, so nobody may get `on`; it takes the answer there is."""
        if world.verdict is None:
            late = _late([one for one in world.members if one.rank is not None])
            reason = f" (still in MPI_Init: {late})" if late else ""
            self._close(world, f"a rank waited too long while the job started{reason}")

    def leave(self, world: World, member: Member) -> None:
        """A process is gone, or does not want to know."""
        if world.verdict is not None or member.gone:
            return
        member.gone = True
        world.gone += 1
        if member.question is not None and world.transport is None:
            self._settle(world, "net", _LOST)
        if world.gone == len(world.members):
            self._forget(world)
        elif world.size is not None:
            self._judge(world)
        else:
            del world.members[member]
            world.gone -= 1

    def _judge(self, world: World) -> None:
        size = world.size or 0
        present = len(world.members)
        if present < size:
            self._close(world, self._missing(world, size, present))
        elif present > size == 1:
            self._close(world, _ALONE)
        elif present > size:
            self._close(world, _NOT_TOLD_APART)
        elif world.gone > 0:
            self._close(world, _LOST)
        elif world.asked == present:
            self._judge_complete(world, size)

    def _judge_complete(self, world: World, size: int) -> None:
        if {member.rank for member in world.members} != set(range(size)):
            self._close(world, _NOT_TOLD_APART)
        else:
            self._close(world, _unlike([*world.members]))

    @staticmethod
    def _missing(world: World, size: int, present: int) -> str:
        missing = size - present
        ranks = "ranks runs" if missing == 1 else "ranks run"
        where = _late([*world.members])
        if not where:
            where = f"those that do are on {_few({member.host for member in world.members})}"
        return (
            f"{missing} of {size} {ranks} without the library or cannot reach `suiro run` ({where})"
        )

    def _settle(self, world: World, transport: str, reason: str = "") -> None:
        """The same answer to all who asked, and to all who will."""
        world.transport = self._transport = transport
        if reason:
            self._say(reason + (BUT_COLLECTIVES if transport == "net" else INSTEAD))
        for member in world.members:
            if member.question is not None and not member.gone:
                member.answer(transport)

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


def _unlike(members: Sequence[Member]) -> str:
    """Whose library is of another build; empty if all are of one."""
    first = members[0]
    other = next((member for member in members if member.build != first.build), None)
    if other is None:
        return ""
    return (
        f"the library on {other.host} is of build {other.build or 'unknown'}, "
        f"not of {first.build or 'unknown'} as on {first.host}"
    )


def _late(present: Sequence[Member]) -> str:
    """Hosts of which more ranks are to come, "12 of 64 on n17"; empty if none is known of."""
    of_host = {member.host: member.of_host for member in present}
    here = Counter(member.host for member in present)
    return _few({
        f"{all_ranks - here[host]} of {all_ranks} on {host}"
        for host, all_ranks in of_host.items()
        if here[host] < all_ranks
    })  # fmt: skip


def _few(names: set[str]) -> str:
    first = sorted(names)[:8]
    return ", ".join(first) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
