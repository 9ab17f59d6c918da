# SPDX-License-Identifier: BSD-3-Clause
"""Sites found in a lab, the file that is written, and a job that follows it, or does not."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from suiro.cluster.cluster import read
from suiro.lab.spec import SHIPPED

pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(os.geteuid() != 0, reason="makes network namespaces: run it as root"),
]

SUIRO = [sys.executable, "-c", "from suiro.cli.main import main; main()"]


def suiro(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([*SUIRO, *arguments], text=True, capture_output=True, timeout=180)


def told(cluster: Path, program: Path, lab: str) -> "tuple[dict[str, object], str]":
    """Who told the sites of a job there, and what was said."""
    inside = shlex.join([*SUIRO, "run", "--explain=json", "--cluster", str(cluster), "--"])
    script = f"{inside} $SUIRO_LAB_MPIRUN {program}"
    done = suiro("lab", "run", lab, "--mpi", "openmpi", "--", "sh", "-c", script)
    assert done.returncode == 0, done.stderr
    said, brace, document = done.stderr.partition("{\n")
    return json.loads(brace + document)["sites"][0], said


@pytest.fixture
def program(tmp_path: Path) -> Path:
    source = tmp_path / "job.c"
    source.write_text(
        "#include <mpi.h>\n"
        "int main(int argc, char** argv) {\n"
        "  MPI_Init(&argc, &argv);\n"
        "  MPI_Barrier(MPI_COMM_WORLD);\n"
        "  return MPI_Finalize();\n"
        "}\n"
    )
    subprocess.run(["mpicc.openmpi", source, "-o", tmp_path / "job"], check=True)
    return tmp_path / "job"


@pytest.fixture
def lab(tmp_path: Path) -> str:
    """As two-sites, with fewer hosts, whose ways take less time to try."""
    text = (SHIPPED / "two-sites.toml").read_text()
    for old, new in (("count = 16", "count = 6"), ("[8, 8]", "[3, 3]"), ("200M", "100M")):
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "three-and-three.toml"
    path.write_text(text)
    return str(path)


@pytest.mark.timing
def test_the_rates_of_two_sites(tmp_path: Path, lab: str) -> None:
    path = tmp_path / "cluster.toml"
    done = suiro("probe", "--sites", "--lab", lab, "--mpi", "openmpi", "--write-cluster", str(path))
    assert done.returncode == 0, done.stdout + done.stderr
    cluster = read(path)
    (wan,) = cluster.wan
    assert wan.delay == pytest.approx(10_000, rel=0.1)
    assert wan.rate == pytest.approx(100e6, rel=0.1)
    assert wan.n == 2
    for site in cluster.site:
        assert site.rate == pytest.approx(50e6, rel=0.1)


@pytest.mark.every
def test_two_sites(tmp_path: Path, program: Path, lab: str) -> None:
    path, picture = tmp_path / "cluster.toml", tmp_path / "ways.svg"
    options = ["--write-cluster", str(path), "--svg", str(picture), "--json"]
    done = suiro("probe", "--sites", "--lab", lab, "--mpi", "openmpi", *options)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["grouping"]["sites"] == [[0, 1, 2], [3, 4, 5]]
    assert "timing ways between 6 nodes" in done.stderr
    assert picture.read_text().startswith("<svg")
    sites, said = told(path, program, lab)
    assert sites["count"] == 2
    assert str(sites["told_by"]).startswith(f"{path}, measured ")
    assert str(path) not in said
    assert "though" not in str(sites["told_by"])
    moved = path.read_text().replace('"host1"', '"moved"').replace('"host3"', '"host1"')
    other = tmp_path / "moved.toml"
    other.write_text(moved.replace('"moved"', '"host3"'))
    sites, _ = told(other, program, lab)
    assert str(sites["told_by"]).endswith(", though the addresses tell others")
    stale = path.read_text().replace('"host4", ', "")
    path.write_text(stale)
    sites, said = told(path, program, lab)
    assert sites == {"count": 2, "told_by": "addresses"}
    assert f"{path}:" in said
    assert "but host4 is at none" in said


def test_one_site(tmp_path: Path) -> None:
    path = tmp_path / "cluster.toml"
    done = suiro("probe", "--sites", "--lab", "8x4-shared", "--write-cluster", str(path))
    if done.returncode == 1:  # others keep the machine busy
        assert "not clear: " in done.stdout, done.stdout + done.stderr
        assert not path.exists()
        return
    assert done.returncode == 0, done.stdout + done.stderr
    assert "one site" in done.stdout
    assert len(read(path).site) == 1
