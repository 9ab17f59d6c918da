#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# user.sh KIND, as an ordinary user in a fresh system: installs the wheel, or takes the folder or
# the package that root has put there, runs a job of each MPI with it, and asks, measures and tunes.
# There is no demo: it needs FFTW and tools for labs, which such a system does not have.
set -eu
export HOME=/home/user PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe SUIRO_NODES=2 \
  OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,tcp \
  OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_hwloc_base_binding_policy=none
kind=$1
cd "$HOME"
for mpi in openmpi mpich; do mpicc.$mpi -O2 /given/examples/alltoall.c -o "app.$mpi"; done
if [ "$kind" = preload ]; then # this system's Python is too old for the command
  if /given/suiro/bin/suiro --version 2> said; then exit 1; fi
  grep -q "no Python from 3.11" said
  lib=/given/suiro/lib
  mpirun.openmpi -x LD_PRELOAD=$lib/libsuiro-openmpi.so -np 4 ./app.openmpi 65536 1
  mpiexec.mpich -genv LD_PRELOAD $lib/libsuiro-mpich.so -n 4 ./app.mpich 65536 1
  export SUIRO_ALLTOALL=rong # the library is there and reads this
  mpirun.openmpi -x LD_PRELOAD=$lib/libsuiro-openmpi.so -np 4 ./app.openmpi 8 1 2> said
  grep -q 'unknown algorithm "rong"' said
  mpiexec.mpich -genv LD_PRELOAD $lib/libsuiro-mpich.so -n 4 ./app.mpich 8 1 2> said
  grep -q 'unknown algorithm "rong"' said
  for mpi in openmpi mpich; do
    mpirun.$mpi -np 2 /given/suiro/bin/suiro-bench-$mpi --help > said 2>&1 || true
    ! grep -E "GLIBC|cannot open shared" said
  done
  /given/suiro/bin/suiro-schedule verify --max-ranks 4 > said 2>&1 || { cat said; exit 1; }
  /given/suiro/bin/suiro-switch --help 2>&1 | head -n 1
  exit
fi
case $kind in
  wheel)
    python3 -m venv wheel
    wheel/bin/pip install -q --no-index --find-links /given/wheels /given/dist/suiro-*.whl
    PATH=$HOME/wheel/bin:$PATH ;;
  folder) PATH=/given/suiro/bin:$PATH ;;
esac
command -v suiro
suiro --version
for mpi in openmpi mpich; do
  suiro run --explain --force alltoall=send_side_aggregation -- \
    mpirun.$mpi -np 4 "./app.$mpi" 65536 2 > said 2>&1 || { cat said; exit 1; }
  grep -q send_side_aggregation said || { cat said; exit 1; }
  head -n 1 said
done
suiro bench alltoall --sizes 4K --repeat 2 --budget 1 --algorithms native,ring \
  -- mpirun.openmpi -np 4 > said 2>&1 || { cat said; exit 1; }
grep ring said
suiro tune bcast --sizes 4K --budget 2 --export suiro:rules.json \
  -- mpirun.openmpi -np 4 > said 2>&1 || { cat said; exit 1; }
suiro rules check rules.json
suiro run --rules rules.json -- mpirun.openmpi -np 4 ./app.openmpi 4096 2
rm rules.json
suiro advise --nodes 4 --ppn 4 --rate 25G --mpi openmpi-4.1 > said 2>&1 || { cat said; exit 1; }
grep "^barrier" said
suiro doctor > said 2>&1 || [ $? = 1 ] || { cat said; exit 1; }
grep launcher said
suiro verify --max-ranks 6 > said 2>&1 || { cat said; exit 1; }
suiro lab specs > said
grep two-sites-wide said
