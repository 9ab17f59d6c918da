# SPDX-License-Identifier: BSD-3-Clause
"""What carries an MPI's messages, and how, as its variables say. Times are compared only where all
of this is the same: shared memory is no measure of TCP."""

import re
from collections.abc import Mapping, Sequence

from suiro.run import launchers

_SAYS_IT = re.compile(
    r"OMPI_MCA_(btl|pml|mtl)(_\w+)?"
    r"|UCX_(TLS|NET_DEVICES|(TCP|RNDV|ZCOPY|BCOPY)_\w+)"
    r"|FI_(PROVIDER|(TCP|VERBS|SOCKETS|OFI_RXM)_\w+)"
    r"|MPIR_CVAR_(NOLOCAL|(CH4|NEMESIS)_\w+)"
    r"|I_MPI_(FABRICS|SHM|OFI_\w+)"
    r"|SUIRO_(TRANSPORT|COLLECTIVES|NETS|NET_(?!EXPLAIN)\w+)"
)
AS_IT_COMES = "as the MPI comes"


def transport_named(variables: Mapping[str, str]) -> str:
    """From the variables of a rank."""
    found = sorted(name for name in variables if _SAYS_IT.fullmatch(name))
    return " ".join(f"{name}={variables[name]}" for name in found) or AS_IT_COMES


def variables_of_ranks(
    environment: Mapping[str, str], launcher: Sequence[str], mpi: str
) -> dict[str, str]:
    """What a launcher's options add to the environment; `mpi` is whose it is."""
    found = dict(environment)
    family = "openmpi" if mpi.startswith("openmpi") else "mpich"
    for part in launchers.contexts(launcher[1:]):
        for option, *words in launchers.options(family, part):
            found |= _said(option.lstrip("-"), words)
    return found


def _said(option: str, words: Sequence[str]) -> dict[str, str]:
    if option in ("mca", "gmca", "omca", "gomca") and len(words) == 2:
        return {f"OMPI_MCA_{words[0]}": words[1]}
    if option in ("x", "genv", "env") and words and "=" in words[0]:
        name, _, value = words[0].partition("=")
        return {name: value}
    return {words[0]: words[1]} if option in ("genv", "env") and len(words) == 2 else {}
