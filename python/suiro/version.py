# SPDX-License-Identifier: BSD-3-Clause
"""What `suiro --version` says: the version, the build, and which MPIs it serves."""

from suiro import __version__, native

_SERVED = {
    "openmpi": "Open MPI 4.1 and 5",
    "mpich": "MPICH 4 and 5, Intel MPI and others of MPICH's binary interface",
    "mpi_abi": "the MPI standard's binary interface",
    "fi": "suiro's transport under these, by libfabric",
}


def tell() -> str:
    """Some lines; the last names a mixture of builds, if there is one."""
    files = {file.name: file for file in native.files()}
    if not files:
        return f"suiro {__version__}\nwithout its libraries: in a checkout run `./dev build`"
    served = {
        f"libsuiro-{name}.so": what
        for name, what in _SERVED.items()
        if f"libsuiro-{name}.so" in files
    }
    any_file = next(iter(files.values()))
    lines = [
        f"suiro {__version__}",
        f"build {native.build_of(any_file) or 'unknown'} in {any_file.parents[1]}",
        *(f"serves {what} ({name})" for name, what in served.items()),
    ]
    mixture = native.mixture()
    if mixture:
        lines.append(f"mixed: {mixture}; install suiro again")
    return "\n".join(lines)
