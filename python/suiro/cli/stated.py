# SPDX-License-Identifier: BSD-3-Clause
"""The words that describe a cluster, for every command that answers for one: so that a question can
be copied from one command to another."""

from pathlib import Path
from typing import Annotated

import typer


def _mpis(begun: str) -> list[str]:
    """Those whose decisions were read, and the other one."""
    read = ("openmpi-4.0", "openmpi-4.1", "openmpi-5.0", "mpich-4", "mpich-5", "intel")
    return [name for name in read if name.startswith(begun)]


def _kinds(begun: str) -> list[str]:
    from suiro.advise.question import KINDS

    return [kind for kind in KINDS if kind.startswith(begun)]


NodesOption = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="How many nodes there are.")
]
PpnOption = Annotated[int | None, typer.Option(min=1, metavar="P", help="Ranks on each node.")]
ClusterOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="The nodes and their network: cluster.toml of suiro probe."),
]
RateOption = Annotated[
    str | None, typer.Option(metavar="RATE", help="Of a node's links, in bit/s: 10G, 25G.")
]
SwitchOption = Annotated[
    str | None,
    typer.Option(
        metavar="voq|hol|pause|shared",
        help="What the switch does [default: not known].",
        autocompletion=_kinds,
    ),
]
CoresOption = Annotated[
    int, typer.Option(min=0, metavar="N", help="Cores of a node [default: one for each rank].",
                      show_default=False),
]  # fmt: skip
MpiOption = Annotated[
    str | None,
    typer.Option(
        metavar="MPI-VERSION",
        help="openmpi-4.1, mpich-4, intel [default: that of the mpirun on the PATH].",
        autocompletion=_mpis,
    ),
]
