# SPDX-License-Identifier: BSD-3-Clause
"""The verdict: `on` only when every rank of a world has asked, everything doubtful is `off`."""

import random

from suiro.run.worlds import Member, World, Worlds


class Rank:
    """A process that remembers what it was told."""

    def __init__(self, worlds: Worlds, host: str = "a", build: str = "1", name: str = "") -> None:
        self.told: list[str] = []
        self.worlds = worlds
        self.world: World
        self.member: Member
        self.world, self.member = worlds.register(name, host, build, self.told.append)

    def ask(self, rank: int, size: int) -> None:
        self.worlds.ask(self.world, self.member, rank, size)

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
