# SPDX-License-Identifier: BSD-3-Clause
"""The verdict: `on` only when every rank of a world has asked, everything doubtful is `off`."""

import random

import pytest

from suiro.run.worlds import Member, TransportQuestion, World, Worlds


class Rank:
    """A process that remembers what it was told."""

    def __init__(
        self, worlds: Worlds, host: str = "a", build: str = "1", name: str = "", of_host: int = 1
    ) -> None:
        self.told: list[str] = []
        self.worlds = worlds
        self.member = Member(host, build, self.told.append, of_host=of_host)
        self.world: World = worlds.register(name, self.member)

    def ask(self, rank: int, size: int) -> None:
        self.worlds.ask(self.world, self.member, rank, size)

    def wants_transport(
        self, rank: int, size: int, obstacle: str = "", net: bool = True, spawned: bool = False
    ) -> None:
        question = TransportQuestion(rank, size, spawned, obstacle, net)
        self.worlds.ask_transport(self.world, self.member, question)

    def leave(self) -> None:
        self.worlds.leave(self.world, self.member)


def test_all_ranks_are_answered_at_once() -> None:
    said: list[str] = []
    worlds = Worlds(said.append)
    ranks = [Rank(worlds) for _ in range(3)]
    ranks[2].ask(2, 3)
    ranks[0].ask(0, 3)
    assert [rank.told for rank in ranks] == [[], [], []]
    ranks[1].ask(1, 3)
    assert [rank.told for rank in ranks] == [["on"], ["on"], ["on"]]
    assert said == []


def test_missing_ranks_are_told_of_once() -> None:
    said: list[str] = []
    worlds = Worlds(said.append)
    ranks = [Rank(worlds, host) for host in ("a", "b", "a")]
    for number, rank in enumerate(ranks):
        rank.ask(number, 4)
    assert [rank.told for rank in ranks] == [["off"], ["off"], ["off"]]
    assert said == [
        "1 of 4 ranks runs without the library or cannot reach `suiro run` (those that do are on "
        "a, b); all ranks use native collectives"
    ]


def test_nodes_that_lack_ranks_are_named() -> None:
    said: list[str] = []
    worlds = Worlds(said.append)
    ranks = [Rank(worlds, host, of_host=2) for host in ("a", "a", "b")]
    for number, rank in enumerate(ranks):
        rank.ask(number, 4)
    assert said == [
        "1 of 4 ranks runs without the library or cannot reach `suiro run` (1 of 2 on b); all "
        "ranks use native collectives"
    ]


def test_nodes_that_are_slow_are_named() -> None:
    said: list[str] = []
    worlds = Worlds(said.append)
    ranks = [Rank(worlds, host, of_host=2) for host in ("a", "a", "b", "b")]
    for number, rank in enumerate(ranks[:3]):
        rank.ask(number, 4)
    worlds.withdraw(ranks[0].world, ranks[0].member)
    assert said == [
        "a rank waited too long while the job started (still in MPI_Init: 1 of 2 on b); all ranks "
        "use native collectives"
    ]


def test_builds_that_differ() -> None:
    said: list[str] = []
    worlds = Worlds(said.append)
    ranks = [Rank(worlds, "a", "1"), Rank(worlds, "b", "2")]
    for number, rank in enumerate(ranks):
        rank.ask(number, 2)
    assert [rank.told for rank in ranks] == [["off"], ["off"]]
    assert said == [
        "the library on b is of build 2, not of 1 as on a; all ranks use native collectives"
    ]


def test_worlds_follow_one_another_under_one_name() -> None:
    worlds = Worlds(lambda message: None)
    for _ in range(3):
        ranks = [Rank(worlds) for _ in range(2)]
        for number, rank in enumerate(ranks):
            rank.ask(number, 2)
        assert [rank.told for rank in ranks] == [["on"], ["on"]]


