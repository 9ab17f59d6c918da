# SPDX-License-Identifier: BSD-3-Clause
"""Random faults in the middle of random collectives, for as long as asked.

    nice -n 19 .venv/bin/python tests/soak/faults.py --minutes 10

Each run has one MPI, collective, algorithm, shape and size, and one rank with one fault: it dies,
revokes the communicator, loses a message, or has no memory, descriptors or shared memory left. No
rank may get MPI_SUCCESS with wrong data, wait for ever, or end by an exception. MPIs themselves at
times wait for ever where memory or files are gone: what waits natively, too, is told, and no
finding. The last line says what was done; the exit code is 0 if nothing was wrong. Each finding is
told with its seed. In every fourth run nothing is forced: what is predicted is tried (docs/run.md),
in more calls.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "mpi"))

from mpi_jobs import ENVIRONMENT, SUIRO, Mpi, Outcome, rows_of  # noqa: E402

from suiro import native  # noqa: E402

LIMIT_S = 60.0  # no run takes a tenth of it on an idle machine
SURVIVES = "openmpi5"  # goes on after a rank has died
KINDS = ("lose", "memory", "descriptors", "shm")
KINDS_IF_IT_SURVIVES = ("kill", "revoke", *KINDS)
SMALL_SHM = 'mount -t tmpfs -o size=1m tmpfs /dev/shm && exec "$@"'
CALLS, CALLS_OF_A_TRIAL = 4, 60
SLOW = '{"kind": "voq", "link_Bps": 100000}'  # where most that moves data is predicted
WRONG = re.compile(r"wrong data|does not go on|terminate called|not reached|AddressSanitizer")


@dataclass(frozen=True)
class Case:
    """One run, as its seed gives it."""

    seed: int
    mpi: str
    collective: str
    algorithm: str
    fault: str
    ranks: int
    nodes: str
    numbers: int
    root: int
    calls: int

    @property
    def kind(self) -> str:
        return self.fault.partition(":")[0]

    @property
    def starved(self) -> bool:
        return self.kind in ("memory", "descriptors", "shm")

    def __str__(self) -> str:
        return (
            f"--seed {self.seed}: {self.mpi}, {self.collective} by {self.algorithm or 'trial'}, "
            f"{self.fault}, {self.ranks} ranks on {self.nodes} nodes, {self.numbers} numbers, "
            f"root {self.root}"
        )

    def variables(self) -> dict[str, str]:
        """Of its ranks."""
        chosen = (
            {f"SUIRO_{self.collective.upper()}": self.algorithm}
            if self.algorithm
            else {"SUIRO_CLUSTER_NETWORK": SLOW}
        )
        return {"FAULT": self.fault, "SUIRO_NODES": self.nodes} | chosen


class Cases:
    """What there is to choose from."""

    def __init__(self, mpis: list[str], kinds: list[str]) -> None:
        self._mpis = mpis
        self._kinds = kinds
        self._collectives = {row["name"]: row for row in rows_of("collectives")}
        self._algorithms: dict[str, list[str]] = {}
        for row in rows_of("algorithms"):
            self._algorithms.setdefault(row["collective"], []).append(row["name"])

    def case(self, seed: int) -> Case:
        choose = random.Random(seed)
        mpi = choose.choice(self._mpis)
        kinds = KINDS_IF_IT_SURVIVES if mpi == SURVIVES else KINDS
        kind = choose.choice([kind for kind in kinds if kind in self._kinds] or ["lose"])
        ranks = choose.randint(2, 6)
        number = choose.randint(0, 3000) if kind == "memory" else choose.randint(1, 12)
        number = number % 3 if kind == "revoke" else number
        collective = choose.choice(sorted(self._collectives))
        algorithm = choose.choice(self._of(collective))
        if seed % 4 == 0:
            algorithm = ""
            number = seed // 4 % CALLS_OF_A_TRIAL if kind == "revoke" else number
        return Case(
            seed=seed,
            mpi=mpi,
            collective=collective,
            algorithm=algorithm,
            calls=CALLS if algorithm else CALLS_OF_A_TRIAL,
            fault=f"{kind}:{choose.randrange(ranks)}:{number}",
            ranks=ranks,
            nodes=choose.choice(["2", "2", "3", "1+1"] if ranks > 2 else ["2", "1+1"]),
            numbers=choose.choice([1, 300, 5000, 60000]),
            root=choose.randrange(ranks),
        )

    def _of(self, collective: str) -> list[str]:
        """Kinds with blocks of any sizes run the algorithms of the kind with equal blocks."""
        regular = self._collectives[collective].get("regular") or collective
        return self._algorithms.get(collective) or self._algorithms[regular]


def run(case: Case, folder: Path, natively: bool = False) -> Outcome | None:
    """None when it did not end in time."""
    mpi = Mpi(case.mpi, folder)
    survives = case.mpi == SURVIVES
    options = ["-D", "ULFM"] if survives else []
    program = str(mpi.build("faults.c", *options))
    layer = str(mpi.build("fault_layer.c", "-shared", "-fPIC", name="fault-layer"))
    preload = [layer]
    if not case.mpi.startswith("openmpi"):
        preload.append(str(native.library("libsuiro-lab-mpich.so")))
    environment = case.variables() | {"LD_PRELOAD": ":".join(preload)}
    if not case.algorithm:  # learns, and finds nothing that was learnt
        environment |= {"SUIRO_STORE": f"{folder}/store-{case.seed}", "SUIRO_NO_STORE": ""}
    launcher = [*mpi.launcher(case.ranks), *(["--with-ft", "ulfm"] if survives else [])]
    words = [*([] if natively else [*SUIRO, "run", "--"]), *launcher, program, case.collective]
    words += [str(case.numbers), str(case.root), str(case.calls)]
    if case.kind == "shm":
        words = ["unshare", "-m", "sh", "-c", SMALL_SHM, "sh", *words]
    return _execute(words, environment)


def _execute(words: list[str], environment: dict[str, str]) -> Outcome | None:
    with subprocess.Popen(
        words,
        env=dict(os.environ) | ENVIRONMENT | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    ) as process:
        try:
            out, err = process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            process.terminate()
            try:
                process.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
            return None
    return Outcome(process.returncode, out, err)


def waits_natively(case: Case, folder: Path) -> bool:
    """Whether it does, in some of a few runs."""
    tries = 6
    return any(run(case, folder, natively=True) is None for _ in range(tries))


def finding(case: Case, outcome: Outcome | None) -> str:
    """What is wrong; empty if nothing is. Where memory or files are gone, the MPI may end the job,
    as it does natively."""
    if outcome is None:
        return f"no end within {LIMIT_S:.0f} s"
    wrong = WRONG.search(outcome.out + outcome.err)
    if wrong and not (case.kind == "memory" and wrong[0] == "does not go on"):
        return wrong[0]
    if outcome.code != 0 and not case.starved:
        return f"exit code {outcome.code}"
    return ""


def main() -> None:
    """From the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, help="one run only, and what it printed")
    parser.add_argument("--begin", type=int, default=random.randrange(10**9), help="first seed")
    parser.add_argument(
        "--mpi", action="append", choices=["openmpi", "mpich", "openmpi5", "mpich5"]
    )
    parser.add_argument("--kind", action="append", choices=KINDS_IF_IT_SURVIVES)
    options = parser.parse_args()
    mpis = options.mpi or ["openmpi", "mpich", "openmpi5", "mpich5"]
    cases = Cases(mpis, options.kind or list(KINDS_IF_IT_SURVIVES))
    end = time.monotonic() + 60 * options.minutes
    runs = findings = 0
    with tempfile.TemporaryDirectory(prefix="suiro-faults-") as folder:
        while time.monotonic() < end:
            case = cases.case(options.begin + runs if options.seed is None else options.seed)
            outcome = run(case, Path(folder))
            wrong = finding(case, outcome)
            runs += 1
            if outcome is None and case.starved and waits_natively(case, Path(folder)):
                print(f"{case}: {wrong}, nor natively", flush=True)
            elif wrong:
                findings += 1
                print(f"{case}: {wrong}", flush=True)
            if options.seed is not None:
                print(case, outcome.out + outcome.err if outcome else "", sep="\n")
                break
    print(f"{runs} runs from seed {options.begin}, {findings} findings")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
