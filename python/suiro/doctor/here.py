# SPDX-License-Identifier: BSD-3-Clause
"""This machine: its launchers, suiro's own files, and whether a lab can run on it."""

import contextlib
import os
import re
import shutil
import subprocess
from pathlib import Path

from suiro import native
from suiro.doctor import facts, hosts, settings
from suiro.doctor.finding import Finding, ok, problem, warning
from suiro.errors import MachineError
from suiro.run import launchers, transport
from suiro.run.elf import LIBRARIES

_LIBRARIES = {"openmpi": ("openmpi",), "mpich": ("mpich", "mpi_abi")}
_LAUNCHERS = (
    *("mpirun", "mpiexec", "mpirun.openmpi", "mpiexec.openmpi", "mpirun.mpich", "mpiexec.mpich"),
    *("mpiexec.hydra", "srun"),
)
_MPI_LIBRARY = re.compile(r"libmpi(ch|_abi)?\.so\.\d+")
_TUN = Path("/dev/net/tun")


def libraries() -> list[str]:
    """The paths of those that there are."""
    found = []
    for name in ("openmpi", "mpich", "mpi_abi", "fi"):
        try:
            found.append(str(native.library(f"libsuiro-{name}.so")))
        except MachineError:
            continue
    return found


def examine(launcher_given: bool) -> list[Finding]:
    """With a launcher, its hosts are looked at instead of this one."""
    findings = [*_own_libraries(), *settings.examine()]
    if not launcher_given:
        findings += [*_launchers(), *_mpi_libraries(), *_transport()]
        for host in facts.gather(facts.probe(libraries())):
            findings += hosts.judge(host)
        findings += [*_lab()]
    return findings


def _own_libraries() -> list[Finding]:
    mixture = native.mixture()
    if mixture:
        return [problem("preload", mixture, "install suiro again")]
    if libraries():
        return []
    return [
        problem(
            "preload",
            "suiro's libraries are missing",
            "install suiro again, or in a checkout run ./dev build",
        )
    ]


def _launchers() -> list[Finding]:
    """Each program once, however many names it has."""
    findings: list[Finding] = []
    seen: set[str] = set()
    for name in _LAUNCHERS:
        path = shutil.which(name)
        if path is None or os.path.realpath(path) in seen:
            continue
        seen.add(os.path.realpath(path))
        findings.append(_launcher(name))
    if findings:
        return findings
    advice = "load your MPI's module, or install Open MPI or MPICH"
    return [problem("launcher", "no mpirun, mpiexec or srun is on the PATH", advice)]


def _launcher(name: str) -> Finding:
    if name == "srun":
        return ok("launcher", "srun is Slurm's: it starts programs of any MPI")
    launcher = launchers.recognise(name)
    if launcher is None:
        advice = "use Open MPI's mpirun, MPICH's mpiexec or Slurm's srun"
        return warning("launcher", f"{name} is of an MPI that suiro does not know", advice)
    wanted = [f"libsuiro-{library}.so" for library in _LIBRARIES[launcher.mpi]]
    have = {Path(path).name for path in libraries()}
    missing = [library for library in wanted if library not in have]
    text = f"{name} is {launcher.full_name}"
    if missing:
        return problem(
            "launcher", f"{text}, and {', '.join(missing)} is missing", "run ./dev build"
        )
    return ok("launcher", f"{text}: {' or '.join(wanted)}")


def _mpi_libraries() -> list[Finding]:
    """Of the system; those of module files are seen when their module is loaded."""
    ldconfig = shutil.which("ldconfig", path=f"{os.environ.get('PATH', '')}:/sbin:/usr/sbin")
    if ldconfig is None:
        return []
    listing = subprocess.run([ldconfig, "-p"], capture_output=True, text=True, errors="replace")
    folders = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    names = {line.split()[0] for line in listing.stdout.splitlines() if line.startswith("\t")}
    for folder in filter(None, folders):
        with contextlib.suppress(OSError):  # may be another user's
            names |= {file.name for file in Path(folder).glob("libmpi*")}
    findings = []
    for name in sorted(filter(_MPI_LIBRARY.fullmatch, names)):
        kind = LIBRARIES.get(name)
        if kind is not None:
            findings.append(ok("mpi", f"{name} is served by libsuiro-{kind.value}.so"))
        else:
            advice = "link programs with Open MPI 4 or later, MPICH, or what is compatible with it"
            findings.append(warning("mpi", f"{name} is of an MPI that suiro does not know", advice))
    return findings


def _transport() -> list[Finding]:
    """Whether libfabric could use suiro's provider here; the provider itself tells why not."""
    try:
        native.library("libsuiro-fi.so")
    except MachineError:
        return []
    asked = native.module("suiro.run.transport")
    answer = subprocess.run(asked, capture_output=True, text=True, errors="replace")
    if answer.returncode == 0:
        can = ok("transport", "suiro's transport can be used here (--transport suiro)")
        return [can, *_wrong_offsets()]
    said = answer.stderr.strip().splitlines() or [f"it ended with {answer.returncode}"]
    text = said[-1].removeprefix("suiro: ")
    return [warning("transport", text, "name the networks of your cluster in SUIRO_NETS")]


def _wrong_offsets() -> list[Finding]:
    """Of the launchers that there are."""
    there = filter(shutil.which, _LAUNCHERS)
    told = filter(None, (transport.wrong_offsets(launchers.recognise(name)) for name in there))
    return [warning("transport", text, transport.OTHER_MPI) for text in dict.fromkeys(told)]


def _lab() -> list[Finding]:
    """Only `suiro lab`, `bench --lab` and `demo` need this."""
    findings = []
    if os.geteuid() != 0 and not _user_namespaces():
        advice = (
            "run labs as root, or allow user namespaces (sysctl kernel.unprivileged_userns_clone)"
        )
        findings.append(warning("lab", "this user may not make namespaces", advice))
    if not _TUN.exists():
        findings.append(warning("lab", f"{_TUN} is missing", "for labs, try modprobe tun"))
    elif not os.access(_TUN, os.R_OK | os.W_OK):
        advice = f"run labs as root, or chmod 0666 {_TUN}"
        findings.append(warning("lab", f"{_TUN} may not be opened by this user", advice))
    return findings or [ok("lab", "virtual clusters can run here")]


def _user_namespaces() -> bool:
    unshare = shutil.which("unshare")
    if unshare is None:
        return False
    return subprocess.run([unshare, "-Urn", "true"], capture_output=True).returncode == 0
