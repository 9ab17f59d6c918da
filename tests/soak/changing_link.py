# SPDX-License-Identifier: BSD-3-Clause
"""What runs, and what it costs, while the rate of the links changes under a program.

    ./dev run .venv/bin/python tests/soak/changing_link.py --lab 4x4-hol --mpi openmpi

A program makes calls of three collectives by turns, in three phases: with all of the links' rate,
with a share of it, and with all of it again. It runs alone, with suiro, and with each algorithm of
the catalog by hand. Prints for each collective and phase

    alone   median time of the MPI's own
    suiro   that of the last quarter of the phase, what ran then in a second job, and all of the
            phase over the MPI alone
    by hand the least of all algorithms

The store is left alone. `--plot FILE` draws every call.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import result_file

from suiro.provenance import now

HERE = Path(__file__).parent
KEYS = ("bcast:16384", "allgather:2048", "alltoall:1024")
PHASES = 3
LINE = (
    "{key:18} {share:5.0%} of the rate: alone {alone_s:.2e} s; "
    "suiro {end_s:.2e} s, {ran}, total {total:.2f}; by hand {best_s:.2e} s, {best}"
)
POINTS_MAX = 600  # of a panel
BY_HAND_CALLS = 20  # in each phase
T = TypeVar("T")
Phase = list[float]  # seconds of calls
Phases = dict[str, list[Phase]]  # by key


@dataclass
class Experiment:
    lab: str  # that runs
    mpi: str
    program: Path
    keys: tuple[str, ...]
    shares: tuple[float, ...]  # of the links' rate, in each phase

    def run(self, calls: int, prefix: str) -> Phases:
        """`calls` of each phase. Throws where the program ends wrongly."""
        words = f"{calls * PHASES}/{PHASES} {' '.join(self.keys)}"
        script = f"{prefix} $SUIRO_LAB_MPIRUN {self.program} {words}"
        command = ["suiro", "lab", "exec", self.lab, "--", "sh", "-c", script]
        shares = iter(self.shares)
        self._throttle(next(shares))
        # Standard output is a file, as nobody reads it before standard error has ended.
        with tempfile.TemporaryFile("w+") as output, subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.PIPE,
            text=True, bufsize=1,
        ) as process:  # fmt: skip
            assert process.stdin and process.stderr
            said = []
            for line in process.stderr:
                said.append(line)
                if line != "phase\n":
                    continue
                self._throttle(next(shares))
                process.stdin.write("\n")
            process.wait()
            output.seek(0)
            rows = output.read().splitlines()
        if process.returncode != 0 or len(rows) != len(self.keys):
            sys.exit(f"{prefix or 'alone'}: {''.join(said[-3:])}")
        return {
            key: _parts([float(word) for word in row.split()])
            for key, row in zip(self.keys, rows, strict=True)
        }

    def _throttle(self, share: float) -> None:
        subprocess.run(["suiro", "lab", "throttle", self.lab, str(share)], check=True)

    def with_suiro(self, calls: int, trace: Path) -> tuple[Phases, dict[str, list[list[str]]]]:
        """Times, and what ran in each call of another job, as a trace takes time of each."""
        times = self.run(calls, "suiro run --no-store --")
        self.run(calls, f"suiro run --no-store --trace {trace} --")
        ran: dict[str, list[str]] = {key.partition(":")[0]: [] for key in self.keys}
        for line in trace.read_text().splitlines():
            call = json.loads(line)
            if call["rank"] == 0 and call["collective"] in ran:
                ran[call["collective"]].append(call["algorithm"])
        return times, {key: _parts(ran[key.partition(":")[0]]) for key in self.keys}

    def by_hand(self) -> Iterator[tuple[str, str, list[float]]]:
        """(key, algorithm, its median of each phase): of each collective its next algorithm, calls
        by turns."""
        document = subprocess.check_output(["suiro", "algorithms", "--json"], text=True)
        names: dict[str, list[str]] = {}
        for row in json.loads(document)["algorithms"]:
            names.setdefault(row["collective"], []).append(row["name"])
        of_keys = [names[key.partition(":")[0]] for key in self.keys]
        for number in range(max(map(len, of_keys))):
            chosen = [each[number % len(each)] for each in of_keys]
            options = " ".join(
                f"--force {key.partition(':')[0]}={name}"
                for key, name in zip(self.keys, chosen, strict=True)
            )
            times = self.run(BY_HAND_CALLS, f"suiro run --no-store {options} --")
            for key, name in zip(self.keys, chosen, strict=True):
                yield key, name, [statistics.median(phase) for phase in times[key]]


def _parts(values: list[T]) -> list[list[T]]:
    size = len(values) // PHASES
    return [values[phase * size : (phase + 1) * size] for phase in range(PHASES)]


def plot(path: Path, alone: Phases, with_suiro: Phases, ran: dict[str, list[list[str]]],
         best: dict[str, list[tuple[float, str]]]) -> None:  # fmt: skip
    """A panel for each key, over calls: what ran, what it cost, what the best would have."""
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(len(alone), sharex=True, figsize=(9, 3 * len(alone)))
    for panel, key in zip(panels, alone, strict=True):
        times = [1e3 * second for phase in with_suiro[key] for second in phase]
        names = [name for phase in ran[key] for name in phase]
        for name, _ in Counter(names).most_common():
            at = [call for call, each in enumerate(names) if each == name]
            shown = at[:: max(1, len(times) // POINTS_MAX)]
            panel.plot(shown, [times[call] for call in shown], ".", markersize=3,
                       label=f"suiro: {name}")  # fmt: skip
        size = len(times) // PHASES
        for phase in range(PHASES):
            ends = [phase * size, (phase + 1) * size]
            mpi_ms = 1e3 * statistics.median(alone[key][phase])
            labels = ("the MPI alone", "best by hand") if phase == 0 else (None, None)
            panel.hlines(mpi_ms, *ends, colors="black", linestyles="dashed", label=labels[0])
            panel.hlines(1e3 * best[key][phase][0], *ends, colors="red", label=labels[1])
        panel.set(title=key, ylabel="ms", yscale="log")
        panel.legend(fontsize="x-small", loc="upper right")
    panels[-1].set_xlabel("call")
    figure.tight_layout()
    figure.savefig(path)


Row = dict[str, object]


def rows_of(
    key: str,
    shares: Sequence[float],
    alone: Sequence[Phase],
    with_suiro: Sequence[Phase],
    ran: Sequence[list[str]],
    best: Sequence[tuple[float, str]],
) -> Iterator[Row]:
    for phase in range(PHASES):
        quarter = len(with_suiro[phase]) // 4
        yield {
            "key": key,
            "share": shares[phase],
            "alone_s": statistics.median(alone[phase]),
            "end_s": statistics.median(with_suiro[phase][-quarter:]),
            "ran": Counter(ran[phase][-quarter:]).most_common(1)[0][0],
            "total": sum(with_suiro[phase]) / sum(alone[phase]),
            "best_s": best[phase][0],
            "best": best[phase][1],
        }


def words() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--lab", default="4x4-hol")
    parser.add_argument("--mpi", default="openmpi")
    parser.add_argument("--share", type=float, default=0.25, help="of the rate, in the middle")
    parser.add_argument("--calls", type=int, default=1500, help="of each kind, in each phase")
    parser.add_argument("--keys", default=",".join(KEYS))
    parser.add_argument("--plot", type=Path, help="draw every call into this SVG file")
    result_file.add_option(parser)
    return parser.parse_args()


def main() -> None:
    arguments = words()
    began = now()
    lab = subprocess.check_output(
        ["suiro", "lab", "up", arguments.lab, "--mpi", arguments.mpi], text=True
    ).strip()
    try:
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "keys")
            subprocess.run(
                [f"mpicc.{arguments.mpi}", "-O1", "-o", program, HERE / "keys.c"], check=True
            )
            keys = tuple(arguments.keys.split(","))
            trial = Experiment(lab, arguments.mpi, program, keys, (1, arguments.share, 1))
            alone = trial.run(arguments.calls, "")
            times, ran = trial.with_suiro(arguments.calls, Path(folder, "trace.jsonl"))
            best = {
                key: [(statistics.median(phase), "native") for phase in alone[key]] for key in keys
            }
            for key, name, medians in trial.by_hand():
                best[key] = [min(one, (new, name))
                             for one, new in zip(best[key], medians, strict=True)]  # fmt: skip
    finally:
        subprocess.run(["suiro", "lab", "down", lab], check=True)
    rows = [
        row
        for key in keys
        for row in rows_of(key, trial.shares, alone[key], times[key], ran[key], best[key])
    ]
    for row in rows:
        print(LINE.format(**row))
    if arguments.plot:
        plot(arguments.plot, alone, times, ran, best)
    result_file.write(
        arguments.json, began, {"rows": rows}, mpis=[arguments.mpi], lab=arguments.lab
    )


if __name__ == "__main__":
    main()
