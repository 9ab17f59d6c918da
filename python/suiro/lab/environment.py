# SPDX-License-Identifier: BSD-3-Clause
"""The variables with which MPI launchers work inside a lab unchanged."""

import shutil
from collections.abc import Mapping

from suiro import native
from suiro.errors import MachineError, check_choice
from suiro.lab import slurm
from suiro.lab.files import MPICH_HOSTS, OPENMPI_HOSTS
from suiro.lab.plan import CONTROL, INTERFACE, NETWORK, REMOTE_SHELL, SCRATCH, Plan
from suiro.run.launchers import recognise

_LAUNCHERS = {
    "openmpi": (["mpirun", "mpirun.openmpi", "orterun"], "-np"),
    "mpich": (["mpiexec.hydra", "mpiexec.mpich"], "-n"),
}

# Found with every MPI, and so asked whose they are.
_SHARED_NAMES = ("mpirun",)

# A lab is a cluster of its own: it must not be taken for the allocation that it may run in.
_FOREIGN = ("SLURM_", "PBS_", "LSB_", "PMI_", "PMIX_", "OMPI_COMM_", "SUIRO_LAB_")


def launcher_for(mpi: str | None, under_slurm: bool) -> tuple[str, list[str]]:
    """(MPI, launcher program with its count option); without a choice, the first one installed."""
    chosen, start = _launcher_of(mpi)
    return chosen, slurm.launcher() if under_slurm else start


def _launcher_of(mpi: str | None) -> tuple[str, list[str]]:
    if mpi is not None:
        check_choice("--mpi", mpi, [*_LAUNCHERS])
    for name in [mpi] if mpi else list(_LAUNCHERS):
        programs, count_option = _LAUNCHERS[name]
        found = next(filter(None, (_found(program, name) for program in programs)), None)
        if found:
            return name, [found, count_option]
    if mpi:
        wanted = " or ".join(_LAUNCHERS[mpi][0])
        raise MachineError(f"no {wanted} on the PATH: apt-get install {mpi}-bin (mpich: mpich)")
    return "", []


def _found(program: str, mpi: str) -> str | None:
    """Its path, if it is there and of this MPI."""
    path = shutil.which(program)
    if path is None or program not in _SHARED_NAMES:
        return path
    known = recognise(path)
    return path if known is not None and known.mpi == mpi else None


def environment(caller: Mapping[str, str], plan: Plan, start: list[str]) -> dict[str, str]:
    """The caller's variables, completed. The caller's choice of protocols and waiting wins."""
    kept = {name: value for name, value in caller.items() if not name.startswith(_FOREIGN)}
    path = f"{REMOTE_SHELL.parent}:{caller.get('PATH', '/usr/local/bin:/usr/bin:/bin')}"
    own = _necessities(plan) | _facts(plan, start) | _preload(kept, plan.mpi) | {"PATH": path}
    if plan.slurm:
        own["SLURM_CONF"] = str(slurm.CONFIG)
    return _preferences() | kept | own


def _preferences() -> dict[str, str]:
    """What serves MPI best where every host's ranks outnumber the cores that they share."""
    return {
        "HOME": "/root",
        "USER": "root",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "OMPI_MCA_pml": "ob1",
        "OMPI_MCA_btl": "self,vader,tcp",
        "UCX_TLS": "self,sm,tcp",
        "UCX_WARN_UNUSED_ENV_VARS": "n",
    }


def _necessities(plan: Plan) -> dict[str, str]:
    """How a launcher finds the hosts. Binding is off: each host believes that it owns core 0."""
    interfaces = ",".join(link.interface for link in plan.hosts[0].links)
    return {
        "OMPI_MCA_plm": "rsh",
        "OMPI_MCA_plm_rsh_agent": str(REMOTE_SHELL),
        "OMPI_MCA_orte_default_hostfile": str(OPENMPI_HOSTS),
        "OMPI_MCA_orte_tmpdir_base": str(SCRATCH),
        "OMPI_MCA_hwloc_base_binding_policy": "none",
        "OMPI_MCA_btl_tcp_if_include": interfaces,
        "OMPI_MCA_oob_tcp_if_include": INTERFACE,
        # Open MPI 5 starts ranks with PRRTE, which has variables of its own.
        "PRTE_MCA_plm": "ssh",
        "PRTE_MCA_plm_ssh_agent": str(REMOTE_SHELL),
        "PRTE_MCA_prte_default_hostfile": str(OPENMPI_HOSTS),
        "PRTE_MCA_prte_tmpdir_base": str(SCRATCH),
        "PRTE_MCA_prte_if_include": INTERFACE,
        "PRTE_MCA_hwloc_default_binding_policy": "none",
        "PRTE_ALLOW_RUN_AS_ROOT": "1",
        "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "HYDRA_LAUNCHER": "ssh",
        "HYDRA_LAUNCHER_EXEC": str(REMOTE_SHELL),
        "HYDRA_HOST_FILE": str(MPICH_HOSTS),
        "HYDRA_IFACE": INTERFACE,
        "HYDRA_BINDING": "none",
        "UCX_NET_DEVICES": interfaces,
    }


def _preload(caller: Mapping[str, str], mpi: str) -> dict[str, str]:
    """MPICH needs help to leave MPI_Finalize and to wait, and Open MPI's launcher to be silent.

    src/lab/mpich_helper.c and src/lab/openmpi_helper.c tell why.
    """
    theirs = caller.get("LD_PRELOAD", "")
    if mpi == "mpich":
        helper = str(native.library("libsuiro-lab-mpich.so"))
        return {"LD_PRELOAD": f"{helper}:{theirs}" if theirs else helper}
    if mpi == "openmpi":
        helper = str(native.library("libsuiro-lab-openmpi.so"))
        return {"LD_PRELOAD": f"{theirs}:{helper}" if theirs else helper}
    return {}


def _facts(plan: Plan, start: list[str]) -> dict[str, str]:
    facts = {
        "SUIRO_LAB_NAME": plan.name,
        "SUIRO_LAB_SPEC": plan.spec,
        "SUIRO_LAB_MODEL": plan.model,
        "SUIRO_LAB_HOSTS": str(plan.hosts_count),
        "SUIRO_LAB_RANKS_OF_HOSTS": " ".join(map(str, plan.ranks_of_host)),
        "SUIRO_LAB_RANKS": str(plan.ranks),
        "SUIRO_LAB_SITES_OF_HOSTS": " ".join(map(str, plan.site_of_host)),
        "SUIRO_LAB_RATE_BPS": str(plan.rate_bps),
        "SUIRO_LAB_LINK_RATES_BPS": " ".join(map(str, plan.link_rates_bps)),
        "SUIRO_LAB_INTERFACES": " ".join(link.interface for link in plan.hosts[0].links),
        "SUIRO_LAB_NETWORK": str(NETWORK),
        "SUIRO_LAB_CONTROL": str(CONTROL),
    }
    if start:
        facts["SUIRO_LAB_MPI"] = plan.mpi
        facts["SUIRO_LAB_MPIRUN"] = " ".join([*start, str(plan.ranks)])
    return facts
