# SPDX-License-Identifier: BSD-3-Clause
"""A molecule of water with plane waves; GPAW runs it under its own interpreter."""

from ase.build import molecule
from gpaw import GPAW, PW

atoms = molecule("H2O", cell=(4.8, 4.8, 4.8), pbc=True)
atoms.rattle(0.02, seed=1)
atoms.calc = GPAW(mode=PW(200), h=0.3, xc="PBE", txt=None)
energy = atoms.get_potential_energy()
forces = atoms.get_forces()
if atoms.calc.wfs.world.rank == 0:
    print(f"energy {energy!r}")
    print(*(f"force {float(force)!r}" for force in forces.flat), sep="\n")
