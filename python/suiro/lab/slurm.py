# SPDX-License-Identifier: BSD-3-Clause
"""Slurm in a lab: its controller on host 0 and its daemon on every host.

They are children of the lab's process 1, so that they end with the lab. Nobody but the lab's user
reaches them, so they ask nobody who he is (auth/none) and need no key.
"""

import os
import shutil
import subprocess
import time
from pathlib import Path

from suiro import native
from suiro.errors import MachineError
from suiro.lab.plan import HOME, REMOTE_SHELL, Plan

FOLDER = HOME / "slurm"
CONFIG = FOLDER / "slurm.conf"

_PROGRAMS = ("slurmctld", "slurmd", "srun", "sinfo")
_ADMINISTRATION = ("/usr/local/sbin", "/usr/sbin", "/sbin")  # not on every user's PATH
_START_TIMEOUT_S = 30.0
_POLL_S = 0.05

# How srun shall start the ranks of an MPI when it is not told.
_PROCESS_MANAGER = {"openmpi": "pmix", "mpich": "pmi2"}

# Hosts have as many processors as the lab gives them slots, whatever the machine has. Nothing is
# bound, accounted or put into control groups, and a host that is busy is never given up.
_CONFIG = """\
ClusterName=lab
SlurmctldHost={controller}
SlurmUser=root
AuthType=auth/none
CredType=cred/none
MpiDefault={process_manager}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,bf_interval=1
SlurmdParameters=config_overrides
SlurmdTimeout=0
MessageTimeout=60
ReturnToService=2
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
TmpFS={folder}/%n
SlurmdLogFile={folder}/steps.%n.log
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
"""

# What it prints changes the variables of the rank that is about to start.
_TASK_PROLOG = """\
#!/bin/sh
case ":$LD_PRELOAD:" in
  *:{helper}:*) ;;
  *) echo "export LD_PRELOAD=${{LD_PRELOAD:+$LD_PRELOAD:}}{helper}" ;;
esac
"""


class Daemon:
    """A daemon that must live as long as the lab."""

    def __init__(self, name: str, host: str, variables: str) -> None:
        self._title = f"{name} on {host}"
        self._log = FOLDER / f"{name}.{host}.log"
        options = f"-N {host}" if name == "slurmd" else ""
        command = f"{variables} exec {name} -D {options} >{self._log} 2>&1"
        # A session of its own: Ctrl-C is for the command, whose end the daemons must see to.
        self.process = subprocess.Popen(
            [str(REMOTE_SHELL), host, command],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )

    def __str__(self) -> str:
        return self._title

    def last_words(self) -> str:
        """The last line that it wrote."""
        lines = self._log.read_text(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it wrote no reason"


def launcher() -> list[str]:
    """srun with its count option, if all that Slurm needs is installed."""
    path = os.environ.get("PATH", os.defpath)
    places = os.pathsep.join([path, *_ADMINISTRATION])
    for name in _PROGRAMS:
        if shutil.which(name, path=places) is None:
            raise MachineError(
                f"no {name} on the PATH: apt-get install slurmctld slurmd slurm-client"
            )
    return ["srun", "-n"]


def start(plan: Plan) -> list[Daemon]:
    """Start all daemons and wait until every host takes jobs."""
    _write_config(plan)
    variables = f"SLURM_CONF={CONFIG}"
    if plan.user_namespace:  # src/lab/slurm_helper.c tells why
        variables += f" LD_PRELOAD={native.library('libsuiro-lab-slurm.so')}"
    controller = Daemon("slurmctld", plan.hosts[0].name, variables)
    daemons = [controller, *(Daemon("slurmd", host.name, variables) for host in plan.hosts)]
    deadline = time.monotonic() + _START_TIMEOUT_S
    while not _ready(plan):
        for daemon in daemons:
            if daemon.process.poll() is not None:
                raise MachineError(f"{daemon} did not start: {daemon.last_words()}")
        if time.monotonic() > deadline:
            raise MachineError(f"Slurm did not start in time: {controller.last_words()}")
        time.sleep(_POLL_S)
    return daemons


def _write_config(plan: Plan) -> None:
    for name in ("state", *(host.name for host in plan.hosts)):
        (FOLDER / name).mkdir(parents=True)
    controller = plan.hosts[0]
    general = _CONFIG.format(
        controller=f"{controller.name}({controller.address})",
        process_manager=_PROCESS_MANAGER.get(plan.mpi, "none"),
        folder=FOLDER,
    )
    if plan.mpi == "mpich":
        general += f"TaskProlog={_write_task_prolog()}\n"
    nodes = [
        f"NodeName={host.name} NodeAddr={host.address} CPUs={ranks}\n"
        for host, ranks in zip(plan.hosts, plan.ranks_of_host, strict=True)
    ]
    # The daemons load one of these even if nothing uses it; only this one does without the mounts.
    (FOLDER / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
    CONFIG.write_text(general + "".join(nodes) + "PartitionName=lab Nodes=ALL Default=YES\n")


def _write_task_prolog() -> Path:
    """The lab's help for MPICH reaches ranks even if srun hands no variables on; suiro's library,
    when there is one, stays in front."""
    prolog = FOLDER / "task_prolog"
    prolog.write_text(_TASK_PROLOG.format(helper=native.library("libsuiro-lab-mpich.so")))
    prolog.chmod(0o755)
    return prolog


def _ready(plan: Plan) -> bool:
    """Whether every host is known to be idle."""
    answer = subprocess.run(
        [str(REMOTE_SHELL), plan.hosts[0].name, f"SLURM_CONF={CONFIG} sinfo -h -o %T,%D"],
        capture_output=True,
        text=True,
    )
    return answer.stdout.strip() == f"idle,{plan.hosts_count}"
