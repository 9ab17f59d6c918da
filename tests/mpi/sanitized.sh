#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: sanitized.sh openmpi|mpich LIBRARY FOLDER YIELDING
# Runs programs under a library that was built with AddressSanitizer. They are not, so the
# sanitizer's runtime is preloaded before the library, and what makes MPICH give its core away while
# it waits. Leaks are not looked for: both MPIs keep memory until the process ends.
set -eu
mpi=$1 library=$2 folder=$3 yielding=$4
for program in alltoall_cases alltoallw_cases block_cases message_cases sizes; do
  "mpicc.$mpi" -O1 -g -o "$folder/$program.$mpi" "$(dirname "$0")/$program.c" -lpthread
done
preload="$(clang -print-file-name=libclang_rt.asan-$(uname -m).so):$library:$yielding"
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1
export SUIRO_NODES=2 SUIRO_ALLTOALLV=ring
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader \
  OMPI_MCA_pml=ob1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
  OMPI_MCA_hwloc_base_binding_policy=none

launch() {
  if [ "$mpi" = openmpi ]; then
    mpirun.openmpi -n 4 -x "LD_PRELOAD=$preload" "$@"
  else
    mpiexec.hydra -genv LD_PRELOAD "$preload" -n 4 "$@"
  fi
}

run() {
  algorithm=$1
  shift
  SUIRO_ALLTOALL=$algorithm launch "$folder/alltoall_cases.$mpi" "$@"
}

for algorithm in two_level_ring two_level_pairwise; do
  run $algorithm
  run $algorithm threads
done
for algorithm in bruck multi_leader send_side_aggregation; do
  run $algorithm
done
for segment in 64 1000; do
  SUIRO_BCAST=node_pipeline:segment=$segment SUIRO_REDUCE=node_pipeline:segment=$segment \
    SUIRO_ALLREDUCE=lanes:segment=$segment SUIRO_BARRIER=dissemination \
    SUIRO_REDUCE_SCATTER=lanes:segment=$segment SUIRO_REDUCE_SCATTER_BLOCK=pairwise \
    SUIRO_SCAN=linear:segment=$segment SUIRO_EXSCAN=node_aware \
    launch "$folder/message_cases.$mpi"
  SUIRO_ALLGATHER=lanes:segment=$segment SUIRO_ALLGATHERV=ring:segment=$segment \
    SUIRO_GATHER=node_leader SUIRO_GATHERV=linear SUIRO_SCATTER=binomial \
    SUIRO_SCATTERV=linear_capped launch "$folder/block_cases.$mpi"
done
SUIRO_BCAST=shared_tree:segment=1000 SUIRO_REDUCE=shared_tree:segment=1000 \
  SUIRO_ALLREDUCE=shared_lanes:segment=1000 SUIRO_BARRIER=shared_leader \
  launch "$folder/message_cases.$mpi"
SUIRO_COLLECTIVES=net SUIRO_ALLGATHER=bruck SUIRO_ALLGATHERV=lanes SUIRO_GATHER=binomial \
  SUIRO_GATHERV=linear_capped SUIRO_SCATTER=node_leader SUIRO_SCATTERV=linear \
  launch "$folder/block_cases.$mpi"
SUIRO_ALLTOALLW=ring launch "$folder/alltoallw_cases.$mpi"
for what in refused freed threads; do
  launch "$folder/sizes.$mpi" w $what 9 200000
done
