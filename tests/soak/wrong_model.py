# SPDX-License-Identifier: BSD-3-Clause
"""Whether calls find what is fastest where the model is wrong on purpose.

    ./dev run .venv/bin/python tests/soak/wrong_model.py --lab 4x4-hol --mpi openmpi

A program makes 200 calls of each of some collectives by turns: alone, with suiro, and with suiro
that is told wrong rates or the wrong kind of switch. Then each algorithm of the catalog is forced.
Prints for each model and collective

    total   time of all calls over that of the MPI alone
    end     median of the last quarter over that of the best by hand

The store is left alone; reductions are tried, too.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import result_file

from suiro.output import say
from suiro.provenance import now

HERE = Path(__file__).parent
KEYS = ("bcast:65536", "allgather:16384", "alltoall:8192", "reduce:65536", "allreduce:65536")
BY_HAND_CALLS = 40
ALIKE = "SUIRO_BARRIER=native"  # it comes before each call
PATIENCE_S = 1800
MODELS: dict[str, dict[str, object] | None] = {
    "as it is": None,
    "links ten times too fast": {"link_Bps": 10.0},
    "links a tenth": {"link_Bps": 0.1},
    "switch: voq": {"kind": "voq"},
    "switch: hol": {"kind": "hol"},
    "switch: shared": {"kind": "shared"},
    "copies a tenth of the rate": {"copy_Bps": 8e8, "local_Bps": 4e8, "reduce_Bps": 3e8},
    "messages ten times as dear": {"message_s": 5e-4},
}
Times = dict[str, list[float]]  # seconds of calls, by key


@dataclass
class Experiment:
    lab: str
    mpi: str
    program: Path
    keys: tuple[str, ...]
    link_Bps: float
    failed: list[str] = field(default_factory=list)

    def run(self, calls: int, prefix: str, keys: tuple[str, ...]) -> Times:
        """In the lab; without times where the job ended wrongly."""
        script = f"{prefix} $SUIRO_LAB_MPIRUN {self.program} {calls} {' '.join(keys)}"
        command = ["suiro", "lab", "run", self.lab, "--mpi", self.mpi, "--", "sh", "-c", script]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
        if done.returncode != 0:
            lines = done.stderr.splitlines()
            told = [line for line in lines if line.startswith(("keys: ", "suiro: "))] or lines
            self.failed.append(f"{prefix or 'alone'}: {told[0] if told else 'no word'}")
            return {}
        rows = [line for line in done.stdout.splitlines() if line]
        return {
            key: [float(word) for word in row.split()] for key, row in zip(keys, rows, strict=True)
        }

    def told(self, model: dict[str, object] | None) -> str:
        """`suiro run` that is told so. Rates of links are factors."""
        words = f"{ALIKE} suiro run --no-store --learn reductions --"
        if model is None:
            return words
        network = {"link_Bps": self.link_Bps} | model
        if isinstance(factor := model.get("link_Bps"), float):
            network["link_Bps"] = self.link_Bps * factor
        return f"SUIRO_CLUSTER_NETWORK='{json.dumps(network)}' {words}"

    def by_hand(self) -> Iterator[tuple[str, str, float]]:
        """(key, algorithm, median seconds): calls by turns, too, of each collective by its next
        algorithm."""
        document = subprocess.check_output(["suiro", "algorithms", "--json"], text=True)
        names: dict[str, list[str]] = {}
        for row in json.loads(document)["algorithms"]:
            names.setdefault(row["collective"], []).append(row["name"])
        collectives = [key.partition(":")[0] for key in self.keys]
        for number in range(max(len(names[collective]) for collective in collectives)):
            forced = [names[collective][number % len(names[collective])]
                      for collective in collectives]  # fmt: skip
            say("by hand: " + ", ".join(forced))
            ran = self.forced(BY_HAND_CALLS, forced)
            for key, name in zip(self.keys, forced, strict=True):
                if key in ran:
                    yield key, name, statistics.median(ran[key])

    def forced(self, calls: int, names: list[str]) -> Times:
        """An algorithm for each key."""
        collectives = [key.partition(":")[0] for key in self.keys]
        options = [f"--force {collective}={name}"
                   for collective, name in zip(collectives, names, strict=True)]  # fmt: skip
        prefix = f"{ALIKE} suiro run --no-store {' '.join(options)} --"
        return self.run(calls, prefix, self.keys)


def end_of(times: list[float]) -> float:
    """Median of the last quarter."""
    return statistics.median(times[-max(1, len(times) // 4) :])


def words() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--lab", default="4x4-hol")
    parser.add_argument("--mpi", default="openmpi")
    parser.add_argument("--link", type=float, default=100e6, help="true rate, bits per second")
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--keys", default=",".join(KEYS))
    result_file.add_option(parser)
    return parser.parse_args()


def main() -> None:
    arguments = words()
    began = now()
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "keys")
        subprocess.run(
            [f"mpicc.{arguments.mpi}", "-O1", "-o", program, HERE / "keys.c"], check=True
        )
        keys = tuple(arguments.keys.split(","))
        trial = Experiment(arguments.lab, arguments.mpi, program, keys, arguments.link / 8)
        alone: dict[str, list[list[float]]] = {key: [] for key in keys}
        models: dict[str, dict[str, list[list[float]]]] = {
            name: {key: [] for key in keys} for name in MODELS
        }
        for turn in range(1, arguments.turns + 1):
            say(f"turn {turn} of {arguments.turns}: alone")
            alone_now = trial.run(arguments.calls, "", keys)
            if not alone_now:
                sys.exit("\n".join(trial.failed))
            for key, times in alone_now.items():
                alone[key].append(times)
            for name, model in MODELS.items():
                say(f"turn {turn} of {arguments.turns}: {name}")
                for key, times in trial.run(arguments.calls, trial.told(model), keys).items():
                    models[name][key].append(times)
        if trial.failed:
            sys.exit("\n".join(trial.failed))
        first = {key: {"native": statistics.median(map(end_of, alone[key]))} for key in keys}
        for key, name, seconds in trial.by_hand():
            first[key][name] = min(first[key].get(name, seconds), seconds)
        # The least of many is a lucky one, so that the first two run again, as often as the others.
        best = {key: (float("inf"), "") for key in keys}
        for place in (0, 1):
            names = [sorted(first[key], key=lambda name: first[key][name])[place] for key in keys]
            again = [trial.forced(arguments.calls, names) for _ in range(arguments.turns)]
            for key, name in zip(keys, names, strict=True):
                seconds = statistics.median(end_of(times[key]) for times in again)
                best[key] = min(best[key], (seconds, name))
    rows: list[dict[str, object]] = []
    for key in keys:
        native_s = statistics.median(map(sum, alone[key]))
        least_s, least = best[key]
        print(f"\n{key}: alone {1e3 * native_s / arguments.calls:.2f} ms a call; ", end="")
        print(f"by hand {least} {1e3 * least_s:.2f} ms")
        for name in MODELS:
            runs = models[name][key]
            total = statistics.median(map(sum, runs)) / native_s
            end = statistics.median(map(end_of, runs)) / least_s
            rows.append({"key": key, "model": name, "total": total, "end": end})
            print(f"  {name:30} total {total:5.2f}   end {end:5.2f}", flush=True)
    for line in trial.failed:
        print(line, file=sys.stderr)
    result_file.write(
        arguments.json, began, {"best": best, "rows": rows}, mpis=[arguments.mpi], lab=arguments.lab
    )
    sys.exit(1 if trial.failed else 0)


if __name__ == "__main__":
    main()