def test_worlds_at_once_are_told_apart_by_name_only() -> None:
    worlds = Worlds(lambda message: None)
    ranks = [Rank(worlds, name=name) for name in ("x", "y", "x", "y")]
    for number, rank in enumerate(ranks):
        rank.ask(number // 2, 2)
    assert [rank.told for rank in ranks] == [["on"]] * 4
    ranks = [Rank(worlds) for _ in range(4)]
    for number, rank in enumerate(ranks):
        rank.ask(number // 2, 2)
    assert [rank.told for rank in ranks] == [["off"]] * 4


def test_lost_rank_turns_all_off() -> None:
    worlds = Worlds(lambda message: None)
    ranks = [Rank(worlds) for _ in range(3)]
    ranks[0].ask(0, 3)
    ranks[1].leave()
    ranks[2].ask(2, 3)
    assert (ranks[0].told, ranks[2].told) == (["off"], ["off"])


def test_withdrawal_turns_all_off_and_is_answered() -> None:
    worlds = Worlds(lambda message: None)
    ranks = [Rank(worlds) for _ in range(2)]
    ranks[0].ask(0, 2)
    worlds.withdraw(ranks[0].world, ranks[0].member)
    ranks[1].ask(1, 2)
    assert (ranks[0].told, ranks[1].told) == (["off"], ["off"])


def test_ranks_that_are_jobs_of_their_own() -> None:
    """As srun starts them when it does not speak the MPI's process manager."""
    said: list[str] = []
    worlds = Worlds(said.append)
    ranks = [Rank(worlds) for _ in range(3)]
    for rank in ranks:
        rank.ask(0, 1)
    assert [rank.told for rank in ranks] == [["off"]] * 3
    assert len(said) == 1
    assert "with srun: --mpi=pmix or --mpi=pmi2" in said[0]


def test_spawned_processes_leave_without_a_word() -> None:
    said: list[str] = []
    worlds = Worlds(said.append)
    ranks = [Rank(worlds) for _ in range(2)]
    for rank in ranks:
        rank.leave()
    fresh = Rank(worlds)
    fresh.ask(0, 1)
    assert (fresh.told, said) == (["on"], [])


def test_nobody_is_ever_told_on_while_another_is_told_off() -> None:
    """Random orders of everything that can happen, with their seed in the message."""
    for seed in range(500):
        dice = random.Random(seed)
        worlds = Worlds(lambda message: None)
        size = dice.randint(1, 5)
        ranks = [Rank(worlds) for _ in range(dice.randint(1, size))]
        waiting = dict(enumerate(ranks))
        while waiting:
            number = dice.choice(list(waiting))
            rank = waiting.pop(number)
            if dice.random() < 0.1:
                rank.leave()
            else:
                rank.ask(number, size)
                if dice.random() < 0.1:
                    worlds.withdraw(rank.world, rank.member)
        answers = {answer for rank in ranks for answer in rank.told}
        assert answers != {"on", "off"}, f"seed {seed}"
        assert "on" not in answers or len(ranks) == size, f"seed {seed}"


def test_all_ranks_have_one_transport() -> None:
    said: list[str] = []
    worlds = Worlds(said.append)
    ranks = [Rank(worlds) for _ in range(2)]
    ranks[1].wants_transport(1, 2)
    assert ranks[1].told == []
    ranks[0].wants_transport(0, 2)
    assert [rank.told for rank in ranks] == [["suiro"], ["suiro"]]
    for number, rank in enumerate(ranks):
        rank.ask(number, 2)
    assert [rank.told for rank in ranks] == [["suiro", "on"], ["suiro", "on"]]
    assert said == []


@pytest.mark.parametrize(("net", "answer"), [(True, "net"), (False, "mpi")])
def test_an_obstacle_of_one_rank_keeps_all_from_the_transport(net: bool, answer: str) -> None:
    """Nobody waits for those who come later, who hear the same. It is said once."""
    said: list[str] = []
    worlds = Worlds(said.append)
    ranks = [Rank(worlds, host) for host in ("a", "b", "c")]
    ranks[0].wants_transport(0, 3)
    ranks[1].wants_transport(1, 3, "no file", net)
    assert [rank.told for rank in ranks] == [[answer], [answer], []]
    ranks[2].wants_transport(2, 3, "no file")
    assert ranks[2].told == [answer]
    (line,) = said
    assert line.startswith("rank 1 on b: no file; messages go over the MPI's own transport")
    assert line.endswith(", but for those of suiro's collectives") is net


def test_a_rank_that_never_asks_is_told_of() -> None:
    said: list[str] = []
    worlds = Worlds(said.append)
    ranks = [Rank(worlds, host) for host in ("a", "b")]
    ranks[0].wants_transport(0, 3)
    ranks[1].wants_transport(1, 3)
    worlds.withdraw_transport(ranks[0].world)
    worlds.withdraw_transport(ranks[1].world)
    assert [rank.told for rank in ranks] == [["net"], ["net"]]
    (line,) = said
    assert line.startswith("1 of 3 ranks runs without the library or cannot reach `suiro run` (")


@pytest.mark.parametrize(
    ("builds", "numbers", "reason"),
    [
        ("12", (0, 1), "the library on a is of build 2, not of 1 as on a; messages go"),
        ("11", (0, 0), "two jobs started at once and cannot be told apart; messages go"),
    ],
)
def test_ranks_that_do_not_fit_together(builds: str, numbers: tuple[int, int], reason: str) -> None:
    said: list[str] = []
    worlds = Worlds(said.append)
    ranks = [Rank(worlds, build=build) for build in builds]
    for number, rank in zip(numbers, ranks, strict=True):
        rank.wants_transport(number, 2)
    assert [rank.told for rank in ranks] == [["net"], ["net"]]
    assert said[0].startswith(reason)


def test_a_rank_that_is_lost_holds_up_nobody() -> None:
    said: list[str] = []
    worlds = Worlds(said.append)
    ranks = [Rank(worlds) for _ in range(3)]
    ranks[0].wants_transport(0, 3)
    ranks[1].wants_transport(1, 3)
    ranks[0].leave()
    assert ranks[1].told == ["net"]


@pytest.mark.parametrize(("obstacle", "answer"), [("", "suiro"), ("no file", "net")])
def test_what_is_spawned_has_the_transport_of_who_spawned_it(obstacle: str, answer: str) -> None:
    said: list[str] = []
    worlds = Worlds(said.append)
    parent = Rank(worlds)
    parent.wants_transport(0, 1, obstacle)
    parent.ask(0, 1)
    child = Rank(worlds)
    child.wants_transport(1, 2, spawned=True)
    assert child.told == [answer]
    assert len(said) == bool(obstacle)
    another = Rank(worlds, name="another")
    another.wants_transport(0, 1)
    assert another.told == ["suiro"]
